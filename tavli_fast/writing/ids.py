"""The ID of a position of any variant: a short text for links and notes; see ``docs/ids.md``.

An ID holds the game, the board and a check of both. One position has exactly one ID, and a text
that is no ID is refused with the name of the field that is wrong.
"""

import re
import zlib
from collections.abc import Sequence
from itertools import repeat
from math import comb

from ..errors import InvalidPosition, NotationError, TavliError
from ..rules.presets import make_rules
from ..rules.rows import (
    BAR,
    CHECKERS,
    OFF,
    OPP_BAR,
    OPP_OFF,
    PIN_BYTES,
    POINTS,
    ROW_BYTES,
    Row,
    fault,
    pin_bytes,
    pinned,
)
from ..rules.switches import SWITCHES, Rules, Value

# 64 digits, all of which may stand in a URL
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_BOARD_DIGITS, _PIN_BOARD_DIGITS, _CHECK_DIGITS = 12, 15, 6

_OFF_PLACE, _BAR_PLACE = 0, 25  # and 1 to 24, the points
# ways to put the checkers of one side on the 26 places
_ARRANGEMENTS = comb(CHECKERS + _BAR_PLACE, CHECKERS)


def encode(rules: Rules, name: str, row: Row) -> str:
    """The ID of a row.

    Parameters
    ----------
    rules : Rules
    name : str
        The preset that the rules are told from; switches that differ from it go into the ID.
    row : tuple of 32 int

    Raises
    ------
    InvalidPosition
        When the row is no position of the rules.

    Examples
    --------
    >>> from tavli_fast.writing.ids import encode
    >>> from tavli_fast.rules.rows import start
    >>> from tavli_fast.rules.presets import make_rules
    >>> rules = make_rules("portes", {"single_die": "either"})
    >>> encode(rules, "portes", start(rules))
    'portes~single_die-either.LxOVn4CiAK_m.AWiAqM'
    """
    wrong = fault(row, rules)
    if wrong:
        raise InvalidPosition(wrong)
    body = f"{game_field(rules, name)}.{_digits(_board(row), _board_digits(rules))}"
    return f"{body}.{_check(body)}"


def decode(text: str) -> tuple[str, dict[str, Value], Row]:
    """What an ID tells: preset, switches that differ from it, and row.

    Raises
    ------
    NotationError
        When the text is not an ID as :func:`encode` writes it; the message names the field.
    InvalidPosition
        When it is, but the board is no position of the rules.

    Examples
    --------
    >>> from tavli_fast.writing.ids import decode
    >>> name, switches, row = decode("portes~single_die-either.LxOVn4CiAK_m.AWiAqM")
    >>> name, switches, row[13], row[6]
    ('portes', {'single_die': 'either'}, 5, 5)
    """
    fields = text.split(".")
    if len(fields) != 3:
        raise NotationError(
            f"{text!r} has {len(fields)} fields, an ID has 3 with '.' between: game, board, check"
        )
    game, board, check = fields
    name, switches, rules = read_game(game)
    number = _read_digits("board", board, _board_digits(rules))
    _read_digits("check", check, _CHECK_DIGITS)
    if check != _check(f"{game}.{board}"):
        raise NotationError(
            f"check: {check!r} does not go with the rest of {text!r}, so a character is wrong "
            "somewhere; copy the ID again"
        )
    row = _read_board(number)
    wrong = fault(row, rules)
    if wrong:
        raise InvalidPosition(f"board: {wrong}")
    return name, switches, row


# --- the three fields -----------------------------------------------------------------------------


def game_field(rules: Rules, name: str) -> str:
    """The field *game*: the preset and the switches that differ from it."""
    changes = rules.changes(make_rules(name, {}))
    differing = [f"{switch}-{value}" for switch, value in changes.items()]
    return "~".join([name, *sorted(differing)])


def read_game(game: str) -> tuple[str, dict[str, Value], Rules]:
    """Preset, switches that differ from it, and rules of the field *game*."""
    name, *words = game.split("~")
    switches: dict[str, Value] = {}
    for word in words:
        switch, _, value = word.partition("-")
        known = SWITCHES[switch].values if switch in SWITCHES else ()
        switches[switch] = next((v for v in known if str(v) == value), value)
    try:
        rules = make_rules(name, switches)
    except TavliError as error:
        raise NotationError(f"game: {error}") from None
    if game != game_field(rules, name):
        raise NotationError(f"game: {game!r} has to be written {game_field(rules, name)!r}")
    return name, switches, rules


def _board_digits(rules: Rules) -> int:
    return _PIN_BOARD_DIGITS if rules.contact == "pin" else _BOARD_DIGITS


def _board(row: Row) -> int:
    """Both arrangements in one number, above them who is on top where one lies on one."""
    own, opp = _places(row, 1), _places(row, -1)
    tops = sum((row[p] < 0) << i for i, p in enumerate(_one_on_one(own, opp)))
    return (tops * _ARRANGEMENTS + _rank(own)) * _ARRANGEMENTS + _rank(opp)


def _read_board(number: int) -> Row:
    number, opp_rank = divmod(number, _ARRANGEMENTS)
    tops, own_rank = divmod(number, _ARRANGEMENTS)
    own, opp = _unrank(own_rank), _unrank(opp_rank)
    undecided = _one_on_one(own, opp)
    if tops >> len(undecided):
        raise NotationError("board: the number is higher than that of any board")
    opp_on_top = {p for i, p in enumerate(undecided) if tops >> i & 1}
    row, mask = [0] * ROW_BYTES, 0
    for p in POINTS:
        ours, theirs = own.count(p), opp.count(p)
        if ours > 1 and theirs > 1:
            raise InvalidPosition(f"board: both sides have more than one checker on point {p}")
        mask |= bool(ours and theirs) << p
        row[p] = -theirs if theirs > ours or p in opp_on_top else ours
    row[BAR], row[OPP_BAR] = own.count(_BAR_PLACE), opp.count(_BAR_PLACE)
    row[OFF], row[OPP_OFF] = own.count(_OFF_PLACE), opp.count(_OFF_PLACE)
    row[PIN_BYTES] = pin_bytes(mask)
    return tuple(row)


def _check(body: str) -> str:
    return _digits(zlib.crc32(body.encode("ascii")), _CHECK_DIGITS)


# --- checkers of one side as a number -------------------------------------------------------------


def _places(row: Row, side: int) -> list[int]:
    """The place of each checker of a side (+1 the mover, -1 the opponent), lowest first."""
    bar, off = (BAR, OFF) if side > 0 else (OPP_BAR, OPP_OFF)
    free = [p for p in POINTS for _ in range(row[p] * side)]
    off_and_bar = [*repeat(_OFF_PLACE, row[off]), *repeat(_BAR_PLACE, row[bar])]
    return sorted([*free, *pinned(row, side), *off_and_bar])


def _one_on_one(own: Sequence[int], opp: Sequence[int]) -> list[int]:
    """Points with one checker of each side: only there the numbers do not tell who is pinned."""
    return [p for p in POINTS if own.count(p) == opp.count(p) == 1]


def _rank(places: Sequence[int]) -> int:
    """The number of an arrangement, 0 to ``_ARRANGEMENTS`` - 1 (combinatorial number system)."""
    return sum(comb(place + i, i + 1) for i, place in enumerate(places))


def _unrank(rank: int) -> list[int]:
    places = []
    for i in reversed(range(CHECKERS)):
        place = max(p for p in range(_BAR_PLACE + 1) if comb(p + i, i + 1) <= rank)
        rank -= comb(place + i, i + 1)
        places.append(place)
    return places[::-1]


# --- numbers in writing ---------------------------------------------------------------------------


def _digits(number: int, length: int) -> str:
    return "".join(_DIGITS[number >> 6 * i & 63] for i in reversed(range(length)))


def _read_digits(field: str, digits: str, length: int) -> int:
    wrong = re.search(r"[^A-Za-z0-9_-]", digits)
    if wrong:
        raise NotationError(f"{field}: {wrong[0]!r} is none of A-Z a-z 0-9 - _")
    if len(digits) != length:
        raise NotationError(f"{field}: {digits!r} has {len(digits)} characters, not {length}")
    number = 0
    for digit in digits:
        number = number * 64 + _DIGITS.index(digit)
    return number
