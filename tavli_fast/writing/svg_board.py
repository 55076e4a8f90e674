"""Boards as SVG pictures: plain strings, nothing to install."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import hypot
from operator import index
from typing import NamedTuple

from ..rules import rows as r
from ..rules.arrays import DiceLike, Rows, check_dice

Step = tuple[int, int, int]  # from, to, die
Spot = tuple[float, float]
Attributes = dict[str, str | float]

# checkers drawn in one stack; on a higher one the last has the number written on it
HEIGHT = 5

_CELL = 40  # width of a point
_RADIUS = 17
_PITCH = 36  # between checkers of a stack
_LIFT = 15  # how far those over a pinned checker are moved to leave it in sight
_EDGE = 14  # left and right of everything
_STRIP = 40  # above and below the field, for the numbers
_FIELD = 460
_TIP = 194  # height of a point
_BAR = 44
_TRAY = 56
_TRAY_DEPTH = 190
_SLAB = 11  # a borne-off checker, lying on its side
_DIE = 32
_HEAD = 14  # length of an arrow head

_RIGHT = _EDGE + 12 * _CELL + _BAR
_WIDTH = _RIGHT + 8 + _TRAY + _EDGE
_TALL = _FIELD + 2 * _STRIP
_MIDDLE = _TALL / 2

# dots of a die on a grid of 3 x 3, numbered row by row
_DOTS = {
    1: (4,),
    2: (2, 6),
    3: (2, 4, 6),
    4: (0, 2, 6, 8),
    5: (0, 2, 4, 6, 8),
    6: (0, 2, 3, 5, 6, 8),
}


@dataclass(frozen=True, slots=True)
class Scheme:
    """The colours of a picture."""

    page: str
    ink: str
    faint: str
    field: str
    wood: str
    light_point: str
    dark_point: str
    own: str
    own_line: str
    opp: str
    opp_line: str
    pin: str
    arrow: str
    halo: str
    landing: str


LIGHT = Scheme(
    page="#ffffff",
    ink="#222222",
    faint="#6b6b6b",
    field="#f4ecdc",
    wood="#cdb592",
    light_point="#e3d0ae",
    dark_point="#c8a877",
    own="#fffdf6",
    own_line="#3b3226",
    opp="#2c2a33",
    opp_line="#cfcbd8",
    pin="#d1410c",
    arrow="#0a5cc4",
    halo="#ffffff",
    landing="#8fc1ff",
)
DARK = Scheme(
    page="#14161a",
    ink="#e6e6e6",
    faint="#9aa0a8",
    field="#262a31",
    wood="#3a404a",
    light_point="#4b5563",
    dark_point="#363d48",
    own="#f3eee0",
    own_line="#15171b",
    opp="#101116",
    opp_line="#a9b1bd",
    pin="#ff8a3d",
    arrow="#5cb3ff",
    halo="#14161a",
    landing="#2f6db5",
)


class _Column(NamedTuple):
    """Where a stack stands: its middle line, where it begins, and whether it grows down or up."""

    x: float
    foot: float
    down: bool

    def y(self, far: float) -> float:
        """The height of what is so far from the foot."""
        return self.foot + far if self.down else self.foot - far

    @property
    def upper(self) -> bool:
        """Whether it stands in the upper half of the board."""
        return self.y(1) < _MIDDLE


# the bar is filled from the middle of the board, so that arrows from it keep clear of the others
_OWN_BAR = _Column(_EDGE + 6 * _CELL + _BAR / 2, _MIDDLE, False)
_OPP_BAR = _OWN_BAR._replace(down=True)
_OWN_TRAY = _Column(_RIGHT + 8 + _TRAY / 2, _STRIP + _FIELD, False)
_OPP_TRAY = _OWN_TRAY._replace(foot=_STRIP, down=True)


def svg(
    row: Sequence[int] | Rows,
    direction: str,
    *,
    steps: Sequence[Step] = (),
    dice: DiceLike | None = None,
    dark: bool = False,
    hit_points: Sequence[int] = (),
) -> str:
    """A position as an SVG picture, seen by its mover.

    Parameters
    ----------
    row : 32 integers
        A valid packed row (``docs/rows.md``).
    direction : {"contrary", "parallel"}
        How the two paths lie; it gives the opponent's numbers of the points.
    steps : sequence of (from, to, die)
        Steps of the mover, drawn as arrows over the position; 25 is the bar, 0 is off. The points
        where they land are tinted.
    dice : pair of int, optional
        The roll to show.
    dark : bool
        Colours for a dark page.
    hit_points : sequence of int
        Points to frame because a checker is hit or pinned there.

    Returns
    -------
    str
        One ``<svg>`` element, the same for the same arguments. It has no size of its own, only a
        ``viewBox``, and no identifiers that could clash with those of a page around it.

    Raises
    ------
    InvalidDice
        When the roll is not two numbers from 1 to 6.
    ValueError
        When a step or a point is not on the board.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.writing.svg_board import svg
    >>> portes = tavli.variant("portes")
    >>> steps = ((24, 18, 6), (24, 19, 5))
    >>> picture = svg(portes.start_row(), portes.rules.direction, steps=steps, dice=(6, 5))
    >>> picture.count("data-checker"), picture.count("data-step")
    (30, 2)
    """
    # plain integers: masks of an int8 array would overflow, and text is refused
    seen = [index(number) for number in row]
    roll = _roll(dice)
    moves = [_step(step) for step in steps]
    hits = sorted({_point(p) for p in hit_points})
    scheme = DARK if dark else LIGHT
    parts = [
        _tag("title", escape(_title(seen, direction, roll))),
        _tag("desc", escape(_description(seen, moves))),
        *_table(scheme),
        *_tints(moves, hits, scheme),
        *_numbers(direction, scheme),
        *_checkers(seen, scheme),
        *_tray(_OWN_TRAY, seen[r.OFF], 1, scheme),
        *_tray(_OPP_TRAY, seen[r.OPP_OFF], -1, scheme),
        *_pips(seen, direction, scheme),
        *_dice(roll, scheme),
        *_arrows(seen, moves, scheme),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_TALL}" role="img" '
        'font-family="sans-serif" style="max-width:720px">\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _roll(dice: DiceLike | None) -> list[int]:
    if dice is None:
        return []
    checked, single = check_dice(dice)
    if not single:
        raise ValueError(f"dice of a picture are one roll of shape (2,), got {checked.shape}")
    return [int(die) for die in checked[0]]


def _step(step: Step) -> Step:
    origin, to, die = map(index, step)
    if not (1 <= origin <= r.BAR and 1 <= die <= 6 and to == max(origin - die, 0)):
        raise ValueError(
            f"step {(origin, to, die)} is no step: from is 1 to 25 (the bar), die is 1 to 6, "
            "to is from - die, or 0 (off)"
        )
    return origin, to, die


def _point(p: int) -> int:
    if index(p) not in r.POINTS:
        raise ValueError(f"point {index(p)} is not on the board, points are 1 to 24")
    return index(p)


def _tag(name: str, *elements: str, **attributes: str | float) -> str:
    given = "".join(
        f' {key.replace("_", "-")}="{escape(_value(value))}"' for key, value in attributes.items()
    )
    inner = "".join(elements)
    return f"<{name}{given}>{inner}</{name}>" if inner else f"<{name}{given}/>"


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")


def _label(text: str, x: float, y: float, size: float, fill: str, **more: str | float) -> str:
    """Text centred on a place; digits are 0.72 of the size high."""
    return _tag(
        "text",
        escape(text),
        x=x,
        y=y + 0.36 * size,
        font_size=size,
        text_anchor="middle",
        fill=fill,
        **more,
    )


def _column(place: int) -> _Column:
    """The column of a point, of the mover's bar (25) or of his tray (0)."""
    if place == r.BAR:
        return _OWN_BAR
    if place == 0:
        return _OWN_TRAY
    cells = place - 13 if place > 12 else 12 - place
    x = _EDGE + (cells + 0.5) * _CELL + (_BAR if cells >= 6 else 0)
    return _OPP_TRAY._replace(x=x) if place > 12 else _OWN_TRAY._replace(x=x)


def _title(row: Sequence[int], direction: str, roll: Sequence[int]) -> str:
    own, opp = r.pips(row, direction)
    rolled = f", roll {roll[0]}-{roll[1]}" if roll else ""
    return f"Tavli board: pips {own} mover, {opp} opponent{rolled}"


def _description(row: Sequence[int], steps: Sequence[Step]) -> str:
    """The picture in words, in the mover's numbering."""
    words = [
        _side_in_words("Mover (light)", row, 1, row[r.BAR], row[r.OFF]),
        _side_in_words("Opponent (dark)", row, -1, row[r.OPP_BAR], row[r.OPP_OFF]),
    ]
    if steps:
        words.append(f"Play: {' '.join(_step_name(step) for step in steps)}.")
    return " ".join(words)


def _side_in_words(who: str, row: Sequence[int], side: int, bar: int, off: int) -> str:
    places = [f"{row[p] * side} on {p}" for p in reversed(r.POINTS) if row[p] * side > 0]
    places += [f"1 pinned on {p}" for p in reversed(list(r.pinned(row, side)))]
    places += [f"{n} {where}" for n, where in ((bar, "on the bar"), (off, "off")) if n]
    return f"{who}: {', '.join(places)}."


def _step_name(step: Step) -> str:
    origin, to, _ = step
    return f"{'bar' if origin == r.BAR else origin}/{to or 'off'}"


def _table(scheme: Scheme) -> Iterator[str]:
    """The empty board."""
    yield _tag("rect", width=_WIDTH, height=_TALL, fill=scheme.page)
    yield _tag(
        "rect",
        x=_EDGE - 4,
        y=_STRIP - 4,
        width=_RIGHT - _EDGE + 8,
        height=_FIELD + 8,
        rx=4,
        fill=scheme.wood,
    )
    for left in (_EDGE, _EDGE + 6 * _CELL + _BAR):
        yield _tag("rect", x=left, y=_STRIP, width=6 * _CELL, height=_FIELD, fill=scheme.field)
    for p in r.POINTS:
        x, foot, tip = _column(p).x, _column(p).y(0), _column(p).y(_TIP)
        corners = f"{_value(x - _CELL / 2)},{foot} {_value(x + _CELL / 2)},{foot} {_value(x)},{tip}"
        # neighbours differ, and so do the two points across the board
        fill = scheme.dark_point if p % 2 else scheme.light_point
        yield _tag("polygon", points=corners, fill=fill, data_point=p)


def _tints(steps: Sequence[Step], hits: Sequence[int], scheme: Scheme) -> Iterator[str]:
    """Points where steps land, and those where a checker is hit or pinned."""
    for p in sorted({to for _, to, _ in steps if to}):
        yield _tag("rect", **_area(p), fill=scheme.landing, fill_opacity="0.4", data_landing=p)
    for p in hits:
        yield _tag(
            "rect",
            **_area(p),
            fill="none",
            stroke=scheme.pin,
            stroke_width=2,
            stroke_dasharray="5 3",
            data_hit=p,
        )


def _area(p: int) -> dict[str, float]:
    column = _column(p)
    y = min(column.y(1), column.y(_TIP + 4))
    return {"x": column.x - _CELL / 2 + 1, "y": y, "width": _CELL - 2, "height": _TIP + 3, "rx": 4}


def _numbers(direction: str, scheme: Scheme) -> Iterator[str]:
    """The mover's number of each point next to the board, the opponent's small behind it."""
    for p in r.POINTS:
        x, near, far = _column(p).x, _column(p).y(-14), _column(p).y(-30)
        yield _label(str(p), x, near, 14, scheme.ink, font_weight="bold", data_own=p)
        theirs = r.other(p, direction)
        yield _label(str(theirs), x, far, 10, scheme.faint, data_opp=theirs)


def _checkers(row: Sequence[int], scheme: Scheme) -> Iterator[str]:
    for p in r.POINTS:
        side = 1 if row[p] > 0 else -1
        yield from _stack(_column(p), side, abs(row[p]), _is_pin(row, p), scheme)
    yield from _stack(_OWN_BAR, 1, row[r.BAR], False, scheme)
    yield from _stack(_OPP_BAR, -1, row[r.OPP_BAR], False, scheme)


def _is_pin(row: Sequence[int], p: int) -> bool:
    return bool(r.pins(row) >> p & 1)


def _depth(slot: float, lifted: bool) -> float:
    """How far from the edge the middle of a checker of a stack is."""
    return 2 + _RADIUS + _PITCH * slot + (_LIFT if lifted else 0)


def _stack(
    column: _Column, side: int, number: int, over_pin: bool, scheme: Scheme
) -> Iterator[str]:
    if over_pin:
        yield _checker(column.x, column.y(_depth(0, False)), -side, scheme, scheme.pin)
    for slot in range(min(number, HEIGHT)):
        yield _checker(column.x, column.y(_depth(slot, over_pin)), side, scheme)
    if number > HEIGHT:
        fill = scheme.own_line if side > 0 else scheme.opp_line
        y = column.y(_depth(HEIGHT - 1, over_pin))
        yield _label(str(number), column.x, y, 15, fill, font_weight="bold", data_count=number)


def _checker(x: float, y: float, side: int, scheme: Scheme, rim: str = "") -> str:
    """A checker; the opponent's have a ring within, a pinned one has a rim of its own colour."""
    fill, line = (scheme.own, scheme.own_line) if side > 0 else (scheme.opp, scheme.opp_line)
    outline: Attributes = {"stroke": rim or line, "stroke_width": 4 if rim else 1.5}
    parts = [_tag("circle", cx=x, cy=y, r=_RADIUS - (1.5 if rim else 0), fill=fill, **outline)]
    if side < 0:
        ring: Attributes = {"stroke": line, "stroke_width": 1.5}
        parts.append(_tag("circle", cx=x, cy=y, r=_RADIUS - 4, fill="none", **ring))
    pinned: Attributes = {"data_pinned": "yes"} if rim else {}
    return _tag("g", *parts, data_checker=_name(side), **pinned)


def _name(side: int) -> str:
    return "own" if side > 0 else "opp"


def _tray(column: _Column, off: int, side: int, scheme: Scheme) -> Iterator[str]:
    """Checkers borne off, lying on their sides, and how many there are."""
    fill, line = (scheme.own, scheme.own_line) if side > 0 else (scheme.opp, scheme.opp_line)
    left, top = column.x - _TRAY / 2, min(column.y(0), column.y(_TRAY_DEPTH))
    frame: Attributes = {"width": _TRAY, "height": _TRAY_DEPTH, "rx": 4, "fill": scheme.wood}
    yield _tag("rect", x=left, y=top, **frame)
    for slot in range(off):
        yield _tag(
            "rect",
            x=left + 6,
            y=column.y(_slab_depth(slot)) - _SLAB / 2 + 1,
            width=_TRAY - 12,
            height=_SLAB - 2,
            rx=3,
            fill=fill,
            stroke=line,
            data_off=_name(side),
        )
    y = column.y(_TRAY_DEPTH - 10)
    count: Attributes = {"font_weight": "bold", "data_off_count": _name(side)}
    yield _label(str(off), column.x, y, 13, scheme.ink, **count)


def _slab_depth(slot: float) -> float:
    return 4 + _SLAB * (slot + 0.5)


def _pips(row: Sequence[int], direction: str, scheme: Scheme) -> Iterator[str]:
    """The pip counts, each beside the tray of its side."""
    for column, pips in zip((_OWN_TRAY, _OPP_TRAY), r.pips(row, direction), strict=True):
        yield _label(f"pips {pips}", column.x, column.y(-14), 12, scheme.ink)


def _dice(roll: Sequence[int], scheme: Scheme) -> Iterator[str]:
    """The roll, between the trays."""
    x = _OWN_TRAY.x - _DIE / 2
    for number, y in zip(roll, (-_DIE - 3, 3), strict=False):
        yield _die(number, x, _MIDDLE + y, scheme)


def _die(number: int, x: float, y: float, scheme: Scheme) -> str:
    face: Attributes = {"rx": 6, "fill": scheme.own, "stroke": scheme.own_line, "stroke_width": 1.5}
    third = _DIE / 4
    dots = [
        _tag(
            "circle",
            cx=x + third * (1 + dot % 3),
            cy=y + third * (1 + dot // 3),
            r=3,
            fill=scheme.own_line,
        )
        for dot in _DOTS[number]
    ]
    return _tag(
        "g", _tag("rect", x=x, y=y, width=_DIE, height=_DIE, **face), *dots, data_die=number
    )


def _arrows(row: Sequence[int], steps: Sequence[Step], scheme: Scheme) -> Iterator[str]:
    """One arrow a step, each from and to a place of its own in the stacks."""
    starts = _starts(row, steps)
    ends = _ends(row, steps, starts)
    for step, start, end in zip(steps, starts, ends, strict=True):
        parts = _arrow(start, end, scheme)
        yield _tag("g", *parts, data_step=_step_name(step))


def _starts(row: Sequence[int], steps: Sequence[Step]) -> list[Spot]:
    """Where each step begins: the top checkers leave, by arrows that do not cross."""
    starts = [(0.0, 0.0)] * len(steps)
    for origin in {step[0] for step in steps}:
        leaving = [i for i, step in enumerate(steps) if step[0] == origin]
        arrived = sum(to == origin for _, to, _ in steps[: leaving[-1]])
        lowest = max(0, min(_height(row, origin) + arrived, HEIGHT + 1) - len(leaving))
        for slot, i in enumerate(sorted(leaving, key=lambda i: _inwards(steps[i])), lowest):
            starts[i] = _place(row, origin, slot)
    return starts


def _inwards(step: Step) -> float:
    """A number that is greater for the arrow that should leave higher up a stack."""
    start, end = _column(step[0]), _column(step[1])
    across = abs(start.x - end.x)
    if start.upper != end.upper:
        return 2 * _WIDTH - across
    return -across if step[0] == r.BAR else across


def _ends(row: Sequence[int], steps: Sequence[Step], starts: Sequence[Spot]) -> list[Spot]:
    """Where each step lands: the nearest arrow lowest, so that those side by side do not cross."""
    ends = [(0.0, 0.0)] * len(steps)
    for to in {step[1] for step in steps}:
        arriving = [i for i, step in enumerate(steps) if step[1] == to]
        order = sorted((_nearness(starts[i], to), i) for i in arriving)
        # checkers off lie closer than two arrow heads would
        apart = 1 if to else 1.5
        for number, (_, i) in enumerate(order):
            ends[i] = _place(row, to, _height(row, to) + apart * number)
    return ends


def _nearness(start: Spot, to: int) -> Spot:
    """Greater for an arrow that has to end higher up a stack, or deeper in the tray."""
    column = _column(to)
    across, along = abs(start[0] - column.x), abs(start[1] - column.foot)
    return (along, across) if to else (across, along)


def _height(row: Sequence[int], place: int) -> int:
    """How many checkers of the mover are drawn at a place."""
    if place == 0:
        return row[r.OFF]
    return min(max(row[place], 0), HEIGHT)


def _place(row: Sequence[int], place: int, slot: float) -> Spot:
    """The middle of a checker of the mover."""
    column = _column(place)
    if place == 0:
        return column.x, column.y(_slab_depth(slot))
    lifted = place != r.BAR and row[place] > 0 and _is_pin(row, place)
    return column.x, column.y(_depth(min(slot, HEIGHT), lifted))


def _arrow(start: Spot, end: Spot, scheme: Scheme) -> tuple[str, ...]:
    """An arrow, bent towards the middle of the board when both its ends are on one edge."""
    (x1, y1), (x2, y2) = start, end
    across = abs(x2 - x1)
    bend = min(0.3 * across, 20 + 0.12 * across) if (y1 < _MIDDLE) == (y2 < _MIDDLE) else 0.0
    cx, cy = (x1 + x2) / 2, (y1 + y2) / 2 + (bend if y1 < _MIDDLE else -bend)
    x1, y1 = _towards((x1, y1), (cx, cy), _RADIUS)
    neck = _towards((x2, y2), (cx, cy), _HEAD)
    line = (
        f"M{_value(x1)} {_value(y1)}Q{_value(cx)} {_value(cy)} {_value(neck[0])} {_value(neck[1])}"
    )
    # across the line, half the width of the head
    wide, high = (neck[1] - y2) / 2, (x2 - neck[0]) / 2
    corners = ((x2, y2), (neck[0] + wide, neck[1] + high), (neck[0] - wide, neck[1] - high))
    head = " ".join(f"{_value(x)},{_value(y)}" for x, y in corners)
    stroke: Attributes = {"fill": "none", "stroke_linecap": "round"}
    return (
        _tag("path", d=line, stroke=scheme.halo, stroke_width=7, **stroke),
        _tag("polygon", points=head, fill=scheme.arrow, stroke=scheme.halo, stroke_width=1.5),
        _tag("path", d=line, stroke=scheme.arrow, stroke_width=4, **stroke),
    )


def _towards(place: Spot, goal: Spot, far: float) -> Spot:
    """A place moved towards another."""
    dx, dy = goal[0] - place[0], goal[1] - place[1]
    length = hypot(dx, dy)
    return place[0] + dx * far / length, place[1] + dy * far / length
