"""Races in rollouts: looked up instead of played."""

from random import Random

import numpy as np
import pytest
from test_live import LASTING, Bulk

import tavli_fast as tavli
from tavli_fast.engine import pip_scores
from tavli_fast.engine.game_records import OVER, PIPS, RACE, RANDOM

GAMES = ["portes", "plakoto", "fevga", "backgammon", "gul_bara", "tawla31"]


@pytest.mark.parametrize("name", GAMES)
def test_looking_up_gives_the_same_with_fewer_plies(name: str) -> None:
    """By the same dice, within the error of the difference."""
    start = tavli.variant(name).start()
    run = {"games": 4 * 1296, "seed": 3, "policy": "pips"}
    played, found = (tavli.rollout(start, **run, races=races) for races in (False, True))
    assert found.plies < played.plies - 2
    assert found.looked_up > 0.4 * found.games
    assert found.looked_up + found.truncated <= found.games
    both = np.hypot(found.stderr, played.stderr)
    assert abs(found.equity - played.equity) < 4 * both
    assert abs(found.win - played.win) < 4 * np.sqrt(0.5 / found.games)
    assert found.win + found.lose == pytest.approx(1, abs=0.01)


def test_a_race_is_looked_up_at_once() -> None:
    """No ply, no error, and the shares are those of the table."""
    pos = tavli.Position.parse("portes", own="6*5 5*5 4*5", opp="24*5 20*5 19*5")
    exact = pos.race()
    found = tavli.rollout(pos, games=1296, seed=1, races=True)
    assert (found.plies, found.looked_up) == (0, 1296)
    assert found.stderr < 1e-4  # values are rounded to millionths
    assert found.equity == pytest.approx(exact.equity, abs=2e-6)
    assert found.win == pytest.approx(exact.win, abs=2e-6)
    assert found.win_double == pytest.approx(exact.win_double, abs=2e-6)
    assert found.lose_double == pytest.approx(exact.lose_double, abs=2e-6)
    assert sum(found.shares.values()) == pytest.approx(1)


@pytest.mark.parametrize("luck", [False, True])
def test_the_plays_of_a_race_are_ranked_exactly(luck: bool) -> None:
    """The opponent's values after each play, negated."""
    pos = tavli.Position.parse("fevga", own="6*2 4 3 1", opp="18*3 15 14")
    ranking = tavli.rollout(pos, (5, 2), games=72, seed=1, races=True, luck=luck)
    for play, found, _ in ranking:
        assert found.equity == pytest.approx(-play.next.race().equity, abs=2e-6)


def test_races_with_a_policy_in_python() -> None:
    """The same games in lockstep as in the kernels."""

    class Copy(tavli.Policy):
        name = key = "copy of pips"

        def values(self, variant: tavli.Variant, rows: np.ndarray) -> np.ndarray:
            scores = np.empty(len(rows), dtype=np.int32)
            weights = pip_scores.weights(variant.rules)
            variant._games.scores(variant._engine, rows, weights, scores)
            return scores.astype(np.float64)

    start = tavli.variant("plakoto").start()
    run = {"games": 400, "seed": 2, "races": True}
    kernels = tavli.rollout(start, policy="pips", **run)
    lockstep = tavli.rollout(start, policy=Copy(), **run)
    # of decided games Python is told the points: those of mothers pinned may differ
    assert abs(kernels.equity - lockstep.equity) < 0.2
    fevga = tavli.variant("fevga").start()
    kernels, lockstep = (tavli.rollout(fevga, policy=policy, **run) for policy in ("pips", Copy()))
    assert np.array_equal(kernels.sums.strata, lockstep.sums.strata)
    assert kernels.looked_up == lockstep.looked_up > 300


@pytest.mark.parametrize("name", ["portes", "plakoto", "moultezim", "gul_bara"])
def test_twins_stop_at_the_same_races(name: str) -> None:
    """Every field of every record; each is a home race or over."""
    fast = Bulk(tavli.variant(name), 5, seed=4)
    plain = Bulk(tavli.variant(name, engine="reference"), 5, seed=4)
    for policies in ((RANDOM, RANDOM), (PIPS, PIPS)):
        played, again = (bulk.run(*policies, races=True) for bulk in (fast, plain))
        assert (played[LASTING] == again[LASTING]).all()
    assert set(fast.games["state"]) <= {OVER, RACE}
    raced = fast.games["state"] == RACE
    assert raced.any()
    assert tavli.variant(name).is_race(fast.games["row"][raced].copy(), home=True).all()


@pytest.mark.parametrize("name", ["crazy_narde", "narde_balanced"])
def test_rules_without_a_table_are_refused(name: str) -> None:
    """Before anything is played, with the reason."""
    with pytest.raises(tavli.RuleConflict, match="no exact race value"):
        tavli.rollout(tavli.variant(name).start(), games=10, races=True)


# --- the policy that looks races up ---------------------------------------------------------------


def test_a_policy_that_looks_races_up() -> None:
    """Its own values of home races, the inner policy's elsewhere."""
    policy = tavli.policy_of("pips+races")
    assert (policy.name, policy.key) == ("pips+races", "pips+races")
    variant = tavli.variant("portes")
    start = variant.start_row()
    race = tavli.Position.parse(variant, own="6*2 1", opp="24*3 20").row
    over = tavli.Position.parse(variant, own="", opp="24*3 20").row
    outside = tavli.Position.parse(variant, own="7*2 1", opp="24*3 20").row
    rows = np.stack([start, race, over, outside])
    values = policy.values(variant, rows)
    pips = variant.pip_values(rows)
    assert values[1] == variant.race(race).equity != pips[1]
    assert (values[[0, 2, 3]] == pips[[0, 2, 3]]).all()
    assert len(policy.values(variant, rows[:0])) == 0


def test_looking_races_up_plays_better() -> None:
    """From races at home, against the greedy policy that does not."""
    rng = Random(5)
    gains = []
    for seed in range(6):
        own, opp = (" ".join(str(rng.randint(1, 6)) for _ in range(12)) for _ in range(2))
        opp = " ".join(str(25 - int(point)) for point in opp.split())
        pos = tavli.Position.parse("portes", own=own, opp=opp)
        run = {"games": 1296, "seed": seed, "opponent": "pips"}
        better, worse = (tavli.rollout(pos, policy=p, **run) for p in ("pips+races", "pips"))
        gains.append(better.equity - worse.equity)
        exact = pos.race().equity
        own_play = tavli.rollout(pos, policy="pips+races", games=1296, seed=seed)
        assert abs(own_play.equity - exact) < 4 * own_play.stderr + 0.01
    assert np.mean(gains) > 0


def test_a_policy_that_looks_races_up_where_there_is_no_table() -> None:
    """The run ends with the reason."""
    pos = tavli.Position.parse("narde_balanced", own="3", opp="15")
    with pytest.raises(tavli.RolloutError, match="no exact race value"):
        tavli.rollout(pos, policy="pips+races", games=10, seed=1)
