"""The commands about races and their tables."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tavli_fast as tavli
from tavli_fast.cli import commands
from tavli_fast.engine import bearoff
from tavli_fast.rules.presets import make_rules

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    runner = CliRunner(env={"FORCE_COLOR": None, "TTY_COMPATIBLE": None})
    return lambda *arguments: runner.invoke(commands.commands, arguments)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, in a process that knows no table."""
    monkeypatch.setenv("TAVLI_FAST_CACHE", str(tmp_path))
    monkeypatch.setattr(bearoff, "_TABLES", {})
    monkeypatch.setattr(bearoff, "_TWO_SIDED", {})
    return tmp_path


def test_race_prints_both_sides(run: Run) -> None:
    result = run("race", "portes", "own: 6; opp: 24*15")
    assert result.exit_code == 0
    lines = [line.split() for line in result.output.splitlines()]
    race = tavli.Position.parse("portes", own="6", opp="24*15").race()
    assert ["pips", "6", "15"] in lines
    assert ["turns,", "mean", "1.2500", f"{race.opp_turns:.4f}"] in lines
    assert ["wins", "100.0000%", "0.0000%"] in lines
    assert ["wins,", "loser", "has", "none", "off", "75.0000%", "0.0000%"] in lines
    assert ["equity", "+1.75000", "-1.75000"] in lines


def test_race_of_a_changed_variant_as_json(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "race.json"
    arguments = ["race", "fevga", "own: 1; opp: 13", "--set", "overshoot=never"]
    assert run(*arguments, "--json", str(file)).exit_code == 0
    found = json.loads(file.read_text())
    pos = tavli.Position.from_id(found.pop("position"))
    assert pos.rules.overshoot == "never"
    assert found == pos.race()._asdict()
    assert found["win"] == pytest.approx(11 / 36 / (1 - (25 / 36) ** 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["race", "portes", "start"], "row 0: no race, the sides can still meet"),
        (["race", "crazy_narde", "start"], "no exact race value with unplayed=opponent_plays"),
        (["race", "portes", "own: 6; opp: 24", "--json", "/no/where/x"], "no folder /no/where"),
        (["bearoff", "build", "narde_balanced"], "balancing_turn=second_player"),
        (["bearoff", "build", "portez"], "did you mean 'portes'?"),
    ],
)
def test_errors_are_one_line(run: Run, arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    last = result.output.splitlines()[-1]
    assert last.startswith("Error: ")
    assert message in last


def test_tables_are_built_listed_and_deleted(run: Run, folder: Path) -> None:
    assert run("bearoff", "info").output == f"folder: {folder}\n"
    built = run("bearoff", "build", "fevga", "gul_bara")
    assert built.output.splitlines() == [
        "rearmost-free-higher-four: done",
        "rearmost-free-higher-cascade: done",
    ]
    lines = run("bearoff", "info").output.splitlines()
    one, two, cascade = (line.split() for line in lines[3:])
    assert one[:2] == ["rearmost-free-higher-four", "1"]
    assert one[3:6] == ["portes,", "portes_kafenio,", "tavla,"]
    found = bearoff.errors(make_rules("portes", {}))
    assert two[:2] == ["rearmost-free-higher-four", "2"]
    assert two[3:5] == [f"{found.largest:.5f}", f"{found.mean:.5f}"]
    assert cascade[-1] == "gul_bara"
    assert run("bearoff", "clear").output == f"4 files deleted from {folder}\n"
    assert list(folder.iterdir()) == []


def test_all_tables_that_presets_need(run: Run, folder: Path) -> None:
    assert run("bearoff", "build").exit_code == 0
    assert len(bearoff.stored()) == 3


def test_no_folder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tavli_fast.support.cache.folder", lambda: None)
    assert run("bearoff", "info").output.startswith("folder: none: install platformdirs")
