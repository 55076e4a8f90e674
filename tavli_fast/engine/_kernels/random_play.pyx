"""Games of random plays, every roll and every play equally likely."""

from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy

from .board cimport Board, load
from .generate cimport write_random_play
from .rules cimport ROW, Rules
from .score cimport UNDECIDED, decided, flip_row, stands_still
from .output cimport Output
from .streams cimport PAIRS, Stream, below, open_stream


cdef int64_t play_game(
    const Rules* rules, const int8_t* start, uint64_t seed, uint64_t game,
    int8_t* rows, int8_t* dice, int64_t room,
) noexcept nogil:
    """Play a game at random and write its decisions, passes included, while there is room.

    Returns how many were written.
    """
    cdef Stream stream = open_stream(seed, game)
    cdef int8_t[ROW] row, following
    cdef int64_t met = 0, plays
    cdef Board board
    cdef Output output
    cdef int pair, die1, die2
    output.rows, output.steps, output.view, output.room = following, NULL, 1, 1
    memcpy(row, start, ROW)
    while met < room:
        board = load(rules, row)
        if decided(rules, &board, row) != UNDECIDED:
            break
        pair = below(&stream, PAIRS)
        die1, die2 = pair // 6 + 1, pair % 6 + 1
        output.skip = output.written = 0
        plays = write_random_play(rules, &board, row, die1, die2, &output, &stream)
        # a void game has no plays of any roll, so it need not be looked for before
        if plays == 0 and stands_still(rules, &board, row):
            break
        memcpy(rows + ROW * met, row, ROW)
        dice[2 * met] = <int8_t> die1
        dice[2 * met + 1] = <int8_t> die2
        met += 1
        if plays == 0:
            flip_row(rules, following, row)
        memcpy(row, following, ROW)
    return met
