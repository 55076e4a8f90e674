"""Legal plays of Greek tavli and its relatives: Portes, Plakoto, Fevga and more.

Positions are packed rows of 32 bytes (``docs/rows.md``), rules are presets and switches
(``docs/rules.md``), and :func:`variant` binds the two to an engine.
"""

from .duel import Duel, duel
from .encode import encode_columns
from .errors import (
    CheckpointError,
    GameOver,
    IllegalCode,
    IllegalPlay,
    InvalidDice,
    InvalidPosition,
    NotARace,
    NotationError,
    PolicyError,
    RecordError,
    RolloutError,
    RuleConflict,
    TavliError,
    UnknownVariant,
    WorkerLost,
)
from .game import Game, Outcome, Played, Stage
from .games import Ended, Games, Stats
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
from .results import Ranked, Ranking, Rollout
from .rollout import merge, rollout
from .rules import Rules
from .selfplay import Decisions, selfplay
from .sums import Estimate
from .turn import Turn
from .variant import ROLL_WEIGHTS, ROLLS, Plays, Race, Results, Variant, variant, variants

__all__ = [
    "ROLLS",
    "ROLL_WEIGHTS",
    "CheckpointError",
    "Decisions",
    "Duel",
    "Ended",
    "Estimate",
    "Game",
    "GameOver",
    "Games",
    "IllegalCode",
    "IllegalPlay",
    "InvalidDice",
    "InvalidPosition",
    "MatFile",
    "Match",
    "Network",
    "NotARace",
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
    "Race",
    "Ranked",
    "Ranking",
    "RecordError",
    "Result",
    "Results",
    "Rollout",
    "RolloutError",
    "RuleConflict",
    "Rules",
    "Stage",
    "Stats",
    "TavliError",
    "Turn",
    "UnknownVariant",
    "Variant",
    "WorkerLost",
    "Xgid",
    "duel",
    "encode_columns",
    "from_mat",
    "load",
    "merge",
    "policy_of",
    "read_xgid",
    "rollout",
    "save",
    "selfplay",
    "to_mat",
    "variant",
    "variants",
]
