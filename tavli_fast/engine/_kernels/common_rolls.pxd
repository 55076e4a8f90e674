"""The field: common rolls by masks alone.

Nobody bears off, the runner is free, and no rule looks at single steps but that one checker may
leave the head.
"""

from libc.stdint cimport int8_t, int64_t, uint32_t
from libc.string cimport memcpy

from .board cimport (
    BAR, BAR_BIT, Board, CHECKERS, HEAD, HEAD_BIT, OPP_OFF, breaks_wall_rule, runner_locked,
    tf_held, tf_held_add, tf_lowest, tf_popcount, tf_row_add, tf_row_hold, tf_top,
)
from .rules cimport DICE, FREES, HIT, ROW, Rules, SOURCES, TAKES
from .mover cimport ALL, Contact, Free, Hit, Pin, Mover, bit_of, move, must_open, up_to
from .output cimport Output, passes_over, put_end, put_step

cdef enum:
    SPECIAL_BYTES = DICE * SOURCES * ROW    # from one special delta to the next

cdef struct Field:
    const Rules* rules
    const Board* board
    const int8_t* row
    Output* output                              # with rows NULL plays are only counted
    int8_t[ROW] base                        # writing: the row in the view of the sink
    Mover start
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


cdef inline int64_t field_count_bar(
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
    return field.rules.delta[field.output.view][special][die][source]


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
    cdef const int8_t* deltas = field.rules.delta[field.output.view][0][die][0]
    cdef tf_held held = tf_row_hold(base)
    cdef const int8_t* delta
    cdef int source
    field.output.written += count
    out = field.output.rows + ROW * field.output.written
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
    Contact tag, Field* field, Mover mover, int source, int die
) noexcept nogil:
    """Whether a step may be the last one: no forbidden wall after it."""
    move(tag, &mover, source, die)
    return not breaks_wall_rule(field.rules, mover.mine, field.board.theirs, field.row[OPP_OFF])


cdef inline void put_play(
    Contact tag, Field* field, const int8_t* base, uint32_t blot, uint32_t freeing, int k,
    int source, int die,
) noexcept nogil:
    """Write the play whose step k is its last, unless it is skipped or there is no room."""
    cdef Output* output = field.output
    cdef int i
    if passes_over(output, 1):
        return
    if output.steps:
        field.source[k], field.die[k] = source, die
        for i in range(k + 1):
            put_step(output, i, field.source[i], field.die[i])
    put_end(output, base, field_delta(tag, field, blot, freeing, source, die))


cdef inline void put_each(
    Contact tag, Field* field, const int8_t* base, const Mover* mover, int k, int die, uint32_t rest
) noexcept nogil:
    """Write or count the plays whose step k is their last, looking at each for walls."""
    cdef uint32_t freeing = mover.cover & ~mover.two
    cdef int source
    while rest:
        source = tf_top(rest)
        rest ^= bit_of(source)
        if field.walls and not field_allows(tag, field, mover[0], source, die):
            continue
        if field.output.rows:
            put_play(tag, field, base, mover.blot, freeing, k, source, die)
        else:
            field.output.written += 1


cdef inline void field_seconds(
    Contact tag, Field* field, int die1, int source1, int die2, uint32_t seconds
) noexcept nogil:
    """Plays of one first step followed by each of the second steps."""
    cdef Output* output = field.output
    cdef Mover mover
    cdef uint32_t freeing = field.start.cover & ~field.start.two
    cdef int count = tf_popcount(seconds)
    cdef int8_t[ROW] after
    if output.rows:
        if not field.walls and passes_over(output, count):
            return
        tf_row_add(
            after, field.base,
            field_delta(tag, field, field.start.blot, freeing, source1, die1),
        )
    mover = field.start
    move(tag, &mover, source1, die1)
    if (
        not output.rows or output.skip or output.steps or field.walls
        or output.room - output.written < count
    ):
        field.source[0], field.die[0] = source1, die1
        put_each(tag, field, after, &mover, 1, die2, seconds)
        return
    put_all(tag, field, after, seconds, count, mover.blot, mover.cover & ~mover.two, die2)


cdef inline void field_pairs(Contact tag, Field* field, int high, int low) noexcept nogil:
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


cdef inline void field_pairs_bar(Contact tag, Field* field, int high, int low) noexcept nogil:
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


cdef inline void field_singles(Contact tag, Field* field, int die) noexcept nogil:
    """All plays of one die alone."""
    cdef uint32_t rest = field.start.mine & field.board.open << die
    if field.start.mine & BAR_BIT:
        rest &= BAR_BIT
    put_each(tag, field, field.base, &field.start, 0, die, rest)


cdef inline void field_mixed(Contact tag, Field* field, int high, int low) noexcept nogil:
    """Section 2, point 5 over the pairs and singles."""
    cdef int64_t before = field.output.written
    if field.board.mine & BAR_BIT:
        field_pairs_bar(tag, field, high, low)
    else:
        field_pairs(tag, field, high, low)
    if field.output.written > before:
        return
    field_singles(tag, field, high)
    if field.output.written == before or field.rules.either_die:
        field_singles(tag, field, low)


# Doubles ------------------------------------------------------------------------------------------

cdef inline bint field_serves_double(
    const Rules* rules, const Mover* mover, const Board* board, const int8_t* row
) noexcept nogil:
    """Whether four checkers or more are outside home, so that none is borne off."""
    return (
        tf_popcount((mover.mine | board.pinned) >> 7) + tf_popcount(mover.two >> 7)
        + tf_popcount(mover.three >> 7) + tf_popcount(mover.four >> 7) >= 4
        and free_to_go(rules, board, row)
    )


cdef inline int64_t pairs_of(int n) noexcept nogil:
    return n * (n - 1) // 2


cdef inline int64_t ways(
    const Mover* mover, uint32_t open, int die, uint32_t allowed, int steps
) noexcept nogil:
    """Number of multisets of so many allowed sources (1 to 4); no bar, nobody borne off.

    A source is taken as often as checkers stand on it or have come to it. Summed over how often
    each source is taken: ``own`` are points held now, ``next1`` points a checker comes to from one
    of them and can leave again, ``next2`` and ``next3`` those it comes to after that. ``fed``
    marks points that a checker can come to from an own source.
    """
    cdef uint32_t landing = open << die
    cdef uint32_t own = mover.mine & landing & allowed
    cdef uint32_t free = landing & ~mover.mine
    cdef uint32_t next1 = own >> die & free
    cdef uint32_t own2 = own & mover.two, own3 = own & mover.three
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
    fed = own & ~mover.two & own >> die
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
        + n3 * (n - 1) + tf_popcount(own2 & ~mover.three & own >> die)
        + tf_popcount(own & mover.four)
        + b * n2 + b2 * (n - 1)
        + tf_popcount(next1 & fed >> die)
        + tf_popcount(next1 & own3 >> die)
        + pairs_of(b)                       # two checkers two steps each
        + tf_popcount(own & ~mover.two & next1 >> die)
        + tf_popcount(next2) * (n - 1)
        + tf_popcount(next2 & own2 >> 2 * die)
        + tf_popcount(next2 >> die & free)  # a checker four steps
    )


cdef inline int steps_left(Contact tag, const Board* board, Mover* mover, int die) noexcept nogil:
    """Enter from the bar as far as it goes; returns how many of the four steps are left."""
    cdef int left = 4
    if Contact is Hit:
        while left and mover.mine & BAR_BIT & board.open << die:
            move(tag, mover, BAR, die)
            left -= 1
    return left


cdef inline void keep_one_head(const Rules* rules, Mover* mover) noexcept nogil:
    """Where one checker may leave the head, count as if one stood there."""
    if rules.head_one:
        mover.two &= ~<uint32_t> HEAD_BIT
        mover.three &= mover.two
        mover.four &= mover.two
        mover.five &= mover.two


cdef inline int64_t field_count_double(
    Contact tag, const Rules* rules, const Board* board, Mover* mover, int die, int* steps
) noexcept nogil:
    """Number of plays of a double, when no wall can stand at the end, and of their steps."""
    cdef int left = steps_left(tag, board, mover, die)
    cdef int entered = 4 - left
    cdef int64_t plays
    if not mover.mine & BAR_BIT:
        keep_one_head(rules, mover)
        while left:
            plays = ways(mover, board.open, die, ALL, left)
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
    cdef Output* output = field.output
    cdef uint32_t freeing = 0
    cdef int count = tf_popcount(rest), source
    if passes_over(output, count):
        return
    if Contact is not Pin:
        if not output.skip and not output.steps and output.room - output.written >= count:
            put_all(tag, field, base, rest, count, blot, 0, die)
            return
    while rest:
        source = tf_top(rest)
        rest ^= bit_of(source)
        if Contact is Pin:
            freeing = cover if field.at[source] == 1 else 0
        put_play(tag, field, base, blot, freeing, k, source, die)


cdef inline void field_write_double(
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


cdef inline void field_double(Contact tag, Field* field, int die, int steps) noexcept nogil:
    """Write all plays of a double of so many steps."""
    cdef Mover* start = &field.start
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


cdef inline void field_one_double(Contact tag, Field* field, int die, int steps) noexcept nogil:
    """Write the play of a double that is to be written next, without going through the others.

    At each step sources are passed over, highest first, while all plays that go on from them are.
    """
    cdef Output* output = field.output
    cdef Mover mover = field.start, after
    cdef uint32_t rest, allowed = ALL
    cdef int8_t[ROW] row
    cdef int source, special = 0, k
    cdef int64_t plays
    keep_one_head(field.rules, &mover)
    memcpy(row, field.base, ROW)
    for k in range(steps):
        rest = mover.mine & field.board.open << die & allowed
        if mover.mine & BAR_BIT:
            rest = BAR_BIT                  # the only source
        while True:
            source = tf_top(rest)
            rest ^= bit_of(source)
            after = mover
            special = move(tag, &after, source, die)
            allowed = up_to(source)
            if not rest:
                break
            plays = 1
            if k + 1 < steps:
                plays = ways(&after, field.board.open, die, allowed, steps - k - 1)
            if output.skip < plays:
                break
            output.skip -= plays
        mover = after
        if source == BAR:
            allowed = ALL
        tf_row_add(row, row, field.rules.delta[output.view][special][die][source])
    memcpy(output.rows + ROW * output.written, row, ROW)
    output.written += 1
