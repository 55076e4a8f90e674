"""Duels: one policy against another by the same dice, sides swapped."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..engine.game_records import GAME, LiveGames
from ..engine.variant import Variant, variant_of
from ..errors import RuleConflict
from ..game.match import TAVLI
from ..policies.known import Policy, policy_of
from ..support.checks import check_int
from ..support.executors import ExecutorLike
from ..support.progress import Progress
from .block_runs import Cancel, History, Key, Reached, Run, Span, Until, seed_of
from .findings import Finding
from .play_block import BLOCK, Players
from .sums import (
    MAX_GAMES,
    MOST_POINTS,
    STRATA,
    Estimate,
    Floats,
    Ints,
    by_points,
    by_stratum,
    estimate,
    or_none,
    same,
    shares_of,
)

BLOCK_PAIRS = BLOCK // 2
_GAMES_OF_MATCH = 1 << 12  # numbers kept for the games of one match
_MOST_TARGET = 64  # a lead is then below 90, whose squares can be added up (sums.py)

Points = npt.NDArray[np.int64]


class DuelSums(NamedTuple):
    """What a number of pairs gave, for the first policy.

    Attributes
    ----------
    points, matches : int64[3, 36]
        Pairs, sums and sums of squares of the mean points, and of the mean match result (1 won, -1
        lost), of the two games or matches of a pair; only the first column is used.
    shares : int64[31]
        Games by points from -15 to 15.
    plies : int64[1]
        Rolls thrown.
    """

    points: Ints
    matches: Ints
    shares: Ints
    plies: Ints

    def holds(self, games: int) -> bool:
        """Whether they can be sums of so many games or matches."""
        pairs = self.points[0], self.matches[0]
        return all((of >= 0).all() and 2 * of.sum() == games for of in pairs)

    @classmethod
    def none(cls) -> Self:
        """The sums of no pairs."""
        shapes = (3, STRATA), (3, STRATA), (2 * MOST_POINTS + 1,), (1,)
        return cls(*(np.zeros(shape, dtype=np.int64) for shape in shapes))


@dataclass(frozen=True, eq=False, repr=False)
class DuelJob:
    """Pairs of games, or of matches when there is a target.

    Attributes
    ----------
    cycle : tuple of Variant
    policies : (Policy, Policy)
    seed, pairs : int
    target : int
        Points to win a match; 0 for single games.
    """

    cycle: tuple[Variant, ...]
    policies: tuple[Policy, Policy]
    seed: int
    pairs: int
    target: int

    def __call__(self, block: int) -> DuelSums:
        """Play the pairs of a block."""
        low = block * BLOCK_PAIRS
        numbers = np.arange(low, min(low + BLOCK_PAIRS, self.pairs), dtype=np.uint64)
        sums = DuelSums.none()
        points, matches = np.zeros(len(numbers)), np.zeros(len(numbers))
        for swapped in (False, True):
            won, lead = self._play(numbers, swapped, sums)
            points += lead / 2
            matches += won / 2
        nothing = np.zeros(len(numbers), dtype=np.intp)
        sums.points[:] = by_stratum(points, nothing)
        sums.matches[:] = by_stratum(matches, nothing)
        return sums

    def _play(
        self, numbers: npt.NDArray[np.uint64], swapped: bool, sums: DuelSums
    ) -> tuple[Floats, Floats]:
        """Match results and points of the first policy, who is player 1 when swapped."""
        sign = -1 if swapped else 1
        if not self.target:
            starter = np.full(len(numbers), -1)
            points = sign * self._games(self.cycle[0], numbers, starter, swapped, sums)
            return np.sign(points).astype(np.float64), points.astype(np.float64)
        score = np.zeros((len(numbers), 2), dtype=np.int64)
        starter = np.full(len(numbers), -1)
        for number in range(_GAMES_OF_MATCH):
            going = np.flatnonzero(score.max(axis=1) < self.target)
            if not len(going):
                break
            variant = self.cycle[number % len(self.cycle)]
            games = numbers[going] * np.uint64(_GAMES_OF_MATCH) + np.uint64(number)
            points = self._games(variant, games, starter[going], swapped, sums)
            score[going, 0] += np.maximum(points, 0)
            score[going, 1] += np.maximum(-points, 0)
            starter[going] = self._next_starter(number + 1, points)
        won = (score >= self.target).astype(np.int64)
        result, lead = (sign * (of[:, 0] - of[:, 1]).astype(np.float64) for of in (won, score))
        return result, lead

    def _next_starter(self, number: int, points: Points) -> Points:
        """Who starts the next game (section 9): 0, 1, or -1 when it is thrown for."""
        rule = self.cycle[number % len(self.cycle)].rules.next_starter
        return np.where((points == 0) | (rule == "roll"), -1, (points < 0).astype(np.int64))

    def _games(
        self,
        variant: Variant,
        numbers: npt.NDArray[np.uint64],
        starter: Points,
        swapped: bool,
        sums: DuelSums,
    ) -> Points:
        """Play one game of each number; returns the points of player 0."""
        games: LiveGames = np.zeros(len(numbers), dtype=GAME)
        slots = np.arange(len(numbers), dtype=np.int64)
        start = variant.start_row()
        variant._games.begin(variant._engine, games, slots, numbers, start, self.seed)
        given = starter >= 0
        games["starter"][given] = games["player"][given] = starter[given]
        for name in ("die1", "die2", "steps", "plies", "rolls"):  # opening dice are for a throw
            games[name][given] = 0
        first, second = reversed(self.policies) if swapped else self.policies
        Players(variant, (first, second), first).play(games)
        points = games["points"].astype(np.int64)
        sums.shares[:] += by_points(-points if swapped else points)
        sums.plies[0] += games["plies"].sum()
        return points


@dataclass(frozen=True)
class Duel(Finding):
    """How one policy does against another; the values are those of the first.

    Two of them are equal when seed, policies and all other settings are, and all sums.

    Attributes
    ----------
    key : dict
        What was played: games, policies, seed.
    sums : DuelSums
    blocks : (int, int)
        Which blocks of 648 pairs are in it.
    stopped : str
        Why it ended, as in :class:`Rollout`.
    history : tuple of (int, tuple of Estimate)
        Games or matches, and the estimate of the points, on the way.
    """

    key: Key
    sums: DuelSums = field(repr=False)
    blocks: tuple[int, int]
    stopped: str = "done"
    history: History = field(default=(), repr=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Duel):
            return NotImplemented
        return (self.key, self.blocks) == (other.key, other.blocks) and same(self.sums, other.sums)

    def __hash__(self) -> int:
        return hash((tuple(self.key.items()), self.blocks))

    @property
    def pairs(self) -> int:
        """Pairs of games or matches with the same dice."""
        return int(self.sums.points[0].sum())

    @property
    def games(self) -> int:
        """Single games."""
        return int(self.sums.shares.sum())

    @property
    def matches(self) -> int:
        """Matches, 0 without a target."""
        return 2 * self.pairs if self.key["target"] else 0

    @property
    def points(self) -> Estimate:
        """Points won, less those lost, per game or per match."""
        return estimate(self.sums.points, False)

    @property
    def match(self) -> Estimate:
        """Games or matches won less those lost, as a share of all."""
        return estimate(self.sums.matches, False)

    @property
    def estimate(self) -> Estimate:
        """``points``."""
        return self.points

    @property
    def shares(self) -> dict[int, float]:
        """Shares of the games by the points won (+) or lost (-); 0 is void."""
        return shares_of(self.sums.shares)

    @property
    def plies(self) -> float:
        """Rolls thrown per game."""
        return int(self.sums.plies[0]) / self.games

    def as_dict(self) -> dict[str, Any]:
        """All figures as plain numbers and texts, for JSON."""
        return {
            **self._estimate_as_dict(),
            "match": {"equity": self.match.mean, "stderr": or_none(self.match.stderr)},
            "shares": {str(points): share for points, share in self.shares.items()},
            "games": self.games,
            "matches": self.matches,
            "plies": self.plies,
            "stopped": self.stopped,
            "run": dict(self.key),
        }

    def table(self) -> str:
        """The figures as text, one line each."""
        per = "match" if self.matches else "game"
        won = sum(share for points, share in self.shares.items() if points > 0)
        lost = sum(share for points, share in self.shares.items() if points < 0)
        low, high = self.interval()
        lines = [
            f"points per {per:6} {self.equity:+.4f} ± {self.stderr:.4f} (standard error)",
            f"95 %              {low:+.4f} to {high:+.4f}",
        ]
        if self.matches:
            share = (1 + self.match.mean) / 2
            lines.append(f"matches won      {100 * share:5.1f} % ± {50 * self.match.stderr:.1f}")
            lines.append(f"matches          {self.matches:7d}")
        lines += [
            f"games won        {100 * won:5.1f} %  (lost {100 * lost:5.1f} %)",
            f"games            {self.games:7d}  ({self.plies:.1f} plies each)",
        ]
        return "\n".join(lines)


def duel(
    game: Variant | str | Sequence[Variant | str],
    first: Any,
    second: Any,
    *,
    games: int = BLOCK,
    target: int | None = None,
    seed: int | None = None,
    stop_stderr: float | None = None,
    min_games: int = 0,
    executor: ExecutorLike = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> Duel:
    """Let two policies play each other, every game twice by the same dice with sides swapped.

    Parameters
    ----------
    game : Variant, str, or sequence of them
        What is played; for matches the cycle of games. ``"tavli"`` is the match of
        ``docs/rules.md`` section 9: Portes, Plakoto, Fevga, to 5 points unless ``target`` says
        otherwise.
    first, second : policy
        ``docs/policies.md``.
    games : int
        At most so many games, or matches with a target; even, 2 to 10**9.
    target : int, optional
        Play matches to so many points.
    seed : int, optional
        0 to 2**64 - 1; when left out that of the checkpoint, or a new one that ``key`` tells.
    stop_stderr, min_games, executor, progress, cancel, checkpoint
        As in :func:`rollout`; blocks have 1,296 games or matches.

    Returns
    -------
    Duel
        Values are those of the first policy.

    Raises
    ------
    RolloutError
        A policy raised or gave values that are none, or a worker was lost; it names the block, and
        the row if there is one, and its ``partial`` holds the result of the blocks before.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> found = tavli.duel("plakoto", "pips", "random", games=1296, seed=1)
    >>> found.equity > 1.5
    True
    >>> found == tavli.duel("plakoto", "pips", "random", games=1296, seed=1, executor=2)
    True
    """
    cycle, to = _played(game, target)
    count = check_int(games, "games", 2, MAX_GAMES)
    if count % 2:
        raise ValueError(f"games must be even, each is played from both sides, got {count}")
    job = DuelJob(
        cycle,
        (policy_of(first), policy_of(second)),
        seed_of(seed, checkpoint),
        count // 2,
        to,
    )
    key: Key = {
        "games": "; ".join(variant.start().id for variant in cycle),
        "first": job.policies[0].key,
        "second": job.policies[1].key,
        "seed": job.seed,
        "target": to,
    }

    def finish(sums: DuelSums, reached: Reached) -> Duel:
        return Duel(key, sums, reached.blocks, reached.stopped, reached.history)

    run = Run(
        job,
        key,
        Span.of(count, BLOCK, None),
        Until(stop_stderr, min_games, cancel),
        DuelSums.none(),
        lambda sums: [estimate(sums.points, False)],
        finish,
    )
    found: Duel = run.go(executor, progress, checkpoint)
    return found


def _played(
    game: Variant | str | Sequence[Variant | str], target: int | None
) -> tuple[tuple[Variant, ...], int]:
    """The cycle of variants, and the target of a match or 0."""
    to = 0 if target is None else check_int(target, "target", 1, _MOST_TARGET)
    if game == "tavli":
        return tuple(map(variant_of, TAVLI)), to or 5
    if isinstance(game, (Variant, str)):
        return (variant_of(game),), to
    if not isinstance(game, Sequence):
        raise TypeError(f"game must be a Variant, a name, or a list of them, got {game!r}")
    cycle = tuple(map(variant_of, game))
    if not cycle or (not to and len(cycle) > 1):
        raise RuleConflict(
            f"{len(cycle)} variants: give one, or a cycle of them with the target of a match"
        )
    return cycle, to
