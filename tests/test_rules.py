"""The rules as written down in ``docs/rules.md``: presets, switches, and what follows from them."""

import dataclasses
import pickle
from random import Random
from typing import Any

import numpy as np
import oracle
import pytest
from positions import CHECKERS, OFF, OPP_OFF, Roll, Row, as_array, with_pins

import tavli_fast as tavli
from tavli_fast.rules.switches import SWITCHES, Value

Switches = dict[str, Value]
Steps = tuple[tuple[int, int], ...]

# --- section 8: the presets -----------------------------------------------------------------------

BASE: Switches = {
    "layout": "stack24",
    "direction": "contrary",
    "contact": "hit",
    "opening": "reroll_both",
    "doubles": "four",
    "cascade_grace": 3,
    "unplayed": "lost",
    "single_die": "higher",
    "runner": "none",
    "head_limit": "none",
    "head_exception": "none",
    "wall_own_quarter": "free",
    "wall_opp_zone": "free",
    "wall_six": "free",
    "total_block": "free",
    "block_trigger": "all15_behind_wall",
    "wall_test": "end_of_turn",
    "hit_and_run_home": "allowed",
    "pinned_home_blocks_off": "no",
    "overshoot": "rearmost",
    "inside_moves": "free",
    "mother": "none",
    "backgammon": "no",
    "score_by": "points",
    "balancing_turn": "none",
    "next_starter": "winner",
}

PORTES: Switches = {"layout": "standard", "direction": "contrary", "contact": "hit"}
PLAKOTO: Switches = {"direction": "contrary", "contact": "pin", "mother": "with_exception"}
FEVGA: Switches = {
    "direction": "parallel",
    "contact": "none",
    "runner": "past_opp_start",
    "wall_own_quarter": "forbidden",
    "total_block": "must_open_next",
    "block_trigger": "all15_behind_wall",
}
MOULTEZIM: Switches = FEVGA | {
    "wall_own_quarter": "free",
    "wall_opp_zone": "max4",
    "total_block": "free",
    "next_starter": "roll",
}
NARDE: Switches = {
    "direction": "parallel",
    "contact": "none",
    "head_limit": "one",
    "head_exception": "664433",
    "wall_six": "needs_enemy_ahead",
}
PARALLEL: Switches = {"direction": "parallel", "contact": "none"}

PRESETS: dict[str, Switches] = {
    "portes": PORTES,
    "portes_kafenio": PORTES | {"single_die": "either"},
    "tavla": PORTES | {"hit_and_run_home": "forbidden"},
    "backgammon": PORTES
    | {
        "opening": "use_opening_dice",
        "backgammon": "yes",
        "next_starter": "roll",
    },
    "plakoto": PLAKOTO,
    "plakoto_kafenio": PLAKOTO | {"single_die": "either"},
    "plakoto_mamoun": PLAKOTO | {"pinned_home_blocks_off": "yes"},
    "tapa": PLAKOTO,
    "mahbusa": PLAKOTO,
    "mahbusa_31": PLAKOTO | {"mother": "none", "score_by": "enemy_checkers_left"},
    "fevga": FEVGA,
    "fevga_wikipedia": FEVGA
    | {
        "wall_opp_zone": "not_quarter",
        "block_trigger": "no_number_playable",
    },
    "fevga_nardgg": FEVGA
    | {
        "opening": "use_opening_dice",
        "runner": "in_opp_quarter",
        "wall_opp_zone": "not_front",
        "total_block": "forbidden",
        "block_trigger": "no_number_playable",
        "next_starter": "roll",
    },
    "fevga_free": FEVGA | {"wall_own_quarter": "free", "total_block": "free"},
    "moultezim": MOULTEZIM,
    "moultezim_free": MOULTEZIM | {"wall_opp_zone": "free"},
    "narde": NARDE,
    "narde_balanced": NARDE | {"balancing_turn": "second_player"},
    "sesbes": NARDE | {"head_exception": "6644"},
    "gul_bara": PARALLEL | {"doubles": "cascade", "cascade_grace": 3},
    "crazy_narde": NARDE
    | {
        "doubles": "cascade",
        "cascade_grace": 0,
        "unplayed": "opponent_plays",
        "overshoot": "never",
        "inside_moves": "never",
    },
    "tawla31": {
        "direction": "contrary",
        "contact": "none",
        "runner": "in_own_home",
        "score_by": "enemy_checkers_left",
    },
    "jacquet": PARALLEL | {"runner": "in_own_home", "wall_six": "needs_own_1_and_2"},
}


def test_names_of_presets() -> None:
    """All of them, in the order of the table."""
    assert tavli.variants() == list(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str, engine: str) -> None:
    """Every switch of every preset."""
    variant = tavli.variant(name, engine=engine)
    assert (variant.name, variant.engine) == (name, engine)
    assert dict(variant.rules.items()) == BASE | PRESETS[name]
    assert type(variant.rules.cascade_grace) is int


def test_base_rules() -> None:
    """Rules without any switch are the base, in the order of the table."""
    assert tavli.Rules().items() == list(BASE.items())


# --- section 3: values ----------------------------------------------------------------------------

VALUES: dict[str, list[Value]] = {
    "layout": ["stack24", "standard"],
    "direction": ["contrary", "parallel"],
    "contact": ["hit", "pin", "none"],
    "opening": ["reroll_both", "use_opening_dice"],
    "doubles": ["four", "cascade"],
    "cascade_grace": [3, 0],
    "unplayed": ["lost", "opponent_plays"],
    "single_die": ["higher", "either"],
    "runner": ["none", "past_opp_start", "in_opp_quarter", "in_own_home"],
    "head_limit": ["none", "one"],
    "head_exception": ["none", "664433", "6644", "any_double", "when_blocked"],
    "wall_own_quarter": ["free", "forbidden"],
    "wall_opp_zone": ["free", "not_quarter", "not_front", "max4"],
    "wall_six": ["free", "needs_enemy_ahead", "never", "needs_own_1_and_2"],
    "total_block": ["free", "must_open_next", "forbidden"],
    "block_trigger": ["all15_behind_wall", "no_number_playable"],
    "wall_test": ["end_of_turn", "each_step"],
    "hit_and_run_home": ["allowed", "forbidden"],
    "pinned_home_blocks_off": ["no", "yes"],
    "overshoot": ["rearmost", "never"],
    "inside_moves": ["free", "never"],
    "mother": ["with_exception", "immediate", "draw_only", "none"],
    "backgammon": ["no", "yes"],
    "score_by": ["points", "enemy_checkers_left"],
    "balancing_turn": ["none", "second_player", "second_player_if_14_off"],
    "next_starter": ["winner", "roll"],
}


def test_switches_and_values() -> None:
    """All of the table, in its order, and no others."""
    assert {name: list(switch.values) for name, switch in SWITCHES.items()} == VALUES
    assert list(SWITCHES) == list(VALUES)
    assert [field.name for field in dataclasses.fields(tavli.Rules)] == list(VALUES)
    assert all(switch.about and all(switch.values.values()) for switch in SWITCHES.values())


@pytest.mark.parametrize(
    ("switches", "words"),
    [
        ({"contacts": "pin"}, ["'contacts'", "did you mean 'contact'?"]),
        ({"pinning": "yes"}, ["'pinning'"]),
        ({"contact": "hits"}, ["contact='hits'", "'hit', 'pin', 'none'"]),
        ({"contact": None}, ["contact=None"]),
        ({"contact": ["hit"]}, ["contact=['hit']"]),
        ({"cascade_grace": 1}, ["cascade_grace=1", "3, 0"]),
        ({"cascade_grace": "3"}, ["cascade_grace='3'"]),
        ({"cascade_grace": 3.0}, ["cascade_grace=3.0"]),
        ({"cascade_grace": False}, ["cascade_grace=False"]),
        ({"backgammon": True}, ["backgammon=True"]),
        ({"head_exception": 664433}, ["head_exception=664433"]),
    ],
)
def test_unknown_switches_and_values(switches: dict[str, Any], words: list[str]) -> None:
    """What was given is named, and what exists."""
    with pytest.raises(tavli.RuleConflict) as raised:
        tavli.variant("portes", **switches)
    assert all(word in str(raised.value) for word in words)


@pytest.mark.parametrize("name", ["fevga2", "", "Portes", "portes ", None, 5, [], b"portes"])
def test_unknown_variants(name: Any) -> None:
    """The name is repeated and all presets are listed."""
    with pytest.raises(tavli.UnknownVariant) as raised:
        tavli.variant(name)
    assert repr(name) in str(raised.value)
    assert all(preset in str(raised.value) for preset in PRESETS)


def test_a_close_name_is_suggested() -> None:
    """The nearest one."""
    with pytest.raises(tavli.UnknownVariant, match="did you mean 'moultezim'"):
        tavli.variant("multezim")


# --- section 3: impossible combinations -----------------------------------------------------------

NOT_PIN = ("hit", "none")
TOUCHING = ("hit", "pin")

# switch, its values, the switch they clash with, its values
CLASHES: list[tuple[str, tuple[Value, ...], str, tuple[Value, ...]]] = [
    ("contact", ("pin",), "direction", ("parallel",)),
    ("layout", ("standard",), "direction", ("parallel",)),
    ("mother", ("with_exception", "immediate", "draw_only"), "contact", NOT_PIN),
    ("pinned_home_blocks_off", ("yes",), "contact", NOT_PIN),
    ("hit_and_run_home", ("forbidden",), "contact", ("pin", "none")),
    ("runner", ("past_opp_start", "in_opp_quarter", "in_own_home"), "contact", TOUCHING),
    ("head_limit", ("one",), "contact", TOUCHING),
    ("total_block", ("must_open_next", "forbidden"), "contact", TOUCHING),
    ("wall_own_quarter", ("forbidden",), "contact", TOUCHING),
    ("wall_opp_zone", ("not_quarter", "not_front", "max4"), "contact", TOUCHING),
    ("wall_six", ("needs_enemy_ahead", "never", "needs_own_1_and_2"), "contact", TOUCHING),
    ("runner", ("past_opp_start", "in_opp_quarter"), "direction", ("contrary",)),
    ("wall_opp_zone", ("not_quarter", "not_front", "max4"), "direction", ("contrary",)),
    ("backgammon", ("yes",), "score_by", ("enemy_checkers_left",)),
]
CLASHING_PAIRS = [
    (first, value, second, other)
    for first, values, second, others in CLASHES
    for value in values
    for other in others
]


def clashes(rules: Switches) -> list[tuple[str, str]]:
    """Pairs of values that exclude each other, as the message writes them."""
    return [
        (f"{first}={value}", f"{second}={other}")
        for first, value, second, other in CLASHING_PAIRS
        if rules[first] == value and rules[second] == other
    ]


@pytest.mark.parametrize(("first", "value", "second", "other"), CLASHING_PAIRS)
def test_impossible_combinations(first: str, value: Value, second: str, other: Value) -> None:
    """Both values are named, when the two are all that is wrong."""
    switches = {first: value, second: other}
    # the rest as far from a clash as it can be
    if "contact" not in switches:
        switches["contact"] = "none" if first in ("runner", "wall_opp_zone") else "hit"
    if "direction" not in switches and first in ("runner", "wall_opp_zone"):
        switches["direction"] = "parallel" if other == "hit" else "contrary"
    expected = clashes(BASE | switches)
    with pytest.raises(tavli.RuleConflict) as raised:
        tavli.Rules(**switches)
    assert (f"{first}={value}", f"{second}={other}") in expected
    assert any(all(word in str(raised.value) for word in pair) for pair in expected)
    if len(expected) == 1:
        assert f"{first}={value}" in str(raised.value)
        assert f"{second}={other}" in str(raised.value)


def test_combinations_are_refused_exactly_when_two_values_clash() -> None:
    """Random switches, most of them refused; both engines play all that is not."""
    rng = Random(3)
    refused = 0
    for _ in range(4000):
        switches = BASE | {
            name: rng.choice(values) for name, values in VALUES.items() if rng.random() < 0.25
        }
        if expected := clashes(switches):
            refused += 1
            with pytest.raises(tavli.RuleConflict) as raised:
                tavli.variant("portes", **switches)
            assert any(all(word in str(raised.value) for word in pair) for pair in expected)
        else:
            kernel = tavli.variant("portes", **switches)
            assert dict(kernel.rules.items()) == switches
            if rng.random() < 0.05:
                reference = tavli.variant("portes", engine="reference", **switches)
                assert kernel.perft(1) == reference.perft(1)
    assert 1000 < refused < 3500


@pytest.mark.parametrize(
    ("detail", "value", "preset"),
    [
        ("head_exception", "any_double", "fevga"),
        ("block_trigger", "no_number_playable", "narde"),
        ("wall_test", "each_step", "portes"),
        ("cascade_grace", 0, "portes"),
        ("unplayed", "opponent_plays", "portes"),
    ],
)
def test_details_without_effect(detail: str, value: Value, preset: str, engine: str) -> None:
    """A switch that refines another one changes nothing while that one is off."""
    plain = tavli.variant(preset, engine=engine)
    detailed = tavli.variant(preset, engine=engine, **{detail: value})
    rows, dice = plain.sample(150, seed=3)
    assert plain.count(rows, dice).tolist() == detailed.count(rows, dice).tolist()
    assert np.array_equal(plain.plays(rows, dice).rows, detailed.plays(rows, dice).rows)


# --- section 8: the mother where nobody names her -------------------------------------------------


def test_mother_that_nobody_names() -> None:
    """With pins she counts, without pins she cannot."""
    assert tavli.variant("tawla31", contact="pin", runner="none").rules.mother == "with_exception"
    assert tavli.variant("portes", contact="pin").rules.mother == "with_exception"
    assert tavli.variant("portes", contact="pin", mother="none").rules.mother == "none"
    assert tavli.variant("portes").rules.mother == "none"
    assert tavli.variant("gul_bara").rules.mother == "none"
    assert tavli.variant("mahbusa_31").rules.mother == "none"


def test_presets_that_name_the_mother_cannot_do_without_pins() -> None:
    """The clash is named, and can be resolved by naming her again."""
    with pytest.raises(tavli.RuleConflict, match=r"mother=with_exception.*contact=hit"):
        tavli.variant("plakoto", contact="hit")
    assert tavli.variant("plakoto", contact="hit", mother="none").rules.contact == "hit"


# --- rules as a value -----------------------------------------------------------------------------


def test_rules_are_frozen_hashable_and_picklable() -> None:
    """Equal by their switches."""
    rules = tavli.variant("fevga").rules
    assert dataclasses.is_dataclass(rules)
    for name in ("runner", "anything"):
        with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
            setattr(rules, name, "none")
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert hash(pickle.loads(pickle.dumps(rules))) == hash(rules)
    assert rules == tavli.Rules(**FEVGA)
    assert rules != tavli.variant("narde").rules
    assert tavli.variant("plakoto").rules == tavli.variant("tapa").rules
    assert len({tavli.variant(name).rules for name in PRESETS}) == len(PRESETS) - 2


# --- plays of hand-made positions -----------------------------------------------------------------


def row_of(own: dict[int, int], opp: dict[int, int]) -> Row:
    """Checkers by point, both sides in the mover's numbering; who is missing is off."""
    row = [0] * 28
    for point, checkers in own.items():
        row[point] = checkers
    for point, checkers in opp.items():
        row[point] = -checkers
    row[OFF], row[OPP_OFF] = CHECKERS - sum(own.values()), CHECKERS - sum(opp.values())
    return with_pins(row, 0)


def plays_of(variant: tavli.Variant, row: Row, roll: Roll) -> list[Steps]:
    """The steps of each play; the oracle has to find the same ends."""
    plays = variant.plays(as_array(row), roll, steps=True)
    ends = {tuple(end) for end in plays.rows.tolist()}
    assert ends == oracle.legal_ends(dict(variant.rules.items()), row, roll)
    assert len(ends) == len(plays.rows) == variant.count(as_array(row), roll)
    return [tuple((p, die) for p, die in steps if die) for steps in plays.steps.tolist()]


def start_plays(name: str, engine: str, roll: Roll) -> list[Steps]:
    """The plays of a roll at the start."""
    variant = tavli.variant(name, engine=engine)
    return plays_of(variant, tuple(variant.start_row().tolist()), roll)


MIXED = [(high, low) for high in range(2, 7) for low in range(1, high)]


# --- section 8: checks at the start position ------------------------------------------------------


@pytest.mark.parametrize("name", ["fevga", "narde"])
@pytest.mark.parametrize("roll", MIXED)
def test_first_mixed_roll_moves_one_checker_by_the_sum(name: str, roll: Roll, engine: str) -> None:
    """One play of one checker."""
    high, low = roll
    assert start_plays(name, engine, roll) == [((24, high), (24 - high, low))]


@pytest.mark.parametrize(
    ("name", "die", "expected"),
    [
        ("fevga", 6, [(24,)]),
        ("fevga", 5, [(24, 19, 14, 24), (24, 19, 14, 9)]),
        ("fevga", 4, [(24, 20)]),
        ("fevga", 3, [(24, 21, 18)]),
        ("fevga", 2, [(24, 22, 20, 18)]),
        ("fevga", 1, [(24, 23, 22, 21)]),
        ("narde", 6, [(24, 24)]),
        ("narde", 5, [(24, 19, 14, 9)]),
        ("narde", 4, [(24, 24, 20, 20)]),
        ("narde", 3, [(24, 24, 21, 21), (24, 24, 21, 18)]),
        ("narde", 2, [(24, 22, 20, 18)]),
        ("narde", 1, [(24, 23, 22, 21)]),
    ],
)
def test_first_doubles(name: str, die: int, expected: list[tuple[int, ...]], engine: str) -> None:
    """The sources of every play."""
    found = start_plays(name, engine, (die, die))
    assert [tuple(source for source, _ in steps) for steps in found] == expected


@pytest.mark.parametrize(("roll", "plays"), [((3, 1), 16), ((6, 5), 7), ((4, 4), 52)])
def test_first_rolls_of_portes(roll: Roll, plays: int, engine: str) -> None:
    """The numbers that every program of the game gives."""
    assert len(start_plays("portes", engine, roll)) == plays


def test_rolls_and_their_weights() -> None:
    """21 rolls, each in one order, with probabilities that add up; nobody can change them."""
    rolls = [tuple(roll) for roll in tavli.ROLLS.tolist()]
    assert rolls == [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
    assert tavli.ROLLS.dtype == np.int8
    assert tavli.ROLL_WEIGHTS.dtype == np.float64
    assert tavli.ROLL_WEIGHTS.tolist() == [(1 if a == b else 2) / 36 for a, b in rolls]
    assert tavli.ROLL_WEIGHTS.sum() == pytest.approx(1)
    for array in (tavli.ROLLS, tavli.ROLL_WEIGHTS):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


# --- section 2: what follows from the order of its points -----------------------------------------


def test_if_some_play_uses_both_dice_all_plays_of_one_die_are_illegal(engine: str) -> None:
    """24/18 would leave no 2: the 6 has to be 8/2, though either die may be chosen alone."""
    row = row_of({24: 1, 8: 1}, {16: 2, 6: 2})
    portes = tavli.variant("portes_kafenio", engine=engine)
    assert plays_of(portes, row, (6, 2)) == [((8, 6), (24, 2))]


def test_if_some_play_uses_both_dice_even_if_they_work_in_one_order_only(engine: str) -> None:
    """13/7 and 9/7 are shut, 13/11 alone would do, but only 13/11/5 uses both dice."""
    row = row_of({13: 1, 9: 1, 2: 13}, {3: 2, 7: 2, 24: 11})
    portes = tavli.variant("portes", engine=engine)
    assert plays_of(portes, row, (6, 2)) == [((13, 2), (11, 6))]


# 24-20 held, 19 in reach of 24 by a 5, and the opponent on all points that other steps would use
OWN_QUARTER = {24: 2, 23: 2, 22: 2, 21: 2, 20: 2}
SHUT_BEHIND = {18: 3, 17: 3, 16: 3, 15: 2, 14: 2, 13: 2}


def test_a_die_whose_every_end_breaks_a_wall_rule_cannot_be_played(engine: str) -> None:
    """The only step of 6-5, 24/19, would hold all of 24-19: the turn is a pass."""
    row = row_of(OWN_QUARTER, SHUT_BEHIND)
    assert plays_of(tavli.variant("fevga", engine=engine), row, (6, 5)) == []
    free = tavli.variant("fevga", engine=engine, wall_own_quarter="free")
    assert plays_of(free, row, (6, 5)) == [((24, 5),)]


def test_restrictions_come_before_maximising(engine: str) -> None:
    """Both dice would hold all of 24-19, so the lower one is played, although two could be."""
    row = row_of(OWN_QUARTER | {24: 3}, SHUT_BEHIND)
    assert plays_of(tavli.variant("fevga", engine=engine), row, (5, 4)) == [((24, 4),)]
    free = tavli.variant("fevga", engine=engine, wall_own_quarter="free")
    assert plays_of(free, row, (5, 4)) == [((24, 5), (24, 4)), ((24, 5), (23, 4))]


def test_the_duty_to_open_may_lead_to_a_play_of_one_die(engine: str) -> None:
    """The opponent's 15 stand behind the wall 6-1; 13/10/4 uses both dice but keeps it."""
    row = row_of({6: 1, 5: 1, 4: 1, 3: 1, 2: 1, 1: 1, 13: 9}, {7: 15})
    fevga = tavli.variant("fevga", engine=engine)
    assert plays_of(fevga, row, (6, 3)) == [((6, 3),), ((5, 3),), ((4, 3),)]
    free = tavli.variant("fevga", engine=engine, total_block="free")
    assert plays_of(free, row, (6, 3)) == [((13, 3), (10, 6))]


def test_one_who_has_no_way_to_open_just_plays_on(engine: str) -> None:
    """The same wall with two checkers on each point, and a roll that opens none of them."""
    row = row_of({6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 13: 3}, {7: 15})
    fevga = tavli.variant("fevga", engine=engine)
    assert plays_of(fevga, row, (6, 3)) == [((13, 3), (10, 6))]


def test_a_wall_rule_judges_the_end_not_the_change(engine: str) -> None:
    """All of 24-19 stood before: every play has to give one of them up, 5/3 5/4 is illegal."""
    row = row_of({24: 2, 23: 2, 22: 2, 21: 2, 20: 2, 19: 2, 5: 3}, {12: 15})
    fevga = tavli.variant("fevga", engine=engine)
    assert plays_of(fevga, row, (2, 1)) == [((p, 2), (p, 1)) for p in range(24, 18, -1)]
    free = tavli.variant("fevga", engine=engine, wall_own_quarter="free")
    assert ((5, 2), (5, 1)) in plays_of(free, row, (2, 1))


def test_a_permission_can_turn_into_an_obligation(engine: str) -> None:
    """Narde, 4-4 at the start: one checker could use two of the 4s, two use all four."""
    assert start_plays("narde", engine, (4, 4)) == [((24, 4), (24, 4), (20, 4), (20, 4))]
    strict = tavli.variant("narde", engine=engine, head_exception="none")
    start = tuple(strict.start_row().tolist())
    assert plays_of(strict, start, (4, 4)) == [((24, 4), (20, 4))]


def test_example_of_the_higher_die(engine: str) -> None:
    """24/18 is the only play; with ``either`` there are two."""
    row = row_of({24: 1}, {15: 2})
    higher = tavli.variant("portes", engine=engine)
    assert plays_of(higher, row, (6, 3)) == [((24, 6),)]
    either = tavli.variant("portes_kafenio", engine=engine)
    assert plays_of(either, row, (6, 3)) == [((24, 6),), ((24, 3),)]


def test_example_of_bearing_off_opened_by_a_step(engine: str) -> None:
    """9/3 6/2 and 9/5 6/off, where the 4 comes first."""
    row = row_of({9: 1, 6: 1}, {24: 2})
    portes = tavli.variant("portes", engine=engine)
    assert plays_of(portes, row, (6, 4)) == [((9, 6), (6, 4)), ((9, 4), (6, 6))]


def test_example_of_one_end_by_two_lengths(engine: str) -> None:
    """3/off by one die and 3/1 1/off by two are one play, legal by way of the longer."""
    row = row_of({3: 1}, {24: 2})
    portes = tavli.variant("portes", engine=engine)
    assert plays_of(portes, row, (6, 2)) == [((3, 2), (1, 6))]


# --- sections 1 and 3: walls ----------------------------------------------------------------------


def ends_that_hold(variant: tavli.Variant, row: Row, roll: Roll, points: list[int]) -> int:
    """How many ends hold all of these points."""
    plays_of(variant, row, roll)
    ends = variant.plays(as_array(row), roll).rows
    return int((ends[:, points] > 0).all(axis=1).sum())


def test_a_run_across_my_1_and_24_is_a_wall(engine: str) -> None:
    """3-2-1-24-23-22 are the opponent's 15-14-13-12-11-10."""
    row = row_of({24: 2, 23: 2, 22: 2, 4: 1, 2: 2, 1: 2}, {12: 15})
    points = [3, 2, 1, 24, 23, 22]
    assert ends_that_hold(tavli.variant("gul_bara", engine=engine), row, (6, 1), points) > 0
    never = tavli.variant("gul_bara", engine=engine, wall_six="never")
    assert never.count(as_array(row), (6, 1)) > 0
    assert ends_that_hold(never, row, (6, 1), points) == 0


def test_a_run_across_my_13_and_12_is_no_wall(engine: str) -> None:
    """There the opponent's path stops."""
    row = row_of({18: 1, 15: 2, 14: 2, 13: 2, 11: 2, 10: 2}, {20: 15})
    never = tavli.variant("gul_bara", engine=engine, wall_six="never")
    assert ends_that_hold(never, row, (6, 1), [15, 14, 13, 12, 11, 10]) > 0


def test_an_opposing_checker_has_to_be_ahead_of_every_wall(engine: str) -> None:
    """On his 8 it is ahead of the wall on his 14-9, not of the one on his 7-2."""
    both = dict.fromkeys([19, 18, 17, 16, 15, 14, 2, 1, 24, 23, 22, 21], 1)
    narde = tavli.variant("narde", engine=engine)
    between = row_of(both | {10: 3}, {20: 1, 12: 14})
    assert ends_that_hold(narde, between, (2, 1), list(both)) == 0
    assert ends_that_hold(narde, between, (2, 1), [2, 1, 24, 23, 22, 21]) > 0
    ahead = row_of(both | {10: 3}, {13: 1, 12: 14})
    assert ends_that_hold(narde, ahead, (2, 1), list(both)) > 0


def test_a_checker_borne_off_is_ahead_of_every_wall(engine: str) -> None:
    """One is enough."""
    wall = dict.fromkeys(range(13, 19), 2)
    narde = tavli.variant("narde", engine=engine)
    assert ends_that_hold(narde, row_of(wall | {10: 3}, {12: 15}), (2, 1), list(wall)) == 0
    assert ends_that_hold(narde, row_of(wall | {10: 3}, {12: 14}), (2, 1), list(wall)) > 0


@pytest.mark.parametrize(
    ("stack", "wall"),
    [(12, range(6, 12)), (19, range(13, 19)), (7, range(1, 7)), (4, [3, 2, 1, 24, 23, 22])],
)
def test_all_15_behind_a_wall_wherever_they_stand(stack: int, wall: list[int], engine: str) -> None:
    """On the opponent's 24, 7, 19 and 16 (my 12, 19, 7 and 4) with my wall directly in front."""
    row = row_of(dict.fromkeys(wall, 1) | {10 if 10 not in wall else 20: 8}, {stack: 15})
    fevga = tavli.variant("fevga", engine=engine, wall_own_quarter="free")
    free = tavli.variant("fevga_free", engine=engine)
    assert ends_that_hold(free, row, (2, 1), list(wall)) > 0
    assert fevga.count(as_array(row), (2, 1)) > 0
    assert ends_that_hold(fevga, row, (2, 1), list(wall)) == 0


@pytest.mark.parametrize(("stack", "wall"), [(18, range(13, 18)), (12, range(5, 11))])
def test_15_are_not_totally_blocked_without_six_points_directly_in_front(
    stack: int, wall: range, engine: str
) -> None:
    """On the opponent's 6, where five points lead home, and with a gap before the wall."""
    row = row_of(dict.fromkeys(wall, 1) | {4: 9}, {stack: 15})
    fevga = tavli.variant("fevga", engine=engine)
    assert ends_that_hold(fevga, row, (2, 1), list(wall)) > 0


# --- section 10: common misreadings ---------------------------------------------------------------


def test_two_checkers_may_play_the_two_dice(engine: str) -> None:
    """Nothing ties the dice to one checker."""
    row = row_of({13: 2}, {24: 2})
    portes = tavli.variant("portes", engine=engine)
    assert plays_of(portes, row, (2, 1)) == [((13, 2), (13, 1)), ((13, 2), (11, 1))]


def test_a_checker_on_a_higher_point_has_to_be_moved(engine: str) -> None:
    """A 4 takes nothing off from 3 while a checker stands on 6; it is moved 6/2."""
    row = row_of({6: 1, 3: 1}, {24: 2})
    portes = tavli.variant("portes", engine=engine)
    assert plays_of(portes, row, (4, 4)) == [((6, 4), (3, 4), (2, 4))]


def test_dice_are_counted_not_pips(engine: str) -> None:
    """With single_die=either the 1 is as good as the 6."""
    row = row_of({24: 1}, {17: 2})
    either = tavli.variant("portes_kafenio", engine=engine)
    assert plays_of(either, row, (6, 1)) == [((24, 6),), ((24, 1),)]


def test_doubles_are_played_as_far_as_possible(engine: str) -> None:
    """The third 5 of three is compulsory, and a play of two is none."""
    row = row_of({24: 1}, {4: 2})
    portes = tavli.variant("portes", engine=engine)
    assert plays_of(portes, row, (5, 5)) == [((24, 5), (19, 5), (14, 5))]


def test_a_step_inside_home_may_be_chosen_instead_of_bearing_off(engine: str) -> None:
    """But no die may be left unplayed."""
    row = row_of({6: 1, 2: 1}, {24: 2})
    portes = tavli.variant("portes", engine=engine)
    found = plays_of(portes, row, (2, 1))
    assert ((6, 2), (4, 1)) in found
    assert all(len(steps) == 2 for steps in found)
