"""Running games: the kernels, their twin in plain Python and ``Game`` go the same way."""

from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from positions import constructed, random_rules

import tavli_fast as tavli
from tavli_fast.engine import pip_scores
from tavli_fast.engine.game_records import (
    GAME,
    NO_LIMIT,
    OVER,
    PIPS,
    RANDOM,
    RUNNING,
    TRUNCATED,
    LiveGames,
)
from tavli_fast.engine.streams import Stream, choice_seed
from tavli_fast.rules.switches import Value

# each with a rule that no single position tells
SPECIAL = ["gul_bara", "crazy_narde", "narde_balanced", "backgammon", "fevga_nardgg"]
UNLIKE = "portes", {"doubles": "cascade", "balancing_turn": "second_player_if_14_off"}


# what stays of a roll that was played is not told apart
LASTING = [name for name in GAME.names or () if name not in ("plays", "used")]


class Bulk:
    """Running games of one variant, by the functions of its engine."""

    def __init__(self, variant: tavli.Variant, n: int, seed: int, number: int = 0) -> None:
        self.variant, self.bulk, self.engine = variant, variant._games, variant._engine
        self.games: LiveGames = np.zeros(n, dtype=GAME)
        self.offsets = np.zeros(n + 1, dtype=np.int64)
        slots = np.arange(n, dtype=np.int64)
        numbers = np.arange(number, number + n, dtype=np.uint64)
        self.bulk.begin(self.engine, self.games, slots, numbers, variant.start_row(), seed)

    def plays(self) -> npt.NDArray[np.int8]:
        """Throw, and write the ends of all plays."""
        self.bulk.throw(self.engine, self.games)
        self.bulk.count(self.engine, self.games, self.offsets)
        ends = np.zeros((self.offsets[-1], 32), dtype=np.int8)
        self.bulk.fill(self.engine, self.games, self.offsets, ends)
        return ends

    def play(self, ends: npt.NDArray[np.int8], choice: npt.NDArray[np.int64]) -> None:
        """Make the chosen plays."""
        self.bulk.play(self.engine, self.games, self.offsets, ends, choice)

    def run(self, first: int, second: int, limit: int = NO_LIMIT, races: bool = False) -> LiveGames:
        """Play on by policies of the kernels."""
        weights = pip_scores.weights(self.variant.rules)
        self.bulk.run(self.engine, self.games, first, second, weights, limit, races)
        return self.games


def some_rules(rng: Random, k: int) -> tuple[str, dict[str, Value]]:
    """Presets with special rules and mixed switches in turn."""
    if k % 2:
        return random_rules(rng)
    return [*((name, {}) for name in SPECIAL), UNLIKE][k // 2 % (len(SPECIAL) + 1)]


def follow(bulk: Bulk, one: int, game: tavli.Game, ends: npt.NDArray[np.int8], choice: int) -> None:
    """Make one play of a running game in a ``Game`` too, and hold the two together."""
    live = bulk.games[one]
    if game.dice is None:
        game.roll()
    assert game.dice == (live["die1"], live["die2"])
    assert (game.player, game.rolls) == (live["player"], tuple(live["rolls"].tolist()))
    assert game.position.row.tolist() == live["row"].tolist()
    assert bool(game.stages) == live["stage"]
    assert not game.stages or game.stages[0].steps == live["steps"]
    plays = game.plays
    assert len(plays) == live["plays"]
    end = ends[bulk.offsets[one] + choice].tolist()
    if not plays:
        assert end == game.position.flip().row.tolist()
        game.play("pass")
        return
    assert end == plays[choice].next.row.tolist()
    game.play(choice)


def held_against_games(name: str, switches: dict[str, Value], seed: int) -> int:
    """Play a few games in lockstep and each as a ``Game``; returns how many plays were made."""
    variant = tavli.variant(name, **switches)
    rng = Random(seed)
    bulk = Bulk(variant, 3, seed, number=seed)
    games = [tavli.Game(variant, seed=seed, number=seed + i) for i in range(3)]
    made = 0
    while not (bulk.games["state"] == OVER).all():
        ends = bulk.plays()
        counts = np.diff(bulk.offsets)
        choice = np.array([rng.randrange(max(int(n), 1)) for n in counts], dtype=np.int64)
        for one in np.flatnonzero(counts):
            follow(bulk, int(one), games[one], ends, int(choice[one]))
            made += 1
        bulk.play(ends, choice)
    for live, game in zip(bulk.games, games, strict=True):
        assert game.outcome is not None
        winner = {0: None, 1: 0, -1: 1}[int(np.sign(live["points"]))]
        assert (winner, abs(live["points"])) == game.outcome[:2]
    return made


@pytest.mark.parametrize("k", range(24))
def test_games_in_lockstep_are_those_of_game(k: int) -> None:
    """The same dice, plays, stages, turns and outcomes for any rules and any plays."""
    name, switches = some_rules(Random(k), k)
    assert held_against_games(name, switches, seed=1000 + k) > 30


@pytest.mark.parametrize("policies", [(RANDOM, RANDOM), (PIPS, PIPS), (PIPS, RANDOM)])
@pytest.mark.parametrize("k", range(12))
def test_twins_play_the_same_games(k: int, policies: tuple[int, int]) -> None:
    """Every field of every record, to a limit of rolls and to the end."""
    name, switches = some_rules(Random(k), k)
    fast = Bulk(tavli.variant(name, **switches), 2, seed=k)
    plain = Bulk(tavli.variant(name, engine="reference", **switches), 2, seed=k)
    for limit in (0, 7, 40):
        for bulk in (fast, plain):
            bulk.games["state"][bulk.games["state"] == TRUNCATED] = RUNNING
        played, again = fast.run(*policies, limit), plain.run(*policies, limit)
        assert (played[LASTING] == again[LASTING]).all()
        assert (played["plies"] <= limit + 1).all()


def test_policies_of_the_kernels_are_those_in_lockstep() -> None:
    """A game run to its end goes the way of the one played choice by choice."""
    for name in ("portes", "plakoto", "crazy_narde"):
        variant = tavli.variant(name)
        for policy in (RANDOM, PIPS):
            run = Bulk(variant, 50, seed=5).run(policy, policy)
            bulk = Bulk(variant, 50, seed=5)
            choice = np.zeros(50, dtype=np.int64)
            while not (bulk.games["state"] == OVER).all():
                ends = bulk.plays()
                if policy == PIPS:
                    scores = np.zeros(len(ends), dtype=np.int32)
                    weights = pip_scores.weights(variant.rules)
                    bulk.bulk.scores(bulk.engine, ends, weights, scores)
                    bulk.bulk.lowest(scores.astype(np.float64), bulk.offsets, choice)
                else:
                    bulk.bulk.random_choice(bulk.games, choice, np.ones(50, dtype=np.uint8))
                bulk.play(ends, choice)
            assert (run[LASTING] == bulk.games[LASTING]).all()


def test_choices_and_noise_are_the_same_in_both_engines() -> None:
    """Lowest values, random choices and noise, game by game."""
    fast, plain = (
        Bulk(tavli.variant("plakoto", engine=engine), 6, seed=3)
        for engine in ("kernel", "reference")
    )
    ends = fast.plays()
    assert (ends == plain.plays()).all()
    values = np.random.default_rng(1).normal(size=len(ends)).round(1)
    noisy = []
    for bulk in (fast, plain):
        choice = np.full(6, -1, dtype=np.int64)
        bulk.bulk.lowest(values, bulk.offsets, choice)
        lowest = [values[low:high].argmin() for low, high in zip(*slices(bulk), strict=True)]
        assert choice.tolist() == lowest
        bulk.bulk.random_choice(bulk.games, choice, np.array([1, 0] * 3, dtype=np.uint8))
        assert choice[1::2].tolist() == lowest[1::2]
        noisy.append(values.copy())
        bulk.bulk.add_noise(bulk.games, noisy[-1], bulk.offsets, 0.5)
    assert np.allclose(*noisy, rtol=0, atol=1e-12)
    assert (fast.games[LASTING] == plain.games[LASTING]).all()


def slices(bulk: Bulk) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where the plays of each game begin and end."""
    return bulk.offsets[:-1], bulk.offsets[1:]


def test_noise_is_normal() -> None:
    """Mean, deviation and tails of 100,000 draws."""
    bulk = Bulk(tavli.variant("portes"), 10, seed=8)
    values = np.zeros(100_000)
    offsets = np.linspace(0, 100_000, 11).astype(np.int64)
    bulk.bulk.add_noise(bulk.games, values, offsets, 2.0)
    assert abs(values.mean()) < 4 * 2 / np.sqrt(100_000)
    assert abs(values.std() / 2 - 1) < 0.01
    assert abs((np.abs(values) > 2 * 1.959964).mean() - 0.05) < 0.003


def test_fixed_dice_come_first_and_use_nothing_of_the_stream() -> None:
    """Two fixed rolls, then the stream goes on where it would have begun."""
    variant = tavli.variant("portes")
    fixed, plain = Bulk(variant, 1, seed=2), Bulk(variant, 1, seed=2)
    fixed.games["fixed"] = [[36, 1]]
    rolls = []
    for bulk in (fixed, fixed, fixed, plain):
        ends = bulk.plays()
        rolls.append((int(bulk.games["die1"][0]), int(bulk.games["die2"][0])))
        bulk.play(ends, np.zeros(1, dtype=np.int64))
    assert rolls[:2] == [(6, 6), (1, 1)]
    assert rolls[2] == rolls[3]


def test_scores_of_both_views_add_up_to_nothing() -> None:
    """The kernels' score is that of the twin, and antisymmetric."""
    for name in tavli.variants():
        variant, twin = tavli.variant(name), tavli.variant(name, engine="reference")
        rows, _ = variant.sample(300, seed=4)
        scores, again, flipped = (np.zeros(300, dtype=np.int32) for _ in range(3))
        weights = pip_scores.weights(variant.rules)
        variant._games.scores(variant._engine, rows, weights, scores)
        twin._games.scores(twin._engine, rows, weights, again)
        variant._games.scores(variant._engine, variant.flip(rows), weights, flipped)
        assert scores.any()
        assert (scores == again).all()
        assert (scores == -flipped).all()
        assert (variant.pip_values(rows) == -variant.pip_values(variant.flip(rows))).all()


def test_known_values_are_those_of_decided_games(engine: str) -> None:
    """Checkers off and mothers; nothing else is touched."""
    rng = Random(6)
    for name in ("portes", "plakoto", "tawla31"):
        variant = tavli.variant(name, engine=engine)
        rows = np.array([constructed(rng, variant.rules) for _ in range(150)], dtype=np.int8)
        values = np.full(len(rows), 0.25)
        variant._games.known(variant._engine, rows, values)
        over, points = variant.result(rows)
        assert over.any()
        assert (values[~over] == 0.25).all()
        # a void game is not decided by checkers off or mothers
        written = values != 0.25
        assert (values[written] == points[written]).all()
        assert (written | (points == 0))[over].all()


def test_dealing_gives_each_game_the_streams_of_its_number(engine: str) -> None:
    """The same words as ``Stream``."""
    games = np.zeros(3, dtype=GAME)
    tavli.variant("portes", engine=engine)._games.deal(games, 2**64 - 1, 40)
    assert games["number"].tolist() == [40, 41, 42]
    for game in games:
        stream = Stream(2**64 - 1, int(game["number"]))
        assert (game["dice"]["key"], game["dice"]["counter"]) == (stream.key, 0)
        choices = Stream(choice_seed(2**64 - 1), int(game["number"]))
        assert game["choices"]["key"] == choices.key


@pytest.mark.parametrize(
    ("name", "switches"),
    [
        ("narde_balanced", {}),
        ("tawla31", {"balancing_turn": "second_player"}),
        ("portes", {"balancing_turn": "second_player"}),
    ],
)
def test_twins_play_balancing_turns_alike(name: str, switches: dict[str, str]) -> None:
    """The starter has one checker left, the second player many, anywhere."""
    fast = tavli.variant(name, **switches)
    plain = tavli.variant(name, engine="reference", **switches)
    rng = Random(3)
    rows = []
    while len(rows) < 60:
        row = np.array(constructed(rng, fast.rules), dtype=np.int8)
        own = [point for point in range(1, 25) if row[point] > 0]
        if not row[25] and not row[0] and not row[28:].any() and own:
            for point in own:
                row[point] = 0
            row[rng.choice(own)], row[26] = 1, 14
            rows.append(row)
    games = []
    for variant in (fast, plain):
        bulk = Bulk(variant, len(rows), seed=2)
        bulk.games["row"] = rows
        bulk.games["player"] = bulk.games["starter"] = 0
        bulk.games["die1"] = bulk.games["die2"] = 0
        games.append(bulk.run(PIPS, PIPS))
    assert (games[0][LASTING] == games[1][LASTING]).all()
    assert (games[0]["balancing"] == 1).any()


def test_games_that_are_over_and_choices_outside(engine: str) -> None:
    """Where they are, in either engine."""
    bulk = tavli.variant("portes", engine=engine)._games
    games = np.zeros(5, dtype=GAME)
    games["state"][[1, 4]] = OVER
    slots = np.full(5, -1, dtype=np.int64)
    assert bulk.ended(games, slots) == 2
    assert slots[:2].tolist() == [1, 4]
    offsets = np.array([0, 2, 2, 5], dtype=np.int64)
    for choice, bad in (
        ([1, 0, 2], 1),  # a game without plays has no choice
        ([2, 0, 0], 0),
        ([-1, 0, 0], 0),
    ):
        assert bulk.first_outside(offsets, np.array(choice, dtype=np.int64)) == bad
    assert bulk.first_outside(offsets[[0, 1, 3]], np.array([1, 2], dtype=np.int64)) == -1


def with_last_checkers(rng: Random, variant: tavli.Variant) -> list[int]:
    """A row with few opposing checkers left, pinned where pins are."""
    row = [0] * 32
    direction = variant.rules.direction
    left = rng.choice([1, 1, 2])
    row[27] = 15 - left
    mask = 0
    for point in rng.sample(range(1, 25), left):
        if variant.rules.contact == "pin":
            row[point], mask = 1, mask | 1 << point
        else:
            row[point] = -1
    free = [p for p in range(1, rng.choice([7, 7, 13, 25])) if row[p] >= 0]
    if direction == "parallel":
        free = free[:12]
    for _ in range(15 - sum(n for n in row[1:25] if n > 0)):
        row[rng.choice(free)] += 1
    row[28:] = np.array([mask], dtype="<u4").view(np.int8).tolist()
    return row


@pytest.mark.parametrize("name", tavli.variants())
def test_twins_choose_the_same_play(name: str) -> None:
    """One roll by ``pips``, from anywhere, and where the sides may part."""
    rng = Random(name)
    variant = tavli.variant(name)
    made = [constructed(rng, variant.rules) for _ in range(40)]
    made += [with_last_checkers(rng, variant) for _ in range(60)]
    rows = np.array(made, dtype=np.int8)
    rows = rows[~variant.result(rows).over]
    played = []
    for engine in ("kernel", "reference"):
        bulk = Bulk(tavli.variant(name, engine=engine), len(rows), seed=5)
        bulk.games["row"] = rows
        bulk.games["die1"] = bulk.games["die2"] = bulk.games["plies"] = 0
        played.append(bulk.run(PIPS, PIPS, limit=1)[LASTING].copy())
    differ = np.flatnonzero(played[0] != played[1])
    assert not len(differ), rows[differ[0]].tolist()
