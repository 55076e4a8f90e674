"""Commands about one position: its board, its plays, its other writings."""

from pathlib import Path

import click

from ..errors import NotationError
from ..game.play import PlayList
from ..game.position import Position
from ..writing import text_board
from ..writing.position_text import points_text
from .options import (
    Switches,
    bound,
    file_type,
    in_a_folder,
    kind_of,
    read_position,
    read_roll,
    set_option,
    variant_argument,
)

KINDS = click.Choice(["id", "gnubg", "xgid", "row", "text"])


@click.command()
@variant_argument
@click.argument("position", default="start")
@click.option(
    "--svg", "svg_file", type=file_type, callback=in_a_folder, help="Write the board here as SVG."
)
@click.option("--unicode", is_flag=True, help="Circles and lines instead of letters.")
@set_option
def show(
    name: str, position: str, svg_file: Path | None, unicode: bool, switches: Switches
) -> None:
    """Draw POSITION, or the start."""
    pos = read_position(bound(name, switches), position)
    click.echo(text_board.board(pos.row, pos.rules.direction, unicode=unicode))
    if svg_file is not None:
        svg_file.write_text(pos.svg(), encoding="utf-8")


@click.command()
@variant_argument
@click.argument("position")
@click.argument("dice", nargs=-1, required=True, metavar="DICE")
@click.option("--ids", is_flag=True, help="Also give the ID of the next player's position.")
@set_option
def plays(name: str, position: str, dice: tuple[str, ...], ids: bool, switches: Switches) -> None:
    """List the plays of POSITION with DICE, written as 6 5, 65, 6-5 or 6,5."""
    pos, roll = read_position(bound(name, switches), position), read_roll(" ".join(dice))
    result = pos.result
    if result is not None:
        click.echo(f"the game is over: {_outcome(result.points)}")
        return
    found = pos.plays(roll)
    if not found:
        click.echo(f"pass  {pos.flip().id}" if ids else "pass")
    else:
        click.echo("1 play" if len(found) == 1 else f"{len(found)} plays")
        click.echo("\n".join(_with_ids(found) if ids else map(str, found)))


def _with_ids(found: PlayList) -> list[str]:
    width = max(len(str(play)) for play in found)
    return [f"{play!s:{width}}  {play.next.id}" for play in found]


def _outcome(points: int) -> str:
    if points == 0:
        return "void, nobody scores"
    number = "1 point" if abs(points) == 1 else f"{abs(points)} points"
    return f"the mover {'wins' if points > 0 else 'loses'} {number}"


@click.command()
@click.argument("text")
@click.option("--to", "to_kind", type=KINDS, required=True, help="What to write.")
@click.option("--from", "from_kind", type=KINDS, help="What TEXT is; found out when left out.")
@click.option(
    "--variant", "name", metavar="VARIANT", help="The game, for a text that does not name it."
)
@set_option
def convert(
    text: str, to_kind: str, from_kind: str | None, name: str | None, switches: Switches
) -> None:
    """Write the position TEXT in another way.

    The ID of the package names its game; a GNUbg ID and an XGID are of backgammon when no other
    game is given.
    """
    kind = from_kind or kind_of(text)
    if name is None and (kind in ("row", "text") or switches):
        raise NotationError("of which game is the position? give --variant")
    if name is None and kind == "id":
        pos = Position.from_id(text)
    else:
        pos = read_position(bound(name or "backgammon", switches), text, kind)
    click.echo(_written(pos, to_kind))


def _written(pos: Position, kind: str) -> str:
    match kind:
        case "id":
            return pos.id
        case "gnubg":
            return pos.gnubg_id
        case "xgid":
            return pos.xgid
        case "row":
            return " ".join(map(str, pos.row.tolist()))
        case _:
            return _fields(pos)


def _fields(pos: Position) -> str:
    """The fields of ``Position.from_text``."""
    fields = {"own": points_text(pos.own, pos.bar[0]), "opp": points_text(pos.opp, pos.bar[1])}
    for name, points in (("own_pinned", pos.own_pinned), ("opp_pinned", pos.opp_pinned)):
        if points:
            fields[name] = " ".join(map(str, points))
    return "; ".join(f"{name}: {points}".rstrip() for name, points in fields.items())
