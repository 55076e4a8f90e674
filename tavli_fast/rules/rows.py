"""The packed row: 32 signed bytes, a position seen by one player; see ``docs/rows.md``.

Plain Python over one row at a time. The reference engine and every message about a bad row stand
on it; the kernels have their own copy of the layout, and the tests hold the two together.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from .switches import Rules

ROW_BYTES = 32
OPP_BAR, BAR, OFF, OPP_OFF, PIN_BYTES = 0, 25, 26, 27, slice(28, 32)
POINTS = range(1, 25)
HEAD = 24
HOME = 6  # points 1..6
CHECKERS = 15
FREED_AT = {"past_opp_start": 11, "in_opp_quarter": 12, "in_own_home": 6}

Row = tuple[int, ...]

_STANDARD = {24: 2, 13: 5, 8: 3, 6: 5}
_STACK24 = {24: 15}


def other(point: int, direction: str) -> int:
    """The number the other player gives to a point (``docs/rules.md`` section 1)."""
    if direction == "contrary":
        return 25 - point
    return point + 12 if point <= 12 else point - 12


def start(rules: Rules) -> Row:
    """The start position, the same for both players."""
    row = [0] * ROW_BYTES
    for point, checkers in (_STANDARD if rules.layout == "standard" else _STACK24).items():
        row[point] = checkers
        row[other(point, rules.direction)] = -checkers
    return tuple(row)


def pins(row: Sequence[int]) -> int:
    """The mask of pinned checkers: bit p set, one lies under the owner of point p."""
    return int.from_bytes((byte & 0xFF for byte in row[PIN_BYTES]), "little")


def pin_bytes(mask: int) -> list[int]:
    """A pin mask as the four signed bytes at the end of a row."""
    return [byte - 256 if byte > 127 else byte for byte in mask.to_bytes(4, "little")]


def pinned(row: Sequence[int], side: int) -> Iterator[int]:
    """Points where a checker of a side (+1 the mover, -1 the opponent) lies pinned."""
    mask = pins(row)
    return (p for p in POINTS if mask >> p & 1 and row[p] * side < 0)


def flip(row: Sequence[int], direction: str) -> Row:
    """The same position seen by the other player."""
    seen = [0] * ROW_BYTES
    for p in POINTS:
        seen[other(p, direction)] = -row[p]
    seen[OPP_BAR], seen[BAR] = row[BAR], row[OPP_BAR]
    seen[OFF], seen[OPP_OFF] = row[OPP_OFF], row[OFF]
    mask = pins(row)
    seen[PIN_BYTES] = pin_bytes(sum(1 << other(p, direction) for p in POINTS if mask >> p & 1))
    return tuple(seen)


def runner_freed(rules: Rules, row: Sequence[int]) -> bool:
    """Whether any checker may move, not the runner alone (``docs/rules.md`` section 4)."""
    if rules.runner == "none" or row[OFF] > 0:
        return True
    return any(row[p] > 0 for p in range(1, FREED_AT[rules.runner] + 1))


def pips(row: Sequence[int], direction: str) -> tuple[int, int]:
    """Pip counts of mover and opponent; pinned checkers and the bar (25 pips) count."""

    def one_side(seen: Sequence[int]) -> int:
        free = sum(p * seen[p] for p in range(1, BAR + 1) if seen[p] > 0)
        return free + sum(pinned(seen, 1))

    return one_side(row), one_side(flip(row, direction))


def checkers(row: Sequence[int], side: int) -> int:
    """Checkers of a side (+1 the mover, -1 the opponent): free, pinned, on the bar and off."""
    bar, off = (BAR, OFF) if side > 0 else (OPP_BAR, OPP_OFF)
    free = sum(row[p] * side for p in POINTS if row[p] * side > 0)
    return free + sum(1 for _ in pinned(row, side)) + row[bar] + row[off]


def fault(row: Sequence[int], rules: Rules) -> str | None:
    """What keeps a row from being a position of the rules, or None; see ``docs/rows.md``."""
    for p in POINTS:
        if abs(row[p]) > CHECKERS:
            return f"point {p} holds {abs(row[p])} checkers, a side has {CHECKERS}"
    for byte, what in (
        (OPP_BAR, "opponent's bar"),
        (BAR, "mover's bar"),
        (OFF, "mover's off"),
        (OPP_OFF, "opponent's off"),
    ):
        if not 0 <= row[byte] <= CHECKERS:
            return f"byte {byte} ({what}) is {row[byte]}, it counts 0 to {CHECKERS} checkers"
    if rules.contact != "hit" and (row[BAR] or row[OPP_BAR]):
        return f"checkers on the bar, but contact={rules.contact} has no bar"
    return _pin_fault(row, rules) or _count_fault(row)


def _pin_fault(row: Sequence[int], rules: Rules) -> str | None:
    mask = pins(row)
    if mask and rules.contact != "pin":
        return f"pin mask {mask:#x}, but contact={rules.contact} has no pins"
    if mask & ~0x1FFFFFE:
        return f"pin mask {mask:#x} has bits outside points 1 to 24"
    for p in POINTS:
        if mask >> p & 1 and row[p] == 0:
            return f"a checker is pinned on point {p}, where nobody stands"
    return None


def _count_fault(row: Sequence[int]) -> str | None:
    for side, who in ((1, "the mover"), (-1, "the opponent")):
        found = checkers(row, side)
        if found != CHECKERS:
            return f"{who} has {found} checkers, pinned, bar and off included, not {CHECKERS}"
    return None


def row_of(array: npt.NDArray[np.int8]) -> Row:
    """One packed row as a tuple of Python integers."""
    return tuple(array.tolist())
