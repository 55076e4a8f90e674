"""A row as bit masks, and what one step may do on it. Inline leaves, shared by all kernels.

Bit p of a mask speaks of point p, bit 25 of the mover's bar. Nothing here writes outside its
arguments or raises.
"""

from libc.stdint cimport int8_t, uint32_t

from .rules cimport (
    HIT, MAX4, NEEDS_OWN_1_AND_2, NEVER, NOT_FRONT, NOT_QUARTER, PIN, Rules,
)

cdef extern from "simd.h":
    ctypedef struct tf_signs:
        uint32_t pos1, pos2, neg1, neg2
    ctypedef struct tf_depths:
        uint32_t pos3, pos4, pos5
    ctypedef struct tf_totals:
        int mover, opponent
    ctypedef struct tf_held:
        pass
    tf_held tf_row_hold(const int8_t* row) noexcept nogil
    void tf_held_add(int8_t* out, tf_held held, const int8_t* delta) noexcept nogil
    tf_signs tf_row_signs(const int8_t* row) noexcept nogil
    tf_signs tf_row_signs_portable(const int8_t* row) noexcept nogil
    tf_depths tf_row_depths(const int8_t* row) noexcept nogil
    tf_depths tf_row_depths_portable(const int8_t* row) noexcept nogil
    tf_totals tf_row_totals(const int8_t* row) noexcept nogil
    tf_totals tf_row_totals_portable(const int8_t* row) noexcept nogil
    void tf_row_add(int8_t* out, const int8_t* row, const int8_t* delta) noexcept nogil
    void tf_row_add_portable(int8_t* out, const int8_t* row, const int8_t* delta) noexcept nogil
    void tf_row_reverse(int8_t* out, const int8_t* row) noexcept nogil
    uint32_t tf_row_pins(const int8_t* row) noexcept nogil
    bint tf_processor_suits() noexcept nogil
    uint32_t tf_row_differ(const int8_t* row, const int8_t* other) noexcept nogil
    uint32_t tf_row_differ_portable(const int8_t* row, const int8_t* other) noexcept nogil
    int tf_popcount(uint32_t x) noexcept nogil
    int tf_top(uint32_t x) noexcept nogil
    int tf_lowest(uint32_t x) noexcept nogil

cdef enum:
    POINTS = 0x01FFFFFE
    HOME = 0x7E              # points 1-6
    BAR_BIT = 1 << 25
    HEAD_BIT = 1 << 24
    OWN_QUARTER = 0x3F << 19
    OPP_QUARTER = 0x3F << 7
    OPP_FRONT = 0x3F << 6    # points 11-6
    BAR = 25
    HEAD = 24
    OFF = 26
    OPP_OFF = 27
    CHECKERS = 15

cdef struct Board:
    uint32_t mine            # a free checker of the mover; bit 25 his bar
    uint32_t two             # of them, two or more
    uint32_t open            # points a step may land on
    uint32_t blot            # points with a lone opposing checker that a step may take
    uint32_t cover           # points where the mover stands on a pinned checker
    uint32_t pinned          # points where a checker of the mover lies pinned
    uint32_t theirs          # points the opponent owns
    int off


cdef inline Board load(const Rules* rules, const int8_t* row) noexcept nogil:
    """The masks of a row."""
    cdef tf_signs signs = tf_row_signs(row)
    cdef Board board
    cdef uint32_t pins
    board.mine = signs.pos1 & (POINTS | BAR_BIT)
    board.two = signs.pos2 & (POINTS | BAR_BIT)
    board.theirs = signs.neg1 & POINTS
    board.cover = 0
    board.pinned = 0
    board.off = row[OFF]
    if rules.contact == HIT:
        board.open = POINTS & ~signs.neg2
        board.blot = board.theirs & ~signs.neg2
    elif rules.contact == PIN:
        pins = tf_row_pins(row)
        board.cover = pins & board.mine
        board.pinned = pins & board.theirs
        board.open = POINTS & ~signs.neg2 & ~board.pinned
        board.blot = board.theirs & board.open
    else:
        board.open = POINTS & ~board.theirs
        board.blot = 0
    return board


cdef inline uint32_t seen_by_opponent(const Rules* rules, uint32_t mask) noexcept nogil:
    """A mask of points in the numbers of the other player."""
    if rules.parallel:
        return (mask >> 12 | mask << 12) & POINTS
    # 25 - p: reverse 32 bits (p -> 31 - p), then shift back by six
    mask = (mask >> 1 & 0x55555555) | (mask & 0x55555555) << 1
    mask = (mask >> 2 & 0x33333333) | (mask & 0x33333333) << 2
    mask = (mask >> 4 & 0x0F0F0F0F) | (mask & 0x0F0F0F0F) << 4
    mask = (mask >> 8 & 0x00FF00FF) | (mask & 0x00FF00FF) << 8
    return (mask >> 16 | mask << 16) >> 6 & POINTS


cdef inline bint runner_locked(const Rules* rules, uint32_t mine, int off) noexcept nogil:
    """Whether only the runner may move: nothing off, and no checker where one is freed."""
    return rules.locked and off == 0 and not (mine & ~rules.locked)


cdef inline uint32_t sources(
    const Rules* rules, uint32_t mine, uint32_t open, uint32_t pinned, int off, int die,
    bint inside_moves,
) noexcept nogil:
    """Points with a legal step by the die, as far as the position alone decides.

    ``inside_moves`` false forbids steps inside home once all checkers are home.
    """
    cdef uint32_t found, all_mine, top
    if mine & BAR_BIT:
        return BAR_BIT & open << die
    found = mine & open << die
    if runner_locked(rules, mine, off):
        return found & (~mine + 1)          # the lowest own point
    if (mine | pinned) & ~<uint32_t> HOME:
        return found
    if not inside_moves:
        found = 0
    if mine and not (pinned and rules.pinned_blocks_off):
        found |= mine & <uint32_t> 1 << die
        all_mine = mine | pinned
        if not rules.exact_off and not all_mine >> die:
            top = <uint32_t> 1 << tf_top(all_mine)
            found |= top & mine             # a larger number takes off only the rearmost
    return found


cdef inline bint can_step(
    const Rules* rules, uint32_t mine, uint32_t open, uint32_t pinned, int off
) noexcept nogil:
    """Whether a side has a step with any number, walls, head and hit-and-run aside."""
    cdef int die
    for die in range(1, 7):
        if sources(rules, mine, open, pinned, off, die, not rules.no_inside_moves):
            return True
    return False


cdef inline uint32_t walls(uint32_t held) noexcept nogil:
    """Lowest points of every six in a row."""
    held &= held >> 1
    held &= held >> 2
    return held & held >> 2


cdef inline bint breaks_wall_rule(
    const Rules* rules, uint32_t mine, uint32_t theirs, int opp_off
) noexcept nogil:
    """Whether a position breaks one of the wall rules; ``theirs`` in the mover's numbers."""
    cdef uint32_t found
    if rules.wall_own_quarter and mine & OWN_QUARTER == OWN_QUARTER:
        return True
    if rules.wall_opp_zone == NOT_QUARTER and mine & OPP_QUARTER == OPP_QUARTER:
        return True
    if rules.wall_opp_zone == NOT_FRONT and mine & OPP_FRONT == OPP_FRONT:
        return True
    if rules.wall_opp_zone == MAX4 and tf_popcount(mine & OPP_QUARTER) > 4:
        return True
    if not rules.wall_six:
        return False
    found = walls(seen_by_opponent(rules, mine))
    if not found or rules.wall_six == NEVER:
        return found != 0
    if rules.wall_six == NEEDS_OWN_1_AND_2:
        return mine & 0x6 != 0x6
    # ahead of the wall nearest to his home: then ahead of every other one too
    found &= ~found + 1
    return opp_off == 0 and not (seen_by_opponent(rules, theirs) & (found - 1))


cdef inline bint walls_in_reach(
    const Rules* rules, uint32_t possible, uint32_t theirs, int opp_off
) noexcept nogil:
    """Whether a wall rule can be broken by holding no more than these points."""
    if rules.wall_six == NEEDS_OWN_1_AND_2 and walls(seen_by_opponent(rules, possible)):
        return True                         # holding fewer points may break this rule
    return breaks_wall_rule(rules, possible, theirs, opp_off)


cdef inline bint opponent_blocked(
    const Rules* rules, uint32_t mine, uint32_t theirs, const int8_t* row
) noexcept nogil:
    """Whether the opponent is totally blocked (contact=none only: his checkers stand as in row)."""
    cdef uint32_t held
    cdef int stack
    if rules.no_number_playable:
        return not can_step(
            rules, seen_by_opponent(rules, theirs), POINTS & ~seen_by_opponent(rules, mine), 0,
            row[OPP_OFF],
        )
    if theirs & (theirs - 1) or not theirs or row[tf_top(theirs)] != -CHECKERS:
        return False
    held = seen_by_opponent(rules, mine)
    stack = tf_top(seen_by_opponent(rules, theirs))
    return stack > 6 and held >> (stack - 6) & 0x3F == 0x3F
