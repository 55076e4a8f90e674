"""Bear-off tables: ranks, the numbers of one side, and of two."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from bearoffs import EMPTY, ROLLS, Alone, Side, order, sides, two_sided, weight

import tavli_fast as tavli
from tavli_fast.engine import bearoff
from tavli_fast.engine._kernels import bearoff as kernels
from tavli_fast.engine._kernels.engine import Engine
from tavli_fast.engine.bearoff import BearoffRule
from tavli_fast.rules.presets import PRESETS, make_rules
from tavli_fast.rules.switches import Rules

RULES = {
    rule.name: rule
    for rule in (
        BearoffRule("rearmost", "free", "higher", "four"),
        BearoffRule("rearmost", "never", "higher", "four"),
        BearoffRule("never", "free", "higher", "four"),
        BearoffRule("never", "free", "either", "four"),
        BearoffRule("never", "never", "either", "four"),
        BearoffRule("rearmost", "free", "higher", "cascade"),
        BearoffRule("never", "free", "higher", "cascade"),
    )
}
PORTES = tavli.variant("portes").rules


@pytest.fixture(params=RULES)
def rule(request: pytest.FixtureRequest) -> BearoffRule:
    return RULES[request.param]


# --- ranks


def test_ranks_are_a_bijection_on_all_positions() -> None:
    placed = bearoff.unrank(np.arange(bearoff.POSITIONS))
    assert {tuple(side) for side in placed.tolist()} == set(sides(15))
    np.testing.assert_array_equal(bearoff.rank(placed), np.arange(bearoff.POSITIONS))


def test_ranks_follow_their_order() -> None:
    placed = [tuple(side) for side in bearoff.unrank(np.arange(bearoff.POSITIONS)).tolist()]
    assert placed == sorted(placed, key=order)
    assert sum(placed[bearoff.SMALL - 1]) == 6
    assert sum(placed[bearoff.FULL - 1]) == 14
    assert sum(placed[bearoff.FULL]) == 15


def test_single_ranks() -> None:
    assert bearoff.rank((0, 0, 0, 0, 0, 0)) == 0
    assert bearoff.rank(np.array([1, 2, 3, 4, 5, 0], dtype=np.uint64)) == bearoff.rank(
        [[1, 2, 3, 4, 5, 0]]
    )
    assert bearoff.unrank(54263).tolist() == [0, 0, 0, 0, 0, 15]
    assert bearoff.rank(np.empty((0, 6), dtype=np.int8)).shape == (0,)
    assert bearoff.unrank(np.empty(0, dtype=int)).shape == (0, 6)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([[1] * 6, [3] * 6], ValueError, r"side 1: \[3, 3, 3, 3, 3, 3\] found"),
        ([0, 0, 0, 0, -1, 3], ValueError, "side 0"),
        ([257, 0, 0, 0, 0, 0], ValueError, "side 0"),
        (np.array([2**64 - 255, 0, 0, 0, 0, 0], dtype=np.uint64), ValueError, "side 0"),
        ([1, 2, 3], ValueError, r"shape \(6,\) or \(n, 6\), got \(3,\)"),
        ([[[1] * 6]], ValueError, "shape"),
        ([1.0] * 6, TypeError, "integers, got float64"),
        ([True] * 6, TypeError, "integers, got bool"),
    ],
)
def test_sides_that_are_none(given: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bearoff.rank(given)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([0, 54264], ValueError, "rank 1: 54264 found, ranks are 0 to 54263"),
        (-1, ValueError, "rank 0: -1 found"),
        (2**32, ValueError, "rank 0: 4294967296"),
        ([[1]], ValueError, "shape"),
        (1.5, TypeError, "integers"),
    ],
)
def test_ranks_that_are_none(given: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bearoff.unrank(given)


# --- one side


def small_sides() -> Iterator[tuple[int, Side]]:
    for rank in range(84):
        yield rank, tuple(bearoff.unrank(rank).tolist())


def test_small_sides_are_those_of_three_checkers() -> None:
    assert {side for _, side in small_sides()} == set(sides(3))


def test_against_recursion_with_up_to_three_checkers(rule: BearoffRule) -> None:
    """Means, best plays and where everything stands after up to four turns, in exact fractions."""
    alone, table = Alone(rule.rules), bearoff.table(rule.rules)
    assert table.rule == rule
    for rank, side in small_sides():
        assert table.mean[rank] == pytest.approx(float(alone.mean(side)), abs=1e-12)
        following = [bearoff.rank(alone.turn(side, roll)) for roll in ROLLS]
        assert table.following[rank].tolist() == following, side
        for turns in range(5):
            after = alone.after(side, turns)
            before = alone.after(side, turns - 1).get(EMPTY, 0) if turns else 0
            left = sum(chance * sum(end) for end, chance in after.items())
            assert table.left[rank, turns] == pytest.approx(float(left), abs=1e-6)
            ended = float(after.get(EMPTY, 0) - before)
            assert table.turns[rank, turns] == pytest.approx(ended, abs=1e-7)


def test_rolls_are_in_the_order_of_the_package() -> None:
    assert [tuple(roll) for roll in tavli.ROLLS.tolist()] == ROLLS
    assert tavli.ROLL_WEIGHTS.tolist() == [float(weight(roll)) for roll in ROLLS]


def test_first_checker_off(rule: BearoffRule) -> None:
    """By recursion over the best plays of the table, for some sides of 15."""
    table = bearoff.table(rule.rules)

    def still_all(rank: int, turns: int) -> float:
        if rank < bearoff.FULL or turns == 0:
            return float(rank >= bearoff.FULL)
        ends = table.following[rank].tolist()
        return sum(
            float(weight(roll)) * still_all(end, turns - 1)
            for roll, end in zip(ROLLS, ends, strict=True)
        )

    for rank in (bearoff.FULL, 40000, 47123, 54263):
        lasting = [still_all(rank, turns) for turns in range(4)]
        chances = [before - after for before, after in pairwise(lasting)]
        found = table.first[rank - bearoff.FULL, :4]
        assert found.tolist() == pytest.approx([0, *chances], abs=1e-7)
    assert table.first.sum(axis=1) == pytest.approx(1, abs=1e-6)


def test_distributions_hang_together(rule: BearoffRule) -> None:
    """They sum to 1, have the mean of the table, and checkers only become fewer."""
    table = bearoff.table(rule.rules)
    ks = np.arange(table.turns.shape[1])
    assert table.turns.min() >= 0
    assert table.turns.sum(axis=1, dtype=float) == pytest.approx(1, abs=1e-6)
    assert table.turns @ ks.astype(float) == pytest.approx(table.mean, abs=1e-5)
    assert (np.diff(table.left, axis=1) <= 0).all()
    checkers = bearoff.unrank(np.arange(bearoff.POSITIONS)).sum(axis=1)
    np.testing.assert_array_equal(table.left[:, 0], checkers)
    np.testing.assert_array_equal(table.turns[:, 0], checkers == 0)
    ranks = np.arange(bearoff.POSITIONS)[:, None]
    assert (table.following <= ranks).all()
    assert not any(array.flags.writeable for array in (*table.arrays, table.following))


def test_numbers_known_by_hand() -> None:
    """One checker; two on 6; stacks on 1, of which two leave with a roll and four with a double."""
    table = bearoff.table(PORTES)
    singles = [bearoff.rank(side) for side in np.eye(6, dtype=int)]
    in_one = (36 * table.turns[singles, 1]).tolist()
    assert in_one == pytest.approx([36, 36, 36, 34, 31, 27], abs=1e-5)
    means = table.mean[singles].tolist()
    assert means == pytest.approx([1, 1, 1, 1 + 2 / 36, 1 + 5 / 36, 1.25], abs=1e-12)
    assert 36 * table.turns[bearoff.rank([0, 0, 0, 0, 0, 2]), 1] == pytest.approx(4, abs=1e-5)
    # as the table of GNU Backgammon has it, to the digits of its 16-bit chances
    assert table.mean[bearoff.rank([0, 0, 0, 0, 0, 15])] == pytest.approx(12.2662, abs=2e-4)
    stacks = [Fraction(0)]
    for n in range(1, 16):
        two, four = stacks[max(0, n - 2)], stacks[max(0, n - 4)]
        stacks.append(1 + Fraction(5, 6) * two + Fraction(1, 6) * four)
        assert table.mean[bearoff.rank([n, 0, 0, 0, 0, 0])] == pytest.approx(float(stacks[n]))


def test_numbers_of_exact_bearing_off() -> None:
    """A lone checker on 1 leaves with a 1; a stack on 6 without inside steps with sixes."""
    exact = bearoff.table(make_rules("portes", {"overshoot": "never"}))
    assert exact.mean[1] == pytest.approx(36 / 11)
    table = bearoff.table(make_rules("portes", {"overshoot": "never", "inside_moves": "never"}))
    # 25 of 36 rolls pass, 10 take one, one takes four
    stacks = [Fraction(0)]
    for n in range(1, 16):
        one, four = stacks[n - 1], stacks[max(0, n - 4)]
        stacks.append((1 + Fraction(10, 36) * one + Fraction(1, 36) * four) * Fraction(36, 11))
        assert table.mean[bearoff.rank([0, 0, 0, 0, 0, n])] == pytest.approx(float(stacks[n]))


@pytest.mark.parametrize("inside_moves", ["free", "never"])
@pytest.mark.parametrize("doubles", ["four", "cascade"])
def test_the_choice_of_a_single_die_matters_to_exact_bearing_off_alone(
    inside_moves: str, doubles: str
) -> None:
    higher, either = (
        bearoff._build(BearoffRule("rearmost", inside_moves, single_die, doubles), None)
        for single_die in ("higher", "either")
    )
    for name, array in higher.items():
        np.testing.assert_array_equal(array, either[name])
    exact = (RULES["never-free-higher-four"], RULES["never-free-either-four"])
    one, other = (bearoff.table(rule.rules).mean for rule in exact)
    assert (one >= other - 1e-12).all()
    assert (one > other + 0.01).any()


# --- rules


def test_presets_without_race_values() -> None:
    without = []
    for name in PRESETS:
        try:
            assert bearoff.rule_of(make_rules(name, {})) in bearoff.all_rules()
        except tavli.RuleConflict:
            without.append(name)
    assert without == ["narde_balanced", "crazy_narde"]


@pytest.mark.parametrize(
    ("preset", "switches", "named"),
    [
        ("gul_bara", {"unplayed": "opponent_plays"}, "unplayed=opponent_plays"),
        ("portes", {"balancing_turn": "second_player"}, "balancing_turn=second_player"),
        ("narde", {"wall_six": "never"}, "wall_six=never"),
    ],
)
def test_rules_without_race_values(preset: str, switches: dict, named: str) -> None:
    rules = make_rules(preset, switches)
    with pytest.raises(tavli.RuleConflict, match=named):
        bearoff.rule_of(rules)
    with pytest.raises(tavli.RuleConflict, match=named):
        bearoff.table(rules)


def test_all_rules_are_told_apart_by_name() -> None:
    rules = bearoff.all_rules()
    assert len(rules) == len({rule.name for rule in rules}) == 12
    assert set(RULES.values()) <= set(rules)


def test_games_share_a_table() -> None:
    tables = [bearoff.table(make_rules(name, {})) for name in ("portes", "plakoto", "fevga")]
    assert tables[0] is tables[1] is tables[2]


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    bearoff._build(RULES["rearmost-free-higher-four"], lambda done, of: told.append((done, of)))
    assert told[-1] == (bearoff.POSITIONS, bearoff.POSITIONS)
    assert all(early < late for (early, _), (late, _) in pairwise(told))


# --- two sides


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.doubles == "four"])
def test_two_sides_against_recursion(name: str) -> None:
    """All pairs of up to two checkers, in exact fractions."""
    rules = RULES[name].rules
    table = bearoff.two_sided(rules)
    assert (table.shape, table.dtype) == ((924, 924), np.float32)
    expected = two_sided(rules, 2)
    assert len(expected) == 28 * 28 - 1
    for (mine, his), equity in expected.items():
        found = table[bearoff.rank(mine), bearoff.rank(his)]
        assert found == pytest.approx(float(equity), abs=1e-7), (mine, his)


def test_two_sided_tables_are_whole() -> None:
    table = bearoff.two_sided(PORTES)
    assert isinstance(table, np.memmap)
    assert not table.flags.writeable
    assert np.isfinite(table).all()
    assert np.abs(table).max() == 1
    assert table[0, 0] == 0
    # to have the roll is never worse than not to have it
    assert (table[1:, 1:] >= -table.T[1:, 1:] - 1e-6).all()


def test_one_sided_equities_are_close_to_the_two_sided() -> None:
    found = bearoff.errors(PORTES)
    assert 0.001 < found.mean < 0.003
    assert 0.02 < found.largest < 0.03
    mine, his = found.worst
    row = np.zeros(32, dtype=np.int8)
    row[1:7], row[24:18:-1] = mine, -np.array(his)
    row[26:28] = 15 - sum(mine), 15 - sum(his)
    equity = tavli.variant("portes").race(row).equity
    exact = bearoff.two_sided(PORTES)[bearoff.rank(mine), bearoff.rank(his)]
    assert abs(equity - exact) == pytest.approx(found.largest, abs=1e-6)


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        (make_rules("gul_bara", {}), "doubles=cascade"),
        (make_rules("tawla31", {}), "score_by=enemy_checkers_left"),
    ],
)
def test_rules_without_a_two_sided_table(rules: Rules, named: str) -> None:
    with pytest.raises(tavli.RuleConflict, match=named):
        bearoff.two_sided(rules)


# --- what kernels refuse


def test_kernels_refuse_arrays_of_other_shapes() -> None:
    engine = Engine(dict(PORTES.items()))
    following = np.zeros((bearoff.POSITIONS, 21), dtype=np.uint16)
    mean = np.zeros((1, bearoff.POSITIONS))
    ends = np.zeros((1, bearoff.POSITIONS), dtype=np.uint16)
    for start, stop in ((-1, 5), (0, bearoff.POSITIONS + 1), (5, 4)):
        with pytest.raises(ValueError, match="shapes"):
            kernels.best_plays(engine, False, start, stop, following, mean, ends)
    with pytest.raises(ValueError, match="shapes"):
        kernels.best_plays(engine, True, 0, 1, following, mean, ends)
    with pytest.raises(ValueError, match="shapes"):
        kernels.best_plays(engine, False, 0, 1, following[:, :20].copy(), mean, ends)
    with pytest.raises(ValueError, match="shapes"):
        kernels.after_a_turn(following, mean[0, :-1].copy(), mean[0])
    small, counts = np.full((924, 21, 126), 924, dtype=np.uint16), np.zeros((924, 21), np.uint8)
    with pytest.raises(ValueError, match="out of range"):
        kernels.two_sided(small, counts, np.zeros((924, 924)))
    with pytest.raises(ValueError, match="too many"):
        kernels.two_sided(np.zeros_like(small), counts + 127, np.zeros((924, 924)))
    arrays = bearoff.table(PORTES).arrays
    with pytest.raises(ValueError, match="not the arrays"):
        engine.race(arrays[0][:5].copy(), *arrays[1:], np.zeros((1, 2), np.int32), np.zeros((6, 1)))
    with pytest.raises(ValueError, match="ranks 0 are out of range"):
        engine.race(*arrays, np.full((1, 2), 54264, np.int32), np.zeros((6, 1)))


def test_a_callback_may_ask_for_the_table_that_is_being_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It gets one of its own, and nobody waits for ever."""
    monkeypatch.setenv("TAVLI_FAST_CACHE", str(tmp_path))
    bearoff.clear()
    asked: list[bearoff.Table] = []

    def ask(done: int, total: int) -> None:
        if not asked:
            asked.append(bearoff.table(tavli.variant("portes").rules))

    found = bearoff.table(tavli.variant("portes").rules, progress=ask)
    assert (found.mean == asked[0].mean).all()


@pytest.mark.parametrize("rules", [None, "portes", tavli.variant("portes")])
def test_what_are_no_rules_is_refused(rules: object) -> None:
    with pytest.raises(TypeError, match="rules must be Rules"):
        bearoff.table(rules)
