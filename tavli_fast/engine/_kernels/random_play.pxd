"""Games of random plays."""

from libc.stdint cimport int8_t, int64_t, uint64_t

from .rules cimport Rules

cdef int64_t play_game(
    const Rules* rules, const int8_t* start, uint64_t seed, uint64_t game,
    int8_t* rows, int8_t* dice, int64_t room,
) noexcept nogil
