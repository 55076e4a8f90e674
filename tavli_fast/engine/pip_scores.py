"""The greedy baseline: pip counts, and what a checker is worth beyond them.

A score adds up over the counts and the pins of a row, in sixteenths of a pip, so that the kernels
can compare plays by table look-ups in whole numbers. Scores of the two views of a position add up
to 0: the policy is the same for both players and does not see who is on turn.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..rules import rows as r
from ..rules.switches import Rules

Weights = npt.NDArray[np.int32]  # [2 * 28 + 2, 32]: by byte and count + 16; by pin and point

PIP = 16
LEVEL = 16  # where a count of 0 stands
BAR_PIPS = 25


class Worth(NamedTuple):
    """What checkers are worth beyond their pips, in pips.

    Attributes
    ----------
    held : tuple of float
        A point held, by three points from 1-3 to 22-24; where contact is, by two checkers.
    head : float
        The start corner held.
    stack : float
        Taken off for each checker above ``high``.
    high : int
    off : float
        A checker off is out of the way of the others.
    most, steep : float
        How scores become points; fitted to what 3,000 games of self-play gave. Those of the rules
        serve in races too.
    blot, blot_far : float
        Taken off for a lone checker, for each pip from 25 down to it and for each pip it has to go.
    mother : float
        Taken off for the last checker on 24.
    pinned, pinned_far, pinned_mother : float
        An opposing checker pinned, for each pip it has to go, and the mother.
    """

    held: tuple[float, ...]
    head: float
    stack: float
    high: int
    off: float
    most: float = 0.0
    steep: float = 0.0
    blot: float = 0.0
    blot_far: float = 0.0
    mother: float = 0.0
    pinned: float = 0.0
    pinned_far: float = 0.0
    pinned_mother: float = 0.0

    def of(self, point: int, count: int, contact: bool) -> float:
        """Free checkers on one of their owner's points."""
        if contact and count == 1:
            if point == r.HEAD and self.mother:
                return -self.mother
            return -self.blot * (BAR_PIPS - point) - self.blot_far * point
        held = self.head if point == r.HEAD else self.held[(point - 1) // 3]
        return held - self.stack * max(count - self.high, 0)

    def of_pinned(self, point: int) -> float:
        """A checker that one pins, by the number its owner gives to the point."""
        return self.pinned_mother if point == r.HEAD else self.pinned + self.pinned_far * point


# Found by hill climbing in duels by duplicate dice, each step by two standard errors; gains over
# the first guesses, in points a game: 0.2 in Portes, 0.7 in Plakoto and Fevga, 0.6 in Narde.
HIT = Worth((4.2, 4.2, 1.6, 1.6, 1.2, 1.2, 0.2, 0.2), 0.2, 0.8, 3, 1.5, 2.0, 0.15, blot=0.12)
PIN = Worth(
    (2.5, 2.5, 2.5, 2.5, 5.8, 5.8, 0.2, 0.2),
    0.2,
    2.3,
    3,
    14.6,
    1.8,
    0.11,
    blot_far=0.08,
    mother=67.5,
    pinned=5.8,
    pinned_far=0.82,
    pinned_mother=90.0,
)
RUNNER = Worth((0.4, 10.4, 0.2, 0.4, 3.8, 4.0, 2.0, 2.0), 1.3, 0.5, 2, 1.7, 1.5, 0.13)
ONE_FROM_HEAD = Worth((0.3, 3.0, 2.8, 2.4, 1.4, 4.0, 2.2, 2.0), 1.1, 2.6, 2, 3.9, 1.3, 0.5)
CONTRARY = Worth((0.0, 1.4, 0.1, 10.5, 6.6, 4.0, 3.0, 1.0), 1.3, 0.3, 2, 11.4, 12.0, 0.3)
# without contact a checker off is all that counts beside pips, and gaps at home cost a little
RACE = Worth((0.3, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0, 0.1, 2, 6.0)


def worth_by(rules: Rules) -> Worth:
    """The weights that suit the rules best."""
    if rules.contact != "none":
        return HIT if rules.contact == "hit" else PIN
    if rules.direction == "contrary":
        return CONTRARY
    return RUNNER if rules.head_limit == "none" else ONE_FROM_HEAD


@lru_cache(maxsize=64)
def weights(rules: Rules) -> Weights:
    """The tables of scores, read-only: counts with contact, counts in a race, pins."""
    worth, counted = worth_by(rules), r.PIN_BYTES.start
    table = np.zeros((2 * counted + 2, 32), dtype=np.int32)
    _fill(table[:counted], rules, worth, rules.contact != "none")
    _fill(table[counted : 2 * counted], rules, RACE, False)
    for point in r.POINTS:
        his = r.other(point, rules.direction)
        table[2 * counted, point] = round(PIP * (worth.of_pinned(his) + his))
        table[2 * counted + 1, point] = -round(PIP * (worth.of_pinned(point) + point))
    table.flags.writeable = False
    return table


def _fill(table: Weights, rules: Rules, worth: Worth, contact: bool) -> None:
    """Scores by byte and count."""
    for count in range(1, r.CHECKERS + 1):
        for point in r.POINTS:
            his = r.other(point, rules.direction)
            own, opp = (worth.of(p, count, contact) - p * count for p in (point, his))
            table[point, LEVEL + count] += round(PIP * own)
            table[point, LEVEL - count] -= round(PIP * opp)
        table[r.BAR, LEVEL + count] = -PIP * BAR_PIPS * count
        table[r.OPP_BAR, LEVEL + count] = PIP * BAR_PIPS * count
        table[r.OFF, LEVEL + count] = round(PIP * worth.off * count)
        table[r.OPP_OFF, LEVEL + count] = -round(PIP * worth.off * count)


def equity(
    rules: Rules, scores: npt.NDArray[np.int32], pips: npt.NDArray[np.int32]
) -> npt.NDArray[np.float64]:
    """Rough equities of scores: a lead counts for more the less is left to be thrown.

    How far two races of p pips in all drift apart grows with the square root of p.
    """
    worth = worth_by(rules)
    lead = scores / (PIP * np.sqrt(pips.sum(axis=1) + 8.0))
    equities: npt.NDArray[np.float64] = worth.most * np.tanh(worth.steep * lead)
    return equities
