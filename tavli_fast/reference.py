"""The reference engine: ``docs/rules.md`` in plain Python, slow and meant to be read.

It is the twin the kernels are held against: same methods, same values, same order, same errors. It
is an engine of its own (``variant(..., engine="reference")``), never a silent fallback.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import rows as r
from .encode import SCHEMES
from .rows import Row
from .rules import Rules
from .streams import Stream

Steps = tuple[tuple[int, int], ...]  # (from, die) in playing order

HEAD_DOUBLES = {"none": (), "664433": (6, 4, 3), "6644": (6, 4), "any_double": (1, 2, 3, 4, 5, 6)}
BOTH_SIDES_OFF = 0
MOTHER_POINTS = 2


class State(NamedTuple):
    """A position within a turn."""

    row: Row
    left_head: int = 0  # checkers that left 24 this turn
    hit_home: frozenset[int] = frozenset()  # home points where this turn hit


class Candidate(NamedTuple):
    """A sequence of legal steps and where it ends."""

    end: Row
    steps: Steps


# --- section 2, point 2: what one step may do -----------------------------------------------------


def is_open(rules: Rules, row: Row, point: int) -> bool:
    """Landing: empty, mine, or one free opposing checker that can be hit or pinned."""
    if row[point] >= 0:
        return True
    return rules.contact != "none" and row[point] == -1 and not r.pins(row) >> point & 1


def all_home(row: Row) -> bool:
    """All 15 are on 6-1 or off; a pinned checker counts where it stands."""
    outside = any(row[p] > 0 for p in range(r.HOME + 1, r.BAR + 1))
    return not outside and not any(p > r.HOME for p in r.pinned(row, 1))


def may_bear_off(rules: Rules, row: Row, source: int, die: int) -> bool:
    """Bearing off one checker from ``source``, which the die carries off the board."""
    mine_pinned = list(r.pinned(row, 1))
    if not all_home(row) or (rules.pinned_home_blocks_off == "yes" and mine_pinned):
        return False
    if source == die:
        return True
    above = any(row[p] > 0 for p in range(source + 1, r.HOME + 1)) or any(
        p > source for p in mine_pinned
    )
    return rules.overshoot == "rearmost" and not above


def runner_source(rules: Rules, row: Row) -> int | None:
    """Section 4: the only point a checker may move from, or None when any may."""
    if r.runner_freed(rules, row):
        return None
    return min((p for p in r.POINTS if row[p] > 0), default=None)


def position_sources(rules: Rules, row: Row, die: int) -> Iterator[int]:
    """Points with a legal step by ``die``, highest first, as far as the position alone decides."""
    runner = runner_source(rules, row)
    for source in range(r.BAR, 0, -1):
        target = source - die
        if row[source] <= 0:
            continue
        if row[r.BAR] > 0 and source != r.BAR:
            continue
        if runner is not None and source != runner:
            continue
        if target >= 1 and not is_open(rules, row, target):
            continue
        if target < 1 and not may_bear_off(rules, row, source, die):
            continue
        if rules.inside_moves == "never" and 1 <= target <= r.HOME and all_home(row):
            continue
        yield source


def move(rules: Rules, state: State, source: int, die: int) -> State:
    """The state after one step, which must be legal."""
    row, mask = list(state.row), r.pins(state.row)
    target, hit_home = source - die, state.hit_home
    row[source] -= 1
    if row[source] == 0 and source <= r.HEAD and mask >> source & 1:  # frees what it pinned
        row[source], mask = -1, mask & ~(1 << source)
    if target < 1:
        row[r.OFF] += 1
    elif row[target] >= 0:
        row[target] += 1
    else:
        row[target] = 1
        if rules.contact == "pin":
            mask |= 1 << target
        else:
            row[r.OPP_BAR] += 1
            hit_home = hit_home | {target} if target <= r.HOME else hit_home
    row[r.PIN_BYTES] = r.pin_bytes(mask)
    return State(tuple(row), state.left_head + (source == r.HEAD), hit_home)


def legal_steps(rules: Rules, state: State, die: int, head_max: int) -> Iterator[tuple[int, State]]:
    """Every legal step by ``die``: the source, highest first, and the state after it."""
    for source in position_sources(rules, state.row, die):
        if source == r.HEAD and state.left_head >= head_max:
            continue
        if (
            rules.hit_and_run_home == "forbidden"
            and source in state.hit_home
            and state.row[source] == 1
        ):
            continue
        after = move(rules, state, source, die)
        if rules.wall_test == "each_step" and breaks_wall_rule(rules, after.row):
            continue
        yield source, after


def sequences(rules: Rules, row: Row, order: Sequence[int], head_max: int) -> Iterator[Candidate]:
    """Every end of steps by the dice in this order, of every length, the empty one included.

    Each end is given once per length, with the first steps to it when higher sources are tried
    first.
    """
    level: dict[State, Steps] = {State(row): ()}
    for die in (*order, 0):
        yield from (Candidate(state.row, steps) for state, steps in level.items())
        if not die:
            return
        following: dict[State, Steps] = {}
        for state, steps in level.items():
            for source, after in legal_steps(rules, state, die, head_max):
                following.setdefault(after, (*steps, (source, die)))
        level = following


def dice_orders(dice: tuple[int, int], steps: int) -> list[tuple[int, ...]]:
    """Both orders of a mixed roll, the higher die first; the steps of a double."""
    high, low = max(dice), min(dice)
    return [(high,) * steps] if high == low else [(high, low), (low, high)]


def head_maximum(rules: Rules, row: Row, dice: tuple[int, int], steps: int) -> int:
    """Section 4: how many checkers may leave the head this turn."""
    if rules.head_limit == "none":
        return r.CHECKERS
    if row[r.HEAD] < r.CHECKERS:
        return 1
    if rules.head_exception == "when_blocked":
        orders = dice_orders(dice, steps)
        full = any(
            len(c.steps) == len(order) for order in orders for c in sequences(rules, row, order, 1)
        )
        return 1 if full else 2
    is_exception = dice[0] == dice[1] and dice[0] in HEAD_DOUBLES[rules.head_exception]
    return 2 if is_exception else 1


def candidates(rules: Rules, row: Row, dice: tuple[int, int], steps: int) -> list[Candidate]:
    """All sequences of legal steps, over every order of the dice, of every length."""
    head_max = head_maximum(rules, row, dice, steps)
    return [c for order in dice_orders(dice, steps) for c in sequences(rules, row, order, head_max)]


# --- section 2, point 3: walls --------------------------------------------------------------------


def held_by_opp_numbers(rules: Rules, row: Row) -> set[int]:
    """My points, in the numbers of the opponent's path."""
    return {r.other(p, rules.direction) for p in r.POINTS if row[p] > 0}


def walls(held: set[int]) -> list[int]:
    """Lowest point, on the opponent's path, of every six points in a row that I hold."""
    return [p for p in range(1, 20) if all(q in held for q in range(p, p + 6))]


def breaks_wall_rule(rules: Rules, row: Row) -> bool:
    """Whether the position breaks ``wall_own_quarter``, ``wall_opp_zone`` or ``wall_six``."""
    return (
        (rules.wall_own_quarter == "forbidden" and all(row[p] > 0 for p in range(19, 25)))
        or _breaks_opp_zone(rules, row)
        or _breaks_wall_six(rules, row)
    )


def _breaks_opp_zone(rules: Rules, row: Row) -> bool:
    if rules.wall_opp_zone == "not_front":
        return all(row[p] > 0 for p in range(6, 12))
    held = sum(row[p] > 0 for p in range(7, 13))
    return held > {"free": 6, "not_quarter": 5, "max4": 4}[rules.wall_opp_zone]


def _breaks_wall_six(rules: Rules, row: Row) -> bool:
    if rules.wall_six == "free":
        return False
    mine = walls(held_by_opp_numbers(rules, row))
    if not mine:
        return False
    if rules.wall_six == "needs_own_1_and_2":
        return not (row[1] > 0 and row[2] > 0)
    if rules.wall_six == "needs_enemy_ahead":
        # ahead of the wall nearest to his home: then ahead of every other one too
        his = [r.other(p, rules.direction) for p in r.POINTS if row[p] < 0]
        return not (row[r.OPP_OFF] > 0 or any(p < min(mine) for p in his))
    return True


# --- section 2, points 1 and 4: the duty to open --------------------------------------------------


def can_step(rules: Rules, row: Row) -> bool:
    """Whether the mover has a legal step with any number, walls, head and hit-and-run aside."""
    return any(True for die in range(1, 7) for _ in position_sources(rules, row, die))


def opponent_blocked(rules: Rules, row: Row) -> bool:
    """Whether the opponent is totally blocked, as ``block_trigger`` means it."""
    if rules.block_trigger == "no_number_playable":
        return not can_step(rules, r.flip(row, rules.direction))
    held = held_by_opp_numbers(rules, row)
    stack = [r.other(p, rules.direction) for p in r.POINTS if row[p] == -r.CHECKERS]
    return any(p > 6 and all(q in held for q in range(p - 6, p)) for p in stack)


# --- section 2, the six points --------------------------------------------------------------------


def legal_plays(rules: Rules, row: Row, dice: tuple[int, int], steps: int = 4) -> list[Candidate]:
    """The plays of a roll, in order; empty for a pass. The six points of section 2 in turn.

    ``steps`` is what a double is worth: fewer than four where an opponent has left the rest of a
    stage. Whether the game is over is not asked: a balancing turn is played when it is.
    """
    # 1: is the opponent totally blocked now?
    must_open = rules.total_block == "forbidden" or (
        rules.total_block == "must_open_next" and opponent_blocked(rules, row)
    )
    # 2: all sequences of legal steps
    found = [c for c in candidates(rules, row, dice, steps) if c.steps]
    # 3: no forbidden wall at the end
    found = [c for c in found if not breaks_wall_rule(rules, c.end)]
    # 4: the opponent not left totally blocked, if that can be helped
    if must_open:
        opening = [c for c in found if not opponent_blocked(rules, c.end)]
        found = opening or found
    # 5: the most dice, then the higher die
    most = max((len(c.steps) for c in found), default=0)
    found = [c for c in found if len(c.steps) == most]
    if most == 1 and dice[0] != dice[1] and rules.single_die == "higher":
        higher = [c for c in found if c.steps[0][1] == max(dice)]
        found = higher or found
    # 6: one play an end, with the steps met first
    ends: dict[Row, Steps] = {}
    for candidate in found:
        ends.setdefault(candidate.end, candidate.steps)
    plays = [Candidate(end, steps) for end, steps in ends.items()]
    if dice[0] == dice[1]:
        plays.sort(key=lambda play: sorted((p for p, _ in play.steps), reverse=True), reverse=True)
    return plays


# --- sections 6 and 7: the end of the game --------------------------------------------------------


def result(rules: Rules, row: Row) -> int | None:
    """Points of the mover when the game is over on this row, else None."""
    points = decided(rules, row)
    if points is not None:
        return points
    stuck = not can_step(rules, row) and not can_step(rules, r.flip(row, rules.direction))
    return 0 if stuck else None


def decided(rules: Rules, row: Row) -> int | None:
    """Points of the mover when checkers off or mothers end the game, else None."""
    if row[r.OFF] == r.CHECKERS and row[r.OPP_OFF] == r.CHECKERS:
        return BOTH_SIDES_OFF
    if row[r.OFF] == r.CHECKERS:
        return win_points(rules, r.flip(row, rules.direction))
    if row[r.OPP_OFF] == r.CHECKERS:
        return -win_points(rules, row)
    return mother_result(rules, row)


def win_points(rules: Rules, loser: Row) -> int:
    """What the winner gets, from the loser's view of the board."""
    if rules.score_by == "enemy_checkers_left":
        return r.CHECKERS - loser[r.OFF]
    if loser[r.OFF] > 0:
        return 1
    if rules.backgammon == "yes":
        winner_home = [r.other(p, rules.direction) for p in range(1, r.HOME + 1)]
        left_there = any(loser[p] > 0 or p in r.pinned(loser, 1) for p in winner_home)
        if left_there or loser[r.BAR] > 0:
            return 3
    return 2


def mother_result(rules: Rules, row: Row) -> int | None:
    """Section 6: points when the mothers decide, else None."""
    if rules.mother == "none":
        return None
    seen = r.flip(row, rules.direction)
    mine, his = mother_pinned(row), mother_pinned(seen)
    if mine and his:
        return 0
    if mine and mother_lost(rules, seen):
        return -MOTHER_POINTS
    if his and mother_lost(rules, row):
        return MOTHER_POINTS
    return None


def mother_pinned(row: Row) -> bool:
    """Whether the mover's last checker on 24 lies pinned there."""
    return r.HEAD in r.pinned(row, 1)


def mother_lost(rules: Rules, pinning: Row) -> bool:
    """Whether a pinned mother costs the game now; ``pinning`` is the view of the side that pins."""
    if rules.mother == "immediate":
        return True
    left_own_24 = pinning[r.HEAD] <= 0 and not mother_pinned(pinning)
    return rules.mother == "with_exception" and left_own_24


# --- races without contact (docs/races.md) --------------------------------------------------------


def is_race(rules: Rules, row: Row) -> bool:
    """Whether no checkers can meet any more: what is left of the two paths has no common point."""
    seen = r.flip(row, rules.direction)
    mine, his = _rearmost(row), _rearmost(seen)
    if not mine or not his or row[r.BAR] or row[r.OPP_BAR] or r.pins(row):
        return False
    if rules.direction == "parallel":
        return mine <= 12 and his <= 12
    return mine + his < 25


def _rearmost(row: Row) -> int:
    """The highest point where the mover has a free checker, 0 for none."""
    return max((p for p in r.POINTS if row[p] > 0), default=0)


def is_home_race(rules: Rules, row: Row) -> bool:
    """Whether it is a race with all checkers of both sides at home or off."""
    seen = r.flip(row, rules.direction)
    return is_race(rules, row) and all_home(row) and all_home(seen)


def race_fault(rules: Rules, row: Row) -> str | None:
    """What keeps a valid row from being a home race, or None."""
    if r.CHECKERS in (row[r.OFF], row[r.OPP_OFF]):
        return "the game is over"
    if row[r.BAR] or row[r.OPP_BAR]:
        return "no race: a checker is on the bar"
    if r.pins(row):
        return "no race: a checker is pinned"
    highest = _rearmost(row), _rearmost(r.flip(row, rules.direction))
    where = f"the mover's last checker is on {highest[0]}, the opponent's on his {highest[1]}"
    if not is_race(rules, row):
        return f"no race, the sides can still meet: {where}"
    if max(highest) > r.HOME:
        return f"a race, but not all checkers are on points 1 to 6 or off: {where}"
    return None


def home_rank(row: Row) -> int:
    """Rank of the mover's checkers at home among all ways to place up to 15.

    The number of ways with fewer checkers, on all six points or, where they are as many, on the
    highest five, and so on.
    """
    held = [sum(row[p] for p in range(low, r.HOME + 1)) for low in range(r.HOME, 0, -1)]
    return sum(comb(n + k, k + 1) for k, n in enumerate(held))


class RaceValues(NamedTuple):
    """What a home race is worth to the mover."""

    win: float
    win_double: float
    lose_double: float
    equity: float


def race_values(
    rules: Rules, mine: Sequence[Sequence[float]], his: Sequence[Sequence[float]]
) -> RaceValues:
    """Values from what is known of each side by itself.

    ``mine`` and ``his`` are three lists by number of turns: the chance to have all off with exactly
    so many, the same for the first checker (empty when one is off), and the checkers left after
    them on average.
    """
    (my_turns, my_first, my_left), (his_turns, his_first, his_left) = mine, his
    win = win_double = lose_double = won = lost = 0.0
    for k in range(1, len(my_turns)):
        # on his turn k the mover has had k - 1 answers, the opponent has seen k
        win += my_turns[k] * sum(his_turns[k:])
        win_double += my_turns[k] * sum(his_first[k:])
        lose_double += his_turns[k] * sum(my_first[k + 1 :])
        won += my_turns[k] * his_left[k - 1]
        lost += his_turns[k] * my_left[k]
    # in single precision all chances of a side add up to 1 only within 1e-7
    my_all, his_all = sum(my_turns), sum(his_turns)
    win = min(win / (my_all * his_all), 1.0)
    win_double /= my_all * (sum(his_first) or 1)
    lose_double /= his_all * (sum(my_first) or 1)
    equity = 2 * win - 1 + win_double - lose_double
    if rules.score_by == "enemy_checkers_left":
        equity = won / my_all - lost / his_all
    return RaceValues(win, win_double, lose_double, equity)


# --- the engine interface, over numpy arrays ------------------------------------------------------


def row_of(array: npt.NDArray[np.int8]) -> Row:
    """One packed row as a tuple of Python integers."""
    return tuple(array.tolist())


@dataclass(frozen=True)
class Engine:
    """The engine interface of ``variant.py`` over this module; arrays are checked by the caller.

    ``rows`` is int8[1 or n, 32] and ``dice`` int8[1 or n, 2]; one row or pair serves all queries.
    """

    rules: Rules

    def first_fault(self, rows: npt.NDArray[np.int8]) -> int:
        """Index of the first row that is not a position of the rules, or -1."""
        faults = (i for i, row in enumerate(rows) if r.fault(row_of(row), self.rules))
        return next(faults, -1)

    def _queries(
        self, rows: npt.NDArray[np.int8], dice: npt.NDArray[np.int8], n: int
    ) -> Iterator[tuple[Row, list[Candidate], bool]]:
        """Per query: the row, its plays, and whether the game is over on it."""
        for i in range(n):
            row = row_of(rows[i if len(rows) > 1 else 0])
            high, low = dice[i if len(dice) > 1 else 0].tolist()
            over = result(self.rules, row) is not None
            yield row, [] if over else legal_plays(self.rules, row, (high, low)), over

    def count(
        self,
        rows: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
        out: npt.NDArray[np.int64],
        keep_pass: bool = False,
    ) -> int:
        """Number of plays per query; with ``keep_pass`` a pass counts as one.

        Returns the first query whose row is not a position of the rules, where it stopped, or -1.
        """
        bad = self.first_fault(rows[: len(out)])
        sound = len(out) if bad < 0 else bad
        for i, (_, plays, over) in enumerate(self._queries(rows, dice, sound)):
            out[i] = len(plays) or int(keep_pass and not over)
        return bad

    def count_single(self, row: object, dice: object) -> int:
        """Always -1: there is no short way here, ``variant.py`` asks ``count``."""
        return -1

    def fill(
        self,
        rows: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
        offsets: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int8],
        steps: npt.NDArray[np.int8] | None,
        flipped: bool,
    ) -> None:
        """Write the ends of query i at ``offsets[i]``; a counted pass is the row itself."""
        for i, (row, plays, _) in enumerate(self._queries(rows, dice, len(offsets) - 1)):
            at, stop = int(offsets[i]), int(offsets[i + 1])
            written = plays or [Candidate(row, ())] * (stop - at)
            for k, play in enumerate(written, at):
                ends[k] = r.flip(play.end, self.rules.direction) if flipped else play.end
                if steps is not None:
                    steps[k] = [*play.steps, *[(0, 0)] * (4 - len(play.steps))]

    def flip(self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int8]) -> None:
        """Rows seen by the other player."""
        for i, row in enumerate(rows):
            out[i] = r.flip(row_of(row), self.rules.direction)

    def pips(self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int32]) -> None:
        """Pip counts of mover and opponent."""
        for i, row in enumerate(rows):
            out[i] = r.pips(row_of(row), self.rules.direction)

    def encode(self, rows: npt.NDArray[np.int8], scheme: int, out: npt.NDArray[np.float32]) -> None:
        """Features by a scheme, given as its place in ``SCHEMES``."""
        features = list(SCHEMES.values())[scheme].features
        for i, row in enumerate(rows):
            out[i] = features(self.rules, row_of(row))

    def result(
        self, rows: npt.NDArray[np.int8], over: npt.NDArray[np.int8], points: npt.NDArray[np.int8]
    ) -> None:
        """Whether the game is over, and the points of the mover."""
        for i, row in enumerate(rows):
            value = result(self.rules, row_of(row))
            over[i], points[i] = value is not None, value or 0

    def is_race(self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int8]) -> None:
        """Whether no checkers can meet any more and both sides still play."""
        for i, row in enumerate(rows):
            out[i] = is_race(self.rules, row_of(row))

    def home_ranks(self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int32]) -> int:
        """Ranks of mover and opponent in home races (``bearoff.py``).

        Returns the first row that is no home race, where it stopped, or -1.
        """
        for i, array in enumerate(rows):
            row = row_of(array)
            if r.fault(row, self.rules) or not is_home_race(self.rules, row):
                return i
            out[i] = home_rank(row), home_rank(r.flip(row, self.rules.direction))
        return -1

    def race(
        self,
        mean: npt.NDArray[np.float64],
        turns: npt.NDArray[np.float32],
        first: npt.NDArray[np.float32],
        left: npt.NDArray[np.float32],
        ranks: npt.NDArray[np.int32],
        out: npt.NDArray[np.float64],
    ) -> None:
        """Values of home races from the arrays of a ``bearoff.Table``.

        ``out`` is float64[6, n]: win, win_double, lose_double, equity, mean turns of both sides.
        """
        full = len(turns) - len(first)  # the lowest rank with all 15 on the board

        def side(rank: int) -> list[list[float]]:
            none_off = first[rank - full].tolist() if rank >= full else []
            return [turns[rank].tolist(), none_off, left[rank].tolist()]

        for i, (mine, his) in enumerate(ranks.tolist()):
            values = race_values(self.rules, side(mine), side(his))
            out[:, i] = (*values, mean[mine], mean[his])

    def perft(self, rows: npt.NDArray[np.int8], depth: int) -> int:
        """Sum of the perft counts of the rows."""
        return sum(self._perft(row_of(row), depth) for row in rows)

    def _perft(self, row: Row, depth: int) -> int:
        if depth == 0:
            return 1
        if result(self.rules, row) is not None:
            return 0
        return sum(
            self._perft(r.flip(play.end, self.rules.direction), depth - 1)
            for high in range(1, 7)
            for low in range(1, high + 1)
            for play in legal_plays(self.rules, row, (high, low)) or [Candidate(row, ())]
        )

    def sample(
        self,
        start: npt.NDArray[np.int8],
        seed: int,
        game: int,
        rows: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
    ) -> int:
        """Play game number ``game`` at random, write its decisions while there is room.

        Returns the number of decisions written.
        """
        stream, row, met = Stream(seed, game), row_of(start), 0
        while met < len(rows) and result(self.rules, row) is None:
            roll = stream.roll()
            rows[met], dice[met] = row, roll
            met += 1
            plays = legal_plays(self.rules, row, roll)
            end = plays[stream.below(len(plays))].end if plays else row
            row = r.flip(end, self.rules.direction)
        return met
