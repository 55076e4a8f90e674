"""Numbered blocks of work, computed anywhere and handed back in order (``docs/executors.md``).

Who adds up what comes back gets the same sums, bit for bit, whoever computed the blocks.
"""

import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from typing import Any, Protocol, TypeGuard, TypeVar

import numpy as np

from .arguments import MAX_THREADS, check_int
from .errors import WorkerLost

# how often a cluster computes a block anew that failed
DASK_RETRIES = 3

T = TypeVar("T")
Blocks = Generator[tuple[int, T], None, None]


class DaskClient(Protocol):
    """What is used of a ``dask.distributed.Client``."""

    @property
    def asynchronous(self) -> bool:
        """Whether its methods are coroutines."""

    def get_executor(self, **options: Any) -> Executor:
        """Its executor for ``concurrent.futures``; the client itself is none."""

    def nthreads(self) -> dict[str, int]:
        """Threads of each worker."""


ExecutorLike = int | Executor | DaskClient | None


def in_order(
    work: Callable[[int], T], blocks: Iterable[int], executor: ExecutorLike = None
) -> Blocks[T]:
    """Compute numbered blocks anywhere and hand them back in the order in which they are given.

    Closing the iterator, or an error, cancels what has not begun. Threads of its own are waited
    for; an executor of the caller stays as it is.

    Parameters
    ----------
    work : callable(int)
        What is computed of the number of a block. For processes and clusters it has to be sent
        there: a function of a module, or an object of a class of one.
    blocks : iterable of int
        May be endless: at most 2 n + 2 of them, for n workers, are taken before they are handed
        back.
    executor : int, Executor or dask Client, optional
        Where: in the thread of the caller, one after the other; in that many threads; by any
        ``concurrent.futures.Executor``; on a ``dask.distributed`` cluster.

    Yields
    ------
    (int, result of work)
        The number of the block, and what ``work`` gave for it.

    Raises
    ------
    TypeError
        At once, when the executor is none, or when ``work`` cannot be sent to its processes.
    WorkerLost
        At the turn of a block whose process ended.
    Exception
        What ``work`` raised for a block, at its turn, with a note of its number.

    Examples
    --------
    >>> from tavli_fast.executors import in_order
    >>> list(in_order(abs, [-3, 5, -1], 2))
    [(-3, 3), (5, 5), (-1, 1)]
    """
    taken = iter(blocks)
    if executor is None:
        return _one_by_one(work, taken)
    if isinstance(executor, Executor):
        if _is_process_pool(executor):
            _check_picklable(work)
        return _by_executor(work, taken, executor, lambda: _workers(executor))
    if _is_dask_client(executor):
        if executor.asynchronous:
            raise TypeError(
                "executor is an asynchronous dask Client; give one made without asynchronous=True"
            )
        # every run has its own tasks: cancelling one must not take those of another
        by_dask = executor.get_executor(retries=DASK_RETRIES, pure=False)
        return _by_executor(work, taken, by_dask, lambda: sum(executor.nthreads().values()))
    if not isinstance(executor, (int, np.integer)):
        raise TypeError(
            "executor must be None, a number of threads, a concurrent.futures.Executor or a "
            f"dask.distributed Client, got {type(executor).__name__}"
        )
    threads = check_int(executor, "executor", 1, MAX_THREADS)
    return _one_by_one(work, taken) if threads == 1 else _by_threads(work, taken, threads)


def _is_process_pool(executor: Executor) -> bool:
    """Asked of the module only if it is loaded: it brings all of multiprocessing along."""
    module = sys.modules.get("concurrent.futures.process")
    return isinstance(executor, getattr(module, "ProcessPoolExecutor", ()))


def _is_dask_client(executor: object) -> TypeGuard[DaskClient]:
    """Nobody has a client without having imported its module."""
    return isinstance(executor, getattr(sys.modules.get("distributed"), "Client", ()))


def _workers(executor: Executor) -> int:
    """How many blocks an executor computes at the same time, as far as it tells."""
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1


# --- ways of computing ----------------------------------------------------------------------------


def _one_by_one(work: Callable[[int], T], blocks: Iterator[int]) -> Blocks[T]:
    for block in blocks:
        with _named(work, block):
            result = work(block)
        yield block, result


def _by_threads(work: Callable[[int], T], blocks: Iterator[int], threads: int) -> Blocks[T]:
    pool = ThreadPoolExecutor(threads, thread_name_prefix="tavli_fast block")
    try:
        yield from _by_executor(work, blocks, pool, lambda: threads)
    finally:
        pool.shutdown(cancel_futures=True)


def _by_executor(
    work: Callable[[int], T],
    blocks: Iterator[int],
    executor: Executor,
    workers: Callable[[], int],
) -> Blocks[T]:
    window: deque[tuple[int, Future[T]]] = deque()
    size = turns = 0
    try:
        while True:
            if turns == 0:  # once a window: a cluster may have grown, and asking it takes 1 ms
                size = turns = 2 * workers() + 2
            while len(window) < size and (block := next(blocks, None)) is not None:
                window.append((block, _submit(executor, work, block)))
            if not window:
                return
            block, future = window[0]
            with _named(work, block):
                result = future.result()
            window.popleft()
            turns -= 1
            yield block, result
    finally:
        for _, future in window:
            future.cancel()
        window.clear()  # an error holds on to this frame, which must not hold on to results


def _submit(executor: Executor, work: Callable[[int], T], block: int) -> Future[T]:
    """The future of a block, a failed one when it is not taken: those before it come first."""
    try:
        return executor.submit(work, block)
    except Exception as error:
        refused: Future[T] = Future()
        refused.set_exception(error)
        return refused


# --- what goes wrong ------------------------------------------------------------------------------


@contextmanager
def _named(work: Callable[[int], object], block: int) -> Iterator[None]:
    """Errors that tell the number of the block they come from."""
    try:
        yield
    except _lost() as error:
        raise WorkerLost(block, str(error) or type(error).__name__) from error
    except pickle.PicklingError as error:
        # from executors that have ways of their own to send things
        raise _unsendable(f"block {block}: {work!r} or its result", error) from error
    except Exception as error:
        error.add_note(f"block {block}")
        raise


def _lost() -> tuple[type[Exception], ...]:
    """What executors raise for a block that will not come back."""
    # a cluster gives a block up after several workers were lost with it
    killed = getattr(sys.modules.get("distributed"), "KilledWorker", BrokenExecutor)
    return BrokenExecutor, CancelledError, killed


def _check_picklable(work: Callable[[int], object]) -> None:
    try:
        pickle.dumps(work)
    except Exception as error:  # objects raise what they like
        raise _unsendable(repr(work), error) from error


def _unsendable(what: str, error: Exception) -> TypeError:
    return TypeError(
        f"{what} cannot be sent to another process: {error}; give a function of a module, or an "
        "object of a class of a module, which the other process can import"
    )
