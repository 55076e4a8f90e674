"""Which plays are legal, in plain Python: ``docs/rules.md`` sections 2 and 4."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...rules import rows as r
from ...rules.rows import Row
from ...rules.switches import Rules, Value

# the values this module tells apart, by switch; any other value is refused when an engine is made
UNDERSTOOD: dict[str, tuple[Value, ...]] = {
    "direction": ("contrary", "parallel"),
    "contact": ("hit", "pin", "none"),
    "single_die": ("higher", "either"),
    "runner": ("none", "past_opp_start", "in_opp_quarter", "in_own_home"),
    "head_limit": ("none", "one"),
    "head_exception": ("none", "664433", "6644", "any_double", "when_blocked"),
    "wall_own_quarter": ("free", "forbidden"),
    "wall_opp_zone": ("free", "not_quarter", "not_front", "max4"),
    "wall_six": ("free", "needs_enemy_ahead", "never", "needs_own_1_and_2"),
    "total_block": ("free", "must_open_next", "forbidden"),
    "block_trigger": ("all15_behind_wall", "no_number_playable"),
    "wall_test": ("end_of_turn", "each_step"),
    "hit_and_run_home": ("allowed", "forbidden"),
    "pinned_home_blocks_off": ("no", "yes"),
    "overshoot": ("rearmost", "never"),
    "inside_moves": ("free", "never"),
}

Steps = tuple[tuple[int, int], ...]  # (from, die) in playing order

HEAD_DOUBLES = {"none": (), "664433": (6, 4, 3), "6644": (6, 4), "any_double": (1, 2, 3, 4, 5, 6)}


class State(NamedTuple):
    """A position within a turn."""

    row: Row
    left_head: int = 0  # checkers that left 24 this turn
    hit_home: frozenset[int] = frozenset()  # home points where this turn hit


class Candidate(NamedTuple):
    """A sequence of legal steps and where it ends."""

    end: Row
    steps: Steps


# --- section 2, point 2: what one step may do -----------------------------------------------------


def is_open(rules: Rules, row: Row, point: int) -> bool:
    """Landing: empty, mine, or one free opposing checker that can be hit or pinned."""
    if row[point] >= 0:
        return True
    return rules.contact != "none" and row[point] == -1 and not r.pins(row) >> point & 1


def all_home(row: Row) -> bool:
    """All 15 are on 6-1 or off; a pinned checker counts where it stands."""
    outside = any(row[p] > 0 for p in range(r.HOME + 1, r.BAR + 1))
    return not outside and not any(p > r.HOME for p in r.pinned(row, 1))


def may_bear_off(rules: Rules, row: Row, source: int, die: int) -> bool:
    """Bearing off one checker from ``source``, which the die carries off the board."""
    mine_pinned = list(r.pinned(row, 1))
    if not all_home(row) or (rules.pinned_home_blocks_off == "yes" and mine_pinned):
        return False
    if source == die:
        return True
    above = any(row[p] > 0 for p in range(source + 1, r.HOME + 1)) or any(
        p > source for p in mine_pinned
    )
    return rules.overshoot == "rearmost" and not above


def runner_source(rules: Rules, row: Row) -> int | None:
    """Section 4: the only point a checker may move from, or None when any may."""
    if r.runner_freed(rules, row):
        return None
    return min((p for p in r.POINTS if row[p] > 0), default=None)


def position_sources(rules: Rules, row: Row, die: int) -> Iterator[int]:
    """Points with a legal step by ``die``, highest first, as far as the position alone decides."""
    runner = runner_source(rules, row)
    for source in range(r.BAR, 0, -1):
        target = source - die
        if row[source] <= 0:
            continue
        if row[r.BAR] > 0 and source != r.BAR:
            continue
        if runner is not None and source != runner:
            continue
        if target >= 1 and not is_open(rules, row, target):
            continue
        if target < 1 and not may_bear_off(rules, row, source, die):
            continue
        if rules.inside_moves == "never" and 1 <= target <= r.HOME and all_home(row):
            continue
        yield source


def move(rules: Rules, state: State, source: int, die: int) -> State:
    """The state after one step, which must be legal."""
    row, mask = list(state.row), r.pins(state.row)
    target, hit_home = source - die, state.hit_home
    row[source] -= 1
    if row[source] == 0 and source <= r.HEAD and mask >> source & 1:  # frees what it pinned
        row[source], mask = -1, mask & ~(1 << source)
    if target < 1:
        row[r.OFF] += 1
    elif row[target] >= 0:
        row[target] += 1
    else:
        row[target] = 1
        if rules.contact == "pin":
            mask |= 1 << target
        else:
            row[r.OPP_BAR] += 1
            hit_home = hit_home | {target} if target <= r.HOME else hit_home
    row[r.PIN_BYTES] = r.pin_bytes(mask)
    return State(tuple(row), state.left_head + (source == r.HEAD), hit_home)


def legal_steps(rules: Rules, state: State, die: int, head_max: int) -> Iterator[tuple[int, State]]:
    """Every legal step by ``die``: the source, highest first, and the state after it."""
    for source in position_sources(rules, state.row, die):
        if source == r.HEAD and state.left_head >= head_max:
            continue
        if (
            rules.hit_and_run_home == "forbidden"
            and source in state.hit_home
            and state.row[source] == 1
        ):
            continue
        after = move(rules, state, source, die)
        if rules.wall_test == "each_step" and breaks_wall_rule(rules, after.row):
            continue
        yield source, after


def sequences(rules: Rules, row: Row, order: Sequence[int], head_max: int) -> Iterator[Candidate]:
    """Every end of steps by the dice in this order, of every length, the empty one included.

    Each end is given once per length, with the first steps to it when higher sources are tried
    first.
    """
    level: dict[State, Steps] = {State(row): ()}
    for die in (*order, 0):
        yield from (Candidate(state.row, steps) for state, steps in level.items())
        if not die:
            return
        following: dict[State, Steps] = {}
        for state, steps in level.items():
            for source, after in legal_steps(rules, state, die, head_max):
                following.setdefault(after, (*steps, (source, die)))
        level = following


def dice_orders(dice: tuple[int, int], steps: int) -> list[tuple[int, ...]]:
    """Both orders of a mixed roll, the higher die first; the steps of a double."""
    high, low = max(dice), min(dice)
    return [(high,) * steps] if high == low else [(high, low), (low, high)]


def head_maximum(rules: Rules, row: Row, dice: tuple[int, int], steps: int) -> int:
    """Section 4: how many checkers may leave the head this turn."""
    if rules.head_limit == "none":
        return r.CHECKERS
    if row[r.HEAD] < r.CHECKERS:
        return 1
    if rules.head_exception == "when_blocked":
        orders = dice_orders(dice, steps)
        full = any(
            len(c.steps) == len(order) for order in orders for c in sequences(rules, row, order, 1)
        )
        return 1 if full else 2
    is_exception = dice[0] == dice[1] and dice[0] in HEAD_DOUBLES[rules.head_exception]
    return 2 if is_exception else 1


def candidates(rules: Rules, row: Row, dice: tuple[int, int], steps: int) -> list[Candidate]:
    """All sequences of legal steps, over every order of the dice, of every length."""
    head_max = head_maximum(rules, row, dice, steps)
    return [c for order in dice_orders(dice, steps) for c in sequences(rules, row, order, head_max)]


# --- section 2, point 3: walls --------------------------------------------------------------------


def held_by_opp_numbers(rules: Rules, row: Row) -> set[int]:
    """My points, in the numbers of the opponent's path."""
    return {r.other(p, rules.direction) for p in r.POINTS if row[p] > 0}


def walls(held: set[int]) -> list[int]:
    """Lowest point, on the opponent's path, of every six points in a row that I hold."""
    return [p for p in range(1, 20) if all(q in held for q in range(p, p + 6))]


def breaks_wall_rule(rules: Rules, row: Row) -> bool:
    """Whether the position breaks ``wall_own_quarter``, ``wall_opp_zone`` or ``wall_six``."""
    return (
        (rules.wall_own_quarter == "forbidden" and all(row[p] > 0 for p in range(19, 25)))
        or _breaks_opp_zone(rules, row)
        or _breaks_wall_six(rules, row)
    )


def _breaks_opp_zone(rules: Rules, row: Row) -> bool:
    if rules.wall_opp_zone == "not_front":
        return all(row[p] > 0 for p in range(6, 12))
    held = sum(row[p] > 0 for p in range(7, 13))
    return held > {"free": 6, "not_quarter": 5, "max4": 4}[rules.wall_opp_zone]


def _breaks_wall_six(rules: Rules, row: Row) -> bool:
    if rules.wall_six == "free":
        return False
    mine = walls(held_by_opp_numbers(rules, row))
    if not mine:
        return False
    if rules.wall_six == "needs_own_1_and_2":
        return not (row[1] > 0 and row[2] > 0)
    if rules.wall_six == "needs_enemy_ahead":
        # ahead of the wall nearest to his home: then ahead of every other one too
        his = [r.other(p, rules.direction) for p in r.POINTS if row[p] < 0]
        return not (row[r.OPP_OFF] > 0 or any(p < min(mine) for p in his))
    return True


# --- section 2, points 1 and 4: the duty to open --------------------------------------------------


def can_step(rules: Rules, row: Row) -> bool:
    """Whether the mover has a legal step with any number, walls, head and hit-and-run aside."""
    return any(True for die in range(1, 7) for _ in position_sources(rules, row, die))


def opponent_blocked(rules: Rules, row: Row) -> bool:
    """Whether the opponent is totally blocked, as ``block_trigger`` means it."""
    if rules.block_trigger == "no_number_playable":
        return not can_step(rules, r.flip(row, rules.direction))
    held = held_by_opp_numbers(rules, row)
    stack = [r.other(p, rules.direction) for p in r.POINTS if row[p] == -r.CHECKERS]
    return any(p > 6 and all(q in held for q in range(p - 6, p)) for p in stack)


# --- section 2, the six points --------------------------------------------------------------------


def legal_plays(rules: Rules, row: Row, dice: tuple[int, int], steps: int = 4) -> list[Candidate]:
    """The plays of a roll, in order; empty for a pass. The six points of section 2 in turn.

    ``steps`` is what a double is worth: fewer than four where an opponent has left the rest of a
    stage. Whether the game is over is not asked: a balancing turn is played when it is.
    """
    # 1: is the opponent totally blocked now?
    must_open = rules.total_block == "forbidden" or (
        rules.total_block == "must_open_next" and opponent_blocked(rules, row)
    )
    # 2: all sequences of legal steps
    found = [c for c in candidates(rules, row, dice, steps) if c.steps]
    # 3: no forbidden wall at the end
    found = [c for c in found if not breaks_wall_rule(rules, c.end)]
    # 4: the opponent not left totally blocked, if that can be helped
    if must_open:
        opening = [c for c in found if not opponent_blocked(rules, c.end)]
        found = opening or found
    # 5: the most dice, then the higher die
    most = max((len(c.steps) for c in found), default=0)
    found = [c for c in found if len(c.steps) == most]
    if most == 1 and dice[0] != dice[1] and rules.single_die == "higher":
        higher = [c for c in found if c.steps[0][1] == max(dice)]
        found = higher or found
    # 6: one play an end, with the steps met first
    ends: dict[Row, Steps] = {}
    for candidate in found:
        ends.setdefault(candidate.end, candidate.steps)
    plays = [Candidate(end, steps) for end, steps in ends.items()]
    if dice[0] == dice[1]:
        plays.sort(key=lambda play: sorted((p for p, _ in play.steps), reverse=True), reverse=True)
    return plays


# --- sections 6 and 7: the end of the game --------------------------------------------------------


# --- races without contact (docs/races.md) --------------------------------------------------------


# --- the engine interface, over numpy arrays ------------------------------------------------------
