"""Perft by two ways that share as little as they can.

    python bench/perft_twice.py VARIANT DEPTH [--threads N]

First ``Variant.perft``: every position for itself, in one kernel. Then the bulk calls: equal
positions after two plies are merged, the plies below are written out by ``Variant.plays``, and the
last is counted by ``Variant.count``, roll by roll. Prints both numbers and their times.
"""

import argparse
from time import perf_counter

import numpy as np

import tavli_fast as tavli

CHUNK = 500  # merged positions taken together: some 10 MB of rows at the ply below


def ply(variant, rows, times, threads):
    """Positions of the next player after every roll, passes included, and how often each."""
    found = []
    for roll in tavli.ROLLS:
        plays = variant.plays(rows, roll, keep_pass=True, flipped=True, threads=threads)
        found.append((plays.rows, np.repeat(times, np.diff(plays.offsets))))
    return tuple(map(np.concatenate, zip(*found, strict=True)))


def merged(rows, times):
    """Different rows, and how often each was met."""
    keys, index = np.unique(rows.view("V32").ravel(), return_inverse=True)
    found = np.zeros(len(keys), dtype=np.int64)
    np.add.at(found, index, times)
    return keys.view(np.int8).reshape(-1, 32), found


def last_ply(variant, rows, times, threads):
    """Positions one ply after these; a pass is one, a finished game has none."""
    going_on = ~variant.result(rows).over
    rows, times = rows[going_on], times[going_on]
    counts = (np.maximum(variant.count(rows, roll, threads=threads), 1) for roll in tavli.ROLLS)
    return sum(int(times @ count) for count in counts)


def in_bulk(variant, depth, threads):
    """Perft of depth 3 or more from the start by bulk calls."""
    rows, times = variant.start_row().reshape(1, 32), np.ones(1, dtype=np.int64)
    for _ in range(2):
        rows, times = merged(*ply(variant, rows, times, threads))
    nodes = 0
    for i in range(0, len(rows), CHUNK):
        part = rows[i : i + CHUNK], times[i : i + CHUNK]
        for _ in range(depth - 3):
            part = ply(variant, *part, threads)
        nodes += last_ply(variant, *part, threads)
    return nodes


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("variant")
    parser.add_argument("depth", type=int)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    game = tavli.variant(given.variant)
    ways = {
        "perft": lambda: game.perft(given.depth, threads=given.threads),
        "in bulk": lambda: in_bulk(game, given.depth, given.threads),
    }
    for way, count in ways.items():
        begun = perf_counter()
        print(f"{way} {count():,} nodes in {perf_counter() - begun:.1f} s", flush=True)
