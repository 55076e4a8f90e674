"""Other programs that play Portes, as backgammon: how they are called and what they give.

They are packages of the extra ``peers``, each of them optional, and only called.
"""

import importlib
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from random import Random
from typing import Any, NamedTuple

from ..rules import rows as r

Board = Any  # a position as a peer wants it


class Finder(NamedTuple):
    """A program that lists the plays of a position.

    Attributes
    ----------
    name, version : str
        Of the package.
    board : callable(row)
        A row in the program's own form.
    find : callable(board, die, die)
        The program itself; its result is a sequence of ends.
    """

    name: str
    version: str
    board: Callable[[Sequence[int]], Board]
    find: Callable[[Board, int, int], Sequence[Any]]

    def distinct(self, board: Board, high: int, low: int) -> int:
        """Number of distinct plays; some programs give the unchanged board for a pass."""
        return len({tuple(end) for end in self.find(board, high, low) if end != board})


class Player(NamedTuple):
    """A program that plays whole games.

    Attributes
    ----------
    name, version : str
        Of the package.
    play : callable(games)
        Plays so many games at random, the same ones at each call; gives the number of plies.
    """

    name: str
    version: str
    play: Callable[[int], int]


def installed() -> tuple[list[Finder | Player], list[str]]:
    """The peers that can be loaded, and a line about each of the others.

    Examples
    --------
    >>> from tavli_fast.measure.other_programs import PEERS, installed
    >>> found, skipped = installed()
    >>> len(found) + len(skipped) == len(PEERS)
    True
    """
    found: list[Finder | Player] = []
    skipped = []
    for name, (module, make) in PEERS.items():
        try:
            found.append(make(name, importlib.import_module(module)))
        except ImportError as error:
            skipped.append(f"{name} is skipped ({error}): pip install {name}, where it has a wheel")
    return found, skipped


def version_of(package: str) -> str:
    """The version of a package, as far as it is known.

    Examples
    --------
    >>> from tavli_fast.measure.other_programs import version_of
    >>> version_of("no such package")
    'unknown'
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


# --- gnubg-nn -------------------------------------------------------------------------------------


def _gnubg_nn(name: str, module: Any) -> Finder:
    return Finder(name, version_of(name), gnubg_nn_board, module.moves)


def gnubg_nn_board(row: Sequence[int]) -> tuple[list[int], list[int]]:
    """Checkers of the opponent and of the mover: points 1 to 24 in own numbering, then the bar.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.measure.other_programs import gnubg_nn_board
    >>> opponent, mover = gnubg_nn_board(tavli.variant("portes").start_row().tolist())
    >>> opponent == mover, mover[5]
    (True, 5)
    """
    points = row[1:25]
    opponent = [max(0, -count) for count in reversed(points)] + [row[r.OPP_BAR]]
    return opponent, [max(0, count) for count in points] + [row[r.BAR]]


# --- bgsage ---------------------------------------------------------------------------------------


def _bgsage(name: str, module: Any) -> Finder:
    return Finder(name, version_of(name), bgsage_board, module.possible_moves)


def bgsage_board(row: Sequence[int]) -> list[int]:
    """The first 26 numbers of a row, which mean the same.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.measure.other_programs import bgsage_board
    >>> bgsage_board(tavli.variant("portes").start_row().tolist())[6:9]
    [5, 0, 3]
    """
    return list(row[: r.BAR + 1])


# --- OpenSpiel ------------------------------------------------------------------------------------


def _open_spiel(name: str, module: Any) -> Player:
    game = module.load_game("backgammon")

    def play(games: int) -> int:
        rng, plies = Random(1), 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    rolls, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(rolls, weights)[0])
                    plies += 1
                else:
                    state.apply_action(rng.choice(state.legal_actions()))
        return plies

    return Player(name, version_of(name), play)


PEERS: dict[str, tuple[str, Callable[[str, Any], Finder | Player]]] = {
    "gnubg-nn": ("gnubg_nn", _gnubg_nn),
    "bgsage": ("bgsage", _bgsage),
    "open_spiel": ("pyspiel", _open_spiel),
}
