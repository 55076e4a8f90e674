"""Plays chosen by a table of scores: each byte of a row, and each pin, adds so much."""

from libc.stdint cimport int8_t, int32_t, int64_t

from .bearoff cimport FIRST_HALF, is_race
from .board cimport (
    Board, CHECKERS, OFF, OPP_OFF, POINTS, tf_lowest, tf_popcount, tf_row_differ,
    tf_row_pins,
)
from .rules cimport COUNTS, ROW, Rules
from .mover cimport Roll

cdef enum:
    VALUES = 32              # a count c is entry c + 16
    LEVEL = 16
    WEIGHTS = 2 * COUNTS + 2  # rows of the table that pips.py makes

# Made by pips.py, for the mover of a row; scores of both views of a position add up to 0.
cdef struct Weights:
    int32_t[2][COUNTS][VALUES] count       # with contact, and in a race
    int32_t[2][VALUES] pin   # by point: an opposing checker pinned by the mover, or one of his own


cdef inline bint is_apart(const Rules* rules, const int8_t* row) noexcept nogil:
    """Whether the race table serves: nobody can meet any more, or a side has finished."""
    return is_race(rules, row) or row[OFF] == CHECKERS or row[OPP_OFF] == CHECKERS


cdef inline bint may_part(
    const Rules* rules, const Board* board, const int8_t* row
) noexcept nogil:
    """Whether the sides can be apart after one play, which moves four checkers at most.

    A cheap bound, asked once a roll instead of ``is_apart`` of every end.
    """
    cdef unsigned int behind = board.mine
    if rules.parallel:
        behind &= ~<unsigned int> FIRST_HALF
    elif board.theirs:                      # his lowest point, in my numbers, and all below
        behind &= ~(board.theirs ^ (board.theirs - 1))
    else:                                   # what is left of him may all be pinned, and be freed
        return True
    return tf_popcount(behind) <= 4 or row[OPP_OFF] == CHECKERS


cdef inline int32_t score_at(
    const Weights* weights, bint race, int byte, int8_t count
) noexcept nogil:
    return weights.count[race][byte][(count + LEVEL) & (VALUES - 1)]


cdef inline int32_t score_of_pins(const Weights* weights, const int8_t* row) noexcept nogil:
    cdef unsigned int rest = tf_row_pins(row) & POINTS
    cdef int32_t score = 0
    cdef int point
    while rest:
        point = tf_lowest(rest)
        rest &= rest - 1
        score += weights.pin[row[point] < 0][point]
    return score


cdef inline int32_t score_of(
    const Weights* weights, bint race, const int8_t* row
) noexcept nogil:
    """The score of a row for its mover, by one of the two tables."""
    cdef int32_t score = score_of_pins(weights, row)
    cdef int byte
    for byte in range(COUNTS):
        score += score_at(weights, race, byte, row[byte])
    return score


cdef inline int32_t score_change(
    const Weights* weights, bint race, const int8_t* base, int32_t pins, const int8_t* row
) noexcept nogil:
    """The score of a row less that of the base; ``pins`` is what the pins of the base score.

    A play changes eight bytes at most: looking at them alone is three times faster.
    """
    cdef unsigned int rest = tf_row_differ(base, row)
    cdef int32_t change = 0
    cdef int byte
    if pins or rest >> COUNTS:             # a pin may also change hands in place
        change = score_of_pins(weights, row) - pins
    rest &= (<unsigned int> 1 << COUNTS) - 1
    while rest:
        byte = tf_lowest(rest)
        rest &= rest - 1
        change += (
            score_at(weights, race, byte, row[byte]) - score_at(weights, race, byte, base[byte])
        )
    return change


cdef int64_t write_best_play(
    const Rules* rules, const Board* board, const int8_t* row, Roll* roll,
    const Weights* weights, int8_t* end,
) noexcept nogil
