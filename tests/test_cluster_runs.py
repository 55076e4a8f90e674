"""Rollouts and duels anywhere: the same results bit for bit, also when a worker dies."""

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import distributed
import loky
import pytest
from click.testing import CliRunner

import tavli_fast as tavli
from tavli_fast.cli.commands import commands

BLOCK = 1296
RUN = {"games": 12 * BLOCK, "seed": 2**63 + 5, "luck": False}


@pytest.fixture
def cluster() -> Iterator[distributed.LocalCluster]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as started:
        yield started


@pytest.fixture(scope="module")
def whole() -> tavli.Rollout:
    """What every way has to give."""
    return tavli.rollout(tavli.variant("plakoto").start(), **RUN)


def assert_the_same(found: tavli.Rollout, whole: tavli.Rollout) -> None:
    """All sums, and the floats that follow from them."""
    assert found == whole
    assert (found.equity, found.stderr) == (whole.equity, whole.stderr)
    assert found.history == whole.history


def test_a_killed_worker_of_a_cluster_loses_nothing(
    cluster: distributed.LocalCluster, whole: tavli.Rollout
) -> None:
    """One of two processes is killed after the first block."""
    with distributed.Client(cluster) as client:
        killed = []

        def kill_once(done: int, total: int) -> None:
            if not killed:
                killed.extend(client.run(os.getpid).values())
                os.kill(killed[0], signal.SIGKILL)

        found = tavli.rollout(
            tavli.variant("plakoto").start(), **RUN, executor=client, progress=kill_once
        )
        assert len(killed) == 2
    assert_the_same(found, whole)


def test_the_command_line_sends_to_a_cluster(cluster: distributed.LocalCluster) -> None:
    """By the address of the scheduler, with the same figures as here."""
    arguments = ["rollout", "fevga", "start", "65", "--games", "2600", "--seed", "3", "--json"]
    here, there = (
        CliRunner().invoke(commands, [*arguments, *more])
        for more in ((), ("--scheduler", cluster.scheduler_address))
    )
    assert here.exit_code == there.exit_code == 0
    assert json.loads(here.output) == json.loads(there.output)


def test_threads_and_processes_give_the_same(whole: tavli.Rollout) -> None:
    """Own threads, pools of the caller, loky."""
    start = tavli.variant("plakoto").start()
    assert_the_same(tavli.rollout(start, **RUN, executor=4), whole)
    with ThreadPoolExecutor(2) as pool:
        assert_the_same(tavli.rollout(start, **RUN, executor=pool), whole)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert_the_same(tavli.rollout(start, **RUN, executor=pool), whole)
    pool = loky.get_reusable_executor(2)
    assert_the_same(tavli.rollout(start, **RUN, executor=pool), whole)
    pool.shutdown()


def test_rankings_races_and_luck_in_processes() -> None:
    """All that a job can hold can be sent."""
    position = tavli.Position.parse("portes", own="8 6*5 5*4 4*3", opp="24*5 20*5 17 16")
    for options in (
        {"dice": (3, 1), "races": True},
        {"luck": True, "plies": 4, "policy": "pips+races"},
        {
            "policy": tavli.Network(
                [([[0.01]] * 52, [0.0])], scheme="raw", hidden="relu", output="tanh"
            )
        },
    ):
        here = tavli.rollout(position, games=2 * BLOCK, seed=8, **options)
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            there = tavli.rollout(position, games=2 * BLOCK, seed=8, executor=pool, **options)
        assert here == there


def test_what_cannot_be_sent_is_named() -> None:
    """A lambda as a policy, before anything is played."""
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(TypeError, match="cannot be sent to another process"),
    ):
        tavli.rollout(
            tavli.variant("portes").start(),
            games=10,
            seed=1,
            policy=lambda rows: rows[:, 26],
            executor=pool,
        )
