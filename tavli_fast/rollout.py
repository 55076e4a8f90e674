"""Rollouts: what a position, or every play of a roll, is worth by playing it out."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from time import monotonic
from typing import Any, NamedTuple, Protocol

import numpy as np

from .arguments import MAX_SEED, check_int
from .blocks import BLOCK, Job
from .checkpoints import Checkpoint
from .errors import GameOver, RolloutError, TavliError
from .executors import ExecutorLike, in_order
from .live import GAME, NO_LIMIT, RUNNING, LiveGames
from .play import DiceArgument, Play
from .policies import Policy, PolicyLike, Random, policy_of
from .position import Position
from .progress import Progress
from .results import Key, Ranking, Rollout
from .sums import MAX_GAMES, Sums

SAVE_EVERY = 10.0  # seconds between two writings of a checkpoint
_HISTORY_STEP = 1.01  # so that a thousand million games leave some 1,500 entries
_START_ROLLS = (0, 0)


class Cancel(Protocol):
    """Anything like ``threading.Event``."""

    def is_set(self) -> bool:
        """Whether the run is to end."""


def rollout(
    position: Position,
    dice: DiceArgument | None = None,
    *,
    games: int = BLOCK,
    policy: PolicyLike = "pips",
    opponent: PolicyLike | None = None,
    seed: int | None = None,
    plies: int | None = None,
    evaluator: PolicyLike | None = None,
    luck: bool = False,
    stratified: bool = True,
    stop_stderr: float | None = None,
    min_games: int = 0,
    plays: Iterable[Play | str] | None = None,
    starts: bool = True,
    rolls: tuple[int, int] | None = None,
    executor: ExecutorLike = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    checkpoint: str | PathLike[str] | None = None,
    blocks: range | None = None,
) -> Any:
    """Play a position out many times, or every play of a roll by the same dice.

    Parameters
    ----------
    position : Position
        Its mover is about to throw, or has thrown ``dice``.
    dice : pair of int, optional
        Rank the plays of this roll.
    games : int
        At most so many games, of each play; 1 to 10**9.
    policy, opponent : policy
        By which the mover, and his opponent, play on (``docs/policies.md``); the opponent's is the
        mover's when left out.
    seed : int, optional
        0 to 2**64 - 1; drawn, and kept in ``key``, when left out. Game k of a seed meets the same
        dice whatever is played, where and by how many.
    plies : int, optional
        Stop every game after so many rolls and take the evaluator's value.
    evaluator : policy, optional
        Values truncated games and luck; ``policy`` when left out.
    luck : bool
        Measure by the evaluator what every roll was worth beyond the average one, and take it off:
        the mean stays, the standard error falls, and a game costs some 20 times as much.
    stratified : bool
        Deal the first two rolls evenly: all 36 pairs in 36 games, all pairs of pairs in 1,296.
    stop_stderr : float, optional
        End when the standard error (of every play) is not above this. Asked after each block of
        1,296 games, when at least ``min_games`` are played.
    min_games : int
    plays : iterable of Play or str, optional
        With ``dice``: rank these plays only.
    starts : bool
        Whether the mover began the game, which matters to a balancing turn.
    rolls : (int, int), optional
        How many rolls mover and opponent have thrown before, which matters to the grace of a
        cascade; when left out none at the start position, and more than the grace elsewhere.
    executor : int, Executor, dask Client, optional
        Where blocks are played (``docs/executors.md``). It never changes the result.
    progress : callable(done, total), optional
        Told the number of games after each block.
    cancel : object with is_set(), optional
        A ``threading.Event``, say: when set, the result so far is returned after the next block.
        Ctrl-C does the same.
    checkpoint : path, optional
        A file that is written every ten seconds, and from which the same run goes on.
    blocks : range, optional
        Play only these blocks of 1,296 games; :func:`merge` puts parts together.

    Returns
    -------
    Rollout, or Ranking when ``dice`` are given

    Raises
    ------
    GameOver
        The game is over on the position.
    RolloutError
        A policy raised or gave values that are none; it names the block and the row, and its
        ``partial`` holds the result of the blocks before.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> pos = tavli.Position.parse("backgammon", own="6 1", opp="1")
    >>> result = tavli.rollout(pos, games=1296, seed=1)
    >>> result.equity  # 15 of 36 rolls win, the others lose
    -0.16666666666666666
    """
    if not isinstance(position, Position):
        raise TypeError(f"position must be a Position, got {type(position).__name__}")
    if position.result is not None:
        raise GameOver(f"the game is over: {position.result}")
    candidates = _candidates(position, dice, plays)
    own = policy_of(policy)
    job = Job(
        position.variant,
        _starts(position, candidates, starts, rolls),
        (own, own if opponent is None else policy_of(opponent)),
        own if evaluator is None else policy_of(evaluator),
        check_int(secrets.randbits(64) if seed is None else seed, "seed", 0, MAX_SEED),
        check_int(games, "games", 1, MAX_GAMES),
        NO_LIMIT if plies is None else check_int(plies, "plies", 0, NO_LIMIT),
        bool(luck),
        stratified=bool(stratified),
    )
    _check_evaluator(job)
    key = _key(position, candidates, job, starts, rolls)
    until = Until(stop_stderr, check_int(min_games, "min_games", 0, MAX_GAMES), cancel)
    kept = None if checkpoint is None else Checkpoint(checkpoint, key | _part(blocks))
    run = _Run(job, key, _blocks(job, blocks), until, kept).go(executor, progress)
    return run if candidates is None else Ranking(candidates, run)
