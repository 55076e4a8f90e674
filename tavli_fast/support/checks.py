"""Checks of numbers, flags and texts that callers give.

Each returns the plain Python value or raises an error that names the argument, what was found and
what would be right.
"""

import numpy as np

MAX_SEED = (1 << 64) - 1


MAX_THREADS = 1024


def check_int(value: int, name: str, low: int, high: int) -> int:
    """A whole number in a range; numpy integers are taken, bool is not."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an int, got {type(value).__name__}")
    number = int(value)
    if not low <= number <= high:
        raise ValueError(f"{name} must be {low} to {high}, got {number}")
    return number


def check_flag(value: bool, name: str) -> bool:
    """True or False, of Python or numpy."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_text(value: str, what: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is a str, got {type(value).__name__}")
    return value
