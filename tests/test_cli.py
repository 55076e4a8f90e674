"""The commands: what they print, and how they refuse."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from games import state

import tavli_fast as tavli
from tavli_fast.cli import commands
from tavli_fast.policies.choose import compared_values
from tavli_fast.rules.presets import PRESETS
from tavli_fast.rules.switches import SWITCHES
from tavli_fast.writing import text_board

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    # colours forced from outside would end up between the words
    runner = CliRunner(env={"FORCE_COLOR": None, "TTY_COMPATIBLE": None})
    return lambda *arguments, typed=None: runner.invoke(commands.commands, arguments, input=typed)


def python(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


def fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("  ") if field.strip()]


# --- perft


def test_perft_prints_nodes_seconds_and_rate(run: Run) -> None:
    result = run("perft", "portes", "2")
    assert result.exit_code == 0
    names, figures = zip(*(line.split() for line in result.output.splitlines()), strict=True)
    assert names == ("nodes", "seconds", "nodes/s")
    assert figures[0] == "202,782"
    assert float(figures[1]) >= 0
    assert int(figures[2].replace(",", "")) > 0


def test_perft_of_a_large_number(run: Run) -> None:
    assert "116,154,993" in run("perft", "portes", "3", "--threads", "2").output


def test_perft_divide_gives_the_rolls_and_the_total(run: Run) -> None:
    lines = run("perft", "portes", "2", "--divide").output.splitlines()
    rolls = {line.split()[0]: int(line.split()[1].replace(",", "")) for line in lines[:21]}
    expected = tavli.variant("portes").perft(2, divide=True)
    assert rolls == {f"{high}{low}": nodes for (high, low), nodes in expected.items()}
    assert lines[21].split() == ["total", "202,782"]


def test_perft_from_a_position_and_with_switches(run: Run) -> None:
    text = "own: 24; opp: 15*2 1*13"
    starts = [
        tavli.Position.from_text(tavli.variant("portes", single_die=single_die), text)
        for single_die in ("higher", "either")
    ]
    nodes = [pos.variant.perft(1, pos) for pos in starts]
    assert nodes[0] != nodes[1]
    found = [
        run("perft", "portes", "1", "--position", text, *more).output.split()[1]
        for more in ((), ("--set", "single_die=either"))
    ]
    assert found == [str(n) for n in nodes]


SHOWS_BAR_AFTER = """
from tavli_fast.cli.commands import commands
from tavli_fast.support import progress
progress.BAR_AFTER = {}
commands()
"""


def test_perft_shows_no_bar_in_a_pipe() -> None:
    code = SHOWS_BAR_AFTER.format(0)
    done = python("-c", code, "perft", "plakoto", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert "708,405" in done.stdout


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals here")
@pytest.mark.parametrize(("after", "shown"), [("0", True), ("60", False)])
def test_perft_shows_a_bar_on_a_terminal_when_it_takes_long(after: str, shown: bool) -> None:
    ours, theirs = os.openpty()
    code = SHOWS_BAR_AFTER.format(after)
    done = subprocess.run(
        [sys.executable, "-c", code, "perft", "fevga", "2"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        check=True,
        env={**os.environ, "TERM": "xterm"},
    )
    # something to read even when nothing was shown
    os.write(theirs, b".")
    os.close(theirs)
    seen = os.read(ours, 1 << 16)
    os.close(ours)
    assert done.stdout.split()[0] == "nodes"
    assert (b"perft" in seen) is shown


# --- plays


@pytest.mark.parametrize("dice", [("6 5",), ("65",), ("6-5",), ("6,5",), ("5, 6",), ("6", "5")])
def test_plays_takes_dice_in_every_writing(run: Run, dice: tuple[str, ...]) -> None:
    result = run("plays", "portes", "start", *dice)
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "7 plays",
        "24/13",
        "24/18 13/8",
        "24/18 8/3",
        "13/7 13/8",
        "13/7 8/3",
        "13/2",
        "8/2 8/3",
    ]


def test_plays_of_one_play(run: Run) -> None:
    assert run("plays", "fevga", "start", "65").output == "1 play\n24/13\n"


def test_plays_of_a_row_given_as_integers(run: Run) -> None:
    row = " ".join(map(str, tavli.variant("portes").start_row().tolist()))
    assert run("plays", "portes", row, "65").output.startswith("7 plays\n24/13\n")


def test_plays_from_the_bar_and_off(run: Run) -> None:
    entering = run("plays", "portes", "own: bar 6*14; opp: 1*15", "62").output.splitlines()
    assert entering[1] == "bar/17"
    bearing_off = run("plays", "portes", "own: 6 4; opp: 24", "66").output
    assert bearing_off == "1 play\n6/off 4/off\n"


def test_a_pass(run: Run) -> None:
    closed = "own: bar; opp: 24*2 23*2 22*2 21*2 20*2 19*2"
    assert run("plays", "portes", closed, "65").output == "pass\n"


@pytest.mark.parametrize(
    ("game", "position", "outcome"),
    [
        ("portes", "own: ; opp: 1*15", "the mover wins 2 points"),
        ("portes", "own: ; opp: 1*14", "the mover wins 1 point"),
        ("portes", "own: 1*15; opp: ", "the mover loses 2 points"),
        ("plakoto", "own: 1*14; opp: 24*14; own_pinned: 24; opp_pinned: 1", "void, nobody scores"),
    ],
)
def test_a_finished_game_is_said_to_be_over(
    run: Run, game: str, position: str, outcome: str
) -> None:
    result = run("plays", game, position, "65")
    assert (result.exit_code, result.output) == (0, f"the game is over: {outcome}\n")


def test_switches_change_the_plays(run: Run) -> None:
    position = "own: 24; opp: 15*2"
    assert run("plays", "portes", position, "63").output == "1 play\n24/18\n"
    either = run("plays", "portes", position, "63", "--set", "single_die=either")
    assert either.output == "2 plays\n24/18\n24/21\n"


def test_switches_with_numbers_and_several_of_them(run: Run) -> None:
    result = run(
        "plays", "gul_bara", "start", "65", "--set", "cascade_grace=0", "--set", "overshoot=never"
    )
    assert result.exit_code == 0


# --- show and variants


def test_show_draws_the_start_or_a_position(run: Run) -> None:
    start = tavli.variant("fevga").start()
    assert run("show", "fevga").output == f"{start}\n"
    text = "own: 24*13 19 17; opp: 1*13 20; opp_pinned: 17"
    assert run("show", "plakoto", text).output == f"{tavli.Position.from_text('plakoto', text)}\n"
    standard = run("show", "plakoto", "--set", "layout=standard").output
    assert standard == f"{tavli.variant('portes').start()}\n"


def test_variants_lists_every_preset_and_what_differs(run: Run) -> None:
    lines = run("variants").output.splitlines()
    table = {fields(line)[0]: fields(line)[1:] for line in lines[2:]}
    assert list(table) == tavli.variants()
    assert table["portes"] == ["base", "layout=standard direction=contrary contact=hit"]
    assert table["narde_balanced"] == ["narde", "balancing_turn=second_player"]
    assert table["tapa"] == ["plakoto", "nothing"]


@pytest.mark.parametrize("name", PRESETS)
def test_a_variant_lists_every_switch_on_one_line(run: Run, name: str) -> None:
    lines = run("variants", name).output.splitlines()
    rules = tavli.variant(name).rules
    assert len(lines) == 2 + len(SWITCHES)
    for line, (switch, value) in zip(lines[2:], rules.items(), strict=True):
        meanings = SWITCHES[switch].values
        shown = fields(line)
        assert shown[:2] == [switch, str(value)]
        assert shown[2].startswith(f"{SWITCHES[switch].about}: {meanings[value]} (")
        assert all(f"{v}: {meaning}" in line for v, meaning in meanings.items() if v != value)


def test_plays_with_the_ids_of_the_next_position(run: Run) -> None:
    lines = run("plays", "plakoto", "start", "43", "--ids").output.splitlines()
    found = tavli.variant("plakoto").start().plays(4, 3)
    assert lines[1:] == [f"{play!s:11}  {play.next.id}" for play in found]
    closed = tavli.Position.parse("portes", "bar", "24*2 23*2 22*2 21*2 20*2 19*2")
    passed = run("plays", "portes", closed.id, "65", "--ids").output
    assert passed == f"pass  {closed.flip().id}\n"


def test_show_in_unicode_and_as_svg(run: Run, tmp_path: Path) -> None:
    start = tavli.variant("fevga").start()
    board = text_board.board(start.row, "parallel", unicode=True)
    path = tmp_path / "board.svg"
    assert run("show", "fevga", "--unicode", "--svg", str(path)).output == f"{board}\n"
    assert path.read_text("utf-8") == start.svg()
    missing = run("show", "fevga", "--svg", str(tmp_path / "no" / "board.svg"))
    assert "there is no folder" in missing.output


WRITINGS = ["id", "gnubg", "xgid", "row", "text"]


def written(pos: tavli.Position, kind: str) -> str:
    """A hitting position without pins in every writing."""
    own, opp = (
        " ".join(f"{p}*{n}" if n > 1 else f"{p}" for p, n in points.items())
        for points in (pos.own, pos.opp)
    )
    row = " ".join(map(str, pos.row.tolist()))
    text = f"own: {own}; opp: {opp}"
    return {"id": pos.id, "gnubg": pos.gnubg_id, "xgid": pos.xgid, "row": row, "text": text}[kind]


ASYMMETRIC = tavli.Position.parse("portes", own="24 13*2 8*2 6*9", opp="18 19 1*10")


@pytest.mark.parametrize("kind", WRITINGS)
@pytest.mark.parametrize("to", WRITINGS)
def test_convert_between_all_writings(run: Run, kind: str, to: str) -> None:
    text, more = written(ASYMMETRIC, kind), () if kind == "id" else ("--variant", "portes")
    for found in (
        run("convert", text, "--to", to, *more),
        run("convert", text, "--to", to, "--from", kind, *more),
    ):
        assert (found.exit_code, found.output) == (0, written(ASYMMETRIC, to) + "\n")


@pytest.mark.parametrize("kind", WRITINGS)
def test_positions_are_taken_in_all_writings(run: Run, kind: str) -> None:
    text = written(ASYMMETRIC, kind)
    assert run("show", "portes", text).output == f"{ASYMMETRIC}\n"
    assert (
        run("plays", "portes", text, "65").output
        == run("plays", "portes", written(ASYMMETRIC, "text"), "65").output
    )
    nodes = tavli.variant("portes").perft(1, ASYMMETRIC)
    assert f"{nodes:,}" in run("perft", "portes", "1", "--position", text).output


def test_convert_with_bar_and_pins_and_switches(run: Run) -> None:
    pinned = tavli.Position.parse("plakoto", own="24*13 19 17", opp="1*13 20", opp_pinned="17")
    text = "own: 24*13 19 17; opp: 20 1*13; opp_pinned: 17"
    assert run("convert", pinned.id, "--to", "text").output == f"{text}\n"
    assert run("convert", text, "--to", "id", "--variant", "plakoto").output == f"{pinned.id}\n"
    hit = tavli.Position.parse("backgammon", own="bar*2 6*3", opp="bar 24")
    assert run("convert", hit.xgid, "--to", "text").output == "own: bar*2 6*3; opp: bar 24\n"
    either = tavli.variant("portes", single_die="either").start().id
    found = run(
        "convert", "start", "--to", "id", "--variant", "portes", "--set", "single_die=either"
    )
    assert found.output == f"{either}\n"


# --- play


def boards(output: str) -> int:
    return output.count("O mover")


def test_a_whole_game_by_typed_plays(run: Run) -> None:
    """The first play is typed each time; the dice of the seed make the same game again."""
    game, typed = first_plays("portes", 5)
    typed.append("quit")
    result = run("play", "portes", "--seed", "5", "--policy", "first", typed="\n".join(typed))
    assert result.exit_code == 0
    assert boards(result.output) == len(game.history) + 1
    told = re.findall(r"^(you|the policy) ([1-6])-([1-6]): (.*)$", result.output, re.MULTILINE)
    assert told == [
        (("you", "the policy")[turn.player], *map(str, turn.dice), str(turn.play))
        for turn in game.history
    ]
    points = "1 point" if game.outcome.points == 1 else f"{game.outcome.points} points"
    winner = "the policy wins" if game.outcome.winner else "you win"
    assert f"the game is over: {winner} {points}" in result.output


@pytest.mark.parametrize("preset", ["plakoto", "crazy_narde"])
def test_hint_undo_save_and_quit(run: Run, preset: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = tavli.Game(preset, seed=3, starter=None)
    while game.player == 1:
        game.roll()
        game.play(0)
    game.roll()
    first, last = str(game.plays[0]), str(game.plays[len(game.plays) - 1])
    lines = [
        "undo",
        "hint",
        "nonsense",
        first,
        "undo",
        last,
        f"save {path}",
        "save",
        "quit",
        "hint",
    ]
    result = run("play", preset, "--seed", "3", "--policy", "first", typed="\n".join(lines))
    assert result.exit_code == 0
    assert "there is no play of yours to undo" in result.output
    assert "\n".join(map(str, game.plays)) in result.output
    assert "cannot read 'nonsense'" in result.output
    assert "cannot read 'save'" in result.output
    assert f"undone: {first}" in result.output
    assert f"saved in {path}" in result.output
    saved = tavli.load(path)
    assert isinstance(saved, tavli.Game)
    own = [str(turn.play) for turn in saved.history if turn.player == 0]
    assert own[0] == last
    assert saved.seed == 3


def test_a_finished_game_can_be_undone_and_saved(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game, typed = first_plays("tavla", 1)
    lines = "\n".join([*typed, "hint", f"save {path}", "undo"])
    result = run("play", "tavla", "--seed", "1", "--policy", "first", typed=lines)
    assert result.exit_code == 0
    assert "the game is over" in result.output
    assert "undone:" in result.output
    saved = tavli.load(path)
    assert isinstance(saved, tavli.Game)
    assert state(saved) == state(game)


def first_plays(preset: str, seed: int) -> tuple[tavli.Game, list[str]]:
    """A game of first plays on both sides, and those that player 0 has to type."""
    game, typed = tavli.Game(preset, seed=seed), []
    while game.outcome is None:
        if game.dice is None:
            game.roll()
        if game.player == 0 and game.plays:
            typed.append(str(game.plays[0]))
        game.play(0 if game.plays else "pass")
    return game, typed


def test_the_random_policy_of_a_seed_plays_the_same_again(run: Run) -> None:
    outputs = {run("play", "fevga", "--seed", str(seed)).output for seed in (1, 1, 2)}
    assert len(outputs) == 2
    assert "seed " in run("play", "fevga", typed="quit").output


def test_saving_where_that_cannot_be_goes_on(run: Run, tmp_path: Path) -> None:
    result = run("play", "fevga", "--seed", "1", typed=f"save {tmp_path}/no/game\nquit\n")
    assert result.exit_code == 0
    assert "No such file" in result.output


# --- errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plays", "portes", "start", "70"], "a die is 1 to 6"),
        (["plays", "portes", "start", "six"], "'six' is no roll"),
        (["plays", "portes", "start", "6", "5", "4"], "'6 5 4' is no roll"),
        (["plays", "portes", "own: 25; opp: 1", "65"], "'25' is neither a point"),
        (["plays", "portes", "own: 6*16; opp: 1", "65"], "16 checkers"),
        (["plays", "portes", "0 1 2", "65"], "32 integers, found 3"),
        (["plays", "plakoto", "own: bar 6*14; opp: 1*15", "65"], "has no bar"),
        (["show", "portez"], "did you mean 'portes'?"),
        (["show", "portes", tavli.variant("tavla").start().id], "is a position of"),
        (["show", "portes", "portes.LxOVn4CiAK_n.BsF_3f"], "check: 'BsF_3f'"),
        (["show", "fevga", "4HPwATDgc/ABMA"], "needs contact=hit"),
        (["convert", "start", "--to", "id"], "give --variant"),
        (
            ["convert", "portes.LxOVn4CiAK_m.BsF_3f", "--to", "gnubg", "--set", "doubles=four"],
            "give",
        ),
        (["convert", "fevga.NtKXwcYRl-YT.C31EPF", "--to", "xgid"], "check:"),
        (["convert", "4HPwATDgc/ABMA", "--from", "id", "--to", "row"], "an ID has 3"),
        (["play", "portez"], "did you mean 'portes'?"),
        (["play", "portes", "--seed", "-1"], "seed must be 0 to"),
        (["play", "portes", "--policy", "best"], "there is no policy 'best'"),
        (["variants", "portez"], "did you mean 'portes'?"),
        (["bench", "portez"], "did you mean 'portes'?"),
        (["bench", "fevga", "--rounds", "0"], "rounds must be 1 to"),
        (["bench", "fevga", "--decisions", "0"], "decisions must be 1 to"),
        (["perft", "portes", "-1"], "No such option"),
        (["perft", "portes", "--", "-1"], "depth must be 0 to"),
        (["perft", "portes", "0", "--divide"], "depth must be 1 to"),
        (["perft", "portes", "1", "--threads", "0"], "threads must be 1 to"),
        (["show", "portes", "--set", "contact"], "write switch=value"),
        (["show", "portes", "--set", "contakt=hit"], "did you mean 'contact'?"),
        (["show", "portes", "--set", "engine=reference"], "no switch 'engine'"),
        (["show", "portes", "--set", "contact=kiss"], "contact='kiss' does not exist"),
        (["show", "portes", "--set", "cascade_grace=7"], "cascade_grace='7' does not exist"),
        (["show", "portes", "--set", "direction=parallel"], "does not go with"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(run: Run, arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    last = result.output.splitlines()[-1]
    assert last.startswith("Error: ")
    assert message in last


def test_an_error_goes_to_stderr_alone() -> None:
    done = python("-m", "tavli_fast", "plays", "portes", "start", "70")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: dice 0: (7, 0) found, a die is 1 to 6\n"


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_without_the_extra_one_line_says_what_to_install(missing: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None; from tavli_fast.__main__ import main; main()"
    )
    done = python("-c", code, "show", "portes")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ('the command line needs click and rich: pip install "tavli_fast[cli]"\n')


def test_another_missing_module_is_not_taken_for_the_extra() -> None:
    code = (
        "import sys; sys.modules['tavli_fast.writing.notation'] = None; "
        "from tavli_fast.__main__ import main; main()"
    )
    done = python("-c", code, "show", "portes")
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr


def test_the_package_needs_neither_click_nor_rich() -> None:
    code = "import sys, tavli_fast; print({'click', 'rich'} & set(sys.modules))"
    assert python("-c", code).stdout == "set()\n"


def test_version(run: Run) -> None:
    assert run("--version").output.startswith("tavli-fast, version ")


@pytest.mark.parametrize("policy", ["pips", "pips+races", "random"])
def test_play_against_a_policy(run: Run, policy: str) -> None:
    """It makes the play of the lowest value, or any play at random."""
    game = next(
        game for seed in range(20) if (game := tavli.Game("plakoto", seed=seed)).starter == 1
    )
    game.roll()
    ends = np.stack([play.next.row for play in game.plays])
    values = compared_values(tavli.policy_of("pips"), game.variant, ends)
    result = run("play", "plakoto", "--seed", str(game.seed), "--policy", policy, typed="quit")
    made = result.output.split("the policy ")[2].splitlines()[0]
    dice, _, text = made.partition(": ")
    assert dice == "{}-{}".format(*game.dice or ())
    play = game.position.parse_play(text, game.dice or ())
    if policy != "random":
        assert play.end == game.plays[int(values.argmin())].end
