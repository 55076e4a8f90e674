"""Rules bound to an engine, behind one small interface.

Arguments are checked here, outputs allocated, work split over threads, and faults turned into
errors; plays come from the engine alone.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import pairwise
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ..errors import GameOver, InvalidPosition, NotARace, RuleConflict
from ..rules import rows as r
from ..rules.arrays import DiceLike, Rows, check_dice, check_out, check_queries, check_rows
from ..rules.dice import ROLLS
from ..rules.presets import PRESETS, make_rules
from ..rules.rows import row_of
from ..rules.switches import Rules, Value
from ..support.checks import MAX_SEED, MAX_THREADS, check_int
from . import bearoff, pip_scores
from .answers import Plays, Race, Results
from .features import SCHEMES, scheme_for
from .reference import engine, home_races

if TYPE_CHECKING:
    from ..game.position import Position

MAX_DEPTH_AT_ONCE = 3  # 0.1 s of a kernel that hears no signals, in Portes
MAX_DEPTH = 12  # far beyond what can be counted: Portes has 10**19 nodes at depth 7
MAX_ROWS = 1 << 48
# below this many queries a thread costs more than it brings (about 50 us to start one)
QUERIES_PER_THREAD = 4096

Engine = Any  # the interface of engine.Engine; the compiled twin has the same


class Variant:
    """The rules of one game bound to an engine; made by :func:`variant`.

    Attributes
    ----------
    name : str
        The preset the rules were made from.
    rules : Rules
    engine : str
        ``"kernel"`` or ``"reference"``.

    Notes
    -----
    Rows are int8[32] or int8[n, 32] (``docs/rows.md``); dice are a pair or [n, 2] of any integer
    type. One row goes with many dice and one pair with many rows. All methods raise ``TypeError``
    or ``ValueError`` for arrays of the wrong type or shape, ``InvalidPosition`` for a row that is
    no position of the rules and ``InvalidDice`` for dice outside 1 to 6, before anything is
    written. Arrays must not be changed by another thread during a call: nothing breaks, but what is
    returned then is neither the old nor the new answer.
    """

    __slots__ = ("_engine", "engine", "name", "rules")

    # a variant hands out positions, which are made of it: game/position.py sets this
    _position_type: ClassVar["type[Position]"]

    name: str
    rules: Rules
    engine: str
    _engine: Engine

    def __init__(self, name: str, rules: Rules, engine: str) -> None:
        if hasattr(self, "rules"):
            raise AttributeError("a Variant is immutable: it cannot be made anew")
        for attribute, value in (
            ("name", name),
            ("rules", rules),
            ("engine", engine),
            ("_engine", ENGINES[engine](rules)),
        ):
            object.__setattr__(self, attribute, value)

    @property
    def _games(self) -> Any:
        """The functions over running games that belong to the engine: a module."""
        return GAMES[self.engine]()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Variant is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Variant is immutable: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variant):
            return NotImplemented
        return self.rules == other.rules and self.engine == other.engine

    def __hash__(self) -> int:
        return hash((self.rules, self.engine))

    def __reduce__(self) -> tuple[Any, ...]:
        return Variant, (self.name, self.rules, self.engine)

    def __repr__(self) -> str:
        changed = [f", {switch}={value!r}" for switch, value in self.changes.items()]
        twin = ", engine='reference'" if self.engine == "reference" else ""
        return f"variant({self.name!r}{''.join(changed)}{twin})"

    @property
    def changes(self) -> dict[str, Value]:
        """The switches that differ from the preset, with their values.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> tavli.variant("portes", single_die="either").changes
        {'single_die': 'either'}
        """
        return self.rules.changes(make_rules(self.name, {}))

    # --- positions --------------------------------------------------------------------------------

    def start_row(self) -> Rows:
        """The start position as a row (``docs/rules.md`` section 8).

        Returns
        -------
        int8[32]

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> int(tavli.variant("plakoto").start_row()[24])
        15
        """
        return np.array(r.start(self.rules), dtype=np.int8)

    def start(self) -> "Position":
        """The start position (``docs/rules.md`` section 8).

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> tavli.variant("portes").start().own
        {24: 2, 13: 5, 8: 3, 6: 5}
        """
        return self.position(self.start_row())

    def position(self, row: Rows) -> "Position":
        """A checked row as a position.

        Parameters
        ----------
        row : int8[32]

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> fevga = tavli.variant("fevga")
        >>> fevga.position(fevga.start_row()) == fevga.start()
        True
        """
        return self._position_type(self, row)

    def validate(self, rows: Rows) -> None:
        """Refuse rows that are no position of the rules (``docs/rows.md``).

        Raises
        ------
        InvalidPosition
            Names the first bad row and why.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> portes = tavli.variant("portes")
        >>> row = portes.start_row()
        >>> row[6] += 1
        >>> portes.validate(row)
        Traceback (most recent call last):
        tavli_fast.errors.InvalidPosition: row 0: the mover has 16 checkers, ...
        """
        self._valid(check_rows(rows)[0])

    def flip(self, rows: Rows, out: Rows | None = None) -> Rows:
        """Rows seen by the other player (``docs/rules.md`` section 1).

        Parameters
        ----------
        rows : int8[n, 32] or int8[32]
        out : int8 of the same shape, optional
            May be ``rows`` itself.

        Returns
        -------
        int8 of the same shape

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> portes = tavli.variant("portes")
        >>> bool((portes.flip(portes.start_row()) == portes.start_row()).all())
        True
        """
        seen, single = check_rows(rows)
        out = _output(out, "out", np.int8, (r.ROW_BYTES,) if single else seen.shape)
        self._valid(seen)
        self._engine.flip(_apart(seen, out), out.reshape(-1, r.ROW_BYTES))
        return out

    def pips(self, rows: Rows) -> npt.NDArray[np.int32]:
        """Pip counts of mover and opponent; pinned checkers and the bar (25) count.

        Returns
        -------
        int32[n, 2], or int32[2] for a single row

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> portes = tavli.variant("portes")
        >>> portes.pips(portes.start_row()).tolist()
        [167, 167]
        """
        seen, single = check_rows(rows)
        self._valid(seen)
        out = np.empty((len(seen), 2), dtype=np.int32)
        self._engine.pips(seen, out)
        return out[0] if single else out

    def encode(
        self,
        rows: Rows,
        scheme: str | None = None,
        out: npt.NDArray[np.float32] | None = None,
    ) -> npt.NDArray[np.float32]:
        """Features of positions, for learners (``docs/encoders.md``).

        Parameters
        ----------
        rows : int8[n, 32] or int8[32]
        scheme : {"raw", "tesauro198", "pin248", "wall206"}, optional
            When left out the one for the contact of the rules: hit, pin or none.
        out : float32[n, f], or float32[f] for a single row, optional

        Returns
        -------
        float32[n, f], or float32[f] for a single row
            f columns, named by :func:`encode_columns`.

        Raises
        ------
        RuleConflict
            When there is no such scheme, or when it is for games of another contact.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> portes = tavli.variant("portes")
        >>> portes.encode(portes.start_row()).shape
        (198,)
        >>> portes.encode(portes.start_row(), "raw")[24]
        np.float32(2.0)
        """
        name = scheme_for(self.rules, scheme)
        seen, single = check_rows(rows)
        width = SCHEMES[name].width
        out = _output(out, "out", np.float32, (width,) if single else (len(seen), width))
        self._valid(seen)
        code = list(SCHEMES).index(name)
        self._engine.encode(_apart(seen, out), code, out.reshape(-1, width))
        return out

    def result(self, rows: Rows) -> Results:
        """Whether games are over and the points of the mover (``docs/rules.md`` sections 6, 7).

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> portes = tavli.variant("portes")
        >>> portes.result(portes.start_row())
        Results(over=False, points=0)
        """
        seen, single = check_rows(rows)
        self._valid(seen)
        over, points = np.empty(len(seen), dtype=np.bool_), np.empty(len(seen), dtype=np.int8)
        self._engine.result(seen, over.view(np.int8), points)
        return Results(bool(over[0]), int(points[0])) if single else Results(over, points)

    def pip_values(self, rows: Rows) -> Any:
        """Rough equities of the mover, fitted to games of the policy ``"pips"``.

        Parameters
        ----------
        rows : int8[n, 32] or int8[32]

        Returns
        -------
        float64[n], or float for a single row
            In points; those of a row and of ``flip(row)`` add up to 0.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> portes = tavli.variant("portes")
        >>> portes.pip_values(portes.start_row())
        0.0
        """
        seen, single = check_rows(rows)
        counts = self.pips(seen)
        scores = np.empty(len(seen), dtype=np.int32)
        self._games.scores(self._engine, seen, pip_scores.weights(self.rules), scores)
        values = pip_scores.equity(self.rules, scores, counts)
        return float(values[0]) if single else values

    # --- races ------------------------------------------------------------------------------------

    def is_race(self, rows: Rows, *, home: bool = False) -> Any:
        """Whether no checkers can meet any more and the game goes on (``docs/races.md``).

        Parameters
        ----------
        rows : int8[n, 32] or int8[32]
        home : bool
            Only races with all checkers of both sides at home or off, which have exact values.

        Returns
        -------
        bool[n], or bool for a single row

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> portes = tavli.variant("portes")
        >>> portes.is_race(portes.start_row())
        False
        """
        seen, single = check_rows(rows)
        self._valid(seen)
        out = np.empty(len(seen), dtype=np.bool_)
        self._engine.is_race(seen, out.view(np.int8), bool(home))
        return bool(out[0]) if single else out

    def race(self, rows: Rows) -> Race:
        """Exact values of home races: all checkers of both sides on points 1 to 6 or off.

        Both sides play for the lowest mean number of turns. The first call of a process reads the
        table of the game, or builds it (:func:`tavli_fast.engine.bearoff.table`).

        Raises
        ------
        NotARace
            Names the first row that is no home race, and why.
        RuleConflict
            When the game has no such values (:func:`tavli_fast.engine.bearoff.rule_of`).

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> pos = tavli.Position.parse("portes", own="6", opp="24")
        >>> pos.variant.race(pos.row).win
        0.75
        """
        bearoff.rule_of(self.rules)
        seen, single = check_rows(rows)
        ranks = np.empty((len(seen), 2), dtype=np.int32)
        bad = self._engine.home_ranks(seen, ranks)
        if bad >= 0:
            self._valid(seen[: bad + 1])
            reason = home_races.race_fault(self.rules, row_of(seen[bad]))
            raise NotARace(
                f"row {bad}: {reason or 'changed while it was read'}; exact values are of home "
                f"races only, a rollout gives an estimate (variant {self.name})"
            )
        out = np.empty((6, len(seen)))
        self._engine.race(*bearoff.table(self.rules).arrays, ranks, out)
        return Race(*map(float, out[:, 0])) if single else Race(*out)

    # --- plays ------------------------------------------------------------------------------------

    @overload
    def count(self, rows: Rows, dice: DiceLike, *, threads: int = 1, out: None = None) -> Any: ...
    @overload
    def count(
        self, rows: Rows, dice: DiceLike, *, threads: int = 1, out: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]: ...
    def count(
        self,
        rows: Rows,
        dice: DiceLike,
        *,
        threads: int = 1,
        out: npt.NDArray[np.int64] | None = None,
    ) -> Any:
        """Number of distinct plays per query (``docs/rules.md`` section 2); 0 is a pass.

        Parameters
        ----------
        rows : int8[n, 32] or int8[32]
        dice : integers [n, 2] or a pair
            In either order; in a cascade game a double is one stage.
        threads : int
            Changes the time, never the numbers.
        out : int64[n], optional

        Returns
        -------
        int64[n], or an int for one row with one pair and no ``out``

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> portes = tavli.variant("portes")
        >>> portes.count(portes.start_row(), (3, 1))
        16
        """
        if out is None and type(rows) is np.ndarray and type(threads) is int and threads == 1:
            plays = self._engine.count_single(rows, dice)
            if plays >= 0:
                return plays
        queries = self._queries(rows, dice, threads)
        counts = _output(out, "out", np.int64, (queries.n,))
        if out is not None:
            self._valid(queries.rows)  # before anything is written
            queries = queries._replace(rows=_apart(queries.rows, counts))
        self._count(queries, counts, False)
        return int(counts[0]) if queries.single and out is None else counts

    def plays(
        self,
        rows: Rows,
        dice: DiceLike,
        *,
        steps: bool = False,
        keep_pass: bool = False,
        flipped: bool = False,
        threads: int = 1,
        out: Rows | None = None,
    ) -> Plays:
        """All distinct plays of every query, in the order of ``docs/rows.md``.

        Parameters
        ----------
        rows : int8[n, 32] or int8[32]
        dice : integers [n, 2] or a pair
        steps : bool
            Also give the steps of each play.
        keep_pass : bool
            Give one unchanged row for a pass; a finished game still has none.
        flipped : bool
            Give the ends as the next player sees them.
        threads : int
            Changes the time, never the numbers.
        out : int8[k, 32], optional
            Room for the ends; with too little nothing is written. ``Plays.rows`` is its beginning.

        Returns
        -------
        Plays

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> fevga = tavli.variant("fevga")
        >>> plays = fevga.plays(fevga.start_row(), (6, 5), steps=True)
        >>> plays.offsets.tolist(), plays.steps.tolist()
        ([0, 1], [[[24, 6], [18, 5], [0, 0], [0, 0]]])
        """
        queries = self._queries(rows, dice, threads)
        if out is not None:
            out = check_out(out, "out", np.int8, (0, r.ROW_BYTES), at_least=True)
        offsets = np.zeros(queries.n + 1, dtype=np.int64)
        self._count(queries, offsets[1:], bool(keep_pass))
        np.cumsum(offsets, out=offsets)
        total = int(offsets[-1])
        if out is None:
            ends = np.empty((total, r.ROW_BYTES), dtype=np.int8)
        else:
            out = check_out(out, "out", np.int8, (total, r.ROW_BYTES), at_least=True)
            queries = queries._replace(rows=_apart(queries.rows, out))
            ends = out[:total]
        made = np.zeros((total, 4, 2), dtype=np.int8) if steps else None
        queries.run(
            lambda rows, dice, low, high: self._engine.fill(
                rows, dice, offsets[low : high + 1], ends, made, bool(flipped)
            )
        )
        return Plays(offsets, ends, made)

    # --- games ------------------------------------------------------------------------------------

    def sample(self, n: int, seed: int) -> tuple[Rows, Rows]:
        """Decisions met in random play, passes included.

        Games 0, 1, 2 ... of the seed are played from the start, every roll and every play equally
        likely, and their decisions given one after the other; the last game may be cut short.

        Parameters
        ----------
        n : int
            Number of decisions.
        seed : int
            0 to 2**64 - 1.

        Returns
        -------
        rows : int8[n, 32]
        dice : int8[n, 2]

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> rows, dice = tavli.variant("plakoto").sample(1000, seed=1)
        >>> rows.shape, dice.shape
        ((1000, 32), (1000, 2))
        """
        n = check_int(n, "n", 0, MAX_ROWS)
        seed = check_int(seed, "seed", 0, MAX_SEED)
        rows = np.empty((n, r.ROW_BYTES), dtype=np.int8)
        dice = np.empty((n, 2), dtype=np.int8)
        start, at, game = self.start_row(), 0, 0
        while at < n:
            met = self._engine.sample(start, seed, game, rows[at:], dice[at:])
            if met == 0:
                raise GameOver(f"{self!r}: the game is over at the start, there is nothing to play")
            at, game = at + met, game + 1
        return rows, dice

    @overload
    def perft(
        self,
        depth: int,
        start: "Rows | Position | None" = None,
        *,
        threads: int = 1,
        divide: Literal[False] = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> int: ...
    @overload
    def perft(
        self,
        depth: int,
        start: "Rows | Position | None" = None,
        *,
        threads: int = 1,
        divide: bool,
        progress: Callable[[int, int], object] | None = None,
    ) -> int | dict[tuple[int, int], int]: ...
    def perft(
        self,
        depth: int,
        start: "Rows | Position | None" = None,
        *,
        threads: int = 1,
        divide: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> int | dict[tuple[int, int], int]:
        """Number of positions after ``depth`` plies, every roll counted once.

        A pass is one position, a finished game has none after it; a cascade is an ordinary double.

        Parameters
        ----------
        depth : int
        start : int8[32] or Position, optional
            The start position when left out.
        threads : int
        divide : bool
            Give the numbers by first roll.
        progress : callable(done, all), optional
            Told how many of the positions after the first ply are counted.

        Returns
        -------
        int, or dict of (higher die, lower die) to int with ``divide``

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> tavli.variant("portes").perft(2)
        202782
        """
        depth = check_int(depth, "depth", 1 if divide else 0, MAX_DEPTH)
        threads = check_int(threads, "threads", 1, MAX_THREADS)
        row = self._one_row(start)
        if depth == 0:
            return 1
        first = self.plays(row, ROLLS, keep_pass=True, flipped=True)
        nodes = np.zeros(len(first.rows), dtype=np.int64)
        done = 0
        # to depth 2 one position takes 0.5 us, to depth 3 0.1 ms: hand out some at once
        size = {2: QUERIES_PER_THREAD, 3: 16}.get(depth, 1)
        parts = [slice(i, i + size) for i in range(0, len(nodes), size)]

        stop = Event()

        def count(part: slice) -> tuple[slice, list[int]]:
            rows = first.rows[part]
            return part, [self._nodes(rows[i : i + 1], depth - 1, stop) for i in range(len(rows))]

        try:
            for part, found in _in_threads(count, parts, threads):
                nodes[part] = found
                done += len(found)
                if progress is not None:
                    progress(done, len(nodes))
        finally:
            stop.set()  # after Ctrl-C other threads give up as well
        if not divide:
            return int(nodes.sum())
        return {
            (int(high), int(low)): int(nodes[first.offsets[i] : first.offsets[i + 1]].sum())
            for i, (high, low) in enumerate(ROLLS)
        }

    # --- helpers ----------------------------------------------------------------------------------

    def _nodes(self, rows: Rows, depth: int, stop: Event) -> int:
        """The perft counts of some rows; deep ones ply by ply, so that Ctrl-C is soon heard."""
        if depth <= MAX_DEPTH_AT_ONCE:
            return int(self._engine.perft(rows, depth))
        nodes = 0
        for row in rows:
            if stop.is_set():
                break
            following = self.plays(row, ROLLS, keep_pass=True, flipped=True).rows
            nodes += sum(
                self._nodes(following[i : i + 1], depth - 1, stop) for i in range(len(following))
            )
        return nodes

    def _valid(self, rows: Rows) -> None:
        self._refuse(rows, self._engine.first_fault(rows))

    def _refuse(self, rows: Rows, bad: int) -> None:
        """Say what is wrong with a row, unless ``bad`` is negative."""
        if bad >= 0:
            reason = r.fault(row_of(rows[bad]), self.rules) or "changed while it was read"
            raise InvalidPosition(f"row {bad}: {reason} (variant {self.name})")

    def _one_row(self, start: "Rows | Position | None") -> Rows:
        if start is None:
            return self.start_row()
        # a Position knows its row; anything else is for check_rows to judge
        row: Any = getattr(start, "row", start)
        if getattr(start, "rules", self.rules) != self.rules:
            raise RuleConflict(f"start {start!r} is no position of {self!r}")
        rows, single = check_rows(row)
        if not single:
            raise ValueError(f"start must be one row of shape (32,), got {row.shape}")
        self._valid(rows)
        return rows.reshape(r.ROW_BYTES)

    def _queries(self, rows: Rows, dice: DiceLike, threads: int) -> "_Queries":
        threads = check_int(threads, "threads", 1, MAX_THREADS)
        seen, single_row = check_rows(rows)
        pairs, single_pair = check_dice(dice)
        n, single = check_queries(seen, single_row, pairs, single_pair)
        return _Queries(seen, pairs, n, single, threads)

    def _count(self, queries: "_Queries", counts: npt.NDArray[np.int64], keep_pass: bool) -> None:
        """Fill in the counts, checking each row on the way: twice over many rows costs a third."""

        def work(rows: Rows, dice: Rows, low: int, high: int) -> None:
            bad = self._engine.count(rows, dice, counts[low:high], keep_pass)
            if bad >= 0:
                self._refuse(queries.rows, low + bad if len(queries.rows) > 1 else 0)

        if queries.n == 0:
            self._valid(queries.rows)
        queries.run(work)


class _Queries(NamedTuple):
    """Checked rows and dice, one of them perhaps a single one for all queries."""

    rows: Rows
    dice: Rows
    n: int
    single: bool
    threads: int

    def run(self, work: Callable[[Rows, Rows, int, int], None]) -> None:
        """Hand all queries to ``work(rows, dice, low, high)``, split over threads."""

        def one_part(part: tuple[int, int]) -> None:
            low, high = part
            rows = self.rows[low:high] if len(self.rows) > 1 else self.rows
            dice = self.dice[low:high] if len(self.dice) > 1 else self.dice
            work(rows, dice, low, high)

        # four parts a thread, so that one slow part does not leave the others idle
        wanted = 4 * self.threads if self.threads > 1 else 1
        parts = max(1, min(wanted, self.n // QUERIES_PER_THREAD))
        bounds = [self.n * k // parts for k in range(parts + 1)]
        for _ in _in_threads(one_part, list(pairwise(bounds)), self.threads):
            pass


P = TypeVar("P")
R = TypeVar("R")


def _in_threads(work: Callable[[P], R], parts: list[P], threads: int) -> Iterator[R]:
    """Results of the parts in order, computed by several threads when there is more than one."""
    if threads == 1 or len(parts) < 2:
        yield from map(work, parts)
        return
    futures = [_pool(threads).submit(work, part) for part in parts]
    try:
        for future in futures:
            yield future.result()
    finally:
        # after an error or Ctrl-C: what has begun must not write to outputs any more
        wait([future for future in futures if not future.cancel()])


@lru_cache(maxsize=8)
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads that stay: starting them anew costs 2 ms a call, a tenth of a million counts."""
    return ThreadPoolExecutor(threads, thread_name_prefix="tavli_fast")


# the threads of a pool do not live on in a forked process
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _output(
    out: npt.NDArray[Any] | None, name: str, dtype: type[np.generic], shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    """The caller's output array, checked, or a new one."""
    if out is None:
        return np.empty(shape, dtype=dtype)
    return check_out(out, name, dtype, shape)


def _apart(rows: Rows, out: npt.NDArray[Any]) -> Rows:
    """The rows, copied when writing to ``out`` could change them."""
    return rows.copy() if np.may_share_memory(rows, out) else rows


def _kernel_engine(rules: Rules) -> Engine:
    try:
        from ._kernels.engine import Engine as Kernels  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "the compiled kernels of tavli_fast cannot be loaded; install the package "
            "(pip install .) rather than using its sources, or ask for engine='reference'"
        ) from error
    return Kernels(dict(rules.items()))


ENGINES: dict[str, Callable[[Rules], Engine]] = {
    "kernel": _kernel_engine,
    "reference": engine.Engine,
}


def _reference_games() -> Any:
    from .reference import games  # noqa: PLC0415

    return games


def _kernel_games() -> Any:
    from ._kernels import games  # noqa: PLC0415

    return games


GAMES: dict[str, Callable[[], Any]] = {
    "kernel": _kernel_games,
    "reference": _reference_games,
}


def variant(name: str, *, engine: str = "kernel", **switches: Value) -> Variant:
    """Rules of a preset, with switches replaced, bound to an engine.

    Parameters
    ----------
    name : str
        A preset of ``docs/rules.md`` section 8.
    engine : {"kernel", "reference"}
        The compiled kernels, or their twin in plain Python.
    **switches : str or int
        Switches of ``docs/rules.md`` section 3 with the values to use.

    Raises
    ------
    UnknownVariant
        When there is no such preset.
    RuleConflict
        When a switch or value does not exist, or two values exclude each other.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> tavli.variant("fevga", total_block="forbidden")
    variant('fevga', total_block='forbidden')
    """
    if not isinstance(engine, str) or engine not in ENGINES:
        raise RuleConflict(f"there is no engine {engine!r}; engines are {', '.join(ENGINES)}")
    return _made(str(name), make_rules(name, switches), engine)


def variant_of(game: Variant | str) -> Variant:
    """A variant as it is, or the preset of a name."""
    if not isinstance(game, (Variant, str)):
        raise TypeError(f"game must be a Variant or a name, got {type(game).__name__}")
    return variant(game) if isinstance(game, str) else game


@lru_cache(maxsize=256)
def _made(name: str, rules: Rules, engine: str) -> Variant:
    return Variant(name, rules, engine)


def variants() -> list[str]:
    """Names of all presets.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> tavli.variants()[:3]
    ['portes', 'portes_kafenio', 'tavla']
    """
    return list(PRESETS)
