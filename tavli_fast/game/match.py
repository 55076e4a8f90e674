"""Matches: a cycle of games to a number of points (``docs/rules.md`` section 9)."""

import secrets
from collections.abc import Sequence

from ..engine.variant import Variant, variant_of
from ..errors import GameOver, RuleConflict, TavliError
from ..support.checks import MAX_SEED, check_int
from .game import Game

TAVLI = ("portes", "plakoto", "fevga")
MAX_TARGET = 1_000_000


class Match:
    """Games of a cycle of variants until a player has so many points.

    Parameters
    ----------
    target : int
        Points to win the match: 3, 5 or 7 in Tavli, 31 where checkers left are counted.
    seed : int, optional
        0 to 2**64 - 1; drawn and kept in ``seed`` when left out.
    cycle : sequence of Variant or str
        The games, in the order they are played again and again.

    Attributes
    ----------
    target, seed : int
    cycle : tuple of Variant
    games : list of Game
        All games so far, the current one last.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> match = tavli.Match(target=3, seed=1)
    >>> match.game.variant.name, match.score
    ('portes', (0, 0))
    >>> match.game.resign(2)
    >>> match.next_game().variant.name
    'plakoto'
    >>> max(match.score)
    2
    """

    def __init__(
        self,
        target: int = 5,
        *,
        seed: int | None = None,
        cycle: Sequence[Variant | str] = TAVLI,
    ) -> None:
        self.target = check_int(target, "target", 1, MAX_TARGET)
        self.seed = check_int(secrets.randbits(64) if seed is None else seed, "seed", 0, MAX_SEED)
        games = () if isinstance(cycle, (str, Variant)) else tuple(cycle)
        if not games:
            raise RuleConflict(f"cycle {cycle!r}: a sequence of one or more variants is needed")
        self.cycle = tuple(map(variant_of, games))
        self.games: list[Game] = []
        self._begin(None)

    @property
    def game(self) -> Game:
        """The current game."""
        return self.games[-1]

    @property
    def score(self) -> tuple[int, int]:
        """Points of player 0 and player 1, the current game's included once it is over."""
        points = [0, 0]
        for game in self.games:
            if game.outcome is not None and game.outcome.winner is not None:
                points[game.outcome.winner] += game.outcome.points
        return points[0], points[1]

    @property
    def winner(self) -> int | None:
        """Who has reached the target, or None while the match goes on."""
        score = self.score
        return next((player for player in (0, 1) if score[player] >= self.target), None)

    def next_game(self) -> Game:
        """Begin the next game of the cycle.

        The winner of the game before begins, or a throw decides (``next_starter``); after a void
        game it always does.

        Raises
        ------
        TavliError
            While the current game goes on.
        GameOver
            When the match is won.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> match = tavli.Match(seed=1)
        >>> match.next_game()
        Traceback (most recent call last):
        tavli_fast.errors.TavliError: game 1 of the match is not over yet
        """
        if self.game.outcome is None:
            raise TavliError(f"game {len(self.games)} of the match is not over yet")
        if self.winner is not None:
            raise GameOver(f"the match is over: player {self.winner} has won {self.score}")
        thrown_for = self.game.variant.rules.next_starter == "roll"
        self._begin(None if thrown_for else self.game.outcome.winner)
        return self.game

    def replace_game(self, game: Game) -> None:
        """Put a game that was played elsewhere in the place of the current one.

        Raises
        ------
        RuleConflict
            When it is not the variant whose turn it is in the cycle, or in the match already.
        GameOver
            When the match is won.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> match = tavli.Match(seed=1)
        >>> match.replace_game(tavli.Game("portes", seed=7, starter=1))
        >>> match.game.seed
        7
        """
        if not isinstance(game, Game):
            raise TypeError(f"game must be a Game, got {type(game).__name__}")
        if self.winner is not None:
            raise GameOver(f"the match is over: player {self.winner} has won {self.score}")
        if any(game is played for played in self.games):
            raise RuleConflict("the game is one of the match already")
        if game.variant != self.game.variant:
            raise RuleConflict(
                f"game {len(self.games)} of the match is {self.game.variant}, not {game.variant}"
            )
        self.games[-1] = game

    def _begin(self, starter: int | None) -> None:
        number = len(self.games)
        game = self.cycle[number % len(self.cycle)]
        self.games.append(Game(game, seed=self.seed, starter=starter, number=number))
