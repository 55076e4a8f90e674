"""The end of the game in plain Python: ``docs/rules.md`` sections 6 and 7."""

from ...rules import rows as r
from ...rules.rows import Row
from ...rules.switches import Rules, Value
from .play_rules import can_step

# the values this module tells apart, by switch
UNDERSTOOD: dict[str, tuple[Value, ...]] = {
    "mother": ("with_exception", "immediate", "draw_only", "none"),
    "backgammon": ("no", "yes"),
    "score_by": ("points", "enemy_checkers_left"),
}

BOTH_SIDES_OFF = 0


MOTHER_POINTS = 2


def result(rules: Rules, row: Row) -> int | None:
    """Points of the mover when the game is over on this row, else None."""
    points = decided(rules, row)
    if points is not None:
        return points
    stuck = not can_step(rules, row) and not can_step(rules, r.flip(row, rules.direction))
    return 0 if stuck else None


def decided(rules: Rules, row: Row) -> int | None:
    """Points of the mover when checkers off or mothers end the game, else None."""
    if row[r.OFF] == r.CHECKERS and row[r.OPP_OFF] == r.CHECKERS:
        return BOTH_SIDES_OFF
    if row[r.OFF] == r.CHECKERS:
        return win_points(rules, r.flip(row, rules.direction))
    if row[r.OPP_OFF] == r.CHECKERS:
        return -win_points(rules, row)
    return mother_result(rules, row)


def win_points(rules: Rules, loser: Row) -> int:
    """What the winner gets, from the loser's view of the board."""
    if rules.score_by == "enemy_checkers_left":
        return r.CHECKERS - loser[r.OFF]
    if loser[r.OFF] > 0:
        return 1
    if rules.backgammon == "yes":
        winner_home = [r.other(p, rules.direction) for p in range(1, r.HOME + 1)]
        left_there = any(loser[p] > 0 or p in r.pinned(loser, 1) for p in winner_home)
        if left_there or loser[r.BAR] > 0:
            return 3
    return 2


def mother_result(rules: Rules, row: Row) -> int | None:
    """Section 6: points when the mothers decide, else None."""
    if rules.mother == "none":
        return None
    seen = r.flip(row, rules.direction)
    mine, his = mother_pinned(row), mother_pinned(seen)
    if mine and his:
        return 0
    if mine and mother_lost(rules, seen):
        return -MOTHER_POINTS
    if his and mother_lost(rules, row):
        return MOTHER_POINTS
    return None


def mother_pinned(row: Row) -> bool:
    """Whether the mover's last checker on 24 lies pinned there."""
    return r.HEAD in r.pinned(row, 1)


def mother_lost(rules: Rules, pinning: Row) -> bool:
    """Whether a pinned mother costs the game now; ``pinning`` is the view of the side that pins."""
    if rules.mother == "immediate":
        return True
    left_own_24 = pinning[r.HEAD] <= 0 and not mother_pinned(pinning)
    return rules.mother == "with_exception" and left_own_24
