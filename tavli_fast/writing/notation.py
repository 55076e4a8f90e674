"""Plays in writing: text to moves and back (``docs/notation.md``).

Arithmetic of points and dice only; what is legal is not known here.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from ..errors import NotationError
from ..rules import rows as r

Step = tuple[int, int, int]  # from, to, die
Hop = tuple[int, int]  # from, to: one or more steps of a checker

T = TypeVar("T")

MOST_STEPS = 4
SHOWN = 80  # characters of a bad text in a message

_PLACES = {"bar": r.BAR, "off": 0}
_PLACE = r"(?:[0-9]{1,2}|bar|off)"
_WORD = re.compile(
    rf"(?P<path>{_PLACE}[*+]?(?:/{_PLACE}[*+]?)+)(?:\((?P<times>[0-9]{{1,2}})\)(?P<late>[*+]?))?"
)
_FORMS = "write moves as from/to: 24/18 13/11, 24/13, 13/7*/5, bar/20, 6/off(2), or pass"


class Written(NamedTuple):
    """A play as it was written.

    Attributes
    ----------
    hops : tuple of (from, to)
        From 25 is the bar, to 0 is off; the highest source first.
    marks : frozenset of (point, "*" or "+")
        Points where it says that a checker is hit or pinned.
    """

    hops: tuple[Hop, ...]
    marks: frozenset[tuple[int, str]]


# --- from text ------------------------------------------------------------------------------------


def parse(text: str) -> Written:
    """Moves of a text; no hops for a pass.

    Examples
    --------
    >>> from tavli_fast.writing.notation import parse
    >>> parse("13/7*/5, BAR/20").hops
    ((25, 20), (13, 7), (7, 5))
    """
    if not isinstance(text, str):
        raise TypeError(f"a play in writing is a str, got {type(text).__name__}")
    words = " ".join(re.sub(r"[,;]", " ", text.lower()).split())
    words = re.sub(r" ?/ ?", "/", words)
    words = re.sub(r" (?=[*+()])|(?<=\() ", "", words)
    if words.split() in ([], ["pass"]):
        return Written((), frozenset())
    hops: list[Hop] = []
    marks: set[tuple[int, str]] = set()
    for word in words.split():
        path, signs, times = _read_word(word)
        marks |= signs
        hops += [*pairwise(path)] * times
        if len(hops) > MOST_STEPS:
            raise NotationError(f"{shown(text)}: a play has {MOST_STEPS} steps at most")
    hops.sort(key=lambda hop: (-hop[0], hop[1]))
    return Written(tuple(hops), frozenset(marks))


def _read_word(word: str) -> tuple[list[int], set[tuple[int, str]], int]:
    """Points, marks and number of one word like ``13/7*/5(2)``."""
    match = _WORD.fullmatch(word)
    if not match:
        raise NotationError(f"cannot read {shown(word)}; {_FORMS}")
    places = (match["path"] + (match["late"] or "")).split("/")
    path = [_point(place.rstrip("*+")) for place in places]
    times = int(match["times"] or 1)
    if max(path) > r.BAR or not 1 <= times <= MOST_STEPS:
        raise NotationError(
            f"{cut(word)}: points are 1 to 24, bar and off, repeats 1 to {MOST_STEPS}"
        )
    if any(target >= source for source, target in pairwise(path)):
        raise NotationError(
            f"{cut(word)}: checkers move from higher points to lower ones, 24 to off"
        )
    signs = {(p, place[-1]) for p, place in zip(path, places, strict=True) if place[-1] in "*+"}
    if any(p in (0, path[0]) for p, _ in signs):
        raise NotationError(
            f"{cut(word)}: a mark belongs to the point where a checker is hit or pinned"
        )
    return path, signs, times


def _point(place: str) -> int:
    return _PLACES[place] if place in _PLACES else int(place)


def shown(text: str) -> str:
    """A text as it is quoted in messages."""
    return repr(cut(text))


def cut(text: str) -> str:
    """The beginning of a text that is too long for a message."""
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def orders(hops: tuple[Hop, ...], dice: tuple[int, ...]) -> Iterator[tuple[Step, ...]]:
    """Every way to make the hops out of single steps by some of the dice, in every order.

    Examples
    --------
    >>> from tavli_fast.writing.notation import orders
    >>> list(orders(((24, 13),), (6, 5)))
    [((24, 18, 6), (18, 13, 5)), ((24, 19, 5), (19, 13, 6))]
    """
    if not hops:
        yield ()
    if not hops or len(hops) > len(dice):
        return
    for hop in dict.fromkeys(hops):
        for die in dict.fromkeys(dice):
            source, target = hop
            landing = max(source - die, 0)
            if landing < target:
                continue
            rest = without(hops, hop)
            if landing > target:
                rest = (*rest, (landing, target))
            for following in orders(rest, without(dice, die)):
                yield (source, landing, die), *following


def without(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """The items with one of those equal to ``item`` left out."""
    at = items.index(item)
    return items[:at] + items[at + 1 :]


# --- to text --------------------------------------------------------------------------------------


def format_step(source: int, target: int) -> str:
    """One step in writing.

    Examples
    --------
    >>> from tavli_fast.writing.notation import format_step
    >>> format_step(25, 20), format_step(6, 0)
    ('bar/20', '6/off')
    """
    return f"{_place(source)}/{_place(target)}"


def format_play(before: Sequence[int], after: Sequence[int], steps: Iterable[Step]) -> str:
    """The play that leads from one row to another, both seen by the player who makes it.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.writing.notation import format_play
    >>> portes = tavli.variant("portes")
    >>> row, end = portes.start_row(), portes.start_row()
    >>> end[24], end[13] = 1, 6
    >>> format_play(row.tolist(), end.tolist(), [(24, 18, 6), (18, 13, 5)])
    '24/13'
    """
    signs = marks(before, after)
    hits, pins = ({p for p, sign in signs if sign == kind} for kind in "*+")
    paths: list[list[tuple[int, str]]] = []
    for source, target, _ in steps:
        # where several stand, the one that hit there stays
        there = [path for path in paths if path[-1][0] == source]
        path = min(there, key=lambda path: path[-1][1], default=None)
        if path is None:
            path = [(source, "")]
            paths.append(path)
        elif not path[-1][1]:
            path.pop()
        path.append((target, "*" if target in hits else ""))
        hits.discard(target)
    for point in pins:
        next(path for path in paths if path[-1][0] == point)[-1] = (point, "+")
    return " ".join(_words(paths)) or "pass"


def marks(before: Sequence[int], after: Sequence[int]) -> frozenset[tuple[int, str]]:
    """Points where a play hits (``*``), or pins a checker that stays pinned (``+``)."""
    hits = after[r.OPP_BAR] > before[r.OPP_BAR]
    new_pins = set(r.pinned(after, -1)) - set(r.pinned(before, -1))
    return frozenset(
        (p, "+" if p in new_pins else "*")
        for p in r.POINTS
        if p in new_pins or (hits and before[p] < 0 <= after[p])
    )


def _words(paths: list[list[tuple[int, str]]]) -> Iterator[str]:
    """Paths as words, the highest source first, equal ones as one word with their number."""
    equal: dict[tuple[int, ...], list[list[tuple[int, str]]]] = {}
    for path in paths:
        equal.setdefault(tuple(point for point, _ in path), []).append(path)
    for points in sorted(equal, key=lambda points: (-points[0], points)):
        same = equal[points]
        word = "/".join(_place(point) + sign for point, sign in map(max, zip(*same, strict=True)))
        yield word if len(same) == 1 else f"{word}({len(same)})"


def _place(point: int) -> str:
    return {r.BAR: "bar", 0: "off"}.get(point, str(point))
