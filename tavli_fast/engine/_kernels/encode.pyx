"""Features of rows as float32 (``docs/encoders.md``); the twin in plain Python is ``encode.py``.

All schemes but RAW have one block a side, written from the view of that side, and the turn. Units
and pins come four at a time from tables: 16 bytes stored for each of 24 points.
"""

from libc.stdint cimport int8_t, uint32_t
from libc.string cimport memcpy

from .board cimport (
    BAR, CHECKERS, HEAD, OFF, POINTS, runner_locked, seen_by_opponent, tf_row_pins, tf_row_signs,
)
from .rules cimport COUNTS, ROW, Rules
from .score cimport flip_row

cdef extern from *:
    """
    #define TF_MANY(n) {1, 1, 1, (n - 3) / 2.0f}
    /* the units of a point by its count modulo 32: 17 to 31 are -15 to -1, of the other side */
    static const float tf_units[32][4] = {
        {0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, TF_MANY(3), TF_MANY(4), TF_MANY(5), TF_MANY(6),
        TF_MANY(7), TF_MANY(8), TF_MANY(9), TF_MANY(10), TF_MANY(11), TF_MANY(12), TF_MANY(13),
        TF_MANY(14), TF_MANY(15)
    };
    /* four bits as four numbers, the lowest first */
    static const float tf_bits[16][4] = {
        {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0},
        {0, 0, 1, 0}, {1, 0, 1, 0}, {0, 1, 1, 0}, {1, 1, 1, 0},
        {0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {1, 1, 0, 1},
        {0, 0, 1, 1}, {1, 0, 1, 1}, {0, 1, 1, 1}, {1, 1, 1, 1}
    };
    """
    const float tf_units[32][4]
    const float tf_bits[16][4]

cdef enum:
    WALL = 6


cdef inline float* put_bits(float* out, uint32_t mask) noexcept nogil:
    """Whether points 1 to 24 are in a mask."""
    cdef int four
    for four in range(6):
        memcpy(out + 4 * four, tf_bits[mask >> (4 * four + 1) & 15], 4 * sizeof(float))
    return out + 24


cdef inline float* put_units(float* out, const int8_t* row) noexcept nogil:
    """Four units for each of the mover's points 1 to 24."""
    cdef int p
    for p in range(1, 25):
        memcpy(out + 4 * (p - 1), tf_units[row[p] & 31], 4 * sizeof(float))
    return out + 96


cdef inline float* put_hit_block(float* out, const int8_t* row) noexcept nogil:
    out = put_units(out, row)
    out[0] = row[BAR] / <float> 2
    out[1] = row[OFF] / <float> CHECKERS
    return out + 2


cdef inline float* put_pin_block(float* out, const int8_t* row) noexcept nogil:
    cdef uint32_t pinned = tf_row_pins(row) & tf_row_signs(row).neg1
    cdef bint mother_pinned = pinned >> HEAD & 1
    out = put_bits(put_units(out, row), pinned)
    out[0] = row[OFF] / <float> CHECKERS
    out[1] = row[HEAD] > 0 or mother_pinned
    out[2] = mother_pinned
    return out + 3


cdef inline int longest_run(uint32_t held) noexcept nogil:
    """Points in a row, WALL at most."""
    cdef int length = 0
    while held and length < WALL:
        held &= held >> 1
        length += 1
    return length


cdef inline float* put_wall_block(
    const Rules* rules, float* out, const int8_t* row
) noexcept nogil:
    cdef uint32_t mine = tf_row_signs(row).pos1 & POINTS
    cdef int run = longest_run(seen_by_opponent(rules, mine))
    out = put_units(out, row)
    out[0] = row[OFF] / <float> CHECKERS
    out[1] = (row[HEAD] if row[HEAD] > 0 else 0) / <float> CHECKERS
    out[2] = not runner_locked(rules, mine, row[OFF])
    out[3] = run / <float> WALL
    out[4] = run == WALL
    out[5] = row[HEAD] == CHECKERS
    return out + 6


cdef inline void put_raw(float* out, const int8_t* row) noexcept nogil:
    cdef int8_t[COUNTS] counts           # a copy cannot overlap the output: the loop is vectorised
    cdef int i
    memcpy(counts, row, COUNTS)
    for i in range(COUNTS):
        out[i] = counts[i]
    put_bits(out + COUNTS, tf_row_pins(row))


cdef inline float* put_block(
    const Rules* rules, float* out, const int8_t* row, int scheme
) noexcept nogil:
    """The columns of the mover of a row."""
    if scheme == TESAURO198:
        return put_hit_block(out, row)
    if scheme == PIN248:
        return put_pin_block(out, row)
    return put_wall_block(rules, out, row)


cdef inline void put_both(
    const Rules* rules, float* out, const int8_t* row, int scheme
) noexcept nogil:
    """The mover's block, the opponent's in his own view, and whose turn it is."""
    cdef int8_t[ROW] flipped
    out = put_block(rules, out, row, scheme)
    flip_row(rules, flipped, row)
    out = put_block(rules, out, flipped, scheme)
    out[0], out[1] = 1, 0


cdef Py_ssize_t width_of(int scheme) noexcept nogil:
    """Number of columns, 0 for a code that is none."""
    if scheme == RAW:
        return 52
    if scheme == TESAURO198:
        return 198
    if scheme == PIN248:
        return 248
    return 206 if scheme == WALL206 else 0


cdef void encode_rows(
    const Rules* rules, const int8_t* rows, Py_ssize_t n, int scheme, float* out
) noexcept nogil:
    """Write float32[n, width_of(scheme)]."""
    cdef Py_ssize_t i, width = width_of(scheme)
    for i in range(n):
        if scheme == RAW:
            put_raw(out + width * i, rows + ROW * i)
        else:
            put_both(rules, out + width * i, rows + ROW * i, scheme)
