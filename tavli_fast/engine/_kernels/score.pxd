"""Flipping, checking and scoring single rows. Inline leaves without Python."""

from libc.stdint cimport int8_t, int32_t, uint32_t
from libc.string cimport memcpy

from .board cimport (
    BAR, BAR_BIT, CHECKERS, HEAD_BIT, HOME, OFF, OPP_OFF, POINTS, Board, can_step, load,
    seen_by_opponent, tf_popcount, tf_row_pins, tf_row_reverse, tf_row_signs, tf_row_totals,
    tf_signs, tf_totals,
)
from .rules cimport DRAW_ONLY, HIT, IMMEDIATE, NO_MOTHER, PIN, ROW, Rules

cdef enum:
    UNDECIDED = 127          # what result() says of a game that goes on
    MOTHER_POINTS = 2


cdef inline void put_pins(int8_t* row, uint32_t mask) noexcept nogil:
    cdef int i
    for i in range(4):
        row[28 + i] = <int8_t> (mask >> 8 * i & 0xFF)


cdef inline void flip_row(const Rules* rules, int8_t* out, const int8_t* row) noexcept nogil:
    """The row seen by the other player; ``out`` must not be ``row``."""
    cdef int p
    if rules.parallel:
        for p in range(1, 13):
            out[p] = <int8_t> -row[p + 12]
            out[p + 12] = <int8_t> -row[p]
    else:
        tf_row_reverse(out, row)
    out[0], out[BAR] = row[BAR], row[0]
    out[OFF], out[OPP_OFF] = row[OPP_OFF], row[OFF]
    put_pins(out, seen_by_opponent(rules, tf_row_pins(row)) if rules.contact == PIN else 0)


cdef inline void base_row(
    const Rules* rules, int8_t* base, const int8_t* row, int view
) noexcept nogil:
    """The row in the mover's view (0) or the next player's (1)."""
    if view:
        flip_row(rules, base, row)
    else:
        memcpy(base, row, ROW)


cdef inline bint row_is_valid(const Rules* rules, const int8_t* row) noexcept nogil:
    """Whether a row is a position of the rules; the reasons are told by rows.py."""
    cdef tf_signs signs = tf_row_signs(row)
    cdef tf_totals totals = tf_row_totals(row)
    cdef uint32_t pins = tf_row_pins(row)
    cdef uint32_t bars = 1 | BAR_BIT
    cdef uint32_t counts = bars | 3 << OFF
    if signs.neg1 & counts or (rules.contact != HIT and signs.pos1 & bars):
        return False
    if pins:
        if rules.contact != PIN or pins & ~(<uint32_t> POINTS) or pins & ~(signs.pos1 | signs.neg1):
            return False
        totals.mover += tf_popcount(pins & signs.neg1)
        totals.opponent += tf_popcount(pins & signs.pos1)
    return (
        totals.mover + row[BAR] + row[OFF] == CHECKERS
        and totals.opponent + row[0] + row[OPP_OFF] == CHECKERS
    )


cdef inline void count_pips(
    const Rules* rules, int32_t* out, const int8_t* row
) noexcept nogil:
    """Pip counts of mover and opponent."""
    cdef uint32_t pins = tf_row_pins(row)
    cdef int p, his
    out[0] = 25 * row[BAR]
    out[1] = 25 * row[0]
    for p in range(1, 25):
        his = 25 - p if not rules.parallel else (p + 12 if p <= 12 else p - 12)
        if row[p] > 0:
            out[0] += p * row[p]
            out[1] += his * <int> (pins >> p & 1)
        else:
            out[1] -= his * row[p]
            out[0] += p * <int> (pins >> p & 1)


cdef inline int win_points(const Rules* rules, const int8_t* loser) noexcept nogil:
    """What the winner gets, from the loser's view of the board."""
    cdef Board board
    if rules.checkers_left:
        return CHECKERS - loser[OFF]
    if loser[OFF] > 0:
        return 1
    if rules.triple:
        board = load(rules, loser)
        if (board.mine & BAR_BIT) or (board.mine | board.pinned) & seen_by_opponent(rules, HOME):
            return 3
    return 2


cdef inline bint mother_lost(const Rules* rules, bint pinning_has_24) noexcept nogil:
    """Whether a pinned mother costs the game now."""
    if rules.mother == IMMEDIATE:
        return True
    return rules.mother != DRAW_ONLY and not pinning_has_24


cdef inline int mother_result(const Rules* rules, const Board* board) noexcept nogil:
    """Points of the mover when the mothers decide, else UNDECIDED."""
    cdef uint32_t his_24 = seen_by_opponent(rules, HEAD_BIT)
    cdef bint mine_pinned = board.pinned & HEAD_BIT != 0
    cdef bint his_pinned = board.cover & his_24 != 0
    if mine_pinned and his_pinned:
        return 0
    if mine_pinned and mother_lost(rules, board.theirs & his_24 != 0):
        return -MOTHER_POINTS
    if his_pinned and mother_lost(rules, board.mine & HEAD_BIT != 0):
        return MOTHER_POINTS
    return UNDECIDED


cdef inline int decided(const Rules* rules, const Board* board, const int8_t* row) noexcept nogil:
    """Points of the mover when checkers off or mothers end the game, else UNDECIDED."""
    cdef int8_t[ROW] flipped
    if row[OFF] == CHECKERS:
        if row[OPP_OFF] == CHECKERS:
            return 0
        flip_row(rules, flipped, row)
        return win_points(rules, flipped)
    if row[OPP_OFF] == CHECKERS:
        return -win_points(rules, row)
    if rules.contact == PIN and rules.mother != NO_MOTHER:
        return mother_result(rules, board)
    return UNDECIDED


cdef inline bint stands_still(
    const Rules* rules, const Board* board, const int8_t* row
) noexcept nogil:
    """Whether neither side has a step with any number: a void game."""
    cdef int8_t[ROW] flipped
    cdef Board other
    if can_step(rules, board.mine, board.open, board.pinned, board.off):
        return False
    flip_row(rules, flipped, row)
    other = load(rules, flipped)
    return not can_step(rules, other.mine, other.open, other.pinned, other.off)


cdef inline int result(const Rules* rules, const int8_t* row) noexcept nogil:
    """Points of the mover when the game is over on this row, else UNDECIDED."""
    cdef Board board = load(rules, row)
    cdef int points = decided(rules, &board, row)
    if points == UNDECIDED and stands_still(rules, &board, row):
        return 0
    return points
