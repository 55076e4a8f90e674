"""Checks of what callers hand in, before any work is done.

Every check returns what the engines take (contiguous arrays of the exact type) or raises an error
that names the argument, what was found and what would be right.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidDice
from .rows import ROW_BYTES

Rows = npt.NDArray[np.int8]
DiceLike = npt.NDArray[np.integer] | Sequence[int] | Sequence[Sequence[int]]


def check_rows(rows: Rows) -> tuple[Rows, bool]:
    """Rows as contiguous int8[n, 32], and whether a single row int8[32] was given."""
    if not isinstance(rows, np.ndarray):
        raise TypeError(
            f"rows must be an int8 array of shape (32,) or (n, 32), got {type(rows).__name__}"
        )
    plain = np.asarray(rows)  # subclasses may say what they like of shape and items
    if plain.dtype != np.int8:
        raise TypeError(f"rows must have dtype int8, got {plain.dtype}")
    if plain.ndim not in (1, 2) or plain.shape[-1] != ROW_BYTES:
        raise ValueError(f"rows must have shape (32,) or (n, 32), got {plain.shape}")
    return np.ascontiguousarray(plain).reshape(-1, ROW_BYTES), plain.ndim == 1


def check_dice(dice: DiceLike) -> tuple[Rows, bool]:
    """Dice as int8[n, 2] of the callee's own, and whether a single pair was given."""
    try:
        given = np.asarray(dice)
    except ValueError:
        raise ValueError(
            "dice must be a pair or have shape (n, 2), got a ragged sequence"
        ) from None
    if given.size == 0 and given.shape[-1:] != (2,):
        raise ValueError(f"dice must be a pair or have shape (n, 2), got {given.shape}")
    booleans = given.ndim == 1 and any(isinstance(die, (bool, np.bool_)) for die in dice)
    if given.dtype.kind not in "iu" or booleans:
        raise TypeError(f"dice must be integers, got {'bool' if booleans else given.dtype}")
    if given.ndim not in (1, 2) or given.shape[-1] != 2:
        raise ValueError(f"dice must be a pair or have shape (n, 2), got {given.shape}")
    # a copy, checked after copying: the caller may write to his array at any time
    pairs = np.array(given, order="C").reshape(-1, 2)
    # two reductions: ten times faster than looking at every pair
    if pairs.size and (pairs.min() < 1 or pairs.max() > 6):
        i = int(((pairs < 1) | (pairs > 6)).any(axis=1).argmax())
        raise InvalidDice(f"dice {i}: {tuple(pairs[i].tolist())} found, a die is 1 to 6")
    return pairs.astype(np.int8, copy=False), given.ndim == 1


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
    given: npt.NDArray[np.generic],
    name: str,
    dtype: type[np.generic],
    shape: tuple[int, ...],
    at_least: bool = False,
) -> npt.NDArray[Any]:
    """An output array: type, shape (``at_least``: room in the first axis), contiguous, writable."""
    if not isinstance(given, np.ndarray):
        raise TypeError(f"{name} must be an array, got {type(given).__name__}")
    out = np.asarray(given)
    if out.dtype != np.dtype(dtype):
        raise TypeError(f"{name} must have dtype {np.dtype(dtype)}, got {out.dtype}")
    fits = out.ndim == len(shape) and out.shape[1:] == shape[1:]
    fits = fits and (out.shape[0] >= shape[0] if at_least else out.shape == shape)
    if not fits:
        need = f"at least {shape}" if at_least else f"{shape}"
        raise ValueError(f"{name} must have shape {need}, got {out.shape}")
    if not out.flags.c_contiguous:
        raise ValueError(f"{name} must be C-contiguous")
    if not out.flags.aligned:
        raise ValueError(f"{name} is not aligned in memory; make it with numpy's own functions")
    if not out.flags.writeable:
        raise ValueError(f"{name} is read-only; it must be writable")
    return out
