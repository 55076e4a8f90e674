"""Numbers of positions from the start, against numbers found in more than one way."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tavli_fast as tavli

DATA: dict[str, Any] = json.loads((Path(__file__).parent / "data/perft.json").read_text("utf-8"))
NODE_LIMITS = {"kernel": 200_000_000, "reference": 3_000}
CONFIRMED_BY = {"kernel", "reference", "oracle", "published", "in bulk"}


def entries(engine: str) -> list[Any]:
    """Preset, depth and nodes as far as an engine gets in reasonable time."""
    return [
        pytest.param(engine, preset, int(depth), entry["nodes"], id=f"{engine}-{preset}-{depth}")
        for preset, depths in DATA["presets"].items()
        for depth, entry in depths.items()
        if entry["nodes"] <= NODE_LIMITS[engine]
    ]


def test_data_is_complete_and_has_nothing_else() -> None:
    """Every preset, depths 1 to 3, and some 4, each number found in at least two ways."""
    assert set(DATA) == {"about", "presets", "by_roll"}
    assert list(DATA["presets"]) == tavli.variants()
    for preset, depths in DATA["presets"].items():
        assert list(depths) in (["1", "2", "3"], ["1", "2", "3", "4"]), preset
        for entry in depths.values():
            assert set(entry) == {"nodes", "confirmed_by"}, preset
            assert type(entry["nodes"]) is int
            confirmed = set(entry["confirmed_by"])
            assert confirmed <= CONFIRMED_BY, preset
            assert "kernel" in confirmed, preset
            assert len(confirmed) >= 2, preset
    for preset, rolls in DATA["by_roll"].items():
        assert sorted(rolls) == sorted(f"{high}{low}" for high, low in tavli.ROLLS)
        assert sum(rolls.values()) == DATA["presets"][preset]["1"]["nodes"]


@pytest.mark.parametrize(
    ("engine", "preset", "depth", "nodes"), entries("kernel") + entries("reference")
)
def test_nodes(engine: str, preset: str, depth: int, nodes: int) -> None:
    """All positions, none twice; a wrong number is shown by first roll."""
    variant = tavli.variant(preset, engine=engine)
    found = variant.perft(depth)
    assert found == nodes, f"by first roll: {variant.perft(depth, divide=True)}"


@pytest.mark.parametrize("preset", DATA["by_roll"])
def test_nodes_by_roll(preset: str, engine: str) -> None:
    """Plays of each roll at the start."""
    by_roll = tavli.variant(preset, engine=engine).perft(1, divide=True)
    found = {f"{high}{low}": nodes for (high, low), nodes in by_roll.items()}
    assert found == DATA["by_roll"][preset]


@pytest.mark.parametrize("preset", tavli.variants())
def test_first_rolls_add_up(preset: str) -> None:
    """Dividing by first roll changes no number."""
    variant = tavli.variant(preset)
    by_roll = variant.perft(2, divide=True)
    assert list(by_roll) == [tuple(roll) for roll in tavli.ROLLS.tolist()]
    assert sum(by_roll.values()) == variant.perft(2)


@pytest.mark.parametrize("preset", ["portes", "plakoto", "fevga", "narde"])
def test_threads_change_nothing(preset: str) -> None:
    """The same number from one, two and five threads."""
    variant = tavli.variant(preset)
    depth = 2 if preset == "portes" else 3
    assert {variant.perft(depth, threads=threads) for threads in (1, 2, 5)} == {
        DATA["presets"][preset][str(depth)]["nodes"]
    }


def test_start_and_depth_zero(engine: str) -> None:
    """Any position may be the start, and depth 0 is the position itself."""
    variant = tavli.variant("fevga", engine=engine)
    assert variant.perft(0) == 1
    assert variant.perft(1, variant.start()) == variant.perft(1, variant.start_row()) == 22


def test_a_pass_is_one_node_and_a_finished_game_has_none(engine: str) -> None:
    """Passes are counted, what follows the end of a game is not."""
    portes = tavli.variant("portes", engine=engine)
    closed_out = np.zeros(32, dtype=np.int8)
    closed_out[[25, 26]] = [1, 14]
    closed_out[19:25] = -2
    closed_out[27] = 3
    assert portes.perft(1, closed_out) == 21
    # 21 rolls of the mover, who passes, each followed by the other player's plays
    assert portes.perft(2, closed_out) == 21 * portes.perft(1, portes.flip(closed_out))
    over = np.zeros(32, dtype=np.int8)
    over[[1, 26, 27]] = [-1, 15, 14]
    assert portes.perft(1, over) == 0
    assert portes.perft(0, over) == 1
    assert set(portes.perft(1, over, divide=True).values()) == {0}
    last = np.zeros(32, dtype=np.int8)
    last[[1, 24, 26, 27]] = [1, -1, 14, 14]
    assert portes.perft(1, last) == 21
    assert portes.perft(2, last) == 0


def test_progress_is_told(engine: str) -> None:
    """The callback hears of every part, up to all of them."""
    told: list[tuple[int, int]] = []
    variant = tavli.variant("fevga", engine=engine)
    nodes = variant.perft(3 if engine == "kernel" else 2, progress=lambda *n: told.append(n))
    assert nodes in (21893, 479)
    assert told[-1] == (22, 22)
    assert [done for done, _ in told] == sorted({done for done, _ in told})
