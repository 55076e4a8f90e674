"""The walk: any roll under any rules, step by step; for all that the field does not serve."""

from libc.stdint cimport int8_t, int64_t, uint32_t
from libc.string cimport memcpy, memset

from .board cimport (
    Board, CHECKERS, HEAD, HEAD_BIT, HOME, OPP_OFF, breaks_wall_rule, opponent_blocked,
    runner_locked, sources, tf_popcount, tf_row_add, tf_top,
)
from .rules cimport ROW, Rules, SOURCES
from .mover cimport (
    ALL, Contact, Free, Hit, Roll, Mover, bit_of, move, must_open, mover_of, up_to,
    walls_after_double, walls_after_mixed,
)
from .output cimport Output, passes_over, put_step

# Classes of candidates, best last. Doubles: the number of steps.
cdef enum:
    LOW_ALONE = 1
    HIGH_ALONE = 2
    BOTH = 3
    CLASSES = 5

cdef struct Walk:
    const Rules* rules
    const int8_t* row
    uint32_t open, pinned, theirs
    Mover now
    bint relaxed                            # rules about single steps are left to some_order
    int steps                               # what a double is worth
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
    Output* output
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
            walk.rules.delta[walk.output.view][special][die][source])
    walk.depth = k + 1


cdef inline void unmake(Walk* walk, const Mover* before) noexcept nogil:
    """Take back the last step; ``before`` is the side saved ahead of it."""
    walk.depth -= 1
    walk.now = before[0]


cdef inline uint32_t without_walls(
    Contact tag, const Walk* walk, uint32_t found, int die
) noexcept nogil:
    """Sources whose step leaves no forbidden wall (``wall_test = each_step``)."""
    cdef uint32_t rest = found
    cdef int source
    cdef Mover mover
    while rest:
        source = tf_top(rest)
        rest ^= bit_of(source)
        mover = walk.now
        move(tag, &mover, source, die)
        if breaks_wall_rule(walk.rules, mover.mine, walk.theirs, walk.row[OPP_OFF]):
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


cdef inline void emit(Walk* walk) noexcept nogil:
    """Write the end of the steps made."""
    cdef Output* output = walk.output
    cdef int k
    if passes_over(output, 1):
        return
    if output.steps:
        for k in range(walk.depth):
            put_step(output, k, walk.source[k], walk.die[k])
    memcpy(output.rows + ROW * output.written, walk.rows[walk.depth], ROW)
    output.written += 1


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

cdef inline bint in_some_order(
    Contact tag, Walk* trial, int8_t* left, int steps, int die
) noexcept nogil:
    """Whether the sources left can be played one by one; the first order found stays made."""
    cdef Mover before = trial.now
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


cdef inline void record_some_order(
    Contact tag, Walk* walk, const Walk* root, int die
) noexcept nogil:
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


cdef inline void walk_double(
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
    cdef Mover before = walk.now
    cdef uint32_t rest
    cdef int source
    cdef Walk fresh
    walk.relaxed = relaxed
    rest = legal_sources(tag, walk, die) & allowed
    if not by_one and not walk.wanted:
        walk.found[walk.depth + 1][1] += tf_popcount(rest)
        if walk.depth + 1 == walk.steps:
            return
    while rest:
        if walk.wanted and walk.output.written == walk.output.room:
            return
        source = tf_top(rest)
        rest ^= bit_of(source)
        make(tag, walk, source, die)
        if relaxed:
            record_some_order(tag, walk, root, die)
        elif by_one or walk.wanted:
            record(walk, walk.depth)
        if walk.depth < walk.steps:
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


cdef inline bint met_before(
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


cdef inline void walk_order(
    Contact tag, Walk* walk, Pairs* pairs, int die1, int die2
) noexcept nogil:
    """Candidates of one order of a mixed roll that no earlier candidate has met."""
    cdef bint high_first = die1 > die2
    cdef uint32_t firsts = legal_sources(tag, walk, die1), seconds
    cdef uint32_t off_by_either = 0
    cdef Mover before = walk.now, between
    cdef bint filtered = walk.walls or walk.must_open
    cdef int source1, source2
    cdef bint met
    if not high_first:
        # the higher die alone bears off the same checkers
        off_by_either = legal_sources(tag, walk, die2) & up_to(die1)
    while firsts:
        if walk.wanted and walk.output.written == walk.output.room:
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
            if not filtered and walk.wanted >> BOTH & 1 and walk.output.skip:
                walk.output.skip -= 1
                continue
            make(tag, walk, source2, die2)
            record(walk, BOTH)
            unmake(walk, &between)
        unmake(walk, &before)


# The whole roll -----------------------------------------------------------------------------------

cdef inline void all_candidates(Contact tag, Walk* walk, int die1, int die2) noexcept nogil:
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


cdef inline void set_head(Contact tag, Walk* walk, int die1, int die2) noexcept nogil:
    """Section 4: how many checkers may leave the head this turn."""
    cdef const Rules* rules = walk.rules
    cdef bint walls = walk.walls, opening = walk.must_open
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
        if not walk.found[walk.steps if die1 == die2 else <int> BOTH][1]:
            walk.now.heads_left = 2
        memset(walk.found, 0, CLASSES * sizeof(int64_t[2]))
        walk.walls, walk.must_open = walls, opening


cdef inline int64_t choose(Walk* walk, bint double) noexcept nogil:
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


cdef inline int64_t survey(
    Contact tag, Walk* walk, int64_t[2]* found, const Rules* rules, const Board* board,
    const int8_t* row, Roll* roll,
) noexcept nogil:
    """Set up a walk, count its candidates and choose among them; returns the number of plays."""
    cdef int die1 = roll.die1, die2 = roll.die2
    cdef int64_t plays
    memset(found, 0, CLASSES * sizeof(int64_t[2]))
    walk.found = found
    walk.rules = rules
    walk.row = row
    walk.open, walk.pinned, walk.theirs = board.open, board.pinned, board.theirs
    walk.now = mover_of(board, row)
    walk.steps = roll.steps
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
    plays = choose(walk, die1 == die2)
    roll.used = tf_top(walk.wanted) if plays else 0
    return plays
