import numpy as np
import numpy.typing as npt

from ..game_records import LiveGames
from .engine import Engine

def begin(
    engine: Engine,
    games: LiveGames,
    slots: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.uint64],
    start: npt.NDArray[np.int8],
    seed: int,
) -> None: ...
def deal(games: LiveGames, seed: int, number: int) -> None: ...
def stop(engine: Engine, games: LiveGames, limit: int, races: bool) -> None: ...
def throw(engine: Engine, games: LiveGames) -> None: ...
def count(engine: Engine, games: LiveGames, offsets: npt.NDArray[np.int64]) -> None: ...
def fill(
    engine: Engine,
    games: LiveGames,
    offsets: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int8],
) -> None: ...
def play(
    engine: Engine,
    games: LiveGames,
    offsets: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int8],
    choice: npt.NDArray[np.int64],
) -> None: ...
def first_outside(offsets: npt.NDArray[np.int64], choice: npt.NDArray[np.int64]) -> int: ...
def ended(games: LiveGames, slots: npt.NDArray[np.int64]) -> int: ...
def lowest(
    values: npt.NDArray[np.float64],
    offsets: npt.NDArray[np.int64],
    choice: npt.NDArray[np.int64],
) -> None: ...
def random_choice(
    games: LiveGames, choice: npt.NDArray[np.int64], wanted: npt.NDArray[np.uint8]
) -> None: ...
def add_noise(
    games: LiveGames,
    values: npt.NDArray[np.float64],
    offsets: npt.NDArray[np.int64],
    scale: float,
) -> None: ...
def run(
    engine: Engine,
    games: LiveGames,
    first: int,
    second: int,
    weights: npt.NDArray[np.int32],
    limit: int,
    races: bool,
) -> None: ...
def known(engine: Engine, rows: npt.NDArray[np.int8], values: npt.NDArray[np.float64]) -> None: ...
def scores(
    engine: Engine,
    rows: npt.NDArray[np.int8],
    weights: npt.NDArray[np.int32],
    out: npt.NDArray[np.int32],
) -> None: ...
