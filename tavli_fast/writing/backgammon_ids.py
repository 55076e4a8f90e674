"""IDs of backgammon programs: GNUbg's position ID and the XGID; see ``docs/ids.md``.

Both know hitting games on contrary paths with 15 checkers a side and nothing else, so they go to
and from plain rows. Rows are seen by the player on roll.
"""

import base64
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..errors import InvalidDice, InvalidPosition, NotationError
from ..rules.rows import BAR, CHECKERS, OFF, OPP_BAR, OPP_OFF, POINTS, ROW_BYTES, Row, fault, flip
from ..rules.switches import Rules
from ..support.checks import check_text

_PATHS = "contrary"
_RULES = Rules(contact="hit", direction=_PATHS)
_SIDE = 25  # counts of one side: its points 1 to 24, then its bar
_KEY_BITS, _ID_CHARACTERS = 80, 14


def check_rules(rules: Rules) -> None:
    """Refuse rules whose positions neither ID can hold.

    Raises
    ------
    NotationError
        Names the switch that does not fit.

    Examples
    --------
    >>> from tavli_fast.writing.backgammon_ids import check_rules
    >>> from tavli_fast.rules.presets import make_rules
    >>> check_rules(make_rules("tavla", {}))
    """
    for switch, value in (("contact", "hit"), ("direction", _PATHS)):
        found = getattr(rules, switch)
        if found != value:
            raise NotationError(
                f"a GNUbg ID or XGID needs {switch}={value}, the game has {switch}={found}"
            )


# --- GNUbg position ID ----------------------------------------------------------------------------


def to_gnubg_id(row: Row) -> str:
    """The GNUbg position ID of a row, the mover being on roll.

    Raises
    ------
    InvalidPosition
        When the row is no position of a hitting game.

    Examples
    --------
    >>> from tavli_fast.writing.backgammon_ids import to_gnubg_id
    >>> from tavli_fast.rules.rows import start
    >>> from tavli_fast.rules.presets import make_rules
    >>> to_gnubg_id(start(make_rules("backgammon", {})))
    '4HPwATDgc/ABMA'
    """
    _check_row(row)
    # the side that is not on roll comes first
    counts = _side(flip(row, _PATHS)) + _side(row)
    bits = "".join("1" * count + "0" for count in counts).ljust(_KEY_BITS, "0")
    key = bytes(int(bits[i : i + 8][::-1], 2) for i in range(0, _KEY_BITS, 8))
    return base64.b64encode(key).decode("ascii")[:_ID_CHARACTERS]


def from_gnubg_id(text: str) -> Row:
    """The row of a GNUbg position ID, seen by the player on roll.

    Raises
    ------
    NotationError
        When the text is not such an ID.
    InvalidPosition
        When it is, but a side has more than 15 checkers or both stand on one point.

    Examples
    --------
    >>> from tavli_fast.writing.backgammon_ids import from_gnubg_id
    >>> row = from_gnubg_id("4HPkASjg2+ABMA")
    >>> [(p, row[p]) for p in range(24, 0, -1) if row[p] > 0]
    [(24, 2), (13, 4), (8, 2), (7, 2), (6, 5)]
    """
    # each run of ones is a count
    runs = [len(run) for run in _key_bits(text).split("0")]
    opp, own, rest = runs[:_SIDE], runs[_SIDE : 2 * _SIDE], runs[2 * _SIDE :]
    if not rest:
        raise InvalidPosition(
            f"GNUbg ID {text!r} has more than {2 * CHECKERS} checkers, a side has {CHECKERS}"
        )
    if any(rest):
        raise NotationError(f"GNUbg ID {text!r} has bits behind those of the second side")
    return _row(f"GNUbg ID {text!r}", ("the player on roll", "the other player"), own, opp)


def _key_bits(text: str) -> str:
    """The 80 bits in the order in which they are filled."""
    wrong = re.search(r"[^A-Za-z0-9+/]", text)
    if wrong:
        raise NotationError(f"GNUbg ID {text!r}: {wrong[0]!r} is none of A-Z a-z 0-9 + /")
    if len(text) != _ID_CHARACTERS:
        raise NotationError(
            f"GNUbg ID {text!r} has {len(text)} characters, not {_ID_CHARACTERS}; what follows a "
            "':' is a match ID and not read"
        )
    if text[-1] not in "AQgw":
        raise NotationError(
            f"GNUbg ID {text!r} ends in {text[-1]!r}, only A, Q, g or w leave the last four bits 0"
        )
    return "".join(f"{byte:08b}"[::-1] for byte in base64.b64decode(text + "=="))


# --- XGID -----------------------------------------------------------------------------------------


class Xgid(NamedTuple):
    """All that an XGID tells.

    Player 1 is the one whose checkers are capital letters. ``turn`` and ``cube_owner`` are +1 for
    player 1 and -1 for player 2.

    Attributes
    ----------
    row : tuple of 32 int
        The packed row, seen by the player on roll.
    dice : (int, int), None or str
        The roll; None before it is thrown; ``"D"`` when the player on roll has doubled and the
        other has to answer, ``"B"`` when that one beavered, ``"R"`` when it was raccooned.
    turn : int
        Who is on roll.
    cube : int
        Value of the cube: 1, 2, 4, ...
    cube_owner : int or None
        None for a centred cube.
    score : (int, int)
        Points of player 1 and player 2.
    crawford : bool
        Whether this is the Crawford game of a match.
    jacoby, beavers : bool
        Rules of unlimited play.
    match_length : int
        0 for unlimited play.
    max_cube : int
        The highest value the cube may get.
    """

    row: Row
    dice: tuple[int, int] | Literal["D", "B", "R"] | None
    turn: int
    cube: int
    cube_owner: int | None
    score: tuple[int, int]
    crawford: bool
    jacoby: bool
    beavers: bool
    match_length: int
    max_cube: int


_NUMBER = "0|[1-9][0-9]{0,4}", "a number 0 to 99999 without leading zeros"
_EXPONENT = "0|[1-9][0-9]?", "the exponent to 2, 0 to 99"
# in their order; what each has to match, and that in words
_FIELDS = {
    "position": ("[A-Oa-o-]{26}", "26 characters, '-' or a letter A to O (1 to 15 checkers)"),
    "cube": _EXPONENT,
    "cube owner": ("-1|0|1", "1 (player 1), -1 (player 2) or 0 (centred)"),
    "turn": ("-1|1", "1 (player 1) or -1 (player 2)"),
    "dice": ("00|D|B|R|[1-6][1-6]", "two numbers 1 to 6, 00, D, B or R"),
    "score of player 1": _NUMBER,
    "score of player 2": _NUMBER,
    "crawford/jacoby": ("[0-3]", "0 to 3"),
    "match length": _NUMBER,
    "max cube": _EXPONENT,
}


def read_xgid(text: str) -> Xgid:
    """All fields of an XGID, with or without ``XGID=`` before them.

    Raises
    ------
    NotationError
        When the text is not an XGID; the message names the field.
    InvalidPosition
        When a player has more than 15 checkers.

    Examples
    --------
    >>> from tavli_fast.writing.backgammon_ids import read_xgid
    >>> xgid = read_xgid("XGID=--BBbBB-----aE----Be-c-bb-:1:-1:-1:54:0:0:0:0:8")
    >>> xgid.dice, xgid.turn, xgid.cube, xgid.cube_owner, xgid.max_cube
    ((5, 4), -1, 2, -1, 256)
    >>> [(p, xgid.row[p]) for p in range(24, 0, -1) if xgid.row[p] > 0]
    [(21, 2), (13, 1), (6, 5), (4, 3), (2, 2), (1, 2)]
    """
    fields = _xgid_fields(check_text(text, "an XGID"))
    turn, owner = int(fields["turn"]), int(fields["cube owner"])
    row = _xgid_row(fields["position"])
    score = int(fields["score of player 1"]), int(fields["score of player 2"])
    length, flags = int(fields["match length"]), int(fields["crawford/jacoby"])
    _check_match(length, score, flags)
    return Xgid(
        row=row if turn > 0 else flip(row, _PATHS),
        dice=_xgid_dice(fields["dice"]),
        turn=turn,
        cube=2 ** int(fields["cube"]),
        cube_owner=owner or None,
        score=score,
        crawford=length > 0 and flags == 1,
        jacoby=length == 0 and bool(flags & 1),
        beavers=length == 0 and bool(flags & 2),
        match_length=length,
        max_cube=2 ** int(fields["max cube"]),
    )


def from_xgid(text: str) -> Row:
    """The row of an XGID, seen by the player on roll; errors as in :func:`read_xgid`.

    Examples
    --------
    >>> from tavli_fast.writing.backgammon_ids import from_xgid
    >>> from_xgid("-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10")[13]
    5
    """
    return read_xgid(text).row


def to_xgid(row: Row, dice: Sequence[int] | None = None) -> str:
    """The XGID of a row: the mover is player 1, the cube centred, play unlimited.

    Parameters
    ----------
    row : tuple of 32 int
    dice : (int, int), optional
        A roll to be played.

    Raises
    ------
    InvalidPosition
        When the row is no position of a hitting game.
    InvalidDice

    Examples
    --------
    >>> from tavli_fast.writing.backgammon_ids import to_xgid
    >>> from tavli_fast.rules.rows import start
    >>> from tavli_fast.rules.presets import make_rules
    >>> to_xgid(start(make_rules("backgammon", {})), (6, 5))
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:65:0:0:0:0:10'
    """
    _check_row(row)
    if dice is not None and (len(dice) != 2 or not all(die in range(1, 7) for die in dice)):
        raise InvalidDice(f"dice are {dice}, an XGID takes two numbers 1 to 6, or None")
    roll = "00" if dice is None else f"{dice[0]}{dice[1]}"
    position = "".join(_letter(count) for count in (-row[OPP_BAR], *row[OPP_BAR + 1 : BAR + 1]))
    return f"XGID={position}:0:0:1:{roll}:0:0:0:0:10"


def _xgid_fields(text: str) -> dict[str, str]:
    values = text.removeprefix("XGID=").split(":")
    if len(values) != len(_FIELDS):
        raise NotationError(
            f"XGID {text!r} has {len(values)} fields, not {len(_FIELDS)}: {', '.join(_FIELDS)}"
        )
    fields = dict(zip(_FIELDS, values, strict=True))
    for name, value in fields.items():
        pattern, words = _FIELDS[name]
        if not re.fullmatch(pattern, value):
            raise NotationError(f"XGID: {name} is {value!r}, it has to be {words}")
    return fields


def _xgid_row(position: str) -> Row:
    """The row seen by player 1: the letters do not turn with the player on roll."""
    if position[OPP_BAR].isupper() or position[BAR].islower():
        raise NotationError(
            f"XGID: position {position!r} has the bars exchanged, the first character is the bar "
            "of player 2 (a to o), the last that of player 1 (A to O)"
        )
    own = [ord(c) - ord("A") + 1 if c.isupper() else 0 for c in position]
    opp = [ord(c) - ord("a") + 1 if c.islower() else 0 for c in position]
    return _row("XGID", ("player 1", "player 2"), own[1:], opp[-2::-1])


def _xgid_dice(field: str) -> tuple[int, int] | Literal["D", "B", "R"] | None:
    match field:
        case "00":
            return None
        case "D" | "B" | "R":
            return field
        case _:
            return int(field[0]), int(field[1])


def _check_match(length: int, score: tuple[int, int], flags: int) -> None:
    if not length:
        return
    if flags > 1:
        raise NotationError(
            f"XGID: crawford/jacoby is {flags}, in a match it is 1 (Crawford game) or 0"
        )
    for player, points in enumerate(score, 1):
        if points >= length:
            raise NotationError(
                f"XGID: score of player {player} is {points}, the match ends at {length}"
            )


def _letter(count: int) -> str:
    if not count:
        return "-"
    return chr(ord("A" if count > 0 else "a") + abs(count) - 1)


# --- rows -----------------------------------------------------------------------------------------


def _check_row(row: Row) -> None:
    wrong = fault(row, _RULES)
    if wrong:
        raise InvalidPosition(wrong)


def _side(row: Row) -> list[int]:
    """Checkers of the mover on 1 to 24 and on the bar."""
    return [max(0, count) for count in row[1 : BAR + 1]]


def _row(source: str, names: tuple[str, str], own: Sequence[int], opp: Sequence[int]) -> Row:
    """A row of both sides' checkers on 1 to 24 and on the bar, each in its own numbering."""
    for name, side in zip(names, (own, opp), strict=True):
        if sum(side) > CHECKERS:
            raise InvalidPosition(
                f"{source}: {name} has {sum(side)} checkers, a side has {CHECKERS}"
            )
    row = [0] * ROW_BYTES
    for p in POINTS:
        ours, theirs = own[p - 1], opp[_SIDE - p - 1]
        if ours and theirs:
            raise InvalidPosition(
                f"{source}: both sides stand on point {p} of {names[0]}, only one can"
            )
        row[p] = ours - theirs
    row[BAR], row[OPP_BAR] = own[-1], opp[-1]
    row[OFF], row[OPP_OFF] = CHECKERS - sum(own), CHECKERS - sum(opp)
    return tuple(row)
