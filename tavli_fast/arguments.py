"""Checks of what callers hand in, before any work is done.

Every check returns what the engines take (contiguous arrays of the exact type) or raises an error
that names the argument, what was found and what would be right.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .errors import InvalidDice
from .rows import ROW_BYTES

Rows = npt.NDArray[np.int8]
DiceLike = npt.NDArray[np.integer] | Sequence[int] | Sequence[Sequence[int]]

MAX_SEED = (1 << 64) - 1


def check_rows(rows: Rows) -> tuple[Rows, bool]:
    """Rows as contiguous int8[n, 32], and whether a single row int8[32] was given."""
    if not isinstance(rows, np.ndarray):
        raise TypeError(
            f"rows must be an int8 array of shape (32,) or (n, 32), got {type(rows).__name__}"
        )
    if rows.dtype != np.int8:
        raise TypeError(f"rows must have dtype int8, got {rows.dtype}")
    if rows.ndim not in (1, 2) or rows.shape[-1] != ROW_BYTES:
        raise ValueError(f"rows must have shape (32,) or (n, 32), got {rows.shape}")
    single = rows.ndim == 1
    # a plain array: subclasses may answer indexing in their own way
    plain = np.ascontiguousarray(rows).view(np.ndarray)
    return plain.reshape(-1, ROW_BYTES), single


def check_dice(dice: DiceLike) -> tuple[Rows, bool]:
    """Dice as int8[n, 2] of the callee's own, and whether a single pair was given."""
    given = np.asarray(dice)
    if given.dtype.kind not in "iu":
        raise TypeError(f"dice must be integers, got {given.dtype}")
    if given.ndim not in (1, 2) or given.shape[-1] != 2:
        raise ValueError(f"dice must be a pair or have shape (n, 2), got {given.shape}")
    pairs = given.reshape(-1, 2)
    # two reductions: ten times faster than looking at every pair
    if pairs.size and (pairs.min() < 1 or pairs.max() > 6):
        i = int(((pairs < 1) | (pairs > 6)).any(axis=1).argmax())
        raise InvalidDice(f"dice {i}: {tuple(pairs[i].tolist())} found, a die is 1 to 6")
    # a copy: the caller may write to his array while the kernels read
    return np.array(pairs, dtype=np.int8, order="C"), given.ndim == 1


def check_queries(rows: Rows, single_row: bool, dice: Rows, single_pair: bool) -> tuple[int, bool]:
    """Number of queries after broadcasting, and whether it is one row with one pair."""
    if single_row:
        return len(dice), single_pair
    if single_pair:
        return len(rows), False
    if len(rows) != len(dice):
        raise ValueError(
            f"{len(rows)} rows and {len(dice)} dice do not match: give as many of both, "
            "a single row of shape (32,), or a single pair"
        )
    return len(rows), False


def check_out(
    out: npt.NDArray[np.generic],
    name: str,
    dtype: type[np.generic],
    shape: tuple[int, ...],
    at_least: bool = False,
) -> None:
    """An output array: type, shape (``at_least``: room in the first axis), contiguous, writable."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{name} must be an array, got {type(out).__name__}")
    if out.dtype != np.dtype(dtype):
        raise TypeError(f"{name} must have dtype {np.dtype(dtype)}, got {out.dtype}")
    fits = out.ndim == len(shape) and out.shape[1:] == shape[1:]
    fits = fits and (out.shape[0] >= shape[0] if at_least else out.shape == shape)
    if not fits:
        need = f"at least {shape}" if at_least else f"{shape}"
        raise ValueError(f"{name} must have shape {need}, got {out.shape}")
    if not out.flags.c_contiguous:
        raise ValueError(f"{name} must be C-contiguous")
    if not out.flags.writeable:
        raise ValueError(f"{name} is read-only; it must be writable")


def check_int(value: int, name: str, low: int, high: int) -> int:
    """A whole number in a range; numpy integers are taken, bool is not."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an int, got {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be {low} to {high}, got {value}")
    return int(value)
