"""Numbered blocks of games added up in order: where a run stops, and how it goes on later."""

import secrets
import warnings
from collections.abc import Callable, Iterator, Sequence
from numbers import Real
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import Any, Generic, NamedTuple, Protocol

from ..errors import CheckpointError, RolloutError
from ..support.checkpoints import Checkpoint, stored_key
from ..support.checks import MAX_SEED, check_int
from ..support.executors import Blocks, ExecutorLike, in_order
from ..support.progress import Progress
from .sums import MAX_GAMES, AnySums, Estimate, Ints, by_name, plus

SAVE_EVERY = 10.0  # seconds between two writings of a checkpoint
_HISTORY_STEP = 1.05  # so that a thousand million games leave some 280 entries

Key = dict[str, str | int | float]
History = tuple[tuple[int, tuple[Estimate, ...]], ...]  # games, what was estimated


class Cancel(Protocol):
    """Anything like ``threading.Event``."""

    def is_set(self) -> bool:
        """Whether the run is to end."""


class Span(NamedTuple):
    """Which blocks are played, of how many games."""

    numbers: range
    size: int
    games: int  # of the whole run; the last block may be shorter

    @classmethod
    def of(cls, games: int, size: int, part: range | None) -> "Span":
        """All blocks of a run, or a part of them."""
        every = range(-(-games // size))
        if part is None:
            return cls(every, size, games)
        if not isinstance(part, range):
            raise TypeError(f"blocks must be a range, got {type(part).__name__}")
        if part.step != 1 or not (0 <= part.start < part.stop <= every.stop):
            raise ValueError(f"blocks must be a part of {every}, got {part}")
        return cls(part, size, games)

    def games_of(self, done: int) -> int:
        """Games in the first so many of the blocks."""
        last = min((self.numbers.start + done) * self.size, self.games)
        return last - self.numbers.start * self.size


class Until:
    """When a run ends before all its games are played.

    Parameters
    ----------
    stderr : float or None
        When no standard error is above this.
    min_games : int
        But not before so many games.
    cancel : Cancel or None
    """

    def __init__(self, stderr: float | None, min_games: int, cancel: Cancel | None) -> None:
        real = isinstance(stderr, Real) and not isinstance(stderr, bool)
        if stderr is not None and not (real and stderr >= 0):
            raise ValueError(f"stop_stderr must be a number of at least 0, got {stderr!r}")
        if cancel is not None and (
            isinstance(cancel, type) or not callable(getattr(cancel, "is_set", None))
        ):
            raise TypeError(f"cancel must be an object with a method is_set, got {cancel!r}")
        self.stderr, self.cancel = stderr, cancel
        self.min_games = check_int(min_games, "min_games", 0, MAX_GAMES)

    def reason(self, games: int, estimates: Callable[[], Sequence[Estimate]]) -> str | None:
        """Why it ends now, or None."""
        if self.cancel is not None and self.cancel.is_set():
            return "cancelled"
        if self.stderr is None or games < self.min_games:
            return None
        close = all(found.stderr <= self.stderr for found in estimates())
        return "stderr" if close else None


class Reached(NamedTuple):
    """How far a run got.

    Attributes
    ----------
    blocks : (int, int)
        The range of blocks that are done.
    stopped : str
        Why it ended: ``"done"``, ``"stderr"``, ``"cancelled"``, ``"interrupted"`` or ``"error"``.
    history : tuple of (int, tuple of Estimate)
        Games and estimates on the way.
    """

    blocks: tuple[int, int]
    stopped: str
    history: History


class Run(Generic[AnySums]):
    """One run.

    Parameters
    ----------
    job : callable(int)
        Plays a block and returns its sums.
    key : dict
        All that makes runs different, the number of games apart.
    blocks : Span
    until : Until
    none : sums
        Those of no games.
    estimates : callable(sums)
        What is estimated.
    finish : callable(sums, Reached)
        Makes the result.
    """

    def __init__(
        self,
        job: Callable[[int], AnySums],
        key: Key,
        blocks: Span,
        until: Until,
        none: AnySums,
        estimates: Callable[[AnySums], Sequence[Estimate]],
        finish: Callable[[AnySums, Reached], Any],
    ) -> None:
        self.job, self.key, self.blocks, self.until = job, key, blocks, until
        self.sums, self.estimates, self.finish = none, estimates, finish
        self.done = 0  # blocks
        self._whole = 0, none  # blocks to be kept, and their sums
        self.history: list[tuple[int, tuple[Estimate, ...]]] = []

    def go(
        self,
        executor: ExecutorLike,
        progress: Progress | None,
        checkpoint: str | PathLike[str] | None,
    ) -> Any:
        """Play the blocks that are not done yet, and make the result."""
        if progress is not None and not callable(progress):
            raise TypeError(f"progress must be callable, got {type(progress).__name__}")
        kept = self._resumed(checkpoint)
        stopped = self._ended() if self.done else None
        if stopped is None:
            # what cannot be an executor is told here, as it is
            parts = in_order(self.job, self.blocks.numbers[self.done :], executor)
            try:
                stopped = self._play(parts, progress, kept)
            except KeyboardInterrupt:
                if not self.done:
                    raise
                stopped = "interrupted"
            finally:
                parts.close()
                self._save(kept)
        return self._result(stopped)

    @property
    def _next(self) -> int:
        return self.blocks.numbers.start + self.done

    @property
    def _games(self) -> int:
        return self.blocks.games_of(self.done)

    @property
    def _all(self) -> int:
        return self.blocks.games_of(len(self.blocks.numbers))

    def _play(
        self, parts: Blocks[AnySums], progress: Progress | None, kept: Checkpoint | None
    ) -> str:
        saved = monotonic()
        for part in self._each(parts):
            self._add(part)
            if progress is not None:
                progress(self._games, self._all)
            if monotonic() - saved > SAVE_EVERY:
                self._save(kept)
                saved = monotonic()
            stopped = self._ended()
            if stopped is not None:
                return stopped
        return "done"

    def _each(self, parts: Blocks[AnySums]) -> Iterator[AnySums]:
        """The sums of the blocks; an error of one of them comes with what was done before."""
        while True:
            try:
                _, part = next(parts)
            except StopIteration:
                return
            except Exception as error:
                partial = self._result("error") if self.done else None
                raise RolloutError(self._next, error, partial) from error
            yield part

    def _add(self, part: AnySums) -> None:
        self.sums = plus(self.sums, part)
        self.done += 1
        if self._games == self.done * self.blocks.size:
            self._whole = self.done, self.sums
        if not self.history or self._games >= _HISTORY_STEP * self.history[-1][0]:
            self.history.append((self._games, tuple(self.estimates(self.sums))))

    def _ended(self) -> str | None:
        """Why the run ends before all is played, or None."""
        if self._games == self._all:
            return None
        return self.until.reason(self._games, lambda: self.estimates(self.sums))

    def _result(self, stopped: str) -> Any:
        reached = Reached((self.blocks.numbers.start, self._next), stopped, tuple(self.history))
        return self.finish(self.sums, reached)

    # --- checkpoints ------------------------------------------------------------------------------

    def _resumed(self, path: str | PathLike[str] | None) -> Checkpoint | None:
        """The checkpoint, what it holds taken over."""
        if path is None:
            return None
        kept = Checkpoint(path, self.key | {"first_block": self.blocks.numbers.start})
        found = kept.read()
        if found is None:
            kept.write(*self._kept())  # whether it can be written is seen before the work
            return kept
        done, arrays = found
        # the kept blocks are whole, the last one asked for may be cut short
        if done * self.blocks.size > self.blocks.games_of(len(self.blocks.numbers)):
            raise CheckpointError(
                f"{kept.path} holds {done * self.blocks.size} games, more than asked for: "
                f"ask for at least {(self.blocks.numbers.start + done) * self.blocks.size} games"
            )
        shapes, expected = (
            {name: (str(array.dtype), array.shape) for name, array in held.items()}
            for held in (arrays, by_name(self.sums))
        )
        if shapes != expected:
            raise CheckpointError(f"{kept.path} holds arrays {shapes}, not {expected}")
        sums = type(self.sums)(**arrays)
        if not sums.holds(done * self.blocks.size):  # type: ignore[attr-defined]
            raise CheckpointError(f"{kept.path} holds sums that are not those of {done} blocks")
        self.done, self.sums = done, sums
        self._whole = self.done, self.sums
        return kept

    def _kept(self) -> tuple[int, dict[str, Ints]]:
        """What is written: whole blocks, since the run may be asked to go on beyond a short one."""
        done, sums = self._whole
        return done, by_name(sums)

    def _save(self, kept: Checkpoint | None) -> None:
        """A full disk is no reason to lose the result: it is only warned of."""
        if kept is None:
            return
        try:
            kept.write(*self._kept())
        except OSError as error:
            warnings.warn(
                f"the checkpoint cannot be written: {error}", RuntimeWarning, stacklevel=2
            )


def seed_of(seed: int | None, checkpoint: str | PathLike[str] | None) -> int:
    """The seed of a run: the one given, or that of its checkpoint, or a new one."""
    if seed is None and checkpoint is not None and Path(checkpoint).exists():
        stored = stored_key(checkpoint).get("seed")
        if type(stored) is not int or not 0 <= stored <= MAX_SEED:
            raise CheckpointError(f"{checkpoint} is no checkpoint of games: its seed is {stored!r}")
        return stored
    return check_int(secrets.randbits(64) if seed is None else seed, "seed", 0, MAX_SEED)
