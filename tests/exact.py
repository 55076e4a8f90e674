"""What positions are worth exactly when both sides play by a policy; for tests only."""

import numpy as np
import numpy.typing as npt

import tavli_fast as tavli
from tavli_fast.engine import pip_scores

Rows = npt.NDArray[np.int8]


def pip_choices(variant: tavli.Variant, rows: Rows) -> Rows:
    """Ends of the policy "pips" for all 21 rolls, seen by the next player."""
    n = len(rows)
    dice = np.tile(tavli.ROLLS, (n, 1))
    plays = variant.plays(np.repeat(rows, 21, axis=0), dice, keep_pass=True, flipped=True)
    scores = np.empty(len(plays.rows), dtype=np.int32)
    variant._games.scores(variant._engine, plays.rows, pip_scores.weights(variant.rules), scores)
    spans = zip(plays.offsets[:-1], plays.offsets[1:], strict=True)
    return plays.rows[[low + scores[low:high].argmin() for low, high in spans]]


class Exact:
    """Values of all positions that can follow one, for the players on turn.

    Parameters
    ----------
    position : Position
        From which a few thousand others can follow at most.

    Attributes
    ----------
    value : float
        Of the position itself.
    all : float64[n]
        Of all positions that can follow, the first one included.
    """

    def __init__(self, position: tavli.Position) -> None:
        variant = position.variant
        self.place = {position.row.tobytes(): 0}
        new, following, ended = position.row[None], [], []
        while len(new):
            ends = pip_choices(variant, new)
            over, points = variant.result(ends)
            ended.append(np.where(over, points, 0))
            rows = []
            for end, last in zip(ends, over, strict=True):
                if not last and end.tobytes() not in self.place:
                    self.place[end.tobytes()] = len(self.place)
                    rows.append(end)
                following.append(-1 if last else self.place[end.tobytes()])
            new = np.array(rows, dtype=np.int8).reshape(-1, 32)
        self.next = np.array(following).reshape(-1, 21)
        self.points = np.concatenate(ended).reshape(-1, 21)
        self.all = self._solved()
        self.value = float(self.all[0])

    def _solved(self) -> npt.NDArray[np.float64]:
        values = np.zeros(len(self.next) + 1)  # the last one stands for games that are over
        for _ in range(5000):
            after = (self.points + values[self.next]) @ tavli.ROLL_WEIGHTS
            if np.abs(values[:-1] + after).max() < 1e-13:
                return values[:-1]
            values[:-1] = -after
        raise AssertionError("the values do not settle")

    def values(self, rows: Rows) -> npt.NDArray[np.float64]:
        """As a policy: the exact values of rows, 0 where the game is over."""
        found = [self.place.get(row.tobytes(), -1) for row in rows]
        return np.where(np.array(found) < 0, 0.0, self.all[found])
