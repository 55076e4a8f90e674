"""The mover's side within a turn, and what is asked of it before the first step. Inline leaves."""

from libc.stdint cimport int8_t, uint32_t

from .board cimport (
    Board, CHECKERS, HEAD, OPP_OFF, opponent_blocked, tf_depths, tf_row_depths, walls_in_reach,
)
from .rules cimport BLOCK_FORBIDDEN, FREES, Rules, TAKES

# Tags for compile-time specialisation by contact.
cdef struct Hit:
    char unused
cdef struct Pin:
    char unused
cdef struct Free:
    char unused
ctypedef fused Contact:
    Hit
    Pin
    Free

# Classes of candidates, best last. Doubles: the number of steps.

cdef enum:
    ALL = 0xFFFFFFFF

# A roll, or what is left of one.
cdef struct Roll:
    int die1, die2
    int steps                               # what a double is worth: four, or the rest of a stage
    int used                                # out, for a double: how many of them its plays make

# The mover's side within a turn. Free checkers by point are kept as masks of points with at least
# so many: five are told apart, since a turn takes four from a point at most.
cdef struct Mover:
    uint32_t mine, two, three, four, five
    uint32_t blot                           # points with a lone checker that a step may take
    uint32_t cover                          # points where the mover stands on a pinned checker
    uint32_t hits                           # points where this turn hit
    int off
    int heads_left                          # checkers that may still leave the head


cdef inline Roll roll_of(int die1, int die2) noexcept nogil:
    """An ordinary roll."""
    cdef Roll roll
    roll.die1, roll.die2, roll.steps, roll.used = die1, die2, 4, 0
    return roll


cdef inline uint32_t bit_of(int point) noexcept nogil:
    return <uint32_t> 1 << point


cdef inline uint32_t up_to(int point) noexcept nogil:
    """All points not above this one."""
    return (<uint32_t> 2 << point) - 1


cdef inline Mover mover_of(const Board* board, const int8_t* row) noexcept nogil:
    cdef tf_depths depths = tf_row_depths(row)
    cdef Mover mover
    mover.mine, mover.two = board.mine, board.two
    mover.three = depths.pos3 & board.mine   # bytes 26 and 27 are counts too
    mover.four = depths.pos4 & board.mine
    mover.five = depths.pos5 & board.mine
    mover.blot, mover.cover = board.blot, board.cover
    mover.hits = 0
    mover.off = board.off
    mover.heads_left = CHECKERS
    return mover


cdef inline int move(Contact tag, Mover* mover, int source, int die) noexcept nogil:
    """Make one legal step; returns what is special about it."""
    cdef uint32_t bit = bit_of(source)
    cdef int special = 0
    mover.mine &= ~bit | mover.two
    mover.two &= ~bit | mover.three
    mover.three &= ~bit | mover.four
    mover.four &= ~bit | mover.five
    mover.five &= ~bit
    if Contact is Pin:
        if mover.cover & bit & ~mover.mine:
            mover.cover ^= bit
            mover.blot |= bit
            special = FREES
    if Contact is Free:
        mover.heads_left -= source == HEAD
    if source <= die:
        mover.off += 1
        return special
    bit >>= die
    mover.five |= mover.four & bit
    mover.four |= mover.three & bit
    mover.three |= mover.two & bit
    mover.two |= mover.mine & bit
    mover.mine |= bit
    if Contact is not Free:
        if mover.blot & bit:
            mover.blot ^= bit
            special |= TAKES
            if Contact is Pin:
                mover.cover |= bit
            else:
                mover.hits |= bit
    return special


cdef inline bint must_open(
    const Rules* rules, const Board* board, const int8_t* row
) noexcept nogil:
    """Section 2, point 1: whether plays that open are preferred this turn."""
    if not rules.total_block:
        return False
    return rules.total_block == BLOCK_FORBIDDEN or opponent_blocked(
        rules, board.mine, board.theirs, row
    )


cdef inline bint walls_after_mixed(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2
) noexcept nogil:
    """Whether some end of a mixed roll may break a wall rule."""
    cdef uint32_t mine = board.mine
    return rules.walls and walls_in_reach(
        rules, mine | (mine >> die1 | mine >> die2 | mine >> die1 + die2) & board.open,
        board.theirs, row[OPP_OFF],
    )


cdef inline bint walls_after_double(
    const Rules* rules, const Board* board, const int8_t* row, int die
) noexcept nogil:
    """The same for a double."""
    cdef uint32_t possible = board.mine
    if not rules.walls:
        return False
    for _ in range(4):
        possible |= possible >> die & board.open
    return walls_in_reach(rules, possible, board.theirs, row[OPP_OFF])
