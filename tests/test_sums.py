"""Sums of games and what is estimated from them, held against plain numpy and simulations."""

from itertools import pairwise, permutations

import numpy as np
import numpy.typing as npt
import pytest

from tavli_fast.bulk.sums import (
    MAX_GAMES,
    MOST_POINTS,
    MOST_VALUE,
    QUANTUM,
    STRATA,
    Estimate,
    Floats,
    Sums,
    by_stratum,
    deviations,
    difference,
    estimate,
    plus,
    products,
    rounded,
    same,
)

RNG = np.random.default_rng

Strata = npt.NDArray[np.intp]


def summed(values: Floats, strata: Strata) -> Sums:
    """Sums of float64[c, n] values, nothing known of how they came about."""
    c = len(values)
    sums = Sums.none(c)
    for k in range(c):
        sums.strata[k] = by_stratum(values[k], strata)
        np.add.at(sums.shares[k], np.clip(np.rint(values[k]), -15, 15).astype(int) + 15, QUANTUM)
    sums.products[:] = products(values)
    return sums


# --- adding up ------------------------------------------------------------------------------------


def test_the_order_of_adding_does_not_matter() -> None:
    """Games in any order, in parts of any size, merged in any order: the same bit for bit."""
    rng = RNG(1)
    values = rng.normal(0, 5, (3, 2000)) * 10.0 ** rng.integers(-6, 1, 2000)
    strata = rng.integers(0, STRATA, 2000)
    whole = summed(values, strata)
    for _ in range(10):
        order = rng.permutation(2000)
        assert same(summed(values[:, order], strata[order]), whole)
        cuts = [0, *sorted(rng.integers(0, 2000, 4)), 2000]
        parts = [summed(values[:, order[a:b]], strata[order[a:b]]) for a, b in pairwise(cuts)]
        for way in list(permutations(parts))[:: int(rng.integers(7, 20))]:
            total = Sums.none(3)
            for part in way:
                total = plus(part, total)
            assert same(total, whole)
            assert estimate(total.strata[0, 0], True) == estimate(whole.strata[0, 0], True)
            assert difference(total, 1, 2) == difference(whole, 1, 2)
    other = plus(whole, Sums.none(3))
    other.plies[1] += 1
    assert not same(other, whole)


def test_points_lose_nothing() -> None:
    """Whole points, their squares and products are kept exactly."""
    rng = RNG(2)
    values = rng.integers(-MOST_POINTS, MOST_POINTS + 1, (2, 500)).astype(np.float64)
    strata = rng.integers(0, STRATA, 500)
    sums = summed(values, strata)
    for k in range(2):
        for stratum in range(STRATA):
            own = values[k][strata == stratum]
            expected = [len(own), own.sum() * QUANTUM, (own**2).sum() * QUANTUM]
            assert sums.strata[k, 0, :, stratum].tolist() == expected
    assert sums.products.tolist() == (values @ values.T * QUANTUM).tolist()
    assert sums.games == 500


def test_the_most_that_is_added_fits() -> None:
    """10**9 games of the largest value, their squares and products, and all other counts."""
    most = 2**63 - 1
    value = np.array([MOST_VALUE, -MOST_VALUE])
    assert int(rounded(value * value)[0]) * MAX_GAMES <= most
    assert int(-rounded(value * value[::-1])[0]) * MAX_GAMES <= most
    assert int(rounded(value)[0]) * MAX_GAMES <= most
    assert most >= QUANTUM * MAX_GAMES
    assert MOST_VALUE > MOST_POINTS


def huge(first: float, second: float) -> Sums:
    """The sums of the largest run, two candidates that gave the same in every game."""
    values = np.array([[first] * STRATA, [second] * STRATA])
    one = summed(values, np.arange(STRATA))
    times = MAX_GAMES // STRATA
    return Sums(*(array * times for array in one))


def test_figures_of_the_largest_run() -> None:
    """Nothing overflows on the way to them."""
    with np.errstate(all="raise"):
        sums = huge(MOST_VALUE, -MOST_VALUE)
        found = estimate(sums.strata[0, 0], True)
        assert found.mean == MOST_VALUE
        assert found.stderr < 1e-6
        apart = difference(sums, 0, 1)
        assert apart.mean == 2 * MOST_VALUE
        assert apart.stderr < 1e-6


# --- estimates ------------------------------------------------------------------------------------


def stratified_data(rng: np.random.Generator, rounds: int) -> tuple[Floats, Strata]:
    """Values that depend much on the stratum, and some more."""
    strata = np.tile(np.arange(STRATA), rounds)
    means = np.sin(np.arange(STRATA))
    spread = 0.1 + np.arange(STRATA) / STRATA
    return means[strata] + spread[strata] * rng.normal(size=len(strata)), strata


def test_estimates_are_those_of_plain_numpy() -> None:
    """Mean, and the standard error of a stratified and of a simple sample."""
    values, strata = stratified_data(RNG(3), 12)
    sums = by_stratum(values, strata)
    plain = estimate(sums, False)
    assert np.isclose(plain.mean, values.mean(), atol=1e-6)
    assert np.isclose(plain.stderr, values.std(ddof=1) / np.sqrt(len(values)), rtol=1e-5)
    within = [values[strata == k].var(ddof=1) / 12 for k in range(STRATA)]
    dealt = estimate(sums, True)
    assert dealt.mean == plain.mean
    assert np.isclose(dealt.stderr, np.sqrt(np.sum(within)) / STRATA, rtol=1e-5)
    assert dealt.stderr < 0.8 * plain.stderr


def test_one_game_in_a_stratum_tells_nothing_of_its_spread() -> None:
    """Then all is counted; a single game has no standard error at all."""
    values, strata = stratified_data(RNG(4), 2)
    few = by_stratum(values[:71], strata[:71])
    assert estimate(few, True) == estimate(few, False)
    enough = by_stratum(values, strata)
    assert estimate(enough, True).stderr < estimate(enough, False).stderr
    one = estimate(by_stratum(values[:1], strata[:1]), True)
    assert np.isclose(one.mean, values[0], atol=1e-6)
    assert np.isnan(one.stderr)
    sums = summed(values[None, :1], strata[:1])
    assert np.isnan(difference(sums, 0, 0).stderr)


@pytest.mark.parametrize("games", [36 * 20, 36 * 20 + 18, 36 * 2 + 9, 36 * 3 - 1])
@pytest.mark.parametrize("spread", [1.0, 0.05, 0.0])
def test_intervals_of_stratified_samples_cover(games: int, spread: float) -> None:
    """Rounds of 36 in a random order, the last one broken off: the reported error is the true one.

    With little spread within the strata nearly all is left to which of them come once more.
    """
    rng = RNG(5)
    means = np.sin(np.arange(STRATA)) * 2
    truth, runs = means.mean(), 1500
    errors, stderrs = np.empty(runs), np.empty(runs)
    for k in range(runs):
        order = rng.permutation(STRATA)
        strata = order[np.arange(games) % STRATA]
        values = means[strata] + spread * rng.normal(size=games)
        found = estimate(by_stratum(values, strata), True)
        errors[k], stderrs[k] = found.mean - truth, found.stderr
    # of few games in each stratum the error is estimated loosely, and too large rather than not
    assert np.sqrt((errors**2).mean()) < 1.06 * np.sqrt((stderrs**2).mean()) + 2**-20
    if games > 36 * 3:
        assert np.sqrt((errors**2).mean()) > 0.9 * np.sqrt((stderrs**2).mean()) - 3e-5
    covered = (np.abs(errors) <= 1.96 * stderrs + 2**-20).mean()
    assert covered > 0.93


def test_intervals_of_simple_samples_cover() -> None:
    rng = RNG(6)
    covered = 0
    for _ in range(1000):
        values = rng.integers(-2, 3, 150).astype(np.float64)
        low, high = estimate(by_stratum(values, rng.integers(0, 36, 150)), False).interval(0.9)
        covered += low <= 0 <= high
    assert abs(covered - 900) < 4 * np.sqrt(1000 * 0.9 * 0.1)


def test_values_that_never_vary_have_no_error() -> None:
    """Rounding never makes a variance negative."""
    for value in (0.0, 1.0, -1 / 3, 1e-7, MOST_VALUE):
        sums = by_stratum(np.full(7200, value), np.arange(7200) % STRATA)
        for stratified in (True, False):
            found = estimate(sums, stratified)
            assert abs(found.mean - value) <= 2**-21
            assert 0 <= found.stderr < 2e-5 * max(1.0, abs(value))


def test_differences_are_those_of_pairs() -> None:
    """Mean and standard error of the differences game by game."""
    rng = RNG(7)
    common = rng.normal(0, 3, 4000)
    values = np.stack([common + rng.normal(0, s, 4000) for s in (0.1, 0.2, 2)])
    sums = summed(values, rng.integers(0, STRATA, 4000))
    sums.strata[:, 0, 1] = -99  # values as played are not what is compared
    for one in range(3):
        for other in range(3):
            apart = values[one] - values[other]
            found = difference(sums, one, other)
            assert np.isclose(found.mean, apart.mean(), atol=1e-6)
            assert np.isclose(found.stderr, apart.std(ddof=1) / np.sqrt(4000), atol=1e-5)
    assert difference(sums, 2, 2) == (0, 0)
    single = estimate(sums.strata[0, 1], False).stderr
    assert difference(sums, 0, 1).stderr < single / 5


# --- the normal distribution ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("confidence", "expected"),
    [(0.5, 0.6744898), (0.6826895, 1.0), (0.95, 1.959964), (0.99, 2.5758293), (0.999, 3.2905267)],
)
def test_deviations(confidence: float, expected: float) -> None:
    assert abs(deviations(confidence) - expected) < 1e-6
    low, high = Estimate(1.0, 0.5).interval(confidence)
    assert np.isclose([low, high], [1 - expected / 2, 1 + expected / 2], atol=1e-6).all()


def test_confidence_lies_between_0_and_1() -> None:
    for confidence in (0, 1, -0.5, 95, float("nan")):
        with pytest.raises(ValueError, match="between 0 and 1"):
            Estimate(0, 1).interval(confidence)
    assert 0 < deviations(1e-9) < 1e-8
    assert deviations(1 - 1e-12) > 7


def test_sums_of_no_games() -> None:
    none = Sums.none(3)
    assert none.games == 0
    assert all(not array.any() for array in none)
    assert none.strata.shape == (3, 2, 3, STRATA)
    assert same(plus(none, none), none)
