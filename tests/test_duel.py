"""Duels: duplicate dice, sides swapped, games and matches."""

import json
import pickle
import threading
from pathlib import Path

import numpy as np
import pytest

import tavli_fast as tavli
from tavli_fast.bulk.duel import DuelJob
from tavli_fast.engine import pip_scores
from tavli_fast.policies.known import NAMED

BLOCK = 1296


def test_a_policy_without_chance_draws_against_itself() -> None:
    """Each pair of games is one game seen from both sides."""
    for game in ("portes", "plakoto", "gul_bara", "narde_balanced"):
        found = tavli.duel(game, "pips", "pips", games=400, seed=1)
        assert (found.equity, found.stderr, found.games) == (0, 0, 400)
        assert all(found.shares[points] == found.shares[-points] for points in found.shares)


@pytest.mark.parametrize("game", ["portes", "plakoto", "crazy_narde", "tavli"])
def test_the_other_way_round_gives_the_negative(game: str) -> None:
    """The same games, bit for bit."""
    one = tavli.duel(game, "pips", "random", games=200, seed=3)
    other = tavli.duel(game, "random", "pips", games=200, seed=3)
    assert one.equity == -other.equity != 0
    assert one.stderr == other.stderr
    assert one.shares == {-points: share for points, share in other.shares.items()}
    assert one != other


def lowest_play(game: tavli.Game) -> int | str:
    """What the policy ``pips`` plays."""
    if not game.plays:
        return "pass"
    rows = np.stack([play.next.row for play in game.plays])
    scores = np.empty(len(rows), dtype=np.int32)
    variant = game.variant
    variant._games.scores(variant._engine, rows, pip_scores.weights(variant.rules), scores)
    return int(scores.argmin())


def played_by_hand(
    variant: tavli.Variant, seed: int, number: int, starter: int | None
) -> tavli.Outcome:
    """One game of ``pips`` against itself as a ``Game``."""
    game = tavli.Game(variant, seed=seed, number=number, starter=starter)
    while game.outcome is None:
        if game.dice is None:
            game.roll()
        game.play(lowest_play(game))
    return game.outcome


def match_by_hand(cycle: list[tavli.Variant], seed: int, match: int, target: int) -> list[int]:
    """The score of one match of ``pips`` against itself, by the rules of section 9."""
    score, starter, number = [0, 0], None, 0
    while max(score) < target:
        variant = cycle[number % len(cycle)]
        outcome = played_by_hand(variant, seed, match * 4096 + number, starter)
        if outcome.winner is not None:
            score[outcome.winner] += outcome.points
        number += 1
        following = cycle[number % len(cycle)]
        starter = None if following.rules.next_starter == "roll" else outcome.winner
    return score


@pytest.mark.parametrize("names", [("portes", "plakoto", "fevga"), ("backgammon", "moultezim")])
def test_matches_are_those_played_by_hand(names: tuple[str, ...]) -> None:
    """Games in turn, the starter of each, and the end at the target."""
    cycle = [tavli.variant(name) for name in names]
    job = DuelJob(tuple(cycle), (NAMED["pips"], NAMED["pips"]), seed=5, pairs=4, target=3)
    sums = tavli.duel(names, "pips", "pips", games=8, target=3, seed=5).sums
    won, lead = job._play(np.arange(4, dtype=np.uint64), False, sums)
    by_hand = [match_by_hand(cycle, 5, match, 3) for match in range(4)]
    assert lead.tolist() == [first - second for first, second in by_hand]
    assert won.tolist() == [1 if first >= 3 else -1 for first, second in by_hand]


def test_single_games_are_those_played_by_hand() -> None:
    """Points of player 0, by the numbers of the seed."""
    variant = tavli.variant("plakoto")
    job = DuelJob((variant,), (NAMED["pips"], NAMED["pips"]), seed=9, pairs=6, target=0)
    sums = tavli.duel("plakoto", "pips", "pips", games=2, seed=9).sums
    _, points = job._play(np.arange(6, dtype=np.uint64), False, sums)
    outcomes = [played_by_hand(variant, 9, number, None) for number in range(6)]
    signed = [0 if o.winner is None else o.points * (1, -1)[o.winner] for o in outcomes]
    assert points.tolist() == signed


def test_the_error_is_that_of_pairs() -> None:
    """Mean and standard error against plain numpy."""
    job = DuelJob((tavli.variant("portes"),), (NAMED["pips"], NAMED["random"]), 2, 300, 0)
    sums = tavli.duel("portes", "pips", "random", games=2, seed=2).sums
    halves = [job._play(np.arange(300, dtype=np.uint64), side, sums)[1] for side in (False, True)]
    pairs = sum(halves) / 2
    found = tavli.duel("portes", "pips", "random", games=600, seed=2)
    assert found.equity == pytest.approx(pairs.mean())
    assert found.stderr == pytest.approx(pairs.std(ddof=1) / np.sqrt(300))
    assert found.pairs == 300
    assert sum(points * share for points, share in found.shares.items()) == pytest.approx(
        found.equity
    )


def test_executors_and_parts_do_not_matter(tmp_path: Path) -> None:
    """Threads, and a run that was interrupted and went on."""
    run = {"games": 3 * BLOCK, "seed": 4}
    whole = tavli.duel("fevga", "random", "pips", **run)
    assert tavli.duel("fevga", "random", "pips", **run, executor=3) == whole
    stop = threading.Event()
    kept = tmp_path / "duel.npz"
    begun = tavli.duel(
        "fevga",
        "random",
        "pips",
        **run,
        cancel=stop,
        checkpoint=kept,
        progress=lambda done, total: stop.set(),
    )
    assert (begun.stopped, begun.games) == ("cancelled", BLOCK)
    assert tavli.duel("fevga", "random", "pips", **run, checkpoint=kept) == whole
    with pytest.raises(tavli.CheckpointError, match="second is"):
        tavli.duel("fevga", "random", "random", **run, checkpoint=kept)


def test_a_duel_ends_at_a_standard_error() -> None:
    """After whole blocks, with at least so many games."""
    run = {"seed": 1, "stop_stderr": 0.05}
    assert tavli.duel("narde", "pips", "random", games=10 * BLOCK, **run).games == BLOCK
    found = tavli.duel("narde", "pips", "random", games=10 * BLOCK, min_games=BLOCK + 1, **run)
    assert (found.games, found.stopped) == (2 * BLOCK, "stderr")


def test_matches_count_as_matches() -> None:
    """To a target, with their own shares."""
    found = tavli.duel("tavli", "pips", "random", games=100, target=1, seed=6)
    assert (found.matches, found.games) == (100, 100)  # a game won is a match won
    assert found.match.mean == pytest.approx(
        sum(np.sign(points) * share for points, share in found.shares.items())
    )
    assert "matches won" in found.table()
    assert json.loads(found.json())["matches"] == 100
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"games": 3}, ValueError, "games must be even"),
        ({"games": 0}, ValueError, "games must be 2 to"),
        ({"target": 0}, ValueError, "target must be 1 to 64"),
        ({"seed": -1}, ValueError, "seed must be"),
        ({"stop_stderr": -1.0}, ValueError, "stop_stderr must be"),
        ({"cancel": 3}, TypeError, "cancel must be an object"),
        ({"executor": "all"}, TypeError, "executor must be"),
    ],
)
def test_refused_arguments(
    arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    """Before any game."""
    with pytest.raises(error, match=message):
        tavli.duel("portes", "pips", "pips", **arguments)


def test_refused_games_and_policies() -> None:
    """What is to be played, and by whom."""
    with pytest.raises(tavli.RuleConflict, match="2 variants"):
        tavli.duel(["portes", "fevga"], "pips", "pips")
    with pytest.raises(tavli.RuleConflict, match="0 variants"):
        tavli.duel([], "pips", "pips", target=3)
    with pytest.raises(tavli.UnknownVariant):
        tavli.duel("chess", "pips", "pips")
    with pytest.raises(ValueError, match="there is no policy"):
        tavli.duel("portes", "pips", "pips2")


def test_what_was_done_is_kept_when_a_policy_fails() -> None:
    """The block and the row are named."""
    calls = []

    def fails_later(rows: np.ndarray) -> np.ndarray:
        calls.append(len(rows))
        values = np.zeros(len(rows))
        if len(calls) > 400:
            values[-1] = np.nan
        return values

    with pytest.raises(tavli.RolloutError, match=r"block [1-9]\d*: .*fails_later.*row \d+") as info:
        tavli.duel("portes", fails_later, "random", games=40 * BLOCK, seed=1)
    partial = info.value.partial
    assert partial.stopped == "error"
    assert partial.games == info.value.block * BLOCK
    assert isinstance(info.value.__cause__, tavli.PolicyError)


def test_one_pair_is_valid_json() -> None:
    """No standard error is none, not a word that JSON does not know."""
    found = tavli.duel("portes", "pips", "random", games=2, seed=1)
    assert np.isnan(found.stderr)
    told = json.loads(found.json(), parse_constant=pytest.fail)
    assert (told["stderr"], told["interval95"]) == (None, [None, None])
    assert str(found) == found.table()
