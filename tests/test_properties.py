"""What has to hold for every position: drawn from seeds, over presets and mixed switches."""

from importlib import import_module
from random import Random

import numpy as np
import numpy.typing as npt
import oracle
import pytest
from compare import compare, difference, main, ordered_plays
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import (
    BAR,
    CHECKERS,
    OFF,
    OPP_BAR,
    OPP_OFF,
    Roll,
    Row,
    as_array,
    as_row,
    constructed,
    pin_mask,
    play_line,
    random_roll,
    random_row,
    random_rules,
)
from replay import replay

import tavli_fast as tavli

Rows = npt.NDArray[np.int8]

SEEDS = st.integers(0, 2**32 - 1)
QUERIES = 12


def on_both(seed: int) -> tuple[tavli.Variant, tavli.Variant, Random]:
    """Some rules on both engines, and what else is to be drawn from the seed."""
    rng = Random(seed)
    preset, switches = random_rules(rng)
    kernel = tavli.variant(preset, **switches)
    return kernel, tavli.variant(preset, engine="reference", **switches), rng


def some_query(seed: int) -> tuple[tavli.Variant, Row, Roll]:
    """A position of some rules, and a roll."""
    kernel, _, rng = on_both(seed)
    return kernel, random_row(rng, kernel), random_roll(rng)


def some_queries(seed: int) -> tuple[tavli.Variant, tavli.Variant, Rows, Rows]:
    """Positions of some rules, constructed and met in play, and a roll for each."""
    kernel, reference, rng = on_both(seed)
    line = play_line(rng, kernel)
    rows = []
    for _ in range(QUERIES // 2):
        rows.append(constructed(rng, kernel.rules))
        for _ in range(rng.randrange(40)):
            next(line)
        rows.append(next(line)[0])
    dice = [random_roll(rng) for _ in rows]
    return kernel, reference, np.array(rows, dtype=np.int8), np.array(dice, dtype=np.int8)


def same_plays(first: tavli.Plays, second: tavli.Plays) -> bool:
    """Whether two answers are equal, steps included."""
    return all(
        (a is None and b is None) or (a.dtype == b.dtype and np.array_equal(a, b))
        for a, b in zip(first, second, strict=True)
    )


# --- engines and oracle ---------------------------------------------------------------------------


@settings(max_examples=400)
@given(SEEDS)
def test_engines_and_oracle_agree(seed: int) -> None:
    """Ends, their order, the steps shown, flipped ends, count and result of one query."""
    kernel, row, roll = some_query(seed)
    found, _ = difference(kernel, row, roll)
    assert found is None, f"{kernel!r}, row {list(row)}, dice {roll}: {found}"


@settings(max_examples=60)
@given(SEEDS)
def test_engines_agree_on_many_queries(seed: int) -> None:
    """Every option of ``plays``, over several rows at once."""
    kernel, reference, rows, dice = some_queries(seed)
    assert np.array_equal(kernel.count(rows, dice), reference.count(rows, dice))
    for options in (
        {"steps": True},
        {"keep_pass": True},
        {"flipped": True},
        {"steps": True, "keep_pass": True, "flipped": True},
    ):
        fast, slow = kernel.plays(rows, dice, **options), reference.plays(rows, dice, **options)
        assert same_plays(fast, slow), f"{kernel!r} with {options}"


@settings(max_examples=200)
@given(SEEDS)
def test_engines_agree_on_views_and_results(seed: int) -> None:
    """Flip, pips, result and validate, with the oracle as third."""
    kernel, reference, rows, _ = some_queries(seed)
    rules = dict(kernel.rules.items())
    kernel.validate(rows)
    reference.validate(rows)
    flipped = kernel.flip(rows)
    assert np.array_equal(flipped, reference.flip(rows))
    assert flipped.tolist() == [list(oracle.flip(rules, row)) for row in rows.tolist()]
    pips = kernel.pips(rows)
    assert np.array_equal(pips, reference.pips(rows))
    assert pips.tolist() == [list(oracle.pips(rules, row)) for row in rows.tolist()]
    fast, slow = kernel.result(rows), reference.result(rows)
    assert np.array_equal(fast.over, slow.over)
    assert np.array_equal(fast.points, slow.points)
    judged = [oracle.result(rules, row) for row in rows.tolist()]
    assert fast.over.tolist() == [points is not None for points in judged]
    assert fast.points.tolist() == [points or 0 for points in judged]


@settings(max_examples=200)
@given(SEEDS)
def test_steps_shown_are_legal_and_lead_to_the_end(seed: int) -> None:
    """Each list of steps survives the rules, and played out gives its end."""
    kernel, row, roll = some_query(seed)
    rules = dict(kernel.rules.items())
    plays = kernel.plays(as_array(row), roll, steps=True)
    legal = oracle.legal_step_lists(rules, row, roll)
    for end, padded in zip(plays.rows.tolist(), plays.steps.tolist(), strict=True):
        steps = tuple((source, die) for source, die in padded if die)
        assert padded == [*map(list, steps), *[[0, 0]] * (4 - len(steps))]
        assert steps in legal[tuple(end)]
        assert replay(kernel.rules.contact, row, steps) == tuple(end)


@settings(max_examples=25)
@given(SEEDS, st.integers(0, 2**64 - 1))
def test_samples_are_the_same_on_both_engines(seed: int, sample_seed: int) -> None:
    """Random play draws the same games."""
    kernel, reference, _ = on_both(seed)
    fast, slow = kernel.sample(60, sample_seed), reference.sample(60, sample_seed)
    assert np.array_equal(fast[0], slow[0])
    assert np.array_equal(fast[1], slow[1])


# --- each engine by itself ------------------------------------------------------------------------


def own_checkers(row: list[int]) -> tuple[int, int]:
    """Checkers of mover and opponent, counted here."""
    mask = pin_mask(row)
    mine = sum(n for n in row[1:25] if n > 0) + row[BAR] + row[OFF]
    his = sum(-n for n in row[1:25] if n < 0) + row[OPP_BAR] + row[OPP_OFF]
    pinned_mine = sum(row[p] < 0 and mask >> p & 1 for p in range(1, 25))
    pinned_his = sum(row[p] > 0 and mask >> p & 1 for p in range(1, 25))
    return mine + pinned_mine, his + pinned_his


@settings(max_examples=200)
@given(SEEDS)
def test_plays_keep_all_checkers_and_no_end_comes_twice(seed: int) -> None:
    """Ends are positions of the rules, distinct, and as many as counted."""
    kernel, _, rows, dice = some_queries(seed)
    plays = kernel.plays(rows, dice)
    kernel.validate(plays.rows)
    assert {own_checkers(end) for end in plays.rows.tolist()} <= {(CHECKERS, CHECKERS)}
    assert np.array_equal(np.diff(plays.offsets), kernel.count(rows, dice))
    for low, high in zip(plays.offsets[:-1], plays.offsets[1:], strict=True):
        ends = {tuple(end) for end in plays.rows[low:high].tolist()}
        assert len(ends) == high - low


@settings(max_examples=100)
@given(SEEDS)
def test_flipping_twice_gives_the_row_back(seed: int) -> None:
    """Also in place."""
    kernel, _, rows, _ = some_queries(seed)
    twice = rows.copy()
    kernel.flip(twice, out=twice)
    assert np.array_equal(twice, kernel.flip(rows))
    kernel.flip(twice, out=twice)
    assert np.array_equal(twice, rows)


@settings(max_examples=100)
@given(SEEDS)
def test_flipped_results_and_pips_are_mirrored(seed: int) -> None:
    """What one player wins the other loses."""
    kernel, _, rows, _ = some_queries(seed)
    mine, his = kernel.result(rows), kernel.result(kernel.flip(rows))
    assert np.array_equal(mine.over, his.over)
    assert np.array_equal(mine.points, -his.points)
    assert np.array_equal(kernel.pips(rows), kernel.pips(kernel.flip(rows))[:, ::-1])


@settings(max_examples=60)
@given(SEEDS)
def test_flipped_ends_are_the_flipped_ends(seed: int) -> None:
    """The option and the method agree."""
    kernel, _, rows, dice = some_queries(seed)
    ends, flipped = kernel.plays(rows, dice), kernel.plays(rows, dice, flipped=True)
    assert np.array_equal(ends.offsets, flipped.offsets)
    assert np.array_equal(kernel.flip(ends.rows), flipped.rows)


@settings(max_examples=60)
@given(SEEDS)
def test_keep_pass_adds_the_unchanged_row_and_nothing_else(seed: int) -> None:
    """A pass has one entry then; a finished game still has none."""
    kernel, _, rows, dice = some_queries(seed)
    plain, kept = kernel.plays(rows, dice), kernel.plays(rows, dice, keep_pass=True, steps=True)
    over = kernel.result(rows).over
    for i, row in enumerate(rows):
        ends = plain.rows[plain.offsets[i] : plain.offsets[i + 1]]
        mine = slice(kept.offsets[i], kept.offsets[i + 1])
        is_pass = len(ends) == 0 and not over[i]
        assert np.array_equal(kept.rows[mine], [row] if is_pass else ends)
        assert kept.steps is not None
        assert not (is_pass and kept.steps[mine].any())


@settings(max_examples=60)
@given(SEEDS)
def test_order_of_dice_is_irrelevant(seed: int) -> None:
    """6-1 is 1-6."""
    kernel, reference, rows, dice = some_queries(seed)
    for variant in (kernel, reference):
        assert same_plays(
            variant.plays(rows, dice, steps=True), variant.plays(rows, dice[:, ::-1], steps=True)
        )


@settings(max_examples=40)
@given(SEEDS)
def test_broadcasting_is_repetition(seed: int) -> None:
    """One row with many dice and one pair with many rows, against all spelled out."""
    kernel, reference, rows, dice = some_queries(seed)
    for variant in (kernel, reference):
        spelled_out = variant.plays(np.repeat(rows[:1], len(dice), axis=0), dice, steps=True)
        assert same_plays(variant.plays(rows[0], dice, steps=True), spelled_out)
        spelled_out = variant.plays(rows, np.repeat(dice[:1], len(rows), axis=0), steps=True)
        assert same_plays(variant.plays(rows, dice[0], steps=True), spelled_out)


def test_company_and_threads_change_nothing(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many queries split over 1, 2 and 5 threads, against one query after the other."""
    # the module: the package gives its name to a function
    monkeypatch.setattr(import_module("tavli_fast.engine.variant"), "QUERIES_PER_THREAD", 4)
    rng = Random(5)
    for preset in ("portes", "plakoto", "narde"):
        variant = tavli.variant(preset, engine=engine)
        rows = np.array([random_row(rng, variant) for _ in range(40)], dtype=np.int8)
        dice = np.array([random_roll(rng) for _ in rows], dtype=np.int8)
        alone = [variant.plays(row, roll, steps=True) for row, roll in zip(rows, dice, strict=True)]
        for threads in (1, 2, 5):
            plays = variant.plays(rows, dice, steps=True, threads=threads)
            assert np.array_equal(plays.rows, np.concatenate([one.rows for one in alone]))
            assert np.array_equal(plays.steps, np.concatenate([one.steps for one in alone]))
            assert np.diff(plays.offsets).tolist() == [len(one.rows) for one in alone]
            counts = variant.count(rows, dice, threads=threads)
            assert counts.tolist() == [len(one.rows) for one in alone]


def test_kernels_split_over_threads() -> None:
    """Enough queries for real threads; what one thread found was compared above."""
    variant = tavli.variant("fevga_nardgg")
    rows, dice = variant.sample(50_000, seed=3)
    once = variant.plays(rows, dice, steps=True)
    for threads in (2, 5):
        assert same_plays(once, variant.plays(rows, dice, steps=True, threads=threads))
        assert np.array_equal(np.diff(once.offsets), variant.count(rows, dice, threads=threads))


@pytest.mark.parametrize("preset", tavli.variants())
def test_samples_are_decisions_of_games(preset: str) -> None:
    """Each row follows from the one before, or begins a new game."""
    variant = tavli.variant(preset)
    rows, dice = variant.sample(400, seed=11)
    start = as_row(variant.start_row())
    assert as_row(rows[0]) == start
    assert not variant.result(rows).over.any()
    for row, roll, following in zip(rows[:-1], dice[:-1], rows[1:], strict=True):
        ends = variant.plays(row, roll, keep_pass=True, flipped=True).rows
        may_follow = {as_row(end) for end in ends}
        ends_game = variant.result(ends).over.any()
        assert as_row(following) in may_follow or (ends_game and as_row(following) == start)
    longer, _ = variant.sample(600, seed=11)
    assert np.array_equal(longer[:400], rows)


# --- the comparison itself ------------------------------------------------------------------------


@pytest.mark.parametrize("mixed", [False, True])
def test_comparison_of_each_preset(mixed: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """``compare.py`` finds no difference, and looks at every kind of position."""
    main(["--positions", "40", "--seed", "2", *(["--mixed"] if mixed else [])])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == tavli.variants()
    assert all("compared 40" in line for line in lines)
    for kind in ("bar", "bear-off", "near wall", "over", "pass", "pins", "wall"):
        assert any(f"{kind} " in line for line in lines)


def test_comparison_stops_at_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong judge is reported, with what is needed to see it again."""
    monkeypatch.setattr(oracle, "legal_step_lists", lambda *_: {})
    with pytest.raises(SystemExit) as stop:
        compare("fevga", 5, seed=1, mixed=False)
    report = str(stop.value)
    assert all(part in report for part in ("DIFFERENCE in fevga", "switches", "row = [", "dice ="))


def test_order_is_that_of_the_description() -> None:
    """The walk of ``docs/rows.md`` on a case small enough to write down."""
    high_first = (((24, 3), (23, 1)), ((13, 3), (24, 1)))
    low_first = (((24, 1), (24, 3)),)
    lists = {
        (1,): {high_first[1]},
        (2,): set(low_first),
        (3,): {high_first[0], ((24, 1), (23, 3))},
    }
    assert ordered_plays(lists, (1, 3)) == [
        ((3,), high_first[0]),
        ((1,), high_first[1]),
        ((2,), low_first[0]),
    ]
