"""The own ID, the GNUbg position ID and the XGID: both directions, and what each refuses."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import (
    BAR,
    OFF,
    OPP_BAR,
    OPP_OFF,
    Row,
    as_array,
    as_row,
    constructed,
    random_row,
    random_rules,
    with_pins,
)
from test_cases import CASES, ID_KINDS

import tavli_fast as tavli
from tavli_fast.rules.presets import PRESETS, make_rules
from tavli_fast.rules.switches import Rules, Value
from tavli_fast.writing import backgammon_ids, ids

SEEDS = st.integers(0, 2**32 - 1)
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
BACKGAMMON = make_rules("backgammon", {})
IDS = {case["id"]: case for case in CASES if case["kind"] in ID_KINDS}


def hitting_row(seed: int) -> Row:
    """A position of backgammon, constructed or met in play."""
    return random_row(Random(seed), tavli.variant("backgammon"))


def flipped(row: Row) -> Row:
    """The same seen by the other player, on contrary paths."""
    return as_row(tavli.variant("backgammon").flip(as_array(row)))


# --- own ID ---------------------------------------------------------------------------------------


def some_position(seed: int, preset: str | None = None) -> tuple[Rules, str, Row]:
    """A position of a preset, or of any rules."""
    rng = Random(seed)
    name, switches = (preset, {}) if preset else random_rules(rng)
    variant = tavli.variant(name, **switches)
    return variant.rules, name, random_row(rng, variant)


def read(text: str) -> tuple[Rules, str, Row]:
    """What `decode` tells, as `encode` takes it."""
    name, switches, row = ids.decode(text)
    return make_rules(name, switches), name, row


def typos(rng: Random, text: str) -> Iterator[str]:
    """Every place once with a character changed, added, deleted, and swapped with the next."""
    for i in range(len(text) + 1):
        new = rng.choice(DIGITS + ".~ +:é\n")
        yield text[:i] + new + text[i:]
        yield text[:i] + new + text[i + 1 :]
        yield text[:i] + text[i + 1 :]
        yield text[:i] + text[i : i + 2][::-1] + text[i + 2 :]


@pytest.mark.parametrize("preset", PRESETS)
@given(seed=SEEDS)
def test_every_position_has_an_id(preset: str, seed: int) -> None:
    """Of every preset; it is short and may stand in a URL."""
    position = some_position(seed, preset)
    text = ids.encode(*position)
    assert read(text) == position
    assert ids.decode(text)[1] == {}
    assert re.fullmatch(r"[A-Za-z0-9._~-]+", text)
    assert len(text) == len(preset) + (23 if position[0].contact == "pin" else 20)


@given(seed=SEEDS)
def test_switches_go_into_the_id(seed: int) -> None:
    """Those that differ from the preset and no others."""
    rules, name, row = some_position(seed)
    text = ids.encode(rules, name, row)
    assert read(text) == (rules, name, row)
    preset = dict(make_rules(name, {}).items())
    assert ids.decode(text)[1] == {s: v for s, v in rules.items() if preset[s] != v}


@given(seed=SEEDS)
def test_no_typo_is_read(seed: int) -> None:
    """A character changed, added, deleted or swapped with its neighbour is always refused."""
    text = ids.encode(*some_position(seed))
    for wrong in typos(Random(seed), text):
        if wrong != text:
            with pytest.raises(tavli.NotationError):
                ids.decode(wrong)


def test_every_wrong_character_of_one_id_is_refused() -> None:
    """All characters on all places, not a choice of them."""
    text = ids.encode(*some_position(7, "plakoto"))
    for i, right in enumerate(text):
        for new in set(DIGITS + ".~") - {right}:
            with pytest.raises(tavli.NotationError):
                ids.decode(text[:i] + new + text[i + 1 :])


@given(seed=SEEDS)
def test_any_text_with_a_right_check_is_one_position_or_none(seed: int) -> None:
    """What is read is written the same way again: no position has two IDs."""
    rng = Random(seed)
    name = rng.choice(["backgammon", "plakoto"])
    number = rng.randrange(ids._ARRANGEMENTS**2 * 3)
    length = 15 if name == "plakoto" else 12
    body = f"{name}.{ids._digits(number, length)}"
    text = f"{body}.{ids._check(body)}"
    try:
        position = read(text)
    except tavli.TavliError:
        return
    assert ids.encode(*position) == text


def test_numbers_of_arrangements_are_those_of_the_places() -> None:
    """The lowest, the highest, and one by hand."""
    assert ids._rank([0] * 15) == 0
    assert ids._rank([25] * 15) == ids._ARRANGEMENTS - 1
    # 14 borne off, one on point 3: C(3 + 14, 15)
    assert ids._rank([*[0] * 14, 3]) == 17 * 16 // 2
    assert ids._unrank(17 * 16 // 2) == [*[0] * 14, 3]


def test_who_lies_underneath_is_kept() -> None:
    """Two points with one checker of each side, in all four ways."""
    rules = make_rules("plakoto", {"mother": "none"})
    texts = set()
    for lower in (1, -1):
        for upper in (1, -1):
            counts = [0] * 28
            counts[5], counts[9], counts[OFF], counts[OPP_OFF] = lower, upper, 13, 13
            row = with_pins(counts, 1 << 5 | 1 << 9)
            texts.add(ids.encode(rules, "plakoto", row))
            assert ids.decode(ids.encode(rules, "plakoto", row))[2] == row
    assert len(texts) == 4


def test_an_id_names_the_field_that_is_wrong() -> None:
    """In a message that a reader of the text can use."""
    start = tavli.variant("portes").start_row()
    text = ids.encode(make_rules("portes", {}), "portes", as_row(start))
    game, board, check = text.split(".")
    for wrong, message in {
        f"{game}.{board}": "has 2 fields",
        "": "has 1 fields",
        f"porte.{board}.{check}": "game: there is no variant 'porte', did you mean 'portes'",
        f"portes~contakt-pin.{board}.{check}": "game: there is no switch 'contakt'",
        f"portes~contact-pim.{board}.{check}": "game: contact='pim' does not exist",
        f"portes~contact.{board}.{check}": "game: contact='' does not exist",
        f"portes~head_limit-one.{board}.{check}": "game: .* does not go with",
        f"portes~single_die-higher.{board}.{check}": "game: .* has to be written 'portes'",
        f"portes~single_die-either~single_die-either.{board}.{check}": "game: .* has to be",
        f"{game}.{board}A.{check}": "board: .* has 13 characters, not 12",
        f"{game}.{board[:-1]}é.{check}": "board: 'é' is none of",
        f"{game}.{board}.{check[:-1]}": "check: .* has 5 characters, not 6",
        f"{game}.{board}.{check[:-1]}=": "check: '=' is none of",
        f"{game}.A{board[1:]}.{check}": "check: .* does not go with the rest",
        f"tavla.{board}.{check}": "check: .* does not go with the rest",
    }.items():
        with pytest.raises(tavli.NotationError, match=message):
            ids.decode(wrong)


def with_check(name: str, own: list[int], opp: list[int], tops: int = 0) -> str:
    """An ID of any two arrangements, possible or not."""
    number = (tops * ids._ARRANGEMENTS + ids._rank(own)) * ids._ARRANGEMENTS + ids._rank(opp)
    body = f"{name}.{ids._digits(number, 15 if name == 'plakoto' else 12)}"
    return f"{body}.{ids._check(body)}"


def test_an_id_of_an_impossible_board_is_refused() -> None:
    """With a check that fits, as another program may write it by mistake."""
    off = [0] * 14
    for text, error, message in (
        (with_check("fevga", [*off, 25], [*off, 3]), tavli.InvalidPosition, "bar"),
        (with_check("portes", [*off, 3], [*off, 3]), tavli.InvalidPosition, "no pins"),
        (with_check("plakoto", [*off, 25], [*off, 3]), tavli.InvalidPosition, "bar"),
        (
            with_check("plakoto", [*off[1:], 3, 3], [*off[1:], 3, 3]),
            tavli.InvalidPosition,
            "more than one checker on point 3",
        ),
        (with_check("plakoto", [*off, 3], [*off, 3], 2), tavli.NotationError, "board: the number"),
        (with_check("portes", [*off, 3], [*off, 4], 1), tavli.NotationError, "board: the number"),
    ):
        with pytest.raises(error, match=message):
            ids.decode(text)


def test_a_row_that_is_no_position_has_no_id() -> None:
    """Neither the own one nor another."""
    row = with_pins([*[0] * 26, 14, 15], 0)
    with pytest.raises(tavli.InvalidPosition, match="mover has 14"):
        ids.encode(BACKGAMMON, "backgammon", row)
    with pytest.raises(tavli.InvalidPosition, match="mover has 14"):
        backgammon_ids.to_gnubg_id(row)
    with pytest.raises(tavli.InvalidPosition, match="mover has 14"):
        backgammon_ids.to_xgid(row)


def test_rules_that_need_the_own_id() -> None:
    """A game with pins, without contact or on parallel paths has neither of the others."""
    for name in ("portes", "tavla", "backgammon"):
        backgammon_ids.check_rules(make_rules(name, {}))
    for name, message in {
        "plakoto": "contact=hit, the game has contact=pin",
        "tawla31": "contact=hit, the game has contact=none",
        "fevga": "contact=hit, the game has contact=none",
    }.items():
        with pytest.raises(tavli.NotationError, match=message):
            backgammon_ids.check_rules(make_rules(name, {}))
    parallel: dict[str, Value] = {"contact": "hit"}
    with pytest.raises(tavli.NotationError, match="direction=contrary"):
        backgammon_ids.check_rules(make_rules("gul_bara", parallel))


# --- GNUbg position ID ----------------------------------------------------------------------------


@given(seed=SEEDS)
def test_gnubg_ids_go_both_ways(seed: int) -> None:
    """For both players on roll."""
    row = hitting_row(seed)
    for seen in (row, flipped(row)):
        text = backgammon_ids.to_gnubg_id(seen)
        assert re.fullmatch(r"[A-Za-z0-9+/]{13}[AQgw]", text)
        assert backgammon_ids.from_gnubg_id(text) == seen


def test_the_side_that_is_not_on_roll_comes_first() -> None:
    """One checker on the first bit of all is the other player's, on his own 1."""
    row = backgammon_ids.from_gnubg_id("AQAAAAAAAAAAAA")
    assert (row[24], row[OFF], row[OPP_OFF]) == (-1, 15, 14)
    assert (
        backgammon_ids.to_gnubg_id(as_row(tavli.variant("backgammon").start_row()))
        == "4HPwATDgc/ABMA"
    )


def test_enemy_checkers_on_the_bar_are_kept() -> None:
    """Bars and boards of both sides."""
    text = IDS["ID03"]["expect"]["gnubg_position_id"]
    row = backgammon_ids.from_gnubg_id(text)
    assert (row[OPP_BAR], row[1], row[BAR], row[24]) == (4, -3, 2, 1)
    assert (row[OFF], row[OPP_OFF]) == (12, 8)
    assert backgammon_ids.to_gnubg_id(row) == text


def test_wrong_gnubg_ids_are_refused() -> None:
    """Length, characters, bits that mean nothing, boards that cannot be."""
    for text, error, message in (
        ("", tavli.NotationError, "has 0 characters, not 14"),
        ("4HPwATDgc/ABM", tavli.NotationError, "has 13 characters, not 14"),
        ("4HPwATDgc/ABMA==", tavli.NotationError, "'=' is none of"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAAA", tavli.NotationError, "':' is none of"),
        ("4HPwATDgc/ABMA\n", tavli.NotationError, "is none of"),
        ("4HPwATDgc-ABMA", tavli.NotationError, "'-' is none of"),
        ("4HPwATDgc/ABMB", tavli.NotationError, "ends in 'B'"),
        ("AAAAAAAAAAAAgA", tavli.NotationError, "behind those of the second side"),
        ("/////////////w", tavli.InvalidPosition, "more than 30 checkers"),
        ("//8AAAAAAAAAAA", tavli.InvalidPosition, "the other player has 16 checkers"),
        ("AAAA/v8BAAAAAA", tavli.InvalidPosition, "the player on roll has 16 checkers"),
        ("AQAAAAAAAgAAAA", tavli.InvalidPosition, "both sides stand on point 24"),
    ):
        with pytest.raises(error, match=message):
            backgammon_ids.from_gnubg_id(text)


@given(seed=SEEDS)
def test_a_gnubg_id_that_is_read_is_written_again(seed: int) -> None:
    """Any change of a character gives another position or an error, never a second ID."""
    rng = Random(seed)
    text = backgammon_ids.to_gnubg_id(hitting_row(seed))
    i = rng.randrange(14)
    changed = text[:i] + rng.choice(DIGITS[:62] + "+/") + text[i + 1 :]
    try:
        row = backgammon_ids.from_gnubg_id(changed)
    except tavli.TavliError:
        return
    assert backgammon_ids.to_gnubg_id(row) == changed


# --- XGID -----------------------------------------------------------------------------------------

START = "-b----E-C---eE---c-e----B-"
NEUTRAL = f"XGID={START}:0:0:1:00:0:0:0:0:10"


def exchanged(position: str) -> str:
    """The letters of an XGID with the players exchanged."""
    return position[::-1].swapcase()


@given(seed=SEEDS)
def test_xgids_go_both_ways(seed: int) -> None:
    """Seen by either player, and with either of them on roll."""
    row = hitting_row(seed)
    text = backgammon_ids.to_xgid(row)
    assert backgammon_ids.from_xgid(text) == row
    position, rest = text.removeprefix("XGID=").split(":", 1)
    on_roll = rest.replace("0:0:1:", "0:0:-1:", 1)
    assert backgammon_ids.from_xgid(f"{position}:{on_roll}") == flipped(row)
    assert backgammon_ids.from_xgid(f"{exchanged(position)}:{on_roll}") == row
    assert backgammon_ids.to_xgid(flipped(row)) == f"XGID={exchanged(position)}:{rest}"


@pytest.mark.parametrize("case", ["ID01", "ID08"])
def test_both_ids_of_a_case_are_one_position(case: str) -> None:
    """Asymmetric ones, with player 1 and with player 2 on roll."""
    row = backgammon_ids.from_xgid(IDS[case]["text"])
    text = IDS[case]["expect"]["gnubg_position_id"]
    assert backgammon_ids.to_gnubg_id(row) == text
    assert backgammon_ids.from_gnubg_id(text) == row


def test_id01_the_position_does_not_turn_with_the_player_on_roll(engine: str) -> None:
    """The roll of the ID is played by the right player."""
    case = IDS["ID01"]
    xgid = backgammon_ids.read_xgid(case["text"])
    assert (xgid.turn, xgid.dice, xgid.cube, xgid.cube_owner) == (-1, (5, 4), 2, -1)
    assert xgid.dice is not None
    variant = tavli.variant("backgammon", engine=engine)
    plays = variant.plays(as_array(xgid.row), xgid.dice, steps=True)
    assert len(plays.rows) == case["expect"]["distinct_results"]
    assert case["expect"]["contains_play"] == "13/4"
    assert any(
        steps[:2] in ([[13, 5], [8, 4]], [[13, 4], [9, 5]]) for steps in plays.steps.tolist()
    )


def test_id08_capital_letters_are_player_1() -> None:
    """As the title of the case says."""
    row = backgammon_ids.from_xgid(IDS["ID08"]["text"])
    assert {p: n for p, n in enumerate(row[:25]) if n > 0} == {24: 2, 13: 4, 8: 2, 7: 2, 6: 5}


@pytest.mark.parametrize("case", ["ID04", "ID05"])
def test_cube_and_turn_of_a_case(case: str) -> None:
    """The value is a power of two, and a centred cube may come with any player on roll."""
    players = {1: "player 1", -1: "player 2", None: None}
    xgid = backgammon_ids.read_xgid(IDS[case]["text"])
    found = {
        "cube": xgid.cube,
        "cube_owner": players[xgid.cube_owner],
        "on_roll": players[xgid.turn],
    }
    expected = IDS[case]["expect"]
    assert {name: found[name] for name in expected} == expected


def test_all_cases_of_ids_are_tested() -> None:
    """A new one is noticed."""
    assert set(IDS) == {"ID01", "ID03", "ID04", "ID05", "ID08"}


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("0:0:1:00:0:0:0:0:10", {"dice": None, "cube": 1, "max_cube": 1024, "match_length": 0}),
        ("1:1:1:D:0:0:0:0:8", {"dice": "D", "cube": 2, "cube_owner": 1, "max_cube": 256}),
        ("1:0:1:B:0:0:2:0:8", {"dice": "B", "beavers": True, "jacoby": False}),
        ("1:0:-1:R:5:9:3:0:8", {"dice": "R", "beavers": True, "jacoby": True, "score": (5, 9)}),
        ("0:0:1:61:0:0:1:0:8", {"dice": (6, 1), "jacoby": True, "crawford": False}),
        ("0:0:1:16:6:4:1:7:8", {"dice": (1, 6), "crawford": True, "jacoby": False}),
        ("0:0:1:16:6:4:0:7:8", {"score": (6, 4), "match_length": 7, "crawford": False}),
    ],
)
def test_fields_of_an_xgid(rest: str, expected: dict[str, Any]) -> None:
    """With and without the prefix."""
    xgid = backgammon_ids.read_xgid(f"XGID={START}:{rest}")
    assert backgammon_ids.read_xgid(f"{START}:{rest}") == xgid
    assert {name: getattr(xgid, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has 1 fields, not 10"),
        (NEUTRAL.rpartition(":")[0], "has 9 fields, not 10"),
        (f"{NEUTRAL}:0", "has 11 fields, not 10"),
        (f"xgid={NEUTRAL[5:]}", "position is 'xgid="),
        (f" {NEUTRAL}", "position is ' XGID="),
        (f"{NEUTRAL}\n", "max cube is '10.n'"),
        (NEUTRAL.replace(START, START[1:]), "position is .* 26 characters"),
        (NEUTRAL.replace(START, START + "-"), "position is .* 26 characters"),
        (NEUTRAL.replace(START, "-p" + START[2:]), "position is .* A to O"),
        (NEUTRAL.replace(START, "-2" + START[2:]), "position is"),
        (NEUTRAL.replace(START, "A" + START[1:]), "has the bars exchanged"),
        (NEUTRAL.replace(START, START[:-1] + "a"), "has the bars exchanged"),
        (f"{START}:-1:0:1:00:0:0:0:0:10", "cube is '-1'"),
        (f"{START}:100:0:1:00:0:0:0:0:10", "cube is '100'"),
        (f"{START}:0:2:1:00:0:0:0:0:10", "cube owner is '2'"),
        (f"{START}:0:0:0:00:0:0:0:0:10", "turn is '0'"),
        (f"{START}:0:0:+1:00:0:0:0:0:10", "turn is"),
        (f"{START}:0:0:1:0:0:0:0:0:10", "dice is '0'"),
        (f"{START}:0:0:1:07:0:0:0:0:10", "dice is '07'"),
        (f"{START}:0:0:1:d:0:0:0:0:10", "dice is 'd'"),
        (f"{START}:0:0:1:00:-1:0:0:0:10", "score of player 1 is '-1'"),
        (f"{START}:0:0:1:00:0:x:0:0:10", "score of player 2 is 'x'"),
        (f"{START}:0:0:1:00:0:0:4:0:10", "crawford/jacoby is '4'"),
        (f"{START}:0:0:1:00:0:0:2:5:10", "crawford/jacoby is 2"),
        (f"{START}:0:0:1:00:0:0:0:05:10", "match length is '05'"),
        (f"{START}:0:0:1:00:0:0:0:٥:10", "match length is '٥'"),
        (f"{START}:0:0:1:00:5:0:0:5:10", "score of player 1 is 5"),
        (f"{START}:0:0:1:00:0:6:0:5:10", "score of player 2 is 6"),
        (f"{START}:0:0:1:00:0:0:0:0:", "max cube is ''"),
    ],
)
def test_wrong_xgids_are_refused(text: str, message: str) -> None:
    """With the field named."""
    with pytest.raises(tavli.NotationError, match=message):
        backgammon_ids.read_xgid(text)


def test_an_xgid_with_too_many_checkers_is_refused() -> None:
    """Of either player."""
    for position, message in {
        "a" + START[1:]: "player 2 has 16 checkers",
        START[:-1] + "B": "player 1 has 17 checkers",
    }.items():
        with pytest.raises(tavli.InvalidPosition, match=message):
            backgammon_ids.from_xgid(NEUTRAL.replace(START, position))


def test_dice_of_an_xgid() -> None:
    """Given ones are written in their order, wrong ones are refused."""
    row = as_row(tavli.variant("portes").start_row())
    assert backgammon_ids.read_xgid(backgammon_ids.to_xgid(row, (3, 6))).dice == (3, 6)
    for dice in ((0, 1), (1, 7), (1,), (1, 2, 3)):
        with pytest.raises(tavli.InvalidDice, match="two numbers 1 to 6"):
            backgammon_ids.to_xgid(row, dice)


def test_constructed_rows_have_both_bars() -> None:
    """The rows these tests are drawn from hold what other programs got wrong."""
    rows = [constructed(Random(seed), BACKGAMMON) for seed in range(200)]
    assert any(row[BAR] and row[OPP_BAR] and row[OFF] != row[OPP_OFF] for row in rows)
