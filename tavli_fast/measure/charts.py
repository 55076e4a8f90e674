"""A bar chart of what was measured, drawn by matplotlib (extra ``plot``) and saved as SVG."""

import importlib
from pathlib import Path
from typing import Any

from ..support.extras import needed
from .benchmark import PROGRAM, Figure, Report

TITLES = {
    "plays": "Ends written a second",
    "count": "Decisions counted a second",
    "perft": "Perft nodes a second",
    "games": "Random games a second",
    "one position": "One position from Python, microseconds (less is better)",
}
OURS, PEER = "#1f5a8c", "#a8adb3"
WIDTH, BAR_HEIGHT, PANEL_MARGIN = 8.0, 0.24, 0.5  # inches
# room for the title above the panels and for the machine below them
TITLE, FOOT = 0.65, 0.6


def check_matplotlib() -> None:
    """Refuse to go on without matplotlib.

    Raises
    ------
    ImportError

    Examples
    --------
    >>> from tavli_fast.measure.charts import check_matplotlib
    >>> try:
    ...     check_matplotlib()
    ... except ImportError as error:
    ...     assert "pip install" in str(error)
    """
    needed("matplotlib", "plot", "a chart")


def draw(report: Report, path: Path) -> None:
    """Write the chart of a report: medians as bars, minimum and maximum as lines.

    Parameters
    ----------
    report : Report
        Figures of one thread are drawn; with peers the scale is logarithmic.
    path : Path
        An SVG file.

    Raises
    ------
    ImportError
        Without matplotlib.

    Examples
    --------
    >>> import tempfile
    >>> import tavli_fast as tavli
    >>> from pathlib import Path
    >>> from tavli_fast.measure.benchmark import measure
    >>> from tavli_fast.measure.charts import draw
    >>> report = measure([tavli.variant("portes")], decisions=100, rounds=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     try:
    ...         draw(report, Path(folder) / "chart.svg")
    ...     except ImportError:
    ...         pass  # without matplotlib
    """
    check_matplotlib()
    matplotlib = importlib.import_module("matplotlib")
    panels = {name: _bars(report, name) for name in TITLES}
    heights = [len(bars) * BAR_HEIGHT for bars in panels.values()]
    height = TITLE + FOOT + sum(heights) + PANEL_MARGIN * (len(panels) - 1)
    # text stays text, and the same report gives the same file
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": PROGRAM}):
        figure = importlib.import_module("matplotlib.figure").Figure(figsize=(WIDTH, height))
        figure.suptitle(_title(report), x=0.02, y=1 - 0.1 / height, ha="left", va="top", size=11)
        figure.text(0.02, 0.1 / height, _foot(report), size=7, color="#555555")
        top = height - TITLE
        for (name, bars), tall in zip(panels.items(), heights, strict=True):
            place = (0.2, (top - tall) / height, 0.68, tall / height)
            _panel(figure.add_axes(place), TITLES[name], bars, report.with_peers)
            top -= tall + PANEL_MARGIN
        figure.savefig(path, format="svg", metadata={"Date": None})


def _bars(report: Report, name: str) -> list[Figure]:
    """The figures of a panel, peers below the game they play."""
    figures = [f for f in report.figures if f.name == name and f.threads == 1]
    games = list(report.perft_depths)
    return sorted(figures, key=lambda f: games.index(f.game))


def _panel(axes: Any, title: str, bars: list[Figure], log: bool) -> None:
    values = [bar.value for bar in bars]
    medians = [value.median for value in values]
    axes.set_title(title, loc="left", size=9, pad=3)
    axes.barh(
        range(len(bars)),
        medians,
        height=0.72,
        color=[OURS if bar.program == PROGRAM else PEER for bar in bars],
    )
    for i, value in enumerate(values):
        axes.plot([value.minimum, value.maximum], [i, i], color="black", linewidth=0.8)
        axes.annotate(
            _short(value.median),
            (value.maximum, i),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            size=8,
        )
    axes.set_yticks(range(len(bars)), [_label(bar) for bar in bars], size=8)
    axes.set_ylim(len(bars) - 0.5, -0.5)
    if log:
        axes.set_xscale("log")
        axes.minorticks_off()
        axes.grid(axis="x", color="#dddddd", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlim(min(medians) / 3, max(value.maximum for value in values))
    else:
        axes.set_xlim(0, max(value.maximum for value in values))
    axes.tick_params(length=0, labelbottom=False)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)


def _label(bar: Figure) -> str:
    return bar.game if bar.program == PROGRAM else f"{bar.game}, {bar.program}"


def _short(value: float) -> str:
    """A number to three digits."""
    for unit, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= unit:
            return f"{value / unit:.3g}{letter}"
    return f"{value:.3g}"


def _title(report: Report) -> str:
    scale = ", logarithmic, a line at each power of ten" if report.with_peers else ""
    return f"tavli_fast, one thread: medians of {report.rounds} rounds{scale}"


def _foot(report: Report) -> str:
    told = report.machine
    return (
        f"{told['processor']}, {told['system']} {told['machine']}, {told['compiler']}\n"
        f"Python {told['python']}, numpy {told['numpy']}, {report.decisions:,} decisions, "
        f"{report.date}"
    )
