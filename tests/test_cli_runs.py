"""The commands that play many games."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tavli_fast as tavli
from tavli_fast.cli.commands import commands


def run(*arguments: object) -> Result:
    """One command in this process."""
    return CliRunner().invoke(commands, [str(argument) for argument in arguments])


def output(*arguments: object) -> str:
    """What a command prints; it has to succeed."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: object) -> str:
    """The one line of a command that fails."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    return result.output.strip().splitlines()[-1]


def test_a_rollout_as_text_and_json() -> None:
    """The same figures as from Python."""
    found = tavli.rollout(tavli.variant("narde").start(), games=1500, seed=4, policy="random")
    arguments = ("rollout", "narde", "start", "--games", 1500, "--seed", 4, "--policy", "random")
    assert output(*arguments) == found.table() + "\n"
    assert json.loads(output(*arguments, "--json")) == found.as_dict()


def test_a_ranking() -> None:
    """The best play first."""
    text = output("rollout", "portes", "start", "31", "--games", 1296, "--seed", 1, "--threads", 2)
    lines = text.splitlines()
    assert len(lines) == 17
    assert lines[1].split()[:3] == ["1", "8/5", "6/5"]
    found = json.loads(output("rollout", "portes", "start", "31", "--seed", 1, "--json"))
    equities = [play["equity"] for play in found["plays"]]
    assert equities == sorted(equities, reverse=True)
    assert found["games"] == 1296


def test_options_reach_the_rollout() -> None:
    """Each leaves its mark."""
    found = json.loads(
        output(
            *("rollout", "fevga", "start", "--games", 5000, "--seed", 2, "--json", "--luck"),
            *("--plies", 3, "--evaluator", "pips", "--policy", "random", "--opponent", "pips"),
            *("--stop-se", 0.5, "--min-games", 1300, "--races", "--set", "total_block=free"),
        )
    )
    assert (found["games"], found["stopped"], found["truncated"]) == (2592, "stderr", 2592)
    run = found["run"]
    assert (run["policy"], run["opponent"], run["evaluator"]) == ("random", "pips", "pips")
    assert (run["luck"], run["races"], run["plies"]) == (True, True, 3)
    assert tavli.Position.from_id(run["position"]).rules.total_block == "free"


def test_a_rollout_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    """The blocks that are kept are not played again."""
    kept = tmp_path / "run.npz"
    arguments = ("rollout", "portes", "start", "--seed", 3, "--checkpoint", kept, "--games")
    output(*arguments, 2592)
    before = kept.read_bytes()
    assert output(*arguments, 2592) == output(
        "rollout", "portes", "start", "--seed", 3, "--games", 2592
    )
    output(*arguments, 3888)
    assert kept.read_bytes() != before
    assert "is of another run" in refused(
        "rollout", "portes", "start", "--seed", 4, "--checkpoint", kept
    )


def test_a_duel_as_text_and_json() -> None:
    """Of one variant, and of matches."""
    found = tavli.duel("plakoto", "pips", "random", games=400, seed=4)
    arguments = ("duel", "plakoto", "pips", "random", "--games", 400, "--seed", 4)
    assert output(*arguments) == found.table() + "\n"
    assert json.loads(output(*arguments, "--json")) == found.as_dict()
    matches = output("duel", "tavli", "pips", "random", "--games", 20, "--target", 3)
    assert "matches won" in matches


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rollout", "portes", "start", "--policy", "best"), "there is no policy 'best'"),
        (("rollout", "portes", "start", "--games", 0), "games must be 1 to"),
        (("rollout", "portes", "start", "77"), "die is 1 to 6"),
        (("rollout", "portes", "own: 6; opp: "), "the game is over"),
        (("rollout", "portes", "start", "--threads", 0), "executor must be 1 to"),
        (("rollout", "portes", "start", "--plies", 3, "--policy", "random"), "need an evaluator"),
        (("rollout", "crazy_narde", "start", "--races"), "no exact race value"),
        (("duel", "portes", "pips", "random", "--games", 3), "games must be even"),
        (("duel", "tavli", "pips", "pips", "--set", "contact=pin"), "has no switches of its own"),
        (("duel", "chess", "pips", "pips"), "chess"),
    ],
)
def test_errors_are_one_line(arguments: tuple[object, ...], message: str) -> None:
    """They say what was wrong."""
    assert message in refused(*arguments)


def test_a_picture_of_the_convergence(tmp_path: Path) -> None:
    """Of a rollout and of a ranking."""
    for dice in ((), ("65",)):
        file = tmp_path / f"{len(dice)}.svg"
        output("rollout", "fevga", "start", *dice, "--games", 2592, "--seed", 1, "--plot", file)
        assert file.read_text("utf-8").rstrip().endswith("</svg>")


def test_a_picture_without_matplotlib_is_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The extra is named."""
    for module in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    line = refused(
        "rollout", "fevga", "start", "--games", 10**9, "--plot", tmp_path / "picture.svg"
    )
    assert "tavli_fast[plot]" in line


def test_a_cluster_without_dask_is_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The extra is named."""
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    line = refused("rollout", "fevga", "start", "--games", 10**9, "--scheduler", "tcp://host:1")
    assert "tavli_fast[cluster]" in line


def test_ctrl_c_shows_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the exit code of an interrupted command."""

    @contextmanager
    def interrupts(what: str) -> Iterator[object]:
        def tell(done: int, total: int) -> None:
            raise KeyboardInterrupt

        yield tell

    monkeypatch.setattr("tavli_fast.cli.runs.rich_progress", interrupts)
    result = run("rollout", "fevga", "start", "--games", 10**6, "--seed", 1)
    assert result.exit_code == 130
    assert "equity" in result.output
    assert "interrupted after 1,296 games" in result.output
