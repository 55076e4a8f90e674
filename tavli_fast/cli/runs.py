"""Commands that play many games: rollouts, duels, samples, self-play."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..bulk.duel import duel as run_duel
from ..bulk.plots import check_picture
from ..bulk.rollout import rollout as run_rollout
from ..bulk.selfplay import Decisions
from ..bulk.selfplay import selfplay as run_selfplay
from ..engine.variant import Variant
from ..errors import NotationError
from ..game.game import Game
from ..game.records import save
from ..rules.arrays import Rows
from ..support.archives import write_archive
from ..support.executors import ExecutorLike
from ..support.extras import needed
from ..support.parquet import check_pyarrow, write_table
from ..support.progress import rich_progress
from .options import (
    Switches,
    bound,
    file_type,
    in_a_folder,
    read_position,
    read_roll,
    set_option,
    threads_option,
    variant_argument,
)

Decorator = Callable[[Any], Any]
PARQUET = ".parquet"
INTERRUPTED = 130  # what shells give for Ctrl-C

games_option = click.option("--games", type=int, default=1296, show_default=True)
policy_option = click.option(
    "--policy",
    default="pips",
    show_default=True,
    metavar="POLICY",
    help="random, pips, or a file .npz or .onnx; +races behind it looks races up.",
)
opponent_option = click.option(
    "--opponent", metavar="POLICY", help="The other side's; the same when left out."
)
seed_option = click.option("--seed", type=int, help="Of the dice; drawn when left out.")
json_flag = click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")


def run_options(command: Any) -> Any:
    """What rollouts and duels share."""
    options: list[Decorator] = [
        games_option,
        seed_option,
        threads_option,
        click.option("--scheduler", metavar="ADDRESS", help="Play on this dask cluster."),
        click.option("--stop-se", type=float, help="End at this standard error."),
        click.option("--min-games", type=int, default=0, help="But not before so many games."),
        click.option(
            "--checkpoint",
            type=file_type,
            callback=in_a_folder,
            help="Keep what is done in this file, and go on from it.",
        ),
        json_flag,
        set_option,
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@variant_argument
@click.argument("position")
@click.argument("dice", required=False)
@policy_option
@opponent_option
@click.option("--evaluator", metavar="POLICY", help="Values truncated games and luck.")
@click.option("--plies", type=int, help="Stop games after so many rolls.")
@click.option("--races", is_flag=True, help="Look races up in the bear-off tables.")
@click.option("--luck", is_flag=True, help="Take the luck of the dice off.")
@click.option("--plot", "plot_file", type=file_type, callback=in_a_folder, help="Draw a picture.")
@run_options
def rollout(
    name: str,
    position: str,
    dice: str | None,
    policy: str,
    opponent: str | None,
    evaluator: str | None,
    plies: int | None,
    races: bool,
    luck: bool,
    plot_file: Path | None,
    threads: int,
    scheduler: str | None,
    stop_se: float | None,
    as_json: bool,
    switches: Switches,
    **run: Any,
) -> None:
    """Play POSITION out many times, or every play of the roll DICE. Ctrl-C shows what is done."""
    if plot_file is not None:
        check_picture(plot_file)
    start = read_position(bound(name, switches), position)
    with _executor(threads, scheduler) as executor, rich_progress("rollout") as tell:
        found = run_rollout(
            start,
            None if dice is None else read_roll(dice),
            policy=policy,
            opponent=opponent,
            evaluator=evaluator,
            plies=plies,
            luck=luck,
            races=races,
            stop_stderr=stop_se,
            executor=executor,
            progress=tell,
            **run,
        )
    _show(found, as_json)
    if plot_file is not None:
        found.plot(plot_file)


@click.command()
@click.argument("name", metavar="VARIANT|tavli")
@click.argument("first", metavar="POLICY")
@click.argument("second", metavar="POLICY")
@click.option("--target", type=int, help="Play matches to so many points.")
@run_options
def duel(
    name: str,
    first: str,
    second: str,
    target: int | None,
    threads: int,
    scheduler: str | None,
    stop_se: float | None,
    as_json: bool,
    switches: Switches,
    **run: Any,
) -> None:
    """Let two policies play each other, every game twice with sides swapped.

    A POLICY is random, pips, or a file .npz or .onnx; +races behind it looks races up. "tavli" is
    the match of Portes, Plakoto and Fevga.
    """
    if name == "tavli" and switches:
        raise NotationError("--set: a match of several games has no switches of its own")
    game = name if name == "tavli" else bound(name, switches)
    with _executor(threads, scheduler) as executor, rich_progress("duel") as tell:
        found = run_duel(
            game,
            first,
            second,
            target=target,
            stop_stderr=stop_se,
            executor=executor,
            progress=tell,
            **run,
        )
    _show(found, as_json)


def _show(found: Any, as_json: bool) -> None:
    click.echo(found.json() if as_json else found.table())
    if found.stopped == "interrupted":
        click.echo(f"interrupted after {found.games:,} games", err=True)
        click.get_current_context().exit(INTERRUPTED)


@contextmanager
def _executor(threads: int, scheduler: str | None) -> Iterator[ExecutorLike]:
    if scheduler is None:
        yield threads
        return
    client_class = needed("distributed", "cluster", "--scheduler").Client
    with client_class(scheduler) as client:
        yield client


# --- positions and games to files -----------------------------------------------------------------


@click.command()
@variant_argument
@click.option("-n", "--number", type=int, default=10, show_default=True, help="Of decisions.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--out",
    type=file_type,
    callback=in_a_folder,
    help="A file .npz or .parquet; printed as position IDs with dice when left out.",
)
@set_option
def sample(name: str, number: int, seed: int, out: Path | None, switches: Switches) -> None:
    """Give decisions of random play, passes included."""
    game = bound(name, switches)
    kind = _kind_of_file(out, (".npz", PARQUET))
    if kind == PARQUET:
        check_pyarrow()
    rows, dice = game.sample(number, seed)
    if out is None:
        for row, (die1, die2) in zip(rows, dice, strict=True):
            click.echo(f"{game.position(row).id} {die1}-{die2}")
    elif kind == ".npz":
        write_archive(out, _about(game, seed), {"rows": rows, "dice": dice})
    else:
        write_table(out, _about(game, seed), [{"row": rows, "dice": dice}])


@click.command()
@variant_argument
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    callback=in_a_folder,
    required=True,
    help="A file .parquet of decisions, or a folder of records, one file a game.",
)
@games_option
@policy_option
@opponent_option
@click.option("--noise", type=float, default=0.0, help="Deviation of noise on the values.")
@click.option("--seed", type=int, default=0, show_default=True)
@set_option
def selfplay(
    name: str,
    out: Path,
    games: int,
    policy: str,
    opponent: str | None,
    noise: float,
    seed: int,
    switches: Switches,
) -> None:
    """Let a policy play itself, or another one, and keep the games."""
    game = bound(name, switches)
    if out.suffix:
        _kind_of_file(out, (PARQUET,))
        check_pyarrow()
    played = run_selfplay(game, games, policy=policy, opponent=opponent, noise=noise, seed=seed)
    with rich_progress("self-play") as tell:
        counted = _counted(played, games, tell)
        if out.suffix:
            write_table(out, _about(game, seed), map(_columns, counted))
            return
        for one in counted:
            out.mkdir(exist_ok=True)
            save(_recorded(game, seed, one), out / f"{one.number:0{len(str(games - 1))}d}.jsonl")


def _counted(
    played: Iterator[Decisions], games: int, tell: Callable[[int, int], object]
) -> Iterator[Decisions]:
    for done, one in enumerate(played, 1):
        yield one
        tell(done, games)


def _recorded(variant: Variant, seed: int, played: Decisions) -> Game:
    """The same game once more, as one that can be saved."""
    game = Game(variant, seed=seed, number=played.number)
    for end in played.ends.tolist():
        if game.dice is None:
            game.roll()
        ends = [play.next.row.tolist() for play in game.plays]
        game.play(ends.index(end) if ends else "pass")
    return game


def _columns(played: Decisions) -> dict[str, Rows]:
    n = len(played.rows)
    return {
        "game": np.full(n, played.number, dtype=np.uint64),
        "ply": np.arange(n, dtype=np.int32),
        "player": played.players,
        "row": played.rows,
        "dice": played.dice,
        "end": played.ends,
        "points": played.values,
    }


def _about(variant: Variant, seed: int) -> dict[str, str]:
    rules = json.dumps(variant.changes)
    return {"variant": variant.name, "switches": rules, "seed": str(seed)}


def _kind_of_file(path: Path | None, known: tuple[str, ...]) -> str:
    kind = "" if path is None else path.suffix
    if path is not None and kind not in known:
        raise NotationError(f"--out {path}: its name has to end in {' or '.join(known)}")
    return kind
