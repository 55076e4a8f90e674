"""What ``tavli-fast bench`` measures, prints and writes; how fast it is, is asserted nowhere."""

import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result

import tavli_fast as tavli
from tavli_fast.cli import commands
from tavli_fast.measure import benchmark, charts, other_programs
from tavli_fast.measure.benchmark import Spread, measure

Run = Callable[..., Result]
PORTES = tavli.variant("portes")
MODULES = [module for module, _ in other_programs.PEERS.values()]
SMALL = ("--decisions", "60", "--rounds", "3")
BULK = ("count, decisions/s", "plays, ends/s", "perft, nodes/s")
SINGLE = ("games, games/s", "plies, plies/s", "one position, microseconds")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As little work as there can be, and no peers but those that a test puts there."""
    monkeypatch.setattr(benchmark, "SECONDS", 0.0)
    monkeypatch.setattr(benchmark, "PERFT_DEPTH", 1)
    monkeypatch.setattr(benchmark, "PERFT_NODES", 1000)
    monkeypatch.setattr(benchmark, "RANDOM_GAMES", 2)
    monkeypatch.setattr(benchmark, "PEER_RANDOM_GAMES", 2)
    for module in MODULES:
        monkeypatch.setitem(sys.modules, module, None)


@pytest.fixture
def run() -> Run:
    # colours forced from outside would end up between the words
    runner = CliRunner(env={"FORCE_COLOR": None, "TTY_COMPATIBLE": None})
    return lambda *arguments: runner.invoke(commands.commands, ["bench", *arguments])


def table(result: Result) -> list[list[str]]:
    """The cells of the rows of a table."""
    assert result.exit_code == 0, result.output
    rows = result.output.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.split("  ") if cell.strip()] for row in rows]


def number(text: str) -> float:
    digits, _, unit = text.partition(" ")
    return float(digits) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[unit]


# --- stand-ins for other programs


def find_with(flaw: Callable[[list[Any]], list[Any]]) -> Callable[[list[int], int, int], list[Any]]:
    """``possible_moves`` of bgsage, made from our plays; a pass is the unchanged board."""

    def find(board: list[int], high: int, low: int) -> list[Any]:
        mover = sum(max(0, count) for count in board[1:26])
        opponent = board[0] + sum(max(0, -count) for count in board[1:25])
        row = np.array([*board, 15 - mover, 15 - opponent, 0, 0, 0, 0], dtype=np.int8)
        ends = PORTES.plays(row, (high, low)).rows
        return flaw(ends[:, :26].tolist() or [board])

    return find


class State:
    """A game that ends after three rolls."""

    def __init__(self) -> None:
        self.done = 0

    def is_terminal(self) -> bool:
        return self.done == 6

    def is_chance_node(self) -> bool:
        return self.done % 2 == 0

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(0, 0.25), (1, 0.75)]

    def legal_actions(self) -> list[int]:
        return [2, 3]

    def apply_action(self, action: int) -> None:
        assert action in ((0, 1) if self.is_chance_node() else (2, 3))
        self.done += 1


def put_module(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    module = ModuleType(name)
    vars(module).update(members)
    monkeypatch.setitem(sys.modules, name, module)


# --- figures


def test_figures_are_positive_and_finite() -> None:
    games = [tavli.variant(name) for name in benchmark.GAMES]
    report = measure(games, decisions=60, rounds=3)
    assert len(report.figures) == len(games) * len(benchmark.UNITS)
    for figure in report.figures:
        assert figure.unit == benchmark.UNITS[figure.name]
        assert len(figure.rounds) == 3
        assert all(math.isfinite(value) and value > 0 for value in figure.rounds)
        value = figure.value
        assert value.minimum <= value.median <= value.maximum
        assert {value.minimum, value.median, value.maximum} == set(figure.rounds)
        assert figure.ratio is None


@pytest.mark.parametrize(("name", "depth"), [("portes", 2), ("fevga", 3)])
def test_perft_goes_to_the_first_depth_with_nodes_enough(name: str, depth: int) -> None:
    variant = tavli.variant(name)
    assert measure([variant], decisions=1, rounds=1).perft_depths == {name: depth}
    assert variant.perft(depth) >= benchmark.PERFT_NODES > variant.perft(depth - 1)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every look at the clock is a second later."""
    seconds = iter(range(1_000_000))
    monkeypatch.setattr(benchmark, "perf_counter", lambda: float(next(seconds)))
    return


@pytest.mark.usefixtures("clock")
def test_figures_are_what_was_done_in_a_second() -> None:
    report = measure([PORTES], decisions=60, rounds=1, threads=2)
    found = {(f.name, f.threads): f.value.median for f in report.figures}
    rows, dice = PORTES.sample(60, seed=1)
    long_rows, _ = PORTES.sample(1000, seed=1)
    games = [i for i, row in enumerate(long_rows) if (row == PORTES.start_row()).all()]
    for threads in (1, 2):
        assert found["count", threads] == 60
        assert found["plays", threads] == len(PORTES.plays(rows, dice).rows)
        assert found["perft", threads] == PORTES.perft(2)
    assert found["games", 1] == 2
    assert found["plies", 1] == games[2]
    assert found["one position", 1] == pytest.approx(1e6 / 60)
    assert {f.threads: f.ratio for f in report.figures} == {1: None, 2: Spread(1.0, 1.0, 1.0)}


def test_a_timing_is_repeated_until_it_is_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 2.0])
    monkeypatch.setattr(benchmark, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(benchmark, "SECONDS", 1.5)
    done: list[int] = []
    assert benchmark._seconds(lambda: done.append(1)) == 1.0
    assert done == [1, 1]


# --- the table


def test_bench_measures_four_games_when_none_is_named(run: Run) -> None:
    rows = table(run(*SMALL))
    assert [row[:2] for row in rows] == [
        [game, what]
        for game in ("portes", "plakoto", "fevga", "narde")
        for what in (*BULK, *SINGLE)
    ]
    for row in rows:
        middle, low, high = map(number, row[2:])
        assert 0 < low <= middle <= high


def test_bench_compares_two_threads_with_one(run: Run) -> None:
    result = run("fevga", "tapa", *SMALL, "--threads", "2", "--set", "overshoot=never")
    rows = table(result)
    twice = tuple(f"{what}, 2 threads" for what in BULK)
    assert [row[:2] for row in rows] == [
        [game, what] for game in ("fevga", "tapa") for what in (*BULK, *twice, *SINGLE)
    ]
    for row in rows:
        if not row[1].endswith("threads"):
            assert len(row) == 5
            continue
        middle, low, _, high = row[5].replace("(", "").replace(")", "").split()
        assert number(low) <= number(middle) <= number(high)
    told = result.output.split("\n\n")[1].splitlines()
    assert told[0] == "ratio of 2 threads: to one thread"
    assert told[1] == ("variant('fevga', overshoot='never'); variant('tapa', overshoot='never')")
    assert told[2] == "60 decisions, 3 rounds in turns, perft to depth 3 (fevga), 2 (tapa)"
    assert "python" in told[3]
    assert "numpy" in told[3]


# --- JSON


def test_bench_writes_all_figures_as_json(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    result = run("portes", *SMALL, "--json", str(path))
    assert result.exit_code == 0
    written = json.loads(path.read_text(encoding="utf-8"))
    report = measure([PORTES], decisions=60, rounds=3)
    expected = json.loads(json.dumps(asdict(report)))
    assert [*written] == [*expected]
    for name in ("variants", "decisions", "rounds", "threads", "perft_depths"):
        assert written[name] == expected[name]
    assert written["machine"] == benchmark.machine()
    assert all(written["machine"].values())
    assert written["date"].count("-") == 2
    assert [(f["name"], [*f]) for f in written["figures"]] == [
        (f["name"], [*f]) for f in expected["figures"]
    ]
    assert all(f["value"]["median"] > 0 for f in written["figures"])


def test_the_compiler_is_the_one_of_the_kernels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kernel = tmp_path / "engine.so"
    monkeypatch.setattr(benchmark, "find_spec", lambda name: SimpleNamespace(origin=str(kernel)))
    kernel.write_bytes(b"\0\1GCC: (Debian 12.2.0-14) 12.2.0\0\2")
    assert benchmark._compiler() == "GCC (Debian 12.2.0-14) 12.2.0"
    kernel.write_bytes(b"\0clang version 17.0.1\0")
    assert benchmark._compiler() == "clang version 17.0.1"
    kernel.write_bytes(b"\0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert benchmark._compiler() == "unknown"
    gcc = tmp_path / "gcc"
    gcc.write_text("#!/bin/sh\necho gcc 12\necho more\n")
    gcc.chmod(0o755)
    assert benchmark._compiler() == "gcc 12 (installed here)"


# --- peers


def test_peers_that_are_not_installed_are_skipped_with_a_line(run: Run) -> None:
    result = run("portes", *SMALL, "--peers")
    assert len(table(result)) == len(benchmark.UNITS)
    for name in other_programs.PEERS:
        [line] = [line for line in result.output.splitlines() if line.startswith(name)]
        assert "is skipped" in line
        assert f"pip install {name}" in line


def test_a_peer_is_checked_and_compared(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    put_module(monkeypatch, "bgsage", possible_moves=find_with(lambda ends: ends))
    result = run("plakoto", "portes", *SMALL, "--peers")
    rows = [row for row in table(result) if row[1].startswith("bgsage")]
    assert [row[:2] for row in rows] == [
        ["portes", f"bgsage: {what}"]
        for what in ("count, decisions/s", "plays, ends/s", "one position, microseconds")
    ]
    assert all(len(row) == 6 for row in rows)
    assert ": the same number of plays in all 60 decisions" in result.output
    assert "ratio of a peer: how many times as fast tavli_fast is" in result.output


@pytest.mark.usefixtures("clock")
def test_ratios_of_a_peer_say_how_many_times_as_fast_we_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twice = find_with(lambda ends: ends + [[0, *end[1:25], end[25] + 1] for end in ends])
    put_module(monkeypatch, "bgsage", possible_moves=twice)
    report = measure([PORTES], decisions=2500, rounds=1, peers=True)
    found = {f.name: f for f in report.figures if f.program == "bgsage"}
    ours = {f.name: f for f in report.figures if f.program == "tavli_fast"}
    for name, ratio in (
        ("count", ours["count"].value.median / found["count"].value.median),
        ("plays", ours["plays"].value.median / found["plays"].value.median),
        ("one position", 1.0),
    ):
        assert found[name].ratio == Spread(*[pytest.approx(ratio)] * 3)
    assert found["count"].value.median == 2000
    assert report.checks[0].decisions == 2000


def test_a_disagreement_is_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    put_module(monkeypatch, "bgsage", possible_moves=find_with(lambda ends: ends[:3]))
    result = run("portes", *SMALL, "--peers")
    rows, dice = PORTES.sample(60, seed=1)
    counts = PORTES.count(rows, dice)
    wrong = [i for i, plays in enumerate(counts) if plays > 3]
    assert len(table(result)) == len(benchmark.UNITS) + 3
    assert (
        f": ANOTHER number of plays in {len(wrong)} of 60 decisions, first in decision "
        f"{wrong[0]}: 3, tavli_fast {counts[wrong[0]]}"
    ) in result.output
    report = measure([PORTES], decisions=60, rounds=1, peers=True)
    assert [vars(d) for d in report.checks[0].disagreements] == [
        {"decision": i, "ours": counts[i], "theirs": 3} for i in wrong
    ]


def test_the_same_end_twice_is_one_play(monkeypatch: pytest.MonkeyPatch) -> None:
    put_module(monkeypatch, "bgsage", possible_moves=find_with(lambda ends: ends + ends))
    report = measure([PORTES], decisions=60, rounds=1, peers=True)
    assert report.checks[0].disagreements == []


def test_gnubg_nn_is_asked_in_its_own_form(monkeypatch: pytest.MonkeyPatch) -> None:
    def moves(board: tuple[list[int], list[int]], high: int, low: int) -> list[str]:
        opponent, mover = board
        points = [mine - his for mine, his in zip(mover[:24], opponent[23::-1], strict=True)]
        found = find_with(lambda ends: ends)([opponent[24], *points, mover[24]], high, low)
        # a key for each end, and none for a pass
        return [repr(end) for end in found if end[1:25] != points or end[25] != mover[24]]

    put_module(monkeypatch, "gnubg_nn", moves=moves)
    report = measure([PORTES], decisions=300, rounds=1, peers=True)
    [check] = report.checks
    assert (check.program, check.decisions, check.disagreements) == ("gnubg-nn", 300, [])


def test_a_peer_that_plays_games(monkeypatch: pytest.MonkeyPatch) -> None:
    game = SimpleNamespace(new_initial_state=State)
    put_module(monkeypatch, "pyspiel", load_game={"backgammon": game}.__getitem__)
    report = measure([PORTES], decisions=60, rounds=1, peers=True)
    found = {f.name: f.value.median for f in report.figures if f.program == "open_spiel"}
    assert [*found] == ["games", "plies"]
    assert found["plies"] == pytest.approx(3 * found["games"])
    assert report.with_peers
    assert report.checks == []


# --- the chart


@pytest.mark.parametrize("with_peer", [False, True])
def test_the_chart_is_an_svg(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, with_peer: bool
) -> None:
    if with_peer:
        put_module(monkeypatch, "bgsage", possible_moves=find_with(lambda ends: ends))
    path = tmp_path / "bench.svg"
    assert run("portes", "fevga", *SMALL, "--peers", "--plot", str(path)).exit_code == 0
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set(charts.TITLES.values()) <= set(texts)
    assert texts.count("portes") == texts.count("fevga") == len(charts.TITLES)
    assert texts.count("portes, bgsage") == (3 if with_peer else 0)


def test_a_chart_without_matplotlib_is_refused_before_the_work(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(benchmark, "measure", None)
    path = tmp_path / "bench.svg"
    result = run("portes", "--plot", str(path))
    assert result.exit_code == 2
    [line] = result.output.splitlines()
    assert line.startswith("Error: a chart needs matplotlib")
    assert "pip install 'tavli_fast[plot]'" in line
    assert not path.exists()


def test_short_numbers() -> None:
    assert [charts._short(x) for x in (1.234e9, 56.78e6, 9876.0, 0.3456, 12.0)] == [
        "1.23 G",
        "56.8 M",
        "9.88 k",
        "0.346",
        "12",
    ]


# --- errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fevga", "--threads", "0"], "threads must be 1 to"),
        (["fevga", "fevga"], "a variant is named twice"),
        (["fevga", "--peers"], "peers are compared in portes"),
        (["fevga", "--json", "no/such/folder/bench.json"], "there is no folder no/such/folder"),
        (["fevga", "--plot", "no/such/folder/bench.svg"], "there is no folder no/such/folder"),
    ],
)
def test_errors(run: Run, arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output.replace("\n", " ")
