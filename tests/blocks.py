"""Blocks of work that other processes can import; nothing but the standard library is loaded."""

import os
import signal
import threading
import time
from pathlib import Path
from random import Random

WAIT = 60.0  # seconds; nobody gets there unless something is broken


def sums(block: int) -> list[float]:
    """Numbers whose sum depends on the order in which they are added."""
    rng = Random(block)
    return [rng.uniform(-1, 1) * 10.0 ** rng.randint(-8, 8) for _ in range(5)]


def fails_at_3(block: int) -> int:
    if block == 3:
        raise KeyError("three")
    return block


def lock_of(block: int) -> object:
    """What cannot be sent back."""
    return threading.Lock()


class Gated:
    """Blocks from ``first`` on tell in a file which process they are in, and wait for another."""

    def __init__(self, folder: Path, first: int, ends: bool = False) -> None:
        self.folder = folder
        self.first = first
        self.ends = ends  # whether that block kills its process then

    def __call__(self, block: int) -> list[float]:
        if block >= self.first:
            new = self.folder / f"new {block}"
            new.write_text(str(os.getpid()))
            new.replace(self.folder / f"begun {block}")
            wait_for(self.folder / "go")
        if self.ends and block == self.first:
            os.kill(os.getpid(), signal.SIGKILL)
        return sums(block)


def wait_for(path: Path) -> None:
    """Return when there is such a file."""
    end = time.monotonic() + WAIT
    while not path.exists():
        if time.monotonic() > end:
            raise TimeoutError(path)
        time.sleep(0.005)
