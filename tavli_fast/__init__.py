"""Legal plays of Greek tavli and its relatives: Portes, Plakoto, Fevga and more.

Positions are packed rows of 32 bytes (``docs/rows.md``), rules are presets and switches
(``docs/rules.md``), and :func:`variant` binds the two to an engine.
"""

from .errors import (
    GameOver,
    IllegalCode,
    IllegalPlay,
    InvalidDice,
    InvalidPosition,
    NotARace,
    NotationError,
    RecordError,
    RuleConflict,
    TavliError,
    UnknownVariant,
)
from .game import Game, Outcome, Played, Stage
from .gnubg import Xgid, read_xgid
from .mat import MatFile, from_mat, to_mat
from .match import Match
from .play import Play, PlayList
from .position import Position, Result
from .records import load, save
from .rules import Rules
from .turn import Turn
from .variant import ROLL_WEIGHTS, ROLLS, Plays, Race, Results, Variant, variant, variants

__all__ = [
    "ROLLS",
    "ROLL_WEIGHTS",
    "Game",
    "GameOver",
    "IllegalCode",
    "IllegalPlay",
    "InvalidDice",
    "InvalidPosition",
    "MatFile",
    "Match",
    "NotARace",
    "NotationError",
    "Outcome",
    "Play",
    "PlayList",
    "Played",
    "Plays",
    "Position",
    "Race",
    "RecordError",
    "Result",
    "Results",
    "RuleConflict",
    "Rules",
    "Stage",
    "TavliError",
    "Turn",
    "UnknownVariant",
    "Variant",
    "Xgid",
    "from_mat",
    "load",
    "read_xgid",
    "save",
    "to_mat",
    "variant",
    "variants",
]
