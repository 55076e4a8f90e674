"""Games of random plays, every roll and every play equally likely."""

from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from .board cimport Board, load
from .generate cimport Sink, count_plays, write_plays
from .rules cimport ROW, Rules
from .score cimport UNDECIDED, flip_row, result
from .streams cimport PAIRS, Stream, below, open_stream


cdef int64_t play_game(
    const Rules* rules, const int8_t* start, uint64_t seed, uint64_t game,
    int8_t* rows, int8_t* dice, int64_t room,
) noexcept nogil:
    """Play a game at random and write its decisions, passes included, while there is room.

    Returns how many were written, -1 without memory.
    """
    cdef Stream stream = open_stream(seed, game)
    cdef int8_t[ROW] row, next_row
    cdef int8_t* ends = NULL
    cdef int8_t* grown
    cdef int64_t met = 0, plays, space = 0
    cdef Board board
    cdef Sink sink
    cdef int pair
    memcpy(row, start, ROW)
    while met < room and result(rules, row) == UNDECIDED:
        pair = below(&stream, PAIRS)
        memcpy(rows + ROW * met, row, ROW)
        dice[2 * met] = <int8_t> (pair // 6 + 1)
        dice[2 * met + 1] = <int8_t> (pair % 6 + 1)
        board = load(rules, row)
        plays = count_plays(rules, &board, row, dice[2 * met], dice[2 * met + 1])
        if plays > space:
            grown = <int8_t*> realloc(ends, ROW * plays)
            if not grown:
                met = -1
                break
            ends, space = grown, plays
        if plays:
            sink.rows, sink.steps, sink.room, sink.written, sink.view = ends, NULL, plays, 0, 1
            write_plays(rules, &board, row, dice[2 * met], dice[2 * met + 1], &sink)
            memcpy(row, ends + ROW * below(&stream, <int> plays), ROW)
        else:
            flip_row(rules, next_row, row)
            memcpy(row, next_row, ROW)
        met += 1
    free(ends)
    return met
