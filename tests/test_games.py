"""``Games``: many games in lockstep are the games of ``Game``, and nothing breaks them."""

import copy
import json
import os
import pickle
import tracemalloc
import zipfile
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import tavli_fast as tavli
from tavli_fast.engine import pip_scores
from tavli_fast.engine.game_records import GAME
from tavli_fast.support.archives import read_archive, write_archive

CASCADES = ["gul_bara", "crazy_narde"]


@pytest.fixture(autouse=True)
def _no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files need not outlast the power here, and waiting for the disk takes most of the time."""
    monkeypatch.setattr("os.fsync", lambda number: None)


def first_plays(games: tavli.Games) -> npt.NDArray[np.int64]:
    """Choices that need nothing: the first play everywhere."""
    return np.zeros(games.n, dtype=np.int64)


def some_plays(games: tavli.Games, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Random choices that do not touch the games' own streams."""
    return (rng.random(games.n) * np.diff(games.plays().offsets)).astype(np.int64)


def moved_on(game: str | tavli.Variant, n: int, seed: int, plies: int) -> tavli.Games:
    """Games after some plies at random."""
    games = tavli.Games(game, n, seed)
    for _ in range(plies):
        games.roll()
        games.play(games.random())
    return games


# --- the same games as Game -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["portes", "plakoto", "fevga", "backgammon", "narde_balanced"])
def test_slots_play_the_games_of_their_numbers(name: str) -> None:
    """Dice, turns and positions of each slot, games that follow included."""
    games = tavli.Games(name, 4, seed=2**63 + 5)
    rng = np.random.default_rng(1)
    single = {k: tavli.Game(name, seed=2**63 + 5, number=k) for k in range(4)}
    ended = 0
    while ended < 6:
        dice, numbers, players, rows = games.roll(), games.numbers, games.players, games.rows
        choice = some_plays(games, rng)
        for i in range(4):
            game = single[int(numbers[i])]
            if game.dice is None:
                game.roll()
            assert game.dice == tuple(dice[i])
            assert (game.player, game.position.row.tolist()) == (players[i], rows[i].tolist())
            game.play(int(choice[i]) if game.plays else "pass")
        begun = max(single)
        for slot, number, player, points in zip(*games.play(choice), strict=True):
            outcome = single[int(number)].outcome
            assert outcome is not None
            assert int(number) == int(numbers[slot])
            won = points if player == 0 else -points
            assert (outcome.winner, outcome.points) == (
                None if won == 0 else int(won < 0),
                abs(won),
            )
            assert player == players[slot]
            ended, begun = ended + 1, begun + 1
            assert games.numbers[slot] == begun
            single[begun] = tavli.Game(name, seed=2**63 + 5, number=begun)


def test_dice_depend_on_seed_and_number_alone() -> None:
    """Not on how many slots there are, nor on what is played."""
    few, many = tavli.Games("portes", 3, seed=4), tavli.Games("portes", 50, seed=4)
    rng = np.random.default_rng(2)
    for _ in range(12):  # no game is over so soon
        assert (few.roll() == many.roll()[:3]).all()
        few.play(first_plays(few))
        many.play(some_plays(many, rng))
    low, high = (tavli.Games("portes", 50, seed=seed).roll() for seed in (4, 4 + 2**40))
    assert (low != high).any()


@pytest.mark.parametrize("name", tavli.variants())
def test_plays_are_those_of_the_variant(name: str, engine: str) -> None:
    """Rows and offsets; a pass is the position seen by the other player."""
    variant = tavli.variant(name, engine=engine)
    games = moved_on(variant, 8, 3, 30 if engine == "kernel" else 6)
    for _ in range(20 if engine == "kernel" else 3):
        rows, dice = games.rows, games.roll()
        plays = games.plays()
        assert plays.steps is None
        expected = variant.plays(rows, dice, keep_pass=True, flipped=True)
        ordinary = games._games["steps"] == 4
        for i in np.flatnonzero(ordinary):
            own, other = (p.rows[p.offsets[i] : p.offsets[i + 1]] for p in (plays, expected))
            assert own.tolist() == other.tolist()
        if name not in CASCADES:
            assert (plays.offsets == expected.offsets).all()
        games.play(games.random())


def test_a_pass_is_one_row() -> None:
    """The unchanged position, and it is the only choice."""
    games = tavli.Games("portes", 200, seed=6)
    passes = 0
    while passes < 20:
        rows, dice = games.rows, games.roll().copy()
        plays = games.plays()
        counts = games.variant.count(rows, dice)
        assert (np.diff(plays.offsets) == np.maximum(counts, 1)).all()
        for i in np.flatnonzero(counts == 0):
            flipped = games.variant.flip(rows[i])
            assert plays.rows[plays.offsets[i]].tolist() == flipped.tolist()
            passes += 1
        games.play(games.random())


@pytest.mark.parametrize("name", ["portes", "plakoto", "tawla31", "narde_balanced", "gul_bara"])
def test_stats_add_up(name: str) -> None:
    """They are the sums over what ``play`` told of."""
    games = tavli.Games(name, 40, seed=9)
    points: list[int] = []
    numbers: list[int] = []
    while len(points) < 100:
        games.roll()
        ended = games.play(games.random())
        points += np.where(ended.players == 0, ended.points, -ended.points).tolist()
        numbers += ended.numbers.tolist()
        won = np.array(points, dtype=int)
        stats = games.stats()
        assert stats[:2] == (len(points), won.sum())
        assert stats.wins == ((won > 0).sum(), (won < 0).sum())
        assert stats.doubles == ((won > 1).sum(), (won < -1).sum())
        assert stats.void == (won == 0).sum()
    assert len(set(numbers)) == len(numbers)
    running = set(games.numbers.tolist())
    assert running | set(numbers) == set(range(40 + len(numbers)))
    assert stats.plies > 10 * stats.games


def test_plies_are_rolls_thrown(engine: str) -> None:
    """One game, counted by hand; stages of a cascade are no rolls of their own."""
    for name in ("portes", "crazy_narde"):
        games = tavli.Games(tavli.variant(name, engine=engine), 1, seed=2)
        rolls = 0
        while not games.stats().games:
            rolls += not games._games["die1"][0]
            games.roll()
            games.play(games.random())
        assert games.stats().plies == rolls


def test_both_engines_play_the_same() -> None:
    """Every array, with random choices and with noise."""
    for name in ("plakoto", "crazy_narde", "backgammon"):
        fast, plain = (
            tavli.Games(tavli.variant(name, engine=engine), 3, seed=11)
            for engine in ("kernel", "reference")
        )
        for ply in range(25):
            assert (fast.roll() == plain.roll()).all()
            for one, other in zip(fast.plays()[:2], plain.plays()[:2], strict=True):
                assert (one == other).all()
            values = np.zeros(len(fast.plays().rows))
            noisy = ply % 2
            choices = [g.argmax(values, noise=1.0) if noisy else g.random() for g in (fast, plain)]
            assert (choices[0] == choices[1]).all()
            for one, other in zip(fast.play(choices[0]), plain.play(choices[1]), strict=True):
                assert (one == other).all()
        assert fast.stats() == plain.stats()


# --- choosing -------------------------------------------------------------------------------------


def test_argmax_takes_the_first_of_equal_values() -> None:
    """Held against numpy game by game; integers and other floats are taken."""
    games = moved_on("portes", 50, 1, 10)
    games.roll()
    offsets, rows, _ = games.plays()
    rng = np.random.default_rng(3)
    for dtype in (np.float64, np.float32, np.float16, np.int8, np.uint16, np.longdouble):
        values = rng.integers(0, 4, len(rows)).astype(dtype)
        expected = [values[low:high].argmax() for low, high in pairwise(offsets)]
        assert games.argmax(values).tolist() == expected
    values = np.full(len(rows), 1e308)  # their sum is infinite, they are not
    assert not games.argmax(values).any()
    assert not games.argmax(np.where(np.arange(len(rows)) % 2, 0.0, -0.0)).any()


def test_numpy_may_raise_for_infinities() -> None:
    """Large values and infinite ones give no other errors or warnings."""
    games = tavli.Games("portes", 1, seed=1)
    games.roll()
    values = np.full(len(games.plays().rows), 1e308)
    with np.errstate(all="raise"):
        assert games.argmax(values).tolist() == [0]
        values[:2] = np.inf, -np.inf
        with pytest.raises(ValueError, match="inf for row 0"):
            games.argmax(values)


def test_argmax_leaves_the_values_alone() -> None:
    games = tavli.Games("portes", 5, seed=1)
    games.roll()
    values = np.linspace(-1, 1, len(games.plays().rows))
    kept = values.copy()
    games.argmax(values, noise=2.0)
    assert (values == kept).all()


def test_noise_is_reproducible() -> None:
    """Drawn from the games' own streams: it does not change dice or other games."""
    few, many = (tavli.Games("plakoto", n, seed=8) for n in (2, 9))
    for _ in range(10):
        assert (few.roll() == many.roll()[:2]).all()
        choices = [g.argmax(np.zeros(len(g.plays().rows)), noise=0.1) for g in (few, many)]
        assert (choices[0] == choices[1][:2]).all()
        few.play(choices[0])
        many.play(choices[1])
    assert few.rows.tolist() == many.rows[:2].tolist()


def test_noise_reaches_every_play() -> None:
    """Of equal values all are chosen, each about as often."""
    games = tavli.Games("portes", 1, seed=3)
    games.roll()
    m = len(games.plays().rows)
    chosen = [int(games.argmax(np.zeros(m), noise=1e-9)[0]) for _ in range(40 * m)]
    counts = np.bincount(chosen, minlength=m)
    assert ((counts - 40) ** 2 / 40).sum() < m + 5 * np.sqrt(2 * m)


# --- errors ---------------------------------------------------------------------------------------


def frozen(games: tavli.Games) -> tuple[Any, ...]:
    """All that plays on, the streams of choices apart."""
    return (
        games._games["row"].tobytes(),
        games._games["dice"].tobytes(),
        games._games["die1"].tobytes(),
        games.stats(),
        games.numbers.tobytes(),
        games._thrown,
    )


def test_order_of_calls() -> None:
    games = tavli.Games("portes", 2, seed=1)
    before = frozen(games)
    for early in (
        games.plays,
        games.random,
        lambda: games.argmax(np.zeros(3)),
        lambda: games.play(first_plays(games)),
    ):
        with pytest.raises(tavli.TavliError, match="not thrown yet"):
            early()
    assert frozen(games) == before
    games.roll()
    before = frozen(games)
    with pytest.raises(tavli.TavliError, match="thrown already"):
        games.roll()
    assert frozen(games) == before
    games.play(first_plays(games))
    with pytest.raises(tavli.TavliError, match="not thrown yet"):
        games.plays()


@pytest.mark.parametrize(
    ("choice", "error", "message"),
    [
        (np.zeros(3), TypeError, "choice must be integers, got float64"),
        (np.zeros(3, dtype=bool), TypeError, "choice must be integers, got bool"),
        (np.zeros(3, dtype=object), TypeError, "choice must be integers"),
        (np.zeros(2, dtype=int), ValueError, r"shape \(3,\), got \(2,\)"),
        (np.zeros((3, 1), dtype=int), ValueError, "shape"),
        (0, ValueError, "shape"),
        (None, TypeError, "choice must be integers"),
        ([0, -1, 0], ValueError, "choice -1 of game 1: it has"),
        ([0, 0, 10_000], ValueError, "choice 10000 of game 2: it has"),
        (np.array([0, 2**64 - 1, 0], dtype=np.uint64), ValueError, "of game 1"),
        (np.array([0, -(2**63), 0]), ValueError, "of game 1"),
    ],
)
def test_wrong_choices_change_nothing(
    choice: Any, error: type[Exception], message: str, engine: str
) -> None:
    games = tavli.Games(tavli.variant("portes", engine=engine), 3, seed=1)
    games.roll()
    plays = games.plays().rows.copy()
    before = frozen(games)
    with pytest.raises(error, match=message):
        games.play(choice)
    assert frozen(games) == before
    assert (games.plays().rows == plays).all()
    assert len(games.play([0, 0, 0])) == 4


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda v: v[:-1], ValueError, "values must have shape"),
        (lambda v: v[None], ValueError, "values must have shape"),
        (lambda v: v > 0, TypeError, "real numbers, got bool"),
        (lambda v: v + 1j, TypeError, "real numbers, got complex"),
        (lambda v: v.astype(str), TypeError, "real numbers"),
        (lambda v: v.astype(object), TypeError, "real numbers"),
        (lambda v: np.where(np.arange(len(v)) == 7, np.nan, v), ValueError, "nan for row 7"),
        (lambda v: np.where(np.arange(len(v)) == 2, np.inf, v), ValueError, "inf for row 2"),
        (lambda v: np.where(np.arange(len(v)) == 2, -np.inf, v), ValueError, "-inf for row 2"),
        (lambda v: np.where(np.arange(len(v)) % 2, -np.inf, np.inf), ValueError, "for row 0"),
    ],
)
def test_wrong_values(change: Any, error: type[Exception], message: str) -> None:
    games = tavli.Games("portes", 3, seed=1)
    games.roll()
    values = np.linspace(0, 1, len(games.plays().rows))
    before = frozen(games)
    with pytest.raises(error, match=message):
        games.argmax(change(values))
    assert frozen(games) == before
    for noise in (-1, np.nan, np.inf, 10**400):
        with pytest.raises(ValueError, match="noise must be at least 0 and finite"):
            games.argmax(values, noise=noise)
    for noise in ("1", None, True):
        with pytest.raises(TypeError, match="noise must be a number"):
            games.argmax(values, noise=noise)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("portes", 0, 1), ValueError),
        (("portes", 2**24 + 1, 1), ValueError),
        (("portes", True, 1), TypeError),
        (("portes", 1.0, 1), TypeError),
        (("portes", 1, -1), ValueError),
        (("portes", 1, 2**64), ValueError),
        (("portes", 1, None), TypeError),
        (("nothing", 1, 1), tavli.UnknownVariant),
        ((7, 1, 1), TypeError),
    ],
)
def test_wrong_arguments(arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        tavli.Games(*arguments)


# --- what is handed out ---------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2])
def test_what_is_handed_out_cannot_change_a_game(n: int) -> None:
    """Copies stay what they were, and writing to anything leaves the games as they are."""
    games, same = (tavli.Games("plakoto", n, seed=5) for _ in range(2))
    for _ in range(10):
        rows, players, numbers = games.rows, games.players, games.numbers
        kept = [array.copy() for array in (rows, players, numbers)]
        dice = games.roll()
        assert (same.roll() == dice).all()
        dice[:] = 99
        choice = games.random()
        games.play(choice.copy())
        choice[:] = -5
        same.play(same.random())
        for array, before in zip((rows, players, numbers), kept, strict=True):
            assert (array == before).all()
            array[:] = 77
        assert games.rows.tolist() == same.rows.tolist()
    games.roll()
    with pytest.raises(ValueError, match="read-only"):
        games.plays().offsets[0] = 5


def test_rows_written_to_by_the_caller_break_nothing() -> None:
    """Whatever bytes lie there when a play is made, what follows stays in bounds."""
    rng = np.random.default_rng(4)
    for k, name in enumerate(tavli.variants()):
        games = tavli.Games(name, 20, seed=k)
        for ply in range(15):
            games.roll()
            rows = games.plays().rows
            with pytest.raises(ValueError, match="read-only"):
                rows[0] = 0
            if ply % 5 == 3:
                rows.flags.writeable = True
                spoilt = rng.random(rows.shape) < rng.choice([0.02, 0.3, 1])
                rows[spoilt] = rng.integers(-128, 128, spoilt.sum())
            games.play(some_plays(games, rng))
        assert games.stats().games >= 0


def addresses(games: tavli.Games) -> tuple[int, ...]:
    """Where the arrays of a ply lie in memory."""
    dice, plays = games.roll(), games.plays()
    choice = games.argmax(np.zeros(len(plays.rows)))
    return tuple(array.ctypes.data for array in (dice, plays.offsets, plays.rows, choice))


def test_memory_is_used_again() -> None:
    """After the first plies the arrays stay where they are, and nothing grows."""
    games = moved_on("plakoto", 200, 3, 150)
    where = addresses(games)
    games.play(games.random())
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(300):
            assert addresses(games) == where
            games.play(games.random())
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 100_000  # an array of numbers a ply would be 480,000


# --- files ----------------------------------------------------------------------------------------


def assert_same_from_here(one: tavli.Games, other: tavli.Games, plies: int = 60) -> None:
    """Both play on alike, noise and random choices included."""
    for ply in range(plies):
        if not one._thrown:
            assert (one.roll() == other.roll()).all()
        assert (one.plays().rows == other.plays().rows).all()
        if ply % 3:
            choices = [games.random() for games in (one, other)]
        else:
            zeros = np.zeros(len(one.plays().rows))
            choices = [games.argmax(zeros, noise=1.0) for games in (one, other)]
        assert (choices[0] == choices[1]).all()
        for a, b in zip(one.play(choices[0]), other.play(choices[1]), strict=True):
            assert (a == b).all()
    assert one.stats() == other.stats()
    assert one._games[NAMES].tobytes() == other._games[NAMES].tobytes()


NAMES = [name for name in GAME.names or () if name not in ("plays", "used")]


@pytest.mark.parametrize("when", ["before the roll", "after the roll", "after the plays"])
@pytest.mark.parametrize("name", ["portes", "plakoto", *CASCADES, "narde_balanced", "backgammon"])
def test_saved_games_go_on_bit_for_bit(name: str, when: str, tmp_path: Path) -> None:
    games = moved_on(name, 30, 2**64 - 1, 75)
    if when != "before the roll":
        games.roll()
    if when == "after the plays":
        games.plays()
    if name in CASCADES and when == "before the roll":
        assert games._games["die1"].any()  # stages that wait
    games.save(tmp_path / "games.npz")
    again = tavli.Games.load(tmp_path / "games.npz")
    assert (again.variant, again.n, again.seed) == (games.variant, 30, 2**64 - 1)
    if when != "before the roll":
        with pytest.raises(tavli.TavliError, match="thrown already"):
            again.roll()
    assert_same_from_here(games, again)


def test_files_keep_rules_and_engine(tmp_path: Path) -> None:
    variant = tavli.variant("fevga", engine="reference", single_die="either")
    games = moved_on(variant, 2, 1, 3)
    games.save(tmp_path / "games.npz")
    again = tavli.Games.load(str(tmp_path / "games.npz"))
    assert (again.variant.rules, again.variant.engine) == (variant.rules, "reference")
    assert_same_from_here(games, again, 5)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    """Cut short, or with a byte changed: an error of the package, or the very same games."""
    path = tmp_path / "games.npz"
    moved_on("gul_bara", 3, 1, 40).save(path)
    whole = path.read_bytes()
    good = tavli.Games.load(path)._games.tobytes()
    rng = Random(5)
    for length in [0, 1, *rng.sample(range(len(whole)), 60)]:
        path.write_bytes(whole[:length])
        with pytest.raises(tavli.TavliError, match="holds no games"):
            tavli.Games.load(path)
    refused = 0
    for at in rng.sample(range(len(whole)), 300):
        changed = bytearray(whole)
        changed[at] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        try:
            assert tavli.Games.load(path)._games.tobytes() == good
        except tavli.TavliError:
            refused += 1
    assert refused > 100


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for content in (b"", b"text", b"PK\x03\x04" + bytes(100)):
        path.write_bytes(content)
        with pytest.raises(tavli.TavliError, match="holds no games"):
            tavli.Games.load(path)
    with pytest.raises(OSError, match="No such file"):
        tavli.Games.load(tmp_path / "nothing")
    np.savez(tmp_path / "other.npz", games=np.zeros(3))
    with pytest.raises(tavli.TavliError, match="holds no games"):
        tavli.Games.load(tmp_path / "other.npz")
    tavli.rollout(tavli.variant("portes").start(), games=1, seed=1, checkpoint=tmp_path / "run")
    tavli.rollout(tavli.variant("portes").start(), games=1296, seed=1, checkpoint=tmp_path / "run")
    with pytest.raises(tavli.TavliError, match="holds no games"):
        tavli.Games.load(tmp_path / "run")


def edited(path: Path, about: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Parts of a good file replaced; None takes them out."""
    old_about, old_arrays = read_archive(path)
    write_archive(
        path,
        {k: v for k, v in (old_about | about).items() if v is not None},
        {k: v for k, v in (old_arrays | arrays).items() if v is not None},
    )


@pytest.mark.parametrize(
    ("about", "arrays"),
    [
        ({"format": "tavli_fast games 2"}, {}),
        ({"format": None}, {}),
        ({"variant": None}, {}),
        ({"variant": "nothing"}, {}),
        ({"variant": ["portes"]}, {}),
        ({"variant": {}}, {}),
        ({"engine": "none"}, {}),
        ({"engine": []}, {}),
        ({"switches": {"nothing": 1}}, {}),
        ({"switches": {"contact": "pin", "direction": "parallel"}}, {}),
        ({"switches": {"contact": ["hit"]}}, {}),
        ({"switches": {"name": "portes"}}, {}),
        ({"switches": [1]}, {}),
        ({"switches": 7}, {}),
        ({"seed": -1}, {}),
        ({"seed": 10**30}, {}),
        ({"seed": "1"}, {}),
        ({"seed": True}, {}),
        ({"started": 2}, {}),
        ({"started": 2**64 - 1}, {}),
        ({"started": 4.5}, {}),
        ({"thrown": None}, {}),
        ({"thrown": True}, {}),
        ({}, {"games": None}),
        ({}, {"totals": None}),
        ({}, {"games": np.zeros(0, dtype=GAME)}),
        ({}, {"games": np.zeros((1, 1), dtype=GAME)}),
        ({}, {"games": np.zeros(3, dtype=GAME.newbyteorder())}),
        ({}, {"games": np.zeros(3, dtype=GAME)}),  # no checkers
        ({}, {"games": np.zeros(3)}),
        ({}, {"totals": np.zeros(3, dtype=np.int64)}),
        ({}, {"totals": np.array(["x"] * 7)}),
    ],
)
def test_edited_files_are_refused(
    about: dict[str, Any], arrays: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "games.npz"
    tavli.Games("portes", 3, seed=1).save(path)
    edited(path, {}, {})
    tavli.Games.load(path)
    edited(path, about, arrays)
    with pytest.raises(tavli.TavliError, match="holds no games"):
        tavli.Games.load(path)


@pytest.mark.parametrize("name", ["portes", "plakoto", "crazy_narde", "narde_balanced"])
def test_records_of_any_bytes(name: str, tmp_path: Path) -> None:
    """They are refused, or the games play on: there are plays, and every one can be made."""
    path = tmp_path / "games.npz"
    rng = np.random.default_rng(6)
    small = [0, 1, 2, 3, 4, 5, 6, 14, 15, 255]
    loaded = refused = 0
    for k in range(80):
        games = moved_on(name, 3, k, int(rng.integers(60)))
        if k % 2:
            games.roll()
        games.save(path)
        records = games._games.copy()
        raw = records.view(np.uint8).reshape(3, -1)
        for _ in range(rng.integers(1, 4)):
            # rows are refused nearly always, so most changes are elsewhere
            low = 0 if rng.random() < 0.1 else 32
            raw[rng.integers(3), rng.integers(low, raw.shape[1])] = rng.choice(small)
        edited(path, {"thrown": bool(rng.random() < 0.5)}, {"games": records})
        try:
            games = tavli.Games.load(path)
        except tavli.TavliError:
            refused += 1
            continue
        loaded += 1
        for _ in range(25):
            if not games._thrown:
                dice = games.roll()
                assert ((dice >= 1) & (dice <= 6)).all()
            assert (np.diff(games.plays().offsets) > 0).all()
            games.play(some_plays(games, rng))
    assert loaded > 10
    assert refused > 10


def test_the_file_is_json_and_plain_arrays(tmp_path: Path) -> None:
    tavli.Games("fevga", 3, seed=2**64 - 1).save(tmp_path / "g")
    with zipfile.ZipFile(tmp_path / "g") as archive:
        assert sorted(archive.namelist()) == ["about.json", "games.npy", "totals.npy"]
        about = json.loads(archive.read("about.json"))
    assert (about["seed"], about["started"], about["thrown"]) == (2**64 - 1, 3, False)


# --- copies and threads ---------------------------------------------------------------------------


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_copies_go_their_own_way(how: Any) -> None:
    """Also in the middle of a ply; what one does leaves the other as it is."""
    games = moved_on("crazy_narde", 30, 4, 20)
    games.roll()
    games.plays()
    again = how(games)
    before = frozen(games)
    for _ in range(8):
        again.play(again.argmax(np.zeros(len(again.plays().rows))))
        again.roll()
    assert frozen(games) == before
    for _ in range(8):
        games.play(games.argmax(np.zeros(len(games.plays().rows))))
        games.roll()
    assert frozen(games) == frozen(again)


def test_another_thread_is_refused_while_one_is_at_work() -> None:
    """And may come in afterwards."""
    games = tavli.Games("portes", 3, seed=1)
    games._lock.acquire()
    try:
        with ThreadPoolExecutor(1) as pool:
            for method in (games.roll, games.plays, games.random, lambda: games.play([0, 0, 0])):
                with pytest.raises(tavli.TavliError, match="in use by another thread"):
                    pool.submit(method).result()
    finally:
        games._lock.release()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(games.roll).result().shape == (3, 2)


@pytest.mark.parametrize("name", ["n", "seed", "variant"])
def test_what_games_are_cannot_be_changed(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(tavli.Games("portes", 3, seed=1), name, 2)


@pytest.mark.parametrize(
    ("call", "arrays"),
    [
        ("begin", "games, slots, numbers[:1], start, 1"),
        ("begin", "games, slots, numbers, start[:0], 1"),
        ("count", "games, offsets[:-1]"),
        ("fill", "games, offsets[:-1], ends"),
        ("fill", "games, offsets, ends[:, :8].copy()"),
        ("play", "games, offsets, ends, slots[:1]"),
        ("random_choice", "games, slots, flags[:1]"),
        ("add_noise", "games, values, offsets[:1], 1.0"),
        ("run", "games, 0, 0, weights[:0], 5, False"),
        ("known", "ends, values[:1]"),
        ("scores", "ends, weights, scores[:1]"),
        ("scores", "ends[:, :8].copy(), weights, scores"),
    ],
)
def test_kernels_refuse_arrays_that_do_not_fit(call: str, arrays: str) -> None:
    """Whoever calls them."""
    variant = tavli.variant("portes")
    n = 3
    names = {
        "games": np.zeros(n, dtype=GAME),
        "slots": np.arange(n, dtype=np.int64),
        "numbers": np.arange(n, dtype=np.uint64),
        "start": variant.start_row(),
        "offsets": np.zeros(n + 1, dtype=np.int64),
        "ends": np.zeros((4, 32), dtype=np.int8),
        "flags": np.ones(n, dtype=np.uint8),
        "values": np.zeros(4),
        "scores": np.zeros(4, dtype=np.int32),
        "weights": pip_scores.weights(variant.rules),
    }
    given = eval(f"({arrays})", names)
    engine = () if call in {"random_choice", "add_noise"} else (variant._engine,)
    with pytest.raises(ValueError, match="do not fit"):
        getattr(variant._games, call)(*engine, *given)


def test_kernels_stop_at_offsets_beyond_their_arrays() -> None:
    """Nothing is read or written there."""
    games = tavli.Games("portes", 3, seed=1)
    games.roll()
    plays = games.plays()
    wild = np.array([0, 10**9, 2 * 10**9, 3 * 10**9], dtype=np.int64)
    bulk, engine, records = games._bulk, games._engine, games._games.copy()
    ends, choice = plays.rows.copy(), np.full(3, 7, dtype=np.int64)
    bulk.fill(engine, records, wild, ends)
    bulk.play(engine, records, wild, ends, choice)
    bulk.lowest(np.zeros(4), wild, choice)
    bulk.add_noise(records, np.zeros(4), wild, 1.0)
    assert (ends == plays.rows).all()
    assert (records == games._games).all()
    assert choice.tolist() == [7, 7, 7]


def test_pickling_is_refused_while_another_thread_is_at_work() -> None:
    games = tavli.Games("portes", 3, seed=1)
    with (
        games._lock,
        ThreadPoolExecutor(1) as pool,
        pytest.raises(tavli.TavliError, match="in use"),
    ):
        pool.submit(pickle.dumps, games).result()


def test_arguments_that_play_themselves() -> None:
    """What runs while they are made into arrays comes first, and is played."""
    games, plain = (tavli.Games("portes", 3, seed=1) for _ in range(2))
    games.roll()
    games.plays()

    class Plays:
        def __array__(self, dtype: Any = None, copy: Any = None) -> npt.NDArray[np.int64]:
            games.play([0, 0, 0])
            games.roll()
            return np.zeros(3, dtype=np.int64)

    games.play(Plays())
    for _ in range(2):
        plain.roll()
        plain.play([0, 0, 0])
    assert frozen(games) == frozen(plain)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_fork_is_not_locked_out() -> None:
    games = tavli.Games("portes", 3, seed=1)
    with games._lock:
        child = os.fork()
        if child == 0:
            done = 1
            with ThreadPoolExecutor(1) as pool:
                done = 0 if pool.submit(games.roll).result().shape == (3, 2) else 2
            os._exit(done)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
