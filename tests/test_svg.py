"""SVG boards: the position is read back from the picture, by where the numbers of points are."""

import re
from collections import Counter
from dataclasses import astuple
from math import dist
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import tavli_fast as tavli
from tavli_fast.rules import rows as r
from tavli_fast.writing.svg_board import DARK, HEIGHT, LIGHT, svg

NS = "{http://www.w3.org/2000/svg}"
SIGNS = {"own": 1, "opp": -1}
PINS = tavli.Position.parse(
    "plakoto", own="24*6 17 9*7 3", opp="1*8 20*2 12 15*3", opp_pinned="17"
).row


def draw(row, direction: str = "contrary", **options) -> ET.Element:
    """A parsed picture."""
    return ET.fromstring(svg(row, direction, **options))


def with_attribute(picture: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in picture.iter() if name in element.attrib]


def number(element: ET.Element, name: str) -> float:
    return float(element.attrib[name])


def middle(picture: ET.Element) -> float:
    return float(picture.attrib["viewBox"].split()[3]) / 2


def places(picture: ET.Element) -> dict[tuple[float, bool], int]:
    """The points by the x and the half of the board of the mover's numbers."""
    return {
        (number(text, "x"), number(text, "y") < middle(picture)): int(text.text or "")
        for text in with_attribute(picture, "data-own")
    }


def spot(picture: ET.Element, x: float, y: float) -> int:
    """The point at a place, or 0 for the bar."""
    return places(picture).get((x, y < middle(picture)), 0)


def read_back(picture: ET.Element) -> list[int]:
    """The row a picture shows."""
    row, mask = [0] * r.ROW_BYTES, 0
    counts = {
        spot(picture, number(text, "x"), number(text, "y")): int(text.text or "")
        for text in with_attribute(picture, "data-count")
        if spot(picture, number(text, "x"), number(text, "y"))
    }
    drawn: Counter[tuple[int, str]] = Counter()
    for checker in with_attribute(picture, "data-checker"):
        p = spot(picture, number(checker[0], "cx"), number(checker[0], "cy"))
        if "data-pinned" in checker.attrib:
            mask |= 1 << p
        else:
            drawn[p, checker.attrib["data-checker"]] += 1
    for (p, side), many in drawn.items():
        if p:
            row[p] = SIGNS[side] * counts.get(p, many)
        else:
            row[r.BAR if side == "own" else r.OPP_BAR] = many
    off = Counter(slab.attrib["data-off"] for slab in with_attribute(picture, "data-off"))
    row[r.OFF], row[r.OPP_OFF] = off["own"], off["opp"]
    row[r.PIN_BYTES] = r.pin_bytes(mask)
    return row


@pytest.mark.parametrize("game", tavli.variants())
def test_positions_of_random_play_read_back(game: str) -> None:
    variant = tavli.variant(game)
    for row in variant.sample(40, seed=11)[0]:
        if row[r.BAR] <= HEIGHT and row[r.OPP_BAR] <= HEIGHT:
            assert read_back(draw(row, variant.rules.direction)) == row.tolist()


@pytest.mark.parametrize("checkers", range(16))
@pytest.mark.parametrize("side", [1, -1])
def test_stacks_are_five_high_and_then_a_number(checkers: int, side: int) -> None:
    for point in (24, 13, 12, 1):
        row = [0] * r.ROW_BYTES
        row[point] = side * checkers
        picture = draw(row)
        assert len(with_attribute(picture, "data-checker")) == min(checkers, HEIGHT)
        assert len(with_attribute(picture, "data-count")) == (checkers > HEIGHT)
        assert read_back(picture) == row


def test_bars_of_both_sides() -> None:
    row = tavli.Position.parse("portes", own="bar*7 6", opp="bar*2 20*4").row
    picture = draw(row)
    on_bar = [
        checker
        for checker in with_attribute(picture, "data-checker")
        if not spot(picture, number(checker[0], "cx"), number(checker[0], "cy"))
    ]
    assert Counter(checker.attrib["data-checker"] for checker in on_bar) == {"own": 5, "opp": 2}
    assert [text.text for text in with_attribute(picture, "data-count")] == ["7"]
    above = {
        side: {
            number(checker[0], "cy") < middle(picture)
            for checker in on_bar
            if checker.attrib["data-checker"] == side
        }
        for side in SIGNS
    }
    assert above == {"own": {True}, "opp": {False}}


def test_trays_show_and_count_who_is_off() -> None:
    picture = draw(tavli.Position.parse("fevga", own="", opp="12*3").row, "parallel")
    off = Counter(slab.attrib["data-off"] for slab in with_attribute(picture, "data-off"))
    assert off == {"own": 15, "opp": 12}
    counts = with_attribute(picture, "data-off-count")
    assert {text.attrib["data-off-count"]: text.text for text in counts} == {
        "own": "15",
        "opp": "12",
    }


@pytest.mark.parametrize("game", ["portes", "fevga"])
def test_points_lie_as_the_mover_counts_them(game: str) -> None:
    variant = tavli.variant(game)
    picture = draw(variant.start_row(), variant.rules.direction)
    lines = {top: sorted(x for x, upper in places(picture) if upper == top) for top in (0, 1)}
    where = places(picture)
    assert [where[x, True] for x in lines[1]] == list(range(13, 25))
    assert [where[x, False] for x in lines[0]] == list(range(12, 0, -1))
    assert lines[0] == lines[1]
    theirs = {
        spot(picture, number(text, "x"), number(text, "y")): int(text.text or "")
        for text in with_attribute(picture, "data-opp")
    }
    assert theirs == {p: r.other(p, variant.rules.direction) for p in r.POINTS}


def test_triangles_stand_under_their_numbers() -> None:
    picture = draw([0] * r.ROW_BYTES)
    triangles = with_attribute(picture, "data-point")
    assert len(triangles) == 24
    for triangle in triangles:
        x, y = map(float, triangle.attrib["points"].split()[2].split(","))
        assert spot(picture, x, y) == int(triangle.attrib["data-point"])


def test_pinned_checkers_are_marked_and_stay_in_sight() -> None:
    row = tavli.Position.parse(
        "plakoto", own="24*9 17 3*4", opp="1*12 20*2", opp_pinned="17", own_pinned="20"
    ).row
    picture = draw(row)
    found = {}
    checkers = with_attribute(picture, "data-checker")
    for at, checker in enumerate(checkers):
        if "data-pinned" in checker.attrib:
            x, y = number(checker[0], "cx"), number(checker[0], "cy")
            found[spot(picture, x, y)] = checker.attrib["data-checker"]
            assert checker[0].attrib["stroke"] == LIGHT.pin
            over = checkers[at + 1]
            assert number(over[0], "cx") == x
            # drawn later, so over it, but not over all of it
            assert 10 < number(over[0], "cy") - y < number(checker[0], "r")
    assert found == {17: "opp", 20: "own"}


@pytest.mark.parametrize("row", [PINS, tavli.variant("portes").start_row()])
def test_checkers_do_not_overlap_but_on_pins(row) -> None:
    circles = [
        (number(checker[0], "cx"), number(checker[0], "cy"))
        for checker in with_attribute(draw(row), "data-checker")
        if "data-pinned" not in checker.attrib
    ]
    gaps = [dist(a, b) for i, a in enumerate(circles) for b in circles[:i]]
    assert min(gaps) > 34


def test_sides_differ_by_more_than_colour() -> None:
    circles = {
        checker.attrib["data-checker"]: len(checker)
        for checker in with_attribute(draw(PINS), "data-checker")
    }
    assert circles == {"own": 1, "opp": 2}


def head(arrow: ET.Element) -> tuple[float, float]:
    """Where an arrow points to."""
    x, y = arrow.find(f"{NS}polygon").attrib["points"].split()[0].split(",")
    return float(x), float(y)


def tail(arrow: ET.Element) -> tuple[float, ...]:
    """Where an arrow begins."""
    line = arrow.find(f"{NS}path").attrib["d"]
    return tuple(float(text) for text in re.findall(r"[-\d.]+", line)[:2])


def test_one_arrow_a_step_to_the_point_it_lands_on() -> None:
    row = tavli.Position.parse("portes", own="bar 24 6*3 5*2", opp="1*2 23 18*3").row
    steps = ((25, 23, 2), (24, 22, 2), (6, 4, 2), (6, 4, 2))
    picture = draw(row, steps=steps, dice=(2, 2), hit_points=[23])
    arrows = with_attribute(picture, "data-step")
    assert [arrow.attrib["data-step"] for arrow in arrows] == ["bar/23", "24/22", "6/4", "6/4"]
    assert [spot(picture, *head(arrow)) for arrow in arrows] == [23, 22, 4, 4]
    assert [
        int(tint.attrib["data-landing"]) for tint in with_attribute(picture, "data-landing")
    ] == [
        4,
        22,
        23,
    ]
    assert [frame.attrib["data-hit"] for frame in with_attribute(picture, "data-hit")] == ["23"]


def test_arrows_of_one_point_begin_and_end_apart() -> None:
    start = tavli.variant("portes").start_row()
    for steps in (
        [(24, 18, 6), (24, 19, 5)],
        [(13, 9, 4)] * 4,
        [(13, 10, 3), (13, 12, 1)],
        [(24, 20, 4), (20, 16, 4), (24, 20, 4), (20, 16, 4)],
        [(6, 5, 1), (6, 5, 1), (8, 7, 1), (8, 7, 1)],
    ):
        arrows = with_attribute(draw(start, steps=steps), "data-step")
        for ends in ([head(arrow) for arrow in arrows], [tail(arrow) for arrow in arrows]):
            assert min(dist(a, b) for i, a in enumerate(ends) for b in ends[:i]) > 15


def test_a_second_step_goes_on_where_the_first_one_landed() -> None:
    for direction in ("contrary", "parallel"):
        first, second = with_attribute(
            draw(PINS, direction, steps=[(24, 18, 6), (18, 13, 5)]), "data-step"
        )
        assert dist(head(first), tail(second)) < 20


def test_arrows_off_end_in_the_tray() -> None:
    row = tavli.Position.parse("portes", own="6*3 3*2 1", opp="20*5 24*3").row
    picture = draw(row, steps=[(6, 0, 6), (6, 0, 6), (6, 0, 6), (3, 0, 6)])
    arrows = with_attribute(picture, "data-step")
    assert [arrow.attrib["data-step"] for arrow in arrows] == ["6/off"] * 3 + ["3/off"]
    [tray] = {
        number(slab, "x") + number(slab, "width") / 2
        for slab in with_attribute(picture, "data-off")
    }
    assert {head(arrow)[0] for arrow in arrows} == {tray}
    highest = min(
        number(slab, "y")
        for slab in with_attribute(picture, "data-off")
        if slab.attrib["data-off"] == "own"
    )
    assert all(middle(picture) < head(arrow)[1] <= highest for arrow in arrows)
    assert not with_attribute(picture, "data-landing")


@pytest.mark.parametrize("game", ["portes", "plakoto", "fevga"])
def test_all_plays_have_their_arrows(game: str) -> None:
    variant = tavli.variant(game)
    rows, dice = variant.sample(30, seed=4)
    for row, roll in zip(rows, dice, strict=True):
        for play in variant.plays(row, roll, steps=True).steps[:5]:
            steps = [(p, max(p - die, 0), die) for p, die in play.tolist() if p]
            picture = draw(row, variant.rules.direction, steps=steps, dice=roll)
            arrows = with_attribute(picture, "data-step")
            inside = [spot(picture, *head(arrow)) for arrow in arrows]
            assert inside == [to for _, to, _ in steps]


@pytest.mark.parametrize("first", range(1, 7))
@pytest.mark.parametrize("second", range(1, 7))
def test_dice_have_their_dots(first: int, second: int) -> None:
    dice = with_attribute(draw(PINS, dice=(first, second)), "data-die")
    assert [int(die.attrib["data-die"]) for die in dice] == [first, second]
    assert [len(die.findall(f"{NS}circle")) for die in dice] == [first, second]


def test_without_a_roll_there_are_no_dice() -> None:
    assert not with_attribute(draw(PINS), "data-die")


def test_the_picture_is_told_in_words() -> None:
    picture = draw(PINS, steps=[(24, 18, 6), (3, 0, 5)], dice=(6, 5))
    assert picture.attrib["role"] == "img"
    assert picture[0].tag == f"{NS}title"
    assert picture[0].text == "Tavli board: pips 227 mover, 253 opponent, roll 6-5"
    assert picture[1].text == (
        "Mover (light): 6 on 24, 1 on 17, 7 on 9, 1 on 3. "
        "Opponent (dark): 2 on 20, 3 on 15, 1 on 12, 8 on 1, 1 pinned on 17. "
        "Play: 24/18 3/off."
    )


def test_schemes_differ_in_colours_only() -> None:
    light, dark = (svg(PINS, "contrary", dice=(2, 1), dark=dark) for dark in (False, True))
    assert light != dark
    colour = re.compile(r"#[0-9a-f]{6}")
    assert colour.sub("", light) == colour.sub("", dark)
    assert set(colour.findall(light)) <= set(astuple(LIGHT))
    assert set(colour.findall(dark)) <= set(astuple(DARK))


def luminance(colour: str) -> float:
    """Relative luminance as in WCAG 2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def contrast(one: str, two: str) -> float:
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_keep_apart(scheme) -> None:
    """By brightness, which all eyes see."""
    assert contrast(scheme.own, scheme.opp) > 10
    assert contrast(scheme.own, scheme.own_line) > 7
    assert contrast(scheme.opp, scheme.opp_line) > 7
    assert contrast(scheme.ink, scheme.page) > 7
    assert contrast(scheme.faint, scheme.page) > 4.5
    assert contrast(scheme.ink, scheme.wood) > 4.5
    assert contrast(scheme.arrow, scheme.halo) > 4.5
    for ground in (scheme.field, scheme.light_point, scheme.dark_point):
        assert max(contrast(scheme.opp, ground), contrast(scheme.opp_line, ground)) > 3
        assert max(contrast(scheme.own, ground), contrast(scheme.own_line, ground)) > 3


def test_same_arguments_give_the_same_text() -> None:
    options = {"steps": [(24, 18, 6), (9, 4, 5)], "dice": (6, 5), "hit_points": [18, 4]}
    text = svg(PINS, "contrary", **options)
    assert text == svg(PINS.tolist(), "contrary", **options)
    options = {"steps": np.array(options["steps"]), "dice": np.array([6, 5]), "hit_points": {4, 18}}
    assert text == svg(PINS, "contrary", **options)


def test_nothing_in_it_touches_the_page_around() -> None:
    text = svg(PINS, "contrary", steps=[(24, 18, 6)], dice=(6, 5))
    assert not re.search(r"\b(id|class|href|onload)=|<style|<script|url\(", text)
    root = ET.fromstring(text)
    assert root.tag == f"{NS}svg"
    assert not {"width", "height"} & set(root.attrib)


HOSTILE = '"/><script>alert(1)</script>'


@pytest.mark.parametrize(
    "options",
    [
        {"steps": [(HOSTILE, 18, 6)]},
        {"steps": [(24, HOSTILE, 6)]},
        {"steps": [(24, 18, HOSTILE)]},
        {"steps": [HOSTILE[:3]]},
        {"hit_points": [HOSTILE]},
        {"hit_points": HOSTILE},
        {"dice": (HOSTILE, 1)},
        {"row": [HOSTILE] * 32},
        {"row": ["0"] * 32},
    ],
)
def test_text_is_refused_where_numbers_belong(options: dict) -> None:
    given = {"row": PINS, "direction": "contrary"} | options
    with pytest.raises((TypeError, ValueError)):
        svg(**given)


def test_no_text_of_the_caller_is_written() -> None:
    assert HOSTILE not in svg(PINS, HOSTILE)
    assert "script" not in svg(PINS, HOSTILE)


@pytest.mark.parametrize(
    "step", [(0, 0, 1), (26, 20, 6), (24, 17, 7), (24, 24, 0), (24, 19, 6), (3, -1, 4), (6, 0, 5)]
)
def test_steps_that_are_none(step: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match=re.escape(f"step {step} is no step")):
        svg(PINS, "contrary", steps=[step])


@pytest.mark.parametrize("point", [0, 25, -1])
def test_hits_are_on_points(point: int) -> None:
    with pytest.raises(ValueError, match=f"point {point} is not on the board"):
        svg(PINS, "contrary", hit_points=[point])


def test_one_roll_of_two_dice() -> None:
    with pytest.raises(tavli.InvalidDice):
        svg(PINS, "contrary", dice=(0, 6))
    with pytest.raises(ValueError, match="one roll"):
        svg(PINS, "contrary", dice=[(6, 5), (2, 1)])
