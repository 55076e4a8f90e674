"""Counting positions to a depth (``docs/rules.md`` section 2; every roll counted once).

The last ply is counted, never written. Above it the ends of one roll are written into a buffer of
their ply, which grows to the largest roll met and is freed at the end.
"""

from libc.stdint cimport int8_t, int64_t
from libc.stdlib cimport calloc, free, realloc

from .board cimport Board, load
from .generate cimport count_plays, write_plays
from .rules cimport ROW, Rules
from .score cimport UNDECIDED, decided, flip_row, stands_still
from .output cimport Output

cdef struct Ply:
    int8_t* rows             # int8[room, 32]
    int64_t room


cdef int64_t count_rolls(const Rules* rules, const int8_t* row) noexcept nogil:
    """perft of depth 1."""
    cdef Board board = load(rules, row)
    cdef int64_t plays, total = 0, passes = 0
    cdef int high, low
    if decided(rules, &board, row) != UNDECIDED:
        return 0
    for high in range(1, 7):
        for low in range(1, high + 1):
            plays = count_plays(rules, &board, row, high, low)
            total += plays
            passes += plays == 0
    if total == 0 and stands_still(rules, &board, row):
        return 0
    return total + passes


cdef int64_t roll_ends(
    const Rules* rules, const Board* board, const int8_t* row, int high, int low, Ply* ply
) noexcept nogil:
    """Write the ends of one roll, a pass included, for the next player; -1 without memory."""
    cdef int64_t plays = count_plays(rules, board, row, high, low)
    cdef int8_t* grown
    cdef Output output
    if ply.room < plays or not ply.rows:
        grown = <int8_t*> realloc(ply.rows, ROW * (plays + 1))
        if not grown:
            return -1
        ply.rows, ply.room = grown, plays + 1
    if plays == 0:
        flip_row(rules, ply.rows, row)
        return 1
    output.rows, output.steps, output.view = ply.rows, NULL, 1
    output.room, output.skip, output.written = plays, 0, 0
    write_plays(rules, board, row, high, low, &output)
    return output.written


cdef int64_t perft_row(
    const Rules* rules, const int8_t* row, int depth, Ply* plies
) noexcept nogil:
    """perft of one row, -1 without memory; ``plies`` has one buffer for each ply but the last."""
    cdef Board board
    cdef int64_t nodes, below, ends, i
    cdef int high, low
    if depth == 0:
        return 1
    if depth == 1:
        return count_rolls(rules, row)
    board = load(rules, row)
    if decided(rules, &board, row) != UNDECIDED or stands_still(rules, &board, row):
        return 0
    nodes = 0
    for high in range(1, 7):
        for low in range(1, high + 1):
            ends = roll_ends(rules, &board, row, high, low, plies)
            if ends < 0:
                return -1
            for i in range(ends):
                below = perft_row(rules, plies.rows + ROW * i, depth - 1, plies + 1)
                if below < 0:
                    return -1
                nodes += below
    return nodes


cdef int64_t perft_rows(
    const Rules* rules, const int8_t* rows, Py_ssize_t n, int depth
) noexcept nogil:
    """Sum of the perft counts of n rows; -1 without memory."""
    cdef Ply* plies = <Ply*> calloc(depth + 1, sizeof(Ply))
    cdef int64_t nodes = 0, below
    cdef Py_ssize_t i
    if not plies:
        return -1
    for i in range(n):
        below = perft_row(rules, rows + ROW * i, depth, plies)
        if below < 0:
            nodes = -1
            break
        nodes += below
    for i in range(depth + 1):
        free(plies[i].rows)
    free(plies)
    return nodes
