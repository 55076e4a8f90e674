"""Bear-off tables: exact numbers about sides whose checkers are all at home or off.

A table belongs to the few rules that matter then; games without contact share it. It is built by a
kernel when first asked for, kept in the user's cache folder, and read at most once in a process.
See ``docs/races.md``.
"""

import os
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import RuleConflict
from ..rules.rows import CHECKERS
from ..rules.switches import SWITCHES, Rules
from ..support import cache
from ..support.archives import Arrays
from ..support.progress import Progress

POSITIONS = 54264  # ways to place up to 15 checkers on six points
FULL = 38760  # rank of the first of those with all 15
SMALL = 924  # ways to place up to 6 checkers: the lowest ranks

FORMAT = 1  # of the files; to be raised with every change of what is in them
TAIL = 1e-9  # distributions end where less than this is left
CHUNK = 512  # positions built between two looks at Ctrl-C: 5 ms


# --- rules ----------------------------------------------------------------------------------------


class BearoffRule(NamedTuple):
    """The switches a bear-off depends on (``docs/rules.md`` section 3), at values that count.

    Attributes
    ----------
    overshoot, inside_moves, doubles : str
    single_die : str
        ``"higher"`` unless ``overshoot="never"``: with larger numbers allowed, a roll of which only
        one die can be played has one end.
    """

    overshoot: str
    inside_moves: str
    single_die: str
    doubles: str

    @property
    def name(self) -> str:
        """The values in one word, as files are named."""
        return "-".join(self)

    @property
    def rules(self) -> Rules:
        """Rules of a game in which nothing else matters."""
        return Rules(contact="none", **self._asdict())


def rule_of(rules: Rules) -> BearoffRule:
    """The bear-off rule of a game.

    Raises
    ------
    RuleConflict
        When bearing off depends on more than the own checkers: the message says on what.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.engine import bearoff
    >>> bearoff.rule_of(tavli.variant("fevga").rules).name
    'rearmost-free-higher-four'
    """
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be Rules, as variant.rules are, got {type(rules).__name__}")
    for name, value in rules.items():
        reason = SWITCHES[name].no_race_value.get(value)
        if reason is not None and rules.in_force(name):
            raise RuleConflict(f"there is no exact race value with {name}={value}: {reason}")
    return BearoffRule(
        rules.overshoot,
        rules.inside_moves,
        rules.single_die if rules.overshoot == "never" else "higher",
        rules.doubles,
    )


def all_rules() -> list[BearoffRule]:
    """Every bear-off rule there is a table of."""
    values = [map(str, SWITCHES[name].values) for name in BearoffRule._fields]
    found = (BearoffRule(*chosen) for chosen in product(*values))
    return [rule for rule in found if rule_of(rule.rules) == rule]


# --- ranks ----------------------------------------------------------------------------------------


def rank(checkers: npt.ArrayLike) -> Any:
    """Number of the ways to place fewer checkers: the index of a side in every table.

    Of two ways the one with more checkers has the higher rank; of as many, the one with more on
    points 2 to 6; and so on. Every step and every checker borne off leads to a lower rank.

    Parameters
    ----------
    checkers : integers [n, 6] or [6]
        Checkers on points 1 to 6, in this order, 15 at most.

    Returns
    -------
    int32[n], or int for a single side

    Examples
    --------
    >>> from tavli_fast.engine import bearoff
    >>> bearoff.rank([0, 0, 0, 0, 0, 15])
    54263
    """
    given = np.asarray(checkers)
    if given.dtype.kind not in "iu":
        raise TypeError(f"checkers must be integers, got {given.dtype}")
    if given.ndim not in (1, 2) or given.shape[-1] != 6:
        raise ValueError(f"checkers must have shape (6,) or (n, 6), got {given.shape}")
    rows = given.reshape(-1, 6)
    if rows.dtype != np.int8:  # numbers that it does not hold must not come round to good ones
        rows = rows.astype(np.int64).clip(-1, CHECKERS + 1)
    small = np.ascontiguousarray(rows, np.int8)
    out = np.empty(len(small), dtype=np.int32)
    bad = _kernels().rank(small, out)
    if bad >= 0:
        wrong = given.reshape(-1, 6)[bad].tolist()
        raise ValueError(f"side {bad}: {wrong} found, points 1 to 6 hold 0 to 15 checkers in all")
    return int(out[0]) if given.ndim == 1 else out


def unrank(ranks: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """The checkers of ranks.

    Parameters
    ----------
    ranks : integers [n] or int
        0 to 54263.

    Returns
    -------
    int8[n, 6], or int8[6] for a single one

    Examples
    --------
    >>> from tavli_fast.engine import bearoff
    >>> bearoff.unrank([0, 1, 2, 54263]).tolist()
    [[0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 15]]
    """
    given = np.asarray(ranks)
    if given.dtype.kind not in "iu":
        raise TypeError(f"ranks must be integers, got {given.dtype}")
    if given.ndim > 1:
        raise ValueError(f"ranks must be an integer or have shape (n,), got {given.shape}")
    numbers = given.reshape(-1)
    known = numbers.astype(np.int64).clip(-1, POSITIONS).astype(np.int32)
    out = np.empty((len(known), 6), dtype=np.int8)
    bad = _kernels().place(known, out)
    if bad >= 0:
        raise ValueError(f"rank {bad}: {numbers[bad]} found, ranks are 0 to {POSITIONS - 1}")
    return out[0] if given.ndim == 0 else out


# --- one side alone -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Table:
    """What one side does by itself, under best play for the mean number of turns.

    Of plays with equal means the one that leads to the lowest rank is best. Arrays are indexed by
    :func:`rank` and read-only.

    Attributes
    ----------
    rule : BearoffRule
    following : uint16[54264, 21]
        Rank after the best play of each of ``tavli_fast.ROLLS``, a cascade to its end; a pass is
        the rank itself.
    mean : float64[54264]
        Turns to bear off all, on average.
    turns : float32[54264, length]
        Chance to have all off with turn k and not before. The last entry takes in all later ones;
        ``length`` is chosen so that they are less than 1e-9.
    first : float32[15504, shorter]
        The same for the first checker, for ranks from 38760 on: all 15 on the board.
    left : float32[54264, length]
        Checkers left after k turns, on average.
    """

    rule: BearoffRule
    following: npt.NDArray[np.uint16]
    mean: npt.NDArray[np.float64]
    turns: npt.NDArray[np.float32]
    first: npt.NDArray[np.float32]
    left: npt.NDArray[np.float32]

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """What the engines compute race values from: mean, turns, first, left."""
        return self.mean, self.turns, self.first, self.left


def table(rules: Rules, progress: Progress | None = None) -> Table:
    """The one-sided table of a game, read from the cache folder or built in a second.

    Parameters
    ----------
    rules : Rules
    progress : callable(done, all), optional
        Told of positions done, if the table is built.

    Raises
    ------
    RuleConflict
        As :func:`rule_of`.

    Warns
    -----
    RuntimeWarning
        When a new table cannot be written; it is used from memory then.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.engine import bearoff
    >>> portes = bearoff.table(tavli.variant("portes").rules)
    >>> portes.turns[bearoff.rank([0, 0, 0, 0, 0, 1])][:3].tolist()
    [0.0, 0.75, 0.25]
    """
    rule = rule_of(rules)
    with _LOCK:
        if rule not in _TABLES:
            arrays = cache.kept(_file(1, rule), _about(rule), lambda: _build(rule, progress))
            for array in arrays.values():
                array.flags.writeable = False
            _TABLES[rule] = Table(rule, **arrays)
        return _TABLES[rule]


def _build(rule: BearoffRule, progress: Progress | None) -> Arrays:
    from ._kernels.engine import Engine  # noqa: PLC0415

    kernels = _kernels()
    engine = Engine(dict(rule.rules.items()))
    cascade = rule.doubles == "cascade"
    stages = 7 if cascade else 1  # the whole turn, and with cascades what a stage begins
    following = np.empty((POSITIONS, 21), dtype=np.uint16)
    mean = np.empty((stages, POSITIONS))
    stage_end = np.empty((stages, POSITIONS), dtype=np.uint16)
    for start in range(0, POSITIONS, CHUNK):
        stop = min(start + CHUNK, POSITIONS)
        kernels.best_plays(engine, cascade, start, stop, following, mean, stage_end)
        if progress is not None:
            progress(stop, POSITIONS)
    return {"following": following, "mean": mean[0].copy()} | _distributions(following)


def _distributions(following: npt.NDArray[np.uint16]) -> Arrays:
    """Turn by turn: what holds after k turns is the mean over the rolls of k - 1 turns later."""
    checkers = unrank(np.arange(POSITIONS)).sum(axis=1)
    turns = _ending(following, (checkers > 0).astype(float), 0)
    first = _ending(following, (checkers == CHECKERS).astype(float), FULL)
    left = [checkers.astype(float)]
    for _ in range(1, turns.shape[1]):
        left.append(np.empty(POSITIONS))
        _kernels().after_a_turn(following, left[-2], left[-1])
    return {"turns": turns, "first": first, "left": np.stack(left, axis=1).astype(np.float32)}


def _ending(
    following: npt.NDArray[np.uint16], lasting: npt.NDArray[np.float64], start: int
) -> npt.NDArray[np.float32]:
    """Chance that what lasts (1) at the beginning ends with turn k, for the ranks from ``start``.

    Below ``start`` nothing lasts. The last entry takes in all later ones.
    """
    columns = [1 - lasting[start:]]
    while lasting.any():
        before = lasting[start:].copy()
        _kernels().after_a_turn(following[start:], lasting, after := np.empty(len(before)))
        lasting[start:] = after if after.max() >= TAIL else 0
        columns.append(before - lasting[start:])
    # differences of sums may be -1e-17
    return np.stack(columns, axis=1).clip(0).astype(np.float32)


# --- two sides ------------------------------------------------------------------------------------


def two_sided(rules: Rules) -> npt.NDArray[np.float32]:
    """Equity of the mover in home races of up to six checkers a side, best play of both.

    Parameters
    ----------
    rules : Rules
        Without cascades, and scored by points: with a checker off on both sides every game is 1.

    Returns
    -------
    float32[924, 924]
        Read-only, mapped from its file; indexed by the ranks of the mover, who is about to roll,
        and of the opponent. A side that has finished has won; 0 where both have.

    Raises
    ------
    RuleConflict
        For other rules.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.engine import bearoff
    >>> equity = bearoff.two_sided(tavli.variant("portes").rules)
    >>> one_on_six, one_on_one = bearoff.rank([[0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0]])
    >>> float(equity[one_on_six, one_on_one])
    0.5
    """
    rule = rule_of(rules)
    if rule.doubles == "cascade" or rules.score_by != "points":
        wrong = "doubles=cascade" if rule.doubles == "cascade" else f"score_by={rules.score_by}"
        raise RuleConflict(f"there is no two-sided table with {wrong}")
    with _LOCK:
        if rule not in _TWO_SIDED:
            name, about = _file(2, rule), _about(rule)
            _TWO_SIDED[rule] = cache.kept_mapped(name, about, lambda: _build_two_sided(rule))
            _TWO_SIDED[rule].flags.writeable = False
        return _TWO_SIDED[rule]


def _build_two_sided(rule: BearoffRule) -> npt.NDArray[np.float32]:
    from ._kernels.engine import Engine  # noqa: PLC0415

    ends = np.zeros((SMALL, 21, 126), dtype=np.uint16)
    counts = np.empty((SMALL, 21), dtype=np.uint8)
    equity = np.empty((SMALL, SMALL))
    _kernels().small_plays(Engine(dict(rule.rules.items())), ends, counts)
    _kernels().two_sided(ends, counts, equity)
    return equity.astype(np.float32)


class Errors(NamedTuple):
    """How far one-sided equities are from the two-sided ones, over all pairs of 1 to 6 checkers.

    Attributes
    ----------
    largest, mean : float
        Of the absolute difference, every pair weighing the same.
    worst : tuple of two lists
        Checkers on points 1 to 6 of mover and opponent where it is largest.
    """

    largest: float
    mean: float
    worst: tuple[list[int], list[int]]


def errors(rules: Rules) -> Errors:
    """The error of the one-sided policy, measured with the two-sided table.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.engine import bearoff
    >>> bearoff.errors(tavli.variant("portes").rules).largest < 0.03
    True
    """
    from ._kernels.engine import Engine  # noqa: PLC0415

    exact = two_sided(rules)[1:, 1:]
    ranks = np.indices(exact.shape, dtype=np.int32).reshape(2, -1).T + 1
    values = np.empty((6, len(ranks)))
    mean, turns, first, left = table(rules).arrays
    engine = Engine(dict(rules.items()))
    engine.race(mean, turns, first, left, np.ascontiguousarray(ranks), values)
    difference = np.abs(values[3] - exact.reshape(-1))
    mine, his = unrank(ranks[difference.argmax()]).tolist()
    return Errors(float(difference.max()), float(difference.mean()), (mine, his))


# --- files ----------------------------------------------------------------------------------------


class Stored(NamedTuple):
    """A table in the cache folder."""

    rule: BearoffRule
    sides: int
    path: Path
    size: int


def stored() -> list[Stored]:
    """The tables in the cache folder, sound or not.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.engine import bearoff
    >>> fevga = bearoff.table(tavli.variant("fevga").rules)
    >>> fevga.rule in [file.rule for file in bearoff.stored()]
    True
    """
    where = cache.folder()
    if where is None:
        return []
    found = []
    for rule, (sides, ending) in product(all_rules(), ((1, "npz"), (2, "npy"))):
        path = where / f"{_file(sides, rule)}.{ending}"
        if path.is_file():
            found.append(Stored(rule, sides, path, path.stat().st_size))
    return found


def clear() -> list[Path]:
    """Delete all tables from the cache folder, and forget those in memory; gives the files."""
    with _LOCK:
        _TABLES.clear()
        _TWO_SIDED.clear()
    return cache.clear([_file(sides, rule) for rule in all_rules() for sides in (1, 2)])


_TABLES: dict[BearoffRule, Table] = {}
_TWO_SIDED: dict[BearoffRule, npt.NDArray[np.float32]] = {}
# a table is not built by two threads; a callback that asks for it builds one of its own
_LOCK = RLock()


def _renew_lock() -> None:
    """In a forked process the thread that held it is gone."""
    global _LOCK  # noqa: PLW0603
    _LOCK = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def _file(sides: int, rule: BearoffRule) -> str:
    return f"{'one' if sides == 1 else 'two'}-sided-{rule.name}"


def _about(rule: BearoffRule) -> cache.About:
    return {"format": FORMAT, "rule": rule.name}


def _kernels() -> Any:
    from ._kernels import bearoff  # noqa: PLC0415

    return bearoff
