"""Playing one block of games: what an executor is handed.

A block holds games ``block * BLOCK`` and following of a seed. Everything in it depends on the job
and the number of the block alone.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engine import pip_scores
from ..engine.game_records import NO_LIMIT, OVER, PIPS, RACE, RANDOM, RUNNING, TRUNCATED, LiveGames
from ..engine.streams import Stream
from ..engine.variant import Variant
from ..policies.choose import choose
from ..policies.known import Pips, Policy, Random, checked_values, known_values
from ..rules.arrays import Rows
from ..rules.dice import ROLL_WEIGHTS, ROLLS
from ..rules.rows import ROW_BYTES
from .sums import (
    MOST_POINTS,
    MOST_VALUE,
    QUANTUM,
    STRATA,
    Floats,
    Sums,
    by_points,
    by_stratum,
    products,
    rounded,
)

BLOCK = STRATA * STRATA  # every pair of two first rolls once
_AT_ONCE = 128  # games whose luck is computed together: about 50,000 rows
_LOOKED_UP = [MOST_POINTS + points for points in (-2, -1, 1, 2)]  # results of a race
_STRATA_SEED = 0xC2B2AE3D27D4EB4F


@dataclass(frozen=True, eq=False)
class Players:
    """Who plays, and how far.

    Attributes
    ----------
    variant : Variant
    policies : (Policy, Policy)
        Of player 0 and player 1.
    evaluator : Policy
        Values truncated games and luck.
    limit : int
        Rolls to be thrown at most.
    luck : bool
        Whether luck is measured.
    races : bool
        Whether races are looked up.
    """

    variant: Variant
    policies: tuple[Policy, Policy]
    evaluator: Policy
    limit: int = NO_LIMIT
    luck: bool = False
    races: bool = False

    def play(self, games: LiveGames) -> Floats:
        """Play all games on; returns the luck of player 0 in each, zeros unless it is measured."""
        first, second = map(_kind, self.policies)
        if self.luck or first is None or second is None:
            return Lockstep(self, games).play()
        weights = pip_scores.weights(self.variant.rules)
        bulk, engine = self.variant._games, self.variant._engine
        bulk.run(engine, games, first, second, weights, self.limit, self.races)
        return np.zeros(len(games))


@dataclass(frozen=True, eq=False, repr=False)
class Job:
    """Games from one position, or from several after the same roll.

    Attributes
    ----------
    players : Players
        Player 0 is the one whose equity is asked for.
    starts : records of live.GAME
        Where each candidate begins.
    seed, games : int
        The last block may be shorter.
    stratified : bool
        Whether the first two rolls are dealt evenly.
    """

    players: Players
    starts: LiveGames
    seed: int
    games: int
    stratified: bool = True

    def __call__(self, block: int) -> Sums:
        """Play the block."""
        first = block * BLOCK
        n = min(BLOCK, self.games - first)
        pairs = first_rolls(self.seed, block, n)
        sums = Sums.none(len(self.starts))
        reduced = np.empty((len(self.starts), n))
        for k, start in enumerate(self.starts):
            games = np.repeat(start, n).reshape(n)
            self.players.variant._games.deal(games, self.seed, first)
            if self.stratified:
                games["fixed"] = pairs + 1
            luck = self.players.play(games)
            values = self._settle(games, sums, k)
            reduced[k] = values - luck
            most = max(np.abs(values).max(), np.abs(reduced[k]).max())
            if most > MOST_VALUE:
                raise ValueError(f"values must lie within {MOST_VALUE}, got one of size {most}")
            for which, kind in enumerate((values, reduced[k])):
                sums.strata[k, which] = by_stratum(kind, pairs[:, 0].astype(np.intp))
            sums.plies[k] = games["plies"].sum()
        sums.products[:] = products(reduced)
        return sums

    def _settle(self, games: LiveGames, sums: Sums, k: int) -> Floats:
        """The values of games that have stopped, for player 0; shares are counted."""
        values = games["points"].astype(np.float64)
        over = games["state"] == OVER
        sums.shares[k] = QUANTUM * by_points(games["points"][over])
        sums.wins[k] = QUANTUM * (values[over] > 0).sum(), QUANTUM * (values[over] < 0).sum()
        stopped = games["state"] == TRUNCATED
        if stopped.any():
            rows = np.ascontiguousarray(games["row"][stopped])
            own = checked_values(self.players.evaluator, self.players.variant, rows)
            values[stopped] = np.where(games["player"][stopped] == 0, own, -own)
            sums.truncated[k] = stopped.sum()
        raced = np.flatnonzero(games["state"] == RACE)
        if len(raced):
            values[raced] = self._look_up(games[raced], sums, k)
        return values

    def _look_up(self, games: LiveGames, sums: Sums, k: int) -> Floats:
        """The values of home races for player 0, each spread over its results.

        Where each checker left counts only the chance to win is known beside the equity.
        """
        variant = self.players.variant
        race = variant.race(np.ascontiguousarray(games["row"]))
        sums.looked_up[k] = len(games)
        own = games["player"] == 0
        win, double, lose_double = map(rounded, (race.win, race.win_double, race.lose_double))
        lose = QUANTUM - win
        sums.wins[k] += np.where(own, (win, lose), (lose, win)).sum(axis=1)
        if variant.rules.score_by == "points":
            mine = np.stack([lose_double, lose - lose_double, win - double, double])
            sums.shares[k][_LOOKED_UP] += np.where(own, mine, mine[::-1]).sum(axis=1)
        equities: Floats = np.where(own, race.equity, -race.equity)
        return equities


class Lockstep:
    """All games of a block, ply by ply, for policies that value rows in Python."""

    def __init__(self, players: Players, games: LiveGames) -> None:
        self.players, self.games = players, games
        self.variant, self.bulk = players.variant, players.variant._games
        self.engine = players.variant._engine
        self.offsets = np.zeros(len(games) + 1, dtype=np.int64)
        self.choice = np.zeros(len(games), dtype=np.int64)

    def play(self) -> Floats:
        """Play until all games have stopped; returns the luck of player 0 in each."""
        luck = np.zeros(len(self.games))
        while self._goes_on():
            if self.players.luck:
                waiting = self._waiting()
                swings = self._swings(waiting)
            self.bulk.throw(self.engine, self.games)
            if self.players.luck:
                thrown = swings[np.arange(len(waiting)), self._rolls(waiting)]
                luck[waiting] += np.where(self.games["player"][waiting] == 0, thrown, -thrown)
            self.bulk.count(self.engine, self.games, self.offsets)
            ends = np.empty((self.offsets[-1], ROW_BYTES), dtype=np.int8)
            self.bulk.fill(self.engine, self.games, self.offsets, ends)
            choose(self.variant, self.players.policies, self.games, self.offsets, ends, self.choice)
            self.bulk.play(self.engine, self.games, self.offsets, ends, self.choice)
        return luck

    def _goes_on(self) -> bool:
        self.bulk.stop(self.engine, self.games, self.players.limit, self.players.races)
        return bool((self.games["state"] == RUNNING).any())

    # --- luck -------------------------------------------------------------------------------------

    def _waiting(self) -> npt.NDArray[np.intp]:
        """Games about to throw; a balancing turn is not measured."""
        games = self.games
        waits = (games["state"] == RUNNING) & (games["die1"] == 0) & (games["balancing"] == 0)
        return np.flatnonzero(waits)

    def _swings(self, waiting: npt.NDArray[np.intp]) -> Floats:
        """What each roll would be worth beyond the average one, for the player on turn: [n, 21].

        The value of a roll is the evaluator's of the best play by it. Whatever that is, the average
        over the rolls is taken off exactly, so that luck adds nothing to the mean.
        """
        swings = np.empty((len(waiting), len(ROLLS)))
        for low in range(0, len(waiting), _AT_ONCE):
            rows = np.ascontiguousarray(self.games["row"][waiting[low : low + _AT_ONCE]])
            worth = roll_values(self.players.evaluator, self.variant, rows)
            swings[low : low + _AT_ONCE] = worth - (worth @ ROLL_WEIGHTS)[:, None]
        return swings

    def _rolls(self, waiting: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Which of the 21 rolls was thrown."""
        dice = self.games[waiting]
        numbers: npt.NDArray[np.intp] = _ROLL_NUMBERS[dice["die1"], dice["die2"]]
        return numbers


def roll_values(policy: Policy, variant: Variant, rows: Rows) -> Floats:
    """Per row and roll the value of the best play for the mover: float64[n, 21]."""
    n, rolls = len(rows), len(ROLLS)
    plays = variant.plays(
        np.repeat(rows, rolls, axis=0), np.tile(ROLLS, (n, 1)), keep_pass=True, flipped=True
    )
    values = known_values(policy, variant, plays.rows)
    return -np.minimum.reduceat(values, plays.offsets[:-1]).reshape(n, rolls)


def first_rolls(seed: int, block: int, n: int) -> npt.NDArray[np.int8]:
    """Pairs of dice, 0 to 35, of the first two rolls of the games of a block: int8[n, 2].

    In every 36 games each pair comes once as the first roll and once as the second, in the whole
    block each pair of pairs once. Both orders are shuffled anew in every block, so that a single
    game meets honest dice.
    """
    stream = Stream(seed ^ _STRATA_SEED, block)
    first, second = _shuffled(stream), _shuffled(stream)
    k = np.arange(n)
    cycle, place = k // STRATA, k % STRATA
    return np.stack([first[place], second[(cycle + place) % STRATA]], axis=1)


def _shuffled(stream: Stream) -> npt.NDArray[np.int8]:
    order = np.arange(STRATA, dtype=np.int8)
    for i in range(STRATA - 1, 0, -1):
        j = stream.below(i + 1)
        order[[i, j]] = order[[j, i]]
    return order


def _kind(policy: Policy) -> int | None:
    """The kernels' number of a policy, or None."""
    known: dict[type[Policy], int] = {Random: RANDOM, Pips: PIPS}
    return known.get(type(policy))


_ROLL_NUMBERS = np.zeros((7, 7), dtype=np.intp)
_ROLL_NUMBERS[ROLLS[:, 0], ROLLS[:, 1]] = _ROLL_NUMBERS[ROLLS[:, 1], ROLLS[:, 0]] = range(21)
