"""Features: the columns are what they are said to be, on both engines, bit for bit."""

import json
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import random_row, random_rules

import tavli_fast as tavli
from tavli_fast.engine._kernels.engine import Engine
from tavli_fast.engine.features import SCHEMES

DATA = Path(__file__).parent / "data" / "encoders.json"
CASES = json.loads(DATA.read_text())["cases"]
GAMES = {"tesauro198": "portes", "pin248": "plakoto", "wall206": "fevga"}
SEEDS = st.integers(0, 2**32 - 1)


def rows_of(variant: tavli.Variant, rng: Random, number: int) -> npt.NDArray[np.int8]:
    """Constructed rows and rows met in play."""
    return np.array([random_row(rng, variant) for _ in range(number)], dtype=np.int8)


def bits(features: npt.NDArray[np.float32]) -> npt.NDArray[np.uint32]:
    """The numbers as they lie in memory: 0 is not -0."""
    assert features.dtype == np.float32
    return features.view(np.uint32)


def sides(features: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], ...]:
    """The blocks of mover and opponent, and the turn."""
    half = features.shape[-1] // 2 - 1
    return features[..., :half], features[..., half : 2 * half], features[..., 2 * half :]


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_golden_positions(case: dict, engine: str) -> None:
    """Positions small enough to write their features down by hand."""
    variant = tavli.variant(case["preset"], engine=engine)
    texts = {key: case[key] for key in ("own", "opp", "own_pinned", "opp_pinned") if key in case}
    row = tavli.Position.parse(variant, **texts).row
    expected = dict.fromkeys(tavli.encode_columns(case["scheme"]), 0.0)
    for name, value in case["features"].items():
        assert name in expected
        expected[name] = float(Fraction(value))
    found = variant.encode(row, case["scheme"])
    assert dict(zip(expected, found.tolist(), strict=True)) == {
        name: float(np.float32(value)) for name, value in expected.items()
    }


def test_every_scheme_and_column_kind_has_a_golden_position() -> None:
    """What follows the point in a name is the kind."""
    seen = {(case["scheme"], name.split(".")[-1]) for case in CASES for name in case["features"]}
    for scheme in GAMES:
        kinds = {name.split(".")[-1] for name in tavli.encode_columns(scheme)} - {"opponent"}
        assert {(scheme, kind) for kind in kinds} <= seen
    assert "raw" in {case["scheme"] for case in CASES}


@pytest.mark.parametrize("preset", tavli.variants())
def test_engines_agree_on_presets(preset: str) -> None:
    """Bit for bit, on every scheme that fits."""
    kernel, reference = tavli.variant(preset), tavli.variant(preset, engine="reference")
    rows = rows_of(kernel, Random(5), 60)
    for scheme in ("raw", None):
        found = kernel.encode(rows, scheme)
        assert np.array_equal(bits(found), bits(reference.encode(rows, scheme)))


@settings(max_examples=150)
@given(SEEDS)
def test_engines_agree_on_mixed_rules(seed: int) -> None:
    """The same with switches replaced."""
    rng = Random(seed)
    preset, switches = random_rules(rng)
    kernel = tavli.variant(preset, **switches)
    reference = tavli.variant(preset, engine="reference", **switches)
    rows = rows_of(kernel, rng, 6)
    for scheme in ("raw", None):
        found = kernel.encode(rows, scheme)
        assert np.array_equal(bits(found), bits(reference.encode(rows, scheme)))


@settings(max_examples=150)
@given(SEEDS)
def test_blocks_change_places_when_the_row_is_flipped(seed: int) -> None:
    """All but the turn, which is the mover's in both views."""
    rng = Random(seed)
    preset, switches = random_rules(rng)
    variant = tavli.variant(preset, **switches)
    rows = rows_of(variant, rng, 6)
    mover, opponent, turn = sides(variant.encode(rows))
    other_mover, other_opponent, other_turn = sides(variant.encode(variant.flip(rows)))
    assert np.array_equal(mover, other_opponent)
    assert np.array_equal(opponent, other_mover)
    assert (turn == [1, 0]).all()
    assert (other_turn == [1, 0]).all()


@settings(max_examples=100)
@given(SEEDS)
def test_raw_is_the_whole_row(seed: int) -> None:
    """The row can be made from its features again."""
    rng = Random(seed)
    preset, switches = random_rules(rng)
    variant = tavli.variant(preset, **switches)
    rows = rows_of(variant, rng, 6)
    features = variant.encode(rows, "raw").astype(np.int64)
    made = np.zeros_like(rows)
    made[:, :28] = features[:, :28]
    made[:, 28:].view("<u4")[:, 0] = features[:, 28:] @ (1 << np.arange(1, 25))
    assert np.array_equal(made, rows)


@settings(max_examples=100)
@given(SEEDS)
def test_units_count_the_checkers(seed: int) -> None:
    """Units, pins, bar and off of a side come to 15, in each scheme."""
    rng = Random(seed)
    preset, switches = random_rules(rng)
    variant = tavli.variant(preset, **switches)
    contact = variant.rules.contact
    for block in sides(variant.encode(rows_of(variant, rng, 6)))[:2]:
        units = block[:, :96].reshape(-1, 24, 4)
        checkers = units[:, :, :3].sum((1, 2)) + 2 * units[:, :, 3].sum(1)
        if contact == "hit":
            checkers += 2 * block[:, 96] + 15 * block[:, 97]
        elif contact == "pin":
            checkers += block[:, 96:120].sum(1) + 15 * block[:, 120]
        else:
            checkers += 15 * block[:, 96]
        assert checkers.round(4).tolist() == [15.0] * 6


def test_a_row_has_the_same_features_alone(engine: str) -> None:
    """A single row gives a single vector."""
    for scheme, game in GAMES.items():
        variant = tavli.variant(game, engine=engine)
        rows, _ = variant.sample(20, seed=3)
        together = variant.encode(rows, scheme)
        assert np.array_equal(together, [variant.encode(row, scheme) for row in rows])
        assert variant.encode(rows[0]).shape == (SCHEMES[scheme].width,)
        assert variant.encode(rows[:0]).shape == (0, SCHEMES[scheme].width)


# --- schemes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCHEMES)
def test_columns_have_names_of_their_own(name: str) -> None:
    """As many as there are, and the number in the name of the scheme."""
    columns = tavli.encode_columns(name)
    assert len(set(columns)) == len(columns) == SCHEMES[name].width
    assert name == "raw" or name.endswith(str(len(columns)))
    assert all(column.meaning for column in SCHEMES[name].block)


@pytest.mark.parametrize("preset", tavli.variants())
def test_schemes_fit_the_contact(preset: str, engine: str) -> None:
    """``raw`` fits all; another one is refused, and those that fit are named."""
    variant = tavli.variant(preset, engine=engine)
    start = variant.start_row()
    fitting = [name for name, game in GAMES.items() if game_contact(game) == variant.rules.contact]
    assert len(fitting) == 1
    assert np.array_equal(variant.encode(start), variant.encode(start, fitting[0]))
    assert variant.encode(start, "raw").shape == (52,)
    for name in {*GAMES} - {*fitting}:
        with pytest.raises(tavli.RuleConflict, match=f"fit are raw, {fitting[0]}$"):
            variant.encode(start, name)


def game_contact(game: str) -> str:
    """The contact of a preset."""
    return tavli.variant(game).rules.contact


def test_unknown_schemes(engine: str) -> None:
    """The ones that exist are named, and the one that was perhaps meant."""
    portes = tavli.variant("portes", engine=engine)
    with pytest.raises(tavli.RuleConflict, match=r"'tesauro'.*did you mean 'tesauro198'.*raw, "):
        portes.encode(portes.start_row(), "tesauro")
    with pytest.raises(TypeError, match="scheme must be a str, got int"):
        portes.encode(portes.start_row(), 198)
    with pytest.raises(tavli.RuleConflict, match="no scheme ''"):
        tavli.encode_columns("")


# --- arguments ------------------------------------------------------------------------------------


def test_output_arrays(engine: str) -> None:
    """They are filled and handed back."""
    fevga = tavli.variant("fevga", engine=engine)
    rows, _ = fevga.sample(5, seed=1)
    out = np.full((5, 206), 77, dtype=np.float32)
    assert fevga.encode(rows, out=out) is out
    assert np.array_equal(out, fevga.encode(rows))
    one = np.full(206, 77, dtype=np.float32)
    assert fevga.encode(rows[2], out=one) is one
    assert np.array_equal(one, out[2])


@pytest.mark.parametrize(
    ("out", "error", "found"),
    [
        (np.zeros((2, 198)), TypeError, "float64"),
        (np.zeros((2, 198), dtype=np.int8), TypeError, "int8"),
        ([[0.0] * 198] * 2, TypeError, "list"),
        (np.zeros((3, 198), dtype=np.float32), ValueError, r"\(3, 198\)"),
        (np.zeros((2, 52), dtype=np.float32), ValueError, r"\(2, 52\)"),
        (np.zeros(198, dtype=np.float32), ValueError, r"\(198,\)"),
        (np.zeros((198, 2), dtype=np.float32).T, ValueError, "C-contiguous"),
        (np.broadcast_to(np.float32(0), (2, 198)), ValueError, "contiguous"),
    ],
)
def test_output_arrays_that_do_not_fit(out: object, error: type, found: str, engine: str) -> None:
    """The message tells what was given."""
    portes = tavli.variant("portes", engine=engine)
    with pytest.raises(error, match=found):
        portes.encode(portes.sample(2, seed=1)[0], out=out)


def test_output_over_the_rows(engine: str) -> None:
    """Features may be written over what they are made from."""
    portes = tavli.variant("portes", engine=engine)
    rows, _ = portes.sample(8, seed=4)
    expected = portes.encode(rows, "raw")
    memory = np.zeros((8, 52), dtype=np.float32)
    shared = memory.view(np.int8).reshape(-1)[: 8 * 32].reshape(8, 32)
    shared[:] = rows
    assert np.array_equal(portes.encode(shared, "raw", out=memory), expected)


def test_bad_rows_change_nothing(engine: str) -> None:
    """The row is named, the output untouched."""
    plakoto = tavli.variant("plakoto", engine=engine)
    rows = np.stack([plakoto.start_row()] * 3)
    rows[1, 24] = 14
    out = np.full((3, 248), 77, dtype=np.float32)
    with pytest.raises(tavli.InvalidPosition, match="row 1: the mover has 14 checkers"):
        plakoto.encode(rows, out=out)
    assert (out == 77).all()


def test_kernels_stay_inside_their_arrays() -> None:
    """Rows without sense are encoded without harm, and a wrong width is refused."""
    rows = np.random.default_rng(6).integers(-128, 128, (500, 32)).astype(np.int8)
    for code, (name, scheme) in enumerate(SCHEMES.items()):
        kernels = Engine(dict(tavli.variant(GAMES.get(name, "fevga")).rules.items()))
        guard = np.full((502, scheme.width), 77, dtype=np.float32)
        kernels.encode(rows, code, guard[1:-1])
        assert (guard[[0, -1]] == 77).all()
        assert np.isfinite(guard).all()
        with pytest.raises(ValueError, match="no room"):
            kernels.encode(rows, code, np.zeros((500, scheme.width - 1), dtype=np.float32))
    with pytest.raises(ValueError, match="no room"):
        kernels.encode(rows, len(SCHEMES), np.zeros((500, 52), dtype=np.float32))
