"""Feature schemes: every column by name and meaning, and how its value is read off a row.

``docs/encoders.md`` says the same for people. The columns are data; the reference engine computes
the features from them, one function a column, and the kernels are held against that.
"""

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import partial
from typing import NamedTuple

from ..errors import RuleConflict
from ..rules import rows as r
from ..rules.rows import Row
from ..rules.switches import Rules

WALL = 6


class Column(NamedTuple):
    """One feature.

    Attributes
    ----------
    name : str
    meaning : str
    value : callable(rules, row)
        The feature, of the mover of the row.
    """

    name: str
    meaning: str
    value: Callable[[Rules, Row], float]


class Scheme(NamedTuple):
    """A list of features.

    Attributes
    ----------
    contact : str or None
        The scheme fits rules with this ``contact``; None fits all.
    block : tuple of Column
        The columns of one side, from its own view; without ``sides`` all columns.
    sides : bool
        Whether the columns are the mover's block, the opponent's block and the turn.
    """

    contact: str | None
    block: tuple[Column, ...]
    sides: bool = True

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in order.

        Examples
        --------
        >>> from tavli_fast.engine.features import SCHEMES
        >>> SCHEMES["raw"].columns[24:28]
        ['point.24', 'mover.bar', 'mover.off', 'opponent.off']
        """
        names = [column.name for column in self.block]
        if not self.sides:
            return names
        both = [f"{side}.{name}" for side in ("mover", "opponent") for name in names]
        return [*both, "turn.mover", "turn.opponent"]

    @property
    def width(self) -> int:
        """Number of columns.

        Examples
        --------
        >>> from tavli_fast.engine.features import SCHEMES
        >>> {name: scheme.width for name, scheme in SCHEMES.items()}
        {'raw': 52, 'tesauro198': 198, 'pin248': 248, 'wall206': 206}
        """
        return 2 * len(self.block) + 2 if self.sides else len(self.block)

    def features(self, rules: Rules, row: Row) -> list[float]:
        """The values of all columns for one row.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> from tavli_fast.engine.features import SCHEMES
        >>> portes = tavli.variant("portes")
        >>> SCHEMES["raw"].features(portes.rules, tuple(portes.start_row().tolist()))[6]
        5
        """
        values = [column.value(rules, row) for column in self.block]
        if not self.sides:
            return values
        seen = r.flip(row, rules.direction)
        return [*values, *(column.value(rules, seen) for column in self.block), 1.0, 0.0]


# --- values, from the view of the side they are about ---------------------------------------------


def _byte(which: int, rules: Rules, row: Row) -> float:
    return row[which]


def _share(which: int, whole: int, rules: Rules, row: Row) -> float:
    """Own checkers in a byte, in parts of so many; a point of the other side has none."""
    return max(row[which], 0) / whole


def _at_least(point: int, checkers: int, rules: Rules, row: Row) -> float:
    return float(row[point] >= checkers)


def _above_three(point: int, rules: Rules, row: Row) -> float:
    return max(row[point] - 3, 0) / 2


def _any_pinned(point: int, rules: Rules, row: Row) -> float:
    return float(r.pins(row) >> point & 1)


def _own_pinned(point: int, rules: Rules, row: Row) -> float:
    return float(point in r.pinned(row, 1))


def _on_24(rules: Rules, row: Row) -> float:
    return float(row[r.HEAD] > 0 or r.HEAD in r.pinned(row, 1))


def _runner_freed(rules: Rules, row: Row) -> float:
    return float(r.runner_freed(rules, row))


def _run(rules: Rules, row: Row) -> int:
    """Points in a row that I hold on the opponent's path, at most a wall of six."""
    held = [row[r.other(p, rules.direction)] > 0 for p in r.POINTS]
    text = "".join("x" if point else " " for point in held)
    return min(max(map(len, text.split()), default=0), WALL)


def _run_share(rules: Rules, row: Row) -> float:
    return _run(rules, row) / WALL


def _wall(rules: Rules, row: Row) -> float:
    return float(_run(rules, row) == WALL)


# --- columns --------------------------------------------------------------------------------------


def _units() -> Iterator[Column]:
    for p in r.POINTS:
        for n in (1, 2, 3):
            meaning = f"1 with at least {n} free checkers of the side on its point {p}"
            yield Column(f"{p}.ge{n}", meaning, partial(_at_least, p, n))
        meaning = f"half the free checkers of the side above three on its point {p}"
        yield Column(f"{p}.over3", meaning, partial(_above_three, p))


def _raw() -> Iterator[Column]:
    yield Column("opponent.bar", "the opponent's checkers on the bar", partial(_byte, r.OPP_BAR))
    for p in r.POINTS:
        meaning = f"free checkers on point {p}, negative for the opponent's"
        yield Column(f"point.{p}", meaning, partial(_byte, p))
    yield Column("mover.bar", "the mover's checkers on the bar", partial(_byte, r.BAR))
    yield Column("mover.off", "the mover's checkers borne off", partial(_byte, r.OFF))
    yield Column("opponent.off", "the opponent's checkers borne off", partial(_byte, r.OPP_OFF))
    for p in r.POINTS:
        meaning = f"1 with a checker pinned on point {p}, whosesoever"
        yield Column(f"pin.{p}", meaning, partial(_any_pinned, p))


_OFF = Column("off", "checkers borne off / 15", partial(_share, r.OFF, r.CHECKERS))

_HIT = (*_units(), Column("bar", "checkers on the bar / 2", partial(_share, r.BAR, 2)), _OFF)

_PIN = (
    *_units(),
    *(
        Column(f"{p}.pinned", f"1 with a checker pinned on its point {p}", partial(_own_pinned, p))
        for p in r.POINTS
    ),
    _OFF,
    Column("on24", "1 with a checker, free or pinned, still on its point 24", _on_24),
    Column(
        "mother_pinned", "1 with its last checker on 24 pinned there", partial(_own_pinned, r.HEAD)
    ),
)

_FREE = (
    *_units(),
    _OFF,
    Column("head", "checkers on its point 24 / 15", partial(_share, r.HEAD, r.CHECKERS)),
    Column("freed", "1 unless the rules let only the runner move", _runner_freed),
    Column("run", "longest run of held points on the other's path / 6, at most 1", _run_share),
    Column("wall", "1 with a wall of six", _wall),
    Column("all24", "1 with all 15 on its point 24", partial(_at_least, r.HEAD, r.CHECKERS)),
)

# the order is that of the codes in _kernels/encode.pxd
SCHEMES: dict[str, Scheme] = {
    "raw": Scheme(None, tuple(_raw()), sides=False),
    "tesauro198": Scheme("hit", _HIT),
    "pin248": Scheme("pin", _PIN),
    "wall206": Scheme("none", _FREE),
}


def scheme_named(name: str) -> Scheme:
    """A scheme by its name.

    Raises
    ------
    RuleConflict
        Names the schemes that exist.

    Examples
    --------
    >>> from tavli_fast.engine.features import scheme_named
    >>> scheme_named("pin248").contact
    'pin'
    """
    if not isinstance(name, str):
        raise TypeError(f"scheme must be a str, got {type(name).__name__}")
    if name not in SCHEMES:
        close = get_close_matches(name, SCHEMES, n=1)
        hint = f", did you mean {close[0]!r}?" if close else ""
        raise RuleConflict(f"there is no scheme {name!r}{hint}; schemes are {', '.join(SCHEMES)}")
    return SCHEMES[name]


def scheme_for(rules: Rules, name: str | None) -> str:
    """The name of a scheme that fits the rules: the given one, or that of their contact.

    Raises
    ------
    RuleConflict
        When there is no such scheme, or when it does not fit.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.engine.features import scheme_for
    >>> scheme_for(tavli.variant("fevga").rules, None)
    'wall206'
    """
    if name is None:
        return next(n for n, scheme in SCHEMES.items() if scheme.contact == rules.contact)
    scheme = scheme_named(name)
    if scheme.contact not in (None, rules.contact):
        fit = [n for n, other in SCHEMES.items() if other.contact in (None, rules.contact)]
        raise RuleConflict(
            f"scheme {name} is for contact={scheme.contact}, the rules have "
            f"contact={rules.contact}; schemes that fit are {', '.join(fit)}"
        )
    return name


def encode_columns(scheme: str) -> list[str]:
    """Names of the columns that ``Variant.encode`` gives; see ``docs/encoders.md``.

    Parameters
    ----------
    scheme : {"raw", "tesauro198", "pin248", "wall206"}

    Returns
    -------
    list of str

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> tavli.encode_columns("tesauro198")[94:99]
    ['mover.24.ge3', 'mover.24.over3', 'mover.bar', 'mover.off', 'opponent.1.ge1']
    """
    return scheme_named(scheme).columns
