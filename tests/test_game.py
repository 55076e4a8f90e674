"""Games: rolls, stages of a cascade, balancing turns, undoing, how games end."""

import pytest

import tavli_fast as tavli
from tavli_fast.game.game import Outcome, Stage

DRAWN_PLIES = 40


def play_on(game: tavli.Game) -> None:
    """The first play of the roll, or a pass."""
    game.play(0 if len(game.plays) else "pass")


def ordinary_turns(game: tavli.Game, turns: int) -> None:
    for _ in range(turns):
        game.roll((2, 1))
        play_on(game)


# --- rolls ----------------------------------------------------------------------------------------


def test_the_same_seed_and_number_meet_the_same_dice():
    def dice(seed, number):
        game = tavli.Game("portes", seed=seed, number=number)
        rolls = [game.starter]
        for _ in range(DRAWN_PLIES):
            rolls.append(game.roll())
            play_on(game)
        return rolls

    assert dice(7, 0) == dice(7, 0)
    assert dice(7, 0) != dice(7, 1)
    assert dice(7, 0) != dice(7 + 2**32, 0)


def test_a_roll_is_thrown_once_and_before_it_is_played():
    game = tavli.Game("portes", seed=1)
    with pytest.raises(tavli.TavliError, match="roll first"):
        game.play(0)
    game.roll((3, 1))
    with pytest.raises(tavli.TavliError, match="thrown already"):
        game.roll()
    assert game.dice == (3, 1)


@pytest.mark.parametrize("dice", [(0, 1), (7, 1), (2,), "31", None.__class__])
def test_bad_dice_change_nothing(dice):
    game = tavli.Game("portes", seed=1)
    with pytest.raises((tavli.InvalidDice, TypeError, ValueError)):
        game.roll(dice)
    assert game.dice is None
    assert game.rolls == (0, 0)


@pytest.mark.parametrize("seed", range(30))
def test_the_opening_dice_are_never_a_double(seed):
    game = tavli.Game("backgammon", seed=seed)
    high, low = game.roll()
    assert high != low
    # the one-die throw that made him starter is what he plays
    assert (high > low) == (game.starter == 0)


def test_without_a_throw_the_first_roll_is_an_ordinary_one():
    rolls = [tavli.Game("backgammon", seed=seed, starter=0).roll() for seed in range(200)]
    assert any(high == low for high, low in rolls)
    assert tavli.Game("backgammon", seed=1, starter=0).roll((3, 3)) == (3, 3)


def test_a_double_is_refused_as_opening_dice():
    with pytest.raises(tavli.InvalidDice, match="never a double"):
        tavli.Game("backgammon", seed=1).roll((3, 3))


def test_a_double_is_possible_where_both_dice_are_thrown_again():
    openings = [tavli.Game("portes", seed=seed).roll() for seed in range(200)]
    assert any(high == low for high, low in openings)


def test_both_players_start_about_as_often():
    starters = [tavli.Game("portes", seed=seed).starter for seed in range(400)]
    assert 150 < sum(starters) < 250


# --- cascades (docs/rules.md section 5) -----------------------------------------------------------


def cascade_game(**switches):
    """A Gul Bara game past the grace rolls of both players."""
    game = tavli.Game(tavli.variant("gul_bara", **switches), seed=1, starter=0)
    ordinary_turns(game, 6)
    return game


def test_the_first_three_rolls_of_each_player_are_ordinary():
    game = tavli.Game("gul_bara", seed=1, starter=0)
    for turn in range(6):
        game.roll((2, 2))
        assert game.stages == (), turn
        play_on(game)
        assert game.player == (turn + 1) % 2
    game.roll((5, 5))
    assert game.stages == (Stage(5, 4), Stage(6, 4))


def test_grace_counts_the_rolls_of_each_player():
    game = tavli.Game("gul_bara", seed=1, starter=1)
    ordinary_turns(game, 5)
    assert game.player == 0
    game.roll((6, 5))
    play_on(game)
    assert game.rolls == (3, 3)
    game.roll((4, 4))  # the fourth roll of player 1
    assert game.stages == (Stage(4, 4), Stage(5, 4), Stage(6, 4))


def test_stages_follow_each_other_while_each_is_played_in_full():
    game = cascade_game()
    game.roll((1, 1))
    assert game.stages == tuple(Stage(die, 4) for die in range(1, 7))
    seen = []
    while game.player == 0 and game.dice is not None:
        seen.append(game.dice)
        assert game.dice == (game.stages[0].die,) * 2
        expected = list(game.position.plays(*game.dice))
        assert list(game.plays) == expected
        full = len(expected) > 0 and len(expected[0].steps) == 4
        play_on(game)
        if not full:
            break
    assert seen == [(die, die) for die in range(1, len(seen) + 1)]
    assert game.player == 1


def blocked_after_two(variant):
    """Two checkers of the mover can make one step of 6 each, and then no more."""
    return tavli.Position.parse(variant, own="20*2 13*13", opp="7*2 8 12*12")


def test_what_is_not_played_is_lost():
    variant = tavli.variant("gul_bara", cascade_grace=0)
    game = tavli.Game(variant, seed=1, starter=0, start=blocked_after_two(variant))
    game.roll((6, 6))
    assert {len(play.steps) for play in game.plays} == {2}
    play_on(game)
    assert (game.player, game.dice, game.stages) == (1, None, ())


def test_what_is_not_played_is_played_by_the_opponent_before_his_roll():
    variant = tavli.variant("gul_bara", cascade_grace=0, unplayed="opponent_plays")
    game = tavli.Game(variant, seed=1, starter=0, start=blocked_after_two(variant))
    game.roll((6, 6))
    play_on(game)
    assert (game.player, game.dice, game.stages) == (1, (6, 6), (Stage(6, 2),))
    assert {len(play.steps) for play in game.plays} == {2}
    assert game.rolls == (1, 0)
    before = game.position
    play_on(game)
    # then he throws himself, and it is his own roll
    assert (game.player, game.dice, game.stages) == (1, None, ())
    assert game.position != before
    game.roll((2, 1))
    assert game.rolls == (1, 1)


def test_a_turn_that_only_a_game_knows_of_is_not_written_as_data():
    variant = tavli.variant("gul_bara", cascade_grace=0, unplayed="opponent_plays")
    game = tavli.Game(variant, seed=1, starter=0, start=blocked_after_two(variant))
    game.roll((6, 6))
    play_on(game)
    turn = tavli.Turn(game.plays)
    assert len(turn.steps()) > 0
    with pytest.raises(tavli.TavliError, match="save the game"):
        turn.to_dict()


def test_a_stage_left_whole_and_those_after_it_go_to_the_opponent():
    variant = tavli.variant("gul_bara", cascade_grace=0, unplayed="opponent_plays")
    start = tavli.Position.parse(variant, own="20 13*14", opp="8*2 14*2 15 7*10")
    game = tavli.Game(variant, seed=1, starter=0, start=start)
    game.roll((5, 5))
    assert not game.plays
    game.play("pass")
    assert (game.player, game.stages) == (1, (Stage(5, 4), Stage(6, 4)))
    play_on(game)
    assert game.stages in ((Stage(6, 4),), ())


def test_what_the_opponent_cannot_play_either_is_lost():
    variant = tavli.variant("gul_bara", cascade_grace=0, unplayed="opponent_plays")
    start = tavli.Position.parse(variant, own="13*15", opp="7*15")
    game = tavli.Game(variant, seed=1, starter=0, start=start)
    game.roll((6, 6))
    assert not game.plays
    game.play("pass")
    assert (game.player, game.stages) == (1, (Stage(6, 4),))
    turns = 0
    while game.stages:
        play_on(game)
        turns += 1
    assert turns == 1
    assert (game.player, game.dice) == (1, None)


# --- balancing turn (section 7) -------------------------------------------------------------------


def last_checkers(variant, own, opp):
    return tavli.Position.parse(variant, own=own, opp=opp)


def test_the_second_player_has_one_more_turn():
    variant = tavli.variant("narde_balanced")
    # his own 1 is the mover's 13
    game = tavli.Game(variant, seed=1, starter=0, start=last_checkers(variant, "1", "13*2"))
    game.roll((6, 5))
    play_on(game)
    assert game.outcome is None
    assert game.player == 1
    game.roll((2, 1))
    assert [len(play.steps) for play in game.plays] == [2]
    play_on(game)
    assert game.outcome == Outcome(None, 0)


def test_the_first_player_wins_when_the_balancing_turn_does_not_finish():
    variant = tavli.variant("narde_balanced")
    game = tavli.Game(variant, seed=1, starter=0, start=last_checkers(variant, "1", "13*3"))
    game.roll((6, 5))
    play_on(game)
    game.roll((2, 1))
    play_on(game)
    assert game.outcome == Outcome(0, 1)
    assert game.position.off == (14, 15)


def test_no_balancing_turn_for_the_first_player():
    variant = tavli.variant("narde_balanced")
    game = tavli.Game(variant, seed=1, starter=0, start=last_checkers(variant, "1*3", "13"))
    game.roll((2, 1))
    play_on(game)
    game.roll((2, 1))
    play_on(game)
    assert game.outcome == Outcome(1, 1)


@pytest.mark.parametrize(("opp", "goes_on"), [("13", True), ("13*2", False)])
def test_a_balancing_turn_only_with_14_off(opp, goes_on):
    variant = tavli.variant("narde", balancing_turn="second_player_if_14_off")
    game = tavli.Game(variant, seed=1, starter=0, start=last_checkers(variant, "1", opp))
    game.roll((6, 5))
    play_on(game)
    assert (game.outcome is None) == goes_on


def test_without_the_rule_the_game_ends_at_once():
    variant = tavli.variant("narde")
    game = tavli.Game(variant, seed=1, starter=0, start=last_checkers(variant, "1", "13"))
    game.roll((6, 5))
    play_on(game)
    assert game.outcome == Outcome(0, 1)


# --- ends and undoing -----------------------------------------------------------------------------


@pytest.mark.parametrize("preset", tavli.variants())
def test_games_end_and_undo_to_the_start(preset):
    game = tavli.Game(preset, seed=11)
    seen = []
    while game.outcome is None:
        if game.dice is None:
            game.roll()
        seen.append((game.player, game.position, game.dice, game.stages, game.rolls))
        play_on(game)
    assert len(game.history) == len(seen)
    assert [(turn.player, turn.dice) for turn in game.history] == [(s[0], s[2]) for s in seen]
    with pytest.raises(tavli.GameOver):
        game.roll()
    for expected in reversed(seen):
        game.undo()
        assert (game.player, game.position, game.dice, game.stages, game.rolls) == expected
    with pytest.raises(tavli.TavliError, match="no play to undo"):
        game.undo()


def test_undone_dice_are_thrown_again_the_same():
    game = tavli.Game("plakoto", seed=4)
    first = [game.roll()]
    play_on(game)
    first.append(game.roll())
    game.undo()
    assert game.dice == first[0]
    play_on(game)
    assert game.roll() == first[1]


def test_plays_that_are_none_of_the_roll_are_refused_and_change_nothing():
    game = tavli.Game("portes", seed=1, starter=0)
    game.roll((3, 1))
    for choice in ("24/18", "8/5 6/4", 16, -1, True, 1.5, None, "gibberish"):
        with pytest.raises((tavli.TavliError, TypeError)):
            game.play(choice)
    assert game.dice == (3, 1)
    assert not game.history
    game.play("8/5 6/5")
    assert game.player == 1


def test_a_play_of_another_position_is_refused():
    game = tavli.Game("portes", seed=1, starter=0)
    other = tavli.variant("portes").start().plays(6, 5)[0]
    game.roll((3, 1))
    with pytest.raises(tavli.IllegalPlay):
        game.play(other)


def test_pass_is_refused_while_there_are_plays():
    game = tavli.Game("portes", seed=1, starter=0)
    game.roll((3, 1))
    with pytest.raises(tavli.IllegalPlay):
        game.play("pass")


def test_resigning_gives_points_to_the_other_side():
    game = tavli.Game("portes", seed=1, starter=1)
    game.resign(2)
    assert game.outcome == Outcome(0, 2, resigned=True)
    with pytest.raises(tavli.GameOver):
        game.resign()


def test_a_game_begins_where_it_is_told():
    variant = tavli.variant("plakoto")
    start = tavli.Position.parse("plakoto", own="24*15", opp="1*14 3")
    game = tavli.Game(variant, seed=1, starter=1, start=start)
    assert (game.position, game.player) == (start, 1)
    with pytest.raises(tavli.RuleConflict):
        tavli.Game("portes", seed=1, start=start)
    with pytest.raises(TypeError):
        tavli.Game(variant, seed=1, start=start.row)
