"""Collected cases: positions in which a rule decides, and faults that other programs had."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import pytest
from positions import Row, as_array, with_pins

import tavli_fast as tavli
from tavli_fast.rules.presets import PRESETS

Case = dict[str, Any]

DATA = Path(__file__).parent / "data"
PLAY_KINDS = {"legal_plays", "count", "ends"}
RESULT_KINDS = {"result", "score"}
ID_KINDS = {"xgid", "roundtrip"}  # test_ids.py
TEXT_KINDS = {"notation", "undo"}  # test_notation.py, test_turn.py
# what the package has no interface for; every other kind has to be tested here
KINDS_NOT_COVERED = {
    "api",
    "class",
    "files",
    "invariant",
    "match_id",
}
# described in words, without a position: the tests named below stand for them
SCORES_IN_WORDS = {"SC05", "SC06"}

RESULTS = {
    "draw": 0,
    "win 1": 1,
    "win 2": 2,
    "win 3": 3,
    "win 7": 7,
    "lose 2": -2,
    "ongoing": None,
}


def read_cases() -> list[Case]:
    """All cases of both files."""
    files = ("bug-cases.json", "hard-cases.json")
    return [
        case for name in files for case in json.loads((DATA / name).read_text("utf-8"))["cases"]
    ]


CASES = read_cases()


def preset_of(case: Case) -> str:
    """The preset of a case; some name it as their variant."""
    name = case.get("preset") or case["variant"]
    assert name in PRESETS, f"case {case['id']} has no preset"
    return name


def bound(case: Case, engine: str) -> tavli.Variant:
    """The variant a case is about."""
    return tavli.variant(preset_of(case), engine=engine, **case.get("switches", {}))


def named(cases: list[Case]) -> list[Any]:
    """Cases as parameters of a test; some ids are given to two cases."""
    return [pytest.param(case, id=f"{case['id']}-{i}") for i, case in enumerate(cases)]


def expected_plays(case: Case) -> tuple[int, set[Row] | None]:
    """Number of plays, and their ends where the case gives them."""
    said = case["expect"] if case["kind"] == "ends" else case
    ends = said.get("ends")
    return said["count"], None if ends is None else {tuple(end) for end in ends}


def row_of_sides(sides: dict[str, Any]) -> Row:
    """A row from checkers by point, both sides in the mover's numbering."""
    row = [0] * 28
    for point, checkers in sides["own"].items():
        row[int(point)] = checkers
    for point, checkers in sides["opp"].items():
        row[int(point)] = -checkers
    row[0], row[25] = sides["opp_bar"], sides["own_bar"]
    row[26], row[27] = sides["own_off"], sides["opp_off"]
    return with_pins(row, 0)


def expected_results(case: Case) -> list[tuple[Row, int | None]]:
    """Rows and what their games gave; None while a game goes on."""
    if case["kind"] == "result":
        return [(tuple(case["row"]), RESULTS[case["expect"]["result"]])]
    return [(row_of_sides(one["position"]), one["expect"]) for one in case["positions"]]


PLAY_CASES = [case for case in CASES if case["kind"] in PLAY_KINDS]
RESULT_CASES = [
    case for case in CASES if case["kind"] in RESULT_KINDS and case["id"] not in SCORES_IN_WORDS
]


def test_every_case_is_tested_or_known_not_to_be() -> None:
    """A new kind of case, or a list that has grown stale, is noticed."""
    kinds = {case["kind"] for case in CASES}
    assert kinds == PLAY_KINDS | RESULT_KINDS | ID_KINDS | TEXT_KINDS | KINDS_NOT_COVERED
    assert {case["id"] for case in CASES} >= SCORES_IN_WORDS
    assert len(PLAY_CASES) == 257
    assert len(RESULT_CASES) == 13


def test_every_count_agrees_with_the_ends_of_its_case() -> None:
    """The cases do not contradict themselves."""
    for case in PLAY_CASES:
        count, ends = expected_plays(case)
        assert ends is None or len(ends) == count, case["id"]


@pytest.mark.parametrize("case", named(PLAY_CASES))
def test_plays(case: Case, engine: str) -> None:
    """Number of plays and their ends."""
    variant, row = bound(case, engine), as_array(case["row"])
    variant.validate(row)
    count, ends = expected_plays(case)
    plays = variant.plays(row, case["dice"])
    assert variant.count(row, case["dice"]) == count
    assert len(plays.rows) == count
    if ends is not None:
        assert {tuple(end) for end in plays.rows.tolist()} == ends


@pytest.mark.parametrize("case", named(PLAY_CASES))
def test_plays_of_the_oracle(case: Case) -> None:
    """The judge of the engines finds the same."""
    rules = dict(bound(case, "reference").rules.items())
    count, ends = expected_plays(case)
    found = oracle.legal_ends(rules, case["row"], case["dice"])
    assert len(found) == count
    assert ends is None or found == ends


@pytest.mark.parametrize("case", named(RESULT_CASES))
def test_results(case: Case, engine: str) -> None:
    """Points, seen by both players."""
    variant = bound(case, engine)
    for row, points in expected_results(case):
        expected = (points is not None, points or 0)
        assert variant.result(as_array(row)) == expected
        assert variant.result(variant.flip(as_array(row))) == (expected[0], -expected[1])


@pytest.mark.parametrize("case", named(RESULT_CASES))
def test_results_of_the_oracle(case: Case) -> None:
    """The judge of the engines finds the same."""
    rules = dict(bound(case, "reference").rules.items())
    for row, points in expected_results(case):
        assert oracle.result(rules, row) == points


def test_sc05_pinning_the_mother_wins_unless_the_own_one_can_still_be_pinned(engine: str) -> None:
    """The end by a pinned mother, by value of the switch, and the mutual pin."""
    stands = with_pins([0, 1, 0, 0, 0, 0, 13, *[0] * 13, -14, 0, 0, 0, 1, 0, 0, 0], 1 << 1)
    left = with_pins([0, 1, 0, 0, 0, 0, 14, *[0] * 13, -14, 0, 0, 0, 0, 0, 0, 0], 1 << 1)
    both = with_pins([0, 1, 0, 0, 0, 0, 13, *[0] * 13, -13, 0, 0, 0, -1, 0, 0, 0], 1 << 1 | 1 << 24)
    results = {
        mother: [
            tuple(tavli.variant("plakoto", engine=engine, mother=mother).result(as_array(row)))
            for row in (stands, left, both)
        ]
        for mother in ("with_exception", "immediate", "draw_only", "none")
    }
    goes_on, won, void = (False, 0), (True, 2), (True, 0)
    assert results == {
        "with_exception": [goes_on, won, void],
        "immediate": [won, won, void],
        "draw_only": [goes_on, goes_on, void],
        "none": [goes_on, goes_on, goes_on],
    }


@pytest.mark.parametrize("balancing", ["none", "second_player", "second_player_if_14_off"])
def test_sc06_a_row_does_not_know_the_balancing_turn(engine: str, balancing: str) -> None:
    """The result of a row is the same under every value; both off is over with 0 points."""
    variant = tavli.variant("narde", engine=engine, balancing_turn=balancing)
    first_done = with_pins([0, 1, *[0] * 24, 14, 15], 0)
    both_done = with_pins([*[0] * 26, 15, 15], 0)
    found = variant.result(np.array([first_done, both_done], dtype=np.int8))
    assert found.over.tolist() == [True, True]
    assert found.points.tolist() == [-1, 0]
