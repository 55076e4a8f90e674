import numpy as np
import numpy.typing as npt

def twins(
    rows: npt.NDArray[np.int8], deltas: npt.NDArray[np.int8]
) -> list[tuple[tuple[object, ...], tuple[object, ...]]]: ...
