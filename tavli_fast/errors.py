"""Every exception of the package. All are ``ValueError``, so a caller may catch wide or narrow."""

from enum import Enum
from typing import Any


class TavliError(ValueError):
    """Base of every error the package raises about positions, dice, plays and rules.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> issubclass(tavli.InvalidPosition, tavli.TavliError)
    True
    """


class UnknownVariant(TavliError):
    """No preset has this name."""


class RuleConflict(TavliError):
    """Values that exclude each other, or a switch, a value or an engine that does not exist."""


class InvalidPosition(TavliError):
    """A row, or a position given as text, is not a position of the variant."""


class InvalidDice(TavliError):
    """A die is not one of 1 to 6."""


class NotationError(TavliError):
    """Text that cannot be read as a play, a step or a position."""


class GameOver(TavliError):
    """A play was asked of a position on which the game has ended."""


class NotARace(TavliError):
    """A race value was asked of a position with contact, or with checkers still outside home."""


class PolicyError(TavliError):
    """A policy that cannot be used, or that gave no proper values.

    Attributes
    ----------
    policy : str
        Its name.
    row : int or None
        Index of the row whose value is wrong, of those the policy was asked about.
    """

    def __init__(self, policy: str, reason: str, row: int | None = None) -> None:
        at = "" if row is None else f", row {row}"
        super().__init__(f"policy {policy!r}{at}: {reason}")
        self.policy = policy
        self.reason = reason
        self.row = row

    def __reduce__(self) -> tuple[type["PolicyError"], tuple[str, str, int | None]]:
        return type(self), (self.policy, self.reason, self.row)


class RolloutError(TavliError):
    """A run of many games that could not go on; its cause tells why.

    Attributes
    ----------
    block : int
        The block of games in which it happened.
    partial : Rollout, Ranking, Duel or None
        The result of the blocks before, None when there are none.
    """

    def __init__(self, block: int, reason: object, partial: Any) -> None:
        super().__init__(f"block {block}: {reason}")
        self.block = block
        self.reason = reason
        self.partial = partial

    def __reduce__(self) -> tuple[type["RolloutError"], tuple[int, object, Any]]:
        return type(self), (self.block, self.reason, self.partial)


class RecordError(TavliError):
    """A saved game or match that cannot be read to its end.

    Attributes
    ----------
    line : int
        Number of the line that is wrong, from 1 on; behind the last one where the file breaks off.
    partial : Game, Match or None
        What could be read of the lines before it.
    """

    def __init__(self, line: int, reason: str, partial: Any) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason
        self.partial = partial

    def __reduce__(self) -> tuple[type["RecordError"], tuple[int, str, Any]]:
        return type(self), (self.line, self.reason, self.partial)


class WorkerLost(TavliError):
    """A process that computed a block of work ended without giving it back.

    All blocks before it have been given back.

    Attributes
    ----------
    block : int
        Number of the block.
    """

    def __init__(self, block: int, reason: str) -> None:
        super().__init__(
            f"block {block} was lost with its worker ({reason}); the blocks before it are done, "
            "the partial result or a checkpoint keeps them, and the run can go on from there"
        )
        self.block = block
        self.reason = reason

    def __reduce__(self) -> tuple[type["WorkerLost"], tuple[int, str]]:
        return type(self), (self.block, self.reason)


class CheckpointError(TavliError):
    """A checkpoint file is damaged, of another run, or no checkpoint at all."""


class IllegalCode(Enum):
    """Why a play is not legal: the closed list that ``IllegalPlay.code`` is taken from."""

    BLOCKED = "the point is held by the other side"
    BAR_FIRST = "a checker on the bar must enter first"
    PINNED = "the checker is pinned"
    NO_CHECKER = "no own checker stands on the point"
    WRONG_DIE = "no die of the roll is left for this step"
    NOT_ALL_HOME = "checkers are borne off only when all are home"
    HIGHER_CHECKER = "a larger number takes off only the rearmost checker"
    EXACT_ONLY = "checkers are borne off by exact numbers only"
    INSIDE_MOVE = "no steps inside home once all checkers are home"
    MUST_USE_MORE_DICE = "more dice can be used"
    HIGHER_DIE = "the higher die can be played"
    RUNNER = "only the runner may move until it is freed"
    HEAD = "no more checkers may leave the head this turn"
    WALL = "the play leaves a forbidden wall"
    MUST_OPEN = "the play leaves the other side totally blocked"
    HIT_AND_RUN = "a checker that hit at home stays there this turn"


class IllegalPlay(TavliError):
    """A play the rules do not allow.

    Attributes
    ----------
    code : IllegalCode
        Which rule forbids it.
    """

    def __init__(self, message: str, code: IllegalCode) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type["IllegalPlay"], tuple[str, IllegalCode]]:
        return type(self), (str(self), self.code)
