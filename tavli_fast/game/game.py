"""One game: what is not a property of one position.

Who started, how many rolls so far, stages of a cascade, the balancing turn (``docs/rules.md``
sections 5 and 7). Which plays are legal is asked of the variant's engine; the rest of a stage and a
balancing turn, which no position alone can ask for, are always asked of the reference.
"""

import secrets
from typing import NamedTuple

import numpy as np

from ..engine.reference import play_rules
from ..engine.streams import Stream
from ..engine.variant import Variant, variant_of
from ..errors import GameOver, InvalidDice, NotationError, RuleConflict, TavliError
from ..rules import rows as r
from ..rules.arrays import check_dice
from ..rules.rows import row_of
from ..support.checks import MAX_SEED, check_int
from .play import Play, PlayList, read
from .position import Position

Roll = tuple[int, int]
FOUR = 4


class Stage(NamedTuple):
    """Part of a cascade: so many steps of a number."""

    die: int
    steps: int

    @property
    def roll(self) -> Roll:
        """The double that stands for the stage."""
        return self.die, self.die


class Outcome(NamedTuple):
    """How a game ended.

    Attributes
    ----------
    winner : int or None
        Player 0 or 1, None when the game is void or drawn.
    points : int
    resigned : bool
    """

    winner: int | None
    points: int
    resigned: bool = False


class Played(NamedTuple):
    """One entry of a game's history: a play, or a stage of a cascade.

    Attributes
    ----------
    player : int
    dice : (int, int)
    play : Play
    stage : Stage or None
        What was to be played of a cascade.
    drawn : int
        How much of the game's stream was used up when the dice had been thrown.
    """

    player: int
    dice: Roll
    play: Play
    stage: Stage | None
    drawn: int


class _State(NamedTuple):
    """All that changes in a game; undoing is going back to an earlier one."""

    position: Position
    player: int
    rolls: tuple[int, int] = (0, 0)  # of either player
    drawn: int = 0  # words taken from the stream
    dice: Roll | None = None
    stages: tuple[Stage, ...] = ()  # of a cascade, the current one first
    inherited: bool = False  # the stages were left by the opponent
    balancing: bool = False  # the other side is off; this is the last turn
    outcome: Outcome | None = None


class Game:
    """One game between player 0 and player 1.

    Parameters
    ----------
    game : Variant or str
        A variant, or the name of a preset.
    seed : int, optional
        0 to 2**64 - 1; drawn and kept in ``seed`` when left out.
    starter : {0, 1}, optional
        Who begins; thrown for with one die each when left out.
    number : int
        Which game of the seed: each meets dice of its own.
    start : Position, optional
        Where the game begins, seen by the starter; the start position when left out.

    Attributes
    ----------
    variant : Variant
    seed, number, starter : int
    thrown_for : bool
        Whether the starter was, not given.
    start : Position
        Where the game began, seen by the starter.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> game = tavli.Game("fevga", seed=1, starter=0)
    >>> game.roll((6, 5))
    (6, 5)
    >>> game.play("24/13")
    >>> game.player, game.position.opp
    (1, {12: 14, 1: 1})
    """

    def __init__(
        self,
        game: Variant | str,
        *,
        seed: int | None = None,
        starter: int | None = None,
        number: int = 0,
        start: Position | None = None,
    ) -> None:
        self.variant = variant_of(game)
        self.seed = check_int(secrets.randbits(64) if seed is None else seed, "seed", 0, MAX_SEED)
        self.number = check_int(number, "number", 0, MAX_SEED)
        if starter is not None:
            check_int(starter, "starter", 0, 1)
        stream = Stream(self.seed, self.number)
        opening = _one_die_throw(stream)
        self.starter = int(opening[1] > opening[0]) if starter is None else int(starter)
        self.thrown_for = starter is None
        self._opening = opening
        # without the one-die throw there are no opening dice: the first roll is an ordinary one
        self._opening_played = self.thrown_for and self.variant.rules.opening == "use_opening_dice"
        self.start = self.variant.start() if start is None else self._begin(start)
        self._states = [_State(self.start, self.starter, drawn=stream.drawn)]
        self._turns: list[Played] = []
        self._begun: list[int] = []  # which state each turn was played from

    @property
    def _now(self) -> _State:
        return self._states[-1]

    @property
    def player(self) -> int:
        """The player on turn, 0 or 1."""
        return self._now.player

    @property
    def position(self) -> Position:
        """The position, seen by the player on turn."""
        return self._now.position

    @property
    def dice(self) -> Roll | None:
        """The roll to be played, or None before it is thrown; in a cascade that of the stage."""
        return self._now.dice

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Stages of a cascade still to be played, the current one first (section 5)."""
        return self._now.stages

    @property
    def rolls(self) -> tuple[int, int]:
        """How many rolls player 0 and player 1 have thrown."""
        return self._now.rolls

    @property
    def drawn(self) -> int:
        """How much of the stream of the seed is used up; dice that were given use nothing."""
        return self._now.drawn

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on (sections 6 and 7)."""
        return self._now.outcome

    @property
    def history(self) -> tuple[Played, ...]:
        """The turns played so far."""
        return tuple(self._turns)

    def roll(self, dice: Roll | None = None) -> Roll:
        """Throw the dice of the turn, or take those given.

        Parameters
        ----------
        dice : (int, int), optional
            Taken from the game's own stream when left out.

        Raises
        ------
        TavliError
            When the dice were thrown already.
        GameOver
            When the game has ended.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> game = tavli.Game("portes", seed=5)
        >>> game.roll() == game.dice
        True
        """
        now = self._going_on()
        if now.dice is not None:
            raise TavliError(f"the dice {now.dice} were thrown already; play them first")
        opening = self._opening_played and not any(now.rolls)
        thrown, drawn = (_checked(dice), now.drawn) if dice is not None else self._throw(opening)
        if opening and thrown[0] == thrown[1]:
            raise InvalidDice(f"dice {thrown}: the opening dice are never a double")
        rolls = list(now.rolls)
        rolls[now.player] += 1
        self._states.append(
            now._replace(
                dice=thrown,
                drawn=drawn,
                rolls=(rolls[0], rolls[1]),
                stages=self._stages(thrown, rolls[now.player]),
            )
        )
        return thrown

    @property
    def plays(self) -> PlayList:
        """The legal plays of the roll, in the order of ``docs/rows.md``; none for a pass."""
        now = self._going_on()
        if now.dice is None:
            raise TavliError("the dice are not thrown yet; call roll first")
        if now.balancing or (now.stages and now.stages[0].steps < FOUR):
            return self._special_plays(now, now.dice)
        return now.position.plays(*now.dice)

    def play(self, choice: Play | str | int) -> None:
        """Make a play of the roll.

        Parameters
        ----------
        choice : Play, str or int
            A play, its notation (``"pass"`` when there is none), or its number in ``plays``.

        Raises
        ------
        IllegalPlay, NotationError
            When it is not a play of the roll.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> game = tavli.Game("plakoto", seed=2)
        >>> roll = game.roll()
        >>> game.play(0)
        >>> len(game.history)
        1
        """
        plays = self.plays
        now = self._now
        assert now.dice is not None
        play = self._chosen(choice, plays)
        self._begun.append(len(self._states))
        stage = now.stages[0] if now.stages else None
        self._turns.append(Played(now.player, now.dice, play, stage, now.drawn))
        self._states.append(self._after(now, play))

    def undo(self) -> Played:
        """Take back the last play, and a resignation after it; its dice stay thrown.

        Returns
        -------
        Played
            The turn taken back.

        Raises
        ------
        TavliError
            When nothing was played.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> game = tavli.Game("portes", seed=3)
        >>> before = game.roll(), game.position
        >>> game.play(0)
        >>> turn = game.undo()
        >>> before == (game.dice, game.position)
        True
        """
        if not self._turns:
            raise TavliError("there is no play to undo")
        del self._states[self._begun.pop() :]
        return self._turns.pop()

    def resign(self, points: int = 1) -> None:
        """End the game: the player on turn gives up so many points.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> game = tavli.Game("portes", seed=1, starter=0)
        >>> game.resign(2)
        >>> game.outcome
        Outcome(winner=1, points=2, resigned=True)
        """
        now = self._going_on()
        points = check_int(points, "points", 1, r.CHECKERS)
        self._states.append(now._replace(outcome=Outcome(1 - now.player, points, resigned=True)))

    # --- rolls ------------------------------------------------------------------------------------

    def _begin(self, start: Position) -> Position:
        if not isinstance(start, Position):
            raise TypeError(f"start must be a Position, got {type(start).__name__}")
        if start.variant != self.variant:
            raise RuleConflict(
                f"start is a position of {start.variant}, the game is {self.variant}"
            )
        if start.result is not None:
            raise GameOver(f"start: the game is over there, {start.result}")
        return start

    def _going_on(self) -> _State:
        if self._now.outcome is not None:
            raise GameOver(f"the game is over: {self._now.outcome}")
        return self._now

    def _throw(self, opening: bool) -> tuple[Roll, int]:
        """The next roll of the stream, and how much of it is used up then."""
        if opening:
            return self._opening, self._now.drawn
        stream = Stream(self.seed, self.number, self._now.drawn)
        return stream.roll(), stream.drawn

    def _stages(self, dice: Roll, rolls: int) -> tuple[Stage, ...]:
        """The stages of a cascade, none for an ordinary roll (section 5)."""
        rules = self.variant.rules
        ordinary = dice[0] != dice[1] or rules.doubles != "cascade"
        if ordinary or rolls <= rules.cascade_grace:
            return ()
        return tuple(Stage(die, FOUR) for die in range(dice[0], 7))

    # --- plays ------------------------------------------------------------------------------------

    def _special_plays(self, now: _State, dice: Roll) -> PlayList:
        """Plays of the rest of a stage, and of a turn after the other side is off.

        No single position asks for them, so the engines' bulk calls do not know them.
        """
        steps = now.stages[0].steps if now.stages else FOUR
        row = row_of(now.position.row)
        found = play_rules.legal_plays(self.variant.rules, row, dice, steps)
        plays = [(play.steps, play.end) for play in found]
        return PlayList.given(now.position, dice, steps, plays)

    def _chosen(self, choice: Play | str | int, plays: PlayList) -> Play:
        if isinstance(choice, (int, np.integer)) and not isinstance(choice, bool):
            if not 0 <= choice < len(plays):
                raise NotationError(f"play {choice}: the roll has {len(plays)} plays, from 0 on")
            return plays[int(choice)]
        if not isinstance(choice, (Play, str)):
            raise TypeError(f"a play is a Play, a text or a number, got {type(choice).__name__}")
        return read(plays, choice)

    def _after(self, now: _State, play: Play) -> _State:
        """The state after a play or a stage."""
        left = _stages_left(now.stages, len(play.steps))
        goes_on = bool(left) and left[0].steps == FOUR and left != now.stages
        outcome = None if now.balancing and goes_on else self._outcome(now, play.end)
        balancing = outcome is not None and self._gives_balancing_turn(now, play.end)
        state = now._replace(position=play.end, dice=None, stages=(), inherited=False)
        if outcome is not None and not balancing:
            return state._replace(outcome=outcome)
        if goes_on and not balancing:
            return state._replace(dice=left[0].roll, stages=left, inherited=now.inherited)
        if now.inherited and not balancing:  # the opponent's rest is done: now the own roll
            return state
        state = state._replace(position=play.next, player=1 - now.player, balancing=balancing)
        if left and not balancing and self.variant.rules.unplayed == "opponent_plays":
            return state._replace(dice=left[0].roll, stages=left, inherited=True)
        return state

    def _outcome(self, now: _State, end: Position) -> Outcome | None:
        result = end.result
        if result is None:
            return None
        if result.points == 0:
            return Outcome(None, 0)
        winner = now.player if result.points > 0 else 1 - now.player
        return Outcome(winner, abs(result.points))

    def _gives_balancing_turn(self, now: _State, end: Position) -> bool:
        """Whether the second player has one more turn (section 7)."""
        rule = self.variant.rules.balancing_turn
        own_off, opp_off = end.off
        if rule == "none" or now.player != self.starter or own_off < r.CHECKERS:
            return False
        return rule == "second_player" or opp_off >= r.CHECKERS - 1


def _one_die_throw(stream: Stream) -> Roll:
    """One die of each player, thrown again while they are equal."""
    while True:
        dice = stream.roll()
        if dice[0] != dice[1]:
            return dice


def _stages_left(stages: tuple[Stage, ...], played: int) -> tuple[Stage, ...]:
    """What is left of the stages after so many steps of the first."""
    if not stages:
        return ()
    first, later = stages[0], stages[1:]
    if played == first.steps:
        return later
    return (Stage(first.die, first.steps - played), *later)


def _checked(dice: Roll) -> Roll:
    pairs, single = check_dice(dice)
    if not single:
        raise InvalidDice(f"dice {dice!r}: one pair of dice is thrown")
    return int(pairs[0, 0]), int(pairs[0, 1])
