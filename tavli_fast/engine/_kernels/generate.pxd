"""Plays of one roll: counted, or written out. All kernels that need plays call this."""

from libc.stdint cimport int8_t, int64_t

from .board cimport Board
from .rules cimport Rules
from .mover cimport Roll
from .output cimport Output
from .streams cimport Stream

cdef int64_t count_plays(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2
) noexcept nogil

cdef void write_plays(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2, Output* output
) noexcept nogil

cdef int64_t write_random_play(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2, Output* output,
    Stream* stream,
) noexcept nogil

cdef int64_t play_rest(
    const Rules* rules, const Board* board, const int8_t* row, Roll* roll, Output* output,
    Stream* stream,
) noexcept nogil
