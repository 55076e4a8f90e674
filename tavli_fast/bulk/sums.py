"""Sums over games that are the same in whatever order they are added, and what follows from them.

Values are rounded to millionths (2**-20 of a point) and added as whole numbers: addition is exact
then, so that threads, processes and merged parts give the same result bit for bit. Points are whole
and lose nothing.
"""

from math import isnan
from statistics import NormalDist
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

QUANTUM = 1 << 20
STRATA = 36  # pairs of first dice
MOST_POINTS = 15
MOST_VALUE = 90.0  # 10**9 squares of it still fit into 63 bits
MAX_GAMES = 10**9

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Sums(NamedTuple):
    """What a number of games gave, for one or several candidates that met the same dice.

    Attributes
    ----------
    strata : int64[c, 2, 3, 36]
        By candidate, value (as played, with luck taken off) and first roll: games, sum, sum of
        squares.
    products : int64[c, c]
        Sums of products of the values of two candidates in the same games, luck taken off.
    shares : int64[c, 31]
        Games by points from -15 to 15, in 2**-20; one whose value was looked up is spread over
        several.
    wins : int64[c, 2]
        Games won and lost, in 2**-20.
    truncated, looked_up, plies : int64[c]
        Games stopped by the limit, games ended by a table, and rolls thrown.
    """

    strata: Ints
    products: Ints
    shares: Ints
    wins: Ints
    truncated: Ints
    looked_up: Ints
    plies: Ints

    @classmethod
    def none(cls, candidates: int) -> Self:
        """The sums of no games."""
        c = candidates
        shapes = (c, 2, 3, STRATA), (c, c), (c, 2 * MOST_POINTS + 1), (c, 2), (c,), (c,), (c,)
        return cls(*(np.zeros(shape, dtype=np.int64) for shape in shapes))

    def holds(self, games: int) -> bool:
        """Whether they can be sums of so many games."""
        counts = self.strata[:, :, 0]
        return bool((counts >= 0).all() and (counts.sum(axis=2) == games).all())

    @property
    def games(self) -> int:
        """How many games each candidate played."""
        return int(self.strata[0, 0, 0].sum())


AnySums = TypeVar("AnySums", bound=tuple[Ints, ...])


def plus(a: AnySums, b: AnySums) -> AnySums:
    """The sums of both, field by field."""
    return type(a)(*(x + y for x, y in zip(a, b, strict=True)))


def by_name(sums: AnySums) -> dict[str, Ints]:
    """The fields, which all sums have as named tuples."""
    fields: dict[str, Ints] = sums._asdict()  # type: ignore[attr-defined]
    return fields


def same(a: AnySums, b: AnySums) -> bool:
    """Whether all fields are equal."""
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def rounded(values: Floats) -> Ints:
    """Values, or products of two, as whole numbers."""
    return np.rint(values * QUANTUM).astype(np.int64)


def by_points(points: npt.NDArray[np.integer[Any]]) -> Ints:
    """Games by points from -15 to 15: int64[31]."""
    return np.bincount(points + MOST_POINTS, minlength=2 * MOST_POINTS + 1)


def shares_of(counts: Ints) -> dict[int, float]:
    """Shares of all that is counted, by points; what does not occur is left out."""
    total = int(counts.sum())
    return {int(i) - MOST_POINTS: int(counts[i]) / total for i in np.flatnonzero(counts)}


def by_stratum(values: Floats, strata: npt.NDArray[np.intp]) -> Ints:
    """Games, sums and sums of squares by first roll: int64[3, 36]."""
    return np.stack(
        [
            np.bincount(strata, minlength=STRATA),
            _added(rounded(values), strata),
            _added(rounded(values * values), strata),
        ]
    )


def _added(numbers: Ints, strata: npt.NDArray[np.intp]) -> Ints:
    """Sums by stratum; doubles add whole numbers exactly up to 2**53, far above a block's."""
    return np.bincount(strata, weights=numbers, minlength=STRATA).astype(np.int64)


def products(values: Floats) -> Ints:
    """Sums of products of float64[c, n] over the games: int64[c, c]."""
    c = len(values)
    out = np.empty((c, c), dtype=np.int64)
    for k in range(c):
        out[k, : k + 1] = out[: k + 1, k] = rounded(values[: k + 1] * values[k]).sum(axis=1)
    return out


class Estimate(NamedTuple):
    """A mean with its standard error.

    Attributes
    ----------
    mean, stderr : float
        ``stderr`` is NaN for a single game.
    """

    mean: float
    stderr: float

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The normal confidence interval.

        Examples
        --------
        >>> from tavli_fast.bulk.sums import Estimate
        >>> low, high = Estimate(0.5, 0.1).interval(0.95)
        >>> round(low, 3), round(high, 3)
        (0.304, 0.696)
        """
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must lie between 0 and 1, got {confidence!r}")
        reach = deviations(confidence) * self.stderr
        return self.mean - reach, self.mean + reach


def deviations(confidence: float) -> float:
    """Within how many standard deviations a normal number lies with this probability."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def or_none(value: float) -> float | None:
    """A number for JSON, which knows no NaN."""
    return None if isnan(value) else value


def estimate(strata: Ints, stratified: bool) -> Estimate:
    """Mean and standard error of int64[3, 36].

    Of stratified games only what they vary within a first roll is left to chance, and which first
    rolls come once more than others where 36 do not divide the games. With fewer than two games of
    some roll that cannot be told, and all of it is counted.
    """
    games, total, squares = strata.astype(np.float64)
    n = games.sum()
    mean = float(total.sum() / n / QUANTUM)
    if n < 2:
        return Estimate(mean, float("nan"))
    if stratified and games.min() >= 2:
        within = squares / QUANTUM - (total / QUANTUM) ** 2 / games
        variances = np.maximum(within, 0) / (games - 1)
        more = int((games > games.min()).sum())
        # the variance of a sum of so many of the 36 means, drawn without putting back
        drawn = more * (STRATA - more) / STRATA * (total / games / QUANTUM).var(ddof=1)
        return Estimate(mean, float(np.sqrt((games * variances).sum() + drawn) / n))
    spread = max(squares.sum() / QUANTUM - n * mean * mean, 0.0)
    return Estimate(mean, float(np.sqrt(spread / (n - 1) / n)))


def difference(sums: Sums, better: int, other: int) -> Estimate:
    """How much better one candidate did than another in the same games."""
    n = sums.games
    means = sums.strata[:, 1, 1].sum(axis=1) / (QUANTUM * n)
    mean = float(means[better] - means[other])
    if n < 2:
        return Estimate(mean, float("nan"))
    # four products together may not fit into 63 bits
    both, one, two = (int(sums.products[k]) for k in ((better, other), (better,) * 2, (other,) * 2))
    square = (one + two - 2 * both) / QUANTUM
    return Estimate(mean, float(np.sqrt(max(square - n * mean * mean, 0.0) / (n - 1) / n)))
