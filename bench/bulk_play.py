"""Speed of rollouts, duels and games in lockstep, in interleaved rounds.

    python bench/bulk_play.py [VARIANT]... [--rounds 7] [--blocks 8] [--json FILE]

Prints medians with minimum and maximum: rollouts by the policies of the kernels, on one thread and
on two; what a policy in Python costs beside its own time; and rollouts with races looked up.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from time import perf_counter

import numpy as np

import tavli_fast as tavli
from tavli_fast.bulk.play_block import BLOCK
from tavli_fast.engine import bearoff
from tavli_fast.measure.benchmark import machine, spread

GAMES = ("portes", "plakoto", "fevga", "narde")


class Timed(tavli.Policy):
    """Values by pips that remember how long they took."""

    name = key = "timed"

    def __init__(self):
        self.seconds = 0.0

    def values(self, variant, rows):
        """Those of the policy ``pips``."""
        begun = perf_counter()
        values = variant.pip_values(rows)
        self.seconds += perf_counter() - begun
        return values


def games_a_second(start, blocks, **options):
    """Rollouts of so many blocks."""
    begun = perf_counter()
    tavli.rollout(start, games=blocks * BLOCK, seed=1, **options)
    return blocks * BLOCK / (perf_counter() - begun)


def overhead(start, blocks):
    """Nanoseconds a game and ply beside the evaluator's own time."""
    policy = Timed()
    begun = perf_counter()
    found = tavli.rollout(start, games=blocks * BLOCK, seed=1, policy=policy)
    rest = perf_counter() - begun - policy.seconds
    return 1e9 * rest / (found.plies * found.games)


def lockstep(start, plies):
    """Nanoseconds a game and ply of ``Games``, choices at random."""
    games = tavli.Games(start.variant, 4096, seed=1)
    begun = perf_counter()
    for _ in range(plies):
        games.roll()
        games.plays()
        games.play(games.random())
    return 1e9 * (perf_counter() - begun) / (4096 * plies)


def one_round(start, blocks):
    """Every figure once."""
    found = {}
    for policy in ("random", "pips"):
        one = games_a_second(start, blocks, policy=policy)
        two = games_a_second(start, blocks, policy=policy, executor=2)
        found[f"{policy}, games/s"] = one
        found[f"{policy}, two threads, ratio"] = two / one
    found["pips with races, games/s"] = games_a_second(start, blocks, races=True)
    found["beside a policy in Python, ns a game and ply"] = overhead(start, max(blocks // 4, 1))
    found["Games, ns a game and ply"] = lockstep(start, 100)
    return found


def near_the_end(variant, blocks):
    """How many times as fast rollouts of late positions are when races are looked up."""
    rows, _ = variant.sample(200_000, seed=3)
    late = rows[(variant.pips(rows).max(axis=1) < 90) & ~variant.is_race(rows, home=True)]
    row = late[np.argsort(variant.pips(late).sum(axis=1), kind="stable")[len(late) // 2]]
    start = variant.position(row)
    played, looked_up = (
        games_a_second(start, blocks, policy="pips", races=races) for races in (False, True)
    )
    return looked_up / played


def main():
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("variants", nargs="*", default=GAMES)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--blocks", type=int, default=8, help=f"of {BLOCK} games")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    starts = [tavli.variant(name).start() for name in given.variants]
    for start in starts:
        bearoff.table(start.rules)
    rounds = {start.variant.name: [] for start in starts}
    for _ in range(given.rounds):
        for start in starts:
            found = one_round(start, given.blocks)
            found["late positions with races, ratio"] = near_the_end(start.variant, given.blocks)
            rounds[start.variant.name].append(found)
    report = {
        name: {what: asdict(spread([one[what] for one in found])) for what in found[0]}
        for name, found in rounds.items()
    }
    for name, figures in report.items():
        for what, value in figures.items():
            low, high = value["minimum"], value["maximum"]
            print(f"{name:10} {what:45} {value['median']:12,.2f}  ({low:,.2f} to {high:,.2f})")
    if given.json is not None:
        text = json.dumps({"machine": machine(), "figures": report}, indent=2)
        given.json.write_text(f"{text}\n")


if __name__ == "__main__":
    main()
