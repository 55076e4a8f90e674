"""One position, for people: an immutable value over a packed row and its rules."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.answers import Race
from ..engine.streams import Stream
from ..engine.variant import Variant, variant, variant_of
from ..errors import TavliError
from ..rules import rows as r
from ..rules.arrays import Rows, check_rows
from ..rules.rows import row_of
from ..rules.switches import Rules
from ..support.checks import MAX_SEED, check_int, check_text
from ..writing import backgammon_ids, ids, position_text, svg_board, text_board
from ..writing.notation import Step
from ..writing.position_text import points_text
from .play import DiceArgument, Play, PlayList
from .play import read as read_play
from .turn import Turn

PlayLike = str | Play | Sequence[Step]

_RANDOM_DECISIONS = 128  # about two games


class Result(NamedTuple):
    """How a game ended: points won (+) or lost (-) by the mover of the position; 0 is void."""

    points: int


class Position:
    """A position seen by its mover; equal by rules and content, hashable and picklable.

    Parameters
    ----------
    variant : Variant
    row : int8[32]
        The packed row (``docs/rows.md``); it is checked and copied.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> pos = tavli.variant("portes").start()
    >>> pos.own, pos.pips
    ({24: 2, 13: 5, 8: 3, 6: 5}, (167, 167))
    """

    __slots__ = ("_array", "_row", "variant")

    variant: Variant
    _row: r.Row
    _array: Rows  # the same, for the engine; read-only

    def __init__(self, variant: Variant, row: Rows) -> None:
        if not isinstance(variant, Variant):
            raise TypeError(
                f"variant must be a Variant, got {type(variant).__name__}; variant(name) makes one"
            )
        rows, single = check_rows(row)
        if not single:
            raise ValueError(f"a position is one row of shape (32,), got {row.shape}")
        variant.validate(rows)
        object.__setattr__(self, "variant", variant)
        array = rows[0].copy()
        array.flags.writeable = False
        object.__setattr__(self, "_array", array)
        object.__setattr__(self, "_row", row_of(array))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Position is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Position is immutable: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.variant.rules == other.variant.rules and self._row == other._row

    def __hash__(self) -> int:
        return hash((self.variant.rules, self._row))

    def __reduce__(self) -> tuple[Any, ...]:
        return Position, (self.variant, self.row)

    def __repr__(self) -> str:
        name = repr(self.variant.name)
        game = name if self.variant == variant(self.variant.name) else repr(self.variant)
        fields = [
            f"own={points_text(self.own, self.bar[0])!r}",
            f"opp={points_text(self.opp, self.bar[1])!r}",
        ]
        for side, points in (("own", self.own_pinned), ("opp", self.opp_pinned)):
            if points:
                fields.append(f"{side}_pinned={points_text(dict.fromkeys(points, 1), 0)!r}")
        return f"Position.parse({game}, {', '.join(fields)})"

    def __str__(self) -> str:
        return text_board.board(self._row, self.rules.direction)

    @property
    def rules(self) -> Rules:
        """The rules the position is played by."""
        return self.variant.rules

    @property
    def row(self) -> Rows:
        """The packed row, int8[32], a copy."""
        return self._array.copy()

    @property
    def own(self) -> dict[int, int]:
        """Free checkers of the mover by point, from 24 down."""
        return {p: self._row[p] for p in range(24, 0, -1) if self._row[p] > 0}

    @property
    def opp(self) -> dict[int, int]:
        """Free checkers of the opponent by point in the mover's numbering, from 24 down."""
        return {p: -self._row[p] for p in range(24, 0, -1) if self._row[p] < 0}

    @property
    def own_pinned(self) -> list[int]:
        """Points where a checker of the mover lies pinned."""
        return sorted(r.pinned(self._row, 1), reverse=True)

    @property
    def opp_pinned(self) -> list[int]:
        """Points where a checker of the opponent lies pinned."""
        return sorted(r.pinned(self._row, -1), reverse=True)

    @property
    def bar(self) -> tuple[int, int]:
        """Checkers on the bar: mover, opponent."""
        return self._row[r.BAR], self._row[r.OPP_BAR]

    @property
    def off(self) -> tuple[int, int]:
        """Checkers borne off: mover, opponent."""
        return self._row[r.OFF], self._row[r.OPP_OFF]

    @property
    def pips(self) -> tuple[int, int]:
        """Pip counts: mover, opponent; pinned checkers and the bar (25) count."""
        return r.pips(self._row, self.rules.direction)

    @property
    def result(self) -> Result | None:
        """How the game ended, or None while it goes on (``docs/rules.md`` sections 6 and 7)."""
        over, points = self.variant.result(self.row)
        return Result(points) if over else None

    @property
    def is_race(self) -> bool:
        """Whether no checkers can meet any more and the game goes on (``docs/races.md``)."""
        return bool(self.variant.is_race(self.row))

    def race(self) -> Race:
        """Exact value of a home race, the mover about to roll (``docs/races.md``).

        Raises
        ------
        NotARace
            When the sides can still meet, or not all checkers are at home or off.
        RuleConflict
            When the game has no such values.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> pos = tavli.Position.parse("fevga", own="6", opp="13")
        >>> pos.is_race, pos.race().equity
        (True, 0.5)
        """
        return self.variant.race(self.row)

    # --- writing and drawing ----------------------------------------------------------------------

    @property
    def id(self) -> str:
        """Position and rules as a short text that is safe in addresses (``docs/ids.md``)."""
        return ids.encode(self.rules, self.variant.name, self._row)

    @classmethod
    def from_id(cls, text: str) -> "Position":
        """The position of an ID; a mistyped one is refused.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> pos = tavli.variant("plakoto").start()
        >>> tavli.Position.from_id(pos.id) == pos
        True
        """
        name, switches, row = ids.decode(check_text(text, "an ID"))
        return cls(variant(name, engine="kernel", **switches), _array(row))

    @property
    def gnubg_id(self) -> str:
        """The GNU Backgammon position ID, the mover being the player on roll (hitting games)."""
        backgammon_ids.check_rules(self.rules)
        return backgammon_ids.to_gnubg_id(self._row)

    @property
    def xgid(self) -> str:
        """The XGID with the mover as player 1 and nothing said of match and cube."""
        backgammon_ids.check_rules(self.rules)
        return backgammon_ids.to_xgid(self._row)

    @classmethod
    def from_gnubg_id(cls, text: str, variant: Variant | str = "backgammon") -> "Position":
        """The position of a GNU Backgammon ID, seen by the player on roll.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> tavli.Position.from_gnubg_id("4HPwATDgc/ABMA", variant="portes").pips
        (167, 167)
        """
        bound = variant_of(variant)
        backgammon_ids.check_rules(bound.rules)
        return cls(
            bound, _array(backgammon_ids.from_gnubg_id(check_text(text, "a GNU Backgammon ID")))
        )

    @classmethod
    def from_xgid(cls, text: str, variant: Variant | str = "backgammon") -> "Position":
        """The position of an XGID, seen by the player on roll; :func:`read_xgid` gives the rest.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> pos = tavli.variant("backgammon").start()
        >>> tavli.Position.from_xgid(pos.xgid) == pos
        True
        """
        bound = variant_of(variant)
        backgammon_ids.check_rules(bound.rules)
        return cls(bound, _array(backgammon_ids.from_xgid(text)))

    def svg(self, *, play: Play | None = None, dark: bool = False) -> str:
        """The board as SVG, with arrows and dice of a play (``docs/boards.md``).

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> pos = tavli.variant("portes").start()
        >>> pos.svg(play=pos.plays(3, 1)[0]).startswith("<svg")
        True
        """
        direction = self.rules.direction
        if play is None:
            return svg_board.svg(self._row, direction, dark=dark)
        if not isinstance(play, Play):
            raise TypeError(f"play must be a Play, got {type(play).__name__}")
        if play.start != self:
            raise TavliError(f"{play} is a play of another position: {play.start!r}")
        landed = {target for _, target, _ in play.steps if target and self._row[target] < 0}
        return svg_board.svg(
            self._row,
            direction,
            steps=play.steps,
            dice=play.dice,
            dark=dark,
            hit_points=sorted(landed),
        )

    def _repr_svg_(self) -> str:
        return self.svg()

    def flip(self) -> "Position":
        """The same position seen by the other player.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> pos = tavli.variant("fevga").start()
        >>> pos.flip() == pos
        True
        """
        return Position(self.variant, self.variant.flip(self.row))

    @classmethod
    def parse(
        cls, game: Variant | str, own: str, opp: str, own_pinned: str = "", opp_pinned: str = ""
    ) -> "Position":
        """A position from text; who is missing from the 15 of a side is borne off.

        Parameters
        ----------
        game : Variant or str
            A variant, or the name of a preset.
        own, opp : str
            Points in the mover's numbering, ``"24*13 19 17"``; ``"bar"`` or ``"bar*2"`` too.
        own_pinned, opp_pinned : str
            Points where a checker of the side lies pinned under the other.

        Raises
        ------
        NotationError
            When the text cannot be read.
        InvalidPosition
            When it can, but is no position of the rules.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> pos = tavli.Position.parse(
        ...     "plakoto", own="24*13 19 17", opp="1*13 20", opp_pinned="17")
        >>> pos.own, pos.opp_pinned, pos.off
        ({24: 13, 19: 1, 17: 1}, [17], (0, 0))
        """
        row = position_text.row_of_fields(own, opp, own_pinned, opp_pinned)
        return cls(variant_of(game), row)

    @classmethod
    def from_text(cls, game: Variant | str, text: str) -> "Position":
        """A position from one line, as the command line takes it.

        Parameters
        ----------
        game : Variant or str
        text : str
            ``"start"``; a row of 32 integers; or fields like those of :meth:`parse`,
            ``"own: 24*13 19 17; opp: 1*13 20; opp_pinned: 17"``.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> tavli.Position.from_text("portes", "own: 6*2; opp: 24").off
        (13, 14)
        """
        bound = variant_of(game)
        if check_text(text, "a position in writing").strip().lower() == "start":
            return bound.start()
        return cls(bound, position_text.row_of_text(text))

    @classmethod
    def random(cls, game: Variant | str, seed: int) -> "Position":
        """A position met in random play, the game not over; the same for the same seed.

        Parameters
        ----------
        game : Variant or str
        seed : int
            0 to 2**64 - 1.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> tavli.Position.random("fevga", 7) == tavli.Position.random("fevga", 7)
        True
        """
        bound = variant_of(game)
        # a stream of its own, apart from the dice of the games
        at = Stream(check_int(seed, "seed", 0, MAX_SEED), MAX_SEED).below(_RANDOM_DECISIONS)
        return cls(bound, bound.sample(at + 1, seed)[0][at])

    # --- plays ------------------------------------------------------------------------------------

    def plays(self, dice: DiceArgument, second: int | None = None) -> PlayList:
        """The legal plays of a roll, in a fixed order; an empty list is a pass.

        Parameters
        ----------
        dice, second : int
            The two dice, or one pair; in a cascade game a double is one stage.

        Raises
        ------
        GameOver
            The game has ended.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> plays = tavli.variant("plakoto").start().plays(6, 5)
        >>> len(plays), str(plays[0])
        (2, '24/18 24/19')
        """
        return PlayList(self, self._array, dice if second is None else (dice, second))

    def parse_play(self, play: PlayLike, dice: DiceArgument) -> Play:
        """The legal play that a text or steps stand for.

        Parameters
        ----------
        play : str, Play, or sequence of (from, to, die)
            Text in any form of ``docs/notation.md``.
        dice : pair of int

        Raises
        ------
        IllegalPlay
            The play is not legal; ``code`` and message say why.
        NotationError
            The text cannot be read, or can be read in several ways.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> pos = tavli.variant("portes").start()
        >>> pos.parse_play("24/18, 18/13", (6, 5))
        <Play 24/13 with 6-5>
        """
        return read_play(self.plays(dice), play)

    def play(self, play: PlayLike, dice: DiceArgument | None = None) -> "Position":
        """The position of the next player after a play.

        Parameters
        ----------
        play : str, Play, or sequence of (from, to, die)
            It is checked as by :meth:`parse_play`; ``"pass"`` where nothing can be played.
        dice : pair of int
            May be left out for a ``Play``, which has its own.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> pos = tavli.variant("plakoto").start()
        >>> pos.play("24/18 24/19", (6, 5)).opp
        {7: 1, 6: 1, 1: 13}
        """
        if dice is None:
            if not isinstance(play, Play):
                raise TypeError("dice are missing: which roll is played?")
            dice = play.dice
        return self.parse_play(play, dice).next

    def turn(self, dice: DiceArgument, second: int | None = None) -> Turn:
        """A turn to be made step by step.

        Parameters
        ----------
        dice, second : int
            The two dice, or one pair.

        Raises
        ------
        GameOver
            The game has ended.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> turn = tavli.variant("fevga").start().turn(6, 5)
        >>> turn.steps(), turn.forced
        (((24, 18, 6), (24, 19, 5)), True)
        """
        return Turn(self.plays(dice, second))


def _array(row: r.Row) -> Rows:
    return np.array(row, dtype=np.int8)


Variant._position_type = Position
