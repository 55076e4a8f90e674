"""Legal plays of Greek tavli and its relatives: Portes, Plakoto, Fevga and more.

Positions are packed rows of 32 bytes (``docs/rows.md``), rules are presets and switches
(``docs/rules.md``), and :func:`variant` binds the two to an engine.
"""

from .encode import encode_columns
from .errors import (
    GameOver,
    IllegalCode,
    IllegalPlay,
    InvalidDice,
    InvalidPosition,
    NotationError,
    PolicyError,
    RecordError,
    RuleConflict,
    TavliError,
    UnknownVariant,
)
from .game import Game, Outcome, Played, Stage
from .gnubg import Xgid, read_xgid
from .mat import MatFile, from_mat, to_mat
from .match import Match
from .network import Network
from .onnx_model import Onnx
from .play import Play, PlayList
from .policies import policy_of
from .policy import Policy
from .position import Position, Result
from .records import load, save
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
    "MatFile",
    "Match",
    "Network",
    "NotationError",
    "Onnx",
    "Outcome",
    "Play",
    "PlayList",
    "Played",
    "Plays",
    "Policy",
    "PolicyError",
    "Position",
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
    "encode_columns",
    "from_mat",
    "load",
    "policy_of",
    "read_xgid",
    "save",
    "to_mat",
    "variant",
    "variants",
]
