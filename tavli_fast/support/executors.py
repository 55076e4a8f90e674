"""Numbered blocks of work, computed anywhere and handed back in order (``docs/executors.md``).

Who adds up what comes back gets the same sums, bit for bit, whoever computed the blocks.
"""

import importlib
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
    wait,
)
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, Protocol, TypeGuard, TypeVar

import numpy as np

from ..errors import WorkerLost
from .checks import MAX_THREADS, check_int

# how often a cluster computes a block anew that failed
DASK_RETRIES = 3
DASK_LOOK = 1.0  # seconds between looks whether a client is still connected
CONNECTED = "running"  # status of a client

R = TypeVar("R")
T = TypeVar("T")
Blocks = Generator[tuple[int, T], None, None]


class DaskClient(Protocol):
    """What is used of a ``dask.distributed.Client``."""

    @property
    def asynchronous(self) -> bool:
        """Whether its methods are coroutines."""

    @property
    def status(self) -> str:
        """``"running"`` while it is connected."""

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
    ValueError
        At once, for a number of threads not from 1 to 1024, or a client that is closed.
    WorkerLost
        At the turn of a block whose process ended, or whose cluster is gone.
    Exception
        What ``work`` raised for a block, at its turn, with a note of its number.

    Examples
    --------
    >>> from tavli_fast.support.executors import in_order
    >>> list(in_order(abs, [-3, 5, -1], 2))
    [(-3, 3), (5, 5), (-1, 1)]
    """
    taken = iter(blocks)
    if executor is None:
        return _one_by_one(work, taken)
    if isinstance(executor, Executor):
        if _is_process_pool(executor):
            _check_sendable(work, pickle.dumps)
        return _by_executor(work, taken, executor, lambda: _workers(executor), Future.result)
    if _is_dask_client(executor):
        _check_client(executor)
        _check_sendable(work, _cloudpickled)
        return _by_dask(work, taken, executor)
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


def _check_client(client: DaskClient) -> None:
    if client.asynchronous:
        raise TypeError(
            "executor is an asynchronous dask Client; give one made without asynchronous=True"
        )
    if client.status != CONNECTED:
        raise ValueError(f"executor is a dask Client that is {client.status}; give a connected one")


def _workers(executor: Executor) -> int:
    """How many blocks an executor computes at the same time, as far as it tells."""
    told = getattr(executor, "_max_workers", None)
    return told if isinstance(told, int) and told > 0 else os.cpu_count() or 1


def _threads(client: DaskClient) -> int:
    """Those of all workers of a cluster at present."""
    try:
        return sum(client.nthreads().values())
    except Exception:  # the scheduler is gone, which the next block will say at its turn
        return 0


# --- ways of computing ----------------------------------------------------------------------------


def _one_by_one(work: Callable[[int], T], blocks: Iterator[int]) -> Blocks[T]:
    for block in blocks:
        with _named(work, block):
            result = work(block)
        yield block, result


def _by_threads(work: Callable[[int], T], blocks: Iterator[int], threads: int) -> Blocks[T]:
    pool = ThreadPoolExecutor(threads, thread_name_prefix="tavli_fast block")
    try:
        yield from _by_executor(work, blocks, pool, lambda: threads, Future.result)
    finally:
        pool.shutdown(cancel_futures=True)


def _by_dask(work: Callable[[int], T], blocks: Iterator[int], client: DaskClient) -> Blocks[T]:
    def fetch(future: Future[bytes]) -> T:
        # with its client a future may be left without an end
        while not wait([future], DASK_LOOK).done:
            if client.status != CONNECTED:
                raise CancelledError(f"the client is {client.status}")
        result: T = pickle.loads(future.result())
        return result

    # every run has its own tasks: cancelling one must not take those of another
    executor = client.get_executor(retries=DASK_RETRIES, pure=False)
    return _by_executor(partial(_packed, work), blocks, executor, lambda: _threads(client), fetch)


def _packed(work: Callable[[int], object], block: int) -> bytes:
    """A result pickled by the worker, so that one that cannot be is an error of its block.

    The executor of a client never ends the future of a result that it cannot fetch.
    """
    return _cloudpickled(work(block))


def _cloudpickled(what: object) -> bytes:
    """As dask sends things; it brings the module along."""
    data: bytes = importlib.import_module("cloudpickle").dumps(what)
    return data


def _by_executor(
    work: Callable[[int], R],
    blocks: Iterator[int],
    executor: Executor,
    workers: Callable[[], int],
    fetch: Callable[[Future[R]], T],
) -> Blocks[T]:
    window: deque[tuple[int, Future[R]]] = deque()
    size = turns = 0
    try:
        while True:
            if turns == 0:  # once a window: a cluster may have grown, and asking takes 0.4 ms
                size = turns = 2 * workers() + 2
            for block in islice(blocks, max(size - len(window), 0)):
                window.append((block, _submit(executor, work, block)))
            if not window:
                return
            block, future = window[0]
            with _named(work, block):
                result = fetch(future)
            window.popleft()
            turns -= 1
            yield block, result
    finally:
        # emptied, as an error holds on to this frame, which must not hold on to results
        while window:
            window.pop()[1].cancel()


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


def _check_sendable(
    work: Callable[[int], object], dumps: Callable[[Callable[[int], object]], bytes]
) -> None:
    try:
        dumps(work)
    except Exception as error:  # objects raise what they like
        raise _unsendable(repr(work), error) from error


def _unsendable(what: str, error: Exception) -> TypeError:
    return TypeError(
        f"{what} cannot be sent to another process: {error}; give a function of a module, or an "
        "object of a class of a module, which the other process can import"
    )
