"""How fast the plays of a game are found: measuring only, the printing is left to the caller."""

import os
import platform
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ..engine.variant import MAX_DEPTH, Variant
from ..rules.arrays import Rows
from ..rules.rows import ROW_BYTES
from ..support.checks import check_int
from .other_programs import Finder, Player, installed, version_of

PROGRAM = "tavli_fast"
PEERS_GAME = "portes"
GAMES = ("portes", "plakoto", "fevga", "narde")
# different decisions of random play; more are had by repeating them
DECISIONS = 2000
MAX_DECISIONS = 1 << 30
# perft goes to the first depth, from 3, that has as many nodes
PERFT_DEPTH = 3
PERFT_NODES = 1_000_000
RANDOM_GAMES = 1000
PEER_RANDOM_GAMES = 20
# no game is nearly as long
MAX_PLIES = 1 << 14
# a timing is repeated until it has taken this long
SECONDS = 0.05

MICROSECONDS = "microseconds"
UNITS = {
    "count": "decisions/s",
    "plays": "ends/s",
    "games": "games/s",
    "plies": "plies/s",
    "perft": "nodes/s",
    "one position": MICROSECONDS,
}


class What(NamedTuple):
    """What a figure is about: who was measured, with which game, doing what."""

    program: str
    game: str
    name: str
    threads: int


@dataclass(frozen=True)
class Spread:
    """The values of the rounds: their median, the least and the greatest."""

    median: float
    minimum: float
    maximum: float


@dataclass(frozen=True)
class Figure:
    """One thing measured.

    Attributes
    ----------
    program : str
        ``"tavli_fast"`` or the package of a peer.
    game : str
        A variant.
    name, unit : str
        A key of ``UNITS`` and its value.
    threads : int
    rounds : tuple of float
        The value of each round, and ``value`` what they come to.
    value : Spread
    ratio : Spread or None
        With several threads how many times as fast as one; of a peer how many times as fast
        tavli_fast is, round by round.
    """

    program: str
    game: str
    name: str
    unit: str
    threads: int
    rounds: tuple[float, ...]
    value: Spread
    ratio: Spread | None


@dataclass(frozen=True)
class Disagreement:
    """A decision for which a peer finds another number of plays."""

    decision: int
    ours: int
    theirs: int


@dataclass(frozen=True)
class Check:
    """A peer's numbers of plays compared with ours, for so many decisions."""

    program: str
    version: str
    decisions: int
    disagreements: list[Disagreement]


@dataclass(frozen=True)
class Report:
    """All that was measured, and where.

    Attributes
    ----------
    machine : dict of str to str
        See :func:`machine`.
    date : str
    variants : list of str
        The variants with their switches.
    decisions, rounds, threads : int
    perft_depths : dict of str to int
    figures : list of Figure
    checks : list of Check
        One for each peer that lists plays.
    skipped : list of str
        A line about each peer that is not there.
    """

    machine: dict[str, str]
    date: str
    variants: list[str]
    decisions: int
    rounds: int
    threads: int
    perft_depths: dict[str, int]
    figures: list[Figure]
    checks: list[Check]
    skipped: list[str]

    @property
    def with_peers(self) -> bool:
        """Whether another program was measured."""
        return any(figure.program != PROGRAM for figure in self.figures)


class _Task(NamedTuple):
    """A piece of work to be timed, and how many things one call of it does, by figure."""

    program: str
    game: str
    threads: int
    done: dict[str, int]
    run: Callable[[], object]


class _Decisions(NamedTuple):
    """Decisions of one game and the number of ends of all their plays."""

    rows: Rows
    dice: Rows
    ends: int


def measure(
    variants: Sequence[Variant],
    *,
    decisions: int = 200_000,
    threads: int = 1,
    rounds: int = 5,
    peers: bool = False,
) -> Report:
    """Time some games in turns, so that a slow spell of the machine strikes all of them.

    Parameters
    ----------
    variants : sequence of Variant
        Each name once.
    decisions : int
        Decisions in one call: 2000 of random play with seed 1, repeated.
    threads : int
        With more than one the bulk calls are timed with one too.
    rounds : int
    peers : bool
        Also time the other programs that are installed, with the decisions of Portes.

    Returns
    -------
    Report

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.measure.benchmark import measure
    >>> report = measure([tavli.variant("portes")], decisions=1000, rounds=1)
    >>> [figure.name for figure in report.figures]
    ['count', 'plays', 'perft', 'games', 'plies', 'one position']
    >>> all(figure.value.median > 0 for figure in report.figures)
    True
    """
    check_int(decisions, "decisions", 1, MAX_DECISIONS)
    check_int(rounds, "rounds", 1, MAX_DECISIONS)
    games = {variant.name: variant for variant in variants}
    if len(games) < len(variants):
        raise ValueError("a variant is named twice")
    if peers and PEERS_GAME not in games:
        raise ValueError(f"peers are compared in {PEERS_GAME}, which is not among the variants")
    depths = {name: _perft_depth(variant) for name, variant in games.items()}
    samples = {name: _decisions(variant, decisions) for name, variant in games.items()}
    # one for all: the ends of a million decisions are more than half a gigabyte
    room = np.empty((max((s.ends for s in samples.values()), default=0), ROW_BYTES), dtype=np.int8)
    found, skipped = installed() if peers else ([], [])
    checks: list[Check] = []
    tasks: list[_Task] = []
    for name, variant in games.items():
        for used in sorted({1, threads}):
            tasks += _bulk_tasks(variant, samples[name], room, depths[name], used)
        tasks += _single_tasks(variant, samples[name])
        for peer in found if name == PEERS_GAME else []:
            if isinstance(peer, Finder):
                check, task = _finder_task(peer, variant, samples[name])
                checks.append(check)
            else:
                task = _player_task(peer)
            tasks.append(task)
    return Report(
        machine=machine(),
        date=date.today().isoformat(),
        variants=[repr(variant) for variant in variants],
        decisions=decisions,
        rounds=rounds,
        threads=threads,
        perft_depths=depths,
        figures=_figures(_rates(tasks, rounds)),
        checks=checks,
        skipped=skipped,
    )


# --- what is timed --------------------------------------------------------------------------------


def _decisions(variant: Variant, decisions: int) -> _Decisions:
    rows, dice = variant.sample(min(decisions, DECISIONS), seed=1)
    rows, dice = np.resize(rows, (decisions, ROW_BYTES)), np.resize(dice, (decisions, 2))
    return _Decisions(rows, dice, int(variant.count(rows, dice).sum()))


def _perft_depth(variant: Variant) -> int:
    return next(
        depth
        for depth in count(PERFT_DEPTH)
        if depth == MAX_DEPTH or _perft(variant, depth, 1) >= PERFT_NODES
    )


def _perft(variant: Variant, depth: int, threads: int) -> int:
    nodes = variant.perft(depth, threads=threads)
    assert isinstance(nodes, int)  # no divide
    return nodes


def _bulk_tasks(
    variant: Variant, sample: _Decisions, room: Rows, depth: int, threads: int
) -> list[_Task]:
    """The calls that can be split over threads."""
    rows, dice, ends = sample
    done_and_run: list[tuple[dict[str, int], Callable[[], object]]] = [
        ({"count": len(rows)}, lambda: variant.count(rows, dice, threads=threads)),
        ({"plays": ends}, lambda: variant.plays(rows, dice, threads=threads, out=room)),
        (
            {"perft": _perft(variant, depth, threads)},
            lambda: variant.perft(depth, threads=threads),
        ),
    ]
    return [_Task(PROGRAM, variant.name, threads, done, run) for done, run in done_and_run]


def _single_tasks(variant: Variant, sample: _Decisions) -> list[_Task]:
    """Random games, and one position after the other."""
    start = variant.start_row()
    rows = np.empty((MAX_PLIES, ROW_BYTES), dtype=np.int8)
    dice = np.empty((MAX_PLIES, 2), dtype=np.int8)
    queries = _queries(sample)

    def play() -> int:
        # the calls that Variant.sample makes, but of whole games only
        play_game = variant._engine.sample
        return sum(play_game(start, 1, game, rows, dice) for game in range(RANDOM_GAMES))

    def ask() -> None:
        for row, pair in queries:
            variant.count(row, pair)

    return [
        _Task(PROGRAM, variant.name, 1, {"games": RANDOM_GAMES, "plies": play()}, play),
        _Task(PROGRAM, variant.name, 1, {"one position": len(queries)}, ask),
    ]


def _queries(sample: _Decisions) -> list[tuple[Rows, tuple[int, int]]]:
    """The decisions before they repeat, each for a call of its own."""
    pairs = map(tuple, sample.dice[:DECISIONS].tolist())
    return list(zip(sample.rows[:DECISIONS], pairs, strict=True))


def _finder_task(peer: Finder, variant: Variant, sample: _Decisions) -> tuple[Check, _Task]:
    """A peer that lists plays: compared with us first."""
    asked = _queries(sample)
    queries = [(peer.board(row.tolist()), *pair) for row, pair in asked]
    theirs = [peer.distinct(*query) for query in queries]
    ours = [variant.count(*query) for query in asked]
    differences = [
        Disagreement(i, *pair)
        for i, pair in enumerate(zip(ours, theirs, strict=True))
        if pair[0] != pair[1]
    ]
    find = peer.find

    def ask() -> None:
        for board, high, low in queries:
            find(board, high, low)

    done = {"count": len(queries), "plays": sum(theirs), "one position": len(queries)}
    check = Check(peer.name, peer.version, len(queries), differences)
    return check, _Task(peer.name, variant.name, 1, done, ask)


def _player_task(peer: Player) -> _Task:
    def play() -> int:
        return peer.play(PEER_RANDOM_GAMES)

    return _Task(peer.name, PEERS_GAME, 1, {"games": PEER_RANDOM_GAMES, "plies": play()}, play)


# --- timing ---------------------------------------------------------------------------------------


def _rates(tasks: list[_Task], rounds: int) -> dict[What, list[float]]:
    """Every task once in each round, and once before, so that its memory is there."""
    for task in tasks:
        task.run()
    rates: dict[What, list[float]] = {}
    for _ in range(rounds):
        for task in tasks:
            seconds = _seconds(task.run)
            for name, done in task.done.items():
                rate = 1e6 * seconds / done if UNITS[name] == MICROSECONDS else done / seconds
                what = What(task.program, task.game, name, task.threads)
                rates.setdefault(what, []).append(rate)
    return rates


def _seconds(run: Callable[[], object]) -> float:
    """Seconds of one call, from as many as it needs for a fair timing."""
    calls, taken, begun = 0, 0.0, perf_counter()
    while calls == 0 or taken < SECONDS:
        run()
        calls, taken = calls + 1, perf_counter() - begun
    return taken / calls


def _figures(rates: dict[What, list[float]]) -> list[Figure]:
    return [
        Figure(
            program=what.program,
            game=what.game,
            name=what.name,
            unit=UNITS[what.name],
            threads=what.threads,
            rounds=tuple(values),
            value=spread(values),
            ratio=_ratio(what, rates),
        )
        for what, values in rates.items()
    ]


def _ratio(what: What, rates: dict[What, list[float]]) -> Spread | None:
    if what.threads > 1:
        fast, slow = rates[what], rates[what._replace(threads=1)]
    elif what.program != PROGRAM:
        fast, slow = rates[what._replace(program=PROGRAM)], rates[what]
        if UNITS[what.name] == MICROSECONDS:
            fast, slow = slow, fast
    else:
        return None
    return spread([a / b for a, b in zip(fast, slow, strict=True)])


def spread(values: list[float]) -> Spread:
    """Median, least and greatest.

    Examples
    --------
    >>> from tavli_fast.measure.benchmark import spread
    >>> spread([3.0, 1.0, 2.0])
    Spread(median=2.0, minimum=1.0, maximum=3.0)
    """
    return Spread(median(values), min(values), max(values))


# --- the machine ----------------------------------------------------------------------------------


def machine() -> dict[str, str]:
    """What the figures depend on beside the program.

    Examples
    --------
    >>> from tavli_fast.measure.benchmark import machine
    >>> list(machine())
    ['tavli_fast', 'machine', 'processor', 'cpus', 'system', 'compiler', 'python', 'numpy']
    """
    return {
        "tavli_fast": version_of("tavli_fast"),
        "machine": platform.machine(),
        "processor": _processor(),
        "cpus": str(os.cpu_count()),
        "system": platform.system(),
        "compiler": _compiler(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _compiler() -> str:
    """The compiler that left its name in the kernels, else the one that is installed."""
    kernels = find_spec("tavli_fast.engine._kernels.engine")
    built = Path(kernels.origin).read_bytes() if kernels and kernels.origin else b""
    if name := re.search(rb"GCC: [ -~]+|clang version [ -~]+", built):
        return name[0].decode().replace("GCC:", "GCC")
    try:
        told = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{told.stdout.splitlines()[0]} (installed here)"
