"""Instruction counts of small fixed workloads, under valgrind's callgrind.

Unlike seconds they are the same on a busy machine, so a regression shows. ``python
bench/instructions.py`` prints the counts and their ratio to those stored for the last release;
``--store`` replaces the stored ones. They hold for one compiler and one kind of processor.
"""

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

DATA = Path(__file__).parent / "data" / "instructions.json"
GAMES = ("portes", "plakoto", "fevga", "narde")
WORKLOADS = {
    "count": "variant._engine.count(rows, dice, offsets[1:])",
    "plays": "variant._engine.fill(rows, dice, offsets, ends, None, False)",
    "perft": "variant._engine.perft(start.reshape(1, 32), 2)",
    "sample": "[variant._engine.sample(start, 1, game, rows, dice) for game in range(20)]",
}
SCRIPT = """
import numpy as np
import tavli_fast as tavli
variant = tavli.variant({game!r})
rows, dice = variant.sample(2000, seed=1)
start = variant.start_row()
offsets = np.zeros(2001, dtype=np.int64)
offsets[1:] = np.cumsum(variant.count(rows, dice))
ends = np.empty((offsets[-1], 32), dtype=np.int8)
for _ in range({times}):
    {work}
"""


def instructions(game: str, work: str, times: int) -> int:
    """Instructions of a Python process that does some work so many times."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
            sys.executable, "-c", SCRIPT.format(game=game, work=work, times=times),
        ]  # fmt: skip
        # with a random hash seed two runs of Python differ by half a million instructions
        environment = os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def measure() -> dict[str, int]:
    """Instructions of each workload for each game: those of 11 times less those of one, by ten."""
    return {
        f"{game} {name}": (instructions(game, work, 11) - instructions(game, work, 1)) // 10
        for game in GAMES
        for name, work in WORKLOADS.items()
    }


def compiler() -> str:
    """The C compiler's own first line."""
    told = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True)
    return told.stdout.splitlines()[0]


if __name__ == "__main__":
    stored = json.loads(DATA.read_text()) if DATA.exists() else {"instructions": {}}
    found = measure()
    for name, count in found.items():
        before = stored["instructions"].get(name)
        ratio = f"{count / before:.3f}" if before else "new"
        print(f"{name:16} {count:>12,}  {ratio}")
    if "--store" in sys.argv:
        about = {
            "release": version("tavli_fast"),
            "machine": platform.machine(),
            "compiler": compiler(),
            "instructions": found,
        }
        DATA.write_text(json.dumps(about, indent=2) + "\n")
