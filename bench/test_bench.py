"""Speed of the main calls, for pytest-benchmark; numbers are reported, never asserted.

Run with ``python -m pytest bench --benchmark-enable``; without the option every call is made once,
so that the asserted totals are checked in the ordinary suite.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import tavli_fast as tavli
from tavli_fast.engine import bearoff
from tavli_fast.measure.other_programs import Finder, installed

POSITIONS = Path(__file__).parent / "data" / "positions-2000.json"
GAMES = ("portes", "plakoto", "fevga", "narde")
# distinct plays of the 2,000 decisions: Portes as six independent programs count them, the others
# of sample(2000, seed=1) as kernel and reference do
TOTALS = {"portes": 37_774, "plakoto": 48_811, "fevga": 27_095, "narde": 22_135}
PERFT3 = {"portes": 116_154_993, "plakoto": 708_405, "fevga": 21_893, "narde": 35_387}


def decisions(game):
    """Rows, dice and, for Portes, the number of plays of each of 2,000 decisions."""
    if game != "portes":
        return (*tavli.variant(game).sample(2000, seed=1), None)
    stored = json.loads(POSITIONS.read_text())
    return (
        np.array(stored["rows"], dtype=np.int8),
        np.array(stored["dice"], dtype=np.int8),
        np.array(stored["plays"]),
    )


@pytest.mark.parametrize("game", GAMES)
def test_count(benchmark, game):
    rows, dice, expected = decisions(game)
    counts = benchmark(tavli.variant(game).count, rows, dice)
    assert counts.sum() == TOTALS[game]
    if expected is not None:
        np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("game", GAMES)
def test_plays(benchmark, game):
    rows, dice, _ = decisions(game)
    plays = benchmark(tavli.variant(game).plays, rows, dice)
    assert len(plays.rows) == TOTALS[game]


@pytest.mark.parametrize(
    ("scheme", "game"),
    [("raw", "portes"), ("tesauro198", "portes"), ("pin248", "plakoto"), ("wall206", "fevga")],
)
def test_encode(benchmark, scheme, game):
    variant = tavli.variant(game)
    rows, _, _ = decisions(game)
    out = np.empty((len(rows), len(tavli.encode_columns(scheme))), dtype=np.float32)
    benchmark(variant.encode, rows, scheme, out)
    twin = tavli.variant(game, engine="reference")
    np.testing.assert_array_equal(out[-20:], twin.encode(rows[-20:], scheme))


@pytest.mark.parametrize("game", GAMES)
def test_perft_depth_3(benchmark, game):
    nodes = benchmark.pedantic(tavli.variant(game).perft, (3,), rounds=3)
    assert nodes == PERFT3[game]


@pytest.mark.parametrize("game", GAMES)
def test_one_position(benchmark, game):
    variant = tavli.variant(game)
    plays = benchmark(variant.count, variant.start_row(), (6, 5))
    assert plays == variant.plays(variant.start_row(), (6, 5)).offsets[-1]


# --- bearing off ----------------------------------------------------------------------------------

SIDES = 100_000


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """Tables are not kept in the user's folder, and none is known that was."""
    monkeypatch.setenv("TAVLI_FAST_CACHE", str(tmp_path))
    monkeypatch.setattr(bearoff, "_TABLES", {})


def home_sides():
    """Mover and opponent of so many home races."""
    ranks = np.random.default_rng(1).integers(1, bearoff.POSITIONS, (2, SIDES))
    return [bearoff.unrank(side) for side in ranks]


def home_rows():
    rows = np.zeros((SIDES, 32), dtype=np.int8)
    mine, his = home_sides()
    rows[:, 1:7], rows[:, 24:18:-1] = mine, -his
    rows[:, 26], rows[:, 27] = 15 - mine.sum(axis=1), 15 - his.sum(axis=1)
    return rows


def test_bearoff_build(benchmark):
    rule = bearoff.rule_of(tavli.variant("portes").rules)
    arrays = benchmark.pedantic(bearoff._build, (rule, None), rounds=3)
    assert arrays["mean"][-1] == pytest.approx(12.26619)


def test_bearoff_look_ups(benchmark, own_cache):
    mean = bearoff.table(tavli.variant("portes").rules).mean
    sides = home_sides()[0]
    found = benchmark(lambda: mean[bearoff.rank(sides)])
    assert found.mean() == pytest.approx(7.26, abs=0.01)


@pytest.mark.parametrize("game", ["portes", "tawla31"])
def test_race_values(benchmark, own_cache, game):
    found = benchmark(tavli.variant(game).race, home_rows())
    assert found.win.mean() == pytest.approx(0.585, abs=0.001)


def test_is_race(benchmark):
    races = benchmark(tavli.variant("portes").is_race, home_rows())
    assert races.all()


@pytest.mark.parametrize("name", ["gnubg-nn", "bgsage"])
def test_peer(benchmark, name):
    found = {peer.name: peer for peer in installed()[0] if isinstance(peer, Finder)}
    if name not in found:
        pytest.skip(f"optional: the package {name} is not installed")
    rows, dice, expected = decisions("portes")
    peer = found[name]
    queries = [
        (peer.board(row), *pair) for row, pair in zip(rows.tolist(), dice.tolist(), strict=True)
    ]
    np.testing.assert_array_equal([peer.distinct(*query) for query in queries], expected)
    benchmark(lambda: [peer.find(*query) for query in queries])
