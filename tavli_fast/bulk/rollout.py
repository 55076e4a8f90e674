"""Rollouts: what a position, or every play of a roll, is worth by playing it out."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from ..engine import bearoff
from ..engine.game_records import GAME, NO_LIMIT, LiveGames
from ..errors import GameOver, TavliError
from ..game.play import DiceArgument, Play
from ..game.position import Position
from ..policies.known import Random, policy_of
from ..support.checks import check_flag, check_int
from ..support.executors import ExecutorLike
from ..support.progress import Progress
from .block_runs import Cancel, Key, Reached, Run, Span, Until, seed_of
from .play_block import BLOCK, Job, Players
from .results import Ranking, Rollout
from .sums import MAX_GAMES, Sums, estimate, plus

_START_ROLLS = (0, 0)


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
    races: bool = False,
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
        0 to 2**64 - 1; when left out that of the checkpoint, or a new one that ``key`` tells. Game
        k of a seed meets the same dice whatever is played, where and by how many.
    plies : int, optional
        Stop every game after so many rolls and take the evaluator's value.
    evaluator : policy, optional
        Values truncated games and luck; ``policy`` when left out.
    luck : bool
        Measure by the evaluator what every roll was worth beyond the average one, and take it off:
        the mean stays, the standard error falls, and a game costs many times as much.
    races : bool
        Look the value up when the last checkers of both sides are home and nobody can meet any more
        (``docs/races.md``), as if both played best from there.
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
        Ctrl-C gives what is done at once, if a block is.
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
    RuleConflict
        ``races`` of rules that have no table of them.
    RolloutError
        A policy raised or gave values that are none, or a worker was lost; it names the block, and
        the row if there is one, and its ``partial`` holds the result of the blocks before.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> pos = tavli.Position.parse("backgammon", own="6 1", opp="24")
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
    players = Players(
        position.variant,
        (own, own if opponent is None else policy_of(opponent)),
        own if evaluator is None else policy_of(evaluator),
        NO_LIMIT if plies is None else check_int(plies, "plies", 0, NO_LIMIT),
        check_flag(luck, "luck"),
        check_flag(races, "races"),
    )
    _check_evaluator(players)
    if players.races:
        bearoff.table(position.rules)  # built once, before it is asked for in many places
    job = Job(
        players,
        _starts(position, candidates, starts, rolls),
        seed_of(seed, checkpoint),
        check_int(games, "games", 1, MAX_GAMES),
        check_flag(stratified, "stratified"),
    )
    key = _key(position, candidates, job, starts, rolls)

    def finish(sums: Sums, reached: Reached) -> Rollout | Ranking:
        found = Rollout(key, sums, (reached.blocks,), reached.stopped, reached.history)
        return found if candidates is None else Ranking(candidates, found)

    run = Run(
        job,
        key,
        Span.of(job.games, BLOCK, blocks),
        Until(stop_stderr, min_games, cancel),
        Sums.none(len(job.starts)),
        lambda sums: [estimate(one[1], job.stratified) for one in sums.strata],
        finish,
    )
    return run.go(executor, progress, checkpoint)


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
    if not isinstance(parts, (list, tuple)):
        raise TypeError(f"parts must be a list of results, got {type(parts).__name__}")
    if not parts:
        raise ValueError("there are no parts to merge")
    for part in parts:
        if type(part) is not type(parts[0]) or not isinstance(part, (Rollout, Ranking)):
            raise TypeError(
                f"parts must be all Rollout or all Ranking, got {type(part).__name__} "
                f"beside {type(parts[0]).__name__}"
            )
    runs = [part.run if isinstance(part, Ranking) else part for part in parts]
    merged = _merged(sorted(runs, key=lambda run: run.blocks[-1]))
    return merged if isinstance(parts[0], Rollout) else parts[0].with_run(merged)


def _merged(runs: list[Rollout]) -> Rollout:
    """Parts put together; the one with the last block is the last."""
    sums = Sums.none(len(runs[0].sums.strata))
    for run in runs:
        if run.key != runs[0].key:
            differ = [name for name in run.key if run.key[name] != runs[0].key.get(name)]
            raise TavliError(f"parts of different runs: they differ in {', '.join(differ)}")
        if run.candidate != runs[0].candidate:
            raise TavliError("parts of different runs: they differ in the play")
        if run is not runs[-1] and run.games % BLOCK:
            raise TavliError("a part whose last block is cut short can only be the last one")
        sums = plus(sums, run.sums)
    blocks = _joined(sorted(span for run in runs for span in run.blocks))
    return replace(runs[0], sums=sums, blocks=blocks, history=(), stopped="done")


def _joined(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Ranges of blocks in order, those that follow each other as one."""
    blocks = spans[:1]
    for low, high in spans[1:]:
        if low < blocks[-1][1]:
            raise TavliError(f"block {low} is in two parts")
        if low == blocks[-1][1]:
            blocks[-1] = (blocks[-1][0], high)
        else:
            blocks.append((low, high))
    return tuple(blocks)


# --- what is played -------------------------------------------------------------------------------


def _candidates(
    position: Position, dice: DiceArgument | None, plays: Iterable[Play | str] | None
) -> list[Play] | None:
    """The plays to be ranked, a pass included; None without dice."""
    if dice is None:
        if plays is not None:
            raise ValueError("plays need dice: of which roll are they?")
        return None
    if isinstance(plays, (str, Play)):
        raise TypeError(f"plays must be a list of plays, got {plays!r}")
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
        if not isinstance(rolls, (tuple, list)) or len(rolls) != 2:
            raise TypeError(f"rolls must be two numbers, got {rolls!r}")
        return tuple(check_int(number, "rolls", 0, MAX_GAMES) for number in rolls)  # type: ignore[return-value]
    if position == position.variant.start():
        return _START_ROLLS
    past = position.rules.cascade_grace
    return past, past


def _check_evaluator(players: Players) -> None:
    if isinstance(players.evaluator, Random) and (players.luck or players.limit < NO_LIMIT):
        raise ValueError("luck and truncated games need an evaluator; the policy has no values")


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
        "dice": "" if candidates is None else "{1}-{0}".format(*sorted(candidates[0].dice)),
        "plays": "" if candidates is None else "; ".join(map(str, candidates)),
        "policy": job.players.policies[0].key,
        "opponent": job.players.policies[1].key,
        "evaluator": job.players.evaluator.key,
        "seed": job.seed,
        "plies": -1 if job.players.limit == NO_LIMIT else job.players.limit,
        "luck": job.players.luck,
        "races": job.players.races,
        "stratified": job.stratified,
        "starts": bool(starts),
        "rolls": "{}-{}".format(*_rolls(position, rolls)),
    }
