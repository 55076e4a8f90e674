"""Plays of one roll, each distinct end exactly once, in the order of ``docs/rows.md``.

Nothing is hashed or sorted. A double is a multiset of sources, walked from high to low: every end
has one such multiset. A mixed roll is a pair of sources, the higher die's and the lower die's; the
few ends that two pairs share are known in advance.

Two ways lead to the same plays. ``field_*`` serve the common rolls by masks alone: nobody bears
off, the runner is free, no rule looks at single steps. ``walk_*`` serve all the rest step by step.
"""

from libc.stdint cimport int8_t, int64_t, uint32_t
from libc.string cimport memcpy, memset

from .board cimport (
    BAR, BAR_BIT, Board, CHECKERS, HEAD, HEAD_BIT, HOME, OPP_OFF, breaks_wall_rule,
    opponent_blocked, runner_locked, sources, tf_depths, tf_held, tf_held_add, tf_popcount,
    tf_lowest, tf_row_add, tf_row_depths, tf_row_hold, tf_top, walls_in_reach,
)
from .rules cimport BLOCK_FORBIDDEN, DICE, FREES, HIT, PIN, ROW, Rules, SOURCES, TAKES
from .score cimport flip_row
from .streams cimport Stream, below

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
    LOW_ALONE = 1
    HIGH_ALONE = 2
    BOTH = 3
    CLASSES = 5

cdef enum:
    ALL = 0xFFFFFFFF
    SPECIAL_BYTES = DICE * SOURCES * ROW    # from one special delta to the next

# The mover's side within a turn. Free checkers by point are kept as masks of points with at least
# so many: five are told apart, since a turn takes four from a point at most.
cdef struct Side:
    uint32_t mine, two, three, four, five
    uint32_t blot                           # points with a lone checker that a step may take
    uint32_t cover                          # points where the mover stands on a pinned checker
    uint32_t hits                           # points where this turn hit
    int off
    int heads_left                          # checkers that may still leave the head


cdef inline uint32_t bit_of(int point) noexcept nogil:
    return <uint32_t> 1 << point


cdef inline uint32_t up_to(int point) noexcept nogil:
    """All points not above this one."""
    return (<uint32_t> 2 << point) - 1


cdef inline Side side_of(const Board* board, const int8_t* row) noexcept nogil:
    cdef tf_depths depths = tf_row_depths(row)
    cdef Side side
    side.mine, side.two = board.mine, board.two
    side.three = depths.pos3 & board.mine   # bytes 26 and 27 are counts too
    side.four = depths.pos4 & board.mine
    side.five = depths.pos5 & board.mine
    side.blot, side.cover = board.blot, board.cover
    side.hits = 0
    side.off = board.off
    side.heads_left = CHECKERS
    return side


cdef inline int move(Contact tag, Side* side, int source, int die) noexcept nogil:
    """Make one legal step; returns what is special about it."""
    cdef uint32_t bit = bit_of(source)
    cdef int special = 0
    side.mine &= ~bit | side.two
    side.two &= ~bit | side.three
    side.three &= ~bit | side.four
    side.four &= ~bit | side.five
    side.five &= ~bit
    if Contact is Pin:
        if side.cover & bit & ~side.mine:
            side.cover ^= bit
            side.blot |= bit
            special = FREES
    if Contact is Free:
        side.heads_left -= source == HEAD
    if source <= die:
        side.off += 1
        return special
    bit >>= die
    side.five |= side.four & bit
    side.four |= side.three & bit
    side.three |= side.two & bit
    side.two |= side.mine & bit
    side.mine |= bit
    if Contact is not Free:
        if side.blot & bit:
            side.blot ^= bit
            special |= TAKES
            if Contact is Pin:
                side.cover |= bit
            else:
                side.hits |= bit
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


# --- one play into the sink -----------------------------------------------------------------------

cdef inline void put_step(Sink* sink, int k, int source, int die) noexcept nogil:
    cdef int8_t* steps = sink.steps + 8 * sink.written
    steps[2 * k] = <int8_t> source
    steps[2 * k + 1] = <int8_t> die


cdef inline void put_end(Sink* sink, const int8_t* base, const int8_t* delta) noexcept nogil:
    """Write base + delta as the next end; steps are put before."""
    tf_row_add(sink.rows + ROW * sink.written, base, delta)
    sink.written += 1


cdef inline bint passes_over(Sink* sink, int plays) noexcept nogil:
    """Whether so many plays in a row need not be written: they are skipped, or there is no room."""
    if sink.skip >= plays:
        sink.skip -= plays
        return True
    return sink.written == sink.room


# --- the field: common rolls by masks -------------------------------------------------------------

cdef struct Field:
    const Rules* rules
    const Board* board
    const int8_t* row
    Sink* sink                              # with rows NULL plays are only counted
    int8_t[ROW] base                        # writing: the row in the view of the sink
    Side start
    bint walls                              # whether ends are tested for walls
    int[4] source                           # of the steps made so far
    int[4] die
    int8_t[ROW] at                          # doubles: free checkers by point, as steps are made


cdef inline bint free_to_go(
    const Rules* rules, const Board* board, const int8_t* row
) noexcept nogil:
    """Whether no rule looks at single steps this turn, but that one checker leaves the head."""
    if rules.simple:
        return True
    return (
        rules.plain
        and not runner_locked(rules, board.mine, board.off)
        and not must_open(rules, board, row)
        and not (rules.head_one and row[HEAD] == CHECKERS)
    )


cdef inline bint field_serves_mixed(
    const Rules* rules, const Board* board, const int8_t* row
) noexcept nogil:
    """Whether two checkers or more are outside home, so that none is borne off."""
    cdef uint32_t outside = (board.mine | board.pinned) >> 7
    return (outside & (outside - 1) or board.two >> 7) and free_to_go(rules, board, row)


cdef inline int64_t field_count(
    const Rules* rules, const Board* board, int high, int low
) noexcept nogil:
    """Number of plays of a mixed roll from pop-counts alone, when no wall can stand at the end.

    All pairs of a source for either die, but not one checker twice; and one checker moved by both
    dice, once for each way, and once only where no blot tells the ways apart.
    """
    cdef uint32_t mine = board.mine, open = board.open
    cdef uint32_t by_high = mine & open << high
    cdef uint32_t by_low = mine & open << low
    cdef uint32_t by_both = mine & open << (high + low)
    cdef uint32_t same = by_high & by_low
    cdef uint32_t merged = same & by_both
    cdef int highs, lows
    cdef int64_t plays
    if mine & BAR_BIT:
        return field_count_bar(rules, board, high, low)
    if rules.contact == HIT:
        merged &= ~(board.blot << high | board.blot << low)
    highs, lows = tf_popcount(by_high), tf_popcount(by_low)
    plays = (
        highs * lows
        - tf_popcount(same & ~board.two)
        + tf_popcount(by_high & by_both & ~(mine << high))
        + tf_popcount(by_low & by_both & ~(mine << low))
        - tf_popcount(merged)
    )
    if rules.head_one and same & board.two & HEAD_BIT:
        plays -= 1                          # two checkers would leave the head
    if plays:
        return plays
    if rules.either_die:
        return highs + lows
    return highs or lows


cdef inline bint bar_both_ways(const Board* board, int high, int low) noexcept nogil:
    """Whether a checker that enters and moves on ends the same by either order of the dice."""
    return (
        board.open >> (BAR - high) & board.open >> (BAR - low)
        & ~(board.blot >> (BAR - high)) & ~(board.blot >> (BAR - low)) & 1
    )


cdef int64_t field_count_bar(
    const Rules* rules, const Board* board, int high, int low
) noexcept nogil:
    """The same with checkers on the bar."""
    cdef uint32_t open = board.open, others = board.mine ^ BAR_BIT
    cdef bint by_high = open >> (BAR - high) & 1, by_low = open >> (BAR - low) & 1
    cdef bint by_both = open >> (BAR - high - low) & 1
    cdef int64_t plays = 0
    if board.two & BAR_BIT:
        plays = by_high & by_low
    else:
        if by_high:
            plays += tf_popcount(others & open << low)
            plays += by_both and not others >> (BAR - high) & 1
        if by_low:
            plays += tf_popcount(others & open << high)
            plays += by_both and not others >> (BAR - low) & 1
        plays -= by_both and bar_both_ways(board, high, low)
    if plays:
        return plays
    return by_high + by_low if rules.either_die else by_high | by_low


cdef inline const int8_t* field_delta(
    Contact tag, Field* field, uint32_t blot, uint32_t freeing, int source, int die
) noexcept nogil:
    """Delta of a step; ``freeing`` are points that a step leaves to a pinned checker."""
    cdef int special = 0
    if Contact is not Free:
        special = blot >> (source - die) & 1
    if Contact is Pin:
        if freeing >> source & 1:
            special |= FREES
    return field.rules.delta[field.sink.view][special][die][source]


cdef inline void put_all(
    Contact tag, Field* field, const int8_t* base, uint32_t rest, int count, uint32_t blot,
    uint32_t freeing, int die,
) noexcept nogil:
    """Write the ends of one more step from each of ``count`` sources; there must be room.

    From the last end to the first: dropping the lowest bit of a mask is one or two cycles, the
    highest eight, and the next source waits for it. All values are held in local variables, since a
    store through int8_t may alias anything else.
    """
    cdef int8_t* out
    cdef const int8_t* deltas = field.rules.delta[field.sink.view][0][die][0]
    cdef tf_held held = tf_row_hold(base)
    cdef const int8_t* delta
    cdef int source
    field.sink.written += count
    out = field.sink.rows + ROW * field.sink.written
    while rest:
        source = tf_lowest(rest)
        rest &= rest - 1
        delta = deltas + ROW * source
        if Contact is not Free:
            delta += SPECIAL_BYTES * (blot >> (source - die) & TAKES)
        if Contact is Pin:
            delta += SPECIAL_BYTES * FREES * (freeing >> source & 1)
        out -= ROW
        tf_held_add(out, held, delta)


cdef inline bint field_allows(
    Contact tag, Field* field, Side side, int source, int die
) noexcept nogil:
    """Whether a step may be the last one: no forbidden wall after it."""
    move(tag, &side, source, die)
    return not breaks_wall_rule(field.rules, side.mine, field.board.theirs, field.row[OPP_OFF])


cdef inline void put_play(
    Contact tag, Field* field, const int8_t* base, uint32_t blot, uint32_t freeing, int k,
    int source, int die,
) noexcept nogil:
    """Write the play whose step k is its last, unless it is skipped or there is no room."""
    cdef Sink* sink = field.sink
    cdef int i
    if passes_over(sink, 1):
        return
    if sink.steps:
        field.source[k], field.die[k] = source, die
        for i in range(k + 1):
            put_step(sink, i, field.source[i], field.die[i])
    put_end(sink, base, field_delta(tag, field, blot, freeing, source, die))


cdef void put_each(
    Contact tag, Field* field, const int8_t* base, const Side* side, int k, int die, uint32_t rest
) noexcept nogil:
    """Write or count the plays whose step k is their last, looking at each for walls."""
    cdef uint32_t freeing = side.cover & ~side.two
    cdef int source
    while rest:
        source = tf_top(rest)
        rest ^= bit_of(source)
        if field.walls and not field_allows(tag, field, side[0], source, die):
            continue
        if field.sink.rows:
            put_play(tag, field, base, side.blot, freeing, k, source, die)
        else:
            field.sink.written += 1


cdef inline void field_seconds(
    Contact tag, Field* field, int die1, int source1, int die2, uint32_t seconds
) noexcept nogil:
    """Plays of one first step followed by each of the second steps."""
    cdef Sink* sink = field.sink
    cdef Side side
    cdef uint32_t freeing = field.start.cover & ~field.start.two
    cdef int count = tf_popcount(seconds)
    cdef int8_t[ROW] after
    if sink.rows:
        if not field.walls and passes_over(sink, count):
            return
        tf_row_add(
            after, field.base,
            field_delta(tag, field, field.start.blot, freeing, source1, die1),
        )
    side = field.start
    move(tag, &side, source1, die1)
    if not sink.rows or sink.skip or sink.steps or field.walls or sink.room - sink.written < count:
        field.source[0], field.die[0] = source1, die1
        put_each(tag, field, after, &side, 1, die2, seconds)
        return
    put_all(tag, field, after, seconds, count, side.blot, side.cover & ~side.two, die2)


cdef void field_pairs(Contact tag, Field* field, int high, int low) noexcept nogil:
    """All plays of both dice: the higher die first, then what only exists the other way round."""
    cdef const Board* board = field.board
    cdef uint32_t mine = board.mine
    cdef uint32_t by_high = mine & board.open << high
    cdef uint32_t by_low = mine & board.open << low
    cdef uint32_t by_both = mine & board.open << (high + low)
    cdef uint32_t rest, seconds, bit, once
    cdef int source
    # one checker by both dice, higher die first, with no blot that makes this way an end of its own
    once = by_high & by_both
    if Contact is Hit:
        once &= ~(board.blot << high)
    rest = by_high
    while rest:
        source = tf_top(rest)
        bit = bit_of(source)
        rest ^= bit
        seconds = by_low
        if not board.two & bit:
            seconds &= ~bit
        # two checkers that end where one checker by both dice has ended before
        seconds &= ~(once & bit << low)
        if by_both & bit:
            seconds |= bit >> high
        if Contact is Free:
            if field.rules.head_one and bit == HEAD_BIT:
                seconds &= ~bit
        field_seconds(tag, field, high, source, low, seconds)
    rest = by_low & by_both & ~(mine << low)
    if Contact is Hit:
        rest &= ~once | board.blot << low
    else:
        rest &= ~once
    while rest:
        source = tf_top(rest)
        bit = bit_of(source)
        rest ^= bit
        field_seconds(tag, field, low, source, high, bit >> low)


cdef void field_pairs_bar(Contact tag, Field* field, int high, int low) noexcept nogil:
    """The same with checkers on the bar."""
    cdef const Board* board = field.board
    cdef uint32_t open = board.open, others = board.mine ^ BAR_BIT
    cdef bint by_both = open >> (BAR - high - low) & 1
    cdef uint32_t seconds
    if open >> (BAR - high) & 1:
        seconds = others & open << low
        if board.two & BAR_BIT:
            seconds = BAR_BIT & open << low
        elif by_both:
            seconds |= bit_of(BAR - high)
        field_seconds(tag, field, high, BAR, low, seconds)
    if open >> (BAR - low) & 1 and not board.two & BAR_BIT:
        seconds = others & open << high
        if by_both:
            seconds |= bit_of(BAR - low)
            if bar_both_ways(board, high, low):
                seconds ^= bit_of(BAR - low)
        field_seconds(tag, field, low, BAR, high, seconds)


cdef void field_singles(Contact tag, Field* field, int die) noexcept nogil:
    """All plays of one die alone."""
    cdef uint32_t rest = field.start.mine & field.board.open << die
    if field.start.mine & BAR_BIT:
        rest &= BAR_BIT
    put_each(tag, field, field.base, &field.start, 0, die, rest)


cdef void field_mixed(Contact tag, Field* field, int high, int low) noexcept nogil:
    """Section 2, point 5 over the pairs and singles."""
    cdef int64_t before = field.sink.written
    if field.board.mine & BAR_BIT:
        field_pairs_bar(tag, field, high, low)
    else:
        field_pairs(tag, field, high, low)
    if field.sink.written > before:
        return
    field_singles(tag, field, high)
    if field.sink.written == before or field.rules.either_die:
        field_singles(tag, field, low)


# Doubles ------------------------------------------------------------------------------------------

cdef inline bint field_serves_double(
    const Rules* rules, const Side* side, const Board* board, const int8_t* row
) noexcept nogil:
    """Whether four checkers or more are outside home, so that none is borne off."""
    return (
        tf_popcount((side.mine | board.pinned) >> 7) + tf_popcount(side.two >> 7)
        + tf_popcount(side.three >> 7) + tf_popcount(side.four >> 7) >= 4
        and free_to_go(rules, board, row)
    )


cdef inline int64_t pairs_of(int n) noexcept nogil:
    return n * (n - 1) // 2


cdef int64_t ways(
    const Side* side, uint32_t open, int die, uint32_t allowed, int steps
) noexcept nogil:
    """Number of multisets of so many allowed sources (1 to 4); no bar, nobody borne off.

    A source is taken as often as checkers stand on it or have come to it. Summed over how often
    each source is taken: ``own`` are points held now, ``next1`` points a checker comes to from one
    of them and can leave again, ``next2`` and ``next3`` those it comes to after that. ``fed``
    marks points that a checker can come to from an own source.
    """
    cdef uint32_t landing = open << die
    cdef uint32_t own = side.mine & landing & allowed
    cdef uint32_t free = landing & ~side.mine
    cdef uint32_t next1 = own >> die & free
    cdef uint32_t own2 = own & side.two, own3 = own & side.three
    cdef uint32_t fed, next2
    cdef int n = tf_popcount(own), n2, n3, b, b2, fed1
    if steps == 1:
        return n
    n2 = tf_popcount(own2)
    b = tf_popcount(next1)
    if steps == 2:
        return pairs_of(n) + n2 + b
    n3 = tf_popcount(own3)
    next2 = next1 >> die & free
    fed = own & ~side.two & own >> die
    fed1 = tf_popcount(fed)
    b2 = tf_popcount(next1 & own2 >> die)
    if steps == 3:
        return (
            pairs_of(n) * (n - 2) // 3      # three sources
            + n2 * (n - 1) + fed1           # one twice, one once
            + n3                            # one three times
            + b * (n - 1) + b2              # a checker two steps
            + tf_popcount(next2)            # a checker three steps
        )
    return (
        pairs_of(n) * (n - 2) * (n - 3) // 12
        + (n2 + b) * pairs_of(n - 1)        # one twice or a checker two steps, and two others
        + fed1 * (n - 2)
        + pairs_of(n2) + tf_popcount(fed & own2 >> die)
        + n3 * (n - 1) + tf_popcount(own2 & ~side.three & own >> die)
        + tf_popcount(own & side.four)
        + b * n2 + b2 * (n - 1)
        + tf_popcount(next1 & fed >> die)
        + tf_popcount(next1 & own3 >> die)
        + pairs_of(b)                       # two checkers two steps each
        + tf_popcount(own & ~side.two & next1 >> die)
        + tf_popcount(next2) * (n - 1)
        + tf_popcount(next2 & own2 >> 2 * die)
        + tf_popcount(next2 >> die & free)  # a checker four steps
    )


cdef inline int steps_left(Contact tag, const Board* board, Side* side, int die) noexcept nogil:
    """Enter from the bar as far as it goes; returns how many of the four steps are left."""
    cdef int left = 4
    if Contact is Hit:
        while left and side.mine & BAR_BIT & board.open << die:
            move(tag, side, BAR, die)
            left -= 1
    return left


cdef inline void keep_one_head(const Rules* rules, Side* side) noexcept nogil:
    """Where one checker may leave the head, count as if one stood there."""
    if rules.head_one:
        side.two &= ~<uint32_t> HEAD_BIT
        side.three &= side.two
        side.four &= side.two
        side.five &= side.two


cdef int64_t field_count_double(
    Contact tag, const Rules* rules, const Board* board, Side* side, int die, int* steps
) noexcept nogil:
    """Number of plays of a double, when no wall can stand at the end, and of their steps."""
    cdef int left = steps_left(tag, board, side, die)
    cdef int entered = 4 - left
    cdef int64_t plays
    if not side.mine & BAR_BIT:
        keep_one_head(rules, side)
        while left:
            plays = ways(side, board.open, die, ALL, left)
            if plays:
                steps[0] = entered + left
                return plays
            left -= 1
    steps[0] = entered
    return entered > 0


cdef inline void field_last(
    Contact tag, Field* field, const int8_t* base, uint32_t rest, uint32_t blot, uint32_t cover,
    int die, int k,
) noexcept nogil:
    """Write the plays of a double whose last step is left."""
    cdef Sink* sink = field.sink
    cdef uint32_t freeing = 0
    cdef int count = tf_popcount(rest), source
    if passes_over(sink, count):
        return
    if Contact is not Pin:
        if not sink.skip and not sink.steps and sink.room - sink.written >= count:
            put_all(tag, field, base, rest, count, blot, 0, die)
            return
    while rest:
        source = tf_top(rest)
        rest ^= bit_of(source)
        if Contact is Pin:
            freeing = cover if field.at[source] == 1 else 0
        put_play(tag, field, base, blot, freeing, k, source, die)


cdef void field_write_double(
    Contact tag, Field* field, const int8_t* base, uint32_t rest, uint32_t blot, uint32_t cover,
    int die, int k, int steps,
) noexcept nogil:
    """Write all plays that go on from k steps to so many, each from one of ``rest`` or below.

    From high to low a step changes no source above its own: below it stay those there were, and
    the point it lands on.
    """
    cdef uint32_t landing = field.board.open << die
    cdef uint32_t bit, following, freeing = 0
    cdef int source
    cdef int8_t[ROW] after
    if k + 1 == steps:
        field_last(tag, field, base, rest, blot, cover, die, k)
        return
    while rest:
        source = tf_top(rest)
        bit = bit_of(source)
        rest ^= bit
        if Contact is Pin:
            freeing = cover if field.at[source] == 1 else 0
        tf_row_add(after, base, field_delta(tag, field, blot, freeing, source, die))
        field.source[k], field.die[k] = source, die
        field.at[source] -= 1
        field.at[source - die] += 1
        following = rest | bit >> die & landing
        if field.at[source]:
            following |= bit
        if Contact is Hit:
            if source == BAR:
                following = BAR_BIT
                if not field.at[BAR]:
                    following = (field.start.mine ^ BAR_BIT | bit >> die) & landing
        field_write_double(
            tag, field, after, following, blot & ~(bit >> die), cover | blot & bit >> die, die,
            k + 1, steps)
        field.at[source] += 1
        field.at[source - die] -= 1


cdef void field_double(Contact tag, Field* field, int die, int steps) noexcept nogil:
    """Write all plays of a double of so many steps."""
    cdef Side* start = &field.start
    cdef uint32_t firsts = start.mine & field.board.open << die
    cdef int point
    for point in range(ROW):
        field.at[point] = max(field.row[point], <int8_t> 0)
    if field.rules.head_one:                # as in keep_one_head
        field.at[HEAD] = min(field.at[HEAD], <int8_t> 1)
    if start.mine & BAR_BIT:
        firsts &= BAR_BIT
    field_write_double(
        tag, field, field.base, firsts, start.blot, start.cover, die, 0, steps)


cdef void field_one_double(Contact tag, Field* field, int die, int steps) noexcept nogil:
    """Write the play of a double that is to be written next, without going through the others.

    At each step sources are passed over, highest first, while all plays that go on from them are.
    """
    cdef Sink* sink = field.sink
    cdef Side side = field.start, after
    cdef uint32_t rest, allowed = ALL
    cdef int8_t[ROW] row
    cdef int source, special = 0, k
    cdef int64_t plays
    keep_one_head(field.rules, &side)
    memcpy(row, field.base, ROW)
    for k in range(steps):
        rest = side.mine & field.board.open << die & allowed
        if side.mine & BAR_BIT:
            rest = BAR_BIT                  # the only source
        while True:
            source = tf_top(rest)
            rest ^= bit_of(source)
            after = side
            special = move(tag, &after, source, die)
            allowed = up_to(source)
            if not rest:
                break
            plays = 1
            if k + 1 < steps:
                plays = ways(&after, field.board.open, die, allowed, steps - k - 1)
            if sink.skip < plays:
                break
            sink.skip -= plays
        side = after
        if source == BAR:
            allowed = ALL
        tf_row_add(row, row, field.rules.delta[sink.view][special][die][source])
    memcpy(sink.rows + ROW * sink.written, row, ROW)
    sink.written += 1


# --- the walk: everything else, step by step ------------------------------------------------------

cdef struct Walk:
    const Rules* rules
    const int8_t* row
    uint32_t open, pinned, theirs
    Side now
    bint relaxed                            # rules about single steps are left to some_order
    # the steps made so far
    int depth
    int[4] source
    int[4] die
    int8_t[5][ROW] rows                     # writing: the row after so many of them
    # what candidates must satisfy, and how many there are by class: [class][opens]
    bint walls
    bint must_open
    int64_t[2]* found
    # writing: the classes wanted, as bits, and whether they must open
    Sink* sink
    int wanted
    bint only_opening


cdef inline void make(Contact tag, Walk* walk, int source, int die) noexcept nogil:
    """One legal step."""
    cdef int k = walk.depth
    cdef int special = move(tag, &walk.now, source, die)
    walk.source[k] = source
    walk.die[k] = die
    if walk.wanted:
        tf_row_add(
            walk.rows[k + 1], walk.rows[k],
            walk.rules.delta[walk.sink.view][special][die][source])
    walk.depth = k + 1


cdef inline void unmake(Walk* walk, const Side* before) noexcept nogil:
    """Take back the last step; ``before`` is the side saved ahead of it."""
    walk.depth -= 1
    walk.now = before[0]


cdef uint32_t without_walls(Contact tag, const Walk* walk, uint32_t found, int die) noexcept nogil:
    """Sources whose step leaves no forbidden wall (``wall_test = each_step``)."""
    cdef uint32_t rest = found
    cdef int source
    cdef Side side
    while rest:
        source = tf_top(rest)
        rest ^= bit_of(source)
        side = walk.now
        move(tag, &side, source, die)
        if breaks_wall_rule(walk.rules, side.mine, walk.theirs, walk.row[OPP_OFF]):
            found ^= bit_of(source)
    return found


cdef inline uint32_t legal_sources(Contact tag, const Walk* walk, int die) noexcept nogil:
    """Points with a legal step by the die, now."""
    cdef uint32_t found = sources(
        walk.rules, walk.now.mine, walk.open, walk.pinned, walk.now.off, die,
        walk.relaxed or not walk.rules.no_inside_moves,
    )
    if Contact is Free:
        if walk.now.heads_left <= 0:
            found &= ~<uint32_t> HEAD_BIT
        if walk.rules.each_step and not walk.relaxed:
            found = without_walls(tag, walk, found, die)
    elif Contact is Hit:
        if walk.rules.hit_and_run_forbidden:
            # the last checker on a home point where this turn hit stays
            found &= ~(walk.now.hits & HOME & ~walk.now.two)
    return found


cdef void emit(Walk* walk) noexcept nogil:
    """Write the end of the steps made."""
    cdef Sink* sink = walk.sink
    cdef int k
    if passes_over(sink, 1):
        return
    if sink.steps:
        for k in range(walk.depth):
            put_step(sink, k, walk.source[k], walk.die[k])
    memcpy(sink.rows + ROW * sink.written, walk.rows[walk.depth], ROW)
    sink.written += 1


cdef inline void record(Walk* walk, int rank) noexcept nogil:
    """Section 2, points 3 and 4, for the steps made: count the candidate or write it."""
    cdef bint opens = True
    if walk.walls and breaks_wall_rule(
        walk.rules, walk.now.mine, walk.theirs, walk.row[OPP_OFF]
    ):
        return
    if walk.must_open:
        opens = not opponent_blocked(walk.rules, walk.now.mine, walk.theirs, walk.row)
    if not walk.wanted:
        walk.found[rank][opens] += 1
    elif walk.wanted >> rank & 1 and (opens or not walk.only_opening):
        emit(walk)


# Doubles ------------------------------------------------------------------------------------------

cdef bint in_some_order(Contact tag, Walk* trial, int8_t* left, int steps, int die) noexcept nogil:
    """Whether the sources left can be played one by one; the first order found stays made."""
    cdef Side before = trial.now
    cdef uint32_t rest
    cdef int source
    if steps == 0:
        return True
    rest = legal_sources(tag, trial, die)
    while rest:
        source = tf_top(rest)
        rest ^= bit_of(source)
        if not left[source]:
            continue
        left[source] -= 1
        make(tag, trial, source, die)
        if in_some_order(tag, trial, left, steps - 1, die):
            return True
        unmake(trial, &before)
        left[source] += 1
    return False


cdef void record_some_order(Contact tag, Walk* walk, const Walk* root, int die) noexcept nogil:
    """Record the steps made since ``root`` if they are legal in some order."""
    cdef Walk trial = root[0]
    cdef int8_t[SOURCES] left
    cdef int k
    memset(left, 0, sizeof(left))
    for k in range(root.depth, walk.depth):
        left[walk.source[k]] += 1
    trial.relaxed = False
    if in_some_order(tag, &trial, left, walk.depth - root.depth, die):
        record(&trial, trial.depth)


cdef void walk_double(
    Contact tag, Walk* walk, const Walk* root, int die, uint32_t allowed
) noexcept nogil:
    """All multisets of sources that go on from the steps made, the highest source first.

    While the runner is locked there is at most one source, and the order starts anew after it;
    ``root`` is the walk where the order started. From high to low is an order in which every
    multiset is legal, unless steps inside home or walls after each step are forbidden: then the
    walk is relaxed and an order is looked for at every end.
    """
    cdef const Rules* rules = walk.rules
    cdef bint locked = runner_locked(rules, walk.now.mine, walk.now.off)
    cdef bint relaxed = rules.unordered and not locked
    cdef bint by_one = walk.walls or walk.must_open or rules.unordered
    cdef Side before = walk.now
    cdef uint32_t rest
    cdef int source
    cdef Walk fresh
    walk.relaxed = relaxed
    rest = legal_sources(tag, walk, die) & allowed
    if not by_one and not walk.wanted:
        walk.found[walk.depth + 1][1] += tf_popcount(rest)
        if walk.depth == 3:
            return
    while rest:
        if walk.wanted and walk.sink.written == walk.sink.room:
            return
        source = tf_top(rest)
        rest ^= bit_of(source)
        make(tag, walk, source, die)
        if relaxed:
            record_some_order(tag, walk, root, die)
        elif by_one or walk.wanted:
            record(walk, walk.depth)
        if walk.depth < 4:
            if locked:
                fresh = walk[0]
                walk_double(tag, walk, &fresh, die, ALL)
            else:
                walk_double(tag, walk, root, die, up_to(source))
        unmake(walk, &before)


# Mixed rolls --------------------------------------------------------------------------------------

cdef struct Pairs:
    uint32_t blot                           # before the turn
    uint32_t[SOURCES] by_high               # [source of the higher die]: seconds of the lower
    uint32_t[SOURCES] by_low                # [source of the lower die]: seconds of the higher


cdef inline uint32_t hits_of(const Pairs* pairs, int target1, int target2) noexcept nogil:
    """Which blots two steps take, whatever their order; targets off the board take none."""
    return pairs.blot & (bit_of(max(target1, 0)) | bit_of(max(target2, 0)))


cdef bint met_before(
    Contact tag, const Pairs* pairs, int high, int low, int by_high, int by_low, bint high_first
) noexcept nogil:
    """Whether an earlier pair of steps had the end of this one.

    Ends are equal when the same pair is played in the other order, when one checker makes both
    steps the other way round, and when two checkers are borne off by either die.
    """
    cdef int other_high, other_low
    if not high_first and pairs.by_high[by_high] >> by_low & 1:
        return True
    if by_low == by_high - high:
        other_high, other_low = by_high - low, by_high
    elif by_high == by_low - low:
        other_high, other_low = by_low, by_low - high
    elif by_high <= high and by_low <= low:
        other_high, other_low = by_low, by_high
    else:
        return False
    if other_high < 1 or other_low < 1:
        return False
    if Contact is Hit:
        if hits_of(pairs, by_high - high, by_low - low) != hits_of(
            pairs, other_high - high, other_low - low
        ):
            return False
    if not high_first:
        return (
            pairs.by_high[other_high] >> other_low & 1
            or (other_low > by_low and pairs.by_low[other_low] >> other_high & 1)
        )
    return other_high > by_high and pairs.by_high[other_high] >> other_low & 1


cdef void walk_order(Contact tag, Walk* walk, Pairs* pairs, int die1, int die2) noexcept nogil:
    """Candidates of one order of a mixed roll that no earlier candidate has met."""
    cdef bint high_first = die1 > die2
    cdef uint32_t firsts = legal_sources(tag, walk, die1), seconds
    cdef uint32_t off_by_either = 0
    cdef Side before = walk.now, between
    cdef bint filtered = walk.walls or walk.must_open
    cdef int source1, source2
    cdef bint met
    if not high_first:
        # the higher die alone bears off the same checkers
        off_by_either = legal_sources(tag, walk, die2) & up_to(die1)
    while firsts:
        if walk.wanted and walk.sink.written == walk.sink.room:
            return
        source1 = tf_top(firsts)
        firsts ^= bit_of(source1)
        make(tag, walk, source1, die1)
        if not off_by_either >> source1 & 1:
            record(walk, HIGH_ALONE if high_first else LOW_ALONE)
        between = walk.now
        seconds = legal_sources(tag, walk, die2)
        if high_first:
            pairs.by_high[source1] = seconds
        else:
            pairs.by_low[source1] = seconds
        while seconds:
            source2 = tf_top(seconds)
            seconds ^= bit_of(source2)
            if high_first:
                met = met_before(tag, pairs, die1, die2, source1, source2, True)
            else:
                met = met_before(tag, pairs, die2, die1, source2, source1, False)
            if met:
                continue
            if not filtered and not walk.wanted:
                walk.found[BOTH][1] += 1
                continue
            if not filtered and walk.wanted >> BOTH & 1 and walk.sink.skip:
                walk.sink.skip -= 1
                continue
            make(tag, walk, source2, die2)
            record(walk, BOTH)
            unmake(walk, &between)
        unmake(walk, &before)


# The whole roll -----------------------------------------------------------------------------------

cdef void all_candidates(Contact tag, Walk* walk, int die1, int die2) noexcept nogil:
    """Section 2, point 2, with every candidate recorded."""
    cdef Walk root
    cdef Pairs pairs
    if die1 == die2:
        root = walk[0]
        walk_double(tag, walk, &root, die1, ALL)
    else:
        memset(&pairs, 0, sizeof(Pairs))
        pairs.blot = walk.now.blot
        walk_order(tag, walk, &pairs, max(die1, die2), min(die1, die2))
        walk_order(tag, walk, &pairs, min(die1, die2), max(die1, die2))


cdef void set_head(Contact tag, Walk* walk, int die1, int die2) noexcept nogil:
    """Section 4: how many checkers may leave the head this turn."""
    cdef const Rules* rules = walk.rules
    cdef bint walls = walk.walls, must_open = walk.must_open
    if not rules.head_one:
        return
    walk.now.heads_left = 1
    if walk.row[HEAD] < CHECKERS:
        return
    if die1 == die2 and rules.head_doubles >> die1 & 1:
        walk.now.heads_left = 2
    if rules.head_when_blocked:
        walk.walls = walk.must_open = False
        all_candidates(tag, walk, die1, die2)
        if not walk.found[4 if die1 == die2 else <int> BOTH][1]:
            walk.now.heads_left = 2
        memset(walk.found, 0, CLASSES * sizeof(int64_t[2]))
        walk.walls, walk.must_open = walls, must_open


cdef int64_t choose(Walk* walk, bint double) noexcept nogil:
    """Section 2, points 4 and 5, over what was found: sets what is wanted, returns how many."""
    cdef int64_t[CLASSES] left
    cdef int rank
    walk.only_opening = False
    for rank in range(1, CLASSES):
        walk.only_opening |= walk.must_open and walk.found[rank][1] > 0
    for rank in range(1, CLASSES):
        left[rank] = walk.found[rank][1] + (0 if walk.only_opening else walk.found[rank][0])
    if not double and walk.rules.either_die and not left[BOTH]:
        walk.wanted = 1 << LOW_ALONE | 1 << HIGH_ALONE
        return left[LOW_ALONE] + left[HIGH_ALONE]
    for rank in range(CLASSES - 1, 0, -1):
        if left[rank]:
            walk.wanted = 1 << rank
            return left[rank]
    return 0


cdef int64_t survey(
    Contact tag, Walk* walk, int64_t[2]* found, const Rules* rules, const Board* board,
    const int8_t* row, int die1, int die2,
) noexcept nogil:
    """Set up a walk, count its candidates and choose among them; returns the number of plays."""
    memset(found, 0, CLASSES * sizeof(int64_t[2]))
    walk.found = found
    walk.rules = rules
    walk.row = row
    walk.open, walk.pinned, walk.theirs = board.open, board.pinned, board.theirs
    walk.now = side_of(board, row)
    walk.depth = 0
    walk.wanted = 0
    walk.relaxed = False
    walk.walls = walk.must_open = False
    if Contact is Free:
        if not rules.each_step:
            if die1 == die2:
                walk.walls = walls_after_double(rules, board, row, die1)
            else:
                walk.walls = walls_after_mixed(rules, board, row, die1, die2)
        walk.must_open = must_open(rules, board, row)
        set_head(tag, walk, die1, die2)
    all_candidates(tag, walk, die1, die2)
    return choose(walk, die1 == die2)


cdef inline void base_row(
    const Rules* rules, int8_t* base, const int8_t* row, int view
) noexcept nogil:
    """The row in the view that ends are written in."""
    if view:
        flip_row(rules, base, row)
    else:
        memcpy(base, row, ROW)


cdef inline void set_field(
    Field* field, const Rules* rules, const Board* board, const int8_t* row, Sink* sink, bint walls
) noexcept nogil:
    field.rules, field.board, field.row, field.sink = rules, board, row, sink
    field.start = side_of(board, row)
    field.walls = walls


cdef int64_t field_mixed_count(
    Contact tag, Field* field, int high, int low
) noexcept nogil:
    """Number of plays of a mixed roll in the field."""
    cdef Sink* sink = field.sink
    cdef Sink counting
    if not field.walls:
        return field_count(field.rules, field.board, high, low)
    memset(&counting, 0, sizeof(Sink))
    field.sink = &counting
    field_mixed(tag, field, high, low)
    field.sink = sink
    return counting.written


cdef int64_t play_mixed(
    Contact tag, Field* field, int high, int low, Stream* stream
) noexcept nogil:
    """``play_roll`` of a mixed roll in the field; 0 when all plays were written."""
    cdef int64_t plays = 0
    if not field.sink or stream:
        plays = field_mixed_count(tag, field, high, low)
        if not field.sink or not plays:
            return plays
        field.sink.skip = below(stream, <uint32_t> plays)
    base_row(field.rules, field.base, field.row, field.sink.view)
    field_mixed(tag, field, high, low)
    return plays


cdef int64_t play_double(
    Contact tag, Field* field, int die, Stream* stream
) noexcept nogil:
    """``play_roll`` of a double in the field, where no wall can stand at the end."""
    cdef Side side = field.start
    cdef int steps
    cdef int64_t plays = field_count_double(tag, field.rules, field.board, &side, die, &steps)
    if not field.sink or not plays:
        return plays
    if stream:
        field.sink.skip = below(stream, <uint32_t> plays)
    base_row(field.rules, field.base, field.row, field.sink.view)
    if stream:
        field_one_double(tag, field, die, steps)
    else:
        field_double(tag, field, die, steps)
    return plays


cdef int64_t play_roll(
    Contact tag, const Rules* rules, const Board* board, const int8_t* row, int die1, int die2,
    Sink* sink, Stream* stream,
) noexcept nogil:
    """Count the plays (no sink), write all (no stream), or count them and write a random one."""
    cdef int64_t[CLASSES][2] found
    cdef int64_t plays
    cdef Walk walk
    cdef Field field
    cdef bint walls = False
    if die1 != die2:
        if field_serves_mixed(rules, board, row):
            if Contact is Free:
                walls = walls_after_mixed(rules, board, row, die1, die2)
            set_field(&field, rules, board, row, sink, walls)
            return play_mixed(tag, &field, max(die1, die2), min(die1, die2), stream)
    else:
        set_field(&field, rules, board, row, sink, False)
        if field_serves_double(rules, &field.start, board, row) and not walls_after_double(
            rules, board, row, die1
        ):
            return play_double(tag, &field, die1, stream)
    plays = survey(tag, &walk, found, rules, board, row, die1, die2)
    if not sink or not plays:
        return plays
    if stream:
        sink.skip = below(stream, <uint32_t> plays)
    walk.sink = sink
    base_row(rules, walk.rows[0], row, sink.view)
    all_candidates(tag, &walk, die1, die2)
    return plays


cdef inline int64_t play_any(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2, Sink* sink,
    Stream* stream,
) noexcept nogil:
    cdef Hit hit = Hit(0)
    cdef Pin pin = Pin(0)
    cdef Free free = Free(0)
    if rules.contact == HIT:
        return play_roll(hit, rules, board, row, die1, die2, sink, stream)
    if rules.contact == PIN:
        return play_roll(pin, rules, board, row, die1, die2, sink, stream)
    return play_roll(free, rules, board, row, die1, die2, sink, stream)


cdef int64_t count_plays(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2
) noexcept nogil:
    """Number of distinct plays of a roll on a row whose game goes on; 0 is a pass."""
    # the commonest case here: the large frame of play_roll would make it a third slower
    if die1 != die2 and not rules.walls and field_serves_mixed(rules, board, row):
        return field_count(rules, board, max(die1, die2), min(die1, die2))
    return play_any(rules, board, row, die1, die2, NULL, NULL)


cdef void write_plays(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2, Sink* sink
) noexcept nogil:
    """Append the plays of a roll to the sink, as far as there is room; nothing for a pass."""
    play_any(rules, board, row, die1, die2, sink, NULL)


cdef int64_t write_random_play(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2, Sink* sink,
    Stream* stream,
) noexcept nogil:
    """Append one play, each as likely, and return how many there are; nothing for a pass."""
    return play_any(rules, board, row, die1, die2, sink, stream)
