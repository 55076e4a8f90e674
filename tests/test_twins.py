"""What exists twice, in the kernels and in Python, or in fast and portable code, has to agree."""

from random import Random

import numpy as np
import pytest
from positions import random_row, random_rules

import tavli_fast as tavli
from tavli_fast.engine._kernels.rules import SWITCH_VALUES
from tavli_fast.engine._kernels.simd_twins import twins
from tavli_fast.engine.streams import GOLDEN, MASK64, Stream, mix
from tavli_fast.rules.switches import SWITCHES

EXTREMES = np.array([-128, -127, -16, -15, -2, -1, 0, 1, 2, 15, 16, 126, 127], dtype=np.int8)


def assert_twins_agree(rows: np.ndarray, deltas: np.ndarray) -> None:
    """Each pair of answers is equal."""
    pairs = twins(rows, deltas)
    assert len(pairs) == len(rows)
    for row, delta, (fast, portable) in zip(rows, deltas, pairs, strict=True):
        assert fast == portable, f"row {row.tolist()}, delta {delta.tolist()}"


def test_whole_row_operations_on_random_bytes() -> None:
    """Any bytes at all."""
    numbers = np.random.default_rng(1)
    rows = numbers.integers(-128, 128, (5000, 32)).astype(np.int8)
    deltas = numbers.integers(-128, 128, (5000, 32)).astype(np.int8)
    assert_twins_agree(rows, deltas)


def test_whole_row_operations_on_extremes() -> None:
    """The ends of the range, alone at every byte and all mixed."""
    numbers = np.random.default_rng(2)
    mixed = numbers.choice(EXTREMES, (5000, 32))
    assert_twins_agree(mixed, numbers.choice(EXTREMES, (5000, 32)))
    same = np.repeat(EXTREMES[:, None], 32, axis=1)
    assert_twins_agree(same, same)
    alone = np.zeros((32 * len(EXTREMES), 32), dtype=np.int8)
    for i, value in enumerate(EXTREMES):
        alone[32 * i : 32 * i + 32] = np.diag(np.full(32, value, dtype=np.int8))
    assert_twins_agree(alone, alone[::-1].copy())


def test_whole_row_operations_on_positions() -> None:
    """The answers are right there, not just alike."""
    rng = Random(3)
    rows = []
    for _ in range(500):
        preset, switches = random_rules(rng)
        rows.append(random_row(rng, tavli.variant(preset, **switches)))
    rows = np.array(rows, dtype=np.int8)
    deltas = np.roll(rows, 1, axis=0)
    assert_twins_agree(rows, deltas)
    found = twins(rows, deltas)
    differ = ((rows != deltas) << np.arange(32)).sum(axis=1)
    assert [pair[0][4] for pair in found] == differ.tolist()
    sums = np.array([pair[0][3] for pair in found])
    assert np.array_equal(sums, (rows.astype(int) + deltas + 128) % 256 - 128)


def test_no_rows() -> None:
    """Nothing in, nothing out."""
    assert twins(np.empty((0, 32), dtype=np.int8), np.empty((0, 32), dtype=np.int8)) == []


def test_switches_of_the_kernels() -> None:
    """Names, values and order are those of the rules."""
    expected = [(name, tuple(switch.values)) for name, switch in SWITCHES.items()]
    assert list(SWITCH_VALUES.items()) == expected
    types = [[type(value) for value in values] for values in SWITCH_VALUES.values()]
    assert types == [[type(value) for value in switch.values] for switch in SWITCHES.values()]


# --- random streams -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1])
@pytest.mark.parametrize("preset", ["portes", "plakoto", "jacquet"])
def test_samples_follow_the_stream(seed: int, preset: str, engine: str) -> None:
    """Roll by roll and play by play, games 0, 1, 2 ... of the seed."""
    variant = tavli.variant(preset, engine=engine)
    number = 400 if engine == "kernel" else 70
    rows, dice = variant.sample(number, seed)
    game, stream, row = 0, Stream(seed, 0), variant.start_row()
    for met, roll in zip(rows, dice, strict=True):
        if variant.result(row).over:
            game += 1
            stream, row = Stream(seed, game), variant.start_row()
        assert np.array_equal(met, row)
        assert tuple(roll.tolist()) == stream.roll()
        ends = variant.plays(row, roll, flipped=True).rows
        row = ends[stream.below(len(ends))] if len(ends) else variant.flip(row)
    assert game > 0 or engine == "reference"


def test_mixing_is_that_of_splitmix64() -> None:
    """The first outputs of the published generator with seed 0."""
    outputs = [mix(i * GOLDEN & MASK64) for i in (1, 2, 3)]
    assert outputs == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_every_bit_of_seed_and_game_counts() -> None:
    """Streams whose seed or game differs in one bit have different words."""
    first = Stream(5, 7).word()
    others = [Stream(5 ^ 1 << bit, 7).word() for bit in range(64)]
    others += [Stream(5, 7 ^ 1 << bit).word() for bit in range(64)]
    assert len({first, *others}) == 129


def test_seeds_that_differ_above_bit_32_give_other_games(engine: str) -> None:
    """No seed is cut to 32 bits."""
    variant = tavli.variant("portes", engine=engine)
    assert not np.array_equal(variant.sample(40, 9)[1], variant.sample(40, 9 + 2**32)[1])


def test_rolls_are_without_bias() -> None:
    """Chi-square of 36 pairs over 72,000 rolls: 99.9 % of honest dice stay below 66.6."""
    stream = Stream(2, 0)
    counts = np.zeros((7, 7))
    for _ in range(72_000):
        counts[stream.roll()] += 1
    assert counts[0].sum() == counts[:, 0].sum() == 0
    assert ((counts[1:, 1:] - 2000) ** 2 / 2000).sum() < 66.6


def test_numbers_below_a_bound() -> None:
    """All of them, none outside, each about as often."""
    stream = Stream(3, 0)
    counts = np.bincount([stream.below(7) for _ in range(14_000)], minlength=7)
    assert len(counts) == 7
    assert ((counts - 2000) ** 2 / 2000).sum() < 22.5
    assert {stream.below(1) for _ in range(10)} == {0}
    # every third number would come twice as often if no word were drawn again
    bound = 3 << 30
    numbers = np.array([stream.below(bound) for _ in range(3000)])
    assert numbers.min() >= 0
    assert numbers.max() < bound
    assert ((np.bincount(numbers % 3) - 1000) ** 2 / 1000).sum() < 13.8
