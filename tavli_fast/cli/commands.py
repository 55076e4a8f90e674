"""The commands of ``tavli-fast``: arguments in, text out."""

import json
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter

import click
from rich.table import Table

from ..measure import benchmark, charts
from ..rules.presets import PRESETS, make_rules
from ..rules.switches import SWITCHES, Rules
from ..support.progress import rich_progress
from .boards import convert, plays, show
from .options import (
    Commands,
    Switches,
    bound,
    file_type,
    in_a_folder,
    read_position,
    set_option,
    threads_option,
    variant_argument,
)
from .output import new_table, print_table
from .play import play
from .races import bearoff_commands, race
from .runs import duel, rollout, sample, selfplay


def _version() -> str:
    try:
        return version("tavli_fast")
    except PackageNotFoundError:
        return "unknown (not installed)"


@click.group(cls=Commands)
@click.version_option(_version(), prog_name="tavli-fast")
def commands() -> None:
    """Legal plays of Greek tavli and its relatives.

    A POSITION is "start", text like "own: 24*13 19 17; opp: 1*13 20" (points as the mover numbers
    them, "bar" too; who is missing from the 15 is borne off), a packed row of 32 integers, or an ID
    of the package, of GNU Backgammon, or an XGID.
    """


for command in (
    show,
    plays,
    convert,
    play,
    race,
    bearoff_commands,
    rollout,
    duel,
    sample,
    selfplay,
):
    commands.add_command(command)


# --- perft ----------------------------------------------------------------------------------------


@commands.command()
@variant_argument
@click.argument("depth", type=int)
@click.option("--divide", is_flag=True, help="Also give the nodes below each first roll.")
@threads_option
@set_option
@click.option("--position", default="start", show_default=True, help="Where to begin.")
def perft(
    name: str, depth: int, divide: bool, threads: int, switches: Switches, position: str
) -> None:
    """Count the positions after DEPTH plies, every roll once."""
    game = bound(name, switches)
    row = read_position(game, position).row
    begun = perf_counter()
    with rich_progress("perft") as tell:
        found = game.perft(depth, row, threads=threads, divide=divide, progress=tell)
    seconds = perf_counter() - begun
    by_roll = found if isinstance(found, dict) else {}
    nodes = found if isinstance(found, int) else sum(found.values())
    figures = {f"{high}{low}": f"{number:,}" for (high, low), number in by_roll.items()}
    figures["total" if divide else "nodes"] = f"{nodes:,}"
    figures |= {"seconds": f"{seconds:,.3f}", "nodes/s": f"{nodes / seconds:,.0f}"}
    width = max(map(len, figures.values()))
    for what, figure in figures.items():
        click.echo(f"{what:7}  {figure:>{width}}")


# --- variants -------------------------------------------------------------------------------------


@commands.command()
@click.argument("name", required=False)
def variants(name: str | None) -> None:
    """List all variants, or every switch of the variant NAME."""
    print_table(_presets() if name is None else _values(make_rules(name, {})))


def _presets() -> Table:
    table = new_table("variant", "builds on", "differs in")
    for name, (parent, values) in PRESETS.items():
        differs = " ".join(f"{switch}={value}" for switch, value in values.items())
        table.add_row(name, parent or "base", differs or "nothing")
    return table


def _values(rules: Rules) -> Table:
    table = new_table("switch", "value", "meaning (other values)")
    for name, value in rules.items():
        about, meanings = SWITCHES[name].about, SWITCHES[name].values
        others = "; ".join(f"{v}: {meaning}" for v, meaning in meanings.items() if v != value)
        table.add_row(name, str(value), f"{about}: {meanings[value]} ({others})")
    return table


# --- bench ----------------------------------------------------------------------------------------


@commands.command()
@click.argument("names", nargs=-1, metavar="[VARIANT]...")
@click.option("--peers", is_flag=True, help="Also measure other programs, with Portes.")
@click.option(
    "--json", "json_file", type=file_type, callback=in_a_folder, help="Write all figures here."
)
@click.option(
    "--plot", "plot_file", type=file_type, callback=in_a_folder, help="Draw a bar chart as SVG."
)
@click.option("--rounds", type=int, default=5, show_default=True, help="Times each is measured.")
@threads_option
@click.option(
    "--decisions", type=int, default=1_000_000, show_default=True, help="Decisions in one call."
)
@set_option
def bench(
    names: tuple[str, ...],
    peers: bool,
    json_file: Path | None,
    plot_file: Path | None,
    rounds: int,
    threads: int,
    decisions: int,
    switches: Switches,
) -> None:
    """Measure portes, plakoto, fevga and narde, or the variants given."""
    if plot_file is not None:
        charts.check_matplotlib()
    games = [bound(name, switches) for name in names or benchmark.GAMES]
    report = benchmark.measure(
        games, decisions=decisions, threads=threads, rounds=rounds, peers=peers
    )
    print_table(_figures(report.figures))
    click.echo("\n" + "\n".join(_remarks(report)))
    if json_file is not None:
        json_file.write_text(json.dumps(asdict(report), indent=2) + "\n", encoding="utf-8")
    if plot_file is not None:
        charts.draw(report, plot_file)


def _figures(figures: list[benchmark.Figure]) -> Table:
    ratios = any(figure.ratio is not None for figure in figures)
    table = new_table("variant", "figure", "median", "minimum", "maximum", *["ratio"] * ratios)
    for column in table.columns[2:]:
        column.justify = "right"
    for figure in figures:
        peer = "" if figure.program == benchmark.PROGRAM else f"{figure.program}: "
        threads = "" if figure.threads == 1 else f", {figure.threads} threads"
        value, ratio = figure.value, figure.ratio
        table.add_row(
            figure.game,
            f"{peer}{figure.name}, {figure.unit}{threads}",
            *(_number(number) for number in (value.median, value.minimum, value.maximum)),
            *["" if ratio is None else _spread(ratio)] * ratios,
        )
    return table


def _spread(ratio: benchmark.Spread) -> str:
    return f"{_number(ratio.median)} ({_number(ratio.minimum)} to {_number(ratio.maximum)})"


def _number(value: float) -> str:
    """Three digits and a unit: seven columns, so that the table fits a terminal of 80."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:#.3g} {unit}".replace(". ", " ")
    return f"{value:#.3g}".rstrip(".")


def _remarks(report: benchmark.Report) -> list[str]:
    """What is to be known about the table."""
    depths = ", ".join(f"{depth} ({game})" for game, depth in report.perft_depths.items())
    ratios = []
    if report.threads > 1:
        ratios.append(f"ratio of {report.threads} threads: to one thread")
    if report.with_peers:
        ratios.append("ratio of a peer: how many times as fast tavli_fast is")
    return [
        *ratios,
        *map(_checked, report.checks),
        *report.skipped,
        "; ".join(report.variants),
        f"{report.decisions:,} decisions, {report.rounds} rounds in turns, perft to depth {depths}",
        ", ".join(f"{what} {told}" for what, told in report.machine.items()) + f", {report.date}",
    ]


def _checked(check: benchmark.Check) -> str:
    differ = check.disagreements
    begin = f"{check.program} {check.version}"
    if not differ:
        return f"{begin}: the same number of plays in all {check.decisions:,} decisions"
    first = differ[0]
    return (
        f"{begin}: ANOTHER number of plays in {len(differ):,} of {check.decisions:,} decisions, "
        f"first in decision {first.decision}: {first.theirs}, tavli_fast {first.ours}"
    )
