"""Why a play is not legal: every code, on positions built for it, and what the messages say."""

from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import as_array, random_roll, random_row, random_rules

import tavli_fast as tavli
from tavli_fast import IllegalCode


class Refused(NamedTuple):
    """A play that is not legal, and why."""

    code: IllegalCode
    preset: str
    position: str
    dice: tuple[int, int]
    play: str
    says: str
    switches: tuple[tuple[str, str], ...] = ()


CASES = [
    Refused(
        IllegalCode.BLOCKED,
        "portes",
        "start",
        (6, 5),
        "24/19 13/7",
        "24/19 13/7: 24/19: point 19 is held by the other side (5)",
    ),
    Refused(
        IllegalCode.BLOCKED,
        "portes",
        "own: bar 6*14; opp: 20*2 1*13",
        (5, 1),
        "6/5 bar/20",
        "6/5 bar/20: bar/20: point 20 is held by the other side (2)",
    ),
    Refused(
        IllegalCode.BLOCKED,
        "plakoto",
        "own: 24*13 18; opp: 12 1*14; own_pinned: 12",
        (6, 5),
        "18/12",
        "18/12: point 12 is held by the other side (1)",
    ),
    Refused(
        IllegalCode.BAR_FIRST,
        "portes",
        "own: bar 8*14; opp: 1*15",
        (6, 2),
        "8/2 8/6",
        "8/2 8/6: 8/2: 1 on the bar must enter first",
    ),
    Refused(
        IllegalCode.PINNED,
        "plakoto",
        "own: 24*14; opp: 10 1*14; own_pinned: 10",
        (6, 5),
        "10/4 24/19",
        "10/4 24/19: 10/4: the checker on 10 is pinned",
    ),
    Refused(
        IllegalCode.NO_CHECKER,
        "portes",
        "start",
        (6, 5),
        "20/14 13/8",
        "20/14 13/8: 20/14: no own checker on point 20",
    ),
    Refused(
        IllegalCode.NO_CHECKER,
        "plakoto",
        "start",
        (6, 5),
        "bar/20",
        "bar/20: no own checker on the bar",
    ),
    Refused(
        IllegalCode.WRONG_DIE,
        "portes",
        "start",
        (6, 5),
        "24/20 13/8",
        "24/20 13/8: 24/20 cannot be made of the roll 6-5",
    ),
    Refused(
        IllegalCode.WRONG_DIE,
        "portes",
        "start",
        (6, 5),
        "24/18 13/7",
        "24/18 13/7: 2 moves together cannot be made of the roll 6-5",
    ),
    Refused(
        IllegalCode.NOT_ALL_HOME,
        "portes",
        "own: 7 6*14; opp: 24*15",
        (6, 5),
        "6/off",
        "6/off: own checkers are not home yet: 7",
    ),
    Refused(
        IllegalCode.NOT_ALL_HOME,
        "plakoto_mamoun",
        "own: 6*14; opp: 3 24*14; own_pinned: 3",
        (6, 6),
        "6/off(4)",
        "6/off(4): 6/off: an own checker pinned at home keeps all from bearing off",
    ),
    Refused(
        IllegalCode.HIGHER_CHECKER,
        "portes",
        "own: 6 4; opp: 24",
        (5, 1),
        "4/off 6/5",
        "4/off 6/5: 4/off: a 5 bears off from 4 only when no own checker stands higher",
    ),
    Refused(
        IllegalCode.EXACT_ONLY,
        "portes",
        "own: 4 2; opp: 24",
        (6, 5),
        "4/off",
        "4/off: only a 4 bears off from 4, not a 6",
        (("overshoot", "never"),),
    ),
    Refused(
        IllegalCode.INSIDE_MOVE,
        "portes",
        "own: 6 4; opp: 24",
        (2, 1),
        "6/4 4/3",
        "no steps inside home once all checkers are home",
        (("inside_moves", "never"),),
    ),
    Refused(
        IllegalCode.RUNNER,
        "fevga",
        "start",
        (6, 5),
        "24/18 24/19",
        "24/18 24/19: 24/19: only the runner, on 18, may move until it is freed",
    ),
    Refused(
        IllegalCode.HEAD,
        "narde",
        "start",
        (6, 5),
        "24/18 24/19",
        "24/18 24/19: 24/19: no more than 1 may leave the head this turn",
    ),
    Refused(
        IllegalCode.HIT_AND_RUN,
        "tavla",
        "own: 20*11 8*2 6*2; opp: 24*14 5",
        (3, 2),
        "8/5*/3",
        "8/5*/3: 5/3: a checker that hit at home stays on 5 this turn",
    ),
    Refused(
        IllegalCode.WALL,
        "fevga",
        "own: 24*4 23*2 22 21 20 5*6; opp: 12*15",
        (5, 1),
        "24/19 5/4",
        "it leaves a forbidden wall, with 24 23 22 21 20 19 5 4 held",
    ),
    Refused(
        IllegalCode.WALL,
        "fevga",
        "own: 24*4 23*2 22 21 20 5*6; opp: 12*15",
        (5, 1),
        "24/19 5/4",
        "24/19: the step makes a forbidden wall",
        (("wall_test", "each_step"),),
    ),
    Refused(
        IllegalCode.MUST_OPEN,
        "fevga",
        "own: 11*4 10*3 9 8*2 7*2 6*3; opp: 12*15",
        (5, 1),
        "11/6 11/10",
        "11/6 11/10: it leaves the other side totally blocked; legal: 11/6 9/8; 10/5 9/8; ",
    ),
    Refused(
        IllegalCode.MUST_USE_MORE_DICE,
        "portes",
        "start",
        (6, 5),
        "24/18",
        "24/18: the 5 must be used too: 24/13; 24/18 13/8; 24/18 8/3",
    ),
    Refused(
        IllegalCode.MUST_USE_MORE_DICE,
        "portes",
        "start",
        (6, 5),
        "pass",
        "pass: there is a play: 24/13; 24/18 13/8; 24/18 8/3 ...",
    ),
    Refused(
        IllegalCode.MUST_USE_MORE_DICE,
        "portes",
        "start",
        (6, 6),
        "24/18 13/7",
        "24/18 13/7: 4 steps can be made: 24/18(2) 13/7(2); 24/18(2) 13/7 8/2; 24/18 13/7(3) ...",
    ),
    Refused(
        IllegalCode.MUST_USE_MORE_DICE,
        "portes",
        "own: 24 8; opp: 18*2 13*2",
        (6, 5),
        "8/3",
        "8/3: 2 dice can be used: 24/19 8/2",
    ),
    Refused(
        IllegalCode.HIGHER_DIE,
        "portes",
        "own: 24; opp: 15*2",
        (6, 3),
        "24/21",
        "24/21: the higher die can be played: 24/18",
    ),
]


def position(case: Refused, engine: str) -> tavli.Position:
    variant = tavli.variant(case.preset, engine=engine, **dict(case.switches))
    return tavli.Position.from_text(variant, case.position)


def refusal(
    pos: tavli.Position, steps: list[tuple[int, int, int]], roll: tuple[int, int]
) -> tuple[IllegalCode, str] | None:
    """Code and message for steps that are no legal play."""
    try:
        pos.parse_play(steps, roll)
    except tavli.IllegalPlay as error:
        return error.code, str(error)
    return None


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code.name}-{case.play}")
def test_refused(case: Refused, engine: str) -> None:
    with pytest.raises(tavli.IllegalPlay) as refused:
        position(case, engine).play(case.play, case.dice)
    assert (refused.value.code, case.says in str(refused.value)) == (case.code, True), str(
        refused.value
    )


def test_every_code_is_provoked() -> None:
    assert {case.code for case in CASES} == set(IllegalCode)


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1))
def test_codes_belong_to_rules_that_are_in_force(seed: int) -> None:
    """Random steps: what is refused is refused for a rule the game has, on both engines alike."""
    rng = Random(seed)
    preset, switches = random_rules(rng)
    variant = tavli.variant(preset, **switches)
    pos = variant.position(as_array(random_row(rng, variant)))
    roll = random_roll(rng)
    if pos.result is not None:
        return
    rules = variant.rules
    possible = {
        IllegalCode.BAR_FIRST: rules.contact == "hit",
        IllegalCode.PINNED: rules.contact == "pin",
        IllegalCode.EXACT_ONLY: rules.overshoot == "never",
        IllegalCode.INSIDE_MOVE: rules.inside_moves == "never",
        IllegalCode.RUNNER: rules.runner != "none",
        IllegalCode.HEAD: rules.head_limit != "none",
        IllegalCode.HIT_AND_RUN: rules.hit_and_run_home == "forbidden",
        IllegalCode.MUST_OPEN: rules.total_block != "free",
        IllegalCode.HIGHER_DIE: rules.single_die == "higher" and roll[0] != roll[1],
        IllegalCode.WALL: {rules.wall_six, rules.wall_own_quarter, rules.wall_opp_zone} != {"free"},
    }
    twin = tavli.variant(preset, engine="reference", **switches).position(pos.row)
    for _ in range(10):
        source = rng.randint(1, 25)
        steps = [(source, max(source - die, 0), die) for die in roll[: rng.randint(0, 2)]]
        refused, same = refusal(pos, steps, roll), refusal(twin, steps, roll)
        assert refused == same
        assert refused is None or possible.get(refused[0], True), refused
