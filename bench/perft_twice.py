"""Perft by two ways that share as little as they can.

    python bench/perft_twice.py VARIANT DEPTH [--threads N]

First ``Variant.perft``: every position for itself, the last ply counted by masks. Then equal
positions after two plies are merged, and all plies below are written out and their rows counted.
Prints both numbers and their times.
"""

import argparse
from time import perf_counter

import numpy as np

import tavli_fast as tavli

CHUNK = 200  # rows: their ends of 21 rolls stay in the second-level cache
ROLLS = len(tavli.ROLLS)


def ply(variant, rows, threads=1):
    """Positions of the next player after every roll from every row, passes included."""
    queries = np.repeat(rows, ROLLS, axis=0)
    dice = np.tile(tavli.ROLLS, (len(rows), 1))
    return variant.plays(queries, dice, keep_pass=True, flipped=True, threads=threads).rows


def merged(rows, times):
    """Different rows, and how often each was met."""
    keys, index = np.unique(rows.view("V32").ravel(), return_inverse=True)
    found = np.zeros(len(keys), dtype=np.int64)
    np.add.at(found, index, times)
    return keys.view(np.int8).reshape(-1, 32), found


def written(variant, depth, threads):
    """Perft by merging after each of two plies and writing all below."""
    rows, times = variant.start_row().reshape(1, 32), np.ones(1, dtype=np.int64)
    for _ in range(2):
        counts = [len(ply(variant, row.reshape(1, 32))) for row in rows]
        rows, times = merged(ply(variant, rows), np.repeat(times, counts))
    nodes = 0
    for i in range(len(rows)):
        below = rows[i : i + 1]
        for _ in range(depth - 3):
            below = ply(variant, below)
        last = (ply(variant, below[k : k + CHUNK], threads) for k in range(0, len(below), CHUNK))
        nodes += int(times[i]) * sum(len(ends) for ends in last)
    return nodes


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("variant")
    parser.add_argument("depth", type=int)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    game = tavli.variant(given.variant)
    for way in ("counted", "written"):
        begun = perf_counter()
        if way == "counted":
            total = game.perft(given.depth, threads=given.threads)
        else:
            total = written(game, given.depth, given.threads)
        print(f"{way} {total:,} nodes in {perf_counter() - begun:.1f} s", flush=True)
