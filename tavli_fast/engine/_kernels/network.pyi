import numpy as np
import numpy.typing as npt

def evaluate(
    features: npt.NDArray[np.float32],
    parameters: npt.NDArray[np.float32],
    widths: npt.NDArray[np.int64],
    hidden: int,
    output: int,
    scale: float,
    out: npt.NDArray[np.float64],
) -> None: ...
