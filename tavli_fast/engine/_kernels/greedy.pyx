"""The best play by a table of scores."""

from libc.stdint cimport int8_t, int32_t, int64_t
from libc.string cimport memcpy

from .board cimport Board
from .generate cimport play_rest
from .rules cimport ROW, Rules
from .score cimport flip_row
from .mover cimport Roll
from .output cimport Output

cdef enum:
    CHUNK = 128              # ends looked at together: 4 KiB; one roll in a thousand has more


cdef int64_t write_best_play(
    const Rules* rules, const Board* board, const int8_t* row, Roll* roll,
    const Weights* weights, int8_t* end,
) noexcept nogil:
    """Write the play that leaves the next player the lowest score, the first of equal ones.

    The end is seen by the next player. Returns how many plays were compared; 0 is a pass, and
    nothing is written.
    """
    cdef int8_t[CHUNK][ROW] ends
    cdef int8_t[ROW] base
    cdef int32_t[2] scores                  # of the base, by either table
    cdef int32_t pins, best = 0, score
    cdef bint race, near = may_part(rules, board, row)
    cdef int64_t seen = 0
    cdef int i
    cdef Output output
    flip_row(rules, base, row)
    pins = score_of_pins(weights, base)
    scores = [0, 0]
    if near:                                # else all ends go by one table, and differences do
        scores = [score_of(weights, False, base), score_of(weights, True, base)]
    output.rows, output.steps, output.view, output.room = &ends[0][0], NULL, 1, CHUNK
    while True:
        output.skip, output.written = seen, 0
        play_rest(rules, board, row, roll, &output, NULL)
        for i in range(output.written):
            race = near and is_apart(rules, ends[i])
            score = scores[race] + score_change(weights, race, base, pins, ends[i])
            if (seen == 0 and i == 0) or score < best:
                best = score
                memcpy(end, ends[i], ROW)
        seen += output.written
        if output.written < CHUNK:
            return seen
