"""Plays chosen by policies, for all games of an array together."""

import numpy as np
import numpy.typing as npt

from ..engine import pip_scores
from ..engine.game_records import LiveGames
from ..engine.variant import Variant
from ..rules.arrays import Rows
from .known import Pips, Policy, Random, Values, known_values

Ints = npt.NDArray[np.int64]


def choose(
    variant: Variant,
    policies: tuple[Policy, Policy],
    games: LiveGames,
    offsets: Ints,
    ends: Rows,
    choice: Ints,
    noise: float = 0.0,
) -> None:
    """Write the number of the play that each game's player chooses, the first of equal ones.

    Parameters
    ----------
    variant : Variant
    policies : (Policy, Policy)
        Of player 0 and player 1.
    games : records of live.GAME
        With their dice thrown and their plays counted.
    offsets : int64[n + 1]
    ends : int8[m, 32]
        Game i owns ``ends[offsets[i]:offsets[i + 1]]``, seen by the next player.
    choice : int64[n]
        Written.
    noise : float
        Deviation of normal noise added to the values.
    """
    if policies[0] is policies[1]:
        every = np.ones(len(games), dtype=np.bool_)
        _choose_by(variant, policies[0], games, every, offsets, ends, choice, noise)
        return
    counts = np.diff(offsets)
    for player, policy in enumerate(policies):
        own = games["player"] == player
        mine = np.concatenate([[0], np.cumsum(np.where(own, counts, 0))])
        rows = ends[np.repeat(own, counts)]
        _choose_by(variant, policy, games, own, mine, rows, choice, noise)


def _choose_by(
    variant: Variant,
    policy: Policy,
    games: LiveGames,
    own: npt.NDArray[np.bool_],
    offsets: Ints,
    ends: Rows,
    choice: Ints,
    noise: float,
) -> None:
    """Choices of one policy for its own games; the others' are left as they are."""
    bulk = variant._games
    if isinstance(policy, Random):
        bulk.random_choice(games, choice, own.view(np.uint8))
        return
    if noise:
        values = known_values(policy, variant, ends)
        bulk.add_noise(games, values, offsets, noise)
    else:
        values = compared_values(policy, variant, ends)
    chosen = np.empty_like(choice)
    bulk.lowest(values, offsets, chosen)
    choice[own] = chosen[own]


def compared_values(policy: Policy, variant: Variant, ends: Rows) -> Values:
    """What plays are compared by: values, but scores where the kernels go by scores."""
    if not isinstance(policy, Pips):
        return known_values(policy, variant, ends)
    scores = np.empty(len(ends), dtype=np.int32)
    variant._games.scores(variant._engine, ends, pip_scores.weights(variant.rules), scores)
    return scores.astype(np.float64)
