"""One position, for people: an immutable value over a packed row and its rules."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from . import drawing
from . import rows as r
from .arguments import Rows, check_rows
from .errors import InvalidPosition, NotationError
from .reference import row_of
from .rules import Rules
from .variant import Variant, variant

# "24*13", "17" or "bar*2"
_GROUP = re.compile(r"(?P<place>\d+|bar)(?:\*(?P<number>\d+))?", re.IGNORECASE)
_FIELD = re.compile(r"(?P<name>own_pinned|opp_pinned|own|opp)\s*[:=]\s*(?P<points>[^;:=]*)", re.I)


_FORMS = "write 'start', 'own: 24*13 19 17; opp: 1*13 20', or a row of 32 integers"


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

    __slots__ = ("_row", "variant")

    variant: Variant
    _row: r.Row

    def __init__(self, variant: Variant, row: Rows) -> None:
        rows, single = check_rows(row)
        if not single:
            raise ValueError(f"a position is one row of shape (32,), got {row.shape}")
        variant.validate(rows)
        object.__setattr__(self, "variant", variant)
        object.__setattr__(self, "_row", row_of(rows[0]))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Position is immutable: {name} cannot be set")

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
        fields = [f"own={_text(self.own, self.bar[0])!r}", f"opp={_text(self.opp, self.bar[1])!r}"]
        for side, points in (("own", self.own_pinned), ("opp", self.opp_pinned)):
            if points:
                fields.append(f"{side}_pinned={_text(dict.fromkeys(points, 1), 0)!r}")
        return f"Position.parse({game}, {', '.join(fields)})"

    def __str__(self) -> str:
        return drawing.board(self._row, self.rules.direction)

    @property
    def rules(self) -> Rules:
        """The rules the position is played by."""
        return self.variant.rules

    @property
    def row(self) -> Rows:
        """The packed row, int8[32], a copy."""
        return np.array(self._row, dtype=np.int8)

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
        row = [0] * r.ROW_BYTES
        sides = (("own", own, 1, r.BAR), ("opp", opp, -1, r.OPP_BAR))
        for name, text, sign, bar in sides:
            for place, number in _groups(name, text):
                if place == "bar":
                    row[bar] += number
                elif row[int(place)] * sign < 0:
                    raise InvalidPosition(
                        f"point {place} is given to both sides; a pinned checker goes into "
                        "own_pinned or opp_pinned"
                    )
                else:
                    row[int(place)] += sign * number
        mask = _pin_mask("own_pinned", own_pinned, row, -1)
        mask |= _pin_mask("opp_pinned", opp_pinned, row, 1)
        row[r.PIN_BYTES] = r.pin_bytes(mask)
        for side, off in ((1, r.OFF), (-1, r.OPP_OFF)):
            row[off] = max(0, r.CHECKERS - r.checkers(row, side))
        bound = variant(game) if isinstance(game, str) else game
        return cls(bound, np.array(row, dtype=np.int8))

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
        bound = variant(game) if isinstance(game, str) else game
        if text.strip().lower() == "start":
            return bound.start()
        numbers = re.findall(r"[^\s,\[\]()]+", text)
        if all(re.fullmatch(r"[+-]?\d+", number) for number in numbers) and numbers:
            return cls(bound, _row_from(numbers))
        fields = _fields(text)
        missing = [name for name in ("own", "opp") if name not in fields]
        if missing:
            raise NotationError(f"{text!r}: no field {missing[0]!r}; {_FORMS}")
        return cls.parse(bound, **fields)


def _text(points: Mapping[int, int], bar: int) -> str:
    places = [("bar", bar)] if bar else []
    places += [(str(p), n) for p, n in points.items()]
    return " ".join(place if n == 1 else f"{place}*{n}" for place, n in places)


def _groups(name: str, text: str) -> list[tuple[str, int]]:
    """Places and numbers of checkers of one text."""
    groups = []
    for word in text.replace(",", " ").split():
        match = _GROUP.fullmatch(word)
        place = match["place"].lower() if match else ""
        if not match or not (place == "bar" or 1 <= int(place) <= 24):
            raise NotationError(
                f"{name}: {word!r} is neither a point 1 to 24 nor 'bar', with '*n' for n checkers"
            )
        number = int(match["number"] or 1)
        if not 1 <= number <= r.CHECKERS:
            raise NotationError(f"{name}: {word!r} has {number} checkers, a side has {r.CHECKERS}")
        groups.append((place, number))
    if sum(number for _, number in groups) > r.CHECKERS:
        raise NotationError(f"{name}: more than {r.CHECKERS} checkers in {text!r}")
    return groups


def _pin_mask(name: str, text: str, row: list[int], owner: int) -> int:
    """Bits of the points where a checker lies under the owner (+1 the mover, -1 the opponent)."""
    mask = 0
    for place, number in _groups(name, text):
        if place == "bar" or number != 1:
            raise NotationError(f"{name}: one checker at most lies pinned, and never on the bar")
        if row[int(place)] * owner <= 0:
            raise InvalidPosition(f"{name}: nobody stands over a pinned checker on point {place}")
        if mask >> int(place) & 1:
            raise InvalidPosition(f"{name}: two checkers pinned on point {place}")
        mask |= 1 << int(place)
    return mask


def _row_from(numbers: list[str]) -> Rows:
    if len(numbers) != r.ROW_BYTES:
        raise NotationError(f"a row has {r.ROW_BYTES} integers, found {len(numbers)}")
    values = [int(number) for number in numbers]
    for i, value in enumerate(values):
        if not -128 <= value <= 127:
            raise NotationError(f"integer {i} of the row is {value}, a byte is -128 to 127")
    return np.array(values, dtype=np.int8)


def _fields(text: str) -> dict[str, str]:
    """The fields of a line, each at most once and with nothing between them."""
    fields: dict[str, str] = {}
    at = 0
    for match in _FIELD.finditer(text):
        between = text[at : match.start()].strip(" ;")
        name = match["name"].lower()
        if between or name in fields:
            wrong = between or f"a second {name}"
            raise NotationError(f"{text!r}: cannot read {wrong!r}; {_FORMS}")
        fields[name], at = match["points"], match.end()
    if text[at:].strip(" ;"):
        raise NotationError(f"{text!r}: cannot read {text[at:].strip(' ;')!r}; {_FORMS}")
    return fields
