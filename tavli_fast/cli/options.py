"""What the commands share: how errors are shown, and how arguments are read."""

import re
from pathlib import Path
from typing import Any

import click

from ..engine.variant import Variant
from ..errors import NotationError, RuleConflict
from ..game.position import Position
from ..rules.presets import make_rules
from ..rules.switches import SWITCHES, Value

Switches = dict[str, Value]

file_type = click.Path(dir_okay=False, writable=True, path_type=Path)


class Failure(click.ClickException):
    """An error of the package, shown as one line."""

    exit_code = 2


class Commands(click.Group):
    """Commands whose errors about positions, rolls, plays and rules are shown as one line."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except (TypeError, ValueError, ImportError, MemoryError, OSError) as error:
            raise Failure(str(error)) from error


def _switches(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> Switches:
    """The switches of the command line, numbers as numbers."""
    switches: Switches = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise NotationError(f"--set {text}: write switch=value")
        known = SWITCHES[name].values if name in SWITCHES else {}
        switches[name] = {str(v): v for v in known}.get(value, value)
    return switches


set_option = click.option(
    "--set",
    "switches",
    multiple=True,
    metavar="SWITCH=VALUE",
    callback=_switches,
    help="Replace a switch of the variant; may be given again.",
)
threads_option = click.option(
    "--threads", type=int, default=1, show_default=True, help="Number of threads."
)
variant_argument = click.argument("name", metavar="VARIANT")


def in_a_folder(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """The path of a file to write, refused before the work when its folder is not there."""
    if path is not None and not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent}")
    return path


def bound(name: str, switches: Switches) -> Variant:
    """A variant of the command line."""
    return Variant(name, make_rules(name, switches), "kernel")


def read_roll(text: str) -> tuple[int, int]:
    """Two dice."""
    match = re.fullmatch(r"\s*([0-9])\s*[-,]?\s*([0-9])\s*", text)
    if not match:
        raise NotationError(f"{text!r} is no roll: write two dice as '6 5', '65', '6-5' or '6,5'")
    return int(match[1]), int(match[2])


def kind_of(text: str) -> str:
    """How a position is written: ``id``, ``gnubg``, ``xgid``, ``row`` or ``text``.

    Examples
    --------
    >>> from tavli_fast.cli.options import kind_of
    >>> kind_of("4HPwATDgc/ABMA"), kind_of("start")
    ('gnubg', 'text')
    """
    if text.startswith("XGID=") or text.count(":") == 9:
        return "xgid"
    if re.fullmatch(r"[A-Za-z0-9+/]{14}", text):
        return "gnubg"
    if re.fullmatch(r"[\s,\[\]()0-9+-]+", text):
        return "row"
    return "id" if re.fullmatch(r"[^\s.:;]+\.[^\s.:;]*\.[^\s.:;]*", text) else "text"


def read_position(game: Variant, text: str, kind: str | None = None) -> Position:
    """A position of the game in any writing; an ID of another game is refused."""
    match kind or kind_of(text):
        case "xgid":
            return Position.from_xgid(text, game)
        case "gnubg":
            return Position.from_gnubg_id(text, game)
        case "id":
            position = Position.from_id(text)
        case _:
            return Position.from_text(game, text)
    if position.rules != game.rules:
        raise RuleConflict(f"{text!r} is a position of {position.variant}, not of {game}")
    return position
