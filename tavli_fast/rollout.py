"""Rollouts: what a position, or every play of a roll, is worth by playing it out."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from os import PathLike
from time import monotonic
from typing import Any, NamedTuple, Protocol

import numpy as np

from .arguments import MAX_SEED, check_int
from .blocks import BLOCK, Job
from .checkpoints import Checkpoint
from .errors import CheckpointError, GameOver, RolloutError, TavliError
from .executors import ExecutorLike, in_order
from .live import GAME, NO_LIMIT, LiveGames
from .play import DiceArgument, Play
from .policies import Random, policy_of
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
    policy: Any = "pips",
    opponent: Any | None = None,
    seed: int | None = None,
    plies: int | None = None,
    evaluator: Any | None = None,
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
    run = _Run(
        job,
        key,
        _blocks(job, blocks),
        until,
        kept,
        lambda found: found if candidates is None else Ranking(candidates, found),
    )
    return run.go(executor, progress)


class Until(NamedTuple):
    """When a run ends before all games are played."""

    stderr: float | None
    min_games: int
    cancel: Cancel | None

    def reason(self, games: int, stderrs: Callable[[], Iterable[float]]) -> str | None:
        """Why it ends now, or None."""
        if self.cancel is not None and self.cancel.is_set():
            return "cancelled"
        if self.stderr is None or games < self.min_games:
            return None
        return "stderr" if all(stderr <= self.stderr for stderr in stderrs()) else None


class _Run:
    """The blocks of one job, added up in order."""

    def __init__(
        self,
        job: Job,
        key: Key,
        blocks: range,
        until: Until,
        checkpoint: Checkpoint | None,
        finish: Callable[[Rollout], Any],
    ) -> None:
        self.job, self.key, self.blocks, self.finish = job, key, blocks, finish
        self.until, self.checkpoint = until, checkpoint
        self.sums = Sums.none(len(job.starts))
        self.done = 0  # blocks
        self.history: list[tuple[int, float, float]] = []

    def go(self, executor: ExecutorLike, progress: Progress | None) -> Any:
        """Play the blocks that are not done yet."""
        self._resume()
        stopped = self._ended() if self.done else None
        if stopped is None:
            try:
                stopped = self._play(executor, progress)
            except KeyboardInterrupt:
                if not self.done:
                    raise
                stopped = "interrupted"
            except Exception as error:
                partial = self.finish(self._result("error")) if self.done else None
                self._save()
                raise RolloutError(self.blocks.start + self.done, error, partial) from error
        self._save()
        return self.finish(self._result(stopped))

    def _play(self, executor: ExecutorLike, progress: Progress | None) -> str:
        saved = monotonic()
        parts = in_order(self.job, self.blocks[self.done :], executor)
        try:
            for _, part in parts:
                self._add(part)
                if progress is not None:
                    progress(self.sums.games, self._all_games())
                if monotonic() - saved > SAVE_EVERY:
                    self._save()
                    saved = monotonic()
                stopped = self._ended()
                if stopped is not None:
                    return stopped
        finally:
            parts.close()
        return "done"

    def _add(self, part: Sums) -> None:
        self.sums = self.sums.plus(part)
        self.done += 1
        games = self.sums.games
        if not self.history or games >= _HISTORY_STEP * self.history[-1][0]:
            now = self._result("done")
            self.history.append((games, now.equity, now.stderr))

    def _ended(self) -> str | None:
        each = range(len(self.job.starts))
        return self.until.reason(
            self.sums.games, lambda: (self._result("done", k).stderr for k in each)
        )

    def _all_games(self) -> int:
        last = min(self.blocks.stop * BLOCK, self.job.games)
        return last - self.blocks.start * BLOCK

    def _result(self, stopped: str, candidate: int = 0) -> Rollout:
        done = (self.blocks.start, self.blocks.start + self.done)
        return Rollout(self.key, self.sums, (done,), stopped, tuple(self.history), candidate)

    # --- checkpoints ------------------------------------------------------------------------------

    def _save(self) -> None:
        # a last block that is cut short is left out: the run may be asked to go on beyond it
        if self.checkpoint is not None and self.sums.games == self.done * BLOCK:
            self.checkpoint.write(self.done, self.sums._asdict())

    def _resume(self) -> None:
        if self.checkpoint is None:
            return
        found = self.checkpoint.read()
        if found is not None:
            if found[0] > len(self.blocks):
                raise CheckpointError(
                    f"{self.checkpoint.path} holds {found[0]} blocks, asked for are only "
                    f"{len(self.blocks)}: ask for at least {found[0] * BLOCK} games"
                )
            self.done, self.sums = found[0], Sums(**found[1])


def merge(parts: Sequence[Rollout | Ranking]) -> Any:
    """Put parts of one run together, which were played by ``rollout(..., blocks=...)``.

    Parameters
    ----------
    parts : sequence of Rollout, or of Ranking
        Of the same run, no block in two of them; in any order.

    Returns
    -------
    Rollout or Ranking
        The same, bit for bit, as if all blocks had been played at once.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> pos = tavli.variant("fevga").start()
    >>> run = dict(games=3 * 1296, seed=5, policy="random")
    >>> whole = tavli.rollout(pos, **run)
    >>> parts = [tavli.rollout(pos, **run, blocks=b) for b in (range(2, 3), range(2))]
    >>> tavli.merge(parts) == whole
    True
    """
    if not parts:
        raise ValueError("there are no parts to merge")
    for part in parts:
        if type(part) is not type(parts[0]) or not isinstance(part, (Rollout, Ranking)):
            raise TypeError(
                f"parts must be all Rollout or all Ranking, got {type(part).__name__} "
                f"beside {type(parts[0]).__name__}"
            )
    runs = sorted(
        (part.run if isinstance(part, Ranking) else part for part in parts), key=lambda r: r.blocks
    )
    merged = _merged(runs)
    return merged if isinstance(parts[0], Rollout) else parts[0].with_run(merged)


def _merged(runs: list[Rollout]) -> Rollout:
    sums, blocks = runs[0].sums, list(runs[0].blocks)
    for run in runs[1:]:
        if run.key != runs[0].key or run.candidate != runs[0].candidate:
            differ = [name for name in run.key if run.key[name] != runs[0].key.get(name)]
            raise TavliError(f"parts of different runs: they differ in {', '.join(differ)}")
        for low, high in run.blocks:
            if low < blocks[-1][1]:
                raise TavliError(f"block {low} is in two parts")
            if low == blocks[-1][1]:
                blocks[-1] = (blocks[-1][0], high)
            else:
                blocks.append((low, high))
        sums = sums.plus(run.sums)
    played = sum(high - low for low, high in blocks)
    if sums.games <= (played - 1) * BLOCK:
        raise TavliError("a part whose last block is cut short can only be the last one")
    return replace(runs[0], sums=sums, blocks=tuple(blocks), history=(), stopped="done")


# --- what is played -------------------------------------------------------------------------------


def _candidates(
    position: Position, dice: DiceArgument | None, plays: Iterable[Play | str] | None
) -> list[Play] | None:
    """The plays to be ranked, a pass included; None without dice."""
    if dice is None:
        if plays is not None:
            raise ValueError("plays need dice: of which roll are they?")
        return None
    if plays is not None:
        chosen = [position.parse_play(play, dice) for play in plays]
        if not chosen or len({play.end for play in chosen}) < len(chosen):
            raise ValueError(f"plays must be one or more different ones, got {len(chosen)}")
        return chosen
    return list(position.plays(dice)) or [position.parse_play("pass", dice)]


def _starts(
    position: Position,
    candidates: list[Play] | None,
    starts: bool,
    rolls: tuple[int, int] | None,
) -> LiveGames:
    """Where each candidate's games begin."""
    variant = position.variant
    games = np.zeros(1, dtype=GAME)
    games["row"] = position.row
    games["starter"] = 0 if starts else 1
    games["rolls"] = _rolls(position, rolls)
    if candidates is None:
        return games
    high, low = candidates[0].dice
    games["fixed"][0, 0] = 6 * (high - 1) + low
    offsets = np.zeros(2, dtype=np.int64)
    variant._games.throw(variant._engine, games)
    variant._games.count(variant._engine, games, offsets)
    begun = np.repeat(games, len(candidates))
    offsets = np.arange(len(candidates) + 1, dtype=np.int64)
    ends = np.stack([play.next.row for play in candidates])
    choice = np.zeros(len(candidates), dtype=np.int64)
    variant._games.play(variant._engine, begun, offsets, ends, choice)
    begun["plies"] = 0
    return begun


def _rolls(position: Position, rolls: tuple[int, int] | None) -> tuple[int, int]:
    if rolls is not None:
        if len(rolls) != 2:
            raise ValueError(f"rolls must be two numbers, got {len(rolls)}")
        return tuple(check_int(number, "rolls", 0, NO_LIMIT) for number in rolls)  # type: ignore[return-value]
    if position == position.variant.start():
        return _START_ROLLS
    past = position.rules.cascade_grace
    return past, past


def _check_evaluator(job: Job) -> None:
    if isinstance(job.evaluator, Random) and (job.luck or job.limit < NO_LIMIT):
        raise ValueError("luck and truncated games need an evaluator; the policy has no values")


def _blocks(job: Job, blocks: range | None) -> range:
    every = range(-(-job.games // BLOCK))
    if blocks is None:
        return every
    if not isinstance(blocks, range):
        raise TypeError(f"blocks must be a range, got {type(blocks).__name__}")
    if blocks.step != 1 or not (0 <= blocks.start < blocks.stop <= every.stop):
        raise ValueError(f"blocks must be a part of {every}, got {blocks}")
    return blocks


def _part(blocks: range | None) -> Key:
    return {"first_block": 0 if blocks is None else blocks.start}


def _key(
    position: Position,
    candidates: list[Play] | None,
    job: Job,
    starts: bool,
    rolls: tuple[int, int] | None,
) -> Key:
    """All that makes runs different, the number of games apart."""
    return {
        "position": position.id,
        "dice": "" if candidates is None else "{}-{}".format(*candidates[0].dice),
        "plays": "" if candidates is None else "; ".join(map(str, candidates)),
        "policy": job.policies[0].key,
        "opponent": job.policies[1].key,
        "evaluator": job.evaluator.key,
        "seed": job.seed,
        "plies": -1 if job.limit == NO_LIMIT else job.limit,
        "luck": job.luck,
        "races": job.races,
        "stratified": job.stratified,
        "starts": bool(starts),
        "rolls": "{}-{}".format(*_rolls(position, rolls)),
    }
