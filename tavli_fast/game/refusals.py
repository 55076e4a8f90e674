"""Why a play or a step is not legal.

Only asked once something has been refused: nothing is found illegal here.
"""

from collections.abc import Iterable, Iterator

from ..engine.reference import play_rules
from ..errors import IllegalCode, IllegalPlay
from ..rules import rows as r
from ..rules.rows import Row
from ..writing.notation import Hop, Step, format_play, format_step, orders
from .step_orders import Node, Paths

Reason = tuple[IllegalCode, str]

EXAMPLES = 3


def refused_steps(paths: Paths, attempts: Iterable[tuple[Step, ...]], written: str) -> IllegalPlay:
    """Why none of these ways to play is legal; the one that comes furthest is explained."""
    furthest, reason = -1, None
    for steps in attempts:
        made, found = _follow(paths, steps)
        if made > furthest:
            furthest, reason = made, found
    assert reason is not None, "nothing was attempted"
    return _error(written, reason)


def refused_step(paths: Paths, node: Node, step: Step) -> IllegalPlay:
    """Why this step may not be the next one."""
    after = paths.after(node, step)
    if after is None:
        reason = _step_reason(paths, node, step)
    else:
        reason = _play_reason(paths, _furthest(paths, after, {}))
    return _error(format_step(*step[:2]), reason)


def wrong_dice(paths: Paths, hops: tuple[Hop, ...], written: str) -> IllegalPlay:
    """The hops cannot be made of the roll: which of them, or all of them together."""
    dice = paths.root.left
    lonely = [hop for hop in hops if next(orders((hop,), dice), None) is None]
    what = format_step(*lonely[0]) if lonely else f"{len(hops)} moves together"
    reason = f"{what} cannot be made of the roll {dice[0]}-{dice[-1]}"
    return _error(written, (IllegalCode.WRONG_DIE, reason))


def wrong_die(node: Node, source: int, target: int) -> IllegalPlay:
    """No die that is left makes this step."""
    left = " ".join(map(str, node.left)) or "none"
    reason = f"no die is left for it; left: {left}"
    return _error(format_step(source, target), (IllegalCode.WRONG_DIE, reason))


def _error(written: str, reason: Reason) -> IllegalPlay:
    code, why = reason
    return IllegalPlay(f"{written}: {why}", code)


def _follow(paths: Paths, steps: tuple[Step, ...]) -> tuple[int, Reason]:
    """How many of the steps can be made, and why not more, or why all of them are no play."""
    node = paths.root
    for made, step in enumerate(steps):
        after = paths.after(node, step)
        if after is None:
            code, why = _step_reason(paths, node, step)
            return made, (code, why if len(steps) == 1 else f"{format_step(*step[:2])}: {why}")
        node = after
    return len(steps), _play_reason(paths, node)


# --- one step -------------------------------------------------------------------------------------


def _step_reason(paths: Paths, node: Node, step: Step) -> Reason:
    """Why a step cannot be made, in the order of ``docs/rules.md`` section 2 point 2."""
    source, target, die = step
    if die not in node.left or target != max(source - die, 0):
        left = " ".join(map(str, node.left)) or "none"
        return IllegalCode.WRONG_DIE, f"no die is left for it; left: {left}"
    return (
        _source_reason(paths, node, source)
        or _landing_reason(paths, node, step)
        or _turn_reason(paths, node, source)
    )


def _source_reason(paths: Paths, node: Node, source: int) -> Reason | None:
    row = node.state.row
    if row[r.BAR] > 0 and source != r.BAR:
        return IllegalCode.BAR_FIRST, f"{row[r.BAR]} on the bar must enter first"
    if source in r.pinned(row, 1):
        return IllegalCode.PINNED, f"the checker on {source} is pinned"
    if row[source] <= 0:
        where = "the bar" if source == r.BAR else f"point {source}"
        return IllegalCode.NO_CHECKER, f"no own checker on {where}"
    runner = play_rules.runner_source(paths.rules, row)
    if runner not in (None, source):
        return IllegalCode.RUNNER, f"only the runner, on {runner}, may move until it is freed"
    return None


def _landing_reason(paths: Paths, node: Node, step: Step) -> Reason | None:
    rules, row = paths.rules, node.state.row
    source, target, die = step
    if target == 0:
        return _bear_off_reason(paths, row, source, die)
    if not play_rules.is_open(rules, row, target):
        return IllegalCode.BLOCKED, f"point {target} is held by the other side ({-row[target]})"
    if rules.inside_moves == "never" and target <= r.HOME and play_rules.all_home(row):
        return IllegalCode.INSIDE_MOVE, "no steps inside home once all checkers are home"
    return None


def _bear_off_reason(paths: Paths, row: Row, source: int, die: int) -> Reason | None:
    rules = paths.rules
    if play_rules.may_bear_off(rules, row, source, die):
        return None
    outside = [p for p in range(r.BAR, r.HOME, -1) if row[p] > 0 or p in r.pinned(row, 1)]
    if outside:
        places = " ".join("bar" if p == r.BAR else str(p) for p in outside)
        return IllegalCode.NOT_ALL_HOME, f"own checkers are not home yet: {places}"
    if rules.pinned_home_blocks_off == "yes" and any(r.pinned(row, 1)):
        return IllegalCode.NOT_ALL_HOME, "an own checker pinned at home keeps all from bearing off"
    if rules.overshoot == "never":
        return IllegalCode.EXACT_ONLY, f"only a {source} bears off from {source}, not a {die}"
    return (
        IllegalCode.HIGHER_CHECKER,
        f"a {die} bears off from {source} only when no own checker stands higher",
    )


def _turn_reason(paths: Paths, node: Node, source: int) -> Reason:
    """What remains of point 2: head, hit and run, walls on the way."""
    rules, state = paths.rules, node.state
    if rules.head_limit != "none" and source == r.HEAD and state.left_head:
        return IllegalCode.HEAD, f"no more than {state.left_head} may leave the head this turn"
    if source in state.hit_home and state.row[source] == 1:
        return IllegalCode.HIT_AND_RUN, f"a checker that hit at home stays on {source} this turn"
    return IllegalCode.WALL, "the step makes a forbidden wall"


# --- the whole play -------------------------------------------------------------------------------


def _play_reason(paths: Paths, node: Node) -> Reason:
    """Why steps that can all be made are no legal play (section 2, points 3 to 5)."""
    used, goals = paths.used(node), paths.goals(node)
    if used == 0:
        return IllegalCode.MUST_USE_MORE_DICE, f"there is a play: {_examples(paths, goals)}"
    if goals:
        return IllegalCode.MUST_USE_MORE_DICE, f"{_too(paths, node)}: {_examples(paths, goals)}"
    row = node.state.row
    legal = _examples(paths, paths.plays)
    if play_rules.breaks_wall_rule(paths.rules, row):
        held = " ".join(str(p) for p in range(24, 0, -1) if row[p] > 0)
        return IllegalCode.WALL, f"it leaves a forbidden wall, with {held} held; legal: {legal}"
    if _leaves_blocked(paths, row):
        return IllegalCode.MUST_OPEN, f"it leaves the other side totally blocked; legal: {legal}"
    if used < paths.most:
        return IllegalCode.MUST_USE_MORE_DICE, f"{paths.most} dice can be used: {legal}"
    return IllegalCode.HIGHER_DIE, f"the higher die can be played: {legal}"


def _too(paths: Paths, node: Node) -> str:
    if paths.root.left[0] != paths.root.left[-1]:
        return f"the {node.left[0]} must be used too"
    return f"{paths.most} steps can be made"


def _leaves_blocked(paths: Paths, row: Row) -> bool:
    """Whether the play was dropped for not opening: others open, so they alone are legal."""
    rules = paths.rules
    if rules.total_block == "free" or not play_rules.opponent_blocked(rules, row):
        return False
    asked = rules.total_block == "forbidden" or play_rules.opponent_blocked(
        rules, paths.root.state.row
    )
    return asked and not any(play_rules.opponent_blocked(rules, end) for end in paths.plays)


def _furthest(paths: Paths, node: Node, known: dict[Node, Node]) -> Node:
    """Where most dice are used, going on from here without regard to what is legal."""
    if node not in known:
        ends = (_furthest(paths, branch.node, known) for branch in paths.branches(node))
        known[node] = max(ends, key=paths.used, default=node)
    return known[node]


def _examples(paths: Paths, ends: Iterable[Row]) -> str:
    """The first of these plays, in the order of all plays."""
    wanted = set(ends)
    chosen = [play for play in paths.plays.items() if play[0] in wanted]
    texts: Iterator[str] = (
        format_play(paths.root.state.row, end, steps) for end, steps in chosen[:EXAMPLES]
    )
    more = " ..." if len(chosen) > EXAMPLES else ""
    return ("; ".join(texts) or "none, the turn is a pass") + more
