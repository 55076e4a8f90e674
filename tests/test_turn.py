"""A turn step by step: it reaches the legal ends and no others, and every step can be undone."""

import json
from random import Random
from typing import Any

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import Row, as_array, as_row, random_roll, random_row, random_rules
from test_cases import PLAY_CASES, bound, named

import tavli_fast as tavli
from tavli_fast import IllegalCode

SEEDS = st.integers(0, 2**32 - 1)
MOST_WALKS = 3000

StepList = tuple[tuple[int, int], ...]


def start(preset: str, engine: str = "kernel", **switches: Any) -> tavli.Position:
    return tavli.variant(preset, engine=engine, **switches).start()


def at(preset: str, text: str, engine: str = "kernel") -> tavli.Position:
    return tavli.Position.from_text(tavli.variant(preset, engine=engine), text)


def some_turn(seed: int) -> tuple[tavli.Turn, Random] | None:
    """A turn on a position of some rules, unless the game is over there."""
    rng = Random(seed)
    preset, switches = random_rules(rng)
    variant = tavli.variant(preset, **switches)
    pos = variant.position(as_array(random_row(rng, variant)))
    return (pos.turn(random_roll(rng)), rng) if pos.result is None else None


def walks(turn: tavli.Turn) -> dict[StepList, Row]:
    """Every complete walk, as (from, die), and where it ends."""
    if turn.complete:
        assert turn.steps() == ()
        pairs = tuple((source, die) for source, _, die in turn.made)
        return {pairs: as_row(turn.end.row)}
    found: dict[StepList, Row] = {}
    for source, target, die in turn.steps():
        turn.step(source, target, die=die)
        found |= walks(turn)
        turn.undo()
    return found


# --- which steps


def test_steps_of_a_turn(engine: str) -> None:
    turn = start("portes", engine).turn(6, 5)
    assert (turn.dice, turn.made, turn.complete, turn.forced) == ((6, 5), (), False, False)
    assert turn.steps() == (
        (24, 18, 6),
        (13, 7, 6),
        (8, 2, 6),
        (13, 8, 5),
        (8, 3, 5),
    )
    assert (turn.play, turn.end) == (None, None)
    turn.step(13, 8)
    assert turn.steps() == ((24, 18, 6), (13, 7, 6), (8, 2, 6))
    assert turn.position.own == {24: 2, 13: 4, 8: 4, 6: 5}
    turn.step(24, 18)
    assert (turn.complete, turn.steps()) == (True, ())
    assert str(turn.play) == "24/18 13/8"
    assert turn.made == ((13, 8, 5), (24, 18, 6))
    assert turn.end == turn.play.end == turn.position


def test_only_steps_that_lead_to_a_legal_play(engine: str) -> None:
    turn = at("portes", "own: 24 8; opp: 18*2 13*2", engine).turn(6, 5)
    assert turn.steps() == ((8, 2, 6), (24, 19, 5))
    assert turn.forced
    for source, target, code in (
        (8, 3, IllegalCode.MUST_USE_MORE_DICE),
        (24, 18, IllegalCode.BLOCKED),
        (24, 20, IllegalCode.WRONG_DIE),
    ):
        with pytest.raises(tavli.IllegalPlay) as refused:
            turn.step(source, target)
        assert refused.value.code is code


def test_the_higher_die_alone(engine: str) -> None:
    turn = at("portes", "own: 24; opp: 15*2", engine).turn(6, 3)
    assert turn.steps() == ((24, 18, 6),)
    with pytest.raises(tavli.IllegalPlay, match="higher die can be played: 24/18") as refused:
        turn.step(24, 21)
    assert refused.value.code is IllegalCode.HIGHER_DIE


def test_most_dice_even_where_the_end_is_the_same(engine: str) -> None:
    pos = at("portes", "own: 6; opp: 24", engine)
    turn = pos.turn(6, 1)
    assert turn.steps() == ((6, 5, 1),)
    with pytest.raises(tavli.IllegalPlay) as refused:
        turn.step(6, 0)
    assert refused.value.code is IllegalCode.MUST_USE_MORE_DICE
    turn.step(6, 5)
    turn.step(5, 0)
    assert turn.play == pos.parse_play("6/off", (6, 1))


def test_a_step_that_ends_in_a_wall(engine: str) -> None:
    turn = at("fevga", "own: 24*4 23*2 22 21 20 5*6; opp: 12*15", engine).turn(5, 1)
    turn.step(24, 19)
    with pytest.raises(tavli.IllegalPlay) as refused:
        turn.step(5, 4)
    assert refused.value.code is IllegalCode.WALL
    turn.step(20, 19)
    assert turn.complete


def test_a_step_that_fails_to_open(engine: str) -> None:
    turn = at("fevga", "own: 11*4 10*3 9 8*2 7*2 6*3; opp: 12*15", engine).turn(5, 1)
    turn.step(11, 6)
    with pytest.raises(tavli.IllegalPlay) as refused:
        turn.step(11, 10)
    assert refused.value.code is IllegalCode.MUST_OPEN
    turn.step(9, 8)
    assert str(turn.play) == "11/6 9/8"


def test_of_two_dice_that_bear_off_the_larger_one_is_used(engine: str) -> None:
    pos = at("portes", "own: 4*2 2; opp: 24", engine)
    turn = pos.turn(6, 5)
    assert turn.steps() == ((4, 0, 6), (4, 0, 5))
    turn.step(4, 0)
    assert turn.made == ((4, 0, 6),)
    turn.undo()
    turn.step(4, 0, die=5)
    assert turn.made == ((4, 0, 5),)
    assert turn.steps() == ((4, 0, 6),)
    with pytest.raises(tavli.IllegalPlay, match="left: 6") as refused:
        turn.step(4, 0, die=5)
    assert refused.value.code is IllegalCode.WRONG_DIE


def test_a_pass_is_complete_from_the_beginning(engine: str) -> None:
    pos = at("portes", "own: bar 6*14; opp: 24*2 23*2 22*2 21*2 20*2 19*2 1*3", engine)
    turn = pos.turn(6, 5)
    assert (turn.complete, turn.forced, turn.steps()) == (True, False, ())
    assert turn.play.is_pass
    assert turn.end == pos
    with pytest.raises(tavli.IllegalPlay) as refused:
        turn.step(25, 20)
    assert refused.value.code is IllegalCode.BLOCKED


def test_no_step_after_the_last(engine: str) -> None:
    turn = start("fevga", engine).turn(6, 5)
    assert turn.forced
    turn.step(24, 18)
    turn.step(18, 13)
    with pytest.raises(tavli.IllegalPlay, match="left: none"):
        turn.step(24, 18)


@settings(max_examples=150)
@given(SEEDS)
def test_walks_are_the_step_lists_of_the_oracle(seed: int) -> None:
    """Every order of steps that the rules allow, and no other; all ends are reached."""
    drawn = some_turn(seed)
    if drawn is None:
        return
    turn, _ = drawn
    rules = dict(turn.start.rules.items())
    lists = oracle.legal_step_lists(rules, as_row(turn.start.row), turn.dice)
    expected = {steps: end for end, all_steps in lists.items() for steps in all_steps}
    if len(expected) <= MOST_WALKS:
        assert walks(turn) == (expected or {(): as_row(turn.start.row)})
    assert turn.made == ()


# --- undo


@pytest.mark.parametrize("case", named(PLAY_CASES))
def test_ap01_ap02_undo_gives_back_every_byte(case: dict[str, Any]) -> None:
    """Every legal play of every case, hits and pins among them, taken back step by step."""
    pos = bound(case, "kernel").position(as_array(case["row"]))
    turn = pos.turn(case["dice"])
    for play in pos.plays(case["dice"]):
        rows = []
        for source, target, die in play.steps:
            rows.append(turn.position.row.tolist())
            turn.step(source, target, die=die)
        assert turn.play == play
        for row in reversed(rows):
            turn.undo()
            assert turn.position.row.tolist() == row
        assert turn.position == pos


@settings(max_examples=100)
@given(SEEDS)
def test_undo_takes_back_exactly_one_step(seed: int) -> None:
    drawn = some_turn(seed)
    if drawn is None:
        return
    turn, rng = drawn
    states = [turn.to_dict()]
    positions = [turn.position]
    for _ in range(30):
        if turn.complete or (len(states) > 1 and rng.random() < 0.3):
            if len(states) == 1:
                break
            turn.undo()
            states.pop()
            positions.pop()
        else:
            source, target, die = rng.choice(turn.steps())
            turn.step(source, target, die=die)
            states.append(turn.to_dict())
            positions.append(turn.position)
        assert (turn.to_dict(), turn.position) == (states[-1], positions[-1])


def test_there_is_nothing_to_undo_at_the_beginning() -> None:
    with pytest.raises(tavli.TavliError, match="nothing to take back"):
        start("portes").turn(6, 5).undo()


# --- refusals


@settings(max_examples=100)
@given(SEEDS)
def test_en07_a_refused_step_changes_nothing(seed: int) -> None:
    """Neither the dice nor the position; the steps that are allowed are still allowed."""
    drawn = some_turn(seed)
    if drawn is None:
        return
    turn, rng = drawn
    for _ in range(20):
        die = rng.choice(turn.dice)
        source = rng.randint(1, 25)
        step = (source, max(source - die, 0), die)
        before, allowed = turn.to_dict(), turn.steps()
        if step in allowed:
            turn.step(*step[:2], die=die)
            assert turn.made[-1] == step
        else:
            with pytest.raises(tavli.IllegalPlay):
                turn.step(*step[:2], die=die)
            assert (turn.to_dict(), turn.steps()) == (before, allowed)


@pytest.mark.parametrize(
    ("step", "error"),
    [
        ((24, "18"), TypeError),
        ((24.0, 18), TypeError),
        ((None, 18), TypeError),
        ((True, 0), TypeError),
        ((30, 24), tavli.NotationError),
        ((-1, 0), tavli.NotationError),
        ((24, 30), tavli.NotationError),
        ((24, 10**30), tavli.NotationError),
        ((24, 17), tavli.IllegalPlay),
    ],
)
def test_what_is_no_step_is_refused(step: tuple[Any, Any], error: type[Exception]) -> None:
    turn = start("portes").turn(6, 5)
    with pytest.raises(error):
        turn.step(*step)
    assert turn.made == ()


@pytest.mark.parametrize("die", ["6", 6.0, True])
def test_a_die_is_a_whole_number(die: Any) -> None:
    with pytest.raises(TypeError):
        start("portes").turn(6, 5).step(24, 18, die=die)


# --- plain data


def test_a_turn_goes_through_json(engine: str) -> None:
    turn = start("fevga", engine, total_block="forbidden").turn(5, 5)
    turn.step(24, 19)
    turn.step(19, 14)
    text = json.dumps(turn.to_dict())
    again = tavli.Turn.from_dict(json.loads(text))
    assert again.to_dict() == turn.to_dict()
    assert (again.start, again.position, again.steps()) == (
        turn.start,
        turn.position,
        turn.steps(),
    )
    assert again.start.variant == turn.start.variant
    again.undo()
    assert again.made == ((24, 19, 5),)


@settings(max_examples=100)
@given(SEEDS)
def test_any_turn_goes_through_json(seed: int) -> None:
    drawn = some_turn(seed)
    if drawn is None:
        return
    turn, rng = drawn
    while not turn.complete and rng.random() < 0.8:
        source, target, die = rng.choice(turn.steps())
        turn.step(source, target, die=die)
    again = tavli.Turn.from_dict(json.loads(json.dumps(turn.to_dict())))
    assert (again.to_dict(), again.position) == (turn.to_dict(), turn.position)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"variant": "chess"}, tavli.UnknownVariant),
        ({"variant": 7}, TypeError),
        ({"engine": "gpu"}, tavli.RuleConflict),
        ({"engine": None}, TypeError),
        ({"switches": {"contact": "kiss"}}, tavli.RuleConflict),
        ({"switches": {"speed": "fast"}}, tavli.RuleConflict),
        ({"switches": {"engine": "kernel"}}, TypeError),
        ({"switches": {7: "kernel"}}, TypeError),
        ({"switches": []}, TypeError),
        ({"row": [0] * 31}, tavli.NotationError),
        ({"row": [0] * 32}, tavli.InvalidPosition),
        ({"row": [300] * 32}, tavli.NotationError),
        ({"row": ["0"] * 32}, TypeError),
        ({"row": "0" * 32}, TypeError),
        ({"dice": [6, 7]}, tavli.InvalidDice),
        ({"dice": [6]}, ValueError),
        ({"dice": [[6, 5]]}, TypeError),
        ({"dice": ["6", "5"]}, TypeError),
        ({"steps": [[24, 18]]}, TypeError),
        ({"steps": [[24, 17, 6]]}, tavli.IllegalPlay),
        ({"steps": [[24, 18, 6]] * 2}, tavli.IllegalPlay),
        ({"steps": [None]}, TypeError),
        ({"steps": None}, TypeError),
        ({"more": 1}, tavli.NotationError),
    ],
)
def test_data_of_no_turn_are_refused(change: dict[str, Any], error: type[Exception]) -> None:
    data = start("portes").turn(6, 5).to_dict()
    with pytest.raises(error):
        tavli.Turn.from_dict(data | change)


def test_data_that_are_not_complete_are_refused() -> None:
    data = start("portes").turn(6, 5).to_dict()
    for field in data:
        with pytest.raises(tavli.NotationError, match=field):
            tavli.Turn.from_dict({name: data[name] for name in data if name != field})
    with pytest.raises(TypeError):
        tavli.Turn.from_dict([])


def test_a_turn_shows_what_was_played() -> None:
    turn = start("fevga").turn(6, 5)
    assert repr(turn) == "<Turn 6-5: nothing played>"
    turn.step(24, 18)
    turn.step(18, 13)
    assert repr(turn) == "<Turn 6-5: 24/18 18/13, complete>"
