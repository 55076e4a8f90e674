"""Plays of one roll: counted, or written out. The only generator; all kernels call it."""

from libc.stdint cimport int8_t, int64_t

from .board cimport Board
from .rules cimport Rules
from .streams cimport Stream

# Where plays are written: ``room`` rows at most, whatever the input, after passing over the first
# ``skip`` plays.
cdef struct Sink:
    int8_t* rows             # int8[room, 32], or NULL
    int8_t* steps            # int8[room, 4, 2], or NULL
    int64_t room
    int64_t skip
    int64_t written
    int view                 # 0 the mover's, 1 the next player's

cdef int64_t count_plays(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2
) noexcept nogil

cdef void write_plays(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2, Sink* sink
) noexcept nogil

cdef int64_t write_random_play(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2, Sink* sink,
    Stream* stream,
) noexcept nogil
