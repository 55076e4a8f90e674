"""Legal plays of Greek tavli and its relatives: Portes, Plakoto, Fevga and more.

Positions are packed rows of 32 bytes (``docs/rows.md``), rules are presets and switches
(``docs/rules.md``), and :func:`variant` binds the two to an engine.
"""

from .bulk.duel import Duel, duel
from .bulk.games import Ended, Games, Stats
from .bulk.results import Ranked, Ranking, Rollout
from .bulk.rollout import merge, rollout
from .bulk.selfplay import Decisions, selfplay
from .bulk.sums import Estimate
from .engine.answers import Plays, Race, Results
from .engine.features import encode_columns
from .engine.variant import Variant, variant, variants
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
from .game.game import Game, Outcome, Played, Stage
from .game.mat import MatFile, from_mat, to_mat
from .game.match import Match
from .game.play import Play, PlayList
from .game.position import Position, Result
from .game.records import load, save
from .game.turn import Turn
from .policies.base import Policy
from .policies.known import policy_of
from .policies.network import Network
from .policies.onnx_model import Onnx
from .rules.dice import ROLL_WEIGHTS, ROLLS
from .rules.switches import Rules
from .writing.backgammon_ids import Xgid, read_xgid

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
