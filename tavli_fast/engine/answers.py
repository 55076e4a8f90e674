"""What the bulk methods of ``Variant`` return."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..rules.arrays import Rows


class Results(NamedTuple):
    """Whether games are over and what they gave, from ``Variant.result``.

    Attributes
    ----------
    over : bool[n], or bool for a single row
    points : int8[n], or int for a single row
        Points won (+) or lost (-) by the mover of the row; over with 0 points is a void game.
    """

    over: Any
    points: Any


class Plays(NamedTuple):
    """The plays of many queries, from ``Variant.plays``; see ``docs/rows.md``.

    Attributes
    ----------
    offsets : int64[n + 1]
        Query i owns ``rows[offsets[i]:offsets[i + 1]]``; a pass owns nothing.
    rows : int8[m, 32]
        Ends, without duplicates, in a fixed order.
    steps : int8[m, 4, 2] or None
        (from, die) in playing order, from 25 is the bar, unused steps are (0, 0).
    """

    offsets: npt.NDArray[np.int64]
    rows: Rows
    steps: Rows | None


class Race(NamedTuple):
    """What home races are worth to the mover, who is about to roll; see ``docs/races.md``.

    Attributes
    ----------
    win : float64[n], or float for a single row
        Chance to win.
    win_double, lose_double : float64[n] or float
        Chance that the loser has borne off none; part of ``win`` and of ``1 - win``.
    equity : float64[n] or float
        Points won on average, as ``score_by`` counts them.
    turns, opp_turns : float64[n] or float
        Turns that mover and opponent need to bear off all, on average.
    """

    win: Any
    win_double: Any
    lose_double: Any
    equity: Any
    turns: Any
    opp_turns: Any
