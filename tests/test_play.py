"""Plays of one position, for people: the list, the single play, and playing on."""

import pickle
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import as_array, random_roll, random_row, random_rules

import tavli_fast as tavli

CLOSED = {"own": "bar 6*14", "opp": "24*2 23*2 22*2 21*2 20*2 19*2 1*3"}


def start(preset: str, engine: str = "kernel") -> tavli.Position:
    return tavli.variant(preset, engine=engine).start()


def closed_out(engine: str) -> tavli.Position:
    return tavli.Position.parse(tavli.variant("portes", engine=engine), **CLOSED)


# --- the list


def test_a_list_is_a_sequence_in_the_stable_order(engine: str) -> None:
    plays = start("portes", engine).plays(6, 5)
    written = ["24/13", "24/18 13/8", "24/18 8/3", "13/7 13/8", "13/7 8/3", "13/2", "8/2 8/3"]
    assert len(plays) == 7
    assert [str(play) for play in plays] == written
    assert [str(plays[i]) for i in range(-7, 0)] == written
    assert [str(play) for play in plays[1:6:2]] == written[1:6:2]
    assert [str(play) for play in reversed(plays)] == written[::-1]
    assert plays[3] in plays
    assert plays.index(plays[3]) == 3
    assert plays.count(plays[3]) == 1
    assert "24/13" not in plays
    with pytest.raises(IndexError):
        plays[7]


def test_ends_and_steps_are_those_of_the_variant(engine: str) -> None:
    variant = tavli.variant("plakoto", engine=engine)
    row = variant.sample(40, 3)[0][-1]
    found = variant.plays(row, (4, 4), steps=True)
    plays = variant.position(row).plays(4, 4)
    assert [play.end.row.tolist() for play in plays] == found.rows.tolist()
    pairs = [[(source, die) for source, _, die in play.steps] for play in plays]
    assert pairs == [[tuple(s) for s in steps if s[1]] for steps in found.steps.tolist()]
    flipped = variant.plays(row, (4, 4), flipped=True).rows
    assert [play.next.row.tolist() for play in plays] == flipped.tolist()
    assert [play.end.flip() for play in plays] == [play.next for play in plays]


@pytest.mark.parametrize("dice", [(6, 5), [6, 5], np.array([6, 5]), (np.int64(6), np.uint8(5))])
def test_dice_are_two_numbers_or_a_pair(dice: tuple[int, int], engine: str) -> None:
    pos = start("portes", engine)
    expected = list(pos.plays(6, 5))
    assert list(pos.plays(dice)) == expected
    assert list(pos.plays(*dice)) == expected
    assert list(pos.plays(5, 6)) == expected
    assert pos.plays(dice).dice == (6, 5)
    assert pos.plays(5, 6)[0].dice == (5, 6)


@pytest.mark.parametrize(
    ("dice", "error"),
    [
        ((0, 5), tavli.InvalidDice),
        ((6, 7), tavli.InvalidDice),
        ((6.0, 5), TypeError),
        ((True, False), TypeError),
        (("6", "5"), TypeError),
        ("65", TypeError),
        (None, TypeError),
        (6, ValueError),
        ((6, 5, 4), ValueError),
        ((), (TypeError, ValueError)),
        ([(6, 5), (3, 1)], TypeError),
        ([(6, 5)], TypeError),
    ],
)
def test_what_is_no_roll_is_refused(dice: object, error: type[Exception], engine: str) -> None:
    with pytest.raises(error):
        start("portes", engine).plays(dice)


def test_length_needs_the_count_alone(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("plays were generated")

    monkeypatch.setattr(tavli.Variant, "plays", never)
    plays = start("portes", engine).plays(6, 5)
    assert len(plays) == 7
    with pytest.raises(AssertionError):
        plays[0]


def test_a_finished_game_has_no_plays(engine: str) -> None:
    pos = tavli.Position.parse(tavli.variant("portes", engine=engine), own="", opp="1*15")
    for ask in (
        lambda: pos.plays(6, 5),
        lambda: pos.turn(6, 5),
        lambda: pos.play("pass", (6, 5)),
        lambda: pos.parse_play("", (6, 5)),
    ):
        with pytest.raises(tavli.GameOver, match="over"):
            ask()


def test_a_list_shows_its_plays() -> None:
    assert repr(start("fevga").plays(5, 5)) == "<PlayList 5-5: 24/9 24/19, 24/4>"
    assert repr(closed_out("kernel").plays(6, 5)) == "<PlayList 6-5: pass>"


# --- one play


def test_attributes(engine: str) -> None:
    pos = start("portes", engine)
    play = pos.parse_play("24/18/13", (6, 5))
    assert (play.start, play.dice, play.is_pass) == (pos, (6, 5), False)
    assert play.steps == ((24, 18, 6), (18, 13, 5))
    assert play.end.own == {24: 1, 13: 6, 8: 3, 6: 5}
    assert play.next == play.end.flip()
    assert str(play) == play.notation == "24/13"
    assert repr(play) == "<Play 24/13 with 6-5>"


def test_bar_is_25_and_off_is_0(engine: str) -> None:
    variant = tavli.variant("portes", engine=engine)
    entering = tavli.Position.parse(variant, own="bar 6*14", opp="1*15").plays(6, 2)[0]
    assert entering.steps == ((25, 19, 6), (19, 17, 2))
    bearing_off = tavli.Position.parse(variant, own="6 4", opp="24").plays(6, 6)[0]
    assert bearing_off.steps == ((6, 0, 6), (4, 0, 6))


def test_a_pass(engine: str) -> None:
    pos = closed_out(engine)
    assert len(pos.plays(6, 5)) == 0
    assert not pos.plays(6, 5)
    for nothing in ("", "pass", " PASS ", (), []):
        play = pos.parse_play(nothing, (6, 5))
        assert (play.is_pass, play.steps, str(play)) == (True, (), "pass")
        assert (play.end, play.next) == (pos, pos.flip())
        assert pos.play(nothing, (6, 5)) == pos.flip()
    assert pos.parse_play("", (6, 5)) == pos.parse_play("", (4, 4))


def test_plays_are_equal_by_end_and_rules() -> None:
    pos = start("portes")
    one, same = pos.plays(6, 5)[0], pos.plays(5, 6)[0]
    assert one == same == start("portes", "reference").plays(6, 5)[0]
    assert len({one, same, pos.plays(6, 5)[1]}) == 2
    assert one != tavli.variant("portes", single_die="either").start().plays(6, 5)[0]
    assert one != "24/13"


def test_a_play_is_immutable_and_can_be_pickled(engine: str) -> None:
    play = start("portes", engine).plays(3, 1)[4]
    with pytest.raises(AttributeError, match="immutable"):
        play.steps = ()
    copy = pickle.loads(pickle.dumps(play))
    assert (copy, copy.steps, copy.dice, copy.start) == (play, play.steps, play.dice, play.start)


# --- playing on


def test_a_game_from_texts(engine: str) -> None:
    pos = start("plakoto", engine)
    pos = pos.play("24/18 24/19", (6, 5))
    assert (pos.own, pos.opp) == ({24: 15}, {7: 1, 6: 1, 1: 13})
    pos = pos.play("24/18, 24/22", (6, 2))
    assert pos == pos.flip().flip()
    assert pos.opp == {7: 1, 3: 1, 1: 13}


def test_a_play_is_given_as_text_play_or_steps(engine: str) -> None:
    pos = start("portes", engine)
    play = pos.plays(6, 5)[1]
    steps = [list(step) for step in play.steps]
    for given_play in (play, str(play), play.steps, play.steps[::-1], steps):
        assert pos.parse_play(given_play, (6, 5)) == play
        assert pos.play(given_play, (5, 6)) == play.next
    assert pos.play(play) == play.next


def test_a_play_of_another_position_is_checked(engine: str) -> None:
    play = start("portes", engine).parse_play("13/7 8/3", (6, 5))
    with pytest.raises(tavli.IllegalPlay) as refused:
        start("plakoto", engine).play(play)
    assert refused.value.code is tavli.IllegalCode.NO_CHECKER
    with pytest.raises(tavli.IllegalPlay) as refused:
        play.start.play(play, (6, 4))
    assert refused.value.code is tavli.IllegalCode.WRONG_DIE


@pytest.mark.parametrize(
    ("play", "error"),
    [
        (None, TypeError),
        (7, TypeError),
        (b"24/13", TypeError),
        ({(24, 18, 6)}, TypeError),
        ([24, 18, 6], TypeError),
        ([(24, 6)], TypeError),
        (["24/18"], TypeError),
        ([(24, 18, 6, 0)], TypeError),
        ([(24.0, 18, 6)], TypeError),
        ([(True, 0, 1)], TypeError),
        ([(24, 24, 6)], tavli.NotationError),
        ([(30, 24, 6)], tavli.NotationError),
        ([(24, -18, 6)], tavli.NotationError),
        ([(24, 18, 10**30)], tavli.NotationError),
        ([(24, 17, 6)], tavli.IllegalPlay),
        ([(24, 18, 6)] * 9, tavli.IllegalPlay),
    ],
)
def test_what_is_no_play_is_refused(play: object, error: type[Exception], engine: str) -> None:
    with pytest.raises(error):
        start("portes", engine).play(play, (6, 5))


def test_a_text_needs_dice() -> None:
    with pytest.raises(TypeError, match="dice are missing"):
        start("portes").play("24/13")


def test_positions_in_writing_are_text() -> None:
    for wrong in (
        lambda: tavli.Position.from_text("portes", 7),
        lambda: tavli.Position.from_text(None, "start"),
        lambda: tavli.Position.parse("portes", own=["24*2"], opp="1*15"),
        lambda: tavli.Position.parse("portes", own="24*2", opp="1*15", own_pinned=1),
        lambda: tavli.Position.random(7, 1),
    ):
        with pytest.raises(TypeError):
            wrong()


# --- random positions


@settings(max_examples=40)
@given(st.integers(0, 2**64 - 1))
def test_random_positions_are_reproducible_and_not_over(seed: int) -> None:
    preset, switches = random_rules(Random(seed))
    variant = tavli.variant(preset, **switches)
    pos = tavli.Position.random(variant, seed)
    assert pos == tavli.Position.random(variant, seed)
    assert pos.result is None


def test_random_positions_differ_and_are_the_same_from_both_engines() -> None:
    positions = [tavli.Position.random("plakoto", seed) for seed in range(20)]
    assert len(set(positions)) > 15
    assert tavli.Position.random(tavli.variant("plakoto", engine="reference"), 3) == positions[3]
    for seed, error in ((-1, ValueError), (2**64, ValueError), ("1", TypeError)):
        with pytest.raises(error):
            tavli.Position.random("plakoto", seed)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_the_length_is_the_number_of_plays(seed: int) -> None:
    rng = Random(seed)
    preset, switches = random_rules(rng)
    variant = tavli.variant(preset, **switches)
    pos = variant.position(as_array(random_row(rng, variant)))
    if pos.result is None:
        plays = pos.plays(random_roll(rng))
        assert len(plays) == len(list(plays)) == len(set(plays))
