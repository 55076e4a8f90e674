"""Rollouts: held against exact values, against ``Game``, and against themselves done otherwise."""

import json
import pickle
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from exact import Exact

import tavli_fast as tavli
from tavli_fast.bulk.play_block import BLOCK, first_rolls
from tavli_fast.bulk.results import Ranking, Rollout
from tavli_fast.bulk.sums import QUANTUM, difference, same
from tavli_fast.engine import pip_scores
from tavli_fast.engine.game_records import GAME
from tavli_fast.engine.streams import Stream, choice_seed
from tavli_fast.policies.known import Pips, Random
from tavli_fast.support.archives import read_archive, write_archive

Rows = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float64]

# few checkers, so that all that can follow can be told: races, hits, pins, double and triple wins
POSITIONS = {
    "portes": {"own": "6 4 2", "opp": "20 22 24"},
    "portes_kafenio": {"own": "5", "opp": "3"},
    "backgammon": {"own": "4 3", "opp": "21*14 5"},
    "plakoto": {"own": "9 3", "opp": "24 1"},
    "fevga": {"own": "6 5 2", "opp": "18 14 13"},
    "tawla31": {"own": "6 3", "opp": "24*3 19*3"},
    "narde": {"own": "7 5", "opp": "14 18 20"},
}


@lru_cache
def position(name: str) -> tavli.Position:
    """One of the positions above."""
    return tavli.Position.parse(name, **POSITIONS[name])


@lru_cache
def exact(name: str) -> Exact:
    """All values that can follow it."""
    return Exact(position(name))


def deviation(found: Any, truth: float) -> float:
    """How many standard errors an estimate is off; what rounding does is nothing."""
    off = abs(found.mean - truth) - 2.0**-20
    if off <= 0:
        return 0.0
    return off / found.stderr if found.stderr else float("inf")


def run_by_start(**options: Any) -> Any:
    """A quick run of three blocks that ends after four rolls."""
    return tavli.rollout(
        tavli.variant("portes").start(), **{"games": 3 * BLOCK, "plies": 4, "seed": 1, **options}
    )


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("stratified", [True, False])
@pytest.mark.parametrize("name", POSITIONS)
def test_values_are_those_of_recursion(name: str, stratified: bool) -> None:
    """What playing out finds is what going through all rolls finds."""
    truth = exact(name)
    assert len(truth.all) > 40
    found = tavli.rollout(position(name), games=30_000, seed=12, stratified=stratified)
    assert deviation(found.raw, truth.value) < 4
    assert found.raw == found.reduced
    points = sum(points * share for points, share in found.shares.items())
    assert abs(points - found.equity) < 1e-9
    assert abs(found.win + found.lose + found.shares.get(0, 0) - 1) < 1e-9


def test_shares_of_double_and_triple_wins() -> None:
    """They are all met, and add up to what recursion says of winning."""
    assert set(tavli.rollout(position("backgammon"), games=2000, seed=1).shares) >= {1, 2, 3}
    plakoto = tavli.rollout(position("plakoto"), games=2000, seed=1)
    assert set(plakoto.shares) >= {-1, 1, 2}
    assert plakoto.win_double == plakoto.shares[2]


@pytest.mark.parametrize("stratified", [True, False])
@pytest.mark.parametrize(("name", "games"), [("portes", 1296), ("plakoto", 500), ("fevga", 3000)])
def test_intervals_cover_the_truth(name: str, games: int, stratified: bool) -> None:
    """About 19 of 20."""
    truth = exact(name).value
    covered = 0
    for seed in range(20):
        found = tavli.rollout(position(name), games=games, seed=seed << 33, stratified=stratified)
        low, high = found.interval()
        covered += low <= truth <= high
    assert 16 <= covered <= 20


def test_last_rolls_dealt_evenly_are_exact() -> None:
    """36 games know the first roll; the error of 50 is not told to be nothing."""
    last = tavli.Position.parse("portes", own="6 1", opp="24")
    truth = -6 / 36  # 15 rolls take both off, else the opponent wins
    for seed in range(5):
        assert abs(tavli.rollout(last, games=36, seed=seed).equity - truth) < 1e-9
        assert abs(tavli.rollout(last, games=1296, seed=seed).equity - truth) < 1e-9
    broken = [tavli.rollout(last, games=100, seed=seed) for seed in range(20)]
    assert len({found.equity for found in broken}) > 3
    assert all(deviation(found.raw, truth) < 4 for found in broken)


def test_a_balancing_turn_makes_a_draw() -> None:
    """6 of 36 rolls take both of the second player's checkers off as well."""
    last = tavli.Position.parse("narde_balanced", own="1", opp="18 17")
    first = tavli.rollout(last, games=BLOCK, seed=1)
    assert abs(first.equity - 30 / 36) < 1e-12
    assert first.shares == {0: 1 / 6, 1: 5 / 6}
    assert tavli.rollout(last, games=BLOCK, seed=1, starts=False).shares == {1: 1.0}
    ranking = tavli.rollout(last, dice=(6, 5), games=BLOCK, seed=1)
    assert abs(ranking.best.rollout.equity - 30 / 36) < 1e-12
    # it is played when no more rolls are allowed
    cut = tavli.rollout(last, games=BLOCK, seed=1, plies=1)
    assert cut.truncated == 0
    assert abs(cut.equity - 30 / 36) < 1e-12


# --- luck -----------------------------------------------------------------------------------------


def nonsense(rows: Rows) -> Floats:
    """Values that have nothing to do with positions, but are always the same for one."""
    words = rows.astype(np.int64) @ (np.arange(1, 33) * 7919)
    return np.sin(words.astype(np.float64))


@pytest.mark.parametrize("name", ["portes", "backgammon", "plakoto", "fevga"])
def test_luck_taken_off_keeps_the_mean(name: str) -> None:
    """For a perfect, a good and a nonsense evaluator, whatever is played by."""
    truth = exact(name)
    runs = {
        who: tavli.rollout(position(name), games=2 * BLOCK, seed=3, luck=True, evaluator=evaluator)
        for who, evaluator in (("exact", truth), ("pips", "pips"), ("nonsense", nonsense))
    }
    for found in runs.values():
        assert deviation(found.reduced, truth.value) < 4
        assert found.raw == tavli.rollout(position(name), games=2 * BLOCK, seed=3).raw
    raw = runs["pips"].raw.stderr
    if name != "backgammon":  # there the policy leaves plays that would save the triple loss
        assert runs["exact"].stderr < 0.8 * raw
    if name in ("portes", "fevga"):  # what single points are worth is all that "pips" knows
        assert runs["pips"].stderr < 0.8 * raw
    assert runs["nonsense"].stderr > raw / 2


@pytest.mark.parametrize("stratified", [True, False])
def test_luck_explains_all_that_recursion_knows(stratified: bool) -> None:
    """In a race where the best play by values is the one played, nothing is left to chance."""
    start = tavli.Position.parse("portes", own="1*4", opp="24*3")
    truth = Exact(start)
    found = tavli.rollout(
        start, games=400, seed=3, luck=True, evaluator=truth, stratified=stratified
    )
    assert found.raw.stderr > 0.005
    assert found.stderr < 1e-4
    assert abs(found.equity - truth.value) < 1e-5


def test_luck_of_truncated_games() -> None:
    """Luck and truncation together: the mean of the truncated games stays."""
    truth = exact("portes")
    for plies in range(4):
        found = tavli.rollout(
            position("portes"), games=BLOCK, seed=4, luck=True, evaluator=truth, plies=plies
        )
        assert deviation(found.reduced, truth.value) < 4
        assert deviation(found.raw, truth.value) < 4


def test_luck_in_games_with_cascades_and_balancing() -> None:
    """The mean does not move by more than chance, in a few games from the start."""
    for name in ("gul_bara", "narde_balanced", "crazy_narde"):
        start = tavli.variant(name).start()
        found = tavli.rollout(start, games=100, seed=1, luck=True, plies=16, rolls=(3, 3))
        both = np.hypot(found.raw.stderr, found.reduced.stderr)
        assert found.raw.stderr > 0
        assert abs(found.raw.mean - found.reduced.mean) < 4 * both


# --- truncation -----------------------------------------------------------------------------------


@pytest.mark.parametrize("plies", range(6))
@pytest.mark.parametrize("name", ["portes", "fevga"])
def test_exact_values_are_exact_at_any_depth(name: str, plies: int) -> None:
    truth = exact(name)
    found = tavli.rollout(position(name), games=3000, seed=5, plies=plies, evaluator=truth)
    assert deviation(found.raw, truth.value) < 4
    assert found.plies <= plies
    if plies == 0:
        assert found.truncated == 3000
        assert abs(found.equity - truth.value) < 2**-20


class Constant:
    """The same value everywhere."""

    def __init__(self, value: float) -> None:
        self.value = value

    def values(self, rows: Rows) -> Floats:
        return np.full(len(rows), self.value)


@pytest.mark.parametrize("plies", range(8))
def test_values_of_truncated_games_change_sign_with_the_turn(plies: int) -> None:
    """After an even number of rolls the mover is on turn again."""
    found = run_by_start(games=50, plies=plies, evaluator=Constant(0.375))
    assert found.equity == (-1) ** plies * 0.375
    assert (found.truncated, found.plies) == (50, plies)
    assert found.shares == {}
    ranking = run_by_start(games=50, plies=plies, evaluator=Constant(0.375), dice=(6, 6))
    assert {one.rollout.equity for one in ranking} == {-((-1) ** plies) * 0.375}


def test_truncated_games_beside_finished_ones() -> None:
    """Each game gives one value: points of those that end, the evaluator's for the others."""
    found = tavli.rollout(
        position("portes"), games=BLOCK, seed=2, plies=3, evaluator=Constant(0.25)
    )
    assert 0 < found.truncated < BLOCK
    ended = BLOCK - found.truncated
    points = sum(points * share for points, share in found.shares.items())
    assert np.isclose(found.equity * BLOCK, points * ended - 0.25 * found.truncated, atol=1e-6)


# --- two sides ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"policy": "random"},
        {"policy": "random", "opponent": "pips"},
        {"plies": 5},
        {"plies": 6, "luck": True},
        {"stratified": False},
    ],
)
@pytest.mark.parametrize("name", ["portes", "plakoto", "gul_bara", "backgammon"])
def test_plays_are_worth_what_the_opponent_loses(name: str, options: dict[str, Any]) -> None:
    """A play's games are those of the position after it, all signs changed, bit for bit."""
    start = tavli.variant(name).start()
    games = 60 if "luck" in options else 300
    ranking = tavli.rollout(start, dice=(4, 2), games=games, seed=6, **options)
    swapped = dict(options)
    if "opponent" in options:
        swapped |= {"policy": options["opponent"], "opponent": options["policy"]}
    for play, found, _ in list(ranking)[:4]:
        after = tavli.rollout(play.next, games=games, seed=6, starts=False, rolls=(0, 1), **swapped)
        own, other = found.sums.strata[found.candidate], after.sums.strata[0]
        assert (own[:, 0] == other[:, 0]).all()
        assert (own[:, 1] == -other[:, 1]).all()
        assert (own[:, 2] == other[:, 2]).all()
        assert found.shares == {-points: share for points, share in after.shares.items()}
        assert found.stderr == after.stderr


def test_values_are_antisymmetric_before_any_roll() -> None:
    for name in tavli.variants():
        variant = tavli.variant(name)
        rows, _ = variant.sample(5, seed=2)
        for row in rows:
            one, other = (
                tavli.rollout(variant.position(r), games=36, plies=0, seed=1).equity
                for r in (row, variant.flip(row))
            )
            assert one == -other


def test_policies_of_two_sides() -> None:
    """A better policy wins more; left out, the opponent's is the mover's."""
    start = tavli.variant("portes").start()
    play = {
        (own, other): tavli.rollout(start, games=BLOCK, seed=2, policy=own, opponent=other).equity
        for own in ("pips", "random")
        for other in ("pips", "random")
    }
    assert play["pips", "random"] > 0.8
    assert play["random", "pips"] < -0.8
    assert abs(play["pips", "pips"]) < 0.5
    alone = tavli.rollout(start, games=BLOCK, seed=2, policy="pips")
    assert alone == tavli.rollout(start, games=BLOCK, seed=2, policy="pips", opponent="pips")


# --- against Game ---------------------------------------------------------------------------------


def chosen(game: tavli.Game, policy: str, choices: Stream) -> int | str:
    """What a policy plays."""
    if not game.plays:
        return "pass"
    if policy == "random":
        return choices.below(len(game.plays))
    ends = np.stack([play.next.row for play in game.plays])
    scores = np.empty(len(ends), dtype=np.int32)
    variant = game.variant
    variant._games.scores(variant._engine, ends, pip_scores.weights(variant.rules), scores)
    return int(scores.argmin())


def points_by_game(
    game: tavli.Game,
    rolls: list[tuple[int, int]],
    policies: tuple[str, str],
    seed: int,
    number: int,
) -> int:
    """Play a game on, by these rolls first; returns what player 0 wins."""
    dice, choices = Stream(seed, number), Stream(choice_seed(seed), number)
    while game.outcome is None:
        if game.dice is None:
            game.roll(rolls.pop(0) if rolls else dice.roll())
        game.play(chosen(game, policies[game.player], choices))
    return game.outcome.points * {0: 1, 1: -1, None: 0}[game.outcome.winner]


def dealt(seed: int, number: int, stratified: bool) -> list[tuple[int, int]]:
    """The first rolls that are not the stream's."""
    if not stratified:
        return []
    return [(pair // 6 + 1, pair % 6 + 1) for pair in first_rolls(seed, 0, BLOCK)[number].tolist()]


@pytest.mark.parametrize("policies", [("pips", "pips"), ("random", "pips"), ("random", "random")])
@pytest.mark.parametrize(
    "name", ["plakoto", "gul_bara", "crazy_narde", "narde_balanced", "backgammon"]
)
def test_games_are_those_of_game(name: str, policies: tuple[str, str]) -> None:
    """Number, dice, choices, cascades and balancing turns of each game, and a roll ranked."""
    start = tavli.variant(name).start()
    seed, games = 2**64 - 9, 3
    for stratified in (True, False):
        options: dict[str, Any] = {
            "policy": policies[0], "opponent": policies[1], "seed": seed,
            "stratified": stratified, "games": games,
        }  # fmt: skip
        points = [
            points_by_game(
                tavli.Game(start.variant, start=start, starter=0),
                dealt(seed, k, stratified), policies, seed, k,
            )
            for k in range(games)
        ]  # fmt: skip
        found = tavli.rollout(start, **options)
        assert found.sums.strata[0, 0, 1].sum() == sum(points) * QUANTUM
        assert found.shares == {p: points.count(p) / games for p in set(points)}
    ranking = tavli.rollout(start, dice=(1, 1), **options)
    total = 0
    for k in range(games):
        game = tavli.Game(start.variant, start=start, starter=0)
        game.roll((1, 1))
        game.play(ranking[-1].play)
        total += points_by_game(game, [], policies, seed, k)
    assert abs(ranking[-1].rollout.equity * games - total) < 1e-9


def test_the_grace_of_cascades_is_counted_from_rolls() -> None:
    """At the start no roll is thrown yet, elsewhere more than the grace unless told."""
    variant = tavli.variant("gul_bara")
    start = variant.start()
    run: dict[str, Any] = {"games": 200, "seed": 1, "policy": "random"}
    grace = tavli.rollout(start, **run)
    assert grace.sums.plies == tavli.rollout(start, **run, rolls=(0, 0)).sums.plies
    assert grace.sums.plies > tavli.rollout(start, **run, rolls=(3, 3)).sums.plies
    other = start.plays(5, 4)[0].next
    assert tavli.rollout(other, **run) == tavli.rollout(other, **run, rolls=(3, 3))
    assert tavli.rollout(other, **run) != tavli.rollout(other, **run, rolls=(0, 1))


def test_engines_give_the_same() -> None:
    for name in ("portes", "plakoto", "crazy_narde", "narde_balanced"):
        found = [
            tavli.rollout(
                tavli.variant(name, engine=engine).start(),
                games=2, seed=5, plies=25, policy="random", opponent="pips", evaluator="pips",
            )
            for engine in ("kernel", "reference")
        ]  # fmt: skip
        assert same(found[0].sums, found[1].sums)
    for engine in ("kernel", "reference"):
        start = tavli.variant("portes", engine=engine).start()
        found.append(tavli.rollout(start, dice=(6, 4), games=2, seed=5, plies=3, luck=True).run)
    assert same(found[-2].sums, found[-1].sums)


# --- dice -----------------------------------------------------------------------------------------


def chi_square(counts: npt.NDArray[Any]) -> float:
    """How far counts of equally likely things are off, in deviations of that number."""
    expected = counts.sum() / counts.size
    square = ((counts - expected) ** 2 / expected).sum()
    return float((square - (counts.size - 1)) / np.sqrt(2 * (counts.size - 1)))


def test_first_rolls_are_dealt_evenly() -> None:
    for block in (0, 1, 10**6):
        pairs = first_rolls(2**64 - 1, block, BLOCK)
        assert len(set(map(tuple, pairs.tolist()))) == BLOCK
        assert (pairs.min(), pairs.max()) == (0, 35)
        for low in range(0, BLOCK, 36):
            for which in range(2):
                assert sorted(pairs[low : low + 36, which].tolist()) == list(range(36))
        assert (first_rolls(2**64 - 1, block, 100) == pairs[:100]).all()


def test_single_games_meet_honest_first_rolls() -> None:
    """Over many blocks game 0 and game 700 of a block see each roll as often, and each pair."""
    pairs = np.stack([first_rolls(3, block, 701)[[0, 700]] for block in range(4000)])
    for game in range(2):
        for which in range(2):
            assert abs(chi_square(np.bincount(pairs[:, game, which], minlength=36))) < 5
        both = pairs[:, game, 0] % 6 * 6 + pairs[:, game, 1] % 6
        assert abs(chi_square(np.bincount(both, minlength=36))) < 5


def test_dice_of_the_kernels_are_fair() -> None:
    """36 million rolls: each pair, and each pair after each other one of a game."""
    bulk, engine = tavli.variant("portes")._games, tavli.variant("portes")._engine
    games = np.zeros(60_000, dtype=GAME)
    bulk.deal(games, 2**63 + 11, 0)
    counts, following = np.zeros(36, dtype=np.int64), np.zeros(36 * 36, dtype=np.int64)
    last = None
    for _ in range(600):
        bulk.throw(engine, games)
        pairs = games["die1"] * np.int16(6) + games["die2"] - np.int16(7)
        games["die1"] = 0
        counts += np.bincount(pairs, minlength=36)
        if last is not None and last.size:
            following += np.bincount(last * np.int16(36) + pairs, minlength=1296)
        last = pairs
    assert counts.sum() == 36_000_000
    assert abs(chi_square(counts)) < 5
    assert abs(chi_square(following)) < 5


def test_every_bit_of_a_seed_counts() -> None:
    start = tavli.variant("portes").start()
    seeds = [1, 1 + 2**32, 1 + 2**63, 2]
    found = {tavli.rollout(start, games=200, seed=seed).equity for seed in seeds}
    stream = {tavli.rollout(start, games=200, seed=seed, stratified=False).equity for seed in seeds}
    assert len(found) > 2
    assert len(stream) > 2
    deals = {first_rolls(seed, 0, 36).tobytes() for seed in seeds}
    assert len(deals) == 4
    drawn = [tavli.rollout(start, games=1) for _ in range(2)]
    assert drawn[0].key["seed"] != drawn[1].key["seed"]


# --- where a run stops ----------------------------------------------------------------------------


@pytest.mark.parametrize("games", [1, 2, 35, 36, 1295, 1296, 1297, 3000])
def test_as_many_games_as_asked_for(games: int) -> None:
    found = run_by_start(games=games)
    assert (found.games, found.stopped) == (games, "done")
    assert found.blocks == ((0, -(-games // BLOCK)),)
    assert np.isnan(found.stderr) == (games == 1)
    whole = run_by_start(games=4 * BLOCK, min_games=4 * BLOCK, stop_stderr=100.0)
    assert whole.games == 4 * BLOCK


def test_a_run_stops_at_the_first_block_that_is_close_enough() -> None:
    blocks = [run_by_start(games=k * BLOCK) for k in range(1, 7)]
    for k in (1, 2, 4):
        asked = blocks[k].stderr
        found = run_by_start(games=6 * BLOCK, stop_stderr=asked)
        first = next(one for one in blocks if one.stderr <= asked)
        assert found == first
        assert found.stopped == "stderr"
    for least, expected in ((0, 1), (1, 1), (BLOCK, 1), (BLOCK + 1, 2), (4 * BLOCK, 4)):
        found = run_by_start(games=6 * BLOCK, stop_stderr=9.0, min_games=least)
        assert found.games == expected * BLOCK
    assert run_by_start(games=BLOCK + 7, stop_stderr=9.0, min_games=10**9).games == BLOCK + 7
    never = run_by_start(games=2 * BLOCK, stop_stderr=0.0)
    assert (never.games, never.stopped) == (2 * BLOCK, "done")


def test_a_ranking_stops_when_every_play_is_close_enough() -> None:
    ranking = run_by_start(dice=(3, 1), games=4 * BLOCK, stop_stderr=0.0048)
    assert all(one.rollout.stderr <= 0.0048 for one in ranking) == (ranking.stopped == "stderr")
    assert BLOCK <= ranking.games <= 4 * BLOCK
    assert {one.rollout.games for one in ranking} == {ranking.games}


@pytest.mark.parametrize("executor", [None, 3])
def test_a_run_can_be_cancelled(executor: int | None) -> None:
    """What is done is given back, the same as if no more had been asked for."""
    cancel = threading.Event()

    def progress(done: int, total: int) -> None:
        assert total == 6 * BLOCK
        if done == 2 * BLOCK:
            cancel.set()

    found = run_by_start(games=6 * BLOCK, cancel=cancel, progress=progress, executor=executor)
    assert found.stopped == "cancelled"
    assert found == run_by_start(games=2 * BLOCK)
    assert run_by_start(cancel=cancel).games == BLOCK


def interrupts(done: int, total: int) -> None:
    """As when Ctrl-C is pressed."""
    if done >= 2 * BLOCK:
        raise KeyboardInterrupt


@pytest.mark.parametrize("dice", [None, (3, 1)])
def test_an_interrupted_run_gives_what_is_done(dice: Any) -> None:
    found = run_by_start(games=6 * BLOCK, progress=interrupts, executor=2, dice=dice)
    assert found.stopped == "interrupted"
    assert found == run_by_start(games=2 * BLOCK, dice=dice)


def test_an_interruption_before_the_first_block_goes_through() -> None:
    def policy(rows: Rows) -> Floats:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_by_start(policy=policy)


def test_progress_and_history() -> None:
    told: list[tuple[int, int]] = []
    found = run_by_start(games=3000, progress=lambda done, total: told.append((done, total)))
    assert told == [(1296, 3000), (2592, 3000), (3000, 3000)]
    assert [games for games, _ in found.history] == [1296, 2592, 3000]
    assert found.history[-1] == (3000, (found.reduced,))
    told.clear()
    run_by_start(games=3000, progress=lambda *now: told.append(now), blocks=range(1, 3))
    assert told == [(1296, 1704), (1704, 1704)]


# --- errors ---------------------------------------------------------------------------------------


class Faulty:
    """An evaluator that does its worst when it is asked for the third time."""

    def __init__(self, worst: Callable[[Floats], Any] | None) -> None:
        self.worst, self.asked = worst, 0

    def values(self, rows: Rows) -> Any:
        self.asked += 1
        values = rows[:, 1] / 16
        return self.worst(values) if self.asked == 3 and self.worst else values


def spoilt(values: Floats, value: float) -> Floats:
    values[5] = value
    return values


def raises(values: Floats) -> Floats:
    raise ZeroDivisionError("gone")


@pytest.mark.parametrize(
    ("worst", "message"),
    [
        (lambda v: spoilt(v, np.nan), "row 5: values must be finite, got nan"),
        (lambda v: spoilt(v, -np.inf), "row 5: values must be finite, got -inf"),
        (lambda v: spoilt(v, 91.0), "values must lie within 90"),
        (lambda v: spoilt(v, -1e300), "values must lie within 90.*1e[+]300"),
        (lambda v: v[:-1], "values must have shape"),
        (lambda v: v[:, None], "values must have shape"),
        (lambda v: v > 0, "real numbers"),
        (lambda v: None, "real numbers"),
        (raises, "ZeroDivisionError: gone"),
    ],
)
def test_errors_of_an_evaluator(worst: Any, message: str) -> None:
    """They name the block, and give the blocks before."""
    with pytest.raises(tavli.RolloutError, match=message) as caught:
        run_by_start(games=5 * BLOCK, evaluator=Faulty(worst))
    assert caught.value.block == 2
    assert str(caught.value).startswith("block 2: ")
    assert caught.value.partial == run_by_start(games=2 * BLOCK, evaluator=Faulty(None))
    assert caught.value.partial.stopped == "error"
    with pytest.raises(tavli.RolloutError) as caught:
        run_by_start(games=5 * BLOCK, evaluator=Faulty(worst), blocks=range(2, 5))
    assert caught.value.block == 4


def test_an_error_in_the_first_block_leaves_nothing() -> None:
    with pytest.raises(tavli.RolloutError) as caught:
        run_by_start(policy=raises)
    assert (caught.value.block, caught.value.partial) == (0, None)
    with pytest.raises(tavli.RolloutError, match="row 0: values must be finite"):
        run_by_start(policy=lambda rows: np.full(len(rows), np.nan), games=1)


def test_errors_can_be_sent() -> None:
    with pytest.raises(tavli.RolloutError) as caught:
        run_by_start(
            games=5 * BLOCK, evaluator=Faulty(raises), dice=(1, 1), plays=["pass"][:0] or None
        )
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.block, str(error)) == (caught.value.block, str(caught.value))
    assert error.partial == caught.value.partial


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"games": 0}, ValueError, "games must be 1"),
        ({"games": 10**9 + 1}, ValueError, "games must be 1"),
        ({"games": 1.0}, TypeError, "games must be an int"),
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": 2**64}, ValueError, "seed"),
        ({"plies": -1}, ValueError, "plies"),
        ({"plies": True}, TypeError, "plies"),
        ({"min_games": -1}, ValueError, "min_games"),
        ({"stop_stderr": -0.1}, ValueError, "stop_stderr"),
        ({"stop_stderr": float("nan")}, ValueError, "stop_stderr"),
        ({"stop_stderr": "1"}, ValueError, "stop_stderr"),
        ({"policy": "none"}, ValueError, "there is no policy"),
        ({"policy": 7}, TypeError, "policy must be"),
        ({"opponent": 7}, TypeError, "policy must be"),
        ({"evaluator": 7}, TypeError, "policy must be"),
        ({"policy": "random"}, ValueError, "need an evaluator"),
        ({"evaluator": "random"}, ValueError, "need an evaluator"),
        ({"rolls": (1,)}, TypeError, "rolls must be two"),
        ({"rolls": (-1, 0)}, ValueError, "rolls"),
        ({"rolls": (2**31 - 1, 0)}, ValueError, "rolls"),
        ({"rolls": (0, 1.5)}, TypeError, "rolls"),
        ({"blocks": (0, 1)}, TypeError, "blocks must be a range"),
        ({"blocks": range(0)}, ValueError, "blocks must be a part"),
        ({"blocks": range(2, 4)}, ValueError, "blocks must be a part"),
        ({"blocks": range(0, 3, 2)}, ValueError, "blocks must be a part"),
        ({"blocks": range(-1, 1)}, ValueError, "blocks must be a part"),
        ({"executor": "threads"}, TypeError, "executor must be"),
        ({"executor": 0}, ValueError, "executor must be"),
        ({"cancel": 1}, TypeError, "cancel"),
        ({"plays": ["pass"]}, ValueError, "plays need dice"),
        ({"dice": (0, 1)}, tavli.InvalidDice, "die"),
        ({"dice": (3, 1), "plays": []}, ValueError, "plays must be one or more"),
        ({"dice": (3, 1), "plays": ["8/5 6/5"] * 2}, ValueError, "plays must be one or more"),
        ({"dice": (3, 1), "plays": ["24/18"]}, tavli.IllegalPlay, ""),
        ({"dice": (3, 1), "plays": ["pass"]}, tavli.IllegalPlay, ""),
    ],
)
def test_wrong_arguments(options: Any, error: type[Exception], message: str) -> None:
    """Told before any work is done."""
    with pytest.raises(error, match=message or None) as caught:
        run_by_start(**options)
    assert not isinstance(caught.value, tavli.RolloutError)


def test_positions_that_cannot_be_played() -> None:
    over = tavli.Position.parse("portes", own="", opp="24*2")
    for dice in (None, (2, 1)):
        with pytest.raises(tavli.GameOver):
            tavli.rollout(over, dice, games=1)
    for wrong in (over.row, "portes", None):
        with pytest.raises(TypeError, match="position must be a Position"):
            tavli.rollout(wrong, games=1)  # type: ignore[arg-type]


# --- checkpoints ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dice", [None, (6, 5)])
def test_an_interrupted_run_goes_on(dice: Any, tmp_path: Path) -> None:
    """To the very same result, without playing again what is done."""
    path, told = tmp_path / "run", []
    whole = run_by_start(games=5 * BLOCK + 10, dice=dice)
    run: dict[str, Any] = {"games": 5 * BLOCK + 10, "dice": dice, "checkpoint": path}
    assert run_by_start(**run, progress=interrupts).games == 2 * BLOCK
    again = run_by_start(**run, executor=2, progress=lambda done, total: told.append(done))
    assert again == whole
    assert told == [k * BLOCK for k in (3, 4, 5)] + [5 * BLOCK + 10]
    # the block that was cut short is not kept: more can be asked for
    assert run_by_start(**run | {"games": 7 * BLOCK}) == run_by_start(games=7 * BLOCK, dice=dice)
    assert run_by_start(**run | {"games": 7 * BLOCK}, progress=interrupts).stopped == "done"


def test_an_error_keeps_the_blocks_before(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with pytest.raises(tavli.RolloutError):
        run_by_start(evaluator=Faulty(raises), checkpoint=path)
    told: list[int] = []
    found = run_by_start(
        evaluator=Faulty(None), checkpoint=path, progress=lambda done, total: told.append(done)
    )
    assert told == [3 * BLOCK]
    assert found == run_by_start(evaluator=Faulty(None))


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 2},
        {"plies": 5},
        {"luck": True, "games": BLOCK},
        {"policy": nonsense},
        {"opponent": nonsense},
        {"evaluator": nonsense},
        {"stratified": False},
        {"starts": False},
        {"rolls": (0, 1)},
        {"dice": (3, 1)},
        {"blocks": range(1, 2)},
        {"games": 2 * BLOCK - 1},
        {"games": 5},
    ],
)
def test_files_of_other_runs_are_refused(other: dict[str, Any], tmp_path: Path) -> None:
    """Also those that hold more games than are asked for; the file stays as it is."""
    path = tmp_path / "run"
    run_by_start(games=2 * BLOCK, checkpoint=path)
    before = path.read_bytes()
    with pytest.raises(tavli.CheckpointError, match=r"another run|more than asked for"):
        run_by_start(checkpoint=path, **other)
    assert path.read_bytes() == before


def test_damaged_checkpoints_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    run_by_start(games=BLOCK, checkpoint=path)
    whole = path.read_bytes()
    for length in (0, 100, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(tavli.CheckpointError):
            run_by_start(games=BLOCK, checkpoint=path)


def test_a_finished_file_stops_where_it_would_have(tmp_path: Path) -> None:
    run: dict[str, Any] = {"games": 6 * BLOCK, "stop_stderr": 9.0, "min_games": 2 * BLOCK}
    first = run_by_start(**run, checkpoint=tmp_path / "run")
    assert (first.games, first.stopped) == (2 * BLOCK, "stderr")
    again = run_by_start(**run, checkpoint=tmp_path / "run")
    assert again == first
    assert again.stopped == "stderr"


# --- parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dice", [None, (6, 2)])
def test_parts_merge_in_any_order(dice: Any) -> None:
    """The last block may be cut short; parts of parts are parts."""
    run: dict[str, Any] = {"games": 3 * BLOCK + 100, "dice": dice}
    whole = run_by_start(**run)
    cuts = [range(1), range(1, 2), range(2, 3), range(3, 4)]
    parts = [run_by_start(**run, blocks=cut) for cut in cuts]
    for way in permutations(parts):
        merged = tavli.merge(way)
        assert merged == whole
        assert hash(merged) == hash(whole)
        assert tavli.merge([tavli.merge(way[:2]), tavli.merge(way[2:])]) == whole
    assert tavli.merge([parts[0]]) == parts[0]
    apart = tavli.merge([parts[3], parts[1]])
    assert apart.games == BLOCK + 100
    assert (apart if dice is None else apart.run).blocks == ((1, 2), (3, 4))
    if dice is None:
        assert (merged.equity, merged.stderr) == (whole.equity, whole.stderr)
    else:
        for one, other in zip(merged, whole, strict=True):
            assert one == other


def test_what_cannot_be_merged() -> None:
    part = run_by_start(games=2 * BLOCK, blocks=range(1))
    cut = run_by_start(games=100)
    for parts in ([part, part], [run_by_start(), part], [part, run_by_start(blocks=range(2))]):
        with pytest.raises(tavli.TavliError, match="block 0 is in two parts"):
            tavli.merge(parts)
    with pytest.raises(tavli.TavliError, match="differ in seed"):
        tavli.merge([part, run_by_start(seed=2, blocks=range(1, 2))])
    with pytest.raises(tavli.TavliError, match="differ in plies, luck"):
        tavli.merge([part, run_by_start(games=2000, plies=3, luck=True, blocks=range(1, 2))])
    for parts in ([cut, run_by_start(blocks=range(1, 2))], [run_by_start(blocks=range(2, 3)), cut]):
        with pytest.raises(tavli.TavliError, match="cut short"):
            tavli.merge(parts)
    ranking = run_by_start(dice=(6, 2), games=50)
    for wrong in ([part, ranking], [ranking, part], [3], [part, None]):
        with pytest.raises(TypeError, match="parts must be all"):
            tavli.merge(wrong)
    with pytest.raises(ValueError, match="no parts"):
        tavli.merge([])


# --- executors ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2) as pool:
        yield pool


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"dice": (6, 5)},
        {"policy": "random", "evaluator": nonsense},
        {"policy": nonsense, "plies": 2},
        {"luck": True, "plies": 1, "games": BLOCK + 40},
    ],
)
def test_executors_give_the_same(options: dict[str, Any], processes: Executor) -> None:
    """Bit for bit, the history too."""
    alone = run_by_start(**options)
    with ThreadPoolExecutor(3) as threads:
        for executor in (1, 4, threads, processes):
            found = run_by_start(**options, executor=executor)
            assert found == alone
            runs = [one.run if isinstance(one, Ranking) else one for one in (found, alone)]
            assert runs[0].history == runs[1].history
            assert (runs[0].equity, runs[0].stderr) == (runs[1].equity, runs[1].stderr)


def test_what_cannot_be_sent_is_a_type_error(processes: Executor) -> None:
    with pytest.raises(TypeError, match="cannot be sent"):
        run_by_start(policy=lambda rows: rows[:, 1] / 1, executor=processes)
    with pytest.raises(tavli.RolloutError, match=r"block 0: .*gone"):
        run_by_start(policy=raises, executor=processes)


# --- callables ------------------------------------------------------------------------------------


def small_scores(rows: Rows) -> Floats:
    """Scores of "pips" in Portes, so small that every win is worth more than any of them."""
    variant = tavli.variant("portes")
    scores = np.empty(len(rows), dtype=np.int32)
    variant._games.scores(variant._engine, rows, pip_scores.weights(variant.rules), scores)
    return scores / 2.0**20


def test_callables_with_the_same_scores_play_the_same() -> None:
    """The kernels' way and the one ply by ply in numpy; whole scores have the same ties."""
    start = tavli.variant("portes").start()
    kernel = tavli.rollout(start, games=BLOCK, seed=8)
    called = tavli.rollout(start, games=BLOCK, seed=8, policy=small_scores)
    assert same(kernel.sums, called.sums)
    assert kernel != called  # the policy has another name
    mixed = [
        tavli.rollout(start, games=300, seed=8, policy=one, opponent=other).sums
        for one, other in (("pips", "random"), (small_scores, "random"))
    ]
    assert same(*mixed)


def test_a_policy_cannot_change_the_games() -> None:
    """It is given rows of its own, and only values of it count."""

    def vandal(rows: Rows) -> Floats:
        values = small_scores(rows)
        rows[:] = 0
        return values

    start = tavli.variant("portes").start()
    one, other = (
        tavli.rollout(start, games=200, seed=8, policy=policy) for policy in (vandal, small_scores)
    )
    assert same(one.sums, other.sums)


# --- rankings -------------------------------------------------------------------------------------


def test_plays_are_compared_in_the_same_games() -> None:
    """Best first; the error of a difference is smaller than of two runs apart."""
    start = tavli.variant("portes").start()
    ranking = tavli.rollout(start, dice=(3, 1), games=2 * BLOCK, seed=4)
    assert len(ranking) == len(start.plays(3, 1))
    assert {one.play.end for one in ranking} == {play.end for play in start.plays(3, 1)}
    equities = [one.rollout.equity for one in ranking]
    assert equities == sorted(equities, reverse=True)
    assert ranking.best is ranking[0]
    assert ranking.best.behind == (0, 0)
    for play, found, behind in ranking[1:4]:
        assert np.isclose(behind.mean, equities[0] - found.equity)
        assert 0 < behind.stderr < np.hypot(found.stderr, ranking.best.rollout.stderr)
        assert str(play) in ranking.table()
    apart = difference(ranking.run.sums, 0, 1)
    assert apart.stderr > 0


def test_differences_cover_the_truth() -> None:
    """Two plays of a race whose values recursion knows, in 20 seeds."""
    start = tavli.Position.parse("portes", own="6 5 4", opp="20 22 24")
    plays = start.plays(2, 1)
    truth = [-Exact(play.next).value for play in plays]
    best = int(np.argmax(truth))
    worst = int(np.argmin(truth))
    covered = 0
    for seed in range(20):
        ranking = tavli.rollout(start, dice=(2, 1), games=BLOCK, seed=seed)
        found = difference(ranking.run.sums, best, worst)
        low, high = found.interval()
        covered += low <= truth[best] - truth[worst] <= high
    assert truth[best] > truth[worst]
    assert 16 <= covered <= 20
    for one in ranking:
        assert deviation(one.rollout.raw, truth[list(plays).index(one.play)]) < 4


def test_some_of_the_plays() -> None:
    """Texts or plays; each is worth what it is among all."""
    every = run_by_start(dice=(3, 1), games=100)
    some = run_by_start(dice=(3, 1), games=100, plays=["24/20", every.best.play])
    assert len(some) == 2
    values = {one.play.end: one.rollout.raw for one in every}
    for one in some:
        assert one.rollout.raw == values[one.play.end]
    assert some != every
    turned = run_by_start(dice=(1, 3), games=100)
    assert same(turned.run.sums, every.run.sums)


def test_a_pass_and_a_last_roll() -> None:
    """One candidate each; a game that is over needs no more dice."""
    shut = tavli.Position.parse("portes", own="bar 1*14", opp="24*2 23*2 22*2 21*2 20*2 19*2 18*3")
    ranking = tavli.rollout(shut, dice=(6, 6), games=40, seed=1)
    assert [str(one.play) for one in ranking] == ["pass"]
    after = tavli.rollout(shut.flip(), games=40, seed=1, starts=False)
    assert ranking.best.rollout.equity == -after.equity
    assert tavli.rollout(shut, dice=(6, 6), plays=["pass"], games=40, seed=1) == ranking
    last = tavli.Position.parse("portes", own="2 1", opp="24*15")
    for options in ({}, {"luck": True}, {"plies": 0}, {"policy": "random"}, {"games": 1}):
        won = tavli.rollout(last, dice=(2, 1), **{"games": 50, "seed": 1} | options)
        assert won.best.rollout.equity == 2
        assert won.best.rollout.plies == 0
        assert won.best.rollout.shares == {2: 1.0}
        assert won.best.rollout.truncated == 0


def test_a_cascade_goes_on_after_the_ranked_stage() -> None:
    """Only the first stage is ranked; the rest of the double is played by the policy."""
    variant = tavli.variant("crazy_narde")
    start = variant.start()
    ranking = tavli.rollout(start, dice=(1, 1), games=60, seed=1, policy="random")
    assert len(ranking) == len(start.plays(1, 1))
    cut = tavli.rollout(start, dice=(1, 1), games=3, seed=1, plies=0)
    for play, found, _ in cut:
        # the evaluator is asked when all that is left of the double is played
        game = tavli.Game(variant, start=start, starter=0)
        game.roll((1, 1))
        game.play(play)
        while game.dice is not None:
            game.play(chosen(game, "pips", Stream(0, 0)))
        value = variant.pip_values(game.position.row) * (1 if game.player == 0 else -1)
        assert found.truncated == 3
        assert abs(found.equity - value) < 2**-20


# --- results --------------------------------------------------------------------------------------


def strict(text: str) -> Any:
    """JSON without NaN and infinities, which are none."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize(
    "options",
    [{}, {"games": 1}, {"luck": True, "games": 40}, {"plies": None, "games": 40}, {"plies": 0}],
)
def test_json_is_complete(options: dict[str, Any]) -> None:
    found = run_by_start(**options)
    read = strict(found.json())
    assert read == json.loads(json.dumps(found.as_dict()))
    assert read["equity"] == found.equity
    assert read["stderr"] == (None if options.get("games") == 1 else found.stderr)
    assert read["raw"]["equity"] == found.raw.mean
    assert {int(points): share for points, share in read["shares"].items()} == found.shares
    for name in ("games", "truncated", "looked_up", "plies", "stopped"):
        assert read[name] == getattr(found, name)
    assert read["run"] == found.key
    assert read["run"]["seed"] == 1
    assert found.table().startswith("equity")
    ranking = run_by_start(**options, dice=(3, 1))
    read = strict(ranking.json())
    assert [one["play"] for one in read["plays"]] == [str(one.play) for one in ranking]
    assert [one["equity"] for one in read["plays"]] == [one.rollout.equity for one in ranking]
    assert read["run"] == ranking.run.key
    assert len(ranking.table().splitlines()) == len(ranking) + 1


@pytest.mark.parametrize("dice", [None, (3, 1)])
def test_results_can_be_kept(dice: Any) -> None:
    """Hashed, pickled, compared."""
    found = run_by_start(dice=dice, games=200)
    sent = pickle.loads(pickle.dumps(found))
    assert sent == found
    assert hash(sent) == hash(found)
    assert sent.json() == found.json()
    assert len({found, sent, run_by_start(dice=dice, games=200)}) == 1
    assert found != run_by_start(dice=dice, games=199)
    assert found != run_by_start(dice=dice, games=200, seed=2)
    assert found != 3
    assert found != run_by_start(dice=None if dice else (3, 1), games=200)
    if isinstance(found, Rollout):
        with pytest.raises(AttributeError):
            found.key = {}  # type: ignore[misc]


@pytest.mark.parametrize("options", [{}, {"policy": nonsense, "plies": 1}])
def test_memory_does_not_grow_with_the_games(options: dict[str, Any]) -> None:
    used: list[int] = []
    tracemalloc.start()
    try:
        run_by_start(
            games=20 * BLOCK,
            progress=lambda *_: used.append(tracemalloc.get_traced_memory()[0]),
            **options,
        )
    finally:
        tracemalloc.stop()
    assert len(used) == 20
    assert max(used[5:]) - used[4] < 20_000


# --- guards ---------------------------------------------------------------------------------------


def test_policies_cannot_change_the_plays() -> None:
    """The rows they are asked about are read-only; callables get copies."""

    class Writes(tavli.Policy):
        name = key = "writes"

        def values(self, variant: tavli.Variant, rows: np.ndarray) -> np.ndarray:
            rows[:] = 0
            return np.zeros(len(rows))

    start = tavli.variant("portes").start()
    with pytest.raises(tavli.RolloutError, match="read-only"):
        tavli.rollout(start, games=10, seed=1, policy=Writes())

    def spoils(rows: np.ndarray) -> np.ndarray:
        rows[:] = 0
        return np.zeros(len(rows))

    untouched = tavli.rollout(start, games=10, seed=1, policy=lambda rows: np.zeros(len(rows)))
    assert same(tavli.rollout(start, games=10, seed=1, policy=spoils).sums, untouched.sums)


def test_a_checkpoint_that_cannot_be_written_is_told_before_the_work(tmp_path: Path) -> None:
    """No game is played in vain."""
    start = tavli.variant("portes").start()
    told: list[int] = []
    with pytest.raises(OSError, match="nowhere"):
        tavli.rollout(
            start,
            games=10**9,
            checkpoint=tmp_path / "nowhere" / "run.npz",
            progress=lambda done, total: told.append(done),
        )
    assert not told


def test_a_full_disk_does_not_take_the_result(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is warned of."""
    writes: list[int] = []

    def full(self: object, *given: object) -> None:
        writes.append(1)
        if len(writes) > 1:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("tavli_fast.support.checkpoints.Checkpoint.write", full)
    with pytest.warns(RuntimeWarning, match="No space left"):
        found = tavli.rollout(
            tavli.variant("portes").start(), games=1296, seed=1, checkpoint=tmp_path / "run.npz"
        )
    assert (found.games, found.stopped) == (1296, "done")


@pytest.mark.parametrize("change", ["blocks", "negative", "zero", "float"])
def test_edited_checkpoints_are_refused(change: str, tmp_path: Path) -> None:
    """Sums that are not those of the blocks told."""
    path = tmp_path / "run.npz"
    run = {"games": 2592, "seed": 1, "checkpoint": path}
    start = tavli.variant("portes").start()
    tavli.rollout(start, **run)
    about, arrays = read_archive(path)
    if change == "blocks":
        about["blocks_done"] = 1
    elif change == "float":
        arrays["strata"] = arrays["strata"].astype(float)
    else:
        arrays["strata"][:] = {"negative": -1, "zero": 0}[change]
    write_archive(path, about, arrays)
    with pytest.raises(tavli.CheckpointError):
        tavli.rollout(start, **run)


def test_the_seed_of_a_checkpoint_goes_on(tmp_path: Path) -> None:
    """Where none is given."""
    path = tmp_path / "run.npz"
    start = tavli.variant("fevga").start()
    first = tavli.rollout(start, games=1296, checkpoint=path)
    second = tavli.rollout(start, games=2592, checkpoint=path)
    assert second == tavli.rollout(start, games=2592, seed=first.key["seed"])
    assert tavli.rollout(start, games=1296).key["seed"] != first.key["seed"]
    duel_path = tmp_path / "duel.npz"
    games = {"games": 1296, "checkpoint": duel_path}
    assert tavli.duel("fevga", "pips", "random", **games) == tavli.duel(
        "fevga", "pips", "random", **games
    )


def test_a_short_last_block_is_played_again(tmp_path: Path) -> None:
    """Whole blocks are kept, and the file is there all the same."""
    path = tmp_path / "run.npz"
    start = tavli.variant("fevga").start()
    run = {"seed": 3, "checkpoint": path}
    for games in (1000, 2000, 2000, 4000):
        found = tavli.rollout(start, games=games, **run)
        assert found == tavli.rollout(start, games=games, seed=3)
        assert read_archive(path)[0]["blocks_done"] == games // 1296


def test_what_is_played_to_the_end_is_done(tmp_path: Path) -> None:
    """Also when it would have stopped there, afresh or gone on with."""
    start = tavli.variant("fevga").start()
    run = {"games": 1296, "seed": 1, "stop_stderr": 10.0, "checkpoint": tmp_path / "run.npz"}
    for _ in range(2):
        assert tavli.rollout(start, **run).stopped == "done"


def test_convergence_ends_with_the_result(tmp_path: Path) -> None:
    """Also of a run that went on, or was merged; pictures are drawn of all of them."""
    start = tavli.variant("fevga").start()
    path = tmp_path / "run.npz"
    tavli.rollout(start, games=2592, seed=1, checkpoint=path)
    resumed = tavli.rollout(start, games=2592, seed=1, checkpoint=path)
    parts = [tavli.rollout(start, games=2592, seed=1, blocks=range(k, k + 1)) for k in (0, 1)]
    for found in (resumed, tavli.merge(parts), tavli.rollout(start, games=2592, seed=1)):
        assert found.convergence[-1] == (2592, found.equity, found.stderr)
        found.plot(tmp_path / "picture.svg")
    with pytest.raises(ValueError, match="a picture ends in"):
        resumed.plot(tmp_path / "picture.xyz")


def test_a_ranking_tells_of_its_best_play() -> None:
    """As a rollout would."""
    start = tavli.variant("portes").start()
    ranking = tavli.rollout(start, (3, 1), games=144, seed=1, plays=["8/5 6/5", "13/9"])
    best = ranking.best.rollout
    assert (ranking.equity, ranking.stderr, ranking.shares) == (
        best.equity,
        best.stderr,
        best.shares,
    )
    assert str(ranking) == ranking.table()
    assert "best" in repr(ranking)
    assert len(repr(best)) < 800
    swapped = tavli.rollout(start, (1, 3), games=144, seed=1, plays=["8/5 6/5", "13/9"])
    assert swapped.run == ranking.run


@pytest.mark.parametrize("policy", ["random+races", "pips+races+races"])
def test_policies_without_values_cannot_look_races_up(policy: str) -> None:
    """Nor twice."""
    with pytest.raises(ValueError, match="a policy with values is needed"):
        tavli.policy_of(policy)


@pytest.mark.parametrize("known", [Pips, Random])
def test_policies_of_the_kernels_are_not_made_into_others(known: type[tavli.Policy]) -> None:
    """They are played without being asked, and their keys are taken."""
    with pytest.raises(TypeError, match="make a class of your own from Policy"):
        type("Mine", (known,), {})


@pytest.mark.parametrize("seed", ["x", 1.5, True, -1, 2**64, None])
def test_checkpoints_without_a_proper_seed(seed: object, tmp_path: Path) -> None:
    """The file is named, and not a seed that nobody gave."""
    path = tmp_path / "run.npz"
    start = tavli.variant("portes").start()
    tavli.rollout(start, games=1296, seed=1, checkpoint=path)
    about, arrays = read_archive(path)
    about["key"]["seed"] = seed
    write_archive(path, about, arrays)
    with pytest.raises(tavli.CheckpointError, match="no checkpoint of games"):
        tavli.rollout(start, games=1296, checkpoint=path)
