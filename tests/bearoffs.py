"""Bearing off by plain recursion over exact fractions, and rows of sides at home; for tests only.

Plays are asked of the reference engine, one row at a time; nothing else of the package is used.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

from positions import OFF, OPP_OFF, Row, other

from tavli_fast.engine.reference import play_rules
from tavli_fast.rules.switches import Rules

Side = tuple[int, ...]  # checkers on points 1 to 6
Chances = Mapping[Side, Fraction]

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
EMPTY: Side = (0,) * 6


def sides(most: int) -> list[Side]:
    """Every way to place so many checkers or fewer, in no order that means anything."""
    return [
        tuple(points.count(p) for p in range(1, 7))
        for checkers in range(most + 1)
        for points in combinations_with_replacement(range(1, 7), checkers)
    ]


def weight(roll: tuple[int, int]) -> Fraction:
    """Chance of a roll, its dice in any order."""
    return Fraction(1 if roll[0] == roll[1] else 2, 36)


def row_of_sides(mine: Side, his: Side, direction: str) -> Row:
    """The row of two sides at home, the rest of both borne off."""
    row = [0] * 32
    for p in range(1, 7):
        row[p] += mine[p - 1]
        row[other(p, direction)] -= his[p - 1]
    row[OFF], row[OPP_OFF] = 15 - sum(mine), 15 - sum(his)
    return tuple(row)


def order(side: Side) -> tuple[int, ...]:
    """Sides in the order of their ranks: by all checkers, then by those above point 1, and on."""
    return tuple(sum(side[p:]) for p in range(6))


class Alone:
    """One side under best play for the mean number of turns, lowest rank among equals."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.cascade = rules.doubles == "cascade"
        self.mean = cache(self._mean)
        self.turn = cache(self._turn)
        self.after = cache(self._after)

    @cache  # noqa: B019 - lives as long as a test
    def ends(self, side: Side, roll: tuple[int, int]) -> list[tuple[Side, int]]:
        """Ends of the plays of a roll, or of a stage, with the number of steps."""
        row = row_of_sides(side, (15, 0, 0, 0, 0, 0), self.rules.direction)
        plays = play_rules.legal_plays(self.rules, row, roll)
        return [(play.end[1:7], len(play.steps)) for play in plays]

    def _turn(self, side: Side, roll: tuple[int, int]) -> Side:
        """The side after the best play of a roll, a cascade to its end; itself for a pass."""
        return min(
            (self._onwards(end, roll, steps) for end, steps in self.ends(side, roll)),
            key=lambda end: (self.mean(end), order(end)),
            default=side,
        )

    def _onwards(self, end: Side, roll: tuple[int, int], steps: int) -> Side:
        goes_on = self.cascade and roll[0] == roll[1] < 6 and steps == 4
        return self.turn(end, (roll[0] + 1,) * 2) if goes_on else end

    def _mean(self, side: Side) -> Fraction:
        if side == EMPTY:
            return Fraction(0)
        passes = [roll for roll in ROLLS if not self.ends(side, roll)]
        total = sum(
            (
                weight(roll) * self.mean(self.turn(side, roll))
                for roll in ROLLS
                if roll not in passes
            ),
            Fraction(1),
        )
        return total / (1 - sum(map(weight, passes)))

    def _after(self, side: Side, turns: int) -> Chances:
        """Where the side stands after so many turns."""
        if turns == 0:
            return {side: Fraction(1)}
        found: dict[Side, Fraction] = {}
        for before, chance in self.after(side, turns - 1).items():
            for roll in ROLLS:
                end = self.turn(before, roll)
                found[end] = found.get(end, Fraction(0)) + chance * weight(roll)
        return found


def two_sided(rules: Rules, most: int) -> dict[tuple[Side, Side], Fraction]:
    """Equity of the mover for all pairs of sides with so many checkers, best play of both."""
    known: dict[tuple[Side, Side], Fraction] = {}
    alone = Alone(rules)
    inside = [side for side in sorted(sides(most), key=order) if side != EMPTY]
    for side in inside:
        known[EMPTY, side], known[side, EMPTY] = Fraction(1), Fraction(-1)

    def rolled(mine: Side, his: Side) -> tuple[Fraction, Fraction]:
        """What the rolls with plays give, and the chance of a pass."""
        total = passes = Fraction(0)
        for roll in ROLLS:
            ends = alone.ends(mine, roll)
            if ends:
                total += weight(roll) * max(-known[his, end] for end, _ in ends)
            else:
                passes += weight(roll)
        return total, passes

    for mine, his in _pairs(inside):
        (a, p), (b, q) = rolled(mine, his), rolled(his, mine)
        # x = a - p y and y = b - q x
        known[mine, his] = (a - p * b) / (1 - p * q)
        known[his, mine] = b - q * known[mine, his]
    return known


def _pairs(ranked: list[Side]) -> Iterator[tuple[Side, Side]]:
    """Every pair once, after those that a play of either side leads to."""
    for total in range(2 * len(ranked) - 1):
        for i in range(len(ranked)):
            if i <= total - i < len(ranked):
                yield ranked[i], ranked[total - i]
