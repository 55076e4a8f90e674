"""Boards as text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..rules import rows as r
from ..rules.arrays import Rows

# checkers drawn on one point; a longer stack also has its number written
HEIGHT = 5
CELL = 4

_MARGIN = " " * 4
_BAR_GAP = " " * 6
Quarters = tuple[range, range]

_TOP = (range(13, 19), range(19, 25))
_BOTTOM = (range(12, 6, -1), range(6, 0, -1))


@dataclass(frozen=True, slots=True)
class Glyphs:
    """What a board is drawn with; each glyph is one column wide."""

    own: str
    opp: str
    own_pinned: str
    opp_pinned: str
    wall: str
    line: str
    top: str  # corners of an edge from left to right
    bottom: str


ASCII = Glyphs("O", "X", "o", "x", "|", "-", "++++", "++++")
UNICODE = Glyphs("○", "●", "◦", "•", "│", "─", "┌┬┬┐", "└┴┴┘")
# magenta and cyan can be read on black and on white
_OWN_COLOUR, _OPP_COLOUR = "\x1b[35m{}\x1b[0m", "\x1b[36m{}\x1b[0m"


def board(
    row: Sequence[int] | Rows, direction: str, *, unicode: bool = False, colour: bool = False
) -> str:
    """A position as a text board, seen by its mover.

    Parameters
    ----------
    row : 32 integers
        A valid packed row (``docs/rows.md``).
    direction : {"contrary", "parallel"}
        How the two paths lie; it gives the opponent's numbers of the points.
    unicode : bool
        Circles and box drawing instead of letters: the mover is ○, the opponent is ●, and ◦ and •
        are their pinned checkers.
    colour : bool
        ANSI colours for a terminal.

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
    >>> from tavli_fast.writing.text_board import board
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
    plain = UNICODE if unicode else ASCII
    glyphs = _coloured(plain) if colour else plain
    wall, gap = glyphs.wall, " " * (6 * CELL + 1)
    lines = [
        *_numbers(_TOP, direction, glyphs),
        _edge(glyphs.line, glyphs.top),
        *_half(seen, _TOP, _stack(glyphs.own, seen[r.BAR]), glyphs),
        f"{_MARGIN}{wall}{gap}{wall}bar{wall}{gap}{wall}",
        *reversed(_half(seen, _BOTTOM, _stack(glyphs.opp, seen[r.OPP_BAR]), glyphs)),
        _edge(glyphs.line, glyphs.bottom),
        *reversed(_numbers(_BOTTOM, direction, glyphs)),
        "",
        *_sides(seen, direction, glyphs),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _coloured(glyphs: Glyphs) -> Glyphs:
    return replace(
        glyphs,
        own=_OWN_COLOUR.format(glyphs.own),
        opp=_OPP_COLOUR.format(glyphs.opp),
        own_pinned=_OWN_COLOUR.format(glyphs.own_pinned),
        opp_pinned=_OPP_COLOUR.format(glyphs.opp_pinned),
    )


def _edge(line: str, corners: str) -> str:
    lengths = (6 * CELL + 1, 3, 6 * CELL + 1, 0)
    return _MARGIN + "".join(
        corner + line * length for corner, length in zip(corners, lengths, strict=True)
    )


def _numbers(quarters: Quarters, direction: str, glyphs: Glyphs) -> list[str]:
    """The numbers both sides give to the points of a half board, the mover's first."""
    own = [list(points) for points in quarters]
    opp = [[r.other(p, direction) for p in points] for points in own]
    return [_number_line(glyphs.own, *own), _number_line(glyphs.opp, *opp)]


def _number_line(side: str, left: list[int], right: list[int]) -> str:
    texts = ("".join(f"{number:{CELL}}" for number in numbers) for numbers in (left, right))
    return side + _MARGIN[1:] + _BAR_GAP.join(texts)


def _half(row: Sequence[int], quarters: Quarters, bar: list[str], glyphs: Glyphs) -> list[str]:
    """Lines of a half board from its edge inwards."""
    left, right = ([_point(row, p, glyphs) for p in points] for points in quarters)
    wall = glyphs.wall
    return [
        f"{_MARGIN}{wall}{_cells(left, level)} {wall}{_cell(bar[level], 2)} "
        f"{wall}{_cells(right, level)} {wall}"
        for level in range(HEIGHT + 1)
    ]


def _cells(stacks: list[list[str]], level: int) -> str:
    return "".join(_cell(stack[level], CELL - 1) + " " for stack in stacks)


def _cell(content: str, width: int) -> str:
    """A glyph or a number at the right of its cell; a coloured glyph is one column wide too."""
    columns = len(content) if content.isdigit() else min(len(content), 1)
    return " " * (width - columns) + content


def _point(row: Sequence[int], p: int, glyphs: Glyphs) -> list[str]:
    own = row[p] > 0
    beneath = glyphs.opp_pinned if own else glyphs.own_pinned
    pinned = [beneath] if r.pins(row) >> p & 1 else []
    return _stack(glyphs.own if own else glyphs.opp, abs(row[p]), pinned)


def _stack(side: str, checkers: int, beneath: Sequence[str] = ()) -> list[str]:
    """What stands on a point, from the edge inwards, with the number where they do not all fit."""
    drawn = min(checkers, HEIGHT - len(beneath))
    stack = [*beneath, *[side] * drawn]
    stack += [""] * (HEIGHT - len(stack))
    return [*stack, str(checkers) if checkers > drawn else ""]


def _sides(row: Sequence[int], direction: str, glyphs: Glyphs) -> list[str]:
    own, opp = r.pips(row, direction)
    lines = [
        f"{glyphs.own} mover      pips {own:3}   bar {row[r.BAR]:2}   off {row[r.OFF]:2}",
        f"{glyphs.opp} opponent   pips {opp:3}   bar {row[r.OPP_BAR]:2}   off {row[r.OPP_OFF]:2}",
    ]
    pinned = [
        _pinned(glyphs.own_pinned, sorted(r.pinned(row, 1), reverse=True)),
        _pinned(glyphs.opp_pinned, sorted(r.pinned(row, -1), reverse=True)),
    ]
    return [line + more for line, more in zip(lines, pinned, strict=True)]


def _pinned(glyph: str, points: list[int]) -> str:
    return f"   pinned ({glyph}) on {' '.join(map(str, points))}" if points else ""
