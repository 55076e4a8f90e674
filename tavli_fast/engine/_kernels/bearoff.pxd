"""Races without contact: what one is, the rank of a side at home, and what it is worth.

Inline leaves; nothing here reads outside its arguments, whatever bytes a row holds.
"""

from libc.stdint cimport int8_t, int32_t, uint32_t

from .board cimport (
    BAR, CHECKERS, HOME, POINTS, tf_row_pins, tf_row_signs, tf_signs,
)
from .rules cimport Rules

cdef enum:
    SIDE_POINTS = 6
    POSITIONS = 54264        # ways to place up to 15 checkers on points 1-6
    FULL = 38760             # rank of the first of those with all 15
    FIRST_HALF = 0x1FFE      # points 1-12

# below[k][s] = C(s + k, k + 1): positions that hold fewer than s checkers on the k + 1 highest
# home points
cdef struct Ranks:
    int32_t[SIDE_POINTS][CHECKERS + 1] below

# A one-sided table: pointers into arrays that the caller keeps alive.
cdef struct Tables:
    const double* mean       # [POSITIONS]: turns to bear off all, on average
    const float* turns       # [POSITIONS][length]: chance to have all off with turn k exactly
    const float* left        # [POSITIONS][length]: checkers left after k turns, on average
    const float* first       # [POSITIONS - FULL][first_length]: as turns, for the first checker
    int length
    int first_length         # not above length
    Ranks ranks


cdef inline void set_ranks(Ranks* ranks) noexcept nogil:
    cdef int k, s
    for s in range(CHECKERS + 1):
        ranks.below[0][s] = s
    for k in range(1, SIDE_POINTS):
        ranks.below[k][0] = 0
        for s in range(1, CHECKERS + 1):
            ranks.below[k][s] = ranks.below[k][s - 1] + ranks.below[k - 1][s]


cdef inline int set_tables(
    Tables* tables, const double[::1] mean, const float[:, ::1] turns, const float[:, ::1] first,
    const float[:, ::1] left,
) except -1:
    """Point to the arrays of a ``bearoff.Table``, which must outlive the struct."""
    cdef Py_ssize_t length = turns.shape[1]
    if (
        mean.shape[0] != POSITIONS or turns.shape[0] != POSITIONS or left.shape[0] != POSITIONS
        or first.shape[0] != POSITIONS - FULL or not 1 <= length <= 1 << 20
        or not 1 <= first.shape[1] <= length or left.shape[1] != length
    ):
        raise ValueError("these are not the arrays of a bear-off table")
    tables.mean = &mean[0]
    tables.turns, tables.first, tables.left = &turns[0, 0], &first[0, 0], &left[0, 0]
    tables.length, tables.first_length = <int> length, <int> first.shape[1]
    set_ranks(&tables.ranks)
    return 0


# --- what a race is -------------------------------------------------------------------------------

cdef inline bint is_race(const Rules* rules, const int8_t* row) noexcept nogil:
    """Whether no checker of either side can meet one of the other any more, both still playing."""
    cdef tf_signs signs = tf_row_signs(row)
    cdef uint32_t mine = signs.pos1 & POINTS, theirs = signs.neg1 & POINTS
    if not mine or not theirs or row[0] or row[BAR] or tf_row_pins(row):
        return False
    if rules.parallel:
        return not mine & ~<uint32_t> FIRST_HALF and not theirs & FIRST_HALF
    return mine < (theirs & (~theirs + 1))  # his lowest point, in my numbers, above all of mine


cdef inline bint is_home_race(const Rules* rules, const int8_t* row) noexcept nogil:
    """Whether it is a race with all checkers of both sides at home or off."""
    cdef tf_signs signs = tf_row_signs(row)
    cdef uint32_t mine = signs.pos1 & POINTS, theirs = signs.neg1 & POINTS
    cdef uint32_t his_home = <uint32_t> HOME << (12 if rules.parallel else 18)
    return is_race(rules, row) and not mine & ~<uint32_t> HOME and not theirs & ~his_home


# --- ranks ----------------------------------------------------------------------------------------

cdef inline int rank_of(
    const Ranks* ranks, const int8_t* one, int step, int sign
) noexcept nogil:
    """Rank of the checkers on points 1-6, or -1 when they are no 0 to 15 checkers.

    ``one`` is the count of point 1; the next points follow at a distance of ``step``; opponents are
    counted with ``sign`` -1. Every step and every checker borne off lowers the rank: the number of
    checkers on the k highest points does not rise, for no k, and falls for one.
    """
    cdef int k, count, held = 0, rank = 0
    for k in range(SIDE_POINTS):
        count = sign * one[step * (SIDE_POINTS - 1 - k)]
        held += count
        if count < 0 or held > CHECKERS:
            return -1
        rank += ranks.below[k][held]
    return rank


cdef inline void unrank(const Ranks* ranks, int rank, int8_t* one) noexcept nogil:
    """The checkers on points 1-6 of a rank from 0 to POSITIONS - 1."""
    cdef int k, held, above = CHECKERS
    for k in range(SIDE_POINTS - 1, -1, -1):
        held = above
        while ranks.below[k][held] > rank:
            held -= 1
        rank -= ranks.below[k][held]
        if k < SIDE_POINTS - 1:
            one[SIDE_POINTS - 2 - k] = <int8_t> (above - held)
        above = held
    one[SIDE_POINTS - 1] = <int8_t> above


cdef inline bint home_ranks(
    const Ranks* ranks, const Rules* rules, const int8_t* row, int* mine, int* theirs
) noexcept nogil:
    """The ranks of mover and opponent in a home race; false for any other row."""
    if not is_home_race(rules, row):
        return False
    mine[0] = rank_of(ranks, row + 1, 1, 1)
    if rules.parallel:
        theirs[0] = rank_of(ranks, row + 13, 1, -1)
    else:
        theirs[0] = rank_of(ranks, row + 24, -1, -1)
    return mine[0] >= 0 and theirs[0] >= 0


# --- values ---------------------------------------------------------------------------------------

cdef inline void values_of_ranks(
    const Tables* tables, bint checkers_left, int mine, int theirs,
    double* win, double* win_double, double* lose_double, double* equity,
) noexcept nogil:
    """Chances and equity of the mover, who is about to roll, by the ranks of both sides.

    Ranks are 1 to POSITIONS - 1. ``win_double``: to win while the opponent has borne off none (part
    of ``win``); ``lose_double``: to lose with none off.
    """
    cdef const float* my_turns = tables.turns + <Py_ssize_t> mine * tables.length
    cdef const float* his_turns = tables.turns + <Py_ssize_t> theirs * tables.length
    cdef const float* first
    cdef const float* my_left
    cdef const float* his_left
    cdef double chance = 0, my_all = 0, his_all = 0, later = 0, won = 0, lost = 0
    cdef int k
    win_double[0] = lose_double[0] = 0
    # from the last turn back: sums of small numbers keep their digits, differences from 1 do not
    for k in range(tables.length - 1, 0, -1):
        my_all += my_turns[k]
        his_all += his_turns[k]             # the opponent needs k turns or more
        chance += my_turns[k] * his_all
    # in single precision all chances of a side add up to 1 only within 1e-7
    win[0] = min(chance / (my_all * his_all), 1.0)
    if theirs >= FULL:
        first = tables.first + <Py_ssize_t> (theirs - FULL) * tables.first_length
        for k in range(tables.first_length - 1, 0, -1):
            later += first[k]
            win_double[0] += my_turns[k] * later
        win_double[0] /= my_all * later
    if mine >= FULL:
        first = tables.first + <Py_ssize_t> (mine - FULL) * tables.first_length
        later = 0
        for k in range(tables.first_length - 1, 0, -1):
            lose_double[0] += his_turns[k] * later
            later += first[k]
        lose_double[0] /= his_all * later
    if not checkers_left:
        equity[0] = 2 * win[0] - 1 + win_double[0] - lose_double[0]
        return
    my_left = tables.left + <Py_ssize_t> mine * tables.length
    his_left = tables.left + <Py_ssize_t> theirs * tables.length
    for k in range(1, tables.length):
        won += <double> my_turns[k] * his_left[k - 1]
        lost += <double> his_turns[k] * my_left[k]
    equity[0] = won / my_all - lost / his_all
