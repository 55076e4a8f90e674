"""Plays: everything one player does in a turn, one by one or all of a roll."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from ..errors import GameOver, NotationError
from ..rules import rows as r
from ..rules.arrays import Rows
from ..rules.rows import Row, row_of
from ..writing import notation
from ..writing.notation import MOST_STEPS, Step
from . import refusals
from .step_orders import Paths

if TYPE_CHECKING:
    from .position import Position

# one pair, or its first die
DiceArgument = int | Sequence[int] | npt.NDArray[np.integer]


class Play:
    """One legal play of a position; immutable, equal to plays with the same end and rules.

    Made by ``Position.plays``, ``Position.parse_play`` and ``Turn.play``.

    Attributes
    ----------
    start : Position
        The position it is played from.
    dice : pair of int
    steps : tuple of (from, to, die)
        In playing order, the canonical list of ``docs/rows.md`` section 6; from 25 is the bar, to 0
        is off. Empty for a pass.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> play = tavli.variant("plakoto").start().plays(6, 5)[0]
    >>> str(play), play.steps
    ('24/18 24/19', ((24, 18, 6), (24, 19, 5)))
    """

    __slots__ = ("_end", "dice", "start", "steps")

    start: "Position"
    dice: tuple[int, int]
    steps: tuple[Step, ...]
    _end: Row

    def __init__(
        self, start: "Position", dice: tuple[int, int], steps: tuple[Step, ...], end: Row
    ) -> None:
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "dice", dice)
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "_end", end)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Play is immutable: {name} cannot be set")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Play):
            return NotImplemented
        return self._end == other._end and self.start.rules == other.start.rules

    def __hash__(self) -> int:
        return hash((self.start.rules, self._end))

    def __reduce__(self) -> tuple[Any, ...]:
        return Play, (self.start, self.dice, self.steps, self._end)

    def __str__(self) -> str:
        return self.notation

    def __repr__(self) -> str:
        return f"<Play {self.notation} with {self.dice[0]}-{self.dice[1]}>"

    @property
    def notation(self) -> str:
        """The play as players write it (``docs/notation.md``)."""
        return notation.format_play(self.start.row.tolist(), self._end, self.steps)

    @property
    def is_pass(self) -> bool:
        """Whether nothing can be played."""
        return not self.steps

    @property
    def end(self) -> "Position":
        """The position it leaves, seen by the player who made it."""
        return self.start.variant.position(np.array(self._end, dtype=np.int8))

    @property
    def next(self) -> "Position":
        """The position it leaves, seen by the next player."""
        return self.end.flip()


class PlayList(Sequence[Play]):
    """The plays of one roll, in the order of ``docs/rows.md``; empty when the turn is a pass.

    Made by ``Position.plays``. They are counted at once, and generated when first looked at.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> plays = tavli.variant("portes").start().plays(6, 5)
    >>> len(plays), str(plays[0]), plays[0] in plays
    (7, '24/13', True)
    """

    __slots__ = ("_count", "_paths", "_plays", "_row", "_worth", "dice", "from_game", "start")

    start: "Position"
    dice: tuple[int, int]

    def __init__(self, start: "Position", row: Rows, dice: Any) -> None:
        count = start.variant.count(row, dice)
        if type(count) is not int:
            raise TypeError("dice must be one pair here, Variant.plays takes many")
        if count == 0:
            result = start.result
            if result is not None:
                raise GameOver(f"the game is over ({result}), there is nothing to play: {start!r}")
        first, second = dice
        self.start = start
        self.dice = int(first), int(second)
        self._row = row
        self._worth = MOST_STEPS
        self.from_game = False  # no position alone asks for them
        self._count = count
        self._plays: tuple[Play, ...] | None = None
        self._paths: Paths | None = None

    @classmethod
    def given(
        cls,
        start: "Position",
        dice: tuple[int, int],
        worth: int,
        plays: Sequence[tuple[Sequence[tuple[int, int]], Row]],
    ) -> "PlayList":
        """Plays that only a game knows of: (from, die) steps and end of each.

        ``worth`` is how many steps a double is worth: fewer than four for the rest of a stage.
        """
        made = cls.__new__(cls)
        made.start, made.dice = start, dice
        made._row = start.row
        made._worth = worth
        made.from_game = True
        made._count = len(plays)
        made._plays = tuple(Play(start, dice, steps_of(steps), end) for steps, end in plays)
        made._paths = None
        return made

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Play: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Play, ...]: ...
    def __getitem__(self, index: int | slice) -> Play | tuple[Play, ...]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Play]:
        return iter(self._all())

    def __repr__(self) -> str:
        texts = ", ".join(map(str, self)) or "pass"
        return f"<PlayList {self.dice[0]}-{self.dice[1]}: {texts}>"

    def _all(self) -> tuple[Play, ...]:
        if self._plays is None:
            found = self.start.variant.plays(self._row, self.dice, steps=True)
            assert found.steps is not None  # steps=True
            self._plays = tuple(
                Play(self.start, self.dice, steps_of(steps), tuple(end))
                for end, steps in zip(found.rows.tolist(), found.steps.tolist(), strict=True)
            )
        return self._plays

    def paths(self) -> Paths:
        """All orders of steps that lead to the plays; for ``Turn`` and for reading plays."""
        if self._paths is None:
            plays = {play._end: play.steps for play in self}
            self._paths = Paths(self.start.rules, row_of(self._row), self.dice, plays, self._worth)
        return self._paths

    def ending(self, row: Row) -> Play:
        """The play with this legal end, or the pass."""
        at = next((play for play in self if play._end == row), None)
        return at or Play(self.start, self.dice, (), row)


def steps_of(pairs: Iterable[Sequence[int]]) -> tuple[Step, ...]:
    """Steps (from, to, die) of pairs (from, die) as the engines give them; (0, 0) is no step."""
    return tuple((source, max(source - die, 0), die) for source, die in pairs if die)


# --- reading --------------------------------------------------------------------------------------


def read(plays: PlayList, play: object) -> Play:
    """The legal play that a text, a ``Play`` or steps (from, to, die) stand for.

    Raises
    ------
    NotationError
        The text cannot be read, stands for several plays, or marks a hit or pin that is none.
    IllegalPlay
        The play is not legal.
    """
    if isinstance(play, str):
        return _read_text(plays, play)
    steps = play.steps if isinstance(play, Play) else _checked_steps(play)
    paths = plays.paths()
    end = paths.follow(steps)
    if end is None:
        written = " ".join(notation.format_step(*step[:2]) for step in steps) or "pass"
        raise refusals.refused_steps(paths, [steps], written)
    return plays.ending(end)


def _read_text(plays: PlayList, text: str) -> Play:
    written, paths = notation.parse(text), plays.paths()
    shown = notation.cut(" ".join(text.split())) or "pass"
    attempts = list(notation.orders(written.hops, paths.root.left))
    if not attempts:
        raise refusals.wrong_dice(paths, written.hops, shown)
    legal = {steps: end for steps in attempts if (end := paths.follow(steps)) is not None}
    if not legal:
        # 6/off is meant as one step where a 6 was thrown, not as 6/5/off
        fewest = min(map(len, attempts))
        meant = [steps for steps in attempts if len(steps) == fewest]
        raise refusals.refused_steps(paths, meant, shown)
    before = paths.root.state.row
    fitting = {
        end: notation.marks(before, end)
        for steps, end in legal.items()
        if written.marks <= _touched(plays, steps)
    }
    # an unmarked way hits nothing if that is possible
    exact = [end for end, marks in fitting.items() if marks == written.marks]
    chosen = exact or list(fitting)
    if len(chosen) == 1:
        return plays.ending(chosen[0])
    found = "; ".join(str(plays.ending(end)) for end in dict.fromkeys(chosen or legal.values()))
    if chosen:
        raise NotationError(f"{shown}: which of {found}?")
    raise NotationError(f"{shown}: a mark is wrong, * is a hit and + a pin; it is {found}")


def _touched(plays: PlayList, steps: Sequence[Step]) -> set[tuple[int, str]]:
    """Marks that steps may carry: where they hit, or pin, if only for a moment."""
    row = plays.start.row
    sign = "+" if plays.start.rules.contact == "pin" else "*"
    return {(target, sign) for _, target, _ in steps if target and row[target] < 0}


def _checked_steps(steps: object) -> tuple[Step, ...]:
    if not isinstance(steps, Sequence):
        raise TypeError(
            "a play is a text, a Play or a sequence of steps (from, to, die), "
            f"got {type(steps).__name__}"
        )
    return tuple(map(check_step, steps))


def check_step(step: object) -> Step:
    """One step (from, to, die) of whole numbers."""
    if not isinstance(step, Sequence) or isinstance(step, str) or len(step) != 3:
        raise TypeError(f"a step is (from, to, die), got {notation.shown(repr(step))}")
    source, target, die = map(check_number, step)
    if not (0 < source <= r.BAR and 0 <= target < source and 1 <= die <= 6):
        raise NotationError(
            f"step {source, target, die}: from is 1 to 25 (bar), to is lower (0 is off), "
            "a die 1 to 6"
        )
    return source, target, die


def check_number(value: object) -> int:
    """A whole number of a step."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"points and dice are whole numbers, got {notation.shown(repr(value))}")
    return int(value)
