import numpy as np
import numpy.typing as npt

from .engine import Engine

def rank(checkers: npt.NDArray[np.int8], out: npt.NDArray[np.int32]) -> int: ...
def place(ranks: npt.NDArray[np.int32], out: npt.NDArray[np.int8]) -> int: ...
def best_plays(
    engine: Engine,
    cascade: bool,
    start: int,
    stop: int,
    following: npt.NDArray[np.uint16],
    mean: npt.NDArray[np.float64],
    stage_end: npt.NDArray[np.uint16],
) -> None: ...
def after_a_turn(
    following: npt.NDArray[np.uint16],
    values: npt.NDArray[np.float64],
    out: npt.NDArray[np.float64],
) -> None: ...
def small_plays(
    engine: Engine, ends: npt.NDArray[np.uint16], counts: npt.NDArray[np.uint8]
) -> None: ...
def two_sided(
    ends: npt.NDArray[np.uint16], counts: npt.NDArray[np.uint8], equity: npt.NDArray[np.float64]
) -> None: ...
