"""The engine interface of ``variant.py`` over the kernels.

Arguments are checked by the caller: contiguous int8 arrays of the right shape, dice 1 to 6, games
from valid rows. Even so no call reads or writes outside its arrays, whatever the rows hold.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t

from .bearoff cimport (
    POSITIONS, Ranks, Tables, home_ranks, is_home_race, is_race, set_ranks, set_tables,
    values_of_ranks,
)
from .board cimport Board, load, tf_processor_suits
from .encode cimport encode_rows, width_of
from .generate cimport count_plays, write_plays
from .perft cimport perft_rows
from .random_play cimport play_game
from .rules cimport ROW, Rules, build
from .score cimport (
    UNDECIDED, base_row, count_pips, decided, flip_row, result, row_is_valid, stands_still,
)
from .output cimport Output

from .rules import SWITCH_VALUES

if not tf_processor_suits():
    raise ImportError(
        "this build of tavli_fast needs a processor with POPCNT; "
        "build it from source with TAVLI_FAST_BUILD=portable"
    )


cdef class Engine:
    """Kernels bound to rules.

    Parameters
    ----------
    switches : dict
        Every switch of ``SWITCH_VALUES`` with one of its values.
    """

    def __cinit__(self, dict switches not None):
        cdef int[64] codes
        for name in switches:
            if name not in SWITCH_VALUES:
                raise ValueError(f"the kernels do not know the switch {name}")
        for i, (name, values) in enumerate(SWITCH_VALUES.items()):
            if switches[name] not in values:
                raise ValueError(f"the kernels do not know {name}={switches[name]!r}")
            codes[i] = values.index(switches[name])
        build(&self._rules, codes)

    def first_fault(self, const int8_t[:, ::1] rows) -> int:
        """Index of the first row that is not a position of the rules, or -1."""
        cdef Py_ssize_t i, n = rows.shape[0]
        with nogil:
            for i in range(n):
                if not row_is_valid(&self._rules, &rows[i, 0]):
                    break
            else:
                i = -1
        return i

    def count(
        self, const int8_t[:, ::1] rows, const int8_t[:, ::1] dice, int64_t[::1] out,
        bint keep_pass=False,
    ) -> int:
        """Number of plays per query; with ``keep_pass`` a pass counts as one.

        Returns the first query whose row is not a position of the rules, where it stopped, or -1.
        """
        cdef Py_ssize_t i, n = out.shape[0]
        cdef Py_ssize_t row_step = 0 if rows.shape[0] == 1 else 1
        cdef Py_ssize_t dice_step = 0 if dice.shape[0] == 1 else 1
        with nogil:
            for i in range(n):
                if not row_is_valid(&self._rules, &rows[i * row_step, 0]):
                    break
                out[i] = count_one(
                    &self._rules, &rows[i * row_step, 0], &dice[i * dice_step, 0], keep_pass)
            else:
                i = -1
        return i

    def count_single(self, row, dice) -> int:
        """Number of plays of one roll on one row, or -1 for what only ``variant.py`` can judge.

        The short way for callers with one position at a time: with the checks of ``count`` it is
        10 us instead of 0.3.
        """
        cdef const int8_t[::1] seen
        cdef int8_t[2] pair
        if type(dice) is not tuple or len(<tuple> dice) != 2:
            return -1
        for i in range(2):
            die = (<tuple> dice)[i]
            if type(die) is not int or not 1 <= die <= 6:
                return -1
            pair[i] = die
        try:
            seen = row
        except (TypeError, ValueError, BufferError):
            return -1
        if seen.shape[0] != ROW or not row_is_valid(&self._rules, &seen[0]):
            return -1
        return count_one(&self._rules, &seen[0], pair, False)

    def fill(
        self, const int8_t[:, ::1] rows, const int8_t[:, ::1] dice, const int64_t[::1] offsets,
        int8_t[:, ::1] ends, int8_t[:, :, ::1] steps, bint flipped,
    ) -> None:
        """Write the ends of query i at ``offsets[i]``; a counted pass is the row itself."""
        cdef Py_ssize_t i, n = offsets.shape[0] - 1
        cdef Py_ssize_t row_step = 0 if rows.shape[0] == 1 else 1
        cdef Py_ssize_t dice_step = 0 if dice.shape[0] == 1 else 1
        cdef Output output
        if n < 1 or ends.shape[0] == 0:
            return
        output.view = flipped
        with nogil:
            for i in range(n):
                output.rows = &ends[0, 0] + ROW * offsets[i]
                output.steps = NULL
                if steps is not None:
                    output.steps = &steps[0, 0, 0] + 8 * offsets[i]
                output.room = offsets[i + 1] - offsets[i]
                output.skip = output.written = 0
                fill_one(&self._rules, &rows[i * row_step, 0], &dice[i * dice_step, 0], &output)

    def flip(self, const int8_t[:, ::1] rows, int8_t[:, ::1] out) -> None:
        """Rows seen by the other player; the arrays must not overlap."""
        cdef Py_ssize_t i, n = rows.shape[0]
        with nogil:
            for i in range(n):
                flip_row(&self._rules, &out[i, 0], &rows[i, 0])

    def pips(self, const int8_t[:, ::1] rows, int32_t[:, ::1] out) -> None:
        """Pip counts of mover and opponent."""
        cdef Py_ssize_t i, n = rows.shape[0]
        with nogil:
            for i in range(n):
                count_pips(&self._rules, &out[i, 0], &rows[i, 0])

    def encode(self, const int8_t[:, ::1] rows, int scheme, float[:, ::1] out) -> None:
        """Features by a scheme, given as its place in ``SCHEMES``; the arrays must not overlap."""
        cdef Py_ssize_t n = rows.shape[0]
        if out.shape[0] != n or out.shape[1] != width_of(scheme):
            raise ValueError(f"no room of {out.shape[0]} x {out.shape[1]} is asked for by {scheme}")
        if n:
            with nogil:
                encode_rows(&self._rules, &rows[0, 0], n, scheme, &out[0, 0])

    def result(self, const int8_t[:, ::1] rows, int8_t[::1] over, int8_t[::1] points) -> None:
        """Whether the game is over, and the points of the mover."""
        cdef Py_ssize_t i, n = rows.shape[0]
        cdef int value
        with nogil:
            for i in range(n):
                value = result(&self._rules, &rows[i, 0])
                over[i] = value != UNDECIDED
                points[i] = <int8_t> (0 if value == UNDECIDED else value)

    def is_race(self, const int8_t[:, ::1] rows, int8_t[::1] out, bint home) -> None:
        """Whether no checkers can meet any more and both sides still play; all at home or off."""
        cdef Py_ssize_t i, n = rows.shape[0]
        with nogil:
            for i in range(n):
                if home:
                    out[i] = is_home_race(&self._rules, &rows[i, 0])
                else:
                    out[i] = is_race(&self._rules, &rows[i, 0])

    def home_ranks(self, const int8_t[:, ::1] rows, int32_t[:, ::1] out) -> int:
        """Ranks of mover and opponent in home races (``bearoff.py``).

        Returns the first row that is no home race, where it stopped, or -1.
        """
        cdef Py_ssize_t i, n = rows.shape[0]
        cdef int mine, theirs
        cdef Ranks ranks
        set_ranks(&ranks)
        with nogil:
            for i in range(n):
                if not (
                    row_is_valid(&self._rules, &rows[i, 0])
                    and home_ranks(&ranks, &self._rules, &rows[i, 0], &mine, &theirs)
                ):
                    break
                out[i, 0], out[i, 1] = mine, theirs
            else:
                i = -1
        return i

    def race(
        self, const double[::1] mean, const float[:, ::1] turns, const float[:, ::1] first,
        const float[:, ::1] left, const int32_t[:, ::1] ranks, double[:, ::1] out,
    ) -> None:
        """Values of home races from the arrays of a ``bearoff.Table``.

        ``out`` is float64[6, n]: win, win_double, lose_double, equity, mean turns of both sides.
        """
        cdef Py_ssize_t i, n = ranks.shape[0]
        cdef Tables tables
        set_tables(&tables, mean, turns, first, left)
        for i in range(n):
            if not (0 < ranks[i, 0] < POSITIONS and 0 < ranks[i, 1] < POSITIONS):
                raise ValueError(f"ranks {i} are out of range")
        with nogil:
            for i in range(n):
                values_of_ranks(
                    &tables, self._rules.checkers_left, ranks[i, 0], ranks[i, 1],
                    &out[0, i], &out[1, i], &out[2, i], &out[3, i])
                out[4, i], out[5, i] = mean[ranks[i, 0]], mean[ranks[i, 1]]

    def perft(self, const int8_t[:, ::1] rows, int depth) -> int:
        """Sum of the perft counts of the rows."""
        cdef Py_ssize_t n = rows.shape[0]
        cdef int64_t nodes = 0
        if n:
            with nogil:
                nodes = perft_rows(&self._rules, &rows[0, 0], n, depth)
        if nodes < 0:
            raise MemoryError(f"no memory for the plays of a perft of depth {depth}")
        return nodes

    def sample(
        self, const int8_t[::1] start, uint64_t seed, uint64_t game, int8_t[:, ::1] rows,
        int8_t[:, ::1] dice,
    ) -> int:
        """Play game number ``game`` at random, write its decisions while there is room.

        Returns the number of decisions written.
        """
        cdef Py_ssize_t room = rows.shape[0]
        cdef int64_t met = 0
        if room:
            with nogil:
                met = play_game(
                    &self._rules, &start[0], seed, game, &rows[0, 0], &dice[0, 0], room)
        return met


cdef bint is_over(const Rules* rules, const Board* board, const int8_t* row) noexcept nogil:
    return decided(rules, board, row) != UNDECIDED


cdef int64_t count_one(
    const Rules* rules, const int8_t* row, const int8_t* dice, bint keep_pass
) noexcept nogil:
    cdef Board board = load(rules, row)
    cdef int64_t plays
    if is_over(rules, &board, row):
        return 0
    plays = count_plays(rules, &board, row, dice[0], dice[1])
    # a void game has no plays of any roll, so it need not be looked for before
    if plays == 0 and keep_pass:
        return not stands_still(rules, &board, row)
    return plays


cdef void fill_one(
    const Rules* rules, const int8_t* row, const int8_t* dice, Output* output
) noexcept nogil:
    cdef Board board
    if output.room == 0:
        return
    board = load(rules, row)
    write_plays(rules, &board, row, dice[0], dice[1], output)
    if output.written == 0:
        output.written = 1
        base_row(rules, output.rows, row, output.view)
