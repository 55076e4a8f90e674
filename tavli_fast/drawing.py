"""Boards as text."""

from collections.abc import Sequence


def board(row: Sequence[int], direction: str) -> str:
    raise NotImplementedError
