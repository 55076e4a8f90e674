"""Callers that hand in what they should not: errors that say why, and nothing changed by them."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from positions import constructed

import tavli_fast as tavli
from tavli_fast.rules.arrays import check_dice

Rows = npt.NDArray[np.int8]
Call = Callable[[tavli.Variant], object]

NO_ROWS = np.empty((0, 32), dtype=np.int8)
NO_DICE = np.empty((0, 2), dtype=np.int8)


def bound(name: str, engine: str) -> tavli.Variant:
    """A preset on an engine."""
    return tavli.variant(name, engine=engine)


def some_rows(variant: tavli.Variant, number: int = 6) -> Rows:
    """Rows of the first games of a seed."""
    return variant.sample(number + 20, seed=1)[0][20:]


def error_of(call: Callable[[], object]) -> tuple[type, str] | None:
    """Type and message of what a call raises."""
    try:
        call()
    except Exception as error:  # any type: the test compares it
        return type(error), str(error)
    return None


def changed(row: Rows, **bytes_by_name: int) -> Rows:
    """A copy of a row with bytes replaced, named ``b<number>``."""
    new = row.copy()
    for name, value in bytes_by_name.items():
        new[int(name[1:])] = value
    return new


# --- rows -----------------------------------------------------------------------------------------

START = tavli.variant("portes", engine="reference").start_row()

NO_ROW_ARRAYS = {
    "list": (START.tolist(), TypeError, "list"),
    "tuple of rows": ((START, START), TypeError, "tuple"),
    "None": (None, TypeError, "NoneType"),
    "bytes": (START.tobytes(), TypeError, "bytes"),
    "int16": (START.astype(np.int16), TypeError, "int16"),
    "int16, bytes swapped": (START.astype(">i2"), TypeError, ">i2"),
    "uint8": (START.view(np.uint8), TypeError, "uint8"),
    "float64": (START.astype(np.float64), TypeError, "float64"),
    "bool": (START.astype(np.bool_), TypeError, "bool"),
    "object": (START.astype(object), TypeError, "object"),
    "structured": (np.zeros(32, dtype=[("point", np.int8)]), TypeError, "point"),
    "31 bytes": (START[:31], ValueError, "(31,)"),
    "33 bytes": (np.zeros(33, dtype=np.int8), ValueError, "(33,)"),
    "no dimension": (np.array(3, dtype=np.int8), ValueError, "()"),
    "three dimensions": (np.zeros((1, 1, 32), dtype=np.int8), ValueError, "(1, 1, 32)"),
    "transposed": (np.zeros((32, 2), dtype=np.int8), ValueError, "(32, 2)"),
    "empty": (np.zeros(0, dtype=np.int8), ValueError, "(0,)"),
}

CALLS_WITH_ROWS: dict[str, Callable[[tavli.Variant, Any], object]] = {
    "count": lambda variant, rows: variant.count(rows, (3, 1)),
    "plays": lambda variant, rows: variant.plays(rows, (3, 1)),
    "flip": lambda variant, rows: variant.flip(rows),
    "encode": lambda variant, rows: variant.encode(rows),
    "pips": lambda variant, rows: variant.pips(rows),
    "result": lambda variant, rows: variant.result(rows),
    "validate": lambda variant, rows: variant.validate(rows),
    "position": lambda variant, rows: variant.position(rows),
}


@pytest.mark.parametrize("call", CALLS_WITH_ROWS.values(), ids=CALLS_WITH_ROWS)
@pytest.mark.parametrize(
    ("rows", "error", "found"), NO_ROW_ARRAYS.values(), ids=NO_ROW_ARRAYS.keys()
)
def test_what_is_no_array_of_rows_is_refused(
    engine: str, call: Callable[..., object], rows: object, error: type, found: str
) -> None:
    """The message names what was found."""
    with pytest.raises(error) as raised:
        call(bound("portes", engine), rows)
    assert type(raised.value) is error
    assert "rows must" in str(raised.value)
    assert found in str(raised.value)


def test_rows_in_any_memory_layout_give_the_right_answer(engine: str) -> None:
    """Strides, Fortran order, backwards, read-only, subclasses, an explicit byte order."""
    variant = bound("portes", engine)
    rows = some_rows(variant)
    dice = (3, 1)
    wide = np.zeros((6, 64), dtype=np.int8)
    wide[:, ::2] = rows
    backwards = rows[::-1].copy()
    frozen = rows.copy()
    frozen.flags.writeable = False
    for layout in (
        wide[:, ::2],
        np.asfortranarray(rows),
        backwards[::-1],
        frozen,
        rows.astype(">i1"),
        np.ma.MaskedArray(rows),
        rows.repeat(2, axis=0)[::2],
    ):
        assert variant.count(layout, dice).tolist() == variant.count(rows, dice).tolist()
        assert np.array_equal(variant.plays(layout, dice).rows, variant.plays(rows, dice).rows)
        assert np.array_equal(variant.flip(layout), variant.flip(rows))
        assert np.array_equal(variant.encode(layout), variant.encode(rows))
        assert np.array_equal(variant.pips(layout), variant.pips(rows))
        assert np.array_equal(variant.result(layout).points, variant.result(rows).points)
    column = np.zeros((32, 3), dtype=np.int8)
    column[:, 1] = rows[0]
    assert variant.count(column[:, 1], dice) == variant.count(rows[0], dice)


def test_rows_and_dice_are_not_changed(engine: str) -> None:
    """No call writes into its inputs."""
    variant = bound("plakoto", engine)
    rows, dice = variant.sample(30, seed=2)
    before, dice_before = rows.copy(), dice.copy()
    variant.count(rows, dice)
    variant.plays(rows, dice, steps=True, keep_pass=True, flipped=True)
    variant.flip(rows)
    variant.pips(rows)
    variant.result(rows)
    variant.validate(rows)
    assert np.array_equal(rows, before)
    assert np.array_equal(dice, dice_before)


def test_no_rows_have_no_answers(engine: str) -> None:
    """Zero queries are answered, in the right types and shapes."""
    variant = bound("portes", engine)
    for rows, dice in ((NO_ROWS, (3, 1)), (NO_ROWS, NO_DICE), (START, NO_DICE)):
        counts = variant.count(rows, dice)
        assert (counts.shape, counts.dtype) == ((0,), np.int64)
        plays = variant.plays(rows, dice, steps=True, keep_pass=True)
        assert plays.offsets.tolist() == [0]
        assert (plays.rows.shape, plays.rows.dtype) == ((0, 32), np.int8)
        assert (plays.steps.shape, plays.steps.dtype) == ((0, 4, 2), np.int8)
    assert variant.flip(NO_ROWS).shape == (0, 32)
    assert variant.pips(NO_ROWS).shape == (0, 2)
    assert variant.result(NO_ROWS).over.shape == variant.result(NO_ROWS).points.shape == (0,)
    variant.validate(NO_ROWS)
    assert variant.sample(0, seed=1)[0].shape == (0, 32)
    assert variant.sample(0, seed=1)[1].shape == (0, 2)


def test_types_of_answers(engine: str) -> None:
    """Numpy types for many rows, plain Python for one."""
    variant = bound("portes", engine)
    rows = some_rows(variant)
    assert type(variant.count(START, (3, 1))) is int
    assert type(variant.result(START).over) is bool
    assert type(variant.result(START).points) is int
    assert variant.count(rows, (3, 1)).dtype == np.int64
    assert variant.count(START[None], (3, 1)).shape == (1,)
    assert variant.count(START, [(3, 1)]).shape == (1,)
    assert variant.result(rows).over.dtype == np.bool_
    assert variant.result(rows).points.dtype == np.int8
    assert variant.pips(rows).dtype == np.int32
    assert variant.pips(START).shape == (2,)
    assert variant.flip(START).shape == (32,)
    plays = variant.plays(rows, (3, 1))
    assert plays.offsets.dtype == np.int64
    assert plays.steps is None


# --- rows that are no positions -------------------------------------------------------------------

PIN = 1 << 17
PLAKOTO = tavli.variant("plakoto", engine="reference").start_row()
FEVGA = tavli.variant("fevga", engine="reference").start_row()


def with_mask(row: Rows, mask: int) -> Rows:
    """A copy of a row with this pin mask."""
    new = row.copy()
    new[28:32].view("<u4")[0] = mask
    return new


def one_off_for(row: Rows, point: int, sign: int) -> Rows:
    """A copy of a row with one checker fewer on a point."""
    new = row.copy()
    new[point] -= sign
    return new


BAD_ROWS: dict[str, tuple[str, Rows, str]] = {
    "16 checkers": ("portes", changed(START, b24=3), "the mover has 16 checkers"),
    "14 checkers": ("portes", changed(START, b24=1), "the mover has 14 checkers"),
    "16 of the opponent": ("portes", changed(START, b27=1), "the opponent has 16 checkers"),
    "nobody": ("portes", np.zeros(32, dtype=np.int8), "the mover has 0 checkers"),
    "negative bar": ("portes", changed(START, b25=-1, b24=3), "byte 25"),
    "negative bar of the opponent": ("portes", changed(START, b0=-1), "byte 0"),
    "negative off": ("portes", changed(START, b26=-3), "byte 26"),
    "negative off of the opponent": ("portes", changed(START, b27=-128), "byte 27"),
    "16 off": ("portes", changed(START, b26=16), "byte 26 (mover's off) is 16"),
    "127 off": ("portes", changed(START, b26=127), "byte 26"),
    "16 on a point": ("portes", changed(START, b6=16), "point 6 holds 16 checkers"),
    "-128 on a point": ("portes", changed(START, b6=-128), "point 6 holds 128 checkers"),
    # 15 - 128 - 128 = 15 in a byte
    "sum that wraps": ("portes", changed(START, b20=127, b21=127), "point 20 holds 127"),
    "bar without hitting": ("plakoto", changed(PLAKOTO, b24=14, b25=1), "no bar"),
    "bar of the opponent without hitting": ("fevga", changed(FEVGA, b12=-14, b0=1), "no bar"),
    "pins without pinning": ("portes", with_mask(START, 1 << 24), "no pins"),
    "pins in a game without contact": ("fevga", with_mask(FEVGA, 1 << 24), "no pins"),
    "pin on an empty point": ("plakoto", with_mask(changed(PLAKOTO, b24=14), 1 << 9), "point 9"),
    "pin bit 0": ("plakoto", with_mask(PLAKOTO, 1), "outside points 1 to 24"),
    "pin bit 25": ("plakoto", with_mask(PLAKOTO, 1 << 25), "outside points 1 to 24"),
    "pin bit 31": ("plakoto", with_mask(PLAKOTO, 1 << 31), "outside points 1 to 24"),
    "all pin bits": ("plakoto", with_mask(PLAKOTO, (1 << 32) - 1), "outside points 1 to 24"),
    "pinned one too many": ("plakoto", with_mask(PLAKOTO, 1 << 24), "the opponent has 16"),
    "all bytes -128": ("plakoto", np.full(32, -128, dtype=np.int8), "holds 128 checkers"),
}


@pytest.mark.parametrize(("name", "row", "reason"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_rows_that_are_no_positions(engine: str, name: str, row: Rows, reason: str) -> None:
    """Every call refuses them, names the row and the reason, and writes nothing."""
    variant = bound(name, engine)
    rows = np.stack([variant.start_row(), variant.start_row(), row, row])
    counts = np.full(4, 77, dtype=np.int64)
    ends = np.full((4000, 32), 77, dtype=np.int8)
    flipped = np.full((4, 32), 77, dtype=np.int8)
    calls: list[Call] = [
        lambda v: v.count(rows, (3, 1), out=counts),
        lambda v: v.plays(rows, (3, 1), out=ends),
        lambda v: v.flip(rows, out=flipped),
        lambda v: v.pips(rows),
        lambda v: v.result(rows),
        lambda v: v.validate(rows),
        lambda v: v.perft(1, row),
        lambda v: v.position(row),
    ]
    for call in calls:
        with pytest.raises(tavli.InvalidPosition) as raised:
            call(variant)
        message = str(raised.value)
        assert reason in message
        assert message.startswith(("row 2: ", "row 0: "))
    assert message.startswith("row 0: ")
    with pytest.raises(tavli.InvalidPosition, match="row 2: "):
        variant.validate(rows)
    assert (counts == 77).all()
    assert (ends == 77).all()
    assert (flipped == 77).all()


@pytest.mark.parametrize(("name", "row", "reason"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_engines_refuse_rows_in_the_same_words(name: str, row: Rows, reason: str) -> None:
    """Same type, same message."""
    kernel, reference = bound(name, "kernel"), bound(name, "reference")
    error = error_of(lambda: kernel.validate(row))
    assert error == error_of(lambda: reference.validate(row))
    assert error is not None
    assert reason in error[1]


def test_good_rows_of_the_same_kinds_are_taken(engine: str) -> None:
    """The neighbours of the rows above, so that it is the named fault they are refused for."""
    bound("portes", engine).validate(changed(START, b24=1, b25=1))
    bound("portes", engine).validate(changed(START, b24=0, b26=2))
    bound("plakoto", engine).validate(with_mask(changed(PLAKOTO, b24=15, b1=-14), 1 << 24))
    bound("plakoto", engine).validate(with_mask(changed(PLAKOTO, b24=14, b1=-15), 1 << 1))
    bound("fevga", engine).validate(changed(FEVGA, b24=0, b26=15))


def test_random_bytes_are_refused_or_answered() -> None:
    """Both engines alike, on bytes without sense and on positions with one or two bytes changed."""
    numbers = np.random.default_rng(1)
    rng = Random(1)
    for preset in ("portes", "plakoto", "fevga", "narde"):
        kernel, reference = bound(preset, "kernel"), bound(preset, "reference")
        valid = np.array([constructed(rng, kernel.rules) for _ in range(300)], dtype=np.int8)
        spoilt = valid.copy()
        for row in spoilt:
            row[numbers.integers(0, 32, 2)] += numbers.integers(-2, 3, 2, dtype=np.int8)
        senseless = numbers.integers(-128, 128, (300, 32)).astype(np.int8)
        refused = 0
        for row in np.concatenate([valid, spoilt, senseless]):
            error = error_of(partial(kernel.validate, row))
            assert error == error_of(partial(reference.validate, row))
            assert error is None or error[0] is tavli.InvalidPosition
            if error is None:
                assert kernel.count(row, (6, 5)) == reference.count(row, (6, 5))
                assert kernel.result(row) == reference.result(row)
            refused += error is not None
        assert 500 < refused < 600


UNCHECKED = """
import numpy as np
from tavli_fast.engine._kernels.engine import Engine
from tavli_fast.rules.presets import PRESETS, make_rules

numbers = np.random.default_rng(2)
for preset in PRESETS:
    engine = Engine(dict(make_rules(preset, {}).items()))
    wild = numbers.integers(-128, 128, (150, 32)).astype(np.int8)
    tame = numbers.integers(-3, 4, (150, 32)).astype(np.int8)
    full = numbers.choice(np.array([-128, -1, 0, 1, 15, 127], dtype=np.int8), (150, 32))
    rows = np.ascontiguousarray(np.concatenate([wild, tame, full]))
    dice = numbers.integers(1, 7, (len(rows), 2)).astype(np.int8)
    counts = np.zeros(len(rows), dtype=np.int64)
    engine.count(rows, dice, counts)
    offsets = np.concatenate([[0], counts.cumsum()])
    guard = np.full((offsets[-1] + 64, 32), 99, dtype=np.int8)
    steps = np.zeros((offsets[-1], 4, 2), dtype=np.int8)
    engine.fill(rows, dice, offsets, guard[32 : 32 + offsets[-1]], steps, False)
    assert (guard[:32] == 99).all() and (guard[32 + offsets[-1]:] == 99).all()
    engine.flip(rows, np.empty_like(rows))
    engine.pips(rows, np.empty((len(rows), 2), dtype=np.int32))
    over, points = np.empty(len(rows), np.int8), np.empty(len(rows), np.int8)
    engine.result(rows, over, points)
    engine.first_fault(rows)
    engine.perft(rows[:20], 1)
    for row in rows[::15]:
        engine.sample(row, 1, 1, np.empty((50, 32), np.int8), np.empty((50, 2), np.int8))
print("survived")
"""


def test_kernels_survive_rows_that_nobody_checked() -> None:
    """In a process of its own: a crash would take the tests along."""
    run = subprocess.run(
        [sys.executable, "-c", UNCHECKED],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "survived\n"


# --- dice -----------------------------------------------------------------------------------------

NO_DICE_ARRAYS: dict[str, tuple[object, type | tuple[type, ...], str]] = {
    "0": ((0, 1), tavli.InvalidDice, "dice 0: (0, 1)"),
    "7": ((6, 7), tavli.InvalidDice, "dice 0: (6, 7)"),
    "negative": ((-1, 3), tavli.InvalidDice, "dice 0: (-1, 3)"),
    "257, 1 in a byte": ((257, 1), tavli.InvalidDice, "dice 0: (257, 1)"),
    "2**32 + 1": ((2**32 + 1, 1), tavli.InvalidDice, "4294967297"),
    "uint64": (np.array([2**64 - 1, 1], dtype=np.uint64), tavli.InvalidDice, "dice 0"),
    "third pair": ([(1, 2), (3, 4), (5, 0)], tavli.InvalidDice, "dice 2: (5, 0)"),
    "7 in the third pair": ([(1, 2), (3, 4), (7, 5)], tavli.InvalidDice, "dice 2: (7, 5)"),
    "2**70": ((2**70, 1), (TypeError, tavli.InvalidDice), "dice"),
    "floats": ((3.0, 1.0), TypeError, "float64"),
    "float array": (np.array([[3.0, 1.0]]), TypeError, "float64"),
    "bools": ((True, True), TypeError, "bool"),
    "text": ("31", TypeError, "dice must be integers"),
    "None": (None, TypeError, "dice must be integers"),
    "complex": ((1j, 2), TypeError, "complex"),
    "object array": (np.array([3, 1], dtype=object), TypeError, "object"),
    "one die": ((3,), ValueError, "(1,)"),
    "three dice": ((3, 1, 2), ValueError, "(3,)"),
    "a number": (3, ValueError, "()"),
    "three dimensions": ([[[3, 1]]], ValueError, "(1, 1, 2)"),
    "ragged": ([(1, 2), (3,)], ValueError, ""),
    "columns": (np.ones((2, 5), dtype=int), ValueError, "(2, 5)"),
}


@pytest.mark.parametrize(
    ("dice", "error", "found"), NO_DICE_ARRAYS.values(), ids=NO_DICE_ARRAYS.keys()
)
def test_what_is_no_dice_is_refused(
    engine: str, dice: Any, error: type | tuple[type, ...], found: str
) -> None:
    """Before anything is written."""
    variant = bound("portes", engine)
    counts = np.full(3, 77, dtype=np.int64)
    ends = np.full((4000, 32), 77, dtype=np.int8)
    with pytest.raises(error) as raised:
        variant.count(START, dice, out=counts)
    assert found in str(raised.value)
    with pytest.raises(error):
        variant.plays(START, dice, out=ends)
    assert (counts == 77).all()
    assert (ends == 77).all()


def test_dice_of_any_integer_type(engine: str) -> None:
    """Also with an explicit byte order, with strides, as rows of a larger array, in a range."""
    variant = bound("portes", engine)
    wide = np.array([[3, 0, 1, 0], [6, 0, 5, 0], [4, 0, 4, 0]])
    for dtype in ("i1", "u1", "i2", ">i4", "<u4", "i8", ">u8"):
        assert variant.count(START, wide[:, ::2].astype(dtype)).tolist() == [16, 7, 52]
        assert variant.count(START, wide[0, ::2].astype(dtype)) == 16
    assert variant.count(START, wide[:, ::2]).tolist() == [16, 7, 52]
    assert variant.count(START, wide[::-1, ::2]).tolist() == [52, 7, 16]
    assert variant.count(START, [3, 1]) == variant.count(START, (np.int8(1), 3)) == 16


def test_dice_written_over_while_answering_change_nothing(engine: str) -> None:
    """An output that lies over the dice."""
    variant = bound("portes", engine)
    rows = some_rows(variant)
    for dtype in (np.int64, np.int8):
        memory = np.zeros(12, dtype=np.int64)
        dice = memory.view(dtype)[-12:].reshape(6, 2)
        dice[:] = [3, 1]
        expected = variant.count(rows, dice)
        assert np.array_equal(variant.count(rows, dice, out=memory[6:]), expected)


def test_rows_and_dice_that_do_not_match(engine: str) -> None:
    """Both numbers are named."""
    variant = bound("portes", engine)
    rows = some_rows(variant)
    for given, dice, numbers in (
        (rows, [(3, 1)] * 5, "6 rows and 5 dice"),
        (rows, [(3, 1)], "6 rows and 1 dice"),
        (rows, NO_DICE, "6 rows and 0 dice"),
        (rows[:1], [(3, 1)] * 2, "1 rows and 2 dice"),
        (NO_ROWS, [(3, 1)], "0 rows and 1 dice"),
    ):
        with pytest.raises(ValueError, match=numbers):
            variant.count(given, dice)
        with pytest.raises(ValueError, match=numbers):
            variant.plays(given, dice)


# --- outputs --------------------------------------------------------------------------------------


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, locked."""
    array.flags.writeable = False
    return array


def bad_outputs(n: int, dtype: type, width: int | None) -> dict[str, tuple[Any, type, str]]:
    """Outputs for n entries that cannot be taken."""
    shape = (n,) if width is None else (n, width)
    strided = np.zeros((2 * n, *shape[1:]), dtype=dtype)[::2]
    return {
        "list": ([0] * n, TypeError, "list"),
        "wrong type": (np.zeros(shape, dtype=np.int16), TypeError, "int16"),
        "swapped bytes": (np.zeros(shape, dtype=">i4"), TypeError, ">i4"),
        "unsigned": (np.zeros(shape, dtype=np.uint8), TypeError, "uint8"),
        "too small": (np.zeros((n - 1, *shape[1:]), dtype=dtype), ValueError, f"({n - 1}"),
        "too many dimensions": (np.zeros((*shape, 1), dtype=dtype), ValueError, "1)"),
        "not contiguous": (strided, ValueError, "C-contiguous"),
        "read-only": (read_only(np.zeros(shape, dtype=dtype)), ValueError, "read-only"),
    }


BAD_COUNTS = bad_outputs(6, np.int64, None)
BAD_ROW_OUTPUTS = bad_outputs(6, np.int8, 32)


@pytest.mark.parametrize(("out", "error", "found"), BAD_COUNTS.values(), ids=BAD_COUNTS.keys())
def test_outputs_of_count_that_cannot_be_taken(
    engine: str, out: Any, error: type, found: str
) -> None:
    """They are refused unchanged."""
    variant = bound("portes", engine)
    before = copy.deepcopy(out)
    with pytest.raises(error) as raised:
        variant.count(some_rows(variant), (3, 1), out=out)
    assert "out" in str(raised.value)
    assert found in str(raised.value)
    assert np.array_equal(out, before)


@pytest.mark.parametrize(
    ("out", "error", "found"), BAD_ROW_OUTPUTS.values(), ids=BAD_ROW_OUTPUTS.keys()
)
def test_outputs_of_flip_that_cannot_be_taken(
    engine: str, out: Any, error: type, found: str
) -> None:
    """They are refused unchanged."""
    variant = bound("portes", engine)
    before = copy.deepcopy(out)
    with pytest.raises(error) as raised:
        variant.flip(some_rows(variant), out=out)
    assert "out" in str(raised.value)
    assert found in str(raised.value)
    assert np.array_equal(out, before)


@pytest.mark.parametrize(
    ("out", "error", "found"), BAD_ROW_OUTPUTS.values(), ids=BAD_ROW_OUTPUTS.keys()
)
def test_outputs_of_plays_that_cannot_be_taken(
    engine: str, out: Any, error: type, found: str
) -> None:
    """They are refused unchanged; with room for five ends, six are not written."""
    fevga = bound("fevga", engine)
    assert fevga.count(FEVGA, [(5, 5)] * 3).tolist() == [2, 2, 2]
    before = copy.deepcopy(out)
    with pytest.raises(error) as raised:
        fevga.plays(FEVGA, [(5, 5)] * 3, out=out)
    assert "out" in str(raised.value)
    assert found in str(raised.value)
    assert np.array_equal(out, before)


def test_outputs_are_filled_and_given_back(engine: str) -> None:
    """Room beyond what is needed stays as it was."""
    variant = bound("portes", engine)
    rows = some_rows(variant)
    counts = np.full(6, 77, dtype=np.int64)
    assert variant.count(rows, (3, 1), out=counts) is counts
    assert np.array_equal(counts, variant.count(rows, (3, 1)))
    one = np.full(1, 77, dtype=np.int64)
    assert variant.count(START, (3, 1), out=one) is one
    assert one.tolist() == [16]
    expected = variant.plays(rows, (3, 1))
    room = np.full((len(expected.rows) + 9, 32), 77, dtype=np.int8)
    plays = variant.plays(rows, (3, 1), out=room)
    assert np.shares_memory(plays.rows, room)
    assert np.array_equal(plays.rows, expected.rows)
    assert np.array_equal(plays.offsets, expected.offsets)
    assert (room[len(expected.rows) :] == 77).all()
    exact = np.empty_like(expected.rows)
    assert np.array_equal(variant.plays(rows, (3, 1), out=exact).rows, expected.rows)
    flipped = np.empty_like(rows)
    assert variant.flip(rows, out=flipped) is flipped
    assert np.array_equal(flipped, variant.flip(rows))


@pytest.mark.parametrize("shift", [0, 1, 5, 16, 24, 42])
def test_counts_written_over_the_rows(engine: str, shift: int) -> None:
    """The answers are those of the rows as they were."""
    variant = bound("portes", engine)
    rows = some_rows(variant, 12)
    expected = variant.count(rows, (3, 1))
    memory = np.concatenate([rows, np.zeros_like(rows)])
    out = memory.reshape(-1).view(np.int64)[shift : shift + 12]
    assert np.array_equal(variant.count(memory[:12], (3, 1), out=out), expected)


def test_counts_written_over_the_only_row(engine: str) -> None:
    """One row with many dice is read again for each of them."""
    variant = bound("portes", engine)
    expected = variant.count(START, tavli.ROLLS)
    memory = np.zeros((6, 32), dtype=np.int8)
    memory[0] = START
    out = memory.reshape(-1).view(np.int64)[:21]
    assert np.array_equal(variant.count(memory[0], tavli.ROLLS, out=out), expected)


@pytest.mark.parametrize("shift", [0, 1, 3, 10])
def test_ends_written_over_the_rows(engine: str, shift: int) -> None:
    """The answers are those of the rows as they were."""
    variant = bound("portes", engine)
    rows = some_rows(variant, 12)
    expected = variant.plays(rows, (3, 1), steps=True)
    memory = np.zeros((len(expected.rows) + 12, 32), dtype=np.int8)
    memory[:12] = rows
    plays = variant.plays(memory[:12], (3, 1), steps=True, out=memory[shift:])
    assert np.array_equal(plays.rows, expected.rows)
    assert np.array_equal(plays.steps, expected.steps)


@pytest.mark.parametrize("shift", [0, 1, 5, 11])
def test_flipped_rows_written_over_the_rows(engine: str, shift: int) -> None:
    """Exactly or partly over them."""
    variant = bound("portes", engine)
    rows = some_rows(variant, 12)
    expected = variant.flip(rows)
    for low, high in ((0, shift), (shift, 0)):
        memory = np.zeros((24, 32), dtype=np.int8)
        memory[low : low + 12] = rows
        variant.flip(memory[low : low + 12], out=memory[high : high + 12])
        assert np.array_equal(memory[high : high + 12], expected)


# --- numbers --------------------------------------------------------------------------------------

NO_THREADS = [
    (0, ValueError),
    (-1, ValueError),
    (1025, ValueError),
    (2**70, ValueError),
    (True, TypeError),
    (1.5, TypeError),
    (2.0, TypeError),
    ("2", TypeError),
    (None, TypeError),
    (np.bool_(True), TypeError),
    (np.float64(2), TypeError),
    ([1], TypeError),
]


@pytest.mark.parametrize(("threads", "error"), NO_THREADS)
def test_numbers_of_threads_that_cannot_be_taken(engine: str, threads: Any, error: type) -> None:
    """Wherever threads can be given."""
    variant = bound("portes", engine)
    calls: list[Call] = [
        lambda v: v.count(START, (3, 1), threads=threads),
        lambda v: v.plays(START, (3, 1), threads=threads),
        lambda v: v.perft(1, threads=threads),
    ]
    for call in calls:
        with pytest.raises(error, match="threads must be") as raised:
            call(variant)
        assert type(raised.value) is error


def test_numpy_integers_are_numbers(engine: str) -> None:
    """Of any width."""
    variant = bound("portes", engine)
    assert variant.count(START, (3, 1), threads=np.int8(2)) == 16
    assert variant.perft(np.uint64(1)) == 447
    assert variant.sample(np.int16(3), np.uint64(2**64 - 1))[0].shape == (3, 32)


@pytest.mark.parametrize(
    ("depth", "error"),
    [
        (-1, ValueError),
        (31, ValueError),
        (2**70, ValueError),
        (True, TypeError),
        (1.0, TypeError),
        ("1", TypeError),
        (None, TypeError),
    ],
)
def test_depths_that_cannot_be_taken(engine: str, depth: Any, error: type) -> None:
    """Before anything is counted."""
    with pytest.raises(error, match="depth must be"):
        bound("portes", engine).perft(depth)


def test_depth_zero_has_no_first_rolls(engine: str) -> None:
    """There is nothing to divide."""
    with pytest.raises(ValueError, match="depth must be 1"):
        bound("portes", engine).perft(0, divide=True)


@pytest.mark.parametrize(
    ("start", "error"),
    [
        (START[None], ValueError),
        (np.stack([START] * 2), ValueError),
        (NO_ROWS, ValueError),
        (START[:31], ValueError),
        (START.tolist(), TypeError),
        (5, TypeError),
        ("start", TypeError),
        (START.astype(np.int64), TypeError),
        (PLAKOTO + 1, tavli.InvalidPosition),
    ],
)
def test_starts_that_cannot_be_taken(engine: str, start: Any, error: type) -> None:
    """A start is one row or a position."""
    with pytest.raises(error) as raised:
        bound("portes", engine).perft(1, start)
    assert type(raised.value) is error


@pytest.mark.parametrize(
    ("n", "seed", "error", "name"),
    [
        (-1, 1, ValueError, "n"),
        (2**70, 1, ValueError, "n"),
        (1.0, 1, TypeError, "n"),
        (True, 1, TypeError, "n"),
        (None, 1, TypeError, "n"),
        (1, -1, ValueError, "seed"),
        (1, 2**64, ValueError, "seed"),
        (1, 1.0, TypeError, "seed"),
        (1, None, TypeError, "seed"),
    ],
)
def test_samples_that_cannot_be_drawn(
    engine: str, n: Any, seed: Any, error: type, name: str
) -> None:
    """Number and seed."""
    with pytest.raises(error, match=f"{name} must be"):
        bound("portes", engine).sample(n, seed)


# --- both engines alike ---------------------------------------------------------------------------

WRONG_CALLS: dict[str, Call] = {
    "rows as list": lambda v: v.count(START.tolist(), (3, 1)),
    "rows of 33": lambda v: v.flip(np.zeros(33, dtype=np.int8)),
    "rows as int16": lambda v: v.pips(START.astype(np.int16)),
    "bad second row": lambda v: v.plays(np.stack([START, START + 1]), (3, 1)),
    "dice 0": lambda v: v.count(START, (0, 3)),
    "dice 2**70": lambda v: v.count(START, (2**70, 3)),
    "dice as floats": lambda v: v.count(START, (1.0, 3.0)),
    "dice of three": lambda v: v.plays(START, (1, 2, 3)),
    "dice that do not match": lambda v: v.count(np.stack([START] * 2), [(1, 2)] * 3),
    "threads": lambda v: v.count(START, (3, 1), threads=0),
    "out of count": lambda v: v.count(START, (3, 1), out=np.zeros(2, dtype=np.int64)),
    "out of plays": lambda v: v.plays(START, (3, 1), out=np.zeros((2, 32), dtype=np.int8)),
    "out of flip": lambda v: v.flip(START, out=np.zeros((1, 32), dtype=np.int8)),
    "depth": lambda v: v.perft(-1),
    "start": lambda v: v.perft(1, np.stack([START] * 2)),
    "seed": lambda v: v.sample(1, -1),
    "attribute": lambda v: setattr(v, "name", "fevga"),
}


@pytest.mark.parametrize("call", WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_engines_refuse_in_the_same_words(call: Call) -> None:
    """Same type, same message."""
    kernel, reference = bound("portes", "kernel"), bound("portes", "reference")
    error = error_of(lambda: call(kernel))
    assert error is not None
    assert error == error_of(lambda: call(reference))


# --- finished games -------------------------------------------------------------------------------


def test_a_finished_game_has_no_plays(engine: str) -> None:
    """Won, lost, both off, void, lost by the mother: count 0, an empty slice, also with passes."""
    won = changed(np.zeros(32, dtype=np.int8), b26=15, b1=-15)
    lost = changed(np.zeros(32, dtype=np.int8), b27=15, b24=15)
    both = changed(np.zeros(32, dtype=np.int8), b26=15, b27=15)
    plakoto = bound("plakoto", engine)
    pinned = np.zeros(32, dtype=np.int8)
    pinned[[1, 24, 6, 19]] = [1, -1, 13, -13]
    void = with_mask(pinned, 1 << 1 | 1 << 24)
    rows = np.stack([won, lost, both, void])
    assert plakoto.result(rows).over.tolist() == [True] * 4
    assert plakoto.result(rows).points.tolist() == [2, -2, 0, 0]
    for roll in tavli.ROLLS:
        assert plakoto.count(rows, roll).tolist() == [0] * 4
        assert plakoto.plays(rows, roll, keep_pass=True).offsets.tolist() == [0] * 5


# --- variants -------------------------------------------------------------------------------------


def test_variants_are_values(engine: str) -> None:
    """Equal by rules and engine, hashable, picklable, copied, immutable."""
    variant = tavli.variant("fevga", engine=engine, total_block="forbidden")
    again = tavli.variant("fevga", engine=engine, total_block="forbidden")
    assert variant == again
    assert hash(variant) == hash(again)
    for twin in (pickle.loads(pickle.dumps(variant)), copy.copy(variant), copy.deepcopy(variant)):
        assert twin == variant
        assert (twin.name, twin.engine, twin.rules) == ("fevga", engine, variant.rules)
        assert twin.count(twin.start_row(), (5, 5)) == 2
    assert variant != tavli.variant("fevga", engine=engine)
    assert variant != "fevga"
    assert tavli.variant("tapa", engine=engine) == tavli.variant("plakoto", engine=engine)
    assert tavli.variant("fevga", engine="kernel") != tavli.variant("fevga", engine="reference")
    assert len({variant, again, tavli.variant("fevga", engine=engine)}) == 2
    for name in ("name", "rules", "engine", "anything"):
        with pytest.raises(AttributeError):
            setattr(variant, name, "portes")


def test_representation_makes_the_variant_again() -> None:
    """Read as Python."""
    for variant in (
        tavli.variant("narde"),
        tavli.variant("gul_bara", cascade_grace=0),
        tavli.variant("plakoto", engine="reference", mother="immediate"),
    ):
        assert eval(repr(variant), {"variant": tavli.variant}) == variant


def test_an_unknown_engine_is_refused() -> None:
    """The known ones are named."""
    with pytest.raises(tavli.RuleConflict, match="kernel, reference"):
        tavli.variant("portes", engine="kernels")


# --- size and concurrency -------------------------------------------------------------------------


def test_a_million_rows() -> None:
    """Answered by two threads, and the same as their parts."""
    variant = tavli.variant("plakoto")
    rows, dice = variant.sample(1000, seed=4)
    counts = variant.count(np.tile(rows, (1000, 1)), np.tile(dice, (1000, 1)), threads=2)
    assert counts.shape == (1_000_000,)
    assert np.array_equal(counts.reshape(1000, 1000), np.tile(variant.count(rows, dice), (1000, 1)))


def test_one_variant_asked_by_two_threads_at_once(engine: str) -> None:
    """Each gets its own answers."""
    variant = bound("narde", engine)
    size = 20_000 if engine == "kernel" else 60
    questions = [variant.sample(size, seed=seed) for seed in (1, 2)]
    expected = [variant.plays(*question, steps=True) for question in questions]
    with ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            asked = [pool.submit(variant.plays, *q, steps=True) for q in questions]
            for answer, right in zip(asked, expected, strict=True):
                found = answer.result()
                assert np.array_equal(found.offsets, right.offsets)
                assert np.array_equal(found.rows, right.rows)
                assert np.array_equal(found.steps, right.steps)


@pytest.mark.parametrize("dice", [[], [[1, 2], [3]], (True, 1), (1, False)])
def test_sequences_that_are_no_dice(engine, dice):
    """Empty, ragged and truth values: the message speaks of dice."""
    variant = tavli.variant("portes", engine=engine)
    with pytest.raises((TypeError, ValueError), match="dice must be"):
        variant.count(variant.start_row(), dice)


def test_an_output_that_is_not_aligned_is_refused(engine):
    """A store of eight bytes at an odd address is no business of C."""
    variant = tavli.variant("portes", engine=engine)
    out = np.zeros(9, dtype=np.int8)[1:].view(np.int64)
    rows = variant.start_row().reshape(1, 32)
    if not out.flags.aligned:
        with pytest.raises(ValueError, match="not aligned"):
            variant.count(rows, (3, 1), out=out)
    assert variant.count(rows, (3, 1)).tolist() == [16]


def test_perft_of_a_position_of_other_rules_is_refused(engine):
    """A Plakoto start is no place to count Portes from."""
    portes = tavli.variant("portes", engine=engine)
    with pytest.raises(tavli.RuleConflict, match="plakoto"):
        portes.perft(1, tavli.variant("plakoto").start())


@pytest.mark.parametrize(
    "call",
    [
        lambda: tavli.Position.from_id(None),
        lambda: tavli.Position.from_gnubg_id(None),
        lambda: tavli.Position.from_xgid(5),
        lambda: tavli.read_xgid(None),
        lambda: tavli.Game(5),
        lambda: tavli.Match(cycle=[5]),
        lambda: tavli.variant("portes", engine=[]),
    ],
)
def test_values_of_the_wrong_type_are_named(call):
    """Not an error from somewhere inside."""
    with pytest.raises((TypeError, tavli.TavliError), match=r"is a str|must be|no engine"):
        call()


class ManyRows(np.ndarray):
    """An array that claims to be long."""

    shape = property(lambda self: (60_000, 32))


class OneRow(np.ndarray):
    """An array that claims to be one row."""

    ndim = property(lambda self: 1)
    shape = property(lambda self: (32,))


def test_what_a_subclass_says_of_its_shape_is_not_believed(engine):
    """What counts is the memory there is."""
    variant = tavli.variant("portes", engine=engine)
    rows = np.repeat(variant.start_row().reshape(1, 32), 3, axis=0)
    assert np.asarray(variant.flip(rows.view(OneRow))).shape == (3, 32)
    short = np.zeros((1, 32), dtype=np.int8).view(ManyRows)
    with pytest.raises(ValueError, match="out must have shape"):
        variant.flip(rows, out=short)
    with pytest.raises(ValueError, match="out must have shape"):
        variant.plays(rows, (3, 1), out=short)
    with pytest.raises(ValueError, match="0 rows"):
        variant.count(rows[:0].view(OneRow), np.ones((4, 2), dtype=int))
    assert not np.asarray(short).any()


@pytest.mark.parametrize("dtype", [np.int8, np.int64])
def test_checked_dice_are_out_of_the_callers_reach(dtype):
    """Another thread may write to the array after it was checked."""
    given = np.array([[3, 1], [6, 6]], dtype=dtype)
    checked, _ = check_dice(given)
    given[:] = 99
    assert checked.tolist() == [[3, 1], [6, 6]]
