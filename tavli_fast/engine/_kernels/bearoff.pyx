"""Builds the bear-off tables of ``bearoff.py``.

A side is known by its rank, and every play leads to a lower one (``rank_of``), so all is computed
in the order of ranks. Rolls are numbered as in ``tavli_fast.ROLLS``. Arguments are checked here
only as far as memory is concerned.
"""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t
from libc.string cimport memset

from .board cimport Board, CHECKERS, HEAD, OFF, load
from .engine cimport Engine
from .generate cimport write_plays
from .rules cimport ROW, Rules
from .output cimport Output

cdef enum:
    ROLLS = 21
    STAGES = 7               # by the double that opens a stage; 0 is the whole turn
    MOST_PLAYS = 126         # four sources, repeated or not, out of six: the most of any roll
    SMALL = 924              # ranks of up to six checkers

cdef double TIE = 1e-12      # means that differ by less are equal but for rounding


def rank(const int8_t[:, ::1] checkers, int32_t[::1] out) -> int:
    """Ranks of the checkers on points 1-6; returns the first that is none, or -1."""
    cdef Py_ssize_t i, n = min(checkers.shape[0], out.shape[0])
    cdef Ranks ranks
    set_ranks(&ranks)
    if checkers.shape[1] != SIDE_POINTS:
        raise ValueError(f"checkers stand on {SIDE_POINTS} points")
    with nogil:
        for i in range(n):
            out[i] = rank_of(&ranks, &checkers[i, 0], 1, 1)
            if out[i] < 0:
                break
        else:
            i = -1
    return i


def place(const int32_t[::1] ranks, int8_t[:, ::1] out) -> int:
    """The checkers on points 1-6 of ranks; returns the first that is out of range, or -1."""
    cdef Py_ssize_t i, n = min(ranks.shape[0], out.shape[0])
    cdef Ranks known
    set_ranks(&known)
    if out.shape[1] != SIDE_POINTS:
        raise ValueError(f"checkers stand on {SIDE_POINTS} points")
    with nogil:
        for i in range(n):
            if not 0 <= ranks[i] < POSITIONS:
                break
            unrank(&known, ranks[i], &out[i, 0])
        else:
            i = -1
    return i


cdef void set_row(const Ranks* ranks, int8_t* row, int position) noexcept nogil:
    """A row with the mover's checkers of a rank, the opponent's all on his own point 1."""
    cdef int p
    memset(row, 0, ROW)
    unrank(ranks, position, row + 1)
    row[OFF] = CHECKERS
    for p in range(1, SIDE_POINTS + 1):
        row[OFF] -= row[p]
    row[HEAD] = -CHECKERS


# --- one side alone -------------------------------------------------------------------------------

cdef struct Best:
    double mean              # of the end
    int end                  # its rank, or -1 for a pass


cdef Best best_play(
    const Rules* rules, const Ranks* ranks, const int8_t* row, int die1, int die2,
    const double* mean, const double* on_mean, const uint16_t* on_end,
) noexcept nogil:
    """The end with the lowest mean, of equal ones that with the lowest rank.

    ``on_mean`` and ``on_end``, or NULL, tell what the next stage of a cascade makes of an end.
    """
    cdef int8_t[MOST_PLAYS][ROW] ends
    cdef int8_t[MOST_PLAYS][4][2] steps
    cdef Board board = load(rules, row)
    cdef Best best = Best(0, -1)
    cdef double value
    cdef Output output
    cdef int i, end
    output.rows, output.steps = &ends[0][0], &steps[0][0][0] if on_mean else NULL
    output.room, output.skip, output.written, output.view = MOST_PLAYS, 0, 0, 0
    if on_mean:
        memset(steps, 0, sizeof(steps))     # unused steps are not written
    write_plays(rules, &board, row, die1, die2, &output)
    for i in range(<int> output.written):
        end = rank_of(ranks, &ends[i][1], 1, 1)
        value = mean[end]
        if on_mean and steps[i][3][1]:      # played in full
            value = on_mean[end]
            end = on_end[end]
        if (
            best.end < 0 or value < best.mean - TIE
            or (value < best.mean + TIE and end < best.end)
        ):
            best = Best(value, end)
    return best


cdef void play_best(
    const Rules* rules, const Ranks* ranks, int position, bint cascade, uint16_t* following,
    double[:, ::1] mean, uint16_t[:, ::1] stage_end,
) noexcept nogil:
    """The best play of every roll on one position, and its mean."""
    cdef int8_t[ROW] row
    cdef int high, low, roll = 0
    cdef double total = 1, stay = 0, weight
    cdef Best best
    cdef bint on
    set_row(ranks, row, position)
    for high in range(1, 7):
        for low in range(1, high + 1):
            on = cascade and high == low < 6
            best = best_play(
                rules, ranks, row, high, low, &mean[0, 0], &mean[high + 1, 0] if on else NULL,
                &stage_end[high + 1, 0] if on else NULL)
            weight = (1 if high == low else 2) / 36.0
            if best.end < 0:                # a pass
                stay += weight
                best.end = position
            else:
                total += weight * best.mean
            following[roll] = <uint16_t> best.end
            roll += 1
            if cascade and high == low:
                mean[high, position] = best.mean
                stage_end[high, position] = <uint16_t> best.end
    mean[0, position] = total / (1 - stay)
    if cascade:
        for high in range(1, 7):
            if stage_end[high, position] == position:
                mean[high, position] = mean[0, position]


def best_plays(
    Engine engine, bint cascade, int start, int stop, uint16_t[:, ::1] following,
    double[:, ::1] mean, uint16_t[:, ::1] stage_end,
) -> None:
    """Best play for ranks ``start`` to ``stop - 1``; those below must be done.

    Parameters
    ----------
    engine : Engine
        Of rules without contact and walls.
    cascade : bool
        Whether a double is played in stages, the next only after one played in full.
    following : uint16[POSITIONS, 21]
        Rank after each roll; a pass is the rank itself.
    mean : float64[1 or 7, POSITIONS]
        Turns to bear off all; with ``cascade`` also (1 to 6) from within a stage.
    stage_end : uint16[1 or 7, POSITIONS]
        With ``cascade`` the rank at the end of a turn, from within a stage.
    """
    cdef Ranks ranks
    cdef int position, rows = STAGES if cascade else 1
    if (
        not 0 <= start <= stop <= POSITIONS
        or following.shape[0] != POSITIONS or following.shape[1] != ROLLS
        or mean.shape[0] != rows or mean.shape[1] != POSITIONS
        or stage_end.shape[0] != rows or stage_end.shape[1] != POSITIONS
    ):
        raise ValueError("arrays of other shapes than documented")
    set_ranks(&ranks)
    if start == 0 < stop:                   # all off
        following[0, :] = 0
        mean[:, 0] = 0
        stage_end[:, 0] = 0
        start = 1
    with nogil:
        for position in range(start, stop):
            play_best(
                &engine._rules, &ranks, position, cascade, &following[position, 0], mean, stage_end)


def after_a_turn(
    const uint16_t[:, ::1] following, const double[::1] values, double[::1] out
) -> None:
    """Per position the mean over the rolls of the values of the positions that follow."""
    cdef Py_ssize_t i, n = following.shape[0]
    cdef int high, roll
    cdef double doubles, others
    if following.shape[1] != ROLLS or values.shape[0] != POSITIONS or out.shape[0] != n:
        raise ValueError("arrays of other shapes than documented")
    with nogil:
        for i in range(n):
            doubles = others = 0
            roll = 0
            for high in range(1, 7):
                for _ in range(1, high):
                    others += values[min(following[i, roll], POSITIONS - 1)]
                    roll += 1
                doubles += values[min(following[i, roll], POSITIONS - 1)]
                roll += 1
            out[i] = (doubles + 2 * others) / 36


# --- two sides ------------------------------------------------------------------------------------

def small_plays(Engine engine, uint16_t[:, :, ::1] ends, uint8_t[:, ::1] counts) -> None:
    """All plays of up to six checkers.

    Parameters
    ----------
    engine : Engine
        Of rules without contact and walls.
    ends : uint16[924, 21, 126]
        Ranks after each play.
    counts : uint8[924, 21]
        How many there are; 0 is a pass.
    """
    cdef int8_t[MOST_PLAYS][ROW] written
    cdef int8_t[ROW] row
    cdef int position, high, low, roll, i
    cdef Ranks ranks
    cdef Board board
    cdef Output output
    if (
        ends.shape[0] != SMALL or ends.shape[1] != ROLLS or ends.shape[2] != MOST_PLAYS
        or counts.shape[0] != SMALL or counts.shape[1] != ROLLS
    ):
        raise ValueError("arrays of other shapes than documented")
    set_ranks(&ranks)
    output.rows, output.steps = &written[0][0], NULL
    output.room, output.skip, output.view = MOST_PLAYS, 0, 0
    for position in range(SMALL):
        set_row(&ranks, row, position)
        board = load(&engine._rules, row)
        roll = 0
        for high in range(1, 7):
            for low in range(1, high + 1):
                output.written = 0
                write_plays(&engine._rules, &board, row, high, low, &output)
                for i in range(<int> output.written):
                    ends[position, roll, i] = <uint16_t> rank_of(&ranks, &written[i][1], 1, 1)
                counts[position, roll] = <uint8_t> output.written
                roll += 1


cdef double best_of_rolls(
    const uint16_t* ends, const uint8_t* counts, const double* his, double* stay
) noexcept nogil:
    """Sum over the rolls of the best value, and the chance of a pass, which is left out.

    ``his[e]`` is the value to the opponent when he rolls against the mover's end e.
    """
    cdef double total = 0, least, weight
    cdef int high, low, roll = 0, i
    stay[0] = 0
    for high in range(1, 7):
        for low in range(1, high + 1):
            weight = (1 if high == low else 2) / 36.0
            if counts[roll] == 0:
                stay[0] += weight
            else:
                least = 1
                for i in range(counts[roll]):
                    least = min(least, his[ends[roll * MOST_PLAYS + i]])
                total -= weight * least
            roll += 1
    return total


def two_sided(
    const uint16_t[:, :, ::1] ends, const uint8_t[:, ::1] counts, double[:, ::1] equity
) -> None:
    """Equity of a mover with rank i against rank j under best play of both, a game counting one.

    Parameters
    ----------
    ends, counts
        As ``small_plays`` fills them.
    equity : float64[924, 924]

    Notes
    -----
    A play lowers the mover's rank, so pairs are solved in the order of i + j. Only a pass stays in
    the pair: with chances p and q of one, x = a - p y and y = b - q x for the two sides of it.
    """
    cdef int total, i, j
    cdef double a, b, p, q
    if (
        ends.shape[0] != SMALL or ends.shape[1] != ROLLS or ends.shape[2] != MOST_PLAYS
        or counts.shape[0] != SMALL or counts.shape[1] != ROLLS
        or equity.shape[0] != SMALL or equity.shape[1] != SMALL
    ):
        raise ValueError("arrays of other shapes than documented")
    for i in range(SMALL):
        for j in range(ROLLS * MOST_PLAYS):
            if ends[i, j // MOST_PLAYS, j % MOST_PLAYS] >= SMALL:
                raise ValueError(f"an end of rank {i} is out of range")
        for j in range(ROLLS):
            if counts[i, j] > MOST_PLAYS:
                raise ValueError(f"rank {i} has too many plays")
        equity[0, i] = 1
        equity[i, 0] = -1
    equity[0, 0] = 0
    with nogil:
        for total in range(2, 2 * SMALL - 1):
            for i in range(max(1, total - SMALL + 1), total // 2 + 1):
                j = total - i
                a = best_of_rolls(&ends[i, 0, 0], &counts[i, 0], &equity[j, 0], &p)
                b = best_of_rolls(&ends[j, 0, 0], &counts[j, 0], &equity[i, 0], &q)
                equity[i, j] = (a - p * b) / (1 - p * q)
                equity[j, i] = b - q * equity[i, j]
