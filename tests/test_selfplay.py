"""Games of policies against each other, and the files they are kept in."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import tavli_fast as tavli
from tavli_fast.cli.commands import commands
from tavli_fast.support.archives import read_archive
from tavli_fast.support.parquet import write_table


def assert_one_game(variant: tavli.Variant, seed: int, played: tavli.Decisions) -> None:
    """The decisions are those of a ``Game``, from its start to its end."""
    game = tavli.Game(variant, seed=seed, number=played.number)
    for row, dice, end, player in zip(*played[1:5], strict=True):
        if game.dice is None:
            game.roll()
        assert game.player == player
        assert game.position.row.tolist() == row.tolist()
        assert game.dice == tuple(dice.tolist())
        ends = [play.next.row.tolist() for play in game.plays]
        game.play(ends.index(end.tolist()) if ends else "pass")
    assert game.outcome is not None
    winner = {0: None, 1: 0, -1: 1}[int(np.sign(played.points))]
    assert game.outcome[:2] == (winner, abs(played.points))


@pytest.mark.parametrize("name", ["portes", "plakoto", "crazy_narde", "narde_balanced"])
def test_decisions_are_those_of_games(name: str) -> None:
    """Each wanted game once, whole, whatever the policies."""
    variant = tavli.variant(name)
    played = list(tavli.selfplay(variant, 9, policy="pips", opponent="random", seed=3))
    assert sorted(one.number for one in played) == list(range(9))
    for one in played:
        assert_one_game(variant, 3, one)


def test_the_games_do_not_depend_on_how_many_are_wanted() -> None:
    """Game k is the same among 300 as among 3."""
    few = {one.number: one for one in tavli.selfplay("fevga", 3, policy="random", seed=8)}
    many = {one.number: one for one in tavli.selfplay("fevga", 300, policy="random", seed=8)}
    assert len(many) == 300
    for number, one in few.items():
        assert np.array_equal(one.ends, many[number].ends)


def test_policies_keep_to_their_sides() -> None:
    """The better one wins from either."""
    for policy, opponent, sign in (("pips", "random", 1), ("random", "pips", -1)):
        played = tavli.selfplay("portes", 40, policy=policy, opponent=opponent, seed=1)
        assert sum(np.sign(one.points) * sign for one in played) > 30


def test_noise_changes_games_and_is_reproducible() -> None:
    """The same noise for the same seed."""
    runs = [
        [one.ends.tobytes() for one in tavli.selfplay("portes", 5, seed=2, noise=noise)]
        for noise in (0.0, 0.2, 0.2)
    ]
    assert runs[1] == runs[2]
    assert runs[0] != runs[1]


def test_values_belong_to_the_mover() -> None:
    """The winner's decisions are worth what he won."""
    (one,) = tavli.selfplay("plakoto", 1, seed=4)
    assert (one.values[one.players == 0] == one.points).all()
    assert (one.values[one.players == 1] == -one.points).all()
    follows = [(np.array_equal(a, b)) for a, b in pairwise([*one.rows, one.ends[-1]])]
    assert not all(follows)


def test_refused_arguments() -> None:
    """At once, not when the first game is asked for."""
    with pytest.raises(ValueError, match="games must be 1 to"):
        tavli.selfplay("portes", 0, seed=1)
    with pytest.raises(ValueError, match="seed must be"):
        tavli.selfplay("portes", 1, seed=-1)
    with pytest.raises(ValueError, match="there is no policy"):
        tavli.selfplay("portes", 1, policy="best", seed=1)
    for policy in ("pips", "random"):
        with pytest.raises(ValueError, match="noise must be at least 0"):
            tavli.selfplay("portes", 1, policy=policy, noise=-1, seed=1)


# --- files ----------------------------------------------------------------------------------------


def run(*arguments: object) -> str:
    """What a command prints; it has to succeed."""
    result = CliRunner().invoke(commands, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_selfplay_to_records(tmp_path: Path) -> None:
    """One file a game, each a record that loads."""
    for _ in range(2):  # a folder that is there is used
        run("selfplay", "gul_bara", "--games", 12, "--seed", 5, "--out", tmp_path / "games")
    files = sorted((tmp_path / "games").iterdir())
    assert [file.name for file in files] == [f"{k:02d}.jsonl" for k in range(12)]
    played = {one.number: one for one in tavli.selfplay("gul_bara", 12, seed=5)}
    for number, file in enumerate(files):
        game = tavli.load(file)
        assert len(game.history) == len(played[number].rows)
        assert_one_game(game.variant, game.seed, played[number])


def test_selfplay_to_parquet(tmp_path: Path) -> None:
    """All decisions of all games, and what rules they were played by."""
    file = tmp_path / "games.parquet"
    run("selfplay", "portes", "--games", 7, "--policy", "random", "--out", file)
    table = pyarrow.parquet.read_table(file)
    played = list(tavli.selfplay("portes", 7, policy="random", seed=0))
    assert table.column_names == ["game", "ply", "player", "row", "dice", "end", "points"]
    assert table.schema.metadata[b"variant"] == b"portes"
    assert np.array_equal(
        np.array(table["row"].to_pylist()), np.concatenate([one.rows for one in played])
    )
    assert table["points"].to_pylist() == np.concatenate([one.values for one in played]).tolist()


def test_sample_to_files(tmp_path: Path) -> None:
    """The same decisions as ``Variant.sample``, in both kinds of file and as text."""
    rows, dice = tavli.variant("narde").sample(200, 3)
    for kind in (".npz", ".parquet"):
        run("sample", "narde", "-n", 200, "--seed", 3, "--out", tmp_path / f"some{kind}")
    about, arrays = read_archive(tmp_path / "some.npz")
    assert about["variant"] == "narde"
    assert np.array_equal(arrays["rows"], rows)
    assert np.array_equal(arrays["dice"], dice)
    table = pyarrow.parquet.read_table(tmp_path / "some.parquet")
    assert np.array_equal(np.array(table["row"].to_pylist()), rows)
    first = run("sample", "narde", "-n", 5, "--seed", 3).splitlines()[0]
    position, _, roll = first.partition(" ")
    assert tavli.Position.from_id(position).row.tolist() == rows[0].tolist()
    assert roll == f"{dice[0][0]}-{dice[0][1]}"


def test_files_of_unknown_kinds_are_refused(tmp_path: Path) -> None:
    """Before anything is played."""
    for command in ("sample", "selfplay"):
        arguments = [command, "portes", "--out", str(tmp_path / "some.csv")]
        result = CliRunner().invoke(commands, arguments)
        assert result.exit_code == 2
        assert "has to end in" in result.output
    assert not list(tmp_path.iterdir())


def test_a_table_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    """An error on the way leaves nothing behind; parts are grouped."""
    file = tmp_path / "some.parquet"

    def parts(fail: bool) -> object:
        for k in range(40):
            yield {"k": np.full(3000, k), "pair": np.zeros((3000, 2), dtype=np.int8)}
            if fail and k == 30:
                raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        write_table(file, {}, parts(True))
    assert not list(tmp_path.iterdir())
    write_table(file, {"seed": "1"}, parts(False))
    table = pyarrow.parquet.read_table(file)
    assert table.num_rows == 120_000
    assert table["k"].to_numpy().tolist() == np.repeat(np.arange(40), 3000).tolist()
    assert 1 < pyarrow.parquet.ParquetFile(file).num_row_groups < 5


def test_columns_have_one_or_two_axes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"an array \[n\] or \[n, k\]"):
        write_table(tmp_path / "some.parquet", {}, [{"cube": np.zeros((2, 2, 2))}])
    assert not list(tmp_path.iterdir())


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without pyarrow, before anything is played."""
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    for command in ("sample", "selfplay"):
        arguments = [command, "portes", "--out", str(tmp_path / "some.parquet")]
        result = CliRunner().invoke(commands, arguments)
        assert result.exit_code == 2
        assert "tavli_fast[parquet]" in result.output
