"""Compare kernels, reference engine and brute-force oracle on random positions.

    python tests/compare.py --positions 10000 --seed 1 [PRESET ...] [--mixed]

Half of the positions are constructed, half come from random play. The first difference stops the
run and is printed with everything that is needed to see it again.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

if __name__ == "__main__":  # the package beside this directory, as the tests see it
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import oracle
from positions import (
    BAR,
    OPP_BAR,
    Roll,
    Row,
    as_array,
    constructed,
    other,
    pin_mask,
    play_line,
    random_roll,
    random_switches,
)

import tavli_fast as tavli
from tavli_fast.engine.reference import endings, play_rules
from tavli_fast.rules import rows
from tavli_fast.rules.presets import PRESETS
from tavli_fast.rules.switches import Rules, Value

POSITIONS_PER_RULES = 20


class Answer(NamedTuple):
    """Everything an engine says about a row and a roll."""

    ends: list[Row]
    steps: list[tuple[tuple[int, int], ...]]
    flipped: list[Row]
    count: int
    result: int | None


def reference_answer(rules: Rules, row: Row, roll: Roll) -> Answer:
    """The same from the functions of the reference engine, each called once."""
    result = endings.result(rules, row)
    plays = play_rules.legal_plays(rules, row, roll) if result is None else []
    return Answer(
        [play.end for play in plays],
        [play.steps for play in plays],
        [rows.flip(play.end, rules.direction) for play in plays],
        len(plays),
        result,
    )


def answer(variant: tavli.Variant, row: Row, roll: Roll) -> Answer:
    """What a variant says about a row and a roll."""
    array = as_array(row)
    plays = variant.plays(array, roll, steps=True)
    steps = [tuple((source, die) for source, die in play if die) for play in plays.steps.tolist()]
    over, points = variant.result(array)
    return Answer(
        [tuple(end) for end in plays.rows.tolist()],
        steps,
        [tuple(end) for end in variant.plays(array, roll, flipped=True).rows.tolist()],
        variant.count(array, roll),
        points if over else None,
    )


def ordered_plays(lists: Mapping[Row, set[oracle.StepList]], roll: Roll) -> list[tuple]:
    """Ends and the steps shown, in the order of ``docs/rows.md`` section 6, by its words alone."""
    high, low = max(roll), min(roll)

    def walk(steps: oracle.StepList) -> tuple:
        return [die != high for _, die in steps[:1]], [-source for source, _ in steps]

    def sources(play: tuple[Row, oracle.StepList]) -> list[int]:
        return sorted(-source for source, _ in play[1])

    shown = [(end, min(found, key=walk)) for end, found in lists.items()]
    return sorted(shown, key=sources if high == low else lambda play: walk(play[1]))


def difference(kernel: tavli.Variant, row: Row, roll: Roll) -> tuple[str | None, int]:
    """What kernel, reference and oracle disagree on, and the number of plays."""
    rules = dict(kernel.rules.items())
    fast, slow = answer(kernel, row, roll), reference_answer(kernel.rules, row, roll)
    for field, found, expected in zip(Answer._fields, fast, slow, strict=True):
        if found != expected:
            return f"{field}: kernel {found}, reference {expected}", fast.count
    if fast.count != len(fast.ends):
        return f"count {fast.count} for {len(fast.ends)} plays", fast.count
    # the two engines agree on all of them, so one is enough for the oracle
    if fast.ends and fast.flipped[0] != (flipped := oracle.flip(rules, fast.ends[0])):
        return f"flipped: engines {fast.flipped[0]}, oracle {flipped}", fast.count
    if fast.result != (points := oracle.result(rules, row)):
        return f"result: engines {fast.result}, oracle {points}", fast.count
    expected = ordered_plays(oracle.legal_step_lists(rules, row, roll), roll)
    if (found := list(zip(fast.ends, fast.steps, strict=True))) != expected:
        return f"plays: engines {found}, oracle {expected}", fast.count
    return None, fast.count


def kinds(rules: Rules, row: Row, plays: int, over: bool) -> list[str]:
    """What a position is an example of, for the tally."""
    mask = pin_mask(row)
    mine_outside = any(row[p] > 0 or (row[p] < 0 and mask >> p & 1) for p in range(7, 25))
    held = {other(p, rules.direction) for p in range(1, 25) if row[p] > 0}
    in_six = max(len(held.intersection(range(p, p + 6))) for p in range(1, 20))
    facts = {
        "over": over,
        "pass": plays == 0 and not over,
        "bar": row[BAR] > 0 or row[OPP_BAR] > 0,
        "pins": mask != 0,
        "bear-off": not mine_outside and row[BAR] == 0 and not over,
        "near wall": 4 <= in_six < 6,
        "wall": in_six == 6,
    }
    return [kind for kind, holds in facts.items() if holds]


def compare(preset: str, positions: int, seed: int, mixed: bool) -> Counter[str]:
    """Compare on random positions of one preset; a difference ends the program."""
    rng = Random(f"{seed} {preset}")
    tally: Counter[str] = Counter()
    variant = tavli.variant(preset)
    line = play_line(rng, variant)
    for i in range(positions):
        if mixed and i % POSITIONS_PER_RULES == 0:
            variant = tavli.variant(preset, **random_switches(rng, preset))
            line = play_line(rng, variant)
            for _ in range(rng.randrange(120)):
                next(line)
        if i % 2:
            row, roll = next(line)
        else:
            row, roll = constructed(rng, variant.rules), random_roll(rng)
        found, plays = difference(variant, row, roll)
        if found is not None:
            sys.exit(report(variant, row, roll, found, f"seed {seed}, position {i}"))
        tally["compared"] += 1
        tally["plays"] += plays
        over = variant.result(as_array(row)).over
        tally.update(kinds(variant.rules, row, plays, over))
    return tally


def report(variant: tavli.Variant, row: Row, roll: Roll, found: str, where: str) -> str:
    """A difference with everything that is needed to see it again."""
    preset = tavli.variant(variant.name).rules
    switches: dict[str, Value] = {
        name: value for name, value in variant.rules.items() if getattr(preset, name) != value
    }
    return "\n".join(
        [
            f"DIFFERENCE in {variant.name} ({where})",
            f"switches = {switches}",
            f"row = {list(row)}",
            f"dice = {roll}",
            found,
        ]
    )


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("presets", nargs="*", metavar="PRESET", help="all when none is named")
    parser.add_argument("--positions", type=int, default=1000, help="positions of each preset")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mixed", action="store_true", help="replace switches at random")
    options = parser.parse_args(arguments)
    for preset in options.presets or PRESETS:
        start = time.perf_counter()
        tally = compare(preset, options.positions, options.seed, options.mixed)
        seconds = time.perf_counter() - start
        numbers = ", ".join(f"{kind} {number}" for kind, number in sorted(tally.items()))
        print(f"{preset:16} {seconds:6.1f} s  {numbers}", flush=True)


if __name__ == "__main__":
    main()
