"""Positions in writing: points with their checkers, or the integers of a row."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from ..errors import InvalidPosition, NotationError
from ..rules import rows as r
from ..rules.arrays import Rows

# "24*13", "17" or "bar*2"
_GROUP = re.compile(r"(?P<place>[0-9]{1,4}|bar)(?:\*(?P<number>[0-9]{1,4}))?", re.IGNORECASE)
_FIELD = re.compile(
    r"(?P<name>own_pinned|opp_pinned|own|opp)\s*[:=]\s*(?P<points>[^;:=]*)", re.I | re.A
)

_FORMS = "write 'start', 'own: 24*13 19 17; opp: 1*13 20', or a row of 32 integers"


def row_of_text(text: str) -> Rows:
    """The row of a line of 32 integers, or of fields like ``own: 24*13 19 17; opp: 1*13 20``."""
    numbers = re.findall(r"[^\s,\[\]()]+", text)
    if all(re.fullmatch(r"[+-]?[0-9]{1,9}", number) for number in numbers) and numbers:
        return row_of_numbers([int(number) for number in numbers])
    fields = _fields(text)
    missing = [name for name in ("own", "opp") if name not in fields]
    if missing:
        raise NotationError(f"{text!r}: no field {missing[0]!r}; {_FORMS}")
    return row_of_fields(**fields)


def row_of_fields(own: str, opp: str, own_pinned: str = "", opp_pinned: str = "") -> Rows:
    """The row of points in the mover's numbering; who is missing from the 15 is borne off."""
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
    return np.array(row, dtype=np.int8)


def row_of_numbers(numbers: Sequence[int]) -> Rows:
    """The row of 32 integers."""
    if len(numbers) != r.ROW_BYTES:
        raise NotationError(f"a row has {r.ROW_BYTES} integers, found {len(numbers)}")
    for i, value in enumerate(numbers):
        if not -128 <= value <= 127:
            raise NotationError(f"integer {i} of the row is {value}, a byte is -128 to 127")
    return np.array(numbers, dtype=np.int8)


def points_text(points: Mapping[int, int], bar: int) -> str:
    """Points and bar as :func:`row_of_fields` reads them."""
    places = [("bar", bar)] if bar else []
    places += [(str(p), n) for p, n in points.items()]
    return " ".join(place if n == 1 else f"{place}*{n}" for place, n in places)


def _groups(name: str, text: str) -> list[tuple[str, int]]:
    """Places and numbers of checkers of one text."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str like '24*13 19 17', got {type(text).__name__}")
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
