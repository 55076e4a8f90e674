"""Running games as numpy records: what the kernels and their twin work on."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..rules.rows import ROW_BYTES

_STREAM = np.dtype([("key", np.uint64), ("counter", np.uint64)])

# Laid out like Game of _kernels/games.pxd, where the fields are explained.
GAME = np.dtype(
    [
        ("row", np.int8, (ROW_BYTES,)),
        ("dice", _STREAM),
        ("choices", _STREAM),
        ("number", np.uint64),
        ("rolls", np.int32, (2,)),
        ("plies", np.int32),
        ("plays", np.int32),
        ("player", np.int8),
        ("starter", np.int8),
        ("die1", np.int8),
        ("die2", np.int8),
        ("steps", np.int8),
        ("used", np.int8),
        ("stage", np.int8),
        ("inherited", np.int8),
        ("balancing", np.int8),
        ("state", np.int8),
        ("points", np.int8),
        ("fixed", np.int8, (2,)),
    ],
    align=True,
)
RUNNING, OVER, TRUNCATED, RACE = 0, 1, 2, 3
RANDOM, PIPS = 0, 1  # the policies that need no Python
NO_LIMIT = 2**31 - 1  # of plies

LiveGames = npt.NDArray[Any]  # records of GAME

# what each field may hold, where the kernels go by it
_BOUNDS = {
    "player": (0, 1),
    "starter": (0, 1),
    "die1": (0, 6),
    "die2": (0, 6),
    "steps": (0, 4),
    "used": (0, 4),
    "stage": (0, 1),
    "inherited": (0, 1),
    "balancing": (0, 1),
    "state": (RUNNING, RACE),
    "points": (-15, 15),
    "rolls": (0, 10**9),
    "plies": (0, 10**9),
    "plays": (0, 10**9),
    "fixed": (0, 36),
}


def check_records(games: LiveGames) -> None:
    """Refuse records that no game can have got to, with ``ValueError``; rows are not looked at."""
    for name, (low, high) in _BOUNDS.items():
        outside = (games[name] < low) | (games[name] > high)
        if outside.any():
            bad = int(np.argwhere(outside)[0][0])
            raise ValueError(f"{name} of game {bad} is {games[name][bad]}, not {low} to {high}")
    half = (games["die1"] == 0) != (games["die2"] == 0)
    if half.any():
        raise ValueError(f"game {int(half.argmax())} has one die")
