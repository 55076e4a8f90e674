"""Plays in writing: what is read, what is written, and that both agree."""

from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import as_array, random_roll, random_row, random_rules
from test_cases import CASES, PLAY_CASES, bound, named

import tavli_fast as tavli
from tavli_fast.game.play import read

SEEDS = st.integers(0, 2**32 - 1)

NOTATION_CASES = {case["id"]: case for case in CASES if case["kind"] == "notation"}


def at(preset: str, own: str, opp: str, engine: str = "kernel", **more: str) -> tavli.Position:
    return tavli.Position.parse(tavli.variant(preset, engine=engine), own=own, opp=opp, **more)


# --- reading


FORMS = [
    "24/18 13/11",
    "13/11 24/18",
    "24/18,13/11",
    "24/18, 13/11",
    "24/18; 13/11",
    "  24 / 18   13 /11 ",
    "24/18\t13/11\n",
]


@pytest.mark.parametrize("text", FORMS)
def test_order_and_separators_are_free(text: str, engine: str) -> None:
    pos = tavli.variant("portes", engine=engine).start()
    assert str(pos.parse_play(text, (2, 6))) == "24/18 13/11"


@pytest.mark.parametrize("text", ["24/13", "24/18/13", "24/18 18/13", "18/13 24/18", "24/13(1)"])
def test_steps_of_one_checker_may_be_merged(text: str, engine: str) -> None:
    pos = tavli.variant("portes", engine=engine).start()
    assert str(pos.parse_play(text, (6, 5))) == "24/13"


@pytest.mark.parametrize(
    "text",
    ["bar/22 6/off", "BAR/22 6/OFF", "25/22 6/0", "Bar/22, 6/Off", "25/22 6/off"],
)
def test_bar_and_off_have_names_and_numbers(text: str, engine: str) -> None:
    entering, bearing_off = text.replace(",", "").split()
    pos = at("portes", "bar 6*14", "1*15", engine)
    assert str(pos.parse_play(f"{entering} 22/20", (3, 2))) == "bar/20"
    pos = at("portes", "6 5*14", "24*15", engine)
    assert str(pos.parse_play(f"{bearing_off} 5/3", (6, 2))) == "6/off 5/3"


@pytest.mark.parametrize(
    "text",
    ["24/20(2) 13/9(2)", "24/20 24/20 13/9 13/9", "13/9 (2) 24/20 ( 2 )", "13/9(2), 24/20, 24/20"],
)
def test_repeats(text: str, engine: str) -> None:
    pos = tavli.variant("portes", engine=engine).start()
    assert str(pos.parse_play(text, (4, 4))) == "24/20(2) 13/9(2)"


@pytest.mark.parametrize(
    "text", ["13/7*/5", "13/5", "13/7/5", "13/7 7/5", "13/7* 7/5", "13 /7 * /5"]
)
def test_stars_may_be_left_out(text: str, engine: str) -> None:
    pos = at("portes", "13*2 8*3 6*10", "7 11*2 24*12", engine)
    assert str(pos.parse_play(text, (6, 2))) == "13/7*/5"


@pytest.mark.parametrize(
    "text", ["8/4*(2)", "8/4(2)*", "8/4* 8/4", "8/4 8/4*", "8/4(2)", "8/4*(2)*"]
)
def test_the_star_of_a_repeat(text: str, engine: str) -> None:
    pos = at("portes", "24*2 13*2 8*2 6*9", "4 20*2 9*2 2*2 1*8", engine)
    assert str(pos.parse_play(text, (4, 4))) == "8/4*(2)"


@pytest.mark.parametrize("text", ["24/18+ 24/19", "24/18 24/19", "24/19, 24/18 +"])
def test_pluses_may_be_left_out(text: str, engine: str) -> None:
    pos = at("plakoto", "24*15", "18 1*14", engine)
    assert str(pos.parse_play(text, (6, 5))) == "24/18+ 24/19"


def test_a_pin_that_is_left_again_is_not_marked_but_may_be(engine: str) -> None:
    pos = at("plakoto", "24*15", "18 1*14", engine)
    for text in ("24/13", "24/18+/13", "24/18/13", "24/19/13"):
        assert str(pos.parse_play(text, (6, 5))) == "24/13"
    assert [str(play) for play in pos.plays(6, 6)] == [
        "24/18+(4)",
        "24/12 24/18+(2)",
        "24/12(2)",
        "24/6 24/18+",
    ]


def test_a_merged_way_hits_only_if_it_must_or_says_so(engine: str) -> None:
    one = at("portes", "24 13*2 8*2 6*10", "18 1*14", engine)
    assert str(one.parse_play("24/13", (6, 5))) == "24/13"
    assert str(one.parse_play("24/18/13", (6, 5))) == "24/18*/13"
    must = at("portes", "24 13*2 8*2 6*10", "18 19*2 1*12", engine)
    assert str(must.parse_play("24/13", (6, 5))) == "24/18*/13"


def test_what_can_be_read_in_two_ways_is_refused(engine: str) -> None:
    pos = at("portes", "24 13*2 8*2 6*10", "18 19 1*13", engine)
    with pytest.raises(tavli.NotationError) as refused:
        pos.parse_play("24/13", (6, 5))
    assert str(refused.value) == "24/13: which of 24/18*/13; 24/19*/13?"
    for text in ("24/18*/13", "24/19*/13"):
        assert str(pos.parse_play(text, (6, 5))) == text


@pytest.mark.parametrize(
    ("preset", "text", "right"),
    [
        ("portes", "24/18* 13/8", "24/18 13/8"),
        ("portes", "24/18+ 13/8", "24/18 13/8"),
        ("portes", "24/13*", "24/13"),
        ("plakoto", "24/18* 24/19", "24/18 24/19"),
        ("fevga", "24/18+/13", "24/13"),
    ],
)
def test_a_wrong_mark_is_refused_and_the_right_text_named(
    preset: str, text: str, right: str, engine: str
) -> None:
    pos = tavli.variant(preset, engine=engine).start()
    with pytest.raises(tavli.NotationError) as refused:
        pos.play(text, (6, 5))
    assert str(refused.value) == f"{text}: a mark is wrong, * is a hit and + a pin; it is {right}"


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "24",
        "24/",
        "/18",
        "24//18",
        "24-18",
        "24/18/",
        "24/18 x",
        "24/18(",
        "24/18()",
        "24/18(0)",
        "24/18(5)",
        "24/18(99)",
        "24/18(2)/12",
        "24/18 24/18 24/18 24/18 24/18",
        "24/18(3) 13/7(2)",
        "24/20/16/12/8/4",
        "18/24",
        "18/18",
        "off/6",
        "0/6",
        "24/bar",
        "26/20",
        "99/1",
        "100/94",
        "24*/18",
        "6/off*",
        "*",
        "(2)",
        "pass 24/18",
        "٢٤/١٨",
        "²/1",
        "-1/5",
        "24/18\0",
        "24/18" * 10_000,
        "24/18 " * 10_000,
        "9" * 10_000,
        "9/8" + "/8" * 10_000,
        "24" + " " * 200_000 + "18",
    ],
)
def test_what_cannot_be_read_is_refused_in_few_words(text: str) -> None:
    with pytest.raises(tavli.NotationError) as refused:
        tavli.variant("portes").start().play(text, (6, 6))
    assert len(str(refused.value)) < 250


def test_separators_without_end(engine: str) -> None:
    pos = tavli.variant("portes", engine=engine).start()
    assert str(pos.parse_play("24/13" + " ," * 100_000, (6, 5))) == "24/13"
    with pytest.raises(tavli.IllegalPlay) as refused:
        pos.parse_play("24/18" + "," * 100_000, (6, 5))
    assert len(str(refused.value)) < 250


@settings(max_examples=300)
@given(st.text(alphabet="0123456789/*+()bar of,pas", max_size=24), SEEDS)
def test_any_text_is_read_or_refused(text: str, seed: int) -> None:
    pos = tavli.variant("portes").start()
    with suppress(tavli.NotationError, tavli.IllegalPlay):
        play = pos.parse_play(text, random_roll(Random(seed)))
        assert play in pos.plays(play.dice)


# --- cases


def test_no01_texts_come_back_as_they_were(engine: str) -> None:
    """Each text on a position where it is legal; the empty one when nothing can be played."""
    positions: dict[str, tuple[tavli.Position, tuple[int, int]]] = {
        "24/18 13/11": (tavli.variant("backgammon", engine=engine).start(), (6, 2)),
        "bar/21 13/12": (at("backgammon", "bar 13*2 6*12", "1*15", engine), (4, 1)),
        "6/off(2)": (at("backgammon", "6*2", "24", engine), (6, 6)),
        "13/7*/5": (at("backgammon", "13*2 8*3 6*10", "7 24*14", engine), (6, 2)),
        "24/20(2)": (at("backgammon", "24*2 8*13", "4*2 16*2 1*11", engine), (4, 4)),
        "": (at("backgammon", "bar 6*14", "19*2 20*2 21*2 22*2 23*2 24*5", engine), (6, 5)),
    }
    texts = NOTATION_CASES["NO01"]["expect"]["roundtrip"]
    assert set(texts) == set(positions)
    for text in texts:
        pos, dice = positions[text]
        play = pos.parse_play(text, dice)
        assert str(play) == (text or "pass")
        assert pos.parse_play(str(play), dice) == play


def test_no02_a_merged_bear_off_may_go_further_than_needed(engine: str) -> None:
    case = NOTATION_CASES["NO02"]
    pos = at("backgammon", "9 1*3", "24*15", engine)
    play = pos.parse_play(case["text"], (6, 5))
    assert [{int(p): n for p, n in own.items()} for own in case["expect"]["results_own"]] == [
        play.end.own
    ]
    for text in ("9/3/off", "9/4/off", "9/3, 3/off"):
        assert pos.parse_play(text, (6, 5)) == play


@pytest.mark.parametrize("case", named(PLAY_CASES))
def test_writing_and_reading_agree_on_all_cases(case: dict[str, Any]) -> None:
    plays = bound(case, "kernel").position(as_array(case["row"])).plays(case["dice"])
    for play in plays:
        text = str(play)
        again = read(plays, text)
        assert (again, str(again)) == (play, text)
    assert len({str(play) for play in plays}) == len(plays)


@settings(max_examples=150)
@given(SEEDS)
def test_writing_and_reading_agree(seed: int) -> None:
    """On any position of any rules; marks left out never lead to a play with more of them."""
    rng = Random(seed)
    preset, switches = random_rules(rng)
    variant = tavli.variant(preset, **switches)
    pos = variant.position(as_array(random_row(rng, variant)))
    if pos.result is not None:
        return
    plays = pos.plays(random_roll(rng))
    texts = [str(play) for play in plays]
    assert len(set(texts)) == len(texts)
    for play, text in zip(plays, texts, strict=True):
        again = read(plays, text)
        assert (again, str(again)) == (play, text)
        words = text.upper().split()
        rng.shuffle(words)
        assert read(plays, ", ".join(words)) == play
