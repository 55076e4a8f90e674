"""``.mat`` texts: how they look, round trips, other programs' ways of writing, errors."""

from random import Random

import pytest
from games import play_random, random_match, state

import tavli_fast as tavli

NAMES = ("Eleni", "Nikos P.")


def moves(game: tavli.Game) -> list[tuple[object, ...]]:
    """The turns, without how the dice were drawn."""
    return [turn[:4] for turn in game.history]


def fails(text: str) -> tavli.RecordError:
    with pytest.raises(tavli.RecordError) as caught:
        tavli.from_mat(text)
    return caught.value


# --- writing --------------------------------------------------------------------------------------


def played(preset: str, starter: int, *turns: tuple[tuple[int, int], str]) -> tavli.Game:
    game = tavli.Game(preset, seed=1, starter=starter)
    for dice, play in turns:
        game.roll(dice)
        game.play(play)
    return game


def hitting_game(starter: int) -> tavli.Game:
    """A hit, a checker on the bar, and points taken."""
    return played(
        "portes",
        starter,
        ((6, 4), "24/14"),
        ((6, 5), "24/18 13/8"),
        ((3, 1), "14/11 8/7*"),
        ((5, 2), "bar/20 13/11"),
    )


def test_the_starter_may_stand_in_either_column() -> None:
    assert tavli.to_mat(hitting_game(0), NAMES).splitlines()[4:] == [
        " Game 1",
        " Eleni : 0                      Nikos P. : 0",
        "  1) 64: 24/18 18/14             65: 24/18 13/8",
        "  2) 31: 14/11 8/7*              52: 25/20 13/11",
    ]
    assert tavli.to_mat(hitting_game(1), NAMES).splitlines()[6:] == [
        "  1)                             64: 24/18 18/14",
        "  2) 65: 24/18 13/8              31: 14/11 8/7*",
        "  3) 52: 25/20 13/11",
    ]


def test_bearing_off_a_pass_and_a_win() -> None:
    game = play_random(tavli.Game("backgammon", seed=8), Random(8))
    text = tavli.to_mat(game, NAMES)
    assert game.outcome is not None
    assert "/0" in text
    assert "Cannot Move" in text
    assert "off" not in text
    assert "bar" not in text
    wins = text.splitlines()[-1]
    assert wins.strip().startswith(f"Wins {game.outcome.points} point")
    assert (wins.index("W") > 15) == bool(game.outcome.winner)


def test_scores_stand_before_each_game_in_their_own_columns() -> None:
    match = tavli.Match(7, seed=1, cycle=["portes"])
    for winner, points in ((0, 2), (1, 1), (0, 2)):
        while match.game.player == winner:
            match.game.roll()
            match.game.play(0 if match.game.plays else "pass")
        match.game.resign(points)
        match.next_game()
    lines = tavli.to_mat(match, NAMES).splitlines()
    assert lines[2] == " 7 point match"
    assert [line.split() for line in lines if "Eleni" in line] == [
        f"Eleni : {one} Nikos P. : {two}".split() for one, two in ((0, 0), (2, 0), (2, 1), (4, 1))
    ]
    read = tavli.from_mat("\n".join(lines))
    assert isinstance(read.played, tavli.Match)
    assert (read.played.score, read.names) == ((4, 1), NAMES)


def test_hits_are_marked_step_by_step() -> None:
    game = played("portes", 0, ((6, 2), "24/18 13/11"), ((6, 1), "13/7* 8/7"))
    assert "61: 13/7* 8/7" in tavli.to_mat(game)


def test_pins_have_a_plus_and_a_roll_that_is_not_played_question_marks() -> None:
    game = played("plakoto", 0, ((6, 5), "24/18 24/19"), ((6, 1), "24/18 24/23"), ((6, 5), "18/7+"))
    game.roll((2, 1))
    assert tavli.to_mat(game).splitlines()[6:] == [
        "  1) 65: 24/18 24/19             61: 24/18 24/23",
        "  2) 65: 18/7+                   21: ????",
    ]


def test_stages_have_rows_of_their_own() -> None:
    game = tavli.Game(tavli.variant("gul_bara", cascade_grace=0), seed=1, starter=0)
    game.roll((5, 5))
    game.play(0)
    game.play(0)
    text = tavli.to_mat(game)
    assert text.splitlines()[0] == '; [Variants "gul_bara~cascade_grace-0"]'
    assert [line[:8] for line in text.splitlines()[6:]] == ["  1) 55:", "  2) 66:"]
    assert moves(tavli.from_mat(text).played) == moves(game)


@pytest.mark.parametrize("name", ["", " a", "a ", "a : b", "a:", "a\nb"])
def test_names_that_would_not_be_read(name: str) -> None:
    with pytest.raises(tavli.NotationError, match="name"):
        tavli.to_mat(tavli.Game("portes", seed=1), (name, "b"))


def test_a_game_from_another_start_is_not_written() -> None:
    start = tavli.Position.parse("portes", own="24*15", opp="1*15")
    with pytest.raises(tavli.NotationError, match="only a record"):
        tavli.to_mat(tavli.Game("portes", seed=1, start=start))


# --- round trips ----------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [0, 1, 17, 10_000])
@pytest.mark.parametrize("preset", tavli.variants())
def test_games_of_every_preset_come_back(preset: str, turns: int) -> None:
    game = play_random(tavli.Game(preset, seed=turns + 1), Random(turns), turns)
    text = tavli.to_mat(game, NAMES)
    read = tavli.from_mat(text)
    assert isinstance(read.played, tavli.Game)
    assert read.names == NAMES
    assert moves(read.played) == moves(game)
    assert read.played.outcome == game.outcome
    if turns:
        assert state(read.played) == state(game)
    assert tavli.to_mat(read.played, NAMES) == text


@pytest.mark.parametrize("cycle", [["backgammon"], ["portes", "plakoto", "fevga"], ["tawla31"]])
@pytest.mark.parametrize("seed", range(3))
def test_matches_come_back(seed: int, cycle: list[str | tavli.Variant]) -> None:
    match = random_match(seed, 7, cycle)
    text = tavli.to_mat(match, NAMES)
    read = tavli.from_mat(text)
    assert isinstance(read.played, tavli.Match)
    assert (read.played.score, read.played.winner) == (match.score, match.winner)
    assert read.played.target == 7
    assert list(map(state, read.played.games)) == list(map(state, match.games))
    assert tavli.to_mat(read.played, NAMES) == text


# --- other programs' ways -------------------------------------------------------------------------


def test_a_text_of_another_program_with_wins_on_either_side() -> None:
    text = """\ufeff; [Site "Somewhere"]
; [Event "Evening"]

 5 point match

 Game 1
 Eleni : 0                      Nikos P. : 0
  1)                             13: 6/5 8/5
  2) 21: 24/23 13/11             66: 24/18(2) 13/7(2)
  3) 41: 13/8
      Wins 1 point

 Game 2
 Eleni : 1                      Nikos P. : 0
  1) 52: 13/8 24/22              64: 24/14
  2) 31: ????                     Wins 2 points
 Game 3
 Eleni : 1                      Nikos P. : 2
"""
    read = tavli.from_mat(text.replace("\n", "\r\n"))
    assert isinstance(read.played, tavli.Match)
    assert read.names == NAMES
    assert read.played.score == (1, 2)
    assert [game.starter for game in read.played.games[:2]] == [1, 0]
    assert read.played.games[0].variant.name == "backgammon"
    assert read.played.games[1].dice == (3, 1)


@pytest.mark.parametrize(
    ("bar", "off"), [("25", "0"), ("bar", "off"), ("Bar", "Off"), ("25", "off"), ("bar", "0")]
)
def test_bar_and_off_in_every_writing(bar: str, off: str) -> None:
    game = play_random(tavli.Game("portes", seed=8), Random(8))
    text = tavli.to_mat(game, NAMES)
    assert " 25/" in text
    changed = text.replace(" 25/", f" {bar}/").replace("/0", f"/{off}")
    assert moves(tavli.from_mat(changed).played) == moves(game)


@pytest.mark.parametrize("written", ["", "Cannot Move", "cannot move", "????"])
def test_passes_in_every_writing(written: str) -> None:
    game = play_random(tavli.Game("portes", seed=8), Random(8))
    text = tavli.to_mat(game, NAMES)
    assert "Cannot Move" in text
    assert moves(tavli.from_mat(text.replace("Cannot Move", written)).played) == moves(game)


@pytest.mark.parametrize("written", ["", "????", "Cannot Move"])
@pytest.mark.parametrize("loser", [0, 1])
def test_resigning_when_nothing_can_be_played(written: str, loser: int) -> None:
    """A roll with nothing behind it is a pass only if the other player goes on."""
    game = play_random(tavli.Game("portes", seed=8), Random(8))
    while not game.history[-1].play.is_pass or game.history[-1].player:
        game.undo()
    pass_of_player_0 = moves(game)
    lines = tavli.to_mat(game, NAMES).splitlines()
    # without the roll that stays thrown after undoing
    lines[-1] = lines[-1][:33].replace("Cannot Move", written)
    lines.append(f"{'':{6 if loser else 34}}Wins 2 points")
    if (written, loser) == ("Cannot Move", 0):
        assert "only he could resign" in str(fails("\n".join(lines)))
        return
    read = tavli.from_mat("\n".join(lines)).played
    assert isinstance(read, tavli.Game)
    assert read.outcome == (1 - loser, 2, True)
    assert moves(read) == (pass_of_player_0 if loser else pass_of_player_0[:-1])


# --- errors ---------------------------------------------------------------------------------------

HEAD = " 5 point match\n Game 1\n Eleni : 0   Nikos P. : 0\n"


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        ("  1) 31: 8/5 6/4", 4, "6/4"),
        ("  1) 31: 8/5", 4, "8/5"),
        ("  1) 31: Cannot Move", 4, "there is a play"),
        ("  1) 31: 8/5 6/5\n  2) 31: 8/5 6/5", 5, "player 1 is on turn"),
        ("  1) 31: 8/5 6/5   42: 8/4 6/4   31: 8/5 6/5", 4, "cannot read"),
        ("  1) 71: 8/5 6/5", 4, "cannot read"),
        ("  1) 31 8/5 6/5", 4, "cannot read"),
        ("  1) 31: 8/5 6/5    Resigns", 4, "resigns"),
        ("  1) 31:\n  2) 32: 8/5 6/5", 5, "(3, 1) is still to be played"),
        ("  1) 31: 8/5 6/5    Doubles => 2\n  2)  Takes", 4, "no doubling cube"),
        ("  1) Doubles => 2", 4, "no doubling cube"),
        ("  1) 31: 8/5 6/5    Drops", 4, "no doubling cube"),
        ("  1) 31: 8/5 6/5    Beavers", 4, "no doubling cube"),
        ("  1) 31: 8/5 6/5\n        Wins", 5, "cannot read 'Wins'"),
        ("  1) 31: 8/5 6/5    Wins 2 points", 4, "player 1 is on turn, only he could resign"),
        ("  1) 31: 8/5 6/5    42: 8/4 6/4\n Game 2", 5, "game 1 of the match is not over yet"),
        ("  1) 31: 8/5 6/5\n      Wins 1 point\n Game 3", 6, "the next one is 2"),
        (
            "  1) 31: 8/5 6/5\n      Wins 1 point\n Game 2\n Eleni : 0   Nikos P. : 1",
            7,
            "the score is (0, 1), the games so far give (1, 0)",
        ),
        (
            "  1) 31: 8/5 6/5\n      Wins 1 point\n Game 2\n Nikos P. : 0   Eleni : 1",
            7,
            "the names are ('Nikos P.', 'Eleni')",
        ),
        ("  1) 31: 8/5 6/5\n      Wins 1 point\n  2) 31: 8/5 6/5", 6, "the game is over"),
        ("  1) 31: 8/5 6/5\n      Wins 1 point\n      Wins 2 points", 6, "player 0 wins 2 points"),
        ("  1) 31: 8/5 6/5\n      Wins 9 points\n Game 2", 6, "the match is over"),
        ("; Set Pos=-b----E-C---eE---c-e----B-/0", 4, "set up"),
    ],
)
def test_errors_have_their_line_and_what_was_read(rows: str, line: int, reason: str) -> None:
    error = fails(HEAD + rows + "\n")
    assert error.line == line
    assert reason.lower() in str(error).lower()
    assert isinstance(error.partial, tavli.Match)
    before = tavli.from_mat((HEAD + rows).rsplit("\n", rows.count("\n") - line + 5)[0]).played
    assert isinstance(before, tavli.Match)
    assert list(map(state, error.partial.games)) == list(map(state, before.games))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("no match", 1),
        (" 5 point match\n", 2),
        (" 5 point match\n  1) 31: 8/5 6/5", 2),
        (" 5 point match\n Game 2", 2),
        (" 5 point match\n Game 1\n", 3),
        (" 5 point match\n Game 1\n Eleni   Nikos\n", 3),
        (" 5 point match\n Game 1\n Eleni : 1   Nikos : 0\n", 3),
        (" 0 point match\n Game 1\n A : 0  B : 0\n 1) 31: 8/5 6/5\n      Wins 1 point\n Game 2", 6),
        ('; [Variants "chess"]', 1),
        ('; [Variants "portes fevga"]\n 0 point match\n Game 1', 3),
    ],
)
def test_broken_heads(text: str, line: int) -> None:
    assert fails(text).line == line


def test_the_result_of_the_plays_has_to_be_the_one_that_is_written() -> None:
    game = play_random(tavli.Game("portes", seed=8), Random(8))
    lines = tavli.to_mat(game, NAMES).splitlines()
    error = fails("\n".join([*lines[:-1], lines[-1].replace("Wins ", "Wins 1")]))
    assert error.line == len(lines)
    assert moves(error.partial) == moves(game)
    other = "Wins 1 point" if game.outcome and game.outcome.winner else " " * 34 + "Wins 1 point"
    assert fails("\n".join([*lines[:-1], other])).line == len(lines)


def test_a_line_of_colons_is_read_in_no_time():
    """Nothing that a stranger sends may take quadratic time."""
    with pytest.raises(tavli.RecordError, match="line 3"):
        tavli.from_mat(" 0 point match\n Game 1\n a" + " : 0" * 200_000 + "x")
