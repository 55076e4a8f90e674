"""The greedy baseline: pip counts, and what a checker is worth beyond them.

A score adds up over the counts and the pins of a row, in sixteenths of a pip, so that the kernels
can compare plays by table look-ups in whole numbers. Scores of the two views of a position add up
to 0: the policy is the same for both players and does not see who is on turn.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from . import rows as r
from .rules import Rules

Weights = npt.NDArray[np.int32]  # [28 + 2, 32]: by byte and count + 16; by pin and point

PIP = 16
LEVEL = 16  # where a count of 0 stands
BAR_PIPS = 25
OFF = 3.0  # a checker off is out of the way of the others

# In pips, for the owner's free checkers on one of his own points. Found by trial: each group is
# better in self-play than what it was tried from.
Worth = Callable[[int, int], float]


def _hit(point: int, count: int) -> float:
    """A blot may cost its way; a made point holds the opponent up, most in and before home."""
    if count == 1:
        return -0.12 * (BAR_PIPS - point)
    made = 3.0 if 3 <= point <= 8 else 1.5
    return made - 0.8 * max(count - 3, 0)


def _pin(point: int, count: int) -> float:
    """A blot may be pinned where it has far to go; on 24 the mother may cost the game."""
    if count == 1:
        return -12.0 if point == r.HEAD else -0.25 * point
    return 2.5 - 0.3 * max(count - 3, 0)


def _block(point: int, count: int) -> float:
    """Every point held blocks, most of all those in front of the opponent's start."""
    held = 4.0 if 7 <= point <= 18 else 2.0
    return held - 0.3 * max(count - 2, 0)


WORTH: dict[str, Worth] = {"hit": _hit, "pin": _pin, "none": _block}


def _trapped(point: int) -> float:
    """What it is worth to pin a checker that has so many pips to go; the mother is worth most."""
    return 45.0 if point == r.HEAD else 4.0 + 0.9 * point


@lru_cache(maxsize=64)
def weights(rules: Rules) -> Weights:
    """The table of scores, read-only."""
    table = np.zeros((r.PIN_BYTES.start + 2, 32), dtype=np.int32)
    worth = WORTH[rules.contact]
    for point in r.POINTS:
        his = r.other(point, rules.direction)
        for count in range(1, r.CHECKERS + 1):
            table[point, LEVEL + count] += round(PIP * (worth(point, count) - point * count))
            table[point, LEVEL - count] -= round(PIP * (worth(his, count) - his * count))
        table[r.PIN_BYTES.start, point] = round(PIP * (_trapped(his) + his))
        table[r.PIN_BYTES.start + 1, point] = -round(PIP * (_trapped(point) + point))
    for count in range(1, r.CHECKERS + 1):
        table[r.BAR, LEVEL + count] = -PIP * BAR_PIPS * count
        table[r.OPP_BAR, LEVEL + count] = PIP * BAR_PIPS * count
        table[r.OFF, LEVEL + count] = round(PIP * OFF * count)
        table[r.OPP_OFF, LEVEL + count] = -round(PIP * OFF * count)
    table.flags.writeable = False
    return table


def equity(scores: npt.NDArray[np.int32], pips: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Rough equities of scores: a lead counts for more the less is left to be thrown.

    The difference of two races of p pips in all deviates by 1.5 * sqrt(p): a roll has 8.17 pips
    with a variance of 18.8.
    """
    lead = scores / (PIP * 1.5 * np.sqrt(pips.sum(axis=1) + 8.0))
    equities: npt.NDArray[np.float64] = np.tanh(0.8 * lead)
    return equities
