"""The command ``play``: a game in the terminal against a policy."""

from collections.abc import Callable

import click
import numpy as np

from ..engine.streams import Stream
from ..errors import TavliError
from ..game.game import Game
from ..game.play import Play, PlayList
from ..game.records import save
from ..policies.choose import compared_values
from ..policies.known import Random, policy_of
from ..support.checks import MAX_SEED
from .options import Switches, bound, set_option, variant_argument

# one of the plays of a roll; what is left to chance comes from the stream
Chooser = Callable[[PlayList, Stream], Play]

FIRST = "first"  # the first play of the list
PERSON = 0
NAMES = ("you", "the policy")
COMMANDS = "write a play, or: hint, undo, save FILE, quit"


@click.command()
@variant_argument
@click.option(
    "--policy",
    default="pips",
    show_default=True,
    metavar="POLICY",
    help="How the other side plays: random, first, pips, or a file .npz or .onnx; +races "
    "behind it looks races up.",
)
@click.option("--seed", type=int, help="The dice of the game; drawn when left out.")
@set_option
def play(name: str, policy: str, seed: int | None, switches: Switches) -> None:
    """Play a game against a policy; you are O."""
    game = Game(bound(name, switches), seed=seed)
    chooser = _chooser(policy)
    # apart from the dice
    stream = Stream(game.seed, MAX_SEED)
    click.echo(f"seed {game.seed}; {NAMES[game.starter]} to start\n{COMMANDS}\n\n{_board(game)}")
    while True:
        _go_on(game, chooser, stream)
        if game.outcome is not None:
            click.echo(_end(game))
        line = _typed(game)
        if line == "quit":
            return
        try:
            _obey(game, line)
        except (ValueError, OSError) as error:
            click.echo(error)


def _chooser(policy: str) -> Chooser:
    """How a policy chooses."""
    if policy == FIRST:
        return lambda plays, stream: plays[0]
    chosen = policy_of(policy)
    if isinstance(chosen, Random):
        return lambda plays, stream: plays[stream.below(len(plays))]

    def lowest(plays: PlayList, stream: Stream) -> Play:
        ends = np.stack([play.next.row for play in plays])
        return plays[int(compared_values(chosen, plays[0].start.variant, ends).argmin())]

    return lowest


def _go_on(game: Game, chooser: Chooser, stream: Stream) -> None:
    """Roll, and make plays, until the person has a choice or the game is over."""
    while game.outcome is None:
        if game.dice is None:
            game.roll()
        plays = game.plays
        if game.player == PERSON and plays:
            return
        _make(game, chooser(plays, stream) if plays else "pass")


def _make(game: Game, choice: Play | str) -> None:
    """Make a play and show it with the board."""
    game.play(choice)
    turn = game.history[-1]
    made = f"{turn.dice[0]}-{turn.dice[1]}: {turn.play}"
    click.echo(f"\n{NAMES[turn.player]} {made}\n\n{_board(game)}")


def _board(game: Game) -> str:
    """The board as the person sees it."""
    return str(game.position if game.player == PERSON else game.position.flip())


def _typed(game: Game) -> str:
    """What the person types; the end of the input is ``quit``."""
    asked = "over" if game.dice is None else f"{game.dice[0]}-{game.dice[1]}"
    try:
        line = click.prompt(f"\n{asked}", default="", show_default=False, prompt_suffix="> ")
    except click.Abort:
        return "quit"
    return str(line).strip()


def _obey(game: Game, line: str) -> None:
    command, _, rest = line.partition(" ")
    match command:
        case "hint":
            click.echo("\n".join(map(str, game.plays)))
        case "undo":
            _undo(game)
        case "save" if rest:
            save(game, rest.strip())
            click.echo(f"saved in {rest.strip()}")
        case _:
            _make(game, line)


def _undo(game: Game) -> None:
    """Back to the last choice of the person."""
    if not any(turn.player == PERSON and not turn.play.is_pass for turn in game.history):
        raise TavliError("there is no play of yours to undo")
    while True:
        turn = game.undo()
        if turn.player == PERSON and not turn.play.is_pass:
            break
    click.echo(f"\nundone: {turn.play}\n\n{_board(game)}")


def _end(game: Game) -> str:
    outcome = game.outcome
    assert outcome is not None
    if outcome.winner is None:
        return "\nthe game is over: nobody scores"
    points = "1 point" if outcome.points == 1 else f"{outcome.points} points"
    verb = "win" if outcome.winner == PERSON else "wins"
    return f"\nthe game is over: {NAMES[outcome.winner]} {verb} {points}"
