"""Races without contact in plain Python (``docs/races.md``)."""

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

from ...rules import rows as r
from ...rules.rows import Row
from ...rules.switches import Rules
from .play_rules import all_home


def is_race(rules: Rules, row: Row) -> bool:
    """Whether no checkers can meet any more: what is left of the two paths has no common point."""
    seen = r.flip(row, rules.direction)
    mine, his = _rearmost(row), _rearmost(seen)
    if not mine or not his or row[r.BAR] or row[r.OPP_BAR] or r.pins(row):
        return False
    if rules.direction == "parallel":
        return mine <= 12 and his <= 12
    return mine + his < 25


def _rearmost(row: Row) -> int:
    """The highest point where the mover has a free checker, 0 for none."""
    return max((p for p in r.POINTS if row[p] > 0), default=0)


def is_home_race(rules: Rules, row: Row) -> bool:
    """Whether it is a race with all checkers of both sides at home or off."""
    seen = r.flip(row, rules.direction)
    return is_race(rules, row) and all_home(row) and all_home(seen)


def race_fault(rules: Rules, row: Row) -> str | None:
    """What keeps a valid row from being a home race, or None."""
    if r.CHECKERS in (row[r.OFF], row[r.OPP_OFF]):
        return "the game is over"
    if row[r.BAR] or row[r.OPP_BAR]:
        return "no race: a checker is on the bar"
    if r.pins(row):
        return "no race: a checker is pinned"
    highest = _rearmost(row), _rearmost(r.flip(row, rules.direction))
    where = f"the mover's last checker is on {highest[0]}, the opponent's on his {highest[1]}"
    if not is_race(rules, row):
        return f"no race, the sides can still meet: {where}"
    if max(highest) > r.HOME:
        return f"a race, but not all checkers are on points 1 to 6 or off: {where}"
    return None


def home_rank(row: Row) -> int:
    """Rank of the mover's checkers at home among all ways to place up to 15.

    The number of ways with fewer checkers, on all six points or, where they are as many, on the
    highest five, and so on.
    """
    held = [sum(row[p] for p in range(low, r.HOME + 1)) for low in range(r.HOME, 0, -1)]
    return sum(comb(n + k, k + 1) for k, n in enumerate(held))


class RaceValues(NamedTuple):
    """What a home race is worth to the mover."""

    win: float
    win_double: float
    lose_double: float
    equity: float


def race_values(
    rules: Rules, mine: Sequence[Sequence[float]], his: Sequence[Sequence[float]]
) -> RaceValues:
    """Values from what is known of each side by itself.

    ``mine`` and ``his`` are three lists by number of turns: the chance to have all off with exactly
    so many, the same for the first checker (empty when one is off), and the checkers left after
    them on average.
    """
    (my_turns, my_first, my_left), (his_turns, his_first, his_left) = mine, his
    win = win_double = lose_double = won = lost = 0.0
    for k in range(1, len(my_turns)):
        # on his turn k the mover has had k - 1 answers, the opponent has seen k
        win += my_turns[k] * sum(his_turns[k:])
        win_double += my_turns[k] * sum(his_first[k:])
        lose_double += his_turns[k] * sum(my_first[k + 1 :])
        won += my_turns[k] * his_left[k - 1]
        lost += his_turns[k] * my_left[k]
    # in single precision all chances of a side add up to 1 only within 1e-7
    my_all, his_all = sum(my_turns), sum(his_turns)
    win = min(win / (my_all * his_all), 1.0)
    win_double /= my_all * (sum(his_first) or 1)
    lose_double /= his_all * (sum(my_first) or 1)
    equity = 2 * win - 1 + win_double - lose_double
    if rules.score_by == "enemy_checkers_left":
        equity = won / my_all - lost / his_all
    return RaceValues(win, win_double, lose_double, equity)
