"""Text boards: what stands where, in whose numbering, and how it looks in full."""

import re

import numpy as np
import pytest

import tavli_fast as tavli
from tavli_fast.rules import rows as r
from tavli_fast.writing.text_board import HEIGHT, board

TOP_LINES, BOTTOM_LINES = range(3, 9), range(15, 9, -1)  # from the edge inwards

PORTES = """\
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

O mover      pips 167   bar  0   off  0
X opponent   pips 167   bar  0   off  0"""

PLAKOTO = """\
O     13  14  15  16  17  18        19  20  21  22  23  24
X     12  11  10   9   8   7         6   5   4   3   2   1
    +-------------------------+---+-------------------------+
    |                         |   |                      O  |
    |                         |   |                      O  |
    |                         |   |                      O  |
    |                         |   |                      O  |
    |                         |   |                      O  |
    |                         |   |                     15  |
    |                         |bar|                         |
    |                         |   |                     15  |
    |                         |   |                      X  |
    |                         |   |                      X  |
    |                         |   |                      X  |
    |                         |   |                      X  |
    |                         |   |                      X  |
    +-------------------------+---+-------------------------+
X     13  14  15  16  17  18        19  20  21  22  23  24
O     12  11  10   9   8   7         6   5   4   3   2   1

O mover      pips 360   bar  0   off  0
X opponent   pips 360   bar  0   off  0"""

FEVGA = """\
O     13  14  15  16  17  18        19  20  21  22  23  24
X      1   2   3   4   5   6         7   8   9  10  11  12
    +-------------------------+---+-------------------------+
    |                         |   |                      O  |
    |                         |   |                      O  |
    |                         |   |                      O  |
    |                         |   |                      O  |
    |                         |   |                      O  |
    |                         |   |                     15  |
    |                         |bar|                         |
    | 15                      |   |                         |
    |  X                      |   |                         |
    |  X                      |   |                         |
    |  X                      |   |                         |
    |  X                      |   |                         |
    |  X                      |   |                         |
    +-------------------------+---+-------------------------+
X     24  23  22  21  20  19        18  17  16  15  14  13
O     12  11  10   9   8   7         6   5   4   3   2   1

O mover      pips 360   bar  0   off  0
X opponent   pips 360   bar  0   off  0"""

BAR = """\
O     13  14  15  16  17  18        19  20  21  22  23  24
X     12  11  10   9   8   7         6   5   4   3   2   1
    +-------------------------+---+-------------------------+
    |  O                      | O |      X                  |
    |  O                      | O |      X                  |
    |  O                      |   |      X                  |
    |  O                      |   |      X                  |
    |  O                      |   |                         |
    |  7                      |   |                         |
    |                         |bar|                         |
    |                         | 6 |                         |
    |                         | X |                         |
    |                         | X |                         |
    |                         | X |                         |
    |                         | X |                         |
    |                         | X |  O                      |
    +-------------------------+---+-------------------------+
X     13  14  15  16  17  18        19  20  21  22  23  24
O     12  11  10   9   8   7         6   5   4   3   2   1

O mover      pips 147   bar  2   off  5
X opponent   pips 170   bar  6   off  5"""


def column(text: str, point: int) -> list[str]:
    """What is drawn on a point, from the edge inwards, found by the mover's numbers."""
    lines = text.splitlines()
    numbers, levels = (lines[0], TOP_LINES) if point > 12 else (lines[18], BOTTOM_LINES)
    [end] = (found.end() for found in re.finditer(r"\d+", numbers) if int(found[0]) == point)
    shown = (lines[level][end - 3 : end].strip() for level in levels)
    return [cell for cell in shown if cell]


def numbering(text: str, side: str) -> list[int]:
    """A side's numbers of the points, in the order of the mover's 1 to 24."""
    top, bottom = (
        next(line for line in lines if line.startswith(side))
        for lines in (text.splitlines()[:2], text.splitlines()[16:19])
    )
    return [*map(int, bottom[1:].split()[::-1]), *map(int, top[1:].split())]


@pytest.mark.parametrize(
    ("game", "text"), [("portes", PORTES), ("plakoto", PLAKOTO), ("fevga", FEVGA)]
)
def test_start_boards(game: str, text: str) -> None:
    assert str(tavli.variant(game).start()) == text


def test_bar_of_both_sides_and_checkers_off() -> None:
    pos = tavli.Position.parse("portes", own="bar*2 13*7 6", opp="bar*6 20*4")
    assert str(pos) == BAR


@pytest.mark.parametrize("game", tavli.variants())
def test_edges_number_the_points_for_both_sides(game: str) -> None:
    start = tavli.variant(game).start()
    text = str(start)
    assert numbering(text, "O") == list(range(1, 25))
    if start.rules.direction == "contrary":
        assert numbering(text, "X") == list(range(24, 0, -1))
    else:
        assert numbering(text, "X") == [*range(13, 25), *range(1, 13)]


@pytest.mark.parametrize(("checkers", "number"), [(1, []), (5, []), (6, ["6"]), (15, ["15"])])
@pytest.mark.parametrize("point", [24, 18, 13, 12, 7, 6, 1])
def test_stacks_are_five_high_and_then_a_number(
    checkers: int, number: list[str], point: int
) -> None:
    row = [0] * r.ROW_BYTES
    for side, letter in ((1, "O"), (-1, "X")):
        row[point] = side * checkers
        assert column(board(row, "contrary"), point) == [letter] * min(checkers, HEIGHT) + number


def test_a_pinned_checker_of_each_side_is_at_the_edge() -> None:
    pos = tavli.Position.parse(
        "plakoto", own="24*9 17 3*4", opp="1*12 20*2", opp_pinned="17", own_pinned="20"
    )
    text = str(pos)
    assert column(text, 17) == ["x", "O"]
    assert column(text, 20) == ["o", "X", "X"]
    assert text.splitlines()[-2] == "O mover      pips 265   bar  0   off  0   pinned (o) on 20"
    assert text.splitlines()[-1] == "X opponent   pips 306   bar  0   off  0   pinned (x) on 17"
    flipped = str(pos.flip())
    assert column(flipped, 8) == ["o", "X"]
    assert column(flipped, 5) == ["x", "O", "O"]


def test_several_pins_of_a_side_are_named_from_24_down() -> None:
    pos = tavli.Position.parse("plakoto", own="24*10 17 6*2 3*2", opp="1*13", opp_pinned="6 17")
    assert str(pos).endswith("pinned (x) on 17 6")


@pytest.mark.parametrize(("free", "number"), [(4, []), (5, ["5"]), (15, ["15"])])
def test_the_number_over_a_pinned_checker_counts_the_free_ones(
    free: int, number: list[str]
) -> None:
    row = [0] * r.ROW_BYTES
    row[6], row[r.PIN_BYTES] = free, r.pin_bytes(1 << 6)
    assert column(board(row, "contrary"), 6) == ["x", *"OOOO", *number]


def test_all_off() -> None:
    text = str(tavli.Position.parse("fevga", own="", opp="12*15"))
    assert text.splitlines()[-2:] == [
        "O mover      pips   0   bar  0   off 15",
        "X opponent   pips 360   bar  0   off  0",
    ]
    # the O that numbers the points and the one that names the side
    assert text.count("O") == 3


@pytest.mark.parametrize("game", ["portes", "plakoto", "fevga"])
def test_every_checker_of_random_play_is_drawn(game: str) -> None:
    variant = tavli.variant(game)
    for row in variant.sample(300, seed=3)[0]:
        pos = variant.position(row)
        text = str(pos)
        for point in range(1, 25):
            letter, beneath = ("O", "x") if row[point] > 0 else ("X", "o")
            pinned = [beneath] if point in pos.own_pinned + pos.opp_pinned else []
            free = abs(int(row[point]))
            drawn = min(free, HEIGHT - len(pinned))
            number = [str(free)] if free > drawn else []
            assert column(text, point) == pinned + [letter] * drawn + number


def test_lines_are_plain_and_narrow() -> None:
    variant = tavli.variant("plakoto")
    for row in variant.sample(100, seed=5)[0]:
        text = str(variant.position(row))
        assert text.isascii()
        assert all(line == line.rstrip() and len(line) < 80 for line in text.splitlines())


def test_a_row_may_be_an_array_or_plain_integers() -> None:
    row = tavli.Position.parse("plakoto", own="24*14 7", opp="1*14", opp_pinned="7").row
    assert row.dtype == np.int8
    assert row[28] == -128
    assert board(row, "contrary") == board(row.tolist(), "contrary")
    assert column(board(row, "contrary"), 7) == ["x", "O"]


UNICODE = """\
○     13  14  15  16  17  18        19  20  21  22  23  24
●     12  11  10   9   8   7         6   5   4   3   2   1
    ┌─────────────────────────┬───┬─────────────────────────┐
    │                  •      │   │      ◦               ○  │
    │                  ○      │   │      ●               ○  │
    │                         │   │      ●               ○  │
    │                         │   │                      ○  │
    │                         │   │                      ○  │
    │                         │   │                      9  │
    │                         │bar│                         │
    │                         │   │                     12  │
    │                         │   │                      ●  │
    │                         │   │              ○       ●  │
    │                         │   │              ○       ●  │
    │                         │   │              ○       ●  │
    │                         │   │              ○       ●  │
    └─────────────────────────┴───┴─────────────────────────┘
●     13  14  15  16  17  18        19  20  21  22  23  24
○     12  11  10   9   8   7         6   5   4   3   2   1

○ mover      pips 265   bar  0   off  0   pinned (◦) on 20
● opponent   pips 306   bar  0   off  0   pinned (•) on 17"""

# glyphs of both boards; letters of words are not among them
GLYPHS = str.maketrans("○●│─┌┬┐└┴┘", "OX|-++++++")


def test_a_board_of_circles() -> None:
    pos = tavli.Position.parse(
        "plakoto", own="24*9 17 3*4", opp="1*12 20*2", opp_pinned="17", own_pinned="20"
    )
    assert board(pos.row, "contrary", unicode=True) == UNICODE


@pytest.mark.parametrize("game", ["portes", "plakoto", "fevga"])
def test_circles_and_colours_stand_where_the_letters_do(game: str) -> None:
    variant = tavli.variant(game)
    direction = variant.rules.direction
    for row in variant.sample(100, seed=9)[0]:
        plain, circles = board(row, direction), board(row, direction, unicode=True)
        letters = circles.translate(GLYPHS).replace("◦", "o").replace("•", "x")
        assert letters == plain
        for text, options in ((plain, {}), (circles, {"unicode": True})):
            coloured = board(row, direction, colour=True, **options)
            assert re.sub(r"\x1b\[\d+m", "", coloured) == text


def test_each_side_has_its_colour() -> None:
    pos = tavli.Position.parse(
        "plakoto", own="24*9 17 3*4", opp="1*12 20*2", opp_pinned="17", own_pinned="20"
    )
    text = board(pos.row, "contrary", colour=True)
    found = set(re.findall(r"\x1b\[(\d+)m(.+?)\x1b\[0m", text))
    assert found == {("35", "O"), ("35", "o"), ("36", "X"), ("36", "x")}
