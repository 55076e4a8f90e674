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
    NotationError,
    RuleConflict,
    TavliError,
    UnknownVariant,
)
from .game import Game, Outcome
from .gnubg import Xgid, read_xgid
from .match import Match
from .play import Play, PlayList
from .position import Position
from .rules import Rules
from .turn import Turn
from .variant import ROLL_WEIGHTS, ROLLS, Plays, Results, Variant, variant, variants

__all__ = [
    "ROLLS",
    "ROLL_WEIGHTS",
    "Game",
    "GameOver",
    "IllegalCode",
    "IllegalPlay",
    "InvalidDice",
    "InvalidPosition",
    "Match",
    "NotationError",
    "Outcome",
    "Play",
    "PlayList",
    "Plays",
    "Position",
    "Results",
    "RuleConflict",
    "Rules",
    "TavliError",
    "Turn",
    "UnknownVariant",
    "Variant",
    "Xgid",
    "read_xgid",
    "variant",
    "variants",
]
