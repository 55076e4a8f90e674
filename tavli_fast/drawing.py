"""Boards as text."""

from collections.abc import Sequence

from . import rows as r
from .arguments import Rows

# checkers drawn on one point; a longer stack also has its number written
HEIGHT = 5
CELL = 4

_MARGIN = " " * 4
_BAR_GAP = " " * 6
Quarters = tuple[range, range]

_TOP = (range(13, 19), range(19, 25))
_BOTTOM = (range(12, 6, -1), range(6, 0, -1))
_EDGE = _MARGIN + "+" + "-" * (6 * CELL + 1) + "+---+" + "-" * (6 * CELL + 1) + "+"


def board(row: Sequence[int] | Rows, direction: str) -> str:
    """A position as a text board, seen by its mover.

    Parameters
    ----------
    row : 32 integers
        A valid packed row (``docs/rows.md``).
    direction : {"contrary", "parallel"}
        How the two paths lie; it gives the opponent's numbers of the points.

    Returns
    -------
    str
        Lines without a newline at the end. The mover is O and walks from 24 to 1, the opponent is
        X; the lines that begin with O and X number the points for either. A pinned checker is a
        small letter at the edge of the board, under the checkers of the other side. On a stack
        too high to draw, the number says how many free checkers there are.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.drawing import board
    >>> portes = tavli.variant("portes")
    >>> print(board(portes.start_row(), portes.rules.direction))
    O     13  14  15  16  17  18        19  20  21  22  23  24
    X     12  11  10   9   8   7         6   5   4   3   2   1
        +-------------------------+---+-------------------------+
        |  O               X      |   |  X                   O  |
        |  O               X      |   |  X                   O  |
        |  O               X      |   |  X                      |
        |  O                      |   |  X                      |
        |  O                      |   |  X                      |
        |                         |   |                         |
        |                         |bar|                         |
        |                         |   |                         |
        |  X                      |   |  O                      |
        |  X                      |   |  O                      |
        |  X               O      |   |  O                      |
        |  X               O      |   |  O                   X  |
        |  X               O      |   |  O                   X  |
        +-------------------------+---+-------------------------+
    X     13  14  15  16  17  18        19  20  21  22  23  24
    O     12  11  10   9   8   7         6   5   4   3   2   1
    <BLANKLINE>
    O mover      pips 167   bar  0   off  0
    X opponent   pips 167   bar  0   off  0
    """
    # plain integers: masks of an int8 array would overflow
    seen = [int(number) for number in row]
    lines = [
        *_numbers(_TOP, direction),
        _EDGE,
        *_half(seen, _TOP, _stack("O", seen[r.BAR])),
        f"{_MARGIN}|{' ' * (6 * CELL + 1)}|bar|{' ' * (6 * CELL + 1)}|",
        *reversed(_half(seen, _BOTTOM, _stack("X", seen[r.OPP_BAR]))),
        _EDGE,
        *reversed(_numbers(_BOTTOM, direction)),
        "",
        *_sides(seen, direction),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _numbers(quarters: Quarters, direction: str) -> list[str]:
    """The numbers both sides give to the points of a half board, the mover's first."""
    own = [list(points) for points in quarters]
    opp = [[r.other(p, direction) for p in points] for points in own]
    return [_number_line("O", *own), _number_line("X", *opp)]


def _number_line(side: str, left: list[int], right: list[int]) -> str:
    texts = ("".join(f"{number:{CELL}}" for number in numbers) for numbers in (left, right))
    return side + _MARGIN[1:] + _BAR_GAP.join(texts)


def _half(row: Sequence[int], quarters: Quarters, bar: list[str]) -> list[str]:
    """Lines of a half board from its edge inwards."""
    left, right = ([_point(row, p) for p in points] for points in quarters)
    return [
        f"{_MARGIN}|{_cells(left, level)} |{bar[level]:>2} |{_cells(right, level)} |"
        for level in range(HEIGHT + 1)
    ]


def _cells(stacks: list[list[str]], level: int) -> str:
    return "".join(f"{stack[level]:>{CELL - 1}} " for stack in stacks)


def _point(row: Sequence[int], p: int) -> list[str]:
    owner, beneath = ("O", "x") if row[p] > 0 else ("X", "o")
    return _stack(owner, abs(row[p]), beneath if r.pins(row) >> p & 1 else "")


def _stack(side: str, checkers: int, beneath: str = "") -> list[str]:
    """What stands on a point, from the edge inwards, with the number where they do not all fit."""
    drawn = min(checkers, HEIGHT - len(beneath))
    stack = list(beneath) + [side] * drawn
    stack += [""] * (HEIGHT - len(stack))
    return [*stack, str(checkers) if checkers > drawn else ""]


def _sides(row: Sequence[int], direction: str) -> list[str]:
    own, opp = r.pips(row, direction)
    return [
        _side("O mover", own, row[r.BAR], row[r.OFF], sorted(r.pinned(row, 1))),
        _side("X opponent", opp, row[r.OPP_BAR], row[r.OPP_OFF], sorted(r.pinned(row, -1))),
    ]


def _side(who: str, pips: int, bar: int, off: int, pinned: list[int]) -> str:
    line = f"{who:10}   pips {pips:3}   bar {bar:2}   off {off:2}"
    if not pinned:
        return line
    return f"{line}   pinned ({who[0].lower()}) on {' '.join(map(str, reversed(pinned)))}"
