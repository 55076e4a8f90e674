"""Plays of one roll, each distinct end exactly once, in the order of ``docs/rows.md``.

Nothing is hashed or sorted. A double is a multiset of sources, walked from high to low: every end
has one such multiset. A mixed roll is a pair of sources, the higher die's and the lower die's; the
few ends that two pairs share are known in advance (``met_before``).

Two ways lead to the same plays. ``field_*`` serve the common mixed roll by masks alone: nobody on
the bar, nobody bears off, the runner free, no rule that looks at single steps. ``Walk`` serves all
the rest step by step.
"""

from libc.stdint cimport int8_t, int64_t, uint32_t
from libc.string cimport memcpy, memset

from .board cimport (
    BAR, BAR_BIT, Board, CHECKERS, HEAD, HEAD_BIT, HOME, OPP_OFF,
    breaks_wall_rule, opponent_blocked, runner_locked, sources, tf_lowest, tf_popcount, tf_row_add,
    tf_row_own, tf_top,
)
from .rules cimport BLOCK_FORBIDDEN, FREES, HIT, PIN, ROW, Rules, TAKES
from .score cimport flip_row

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


# --- one play into the sink -----------------------------------------------------------------------

cdef inline void put_step(Sink* sink, int k, int source, int die) noexcept nogil:
    cdef int8_t* steps = sink.steps + 8 * sink.written
    steps[2 * k] = <int8_t> source
    steps[2 * k + 1] = <int8_t> die


cdef inline void put_end(Sink* sink, const int8_t* base, const int8_t* delta) noexcept nogil:
    """Write base + delta as the next end; steps are put before."""
    tf_row_add(sink.rows + ROW * sink.written, base, delta)
    sink.written += 1


# --- the open field: common mixed rolls by masks --------------------------------------------------

cdef inline bint in_open_field(
    const Rules* rules, const Board* board, const int8_t* row
) noexcept nogil:
    """Whether a mixed roll is played in the open field."""
    if not rules.plain or board.mine & BAR_BIT:
        return False
    if not rules.locked and not rules.total_block and not rules.head_one:
        return tf_popcount((board.mine | board.pinned) >> 7) >= 2
    return (
        tf_popcount(board.mine >> 7) >= 2
        and not runner_locked(rules, board.mine, board.off)
        and not must_open(rules, board, row)
        and not (rules.head_one and row[HEAD] == CHECKERS)
    )


cdef inline bint walls_in_reach(
    const Rules* rules, const Board* board, int steps
) noexcept nogil:
    """Whether a wall rule can be broken after so many steps: each adds one point at most."""
    return rules.wall_size and tf_popcount(board.mine) + steps >= rules.wall_size


cdef inline bint must_open(
    const Rules* rules, const Board* board, const int8_t* row
) noexcept nogil:
    """Section 2, point 1: whether plays that open are preferred this turn."""
    if not rules.total_block:
        return False
    return rules.total_block == BLOCK_FORBIDDEN or opponent_blocked(
        rules, board.mine, board.theirs, row
    )


cdef inline int64_t field_count(
    const Rules* rules, const Board* board, int high, int low
) noexcept nogil:
    """Number of plays from pop-counts alone, when no wall can stand at the end.

    All pairs of a source for either die, but not one checker twice; and one checker moved by both
    dice, once for each way, and once only where no blot tells the ways apart.
    """
    cdef uint32_t mine = board.mine, open = board.open
    cdef uint32_t by_high = mine & open << high
    cdef uint32_t by_low = mine & open << low
    cdef uint32_t by_both = mine & open << (high + low)
    cdef uint32_t twice = by_high & by_low & by_both
    cdef int64_t plays
    if rules.contact == HIT:
        twice &= ~(board.blot << high | board.blot << low)
    plays = (
        tf_popcount(by_high) * tf_popcount(by_low)
        - tf_popcount(by_high & by_low & ~board.multi)
        + tf_popcount(by_high & by_both & ~(mine << high))
        + tf_popcount(by_low & by_both & ~(mine << low))
        - tf_popcount(twice)
    )
    if rules.head_one and by_high & by_low & board.multi & HEAD_BIT:
        plays -= 1                          # two checkers would leave the head
    if plays:
        return plays
    if rules.either_die:
        return tf_popcount(by_high) + tf_popcount(by_low)
    return tf_popcount(by_high) or tf_popcount(by_low)


cdef struct Field:
    const Rules* rules
    const Board* board
    const int8_t* row
    Sink* sink                              # with rows NULL plays are only counted
    int8_t[ROW] base                        # the row in the view of the sink
    bint walls                              # whether ends are tested for walls


cdef inline uint32_t field_mine(
    uint32_t mine, int source, int left, int target
) noexcept nogil:
    """Points held after a step from a point with ``left`` checkers."""
    if left == 1:
        mine &= ~(<uint32_t> 1 << source)
    return mine | <uint32_t> 1 << target


cdef inline const int8_t* field_delta(
    Contact tag, Field* field, uint32_t blot, uint32_t cover, int source, int left, int die
) noexcept nogil:
    """Delta of a step from a point with ``left`` checkers."""
    cdef int special = 0
    if Contact is not Free:
        special = blot >> (source - die) & 1
    if Contact is Pin:
        if left == 1 and cover >> source & 1:
            special |= FREES
    return field.rules.delta[field.sink.view][special][die][source]


cdef inline bint field_allows(Field* field, uint32_t mine) noexcept nogil:
    return not field.walls or not breaks_wall_rule(
        field.rules, mine, field.board.theirs, field.row[OPP_OFF]
    )


cdef inline void field_seconds(
    Contact tag, Field* field, int die1, int source1, int die2, uint32_t seconds
) noexcept nogil:
    """Plays of one first step followed by each of the second steps."""
    cdef Sink* sink = field.sink
    cdef uint32_t mine, blot = field.board.blot, cover = field.board.cover, freed
    cdef int target1 = source1 - die1, source2, left
    cdef int left1 = field.row[source1]
    cdef int8_t[ROW] after
    mine = field_mine(field.board.mine, source1, left1, target1)
    if sink.rows:
        tf_row_add(after, field.base, field_delta(tag, field, blot, cover, source1, left1, die1))
    if Contact is Pin:
        freed = cover & ~mine
        cover = cover ^ freed | blot & mine
        blot |= freed
    if Contact is not Free:
        blot &= ~(<uint32_t> 1 << target1)
    while seconds:
        source2 = tf_top(seconds)
        seconds ^= <uint32_t> 1 << source2
        left = field.row[source2]
        if left < 0:
            left = 0                        # the first step has taken a blot there
        left += (source2 == target1) - (source2 == source1)
        if field.walls and not field_allows(
            field, field_mine(mine, source2, left, source2 - die2)
        ):
            continue
        if not sink.rows:
            sink.written += 1
            continue
        if sink.written == sink.room:
            return
        if sink.steps:
            put_step(sink, 0, source1, die1)
            put_step(sink, 1, source2, die2)
        put_end(sink, after, field_delta(tag, field, blot, cover, source2, left, die2))


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
        bit = <uint32_t> 1 << source
        rest ^= bit
        seconds = by_low
        if not board.multi & bit:
            seconds &= ~bit
        # two checkers that end where one checker by both dice has ended before
        seconds &= ~(once & bit << low)
        if by_both & bit:
            seconds |= bit >> high
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
        bit = <uint32_t> 1 << source
        rest ^= bit
        field_seconds(tag, field, low, source, high, bit >> low)


cdef void field_singles(Contact tag, Field* field, int die) noexcept nogil:
    """All plays of one die alone."""
    cdef Sink* sink = field.sink
    cdef uint32_t rest = field.board.mine & field.board.open << die
    cdef int source, left
    while rest:
        source = tf_top(rest)
        rest ^= <uint32_t> 1 << source
        left = field.row[source]
        if not field_allows(
            field, field_mine(field.board.mine, source, left, source - die)
        ):
            continue
        if not sink.rows:
            sink.written += 1
            continue
        if sink.written == sink.room:
            return
        if sink.steps:
            put_step(sink, 0, source, die)
        put_end(
            sink, field.base,
            field_delta(tag, field, field.board.blot, field.board.cover, source, left, die),
        )


cdef void field_plays(Contact tag, Field* field, int high, int low) noexcept nogil:
    """Section 2, point 5 over the pairs and singles."""
    cdef int64_t before = field.sink.written
    field_pairs(tag, field, high, low)
    if field.sink.written > before:
        return
    field_singles(tag, field, high)
    if field.sink.written == before or field.rules.either_die:
        field_singles(tag, field, low)


# --- the walk: everything else, step by step ------------------------------------------------------

# What a step changes and undoing it restores.
cdef struct Masks:
    uint32_t mine, blot, cover
    uint32_t hits                           # points where this turn hit
    int off
    int heads_left                          # checkers that may still leave the head

cdef struct Walk:
    const Rules* rules
    const int8_t* row
    uint32_t open, pinned, theirs
    Masks now
    int8_t[ROW] at                          # the mover's free checkers by point
    bint relaxed                            # rules about single steps are left to ``ordered``
    # the steps made so far
    int depth
    int[4] source
    int[4] die
    int[4] special
    # what candidates must satisfy, and how many there are by class: [class][opens]
    bint walls
    bint must_open
    int64_t[2]* found
    # writing: the classes wanted, as bits, and whether they must open
    Sink* sink
    int8_t[ROW] base
    int wanted
    bint only_opening


cdef inline void make(Contact tag, Walk* walk, int source, int die) noexcept nogil:
    """One legal step."""
    cdef uint32_t bit = <uint32_t> 1 << source
    cdef int special = 0, target = source - die
    walk.at[source] -= 1
    if walk.at[source] == 0:
        walk.now.mine ^= bit
        if Contact is Pin:
            if walk.now.cover & bit:
                walk.now.cover ^= bit
                walk.now.blot |= bit
                special = FREES
    if target < 1:
        walk.now.off += 1
    else:
        bit = <uint32_t> 1 << target
        walk.at[target] += 1
        walk.now.mine |= bit
        if Contact is not Free:
            if walk.now.blot & bit:
                walk.now.blot ^= bit
                special |= TAKES
                if Contact is Pin:
                    walk.now.cover |= bit
                else:
                    walk.now.hits |= bit
    if source == HEAD:
        walk.now.heads_left -= 1
    walk.source[walk.depth] = source
    walk.die[walk.depth] = die
    walk.special[walk.depth] = special
    walk.depth += 1


cdef inline void unmake(Walk* walk, const Masks* before) noexcept nogil:
    """Take back the last step; ``before`` are the masks saved ahead of it."""
    cdef int source, die
    walk.depth -= 1
    source = walk.source[walk.depth]
    die = walk.die[walk.depth]
    walk.at[source] += 1
    if source > die:
        walk.at[source - die] -= 1
    walk.now = before[0]


cdef uint32_t without_hitters(const Walk* walk, uint32_t found) noexcept nogil:
    """Hit-and-run: the last checker on a home point where this turn hit stays."""
    cdef uint32_t hit = walk.now.hits & found & HOME
    cdef int point
    while hit:
        point = tf_lowest(hit)
        hit &= hit - 1
        if walk.at[point] == 1:
            found &= ~(<uint32_t> 1 << point)
    return found


cdef uint32_t without_walls(Contact tag, Walk* walk, uint32_t found, int die) noexcept nogil:
    """Sources whose step leaves no forbidden wall (``wall_test = each_step``)."""
    cdef uint32_t rest = found
    cdef Masks before = walk.now
    cdef int source
    while rest:
        source = tf_lowest(rest)
        rest &= rest - 1
        make(tag, walk, source, die)
        if breaks_wall_rule(walk.rules, walk.now.mine, walk.theirs, walk.row[OPP_OFF]):
            found &= ~(<uint32_t> 1 << source)
        unmake(walk, &before)
    return found


cdef inline uint32_t legal_sources(Contact tag, Walk* walk, int die) noexcept nogil:
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
            found = without_hitters(walk, found)
    return found


cdef void emit(Walk* walk) noexcept nogil:
    """Write the end of the steps made."""
    cdef Sink* sink = walk.sink
    cdef int8_t* end = sink.rows + ROW * sink.written
    cdef int k
    if sink.written == sink.room:
        return
    memcpy(end, walk.base, ROW)
    for k in range(walk.depth):
        tf_row_add(
            end, end,
            walk.rules.delta[sink.view][walk.special[k]][walk.die[k]][walk.source[k]],
        )
        if sink.steps:
            put_step(sink, k, walk.source[k], walk.die[k])
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
    cdef Masks before = trial.now
    cdef uint32_t rest
    cdef int source
    if steps == 0:
        return True
    rest = legal_sources(tag, trial, die)
    while rest:
        source = tf_top(rest)
        rest ^= <uint32_t> 1 << source
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
    cdef int8_t[BAR + 1] left
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
    cdef bint by_one = walk.walls or walk.must_open or walk.wanted or rules.unordered
    cdef Masks before = walk.now
    cdef uint32_t rest
    cdef int source
    cdef Walk fresh
    walk.relaxed = relaxed
    rest = legal_sources(tag, walk, die) & allowed
    if not by_one:
        walk.found[walk.depth + 1][1] += tf_popcount(rest)
        if walk.depth == 3:
            return
    while rest:
        source = tf_top(rest)
        rest ^= <uint32_t> 1 << source
        make(tag, walk, source, die)
        if by_one:
            if relaxed:
                record_some_order(tag, walk, root, die)
            else:
                record(walk, walk.depth)
        if walk.depth < 4:
            if locked:
                fresh = walk[0]
                walk_double(tag, walk, &fresh, die, ~<uint32_t> 0)
            else:
                walk_double(tag, walk, root, die, (<uint32_t> 2 << source) - 1)
        unmake(walk, &before)


# Mixed rolls --------------------------------------------------------------------------------------

cdef bint same_end(
    Contact tag, const Walk* root, int die1, int source1, int die2, int source2, uint32_t hits
) noexcept nogil:
    """Whether two steps are legal in this order and hit just these points."""
    cdef Walk trial = root[0]
    if source1 < 1 or not legal_sources(tag, &trial, die1) >> source1 & 1:
        return False
    make(tag, &trial, source1, die1)
    if source2 < 1 or not legal_sources(tag, &trial, die2) >> source2 & 1:
        return False
    make(tag, &trial, source2, die2)
    return trial.now.hits == hits


cdef bint met_before(
    Contact tag, const Walk* root, int high, int low, int by_high, int by_low, bint high_first,
    uint32_t hits,
) noexcept nogil:
    """Whether an earlier pair of steps had the end of this one.

    Ends are equal when the same pair is played in the other order, when one checker makes both
    steps the other way round, and when two checkers are borne off by either die.
    """
    cdef int other_high = 0, other_low = 0
    if not high_first and same_end(tag, root, high, by_high, low, by_low, hits):
        return True
    if by_low == by_high - high:
        other_high, other_low = by_high - low, by_high
    elif by_high == by_low - low:
        other_high, other_low = by_low, by_low - high
    elif by_high <= high and by_low <= low:
        other_high, other_low = by_low, by_high
    else:
        return False
    if not high_first or other_high > by_high:
        if same_end(tag, root, high, other_high, low, other_low, hits):
            return True
    return not high_first and other_low > by_low and same_end(
        tag, root, low, other_low, high, other_high, hits
    )


cdef void walk_order(
    Contact tag, Walk* walk, const Walk* root, int die1, int die2
) noexcept nogil:
    """Candidates of one order of a mixed roll that no earlier candidate has met."""
    cdef bint high_first = die1 > die2
    cdef int rank = HIGH_ALONE if high_first else LOW_ALONE
    cdef Masks before = walk.now, between
    cdef uint32_t firsts = legal_sources(tag, walk, die1), seconds
    cdef uint32_t off_by_either = 0
    cdef int source1, source2
    cdef bint met
    if not high_first:
        # the higher die alone bears off the same checkers
        off_by_either = legal_sources(tag, walk, die2) & ((<uint32_t> 2 << die1) - 1)
    while firsts:
        source1 = tf_top(firsts)
        firsts ^= <uint32_t> 1 << source1
        make(tag, walk, source1, die1)
        if not off_by_either >> source1 & 1:
            record(walk, rank)
        between = walk.now
        seconds = legal_sources(tag, walk, die2)
        while seconds:
            source2 = tf_top(seconds)
            seconds ^= <uint32_t> 1 << source2
            make(tag, walk, source2, die2)
            if high_first:
                met = met_before(
                    tag, root, die1, die2, source1, source2, True, walk.now.hits)
            else:
                met = met_before(
                    tag, root, die2, die1, source2, source1, False, walk.now.hits)
            if not met:
                record(walk, BOTH)
            unmake(walk, &between)
        unmake(walk, &before)


# The whole roll -----------------------------------------------------------------------------------

cdef void all_candidates(Contact tag, Walk* walk, int die1, int die2) noexcept nogil:
    """Section 2, point 2, with every candidate recorded."""
    cdef Walk root = walk[0]
    if die1 == die2:
        walk_double(tag, walk, &root, die1, ~<uint32_t> 0)
    else:
        walk_order(tag, walk, &root, max(die1, die2), min(die1, die2))
        walk_order(tag, walk, &root, min(die1, die2), max(die1, die2))


cdef void set_head(Contact tag, Walk* walk, int die1, int die2) noexcept nogil:
    """Section 4: how many checkers may leave the head this turn."""
    cdef const Rules* rules = walk.rules
    cdef bint walls = walk.walls, must_open = walk.must_open
    walk.now.heads_left = CHECKERS
    if not rules.head_one:
        return
    walk.now.heads_left = 1
    if walk.at[HEAD] < CHECKERS:
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
    memset(walk, 0, sizeof(Walk))
    memset(found, 0, CLASSES * sizeof(int64_t[2]))
    walk.found = found
    walk.rules = rules
    walk.row = row
    walk.open, walk.pinned, walk.theirs = board.open, board.pinned, board.theirs
    walk.now.mine, walk.now.blot, walk.now.cover = board.mine, board.blot, board.cover
    walk.now.off = board.off
    tf_row_own(walk.at, row)
    if Contact is Free:
        walk.walls = not rules.each_step and walls_in_reach(rules, board, 4 if die1 == die2 else 2)
        walk.must_open = must_open(rules, board, row)
    set_head(tag, walk, die1, die2)
    all_candidates(tag, walk, die1, die2)
    return choose(walk, die1 == die2)


cdef inline void set_field(
    Field* field, const Rules* rules, const Board* board, const int8_t* row, Sink* sink
) noexcept nogil:
    field.rules, field.board, field.row, field.sink = rules, board, row, sink
    field.walls = walls_in_reach(rules, board, 2)
    base_row(rules, field.base, row, sink.view)


cdef inline void base_row(
    const Rules* rules, int8_t* base, const int8_t* row, int view
) noexcept nogil:
    """The row in the view that ends are written in."""
    if view:
        flip_row(rules, base, row)
    else:
        memcpy(base, row, ROW)


cdef int64_t count_as(
    Contact tag, const Rules* rules, const Board* board, const int8_t* row, int die1, int die2
) noexcept nogil:
    cdef int64_t[CLASSES][2] found
    cdef Walk walk
    cdef Field field
    cdef Sink sink
    if die1 != die2 and in_open_field(rules, board, row):
        if not walls_in_reach(rules, board, 2):
            return field_count(rules, board, max(die1, die2), min(die1, die2))
        memset(&sink, 0, sizeof(Sink))
        set_field(&field, rules, board, row, &sink)
        field_plays(tag, &field, max(die1, die2), min(die1, die2))
        return sink.written
    return survey(tag, &walk, found, rules, board, row, die1, die2)


cdef void write_as(
    Contact tag, const Rules* rules, const Board* board, const int8_t* row, int die1, int die2,
    Sink* sink,
) noexcept nogil:
    cdef int64_t[CLASSES][2] found
    cdef Walk walk
    cdef Field field
    if die1 != die2 and in_open_field(rules, board, row):
        set_field(&field, rules, board, row, sink)
        field_plays(tag, &field, max(die1, die2), min(die1, die2))
    elif survey(tag, &walk, found, rules, board, row, die1, die2):
        walk.sink = sink
        base_row(rules, walk.base, row, sink.view)
        all_candidates(tag, &walk, die1, die2)


cdef int64_t count_plays(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2
) noexcept nogil:
    """Number of distinct plays of a roll on a row whose game goes on; 0 is a pass."""
    cdef Hit hit
    cdef Pin pin
    cdef Free free
    if rules.contact == HIT:
        return count_as(hit, rules, board, row, die1, die2)
    if rules.contact == PIN:
        return count_as(pin, rules, board, row, die1, die2)
    return count_as(free, rules, board, row, die1, die2)


cdef void write_plays(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2, Sink* sink
) noexcept nogil:
    """Append the plays of a roll to the sink, as far as there is room; nothing for a pass."""
    cdef Hit hit
    cdef Pin pin
    cdef Free free
    if rules.contact == HIT:
        write_as(hit, rules, board, row, die1, die2, sink)
    elif rules.contact == PIN:
        write_as(pin, rules, board, row, die1, die2, sink)
    else:
        write_as(free, rules, board, row, die1, die2, sink)
