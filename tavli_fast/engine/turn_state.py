"""What is played next: cascades, rests left to the opponent, and balancing turns.

The one automaton of ``docs/rules.md`` sections 5 and 7 in Python, for ``Game`` and for the running
games of the reference. The kernels have theirs in ``_kernels/games.pyx``.
"""

from typing import NamedTuple

from ..rules import rows as r
from ..rules.rows import Row
from ..rules.switches import Rules
from .reference import play_rules
from .reference.play_rules import Candidate

FOUR = 4  # steps of a double


class Due(NamedTuple):
    """What the player on turn has to play: a roll, a stage of a cascade, or what was left of one.

    Attributes
    ----------
    dice : (int, int)
    steps : int
        How many steps a double is worth: fewer than four for a rest.
    stage : bool
        Part of a cascade: once it is played in full, the next number follows.
    inherited : bool
        Left by the opponent: it is played before the player's own roll.
    heads : int or None
        Checkers that may still leave the head; None if the position alone decides.
    """

    dice: tuple[int, int]
    steps: int = FOUR
    stage: bool = False
    inherited: bool = False
    heads: int | None = None


class Next(NamedTuple):
    """What follows a play.

    Attributes
    ----------
    due : Due or None
        What has to be played, or None if the dice are thrown first.
    turns : bool
        Whether the other player is on turn.
    balancing : bool
        Whether this is the balancing turn.
    over : bool
        Whether the game has ended.
    """

    due: Due | None
    turns: bool
    balancing: bool = False
    over: bool = False


def thrown(rules: Rules, dice: tuple[int, int], rolls: int) -> Due:
    """What a roll is; ``rolls`` counts those of the player, this one included."""
    double = dice[0] == dice[1]
    cascade = rules.doubles == "cascade" and double and rolls > rules.cascade_grace
    return Due(dice, stage=cascade)


def legal_plays(rules: Rules, row: Row, due: Due) -> list[Candidate]:
    """The plays of what is due, in order; empty for a pass."""
    heads = head_maximum(rules, row, due)
    return play_rules.legal_plays(rules, row, due.dice, due.steps, heads)


def head_maximum(rules: Rules, row: Row, due: Due) -> int:
    """How many checkers may leave the head."""
    if due.heads is not None:
        return due.heads
    return play_rules.head_maximum(rules, row, due.dice, due.steps)


def goes_on(due: Due, used: int) -> bool:
    """Whether the same player goes on with the next stage after so many steps of this one."""
    return due.stage and used == due.steps and due.dice[0] < r.HOME


def after(
    rules: Rules, due: Due, row: Row, play: Candidate, *, over: bool, starter: bool, balancing: bool
) -> Next:
    """What follows a play.

    Parameters
    ----------
    rules : Rules
    due : Due
        What was played.
    row : Row
        The position it was played from.
    play : Candidate
        Its end and steps, seen by the player who made it.
    over : bool
        Whether the end alone, ``docs/rules.md`` section 7, finishes a game.
    starter : bool
        Whether the player who made it began the game.
    balancing : bool
        Whether it belongs to a balancing turn.
    """
    further = goes_on(due, len(play.steps))
    if balancing and further and play.end[r.OFF] < r.CHECKERS:
        over = False  # the starter is off, but the balancing turn is not finished
    if over:
        granted = starter and _balances(rules, play.end)
        return Next(None, turns=True, balancing=granted, over=not granted)
    if further:
        die = due.dice[0] + 1
        heads = _heads_left(rules, due, row, play)
        return Next(Due((die, die), FOUR, True, due.inherited, heads), False, balancing)
    if due.inherited:  # the opponent's rest is done: now the player's own roll
        return Next(None, turns=False)
    return Next(_rest(rules, due, play), turns=True)


def _balances(rules: Rules, end: Row) -> bool:
    """Section 7: whether the second player has one more turn after this end of the starter's."""
    if rules.balancing_turn == "none" or end[r.OFF] < r.CHECKERS:
        return False
    return rules.balancing_turn == "second_player" or end[r.OPP_OFF] >= r.CHECKERS - 1


def _heads_left(rules: Rules, due: Due, row: Row, play: Candidate) -> int | None:
    """Section 5: what the limit of a whole roll leaves to its next stage."""
    if rules.head_limit != "one_per_roll":
        return None
    return head_maximum(rules, row, due) - (row[r.HEAD] - play.end[r.HEAD])


def _rest(rules: Rules, due: Due, play: Candidate) -> Due | None:
    """Section 5: what the opponent plays of a roll before his own."""
    if rules.doubles != "cascade" or rules.unplayed == "lost":
        return None
    used = len(play.steps)
    if due.stage:
        return Due(due.dice, due.steps - used, True, True) if used < due.steps else None
    first, second = due.dice
    if rules.unplayed == "opponent_plays" or first == second or used > 1:
        return None
    if used == 0:
        return Due(due.dice, inherited=True)
    left = second if play.steps[0][1] == first else first
    return Due((left, left), steps=1, inherited=True)
