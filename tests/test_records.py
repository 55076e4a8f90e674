"""Saved games and matches: round trips, and files that are broken or changed."""

import io
import json
import pickle
import zlib
from pathlib import Path
from random import Random

import pytest
from games import play_random, random_match, state

import tavli_fast as tavli


def text_of(played: tavli.Game | tavli.Match) -> str:
    file = io.StringIO()
    tavli.save(played, file)
    return file.getvalue()


def read(text: str) -> tavli.Game | tavli.Match:
    return tavli.load(io.StringIO(text))


def resealed(records: list[dict[str, object]]) -> str:
    """Records as lines with checks that are right, as another program may write them."""
    lines, check = [], 0
    for record in records:
        text = json.dumps({k: v for k, v in record.items() if k != "check"}, separators=(",", ":"))
        check = zlib.crc32(text.encode("ascii"), check)
        lines.append(f'{text[:-1]},"check":"{check:08x}"}}\n')
    return "".join(lines)


def records_of(played: tavli.Game | tavli.Match) -> list[dict[str, object]]:
    return [json.loads(line) for line in text_of(played).splitlines()]


def fails(text: str) -> tavli.RecordError:
    with pytest.raises(tavli.RecordError) as caught:
        read(text)
    return caught.value


# --- round trips ----------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [0, 1, 17, 10_000])
@pytest.mark.parametrize("preset", tavli.variants())
def test_games_of_every_preset_come_back(preset: str, turns: int) -> None:
    game = play_random(tavli.Game(preset, seed=turns, number=3), Random(turns), turns)
    back = read(text_of(game))
    assert isinstance(back, tavli.Game)
    assert state(back) == state(game)
    assert (back.seed, back.rolls, back.drawn) == (game.seed, game.rolls, game.drawn)
    assert back.history == game.history
    assert text_of(back) == text_of(game)


@pytest.mark.parametrize("turns", [0, 1, 12])
@pytest.mark.parametrize("starter", [None, 0, 1])
@pytest.mark.parametrize("preset", ["portes", "backgammon", "crazy_narde"])
def test_a_game_goes_on_with_the_same_dice(preset: str, starter: int | None, turns: int) -> None:
    game = tavli.Game(preset, seed=2**64 - 1, starter=starter)
    if turns:
        play_random(game, Random(1), turns)
    back = read(text_of(game))
    for each in (game, back):
        play_random(each, Random(5))
    assert state(back) == state(game)


def test_undo_works_in_a_game_that_was_read() -> None:
    game = play_random(tavli.Game("plakoto", seed=3), Random(3), 9)
    back = read(text_of(game))
    for _ in range(9):
        game.undo()
        back.undo()
        assert state(back) == state(game)


def test_switches_start_and_starter_are_kept() -> None:
    variant = tavli.variant("gul_bara", cascade_grace=0, unplayed="opponent_plays")
    start = tavli.Position.parse(variant, own="20*2 13*13", opp="7*2 8 12*12")
    game = tavli.Game(variant, seed=1, starter=1, start=start)
    game.roll((6, 6))
    play_random(game, Random(1), 6)
    records = records_of(game)
    assert records[2]["stage"] == [6, 4]
    assert records[3]["stage"] == [6, 2]
    assert records[3]["player"] == 0
    assert state(read(text_of(game))) == state(game)


@pytest.mark.parametrize("points", [1, 15])
@pytest.mark.parametrize("thrown", [False, True])
def test_resigned_games(points: int, thrown: bool) -> None:
    game = tavli.Game("mahbusa_31", seed=1)
    if thrown:
        game.roll()
    game.resign(points)
    assert state(read(text_of(game))) == state(game)


@pytest.mark.parametrize("seed", range(4))
def test_matches_come_back(seed: int) -> None:
    cycle = ["portes", tavli.variant("plakoto", single_die="either"), "fevga"]
    match = random_match(seed, 5, cycle)
    back = read(text_of(match))
    assert isinstance(back, tavli.Match)
    assert (back.target, back.seed, back.cycle) == (match.target, match.seed, match.cycle)
    assert (back.score, back.winner) == (match.score, match.winner)
    assert list(map(state, back.games)) == list(map(state, match.games))


def test_a_match_in_its_second_game_goes_on() -> None:
    match = tavli.Match(5, seed=9)
    match.game.resign()
    play_random(match.next_game(), Random(1), 5)
    back = read(text_of(match))
    assert isinstance(back, tavli.Match)
    for each in (match, back):
        play_random(each.game, Random(2))
        each.next_game()
    assert list(map(state, back.games)) == list(map(state, match.games))


# --- files ----------------------------------------------------------------------------------------


def test_a_path_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    tavli.save(tavli.Game("portes", seed=1), path)
    tavli.save(tavli.Game("fevga", seed=1), str(path))
    assert tavli.load(path).variant.name == "fevga"
    assert [file.name for file in tmp_path.iterdir()] == ["game.jsonl"]


def test_a_failing_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("old")

    def full(number: int) -> None:
        raise OSError("no space")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        tavli.save(tavli.Game("portes", seed=1), path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["game.jsonl"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    tavli.save(tavli.Game("portes", seed=1), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").exists()


def test_lines_with_carriage_returns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = play_random(tavli.Game("tavla", seed=4), Random(4))
    path.write_bytes(text_of(game).replace("\n", "\r\n").encode("ascii"))
    assert state(tavli.load(path)) == state(game)


def test_bytes_that_are_no_text_are_reported_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    lines = text_of(play_random(tavli.Game("portes", seed=1), Random(1), 5)).encode().split(b"\n")
    lines[3] = lines[3].replace(b"player", b"pl\xffyer")
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(tavli.RecordError) as caught:
        tavli.load(path)
    assert caught.value.line == 4


def test_an_error_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(tavli.RecordError(3, "why", None)))
    assert (error.line, error.partial, str(error)) == (3, None, "line 3: why")


# --- broken and changed files ---------------------------------------------------------------------


def short_match() -> tavli.Match:
    """Two games that are over, and a third after three plays."""
    match = tavli.Match(5, seed=6)
    play_random(match.game, Random(1), 3)
    match.game.resign(2)
    play_random(match.next_game(), Random(1), 4)
    match.game.resign(1)
    play_random(match.next_game(), Random(2), 3)
    return match


def turns_in(played: tavli.Game | tavli.Match | None) -> int:
    if played is None:
        return 0
    games = played.games if isinstance(played, tavli.Match) else [played]
    return sum(len(game.history) for game in games)


def test_a_file_is_truncated_after_every_line() -> None:
    match = short_match()
    lines = text_of(match).splitlines(keepends=True)
    for kept in range(len(lines)):
        error = fails("".join(lines[:kept]))
        assert error.line == (kept + 1 if kept else 1)
        assert turns_in(error.partial) == sum('"play"' in line for line in lines[:kept])
    assert turns_in(read("".join(lines))) == 10


def test_a_file_is_truncated_within_every_line() -> None:
    lines = text_of(short_match()).splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        for length in (1, len(line) // 2, len(line) - 2):
            error = fails("".join(lines[: number - 1]) + line[:length])
            assert error.line == number
            assert "no JSON object" in str(error)


def test_a_missing_doubled_exchanged_or_empty_line_is_found() -> None:
    lines = text_of(short_match()).splitlines(keepends=True)
    for at in range(1, len(lines)):
        rest = lines[at + 1 :]
        assert fails("".join([*lines[:at], *rest])).line == at + 1
        assert fails("".join([*lines[: at + 1], lines[at], *rest])).line == at + 2
        assert fails("".join([*lines[:at], "\n", *lines[at:]])).line == at + 1
        if rest:
            swapped = [*lines[:at], rest[0], lines[at], *rest[1:]]
            assert fails("".join(swapped)).line == at + 1


def test_every_changed_character_is_found() -> None:
    text = text_of(play_random(tavli.Game("tavla", seed=4), Random(4), 2))
    rng = Random(1)
    for at in range(len(text) - 1):
        other = rng.choice([c for c in "0123456789abcXYZ \"'{}[],:." if c != text[at]])
        changed = text[:at] + other + text[at + 1 :]
        if json_lines(changed) != json_lines(text):
            assert fails(changed).line == text[:at].count("\n") + 1


def json_lines(text: str) -> object:
    """What the lines say, or the text where that cannot be said."""
    try:
        return [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return text


def replaced(number: int, **fields: object) -> str:
    """A short game with fields of a line replaced and checks that are right."""
    game = tavli.Game("portes", seed=1, starter=0)
    for dice, play in (((3, 1), "8/5 6/5"), ((6, 5), "24/13")):
        game.roll(dice)
        game.play(play)
    game.roll()
    game.resign(2)
    records = records_of(game)
    records[number - 1] |= fields
    return resealed(records)


def test_a_short_game_has_the_lines_that_are_changed_here() -> None:
    assert turns_in(read(replaced(1))) == 2


@pytest.mark.parametrize(
    ("line", "fields", "reason"),
    [
        (1, {"version": 3}, "'tavli_fast record' 1 and 2 can be read"),
        (1, {"version": "2"}, "'tavli_fast record' 1 and 2 can be read"),
        (1, {"format": "other"}, "format and version are 'other' 2"),
        (1, {"games": 0}, "a single game is 1"),
        (1, {"games": 2}, "a single game is 1"),
        (1, {"games": True}, "games is True"),
        (1, {"match": 7}, "match is 7"),
        (1, {"match": {"target": 5, "seed": 1, "cycle": []}}, "one or more variants"),
        (1, {"match": {"target": 5, "seed": 1, "cycle": [3]}}, "a variant is an object"),
        (1, {"more": 1}, "'more' does not belong here"),
        (2, {"variant": "chess"}, "chess"),
        (2, {"switches": {"contact": "kiss"}}, "kiss"),
        (2, {"switches": {"contact": "pin"}}, "switches is"),
        (2, {"switches": []}, "switches is"),
        (2, {"seed": -1}, "seed must be"),
        (2, {"seed": 1.0}, "seed is 1.0"),
        (2, {"starter": 2}, "starter must be"),
        (2, {"starter": 0, "thrown_for": True}, "starter is 0, but the game has 1"),
        (2, {"thrown_for": None}, "thrown_for is None"),
        (2, {"start": "portes.LxOVn4CiAK_n.BsF_3f"}, "check: 'BsF_3f'"),
        (2, {"start": tavli.variant("tavla").start().id}, "start is a position of"),
        (2, {"start": None}, "start is None"),
        (3, {"player": 1}, "player is 1, but the game has 0"),
        (3, {"player": False}, "player is False"),
        (3, {"dice": [3, 2]}, "8/5 6/5"),
        (3, {"dice": [3, 7]}, "a die is 1 to 6"),
        (3, {"dice": [3]}, "a roll is two numbers"),
        (3, {"dice": "31"}, "dice is '31'"),
        (3, {"drawn": 99}, "dice is [3, 1], but the game has"),
        (3, {"play": "8/4 6/5"}, "8/4"),
        (3, {"play": "6/5 8/5"}, "play is '6/5 8/5', but the game has '8/5 6/5'"),
        (3, {"play": "pass"}, "there is a play"),
        (3, {"play": 4}, "play is 4"),
        (3, {"steps": [[6, 5, 1], [8, 5, 3]]}, "steps is"),
        (3, {"stage": [3, 4]}, "'stage' does not belong here"),
        (5, {"dice": [6, 6]}, "dice is [6, 6], but the game has"),
        (6, {"result": 0}, "result is 0"),
        (6, {"result": {"winner": 0, "points": 2, "resigned": True}}, "result is"),
        (6, {"result": {"winner": 1, "points": 0, "resigned": True}}, "points must be"),
        (6, {"result": {"winner": 1, "points": 2, "resigned": False}}, "result is"),
        (6, {"dice": [1, 2]}, "'dice' does not belong here"),
    ],
)
def test_changed_fields_are_found_by_replaying(
    line: int, fields: dict[str, object], reason: str
) -> None:
    error = fails(replaced(line, **fields))
    assert error.line == line
    assert reason in str(error)
    assert turns_in(error.partial) == max(0, min(line, 5) - 3)
    assert (error.partial is None) == (line < 3)


def test_a_changed_result_of_a_finished_game_is_found() -> None:
    game = play_random(tavli.Game("portes", seed=1), Random(1))
    records = records_of(game)
    records[-1]["result"] = dict(records[-1]["result"], points=3)  # type: ignore[call-overload]
    error = fails(resealed(records))
    assert error.line == len(records)
    assert state(error.partial) == state(game)


def test_lines_behind_the_end_are_not_dropped() -> None:
    records = records_of(tavli.Game("portes", seed=1))
    assert "nothing may follow" in str(fails(resealed([*records, records[1]])))


def test_games_of_a_match_follow_its_rules() -> None:
    records = records_of(short_match())
    begun = [number for number, record in enumerate(records) if "variant" in record]
    other = tavli.Game("tavla", seed=1)
    records[begun[1]] = records_of(other)[1]
    error = fails(resealed(records))
    assert (error.line, len(error.partial.games)) == (begun[1] + 1, 1)
    assert "of the match is variant('plakoto')" in str(error)

    records = records_of(short_match())
    records[begun[1] - 1]["result"] = None
    del records[begun[1] - 2]
    error = fails(resealed(records))
    assert "game 1 of the match is not over yet" in str(error)
    assert len(error.partial.games) == 1


@pytest.mark.parametrize("text", ["", "\n", "[]", "null", "{}", "[" * 100_000, "gnubg\n"])
def test_what_is_no_record(text: str) -> None:
    error = fails(text)
    assert (error.line, error.partial) == (1, None)


def test_files_that_are_no_regular_ones_and_their_modes_stay(tmp_path):
    """A pipe is written into, not replaced; a private file stays private."""
    private = tmp_path / "private"
    private.touch()
    private.chmod(0o600)
    tavli.save(tavli.Game("portes", seed=1), private)
    assert private.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["private"]
    with pytest.raises(OSError, match=str(tmp_path)):
        tavli.save(tavli.Game("portes", seed=1), tmp_path)
    long = tmp_path / ("n" * 250)
    tavli.save(tavli.Game("portes", seed=1), long)
    assert tavli.load(long).seed == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: tavli.save("portes", "file"),
        lambda: tavli.save(tavli.Game("portes", seed=1), 5),
        lambda: tavli.load(None),
        lambda: tavli.to_mat(None),
        lambda: tavli.to_mat(tavli.Game("portes", seed=1), names="ab"),
        lambda: tavli.to_mat(tavli.Game("portes", seed=1), names=(1, 2)),
        lambda: tavli.from_mat(5),
        lambda: tavli.Match(seed=1).replace_game(None),
    ],
)
def test_values_of_the_wrong_type(call):
    """They are named, and nothing is written."""
    with pytest.raises(TypeError, match=r"Game|file must|names are|is a str"):
        call()


def test_a_game_stands_in_a_match_once():
    """And none takes the place of the last one of a match that is won."""
    match = tavli.Match(3, seed=3, cycle=["portes"])
    first = match.game
    first.resign(2)
    match.next_game()
    with pytest.raises(tavli.RuleConflict, match="already"):
        match.replace_game(first)
    while match.winner is None:
        match.game.resign(3)
    with pytest.raises(tavli.GameOver):
        match.replace_game(tavli.Game("portes", seed=1))
