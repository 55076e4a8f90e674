"""The engine interface over the rules in plain Python."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...rules import rows as r
from ...rules.rows import Row, row_of
from ...rules.switches import Rules, Value
from ..features import SCHEMES
from ..streams import Stream
from .endings import UNDERSTOOD as OF_ENDINGS
from .endings import result
from .home_races import home_rank, is_home_race, is_race, race_values
from .play_rules import UNDERSTOOD as OF_PLAYS
from .play_rules import Candidate, legal_plays

# what games alone interpret, and where they begin
OF_TURNS: dict[str, tuple[Value, ...]] = {
    "opening": ("reroll_both", "use_opening_dice"),
    "doubles": ("four", "cascade"),
    "cascade_grace": (3, 0),
    "unplayed": ("lost", "opponent_plays"),
    "balancing_turn": ("none", "second_player", "second_player_if_14_off"),
    "next_starter": ("winner", "roll"),
}
OF_STARTS: dict[str, tuple[Value, ...]] = {"layout": ("stack24", "standard")}


@dataclass(frozen=True)
class Engine:
    """The engine interface of ``variant.py`` over this module; arrays are checked by the caller.

    ``rows`` is int8[1 or n, 32] and ``dice`` int8[1 or n, 2]; one row or pair serves all queries.
    """

    rules: Rules

    def __post_init__(self) -> None:
        understood = OF_PLAYS | OF_ENDINGS | OF_TURNS | OF_STARTS
        for name, value in self.rules.items():
            if value not in understood.get(name, ()):
                raise ValueError(f"the reference engine does not know {name}={value!r}")

    def first_fault(self, rows: npt.NDArray[np.int8]) -> int:
        """Index of the first row that is not a position of the rules, or -1."""
        faults = (i for i, row in enumerate(rows) if r.fault(row_of(row), self.rules))
        return next(faults, -1)

    def _queries(
        self, rows: npt.NDArray[np.int8], dice: npt.NDArray[np.int8], n: int
    ) -> Iterator[tuple[Row, list[Candidate], bool]]:
        """Per query: the row, its plays, and whether the game is over on it."""
        for i in range(n):
            row = row_of(rows[i if len(rows) > 1 else 0])
            high, low = dice[i if len(dice) > 1 else 0].tolist()
            over = result(self.rules, row) is not None
            yield row, [] if over else legal_plays(self.rules, row, (high, low)), over

    def count(
        self,
        rows: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
        out: npt.NDArray[np.int64],
        keep_pass: bool = False,
    ) -> int:
        """Number of plays per query; with ``keep_pass`` a pass counts as one.

        Returns the first query whose row is not a position of the rules, where it stopped, or -1.
        """
        bad = self.first_fault(rows[: len(out)])
        sound = len(out) if bad < 0 else bad
        for i, (_, plays, over) in enumerate(self._queries(rows, dice, sound)):
            out[i] = len(plays) or int(keep_pass and not over)
        return bad

    def count_single(self, row: object, dice: object) -> int:
        """Always -1: there is no short way here, ``variant.py`` asks ``count``."""
        return -1

    def fill(
        self,
        rows: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
        offsets: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int8],
        steps: npt.NDArray[np.int8] | None,
        flipped: bool,
    ) -> None:
        """Write the ends of query i at ``offsets[i]``; a counted pass is the row itself."""
        for i, (row, plays, _) in enumerate(self._queries(rows, dice, len(offsets) - 1)):
            at, stop = int(offsets[i]), int(offsets[i + 1])
            written = plays or [Candidate(row, ())] * (stop - at)
            for k, play in enumerate(written, at):
                ends[k] = r.flip(play.end, self.rules.direction) if flipped else play.end
                if steps is not None:
                    steps[k] = [*play.steps, *[(0, 0)] * (4 - len(play.steps))]

    def flip(self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int8]) -> None:
        """Rows seen by the other player."""
        for i, row in enumerate(rows):
            out[i] = r.flip(row_of(row), self.rules.direction)

    def pips(self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int32]) -> None:
        """Pip counts of mover and opponent."""
        for i, row in enumerate(rows):
            out[i] = r.pips(row_of(row), self.rules.direction)

    def encode(self, rows: npt.NDArray[np.int8], scheme: int, out: npt.NDArray[np.float32]) -> None:
        """Features by a scheme, given as its place in ``SCHEMES``."""
        features = list(SCHEMES.values())[scheme].features
        for i, row in enumerate(rows):
            out[i] = features(self.rules, row_of(row))

    def result(
        self, rows: npt.NDArray[np.int8], over: npt.NDArray[np.int8], points: npt.NDArray[np.int8]
    ) -> None:
        """Whether the game is over, and the points of the mover."""
        for i, row in enumerate(rows):
            value = result(self.rules, row_of(row))
            over[i], points[i] = value is not None, value or 0

    def is_race(self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int8], home: bool) -> None:
        """Whether no checkers can meet any more and both sides still play; all at home or off."""
        for i, row in enumerate(rows):
            out[i] = (is_home_race if home else is_race)(self.rules, row_of(row))

    def home_ranks(self, rows: npt.NDArray[np.int8], out: npt.NDArray[np.int32]) -> int:
        """Ranks of mover and opponent in home races (``bearoff.py``).

        Returns the first row that is no home race, where it stopped, or -1.
        """
        for i, array in enumerate(rows):
            row = row_of(array)
            if r.fault(row, self.rules) or not is_home_race(self.rules, row):
                return i
            out[i] = home_rank(row), home_rank(r.flip(row, self.rules.direction))
        return -1

    def race(
        self,
        mean: npt.NDArray[np.float64],
        turns: npt.NDArray[np.float32],
        first: npt.NDArray[np.float32],
        left: npt.NDArray[np.float32],
        ranks: npt.NDArray[np.int32],
        out: npt.NDArray[np.float64],
    ) -> None:
        """Values of home races from the arrays of a ``bearoff.Table``.

        ``out`` is float64[6, n]: win, win_double, lose_double, equity, mean turns of both sides.
        """
        full = len(turns) - len(first)  # the lowest rank with all 15 on the board

        def side(rank: int) -> list[list[float]]:
            none_off = first[rank - full].tolist() if rank >= full else []
            return [turns[rank].tolist(), none_off, left[rank].tolist()]

        for i, (mine, his) in enumerate(ranks.tolist()):
            values = race_values(self.rules, side(mine), side(his))
            out[:, i] = (*values, mean[mine], mean[his])

    def perft(self, rows: npt.NDArray[np.int8], depth: int) -> int:
        """Sum of the perft counts of the rows."""
        return sum(self._perft(row_of(row), depth) for row in rows)

    def _perft(self, row: Row, depth: int) -> int:
        if depth == 0:
            return 1
        if result(self.rules, row) is not None:
            return 0
        return sum(
            self._perft(r.flip(play.end, self.rules.direction), depth - 1)
            for high in range(1, 7)
            for low in range(1, high + 1)
            for play in legal_plays(self.rules, row, (high, low)) or [Candidate(row, ())]
        )

    def sample(
        self,
        start: npt.NDArray[np.int8],
        seed: int,
        game: int,
        rows: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
    ) -> int:
        """Play game number ``game`` at random, write its decisions while there is room.

        Returns the number of decisions written.
        """
        stream, row, met = Stream(seed, game), row_of(start), 0
        while met < len(rows) and result(self.rules, row) is None:
            roll = stream.roll()
            rows[met], dice[met] = row, roll
            met += 1
            plays = legal_plays(self.rules, row, roll)
            end = plays[stream.below(len(plays))].end if plays else row
            row = r.flip(end, self.rules.direction)
        return met
