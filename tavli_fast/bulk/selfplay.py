"""Games of policies against each other, kept decision by decision."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..engine.variant import Variant
from ..policies.choose import choose
from ..policies.known import Policy, policy_of
from ..rules.arrays import Rows
from ..support.checks import check_int
from .games import Games, check_noise
from .sums import MAX_GAMES

SLOTS = 256  # games side by side: enough for whole batches, and few games are begun in vain


class Decisions(NamedTuple):
    """All decisions of one game, passes and stages of cascades included.

    Attributes
    ----------
    number : int
        Which game of the seed.
    rows : int8[k, 32]
        Positions, each seen by the player on turn.
    dice : int8[k, 2]
    ends : int8[k, 32]
        What was played, seen by the next player.
    players : int8[k]
        Who was on turn, 0 or 1.
    points : int
        What player 0 won (+) or lost (-).
    """

    number: int
    rows: Rows
    dice: Rows
    ends: Rows
    players: npt.NDArray[np.int8]
    points: int

    @property
    def values(self) -> npt.NDArray[np.int8]:
        """The points of each decision's mover: int8[k], what a learner aims at."""
        return np.where(self.players == 0, self.points, -self.points).astype(np.int8)


def selfplay(
    game: Variant | str,
    games: int,
    *,
    policy: Any = "pips",
    opponent: Any = None,
    seed: int,
    noise: float = 0.0,
) -> Iterator[Decisions]:
    """Let policies play games and give each when it is over, games 0, 1, 2 ... of the seed.

    Parameters
    ----------
    game : Variant or str
    games : int
        1 to 10**9.
    policy, opponent : policy
        Of player 0 and player 1 (``docs/policies.md``); the same when the second is left out.
    seed : int
        0 to 2**64 - 1.
    noise : float
        Deviation of normal noise added to the values, for games that differ more; the policy
        ``"random"`` needs none.

    Yields
    ------
    Decisions
        In the order in which the games end.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> played = list(tavli.selfplay("fevga", 3, policy="random", seed=1))
    >>> sorted(one.number for one in played)
    [0, 1, 2]
    >>> played[0].rows.shape[1], set(played[0].players.tolist())
    (32, {0, 1})
    """
    count = check_int(games, "games", 1, MAX_GAMES)
    first = policy_of(policy)
    players = first, first if opponent is None else policy_of(opponent)
    # everything is checked now, the policies are asked when the first game is wanted
    deviation = check_noise(noise)
    return _play(Games(game, min(count, SLOTS), seed), count, players, deviation)


def _play(
    games: Games, count: int, policies: tuple[Policy, Policy], noise: float
) -> Iterator[Decisions]:
    kept: list[list[tuple[Any, ...]]] = [[] for _ in range(games.n)]
    left, choice = count, np.zeros(games.n, dtype=np.int64)
    while left:
        rows, players, numbers = games.rows, games.players, games.numbers
        dice = games.roll().copy()
        plays = games.plays()
        choose(games.variant, policies, games._games, plays.offsets, plays.rows, choice, noise)
        ends = plays.rows[plays.offsets[:-1] + choice]
        for slot in np.flatnonzero(numbers < count):
            kept[slot].append((rows[slot], dice[slot], ends[slot], players[slot]))
        ended = games.play(choice)
        for slot, number, player, points in zip(*ended, strict=True):
            decisions, kept[slot] = kept[slot], []
            if number < count:
                rows_of, dice_of, ends_of, players_of = map(np.stack, zip(*decisions, strict=True))
                left -= 1
                own = int(points) if player == 0 else -int(points)
                yield Decisions(int(number), rows_of, dice_of, ends_of, players_of, own)
