"""A turn in the making: one step at a time, for user interfaces."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.variant import variant
from ..errors import NotationError, TavliError
from ..writing import notation
from ..writing.notation import Step
from ..writing.position_text import row_of_numbers
from . import refusals
from .play import Play, PlayList, check_number, check_step
from .step_orders import Node

if TYPE_CHECKING:
    from .position import Position

_FIELDS = ("variant", "switches", "engine", "row", "dice", "steps")


class Turn:
    """The steps of one roll, made and taken back one by one; made by ``Position.turn``.

    Only steps from which a legal play can still be reached may be made, in any order. A refused
    step changes nothing.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> turn = tavli.variant("portes").start().turn(6, 5)
    >>> turn.step(24, 18)
    >>> turn.steps()
    ((18, 13, 5), (13, 8, 5), (8, 3, 5))
    >>> turn.step(18, 13)
    >>> turn.complete, str(turn.play)
    (True, '24/13')
    """

    __slots__ = ("_made", "_nodes", "_plays")

    def __init__(self, plays: PlayList) -> None:
        if not isinstance(plays, PlayList):
            raise TypeError(f"a turn is made of a PlayList, got {type(plays).__name__}")
        self._plays = plays
        self._nodes: list[Node] = [plays.paths().root]
        self._made: list[Step] = []

    def __repr__(self) -> str:
        made = " ".join(notation.format_step(*step[:2]) for step in self._made) or "nothing played"
        return f"<Turn {self.dice[0]}-{self.dice[1]}: {made}{', complete' * self.complete}>"

    @property
    def start(self) -> "Position":
        """The position the turn began with."""
        return self._plays.start

    @property
    def dice(self) -> tuple[int, int]:
        """The roll."""
        return self._plays.dice

    @property
    def made(self) -> tuple[Step, ...]:
        """The steps made so far, (from, to, die)."""
        return tuple(self._made)

    @property
    def position(self) -> "Position":
        """The position after the steps made so far, seen by the player who makes them."""
        return self.start.variant.position(np.array(self._nodes[-1].state.row, dtype=np.int8))

    @property
    def forced(self) -> bool:
        """Whether there is exactly one legal play; a pass is none."""
        return len(self._plays) == 1

    @property
    def complete(self) -> bool:
        """Whether the steps made are a whole play, or the turn is a pass."""
        return self._plays.paths().is_legal(self._nodes[-1])

    @property
    def play(self) -> Play | None:
        """The play that was made, or None while it is not complete."""
        return self._plays.ending(self._nodes[-1].state.row) if self.complete else None

    @property
    def end(self) -> "Position | None":
        """The position the play leaves, seen by its player, or None while it is not complete."""
        return self.position if self.complete else None

    def steps(self) -> tuple[Step, ...]:
        """The steps (from, to, die) that may be next; from 25 is the bar, to 0 is off.

        The larger die comes first, and the higher point.
        """
        return tuple(branch.step for branch in self._plays.paths().next(self._nodes[-1]))

    def step(self, source: int, target: int, *, die: int | None = None) -> None:
        """Make a step.

        Parameters
        ----------
        source, target : int
            25 is the bar, 0 is off.
        die : int, optional
            Which die is used when both could bear off; the larger one when left out.

        Raises
        ------
        IllegalPlay
            The step may not be made; nothing has changed.
        """
        paths, node = self._plays.paths(), self._nodes[-1]
        source, target, given = check_step((source, target, 1 if die is None else die))
        wanted = node.left if die is None else (given,)
        fitting = [d for d in dict.fromkeys(wanted) if max(source - d, 0) == target]
        if not fitting:
            raise refusals.wrong_die(node, source, target)
        found = {branch.step: branch for branch in paths.next(node)}
        steps = [(source, target, d) for d in fitting]
        branch = next((found[step] for step in steps if step in found), None)
        if branch is None:
            # a die that could be played explains more than one that could not
            possible = [step for step in steps if paths.after(node, step)]
            raise refusals.refused_step(paths, node, (possible or steps)[0])
        self._made.append(branch.step)
        self._nodes.append(branch.node)

    def undo(self) -> None:
        """Take back the last step.

        Raises
        ------
        TavliError
            No step has been made.
        """
        if not self._made:
            raise TavliError("no step of the turn has been made, there is nothing to take back")
        self._made.pop()
        self._nodes.pop()

    # --- plain data -------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The turn as plain data that ``json`` can write; read by :meth:`from_dict`.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> turn = tavli.variant("fevga").start().turn(6, 5)
        >>> turn.step(24, 18)
        >>> data = turn.to_dict()
        >>> data["dice"], data["steps"]
        ([6, 5], [[24, 18, 6]])
        >>> tavli.Turn.from_dict(data).steps()
        ((18, 13, 5),)
        """
        if self._plays.from_game:
            raise TavliError(
                "the rest of a stage and a balancing turn belong to their game: save the game"
            )
        game = self.start.variant
        return {
            "variant": game.name,
            "switches": game.changes,
            "engine": game.engine,
            "row": self.start.row.tolist(),
            "dice": list(self.dice),
            "steps": [list(step) for step in self._made],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Turn":
        """A turn from the data of :meth:`to_dict`; all of it is checked.

        Raises
        ------
        NotationError, TypeError, InvalidPosition, IllegalPlay, ...
            The data are not those of a turn.
        """
        if not isinstance(data, Mapping):
            raise TypeError(f"a turn is read from a dict, got {type(data).__name__}")
        missing = [field for field in _FIELDS if field not in data]
        if missing or len(data) != len(_FIELDS):
            wrong = missing or [field for field in data if field not in _FIELDS]
            raise NotationError(f"a turn has the fields {', '.join(_FIELDS)}; wrong: {wrong}")
        for field, kind in zip(_FIELDS, (str, Mapping, str, list, list, list), strict=True):
            if not isinstance(data[field], kind):
                raise TypeError(f"{field} must be a {kind.__name__}, got {data[field]!r}")
        game = variant(data["variant"], engine=data["engine"], **data["switches"])
        start = game.position(row_of_numbers([check_number(value) for value in data["row"]]))
        turn = start.turn(data["dice"])
        for step in data["steps"]:
            source, target, die = check_step(step)
            turn.step(source, target, die=die)
        return turn
