"""How fast the plays of a game are found: measuring only, the printing is left to the caller."""

import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np

from .arguments import check_int
from .rows import ROW_BYTES
from .variant import Variant

# different decisions of random play; more are had by repeating them
DECISIONS = 2000
PERFT_DEPTH = 3
# a timing is repeated until it has taken this long: perft of a quick game takes less than 1 ms
SECONDS = 0.05
MAX_DECISIONS = 1 << 30

Work = Callable[[], int]


class Rate(NamedTuple):
    """Things done in a second: the median of the rounds, the slowest and the fastest."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Figures:
    """What was measured of one game.

    Attributes
    ----------
    variant : Variant
    count : Rate
        Decisions whose plays were counted by ``Variant.count``.
    plays : Rate
        Ends written by ``Variant.plays`` into an array that is used again.
    perft : Rate
        Nodes of ``Variant.perft`` to depth 3 from the start.
    """

    variant: Variant
    count: Rate
    plays: Rate
    perft: Rate


def measure(
    variants: Sequence[Variant], *, decisions: int = 200_000, threads: int = 1, rounds: int = 5
) -> list[Figures]:
    """Time some games in turns, so that a slow spell of the machine strikes all of them.

    Parameters
    ----------
    variants : sequence of Variant
    decisions : int
        Decisions in one call: 2000 of random play with seed 1, repeated.
    threads : int
    rounds : int

    Returns
    -------
    list of Figures
        In the order of the variants.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.benchmark import measure
    >>> [figures] = measure([tavli.variant("fevga")], decisions=1000, rounds=1)
    >>> figures.count.low == figures.count.median > 0
    True
    """
    check_int(decisions, "decisions", 1, MAX_DECISIONS)
    check_int(rounds, "rounds", 1, MAX_DECISIONS)
    works = [_works(variant, decisions, threads) for variant in variants]
    rates: list[list[list[float]]] = [[[] for _ in games] for games in works]
    for _ in range(rounds):
        for game, found in zip(works, rates, strict=True):
            for work, of_work in zip(game, found, strict=True):
                of_work.append(_per_second(work))
    return [
        Figures(variant, *(Rate(median(of), min(of), max(of)) for of in found))
        for variant, found in zip(variants, rates, strict=True)
    ]


def machine() -> str:
    """The machine, the interpreter and numpy, in one line.

    Examples
    --------
    >>> from tavli_fast.benchmark import machine
    >>> "Python" in machine()
    True
    """
    processor = _processor()
    parts = [
        platform.machine(),
        *([processor] if processor else []),
        f"{os.cpu_count()} CPUs",
        f"Python {platform.python_version()}",
        f"numpy {np.__version__}",
    ]
    return ", ".join(parts)


def _works(variant: Variant, decisions: int, threads: int) -> tuple[Work, Work, Work]:
    """What is timed of a game; each work tells how many things it has done."""
    rows, dice = variant.sample(min(decisions, DECISIONS), seed=1)
    rows, dice = np.resize(rows, (decisions, ROW_BYTES)), np.resize(dice, (decisions, 2))
    ends = variant.plays(rows, dice, threads=threads).rows

    def count() -> int:
        return len(variant.count(rows, dice, threads=threads))

    def plays() -> int:
        return len(variant.plays(rows, dice, threads=threads, out=ends).rows)

    def perft() -> int:
        nodes = variant.perft(PERFT_DEPTH, threads=threads)
        assert isinstance(nodes, int)  # no divide
        return nodes

    return count, plays, perft


def _per_second(work: Work) -> float:
    done, begun = 0, perf_counter()
    while (taken := perf_counter() - begun) < SECONDS:
        done += work()
    return done / taken


def _processor() -> str:
    """The processor's name, or nothing where the system does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
