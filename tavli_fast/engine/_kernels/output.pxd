"""Where plays are written. Inline leaves."""

from libc.stdint cimport int8_t, int64_t

from .board cimport tf_row_add
from .rules cimport ROW

# Where plays are written: ``room`` rows at most, whatever the input, after passing over the first
# ``skip`` plays.
cdef struct Output:
    int8_t* rows             # int8[room, 32], or NULL
    int8_t* steps            # int8[room, 4, 2], or NULL
    int64_t room
    int64_t skip
    int64_t written
    int view                 # 0 the mover's, 1 the next player's


cdef inline void put_step(Output* output, int k, int source, int die) noexcept nogil:
    cdef int8_t* steps = output.steps + 8 * output.written
    steps[2 * k] = <int8_t> source
    steps[2 * k + 1] = <int8_t> die


cdef inline void put_end(Output* output, const int8_t* base, const int8_t* delta) noexcept nogil:
    """Write base + delta as the next end; steps are put before."""
    tf_row_add(output.rows + ROW * output.written, base, delta)
    output.written += 1


cdef inline bint passes_over(Output* output, int plays) noexcept nogil:
    """Whether so many plays in a row need not be written: they are skipped, or there is no room."""
    if output.skip >= plays:
        output.skip -= plays
        return True
    return output.written == output.room
