import numpy as np
import numpy.typing as npt

from ...rules.switches import Value

class Engine:
    def __init__(self, switches: dict[str, Value]) -> None: ...
    def first_fault(self, rows: npt.NDArray[np.int8]) -> int: ...
    def count(
        self,
        rows: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
        out: npt.NDArray[np.int64],
        keep_pass: bool = False,
    ) -> int: ...
    def count_single(self, row: object, dice: object) -> int: ...
    def fill(
        self,
        rows: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
        offsets: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int8],
        steps: npt.NDArray[np.int8] | None,
        flipped: bool,
    ) -> None: ...
    def flip(self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int8]) -> None: ...
    def pips(self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int32]) -> None: ...
    def encode(
        self, rows: npt.NDArray[np.int8], scheme: int, out: npt.NDArray[np.float32]
    ) -> None: ...
    def result(
        self,
        rows: npt.NDArray[np.int8],
        over: npt.NDArray[np.int8],
        points: npt.NDArray[np.int8],
    ) -> None: ...
    def is_race(
        self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int8], home: bool
    ) -> None: ...
    def home_ranks(self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int32]) -> int: ...
    def race(
        self,
        mean: npt.NDArray[np.float64],
        turns: npt.NDArray[np.float32],
        first: npt.NDArray[np.float32],
        left: npt.NDArray[np.float32],
        ranks: npt.NDArray[np.int32],
        out: npt.NDArray[np.float64],
    ) -> None: ...
    def perft(self, rows: npt.NDArray[np.int8], depth: int) -> int: ...
    def sample(
        self,
        start: npt.NDArray[np.int8],
        seed: int,
        game: int,
        rows: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
    ) -> int: ...
