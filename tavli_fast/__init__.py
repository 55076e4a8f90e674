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
from .position import Position
from .rules import Rules
from .variant import ROLL_WEIGHTS, ROLLS, Plays, Results, Variant, variant, variants

__all__ = [
    "ROLLS",
    "ROLL_WEIGHTS",
    "GameOver",
    "IllegalCode",
    "IllegalPlay",
    "InvalidDice",
    "InvalidPosition",
    "NotationError",
    "Plays",
    "Position",
    "Results",
    "RuleConflict",
    "Rules",
    "TavliError",
    "UnknownVariant",
    "Variant",
    "variant",
    "variants",
]
