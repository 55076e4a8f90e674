"""Commands about games without contact: values of positions, and the tables they come from."""

import json
from pathlib import Path

import click

from ..engine import bearoff
from ..errors import RuleConflict
from ..rules.presets import PRESETS, make_rules
from ..rules.switches import Rules
from ..support import cache
from ..support.progress import rich_progress
from .options import (
    Switches,
    bound,
    file_type,
    in_a_folder,
    read_position,
    set_option,
    variant_argument,
)
from .output import new_table, print_table


@click.command()
@variant_argument
@click.argument("position")
@click.option(
    "--json", "json_file", type=file_type, callback=in_a_folder, help="Write all figures here."
)
@set_option
def race(name: str, position: str, json_file: Path | None, switches: Switches) -> None:
    """Give the exact value of POSITION, a race with all checkers at home or off.

    The mover is about to roll; both sides play for the lowest mean number of turns.
    """
    pos = read_position(bound(name, switches), position)
    values = pos.race()
    table = new_table("", "mover", "opponent")
    for column in table.columns[1:]:
        column.justify = "right"
    table.add_row("pips", *map(str, pos.pips))
    table.add_row("turns, mean", f"{values.turns:.4f}", f"{values.opp_turns:.4f}")
    table.add_row("wins", f"{values.win:.4%}", f"{1 - values.win:.4%}")
    table.add_row(
        "wins, loser has none off", f"{values.win_double:.4%}", f"{values.lose_double:.4%}"
    )
    table.add_row("equity", f"{values.equity:+.5f}", f"{-values.equity:+.5f}")
    print_table(table)
    if json_file is not None:
        figures = {"position": pos.id} | values._asdict()
        json_file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


@click.group("bearoff")
def bearoff_commands() -> None:
    """Build, list or delete the bear-off tables in the cache folder."""


@bearoff_commands.command()
@click.argument("names", nargs=-1, metavar="[VARIANT]...")
@set_option
def build(names: tuple[str, ...], switches: Switches) -> None:
    """Build the tables of the variants given, or of all that have any."""
    games = [bound(name, switches).rules for name in names] or [
        rule.rules for rule in _presets(switches)
    ]
    for rules in games:
        rule = bearoff.rule_of(rules)
        with rich_progress(rule.name) as tell:
            bearoff.table(rules, tell)
        if rule.doubles == "four":
            bearoff.two_sided(rule.rules)
        click.echo(f"{rule.name}: done")


@bearoff_commands.command()
def info() -> None:
    """List the tables in the cache folder.

    Where there is a two-sided table (up to six checkers a side, best play of both), the error of
    the one-sided equity against it is measured, over all pairs of sides.
    """
    games = _presets({})
    table = new_table("bear-off rule", "sides", "MB", "largest error", "mean error", "games")
    for file in bearoff.stored():
        largest = mean = ""
        if file.sides == 2:
            found = bearoff.errors(file.rule.rules)
            largest, mean = f"{found.largest:.5f}", f"{found.mean:.5f}"
        names = ", ".join(games.get(file.rule, ["none of the presets"]))
        size = f"{file.size / 1e6:.1f}"
        table.add_row(file.rule.name, str(file.sides), size, largest, mean, names)
    click.echo(f"folder: {_folder()}")
    if table.rows:
        print_table(table)


@bearoff_commands.command()
def clear() -> None:
    """Delete the tables in the cache folder."""
    click.echo(f"{len(bearoff.clear())} files deleted from {_folder()}")


def _folder() -> str:
    where = cache.folder()
    return f"none: {cache.MISSING}" if where is None else str(where)


def _presets(switches: Switches) -> dict[bearoff.BearoffRule, list[str]]:
    """The presets that have race values, by bear-off rule."""
    found: dict[bearoff.BearoffRule, list[str]] = {}
    for name in PRESETS:
        rules = make_rules(name, switches)
        if _has_values(rules):
            found.setdefault(bearoff.rule_of(rules), []).append(name)
    return found


def _has_values(rules: Rules) -> bool:
    try:
        bearoff.rule_of(rules)
    except RuleConflict:
        return False
    return True
