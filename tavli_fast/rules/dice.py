"""The 21 rolls of two dice."""

import numpy as np
import numpy.typing as npt

ROLLS: npt.NDArray[np.int8] = np.array(
    [(high, low) for high in range(1, 7) for low in range(1, high + 1)], dtype=np.int8
)


ROLL_WEIGHTS: npt.NDArray[np.float64] = np.where(ROLLS[:, 0] == ROLLS[:, 1], 1 / 36, 2 / 36)
ROLLS.flags.writeable = ROLL_WEIGHTS.flags.writeable = False
