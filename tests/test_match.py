"""Matches: the cycle of games, who starts, the score."""

import pytest

import tavli_fast as tavli


def end(match: tavli.Match, winner: int, points: int = 1) -> None:
    """End the current game by resigning, whoever is on turn."""
    game = match.game
    while game.player == winner:
        game.roll()
        game.play(0 if len(game.plays) else "pass")
    game.resign(points)


def test_the_tavli_cycle_and_the_score():
    match = tavli.Match(target=5, seed=1)
    names = [match.game.variant.name]
    for winner in (0, 1, 0, 0):
        end(match, winner)
        names.append(match.next_game().variant.name)
        assert match.game.starter == winner
    assert names == ["portes", "plakoto", "fevga", "portes", "plakoto"]
    assert match.score == (3, 1)
    assert match.winner is None
    end(match, 0, 2)
    assert match.score == (5, 1)
    assert match.winner == 0
    with pytest.raises(tavli.GameOver, match=r"player 0 has won \(5, 1\)"):
        match.next_game()


def test_a_throw_decides_where_the_rules_say_so():
    starters = set()
    for seed in range(20):
        match = tavli.Match(target=7, seed=seed, cycle=["backgammon"])
        end(match, 0)
        starters.add(match.next_game().starter)
    assert starters == {0, 1}


def test_after_a_void_game_a_throw_decides_and_the_cycle_goes_on():
    starters = set()
    for seed in range(20):
        match = tavli.Match(target=7, seed=seed, cycle=["plakoto", "fevga"])
        variant = match.game.variant
        # both mothers are pinned once the mover lands on 1
        start = tavli.Position.parse(variant, own="7 6*13", opp="1 20*13 24", own_pinned="24")
        match.games[0] = tavli.Game(variant, seed=seed, starter=0, start=start)
        match.game.roll((6, 5))
        match.game.play(next(play for play in match.game.plays if play.end.result is not None))
        assert match.game.outcome == (None, 0, False)
        assert match.score == (0, 0)
        following = match.next_game()
        assert following.variant.name == "fevga"
        starters.add(following.starter)
    assert starters == {0, 1}


def test_games_of_a_match_meet_dice_of_their_own():
    match = tavli.Match(target=7, seed=3, cycle=["portes"])
    first = [match.game.number, match.game.roll()]
    end(match, 0)
    second = [match.next_game().number, match.game.roll()]
    assert (first[0], second[0]) == (0, 1)
    again = tavli.Match(target=7, seed=3, cycle=["portes"])
    assert again.game.roll() == first[1]


def test_points_by_checkers_left_to_31():
    match = tavli.Match(target=31, seed=1, cycle=["tawla31"])
    end(match, 0, 15)
    match.next_game()
    end(match, 1, 9)
    match.next_game()
    assert match.winner is None
    end(match, 0, 15)
    assert match.score == (30, 9)
    match.next_game()
    end(match, 0, 1)
    assert match.winner == 0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"target": 0}, ValueError),
        ({"target": 2.5}, TypeError),
        ({"cycle": []}, tavli.RuleConflict),
        ({"cycle": "portes"}, tavli.RuleConflict),
        ({"cycle": ["chess"]}, tavli.UnknownVariant),
        ({"seed": -1}, ValueError),
    ],
)
def test_what_is_no_match(arguments, error):
    with pytest.raises(error):
        tavli.Match(**{"target": 5, "seed": 1} | arguments)


def test_the_next_game_waits_for_the_end_of_the_last():
    with pytest.raises(tavli.TavliError, match="not over yet"):
        tavli.Match(seed=1).next_game()
