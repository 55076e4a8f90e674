"""A brute-force judge of legal plays, written from the rules specification alone.

It shares nothing with the engines it judges. A board is kept as explicit checkers, each counted
on the path of the side that owns it, so turning the board round is swapping the two sides. Every
sequence of steps is enumerated and the numbered points of section 2 are then applied literally.

Rules are a plain mapping from the switch names of section 3 to their values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

Rules = Mapping[str, Any]
Row = tuple[int, ...]
Step = tuple[int, int]
StepList = tuple[Step, ...]

BAR = 25
HEAD = 24
OFF = 0
CHECKERS = 15
POINTS = range(1, 25)
HOME = range(1, 7)
NUMBERS = range(1, 7)
OWN_QUARTER = range(19, 25)
ROLLS = tuple(combinations_with_replacement(NUMBERS, 2))


class Board(NamedTuple):
    """Both sides' checkers, sorted; each place is a point of its owner's path, BAR or OFF."""

    mine: tuple[int, ...]
    mine_pinned: tuple[int, ...]
    his: tuple[int, ...]
    his_pinned: tuple[int, ...]


class Candidate(NamedTuple):
    """A sequence of legal steps, reduced to what the rest of the turn can still depend on."""

    board: Board
    unused: tuple[int, ...]
    left_head: int
    hit_at_home: frozenset[int]


Origins = dict[Candidate, list[tuple[Candidate, Step]]]


# --- Boards and rows (section 1)


def across(rules: Rules, point: int) -> int:
    """Section 1: the number the other side gives to a point of this side."""
    if rules["direction"] == "contrary":
        return 25 - point
    return point + 12 if point <= 12 else point - 12


def pin_mask(row: Row) -> int:
    """The unsigned mask held by the four signed bytes at the end of a row."""
    return sum((row[28 + byte] & 0xFF) << (8 * byte) for byte in range(4))


def board_of(rules: Rules, row: Row) -> Board:
    """The checkers that a packed row stands for."""
    mine = [BAR] * row[25] + [OFF] * row[26]
    his = [BAR] * row[0] + [OFF] * row[27]
    mine_pinned: list[int] = []
    his_pinned: list[int] = []
    mask = pin_mask(row)
    for point in POINTS:
        covers_one = bool(mask >> point & 1)
        if row[point] > 0:
            mine += [point] * row[point]
            his_pinned += [across(rules, point)] * covers_one
        elif row[point] < 0:
            his += [across(rules, point)] * -row[point]
            mine_pinned += [point] * covers_one
    return Board(
        tuple(sorted(mine)),
        tuple(sorted(mine_pinned)),
        tuple(sorted(his)),
        tuple(sorted(his_pinned)),
    )


def row_of(rules: Rules, board: Board) -> Row:
    """The packed row of a board, seen by the side called mine."""
    row = [0] * 28
    for place in board.mine:
        row[26 if place == OFF else place] += 1
    for place in board.his:
        if place == OFF:
            row[27] += 1
        elif place == BAR:
            row[0] += 1
        else:
            row[across(rules, place)] -= 1
    mask = 0
    for point in board.mine_pinned:
        mask |= 1 << point
    for point in board.his_pinned:
        mask |= 1 << across(rules, point)
    return (*row, *(memoryview(mask.to_bytes(4, "little")).cast("b")))


def turned(board: Board) -> Board:
    """The same board seen by the other side."""
    return Board(board.his, board.his_pinned, board.mine, board.mine_pinned)


def all_mine(board: Board) -> tuple[int, ...]:
    """Places of all my checkers, free and pinned."""
    return board.mine + board.mine_pinned


# --- One step (section 2 point 2, section 4)


def bar_allows(board: Board, source: int) -> bool:
    """Section 2 point 2, bar: with a checker on the bar only entering steps are legal."""
    return source == BAR or BAR not in board.mine


def runner_allows(rules: Rules, board: Board, source: int) -> bool:
    """Section 4, runner: until one checker has come far enough only the furthest may move."""
    if rules["runner"] == "none":
        return True
    freed_from = {"past_opp_start": 11, "in_opp_quarter": 12, "in_own_home": 6}[rules["runner"]]
    furthest = min(board.mine)
    return furthest <= freed_from or source == furthest


def is_open(rules: Rules, board: Board, point: int) -> bool:
    """Section 2 point 2, landing."""
    opposing = board.his.count(across(rules, point))
    if opposing == 0:
        return True
    return rules["contact"] != "none" and opposing == 1 and point not in board.mine_pinned


def all_home(board: Board) -> bool:
    """Section 2 point 2: all my checkers are on 6-1 or off, a pinned one where it stands."""
    return max(all_mine(board)) <= max(HOME)


def may_bear_off(rules: Rules, board: Board, source: int, die: int) -> bool:
    """Section 2 point 2, bearing off."""
    if not all_home(board):
        return False
    if rules["pinned_home_blocks_off"] == "yes" and board.mine_pinned:
        return False
    if die == source:
        return True
    return rules["overshoot"] == "rearmost" and source == max(all_mine(board))


def inside_move_allowed(rules: Rules, board: Board, target: int) -> bool:
    """Section 2 point 2, inside_moves."""
    return rules["inside_moves"] == "free" or target not in HOME or not all_home(board)


def is_legal_step(rules: Rules, board: Board, source: int, die: int) -> bool:
    """Section 2 point 2 without the rules that look at the turn or at walls."""
    if not bar_allows(board, source) or not runner_allows(rules, board, source):
        return False
    target = source - die
    if target <= OFF:
        return may_bear_off(rules, board, source, die)
    return is_open(rules, board, target) and inside_move_allowed(rules, board, target)


def sources(board: Board) -> set[int]:
    """Section 2 point 2, source: where I have a free checker."""
    return set(board.mine) - {OFF}


def can_step(rules: Rules, board: Board) -> bool:
    """Section 3, no_number_playable: whether any of the six numbers has a legal step."""
    return any(
        is_legal_step(rules, board, source, number)
        for source in sources(board)
        for number in NUMBERS
    )


def touches(rules: Rules, board: Board, target: int) -> bool:
    """Whether landing on the target meets a lone opposing checker."""
    return target > OFF and across(rules, target) in board.his


def after_step(rules: Rules, board: Board, source: int, die: int) -> Board:
    """The board after a legal step, hits and pins made and pins undone (section 6)."""
    target = max(source - die, OFF)
    mine = list(board.mine)
    his = list(board.his)
    his_pinned = list(board.his_pinned)
    mine.remove(source)
    if source != BAR and source not in mine and across(rules, source) in his_pinned:
        his_pinned.remove(across(rules, source))
        his.append(across(rules, source))
    if touches(rules, board, target):
        his.remove(across(rules, target))
        if rules["contact"] == "hit":
            his.append(BAR)
        else:
            his_pinned.append(across(rules, target))
    mine.append(target)
    return Board(
        tuple(sorted(mine)), board.mine_pinned, tuple(sorted(his)), tuple(sorted(his_pinned))
    )


# --- Walls and total blocks (sections 1 and 3)


def walls(rules: Rules, board: Board) -> Iterator[range]:
    """Section 1: every six points in a row of the opponent's path, his numbers, that I hold."""
    held = {across(rules, place) for place in board.mine if place in POINTS}
    for nearest in range(1, 20):
        wall = range(nearest, nearest + 6)
        if held.issuperset(wall):
            yield wall


def own_quarter_is_legal(rules: Rules, board: Board) -> bool:
    """Section 3, wall_own_quarter."""
    return rules["wall_own_quarter"] == "free" or not set(board.mine).issuperset(OWN_QUARTER)


def opponents_zone_is_legal(rules: Rules, board: Board) -> bool:
    """Section 3, wall_opp_zone, in my own numbers."""
    held = set(board.mine)
    match rules["wall_opp_zone"]:
        case "not_quarter":
            return not held.issuperset(range(7, 13))
        case "not_front":
            return not held.issuperset(range(6, 12))
        case "max4":
            return len(held.intersection(range(7, 13))) <= 4
        case _:
            return True


def wall_may_stand(rules: Rules, board: Board, wall: range) -> bool:
    """Section 3, wall_six, for one wall."""
    match rules["wall_six"]:
        case "needs_enemy_ahead":
            return any(place < wall.start for place in board.his)
        case "never":
            return False
        case "needs_own_1_and_2":
            return 1 in board.mine and 2 in board.mine
        case _:
            return True


def breaks_wall_rule(rules: Rules, board: Board) -> bool:
    """Section 2 point 3: whether a wall stands that may not."""
    return not (
        own_quarter_is_legal(rules, board)
        and opponents_zone_is_legal(rules, board)
        and all(wall_may_stand(rules, board, wall) for wall in walls(rules, board))
    )


def opponent_totally_blocked(rules: Rules, board: Board) -> bool:
    """Section 3, block_trigger."""
    if rules["block_trigger"] == "no_number_playable":
        return not can_step(rules, turned(board))
    camps = set(all_mine(turned(board)))
    camp = min(camps)
    return len(camps) == 1 and range(camp - 6, camp) in list(walls(rules, board))


# --- All sequences of steps (section 2 point 2)


def dice_to_play(dice: Row) -> tuple[int, ...]:
    """Section 2 point 2: two dice in ascending order, or four for a double."""
    first, second = sorted(dice)
    return (first,) * 4 if first == second else (first, second)


def empty_candidate(board: Board, dice: Row) -> Candidate:
    """The sequence without a step."""
    return Candidate(board, dice_to_play(dice), 0, frozenset())


def leaves_hitter_alone(rules: Rules, candidate: Candidate, source: int) -> bool:
    """Section 2 point 2, hit-and-run: somebody stays on every home point where I hit."""
    return (
        rules["hit_and_run_home"] == "allowed"
        or source not in candidate.hit_at_home
        or candidate.board.mine.count(source) > 1
    )


def extended(rules: Rules, candidate: Candidate, source: int, die: int) -> Candidate:
    """The candidate with one more step played."""
    board, unused, left_head, hit_at_home = candidate
    target = source - die
    if rules["contact"] == "hit" and target in HOME and touches(rules, board, target):
        hit_at_home |= {target}
    spent = unused.index(die)
    return Candidate(
        after_step(rules, board, source, die),
        unused[:spent] + unused[spent + 1 :],
        left_head + (source == HEAD),
        hit_at_home,
    )


def extensions(
    rules: Rules, candidate: Candidate, head_allowance: int
) -> Iterator[tuple[Step, Candidate]]:
    """Section 2 point 2: every legal next step of a sequence, with the longer sequence."""
    for die in set(candidate.unused):
        for source in sources(candidate.board):
            if source == HEAD and candidate.left_head >= head_allowance:
                continue
            if not is_legal_step(rules, candidate.board, source, die):
                continue
            if not leaves_hitter_alone(rules, candidate, source):
                continue
            longer = extended(rules, candidate, source, die)
            if rules["wall_test"] == "each_step" and breaks_wall_rule(rules, longer.board):
                continue
            yield (source, die), longer


def all_candidates(rules: Rules, board: Board, dice: Row, head_allowance: int) -> Origins:
    """Section 2 point 2: every sequence of every length, each with the steps that made it."""
    origins: Origins = {empty_candidate(board, dice): []}
    to_extend = list(origins)
    while to_extend:
        candidate = to_extend.pop()
        for step, longer in extensions(rules, candidate, head_allowance):
            if longer not in origins:
                origins[longer] = []
                to_extend.append(longer)
            origins[longer].append((candidate, step))
    return origins


def exception_applies(rules: Rules, board: Board, dice: Row) -> bool:
    """Section 3, head_exception, on a turn that begins with all checkers on the head."""
    first, second = dice
    match rules["head_exception"]:
        case "664433":
            return first == second and first in (6, 4, 3)
        case "6644":
            return first == second and first in (6, 4)
        case "any_double":
            return first == second
        case "when_blocked":
            with_one = all_candidates(rules, board, dice, head_allowance=1)
            return all(candidate.unused for candidate in with_one)
        case _:
            return False


def heads_that_may_leave(rules: Rules, board: Board, dice: Row) -> int:
    """Section 4, head_limit: how many checkers may leave 24 in this turn."""
    if rules["head_limit"] == "none":
        return CHECKERS
    if board.mine.count(HEAD) == CHECKERS and exception_applies(rules, board, dice):
        return 2
    return 1


# --- What is left of the candidates (section 2 points 3 to 6)


def without_forbidden_walls(
    rules: Rules, candidates: list[Candidate], empty: Candidate
) -> list[Candidate]:
    """Section 2 point 3."""
    if rules["wall_test"] == "each_step":
        return candidates
    return [
        candidate
        for candidate in candidates
        if candidate == empty or not breaks_wall_rule(rules, candidate.board)
    ]


def must_leave_opponent_open(rules: Rules, before: Board) -> bool:
    """Section 2 point 1 and the condition of point 4."""
    if rules["total_block"] == "must_open_next":
        return opponent_totally_blocked(rules, before)
    return rules["total_block"] == "forbidden"


def without_total_blocks(
    rules: Rules, candidates: list[Candidate], empty: Candidate
) -> list[Candidate]:
    """Section 2 point 4; one who cannot open plays on."""
    if not must_leave_opponent_open(rules, empty.board):
        return candidates
    opening = [
        candidate
        for candidate in candidates
        if candidate != empty and not opponent_totally_blocked(rules, candidate.board)
    ]
    return [empty, *opening] if opening else candidates


def with_most_dice(rules: Rules, candidates: list[Candidate], empty: Candidate) -> list[Candidate]:
    """Section 2 point 5."""
    fewest_unused = min(len(candidate.unused) for candidate in candidates)
    kept = [candidate for candidate in candidates if len(candidate.unused) == fewest_unused]
    is_one_of_two = len(empty.unused) == 2 and fewest_unused == 1
    if not is_one_of_two or rules["single_die"] == "either":
        return kept
    lower = min(empty.unused)
    return [candidate for candidate in kept if candidate.unused == (lower,)] or kept


def kept_candidates(rules: Rules, row: Row, dice: Row) -> tuple[list[Candidate], Origins]:
    """Section 2: what the filters leave (nothing for a pass), and how all candidates arose."""
    if result(rules, row) is not None:
        return [], {}
    board = board_of(rules, row)
    empty = empty_candidate(board, dice)
    origins = all_candidates(rules, board, dice, heads_that_may_leave(rules, board, dice))
    kept = without_forbidden_walls(rules, list(origins), empty)
    kept = without_total_blocks(rules, kept, empty)
    kept = with_most_dice(rules, kept, empty)
    return [candidate for candidate in kept if candidate != empty], origins


def step_lists_to(candidate: Candidate, origins: Origins) -> set[StepList]:
    """Every list of steps that makes up a candidate."""
    if not origins[candidate]:
        return {()}
    return {
        (*steps, step)
        for shorter, step in origins[candidate]
        for steps in step_lists_to(shorter, origins)
    }


def as_row(values: Iterable[int]) -> Row:
    """Plain integers of any sequence of integers."""
    return tuple(int(value) for value in values)


def legal_ends(rules: Rules, row: Iterable[int], dice: Iterable[int]) -> set[Row]:
    """Section 2 point 6: all distinct legal ends; none for a pass or a game that is over."""
    kept, _ = kept_candidates(rules, as_row(row), as_row(dice))
    return {row_of(rules, candidate.board) for candidate in kept}


def legal_step_lists(
    rules: Rules, row: Iterable[int], dice: Iterable[int]
) -> dict[Row, set[StepList]]:
    """For each legal end every kept list of (from, die) that reaches it; from 25 is the bar."""
    kept, origins = kept_candidates(rules, as_row(row), as_row(dice))
    lists: dict[Row, set[StepList]] = {}
    for candidate in kept:
        end = row_of(rules, candidate.board)
        lists.setdefault(end, set()).update(step_lists_to(candidate, origins))
    return lists


# --- End and score (sections 6 and 7)


def has_finished(board: Board) -> bool:
    """Section 7: whether I have borne off everything."""
    return board.mine.count(OFF) == CHECKERS


def in_winners_home_or_on_bar(rules: Rules, loser: Board) -> bool:
    """Section 7, backgammon: whether the side called mine has a checker where it costs three."""
    return any(
        place == BAR or (place in POINTS and across(rules, place) in HOME)
        for place in all_mine(loser)
    )


def points_lost(rules: Rules, loser: Board) -> int:
    """Section 7: what the side called mine pays when the other has borne off everything."""
    borne_off = loser.mine.count(OFF)
    if rules["score_by"] == "enemy_checkers_left":
        return CHECKERS - borne_off
    if borne_off:
        return 1
    if rules["backgammon"] == "yes" and in_winners_home_or_on_bar(rules, loser):
        return 3
    return 2


def borne_off_result(rules: Rules, board: Board) -> int | None:
    """Section 7, first: a side has borne off 15; both sides have is worth nothing."""
    match has_finished(board), has_finished(turned(board)):
        case True, True:
            return 0
        case True, False:
            return points_lost(rules, turned(board))
        case False, True:
            return -points_lost(rules, board)
        case _:
            return None


def loses_by_mother(rules: Rules, board: Board) -> bool:
    """Section 6 (b): whether I lose by my pinned mother while the other mother is not pinned."""
    if HEAD not in board.mine_pinned:
        return False
    if rules["mother"] == "with_exception":
        return HEAD not in all_mine(turned(board))
    return rules["mother"] == "immediate"


def mother_result(rules: Rules, board: Board) -> int | None:
    """Section 7, second: the mothers of section 6."""
    if rules["mother"] == "none":
        return None
    if HEAD in board.mine_pinned and HEAD in board.his_pinned:
        return 0
    if loses_by_mother(rules, board):
        return -2
    if loses_by_mother(rules, turned(board)):
        return 2
    return None


def standstill_result(rules: Rules, board: Board) -> int | None:
    """Section 7, third: neither side has a legal step with any number."""
    if can_step(rules, board) or can_step(rules, turned(board)):
        return None
    return 0


def result(rules: Rules, row: Iterable[int]) -> int | None:
    """Section 7: points for the mover, 0 for a void game, None while the game goes on."""
    board = board_of(rules, as_row(row))
    for judge in (borne_off_result, mother_result, standstill_result):
        points = judge(rules, board)
        if points is not None:
            return points
    return None


# --- Views and counts


def flip(rules: Rules, row: Iterable[int]) -> Row:
    """Section 1: the row seen by the other side."""
    return row_of(rules, turned(board_of(rules, as_row(row))))


def pips(rules: Rules, row: Iterable[int]) -> tuple[int, int]:
    """Pips that the mover and the opponent need, pinned checkers and the bar included."""
    board = board_of(rules, as_row(row))
    return sum(all_mine(board)), sum(all_mine(turned(board)))
