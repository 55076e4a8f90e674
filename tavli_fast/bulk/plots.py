"""Pictures of how estimates settled, drawn by matplotlib (extra ``plot``)."""

import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ..support.extras import needed
from .sums import deviations

Line = Sequence[tuple[int, float, float]]  # games, mean, standard error

KINDS = (".svg", ".png", ".pdf")
SIZE = 8.0, 4.5  # inches


def convergence(lines: Mapping[str, Line], path: str | PathLike[str]) -> None:
    """Draw means over the number of games, each within its 95 % interval.

    Parameters
    ----------
    lines : mapping of name to line
    path : path
        Its ending says how it is written: ``.svg``, ``.png`` or ``.pdf``.

    Raises
    ------
    ImportError
        Without matplotlib.
    """
    check_picture(path)
    figure = figure_class()(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    reach = deviations(0.95)
    for name, line in lines.items():
        games = [entry[0] for entry in line]
        (drawn,) = axes.plot(games, [mean for _, mean, _ in line], label=name, marker=".")
        axes.fill_between(
            games,
            [mean - reach * stderr for _, mean, stderr in line],
            [mean + reach * stderr for _, mean, stderr in line],
            color=drawn.get_color(),
            alpha=0.15,
            linewidth=0,
        )
    axes.set_xscale("log")
    axes.set_xlabel("games")
    axes.set_ylabel("equity, 95 % interval")
    axes.legend()
    figure.savefig(path)


def check_picture(path: str | PathLike[str]) -> None:
    """Refuse a name that says no kind of picture, and any name without matplotlib."""
    if Path(path).suffix not in KINDS:
        raise ValueError(f"a picture ends in {', '.join(KINDS)}, got {os.fspath(path)!r}")
    figure_class()


def figure_class() -> Any:
    """The class of figures, which needs no display."""
    return needed("matplotlib.figure", "plot", "a picture").Figure
