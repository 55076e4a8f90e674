"""Random positions of any rules, built checker by checker or met in play; for tests only.

Everything is drawn from a ``random.Random``, so a seed is all that is needed to see one again.
"""

from collections.abc import Iterator
from random import Random

import numpy as np
import numpy.typing as npt

import tavli_fast as tavli
from tavli_fast.rules.presets import PRESETS
from tavli_fast.rules.switches import SWITCHES, Rules, Value

Row = tuple[int, ...]
Roll = tuple[int, int]

CHECKERS = 15
BAR, OFF, OPP_BAR, OPP_OFF = 25, 26, 0, 27


def other(point: int, direction: str) -> int:
    """The number the other player gives to a point."""
    if direction == "contrary":
        return 25 - point
    return point + 12 if point <= 12 else point - 12


def pin_mask(row: Row | list[int]) -> int:
    """The pin mask of a row as one number."""
    return sum((row[28 + byte] & 0xFF) << 8 * byte for byte in range(4))


def with_pins(row: list[int], mask: int) -> Row:
    """A row of 28 counts with its pin mask behind it."""
    return (*row[:28], *np.array([mask], dtype="<u4").view(np.int8).tolist())


def as_array(row: Row) -> npt.NDArray[np.int8]:
    """A row as the array that the package takes."""
    return np.array(row, dtype=np.int8)


def as_row(array: npt.NDArray[np.int8]) -> Row:
    """A row as a tuple of plain integers."""
    return tuple(array.tolist())


def random_roll(rng: Random) -> Roll:
    """Two dice."""
    return rng.randint(1, 6), rng.randint(1, 6)


# --- rules ----------------------------------------------------------------------------------------


def random_switches(rng: Random, preset: str) -> dict[str, Value]:
    """Switches that go with a preset and with each other."""
    while True:
        switches = {
            name: rng.choice(list(switch.values))
            for name, switch in SWITCHES.items()
            if rng.random() < 0.2
        }
        try:
            tavli.variant(preset, engine="reference", **switches)
        except tavli.RuleConflict:
            continue
        return switches


def random_rules(rng: Random) -> tuple[str, dict[str, Value]]:
    """A preset, and for half of them switches that replace its own."""
    preset = rng.choice(list(PRESETS))
    return preset, random_switches(rng, preset) if rng.random() < 0.5 else {}


# --- constructed rows -----------------------------------------------------------------------------


class Board:
    """A row in the making; points are those of the side that places a checker (+1, -1)."""

    def __init__(self, rng: Random, rules: Rules) -> None:
        self.rng = rng
        self.rules = rules
        self.counts = [0] * 28
        self.mask = 0
        self.left = {1: CHECKERS, -1: CHECKERS}

    def put(self, side: int, point: int) -> bool:
        """Place one checker, on top of or underneath a lone opposing one where pins exist."""
        if not self.left[side]:
            return False
        p = point if side > 0 else other(point, self.rules.direction)
        bit = 1 << p
        if self.counts[p] * side >= 0:
            self.counts[p] += side
        elif self.rules.contact != "pin" or self.mask & bit:
            return False
        else:
            self.mask |= bit
            if self.counts[p] == -side and self.rng.random() < 0.5:
                self.counts[p] = side
        self.left[side] -= 1
        return True

    def put_aside(self, side: int, own_byte: int, opp_byte: int, checkers: int) -> None:
        """Place checkers on the bar or off the board."""
        checkers = min(checkers, self.left[side])
        self.counts[own_byte if side > 0 else opp_byte] += checkers
        self.left[side] -= checkers

    def put_rest(self, side: int, points: list[int]) -> None:
        """Place what is left on these points, and on any other when they are not enough."""
        for _ in range(4 * CHECKERS):
            self.put(side, self.rng.choice(points))
        while self.left[side]:
            self.put(side, self.rng.randint(1, 24))

    def row(self) -> Row:
        """The finished row."""
        return with_pins(self.counts, self.mask)


def _points_of_shape(rng: Random) -> list[int]:
    """Points for the checkers of a side that have no other task."""
    low, high = rng.choice(
        [(1, 24), (1, 24), (1, 24), (1, 6), (1, 7), (1, 9), (7, 12), (6, 18), (13, 24), (19, 24)]
    )
    number = rng.choice([1, 2, 3, 5, 8, 15])
    points = [rng.randint(low, high) for _ in range(number)]
    return points + [24] * rng.choice([0, 0, 0, 1, 5])


def _wall_points(rng: Random, rules: Rules) -> list[int]:
    """Four to seven points in a row on the opponent's path, perhaps with a gap, own numbers."""
    length = rng.choice([4, 5, 5, 6, 6, 6, 7])
    # in a parallel game 7, 19 and 18 make the walls 24-19, 12-7 and 11-6 of the own numbering
    lowest = rng.choice([rng.randint(1, 25 - length), rng.randint(1, 25 - length), 7, 18, 19])
    seen = range(lowest, min(lowest + length, 25))
    points = [other(p, rules.direction) for p in seen]
    if rng.random() < 0.3:
        points.remove(rng.choice(points))
    return points


def _fill(rng: Random, rules: Rules, board: Board, side: int) -> None:
    """Place all checkers of a side that are not yet on the board."""
    if rng.random() < 0.35:
        off = rng.choice([1, 2, 5, 10, 12, 13, 14, 14, CHECKERS])
        board.put_aside(side, OFF, OPP_OFF, off)
    if rules.contact == "hit" and rng.random() < 0.3:
        board.put_aside(side, BAR, OPP_BAR, rng.choice([1, 1, 1, 2, 3, 5]))
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        for point in _wall_points(rng, rules):
            board.put(side, point)
    board.put_rest(side, _points_of_shape(rng))


def _put_behind_wall(rng: Random, rules: Rules, board: Board, side: int) -> None:
    """All 15 of a side on one point, the other side on most of the points in front of it."""
    point = rng.choice([24, 24, 7, rng.randint(6, 24)])
    for _ in range(CHECKERS):
        board.put(side, point)
    length = rng.choice([5, 6, 6, 6, 7])
    for ahead in range(point - 1, max(point - 1 - length, 0), -1):
        if rng.random() < 0.93:
            board.put(-side, other(ahead, rules.direction))


def _put_mother(rng: Random, rules: Rules, board: Board, side: int) -> None:
    """The last checker of a side on its 24 with an opposing one on the same point."""
    board.put(side, 24)
    board.put(-side, other(24, rules.direction))


def constructed(rng: Random, rules: Rules) -> Row:
    """A row that is valid for the rules, met in play or not.

    Stacks, blots, walls and walls with a gap, both sides off and on the bar, pins and mothers,
    races, 15 checkers behind a wall, last checkers, now and then a finished game.
    """
    board = Board(rng, rules)
    sides = rng.choice([(1, -1), (-1, 1)])
    special = rng.random()
    if special < 0.12:
        _put_behind_wall(rng, rules, board, sides[0])
    elif special < 0.24 and rules.contact == "pin":
        for side in sides[: rng.choice([1, 1, 2])]:
            _put_mother(rng, rules, board, side)
    for side in sides:
        _fill(rng, rules, board, side)
    return board.row()


# --- rows met in play -----------------------------------------------------------------------------


def play_line(rng: Random, variant: tavli.Variant) -> Iterator[tuple[Row, Roll]]:
    """Positions and rolls of random games, passes included, without end."""
    row = variant.start_row()
    while True:
        roll = random_roll(rng)
        if variant.result(row).over:
            row = variant.start_row()
        yield as_row(row), roll
        ends = variant.plays(row, roll, keep_pass=True, flipped=True).rows
        row = ends[rng.randrange(len(ends))]


def played(rng: Random, variant: tavli.Variant) -> Row:
    """A position of a random game, anywhere between its start and its end."""
    line = play_line(rng, variant)
    for _ in range(rng.randrange(150)):
        next(line)
    return next(line)[0]


def random_row(rng: Random, variant: tavli.Variant) -> Row:
    """Constructed or met in play, one as likely as the other."""
    return constructed(rng, variant.rules) if rng.random() < 0.5 else played(rng, variant)
