"""Plays as players write them."""

from collections.abc import Iterable, Sequence

from .rows import BAR


def format_steps(steps: Iterable[Sequence[int]]) -> str:
    """The steps of a play in writing, one word a step; ``"pass"`` when there are none.

    Parameters
    ----------
    steps : sequence of (from, die)
        As in ``Plays.steps`` (``docs/rows.md``): from 25 is the bar, (0, 0) is no step.

    Examples
    --------
    >>> from tavli_fast.notation import format_steps
    >>> format_steps([(25, 3), (24, 6), (0, 0), (0, 0)])
    'bar/22 24/18'
    >>> format_steps([(6, 6), (4, 5)])
    '6/off 4/off'
    """
    played = [(int(start), int(die)) for start, die in steps]
    return " ".join(_step(start, die) for start, die in played if die) or "pass"


def _step(start: int, die: int) -> str:
    source = "bar" if start == BAR else str(start)
    target = "off" if start <= die else str(start - die)
    return f"{source}/{target}"
