"""Blocks in order: the same numbers anywhere, never too many at once, and nothing left behind."""

import asyncio
import gc
import multiprocessing
import os
import pickle
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

import distributed
import loky
import numpy as np
import pytest
from blocks import WAIT, Gated, fails_at_3, lock_of, sums, wait_for

import tavli_fast as tavli
from tavli_fast.support.executors import in_order

SPAWN = multiprocessing.get_context("spawn")  # a fork would copy the locks of other threads
NUMBERS = [7, 3, *range(10, 22), 3]


@pytest.fixture(scope="module")
def cluster() -> Iterator[distributed.LocalCluster]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as started:
        yield started


@pytest.fixture(scope="module")
def client(cluster: distributed.LocalCluster) -> Iterator[distributed.Client]:
    with distributed.Client(cluster) as connected:
        yield connected


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=SPAWN) as pool:
        yield pool


@pytest.fixture(scope="module")
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def reusable() -> Iterator[Executor]:
    pool = loky.get_reusable_executor(2)
    yield pool
    pool.shutdown()


@pytest.fixture(
    params=[None, 1, 2, np.int64(4), "threads", "processes", "reusable", "client"], ids=str
)
def executor(request: pytest.FixtureRequest) -> Any:
    """Each way of computing."""
    named = isinstance(request.param, str)
    return request.getfixturevalue(request.param) if named else request.param


IN_THREADS = [None, 2, "threads"]


@pytest.fixture(params=IN_THREADS, ids=str)
def nearby(request: pytest.FixtureRequest) -> Any:
    """Ways of computing in this process."""
    named = isinstance(request.param, str)
    return request.getfixturevalue(request.param) if named else request.param


class Counting(ThreadPoolExecutor):
    """Keeps the futures it gave."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.given: list[Future[Any]] = []

    def submit(self, *call: Any, **named: Any) -> Future[Any]:
        self.given.append(super().submit(*call, **named))
        return self.given[-1]


def until_error(found: Iterator[tuple[int, Any]]) -> tuple[list[int], BaseException]:
    """The numbers of the blocks that came, and what came after them."""
    came = []
    try:
        for block, _ in found:
            came.append(block)
    except BaseException as error:
        return came, error
    raise AssertionError(f"no error after {came}")


# --- the same numbers in the same order -----------------------------------------------------------


def test_blocks_come_in_order_with_the_same_numbers(executor: Any) -> None:
    assert list(in_order(sums, NUMBERS, executor)) == [(n, sums(n)) for n in NUMBERS]


def test_the_numbers_of_this_file_depend_on_the_order() -> None:
    numbers = [x for n in range(50) for x in sums(n)]
    assert sum(numbers) != sum(reversed(numbers))


def test_no_blocks_and_one(executor: Any) -> None:
    assert list(in_order(sums, [], executor)) == []
    assert list(in_order(sums, iter([5]), executor)) == [(5, sums(5))]


def test_a_later_block_may_be_ready_first() -> None:
    second = threading.Event()

    def work(block: int) -> int:
        if block == 1:
            second.set()
        assert block or second.wait(WAIT)
        return block

    assert [block for block, _ in in_order(work, range(5), 2)] == [0, 1, 2, 3, 4]


def test_one_executor_serves_several_runs_at_once(executor: Any) -> None:
    runs = [in_order(sums, range(8), executor) for _ in range(2)]
    for n, pair in enumerate(zip(*runs, strict=True)):
        assert pair == ((n, sums(n)),) * 2


def test_closing_one_run_leaves_the_other(executor: Any) -> None:
    first, second = (in_order(sums, count(), executor) for _ in range(2))
    assert next(first) == next(second) == (0, sums(0))
    first.close()
    assert [next(second) for _ in range(12)] == [(n, sums(n)) for n in range(1, 13)]
    second.close()
    assert list(in_order(sums, [4], executor)) == [(4, sums(4))]


# --- not too many at once -------------------------------------------------------------------------


def test_nothing_is_taken_before_it_is_asked_for(nearby: Any) -> None:
    taken: list[int] = []
    found = in_order(sums, (taken.append(n) or n for n in count()), nearby)
    assert taken == []
    next(found)
    found.close()
    assert 1 <= len(taken) <= 6


def test_without_threads_each_block_is_computed_when_its_turn_comes() -> None:
    for executor in (None, 1):
        taken: list[int] = []
        threads = set()

        def work(block: int, threads: set[int] = threads) -> None:
            threads.add(threading.get_ident())

        for block, _ in islice(
            in_order(work, (taken.append(n) or n for n in count()), executor), 9
        ):
            assert taken == list(range(block + 1))
        assert threads == {threading.get_ident()}


@pytest.mark.parametrize("workers", [1, 3])
def test_the_window_is_bounded_and_kept_full(workers: int) -> None:
    with Counting(workers) as pool:
        for came, _ in enumerate(islice(in_order(sums, count(), pool), 30)):
            assert len(pool.given) - came == 2 * workers + 2


def test_an_executor_that_tells_no_number_of_workers() -> None:
    class Quiet(Executor):
        given = 0

        def submit(self, work: Any, /, *values: Any) -> Future[Any]:
            self.given += 1
            done: Future[Any] = Future()
            done.set_result(work(*values))
            return done

    quiet = Quiet()
    with closing(in_order(lambda block: -block, count(), quiet)) as found:
        assert next(found) == (0, 0)
        assert quiet.given == 2 * (os.cpu_count() or 1) + 2


def test_the_window_of_a_cluster(client: distributed.Client) -> None:
    taken: list[int] = []
    with closing(in_order(sums, (taken.append(n) or n for n in count()), client)) as found:
        for block, _ in islice(found, 20):
            assert len(taken) - block <= 2 * sum(client.nthreads().values()) + 2


# --- leaving early --------------------------------------------------------------------------------


def test_closing_cancels_what_has_not_begun_and_leaves_the_executor() -> None:
    begun, go = threading.Event(), threading.Event()

    def work(block: int) -> int:
        if block == 1:
            begun.set()
            assert go.wait(WAIT)
        return block

    with Counting(1) as pool:
        found = in_order(work, count(), pool)
        assert next(found) == (0, 0)
        assert begun.wait(WAIT)
        found.close()  # does not wait for block 1
        assert [future.cancelled() for future in pool.given] == [False, False, True, True]
        go.set()
        assert pool.submit(work, 5).result(WAIT) == 5


def test_own_threads_are_waited_for_and_gone() -> None:
    begun, go = threading.Event(), threading.Event()
    started, ended = [], []

    def work(block: int) -> None:
        started.append(block)
        if block:
            begun.set()
            assert go.wait(WAIT)
        ended.append(block)

    found = in_order(work, range(50), 2)
    next(found)
    assert begun.wait(WAIT)
    timer = threading.Timer(0.05, go.set)
    timer.start()
    found.close()
    assert sorted(started) == sorted(ended)
    assert {0, 1} <= set(ended)
    assert len(ended) <= 7  # the window and the one that came
    assert not [t for t in threading.enumerate() if t.name.startswith("tavli_fast block")]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_of_the_consumer(nearby: Any, error: type[BaseException]) -> None:
    came = []

    def consume() -> None:
        with closing(in_order(sums, count(), nearby)) as found:
            for block, _ in found:
                came.append(block)
                if block == 4:
                    raise error

    with pytest.raises(error):
        consume()
    assert came == [0, 1, 2, 3, 4]
    assert list(in_order(sums, [2], nearby)) == [(2, sums(2))]


def test_no_result_outlives_the_run(nearby: Any) -> None:
    class Result:
        pass

    made: list[weakref.ref[Result]] = []

    def work(block: int) -> Result:
        result = Result()
        made.append(weakref.ref(result))
        return result

    with closing(in_order(work, count(), nearby)) as found:
        for block, _ in found:
            if block == 9:
                break
    if isinstance(nearby, Executor):
        assert nearby.submit(int).result(WAIT) == 0  # the threads are done with the last block
    del found, _
    gc.collect()
    assert len(made) >= 10
    assert [ref for ref in made if ref() is not None] == []


def test_an_error_that_is_kept_keeps_no_results() -> None:
    class Result:
        pass

    made: list[weakref.ref[Result]] = []
    enough = threading.Event()

    def work(block: int) -> Result:
        if block == 4:
            assert enough.wait(WAIT)
            raise ValueError
        result = Result()
        made.append(weakref.ref(result))
        if block == 9:  # the last of the window
            enough.set()
        return result

    came, error = until_error(in_order(work, count(), 2))
    gc.collect()
    assert came == [0, 1, 2, 3]
    assert type(error) is ValueError
    assert len(made) == 9
    assert len([ref for ref in made if ref() is not None]) <= 1  # the last that came


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of POSIX")
def test_ctrl_c_while_blocks_are_computed(nearby: Any) -> None:
    main = threading.main_thread().ident
    assert main is not None

    def work(block: int) -> int:
        if block == 5:
            signal.pthread_kill(main, signal.SIGINT)
        return block

    came, error = until_error(in_order(work, range(100_000), nearby))
    assert isinstance(error, KeyboardInterrupt)
    assert came == list(range(len(came)))
    assert list(in_order(sums, [2], nearby)) == [(2, sums(2))]


# --- errors of the work ---------------------------------------------------------------------------


def test_an_error_comes_at_the_turn_of_its_block(executor: Any) -> None:
    came, error = until_error(in_order(fails_at_3, range(9), executor))
    assert came == [0, 1, 2]
    assert type(error) is KeyError
    assert error.args == ("three",)
    assert error.__notes__[-1] == "block 3"
    assert list(in_order(sums, [2], executor)) == [(2, sums(2))]


def test_ctrl_c_within_the_work(nearby: Any) -> None:
    def work(block: int) -> None:
        if block == 3:
            raise KeyboardInterrupt

    came, error = until_error(in_order(work, count(), nearby))
    assert came == [0, 1, 2]
    assert type(error) is KeyboardInterrupt
    assert list(in_order(sums, [2], nearby)) == [(2, sums(2))]


def test_an_executor_that_was_shut_down_gives_what_it_has() -> None:
    with ThreadPoolExecutor(1) as pool:
        found = in_order(sums, count(), pool)
        next(found)
    came, error = until_error(found)
    assert came == [1, 2, 3]
    assert type(error) is RuntimeError
    assert error.__notes__ == ["block 4"]


def test_a_block_that_somebody_else_cancels_is_lost() -> None:
    go = threading.Event()
    with Counting(1) as pool:
        pool.submit(go.wait, WAIT)
        pool.given.clear()
        found = in_order(sums, range(4), Canceller(pool, go))
        came, error = until_error(found)
    assert came == [0, 1]
    assert isinstance(error, tavli.WorkerLost)
    assert error.block == 2


class Canceller(Executor):
    """Cancels block 2 of four, then opens the gate."""

    def __init__(self, pool: Counting, gate: threading.Event) -> None:
        self.pool = pool
        self.gate = gate

    def submit(self, *call: Any, **named: Any) -> Future[Any]:
        future = self.pool.submit(*call, **named)
        if len(self.pool.given) == 4:
            assert self.pool.given[2].cancel()
            self.gate.set()
        return future


# --- workers that are lost ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [partial(ProcessPoolExecutor, mp_context=SPAWN), loky.ProcessPoolExecutor],
    ids=["standard", "loky"],
)
def test_a_killed_process(make: Callable[[int], Executor], tmp_path: Path) -> None:
    with make(2) as pool:
        found = in_order(Gated(tmp_path, first=3, ends=True), count(), pool)
        came = [next(found) for _ in range(3)]
        (tmp_path / "go").touch()
        with pytest.raises(tavli.WorkerLost, match="block 3 was lost") as caught:
            next(found)
    assert came == [(n, sums(n)) for n in range(3)]
    assert caught.value.block == 3
    assert "checkpoint" in str(caught.value)
    assert type(caught.value.__cause__).__name__ in ("BrokenProcessPool", "TerminatedWorkerError")


def test_a_lost_worker_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(tavli.WorkerLost(3, "killed")))
    assert (error.block, error.reason) == (3, "killed")
    assert str(error) == str(tavli.WorkerLost(3, "killed"))


def test_a_killed_worker_of_a_cluster_loses_nothing(
    client: distributed.Client, tmp_path: Path
) -> None:
    client.wait_for_workers(2)
    found = in_order(Gated(tmp_path, first=3), range(12), client)
    came = [next(found) for _ in range(3)]
    wait_for(tmp_path / "begun 3")
    pid = int((tmp_path / "begun 3").read_text())
    assert pid in client.run(os.getpid).values()
    os.kill(pid, signal.SIGKILL)
    (tmp_path / "go").touch()
    came += found
    assert came == [(n, sums(n)) for n in range(12)]
    assert int((tmp_path / "begun 3").read_text()) != pid


def test_a_block_that_kills_every_worker_of_a_cluster(
    client: distributed.Client, tmp_path: Path
) -> None:
    def allow(failures: int, dask_scheduler: Any) -> int:
        before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, failures
        return before

    client.wait_for_workers(2)
    before = client.run_on_scheduler(allow, 0)
    found = in_order(Gated(tmp_path, first=2, ends=True), range(3), client)
    assert [next(found) for _ in range(2)] == [(n, sums(n)) for n in range(2)]
    (tmp_path / "go").touch()
    came, error = until_error(found)
    client.run_on_scheduler(allow, before)
    assert came == []
    assert isinstance(error, tavli.WorkerLost)
    assert error.block == 2
    assert isinstance(error.__cause__, distributed.KilledWorker)


# --- what cannot be sent --------------------------------------------------------------------------


def test_work_that_processes_cannot_have(processes: Executor) -> None:
    taken: list[int] = []
    with pytest.raises(TypeError, match=r"<lambda>.* cannot be sent.*function of a module"):
        in_order(lambda block: block, (taken.append(n) or n for n in count()), processes)
    assert taken == []


def test_work_that_loky_cannot_have(reusable: Executor) -> None:
    held = threading.Lock()
    came, error = until_error(in_order(lambda block: held, range(3), reusable))
    assert came == []
    assert type(error) is TypeError
    assert "cannot be sent to another process" in str(error)
    # it sends more than the standard library
    assert list(in_order(lambda block: -block, range(3), reusable)) == [(0, 0), (1, -1), (2, -2)]


def test_work_that_a_cluster_cannot_have(client: distributed.Client) -> None:
    held = threading.Lock()
    with pytest.raises(TypeError, match=r"<lambda>.* cannot be sent.*function of a module"):
        in_order(lambda block: held, [1], client)
    assert list(in_order(lambda block: -block, range(3), client)) == [(0, 0), (1, -1), (2, -2)]


@pytest.mark.parametrize("name", ["processes", "reusable", "client"])
def test_results_that_cannot_be_sent(request: pytest.FixtureRequest, name: str) -> None:
    came, error = until_error(in_order(lock_of, range(3), request.getfixturevalue(name)))
    assert came == []
    assert type(error) is TypeError
    assert "pickle" in str(error)
    assert error.__notes__[-1] == "block 0"


# --- what is no executor --------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["4", 2.0, ThreadPoolExecutor, [], object()])
def test_what_is_no_executor(given: Any) -> None:
    with pytest.raises(TypeError, match=r"None, a number of threads, a concurrent.*got "):
        in_order(sums, [1], given)


@pytest.mark.parametrize("given", [True, np.True_])
def test_a_truth_value_is_no_number_of_threads(given: Any) -> None:
    with pytest.raises(TypeError, match="executor must be"):
        in_order(sums, [1], given)


@pytest.mark.parametrize("given", [0, -1, 1025])
def test_a_wrong_number_of_threads(given: int) -> None:
    with pytest.raises(ValueError, match=f"executor must be 1 to 1024, got {given}"):
        in_order(sums, [1], given)


def test_an_asynchronous_client(cluster: distributed.LocalCluster) -> None:
    async def refused() -> str:
        async with distributed.Client(cluster.scheduler_address, asynchronous=True) as client:
            with pytest.raises(TypeError) as caught:
                in_order(sums, [1], client)
        return str(caught.value)

    assert "without asynchronous=True" in asyncio.run(refused())


def test_a_closed_client(cluster: distributed.LocalCluster) -> None:
    with distributed.Client(cluster) as client:
        pass
    with pytest.raises(ValueError, match="is closed; give a connected one"):
        in_order(sums, [1], client)


def test_a_client_that_is_closed_on_the_way(
    cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    with distributed.Client(cluster) as client:
        found = in_order(Gated(tmp_path, first=1), count(), client)
        assert next(found) == (0, sums(0))
    came, error = until_error(found)
    (tmp_path / "go").touch()
    assert came == []
    assert isinstance(error, tavli.WorkerLost)
    assert error.block == 1


def test_an_executor_that_tells_no_sensible_size() -> None:
    """All blocks are computed."""
    with ThreadPoolExecutor(1) as pool:
        for told in (-1, 0, None, "many"):
            other = Odd(pool, told)
            assert list(in_order(abs, [1, -2, 3], other)) == [(1, 1), (-2, 2), (3, 3)]


class Odd(Executor):
    """Works like another one, and says nonsense of itself."""

    def __init__(self, pool: Executor, workers: object) -> None:
        self.pool, self._max_workers = pool, workers

    def submit(self, *given: Any, **named: Any) -> Future[Any]:
        return self.pool.submit(*given, **named)


def test_any_object_may_name_a_block() -> None:
    """Also none at all."""
    assert list(in_order(str, [None, 1], 2)) == [(None, "None"), (1, "1")]
