"""Many games in lockstep, or each to its end by the policies the kernels know."""

from libc.math cimport cos, log, pi, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from .bearoff cimport is_home_race
from .board cimport CHECKERS, OFF, OPP_OFF, Board, load
from .engine cimport Engine
from .generate cimport play_rest
from .greedy cimport VALUES, WEIGHTS, Weights, is_apart, score_of, write_best_play
from .rules cimport ROW, Rules, SECOND_PLAYER
from .score cimport UNDECIDED, decided, flip_row, stands_still
from .mover cimport Roll
from .output cimport Output
from .streams cimport PAIRS, Stream, below, choice_seed, open_stream, unit

cdef enum:
    RANDOM = 0               # what policies of the kernels are called, in live.py too
    PIPS = 1


cdef inline void open_streams(Game* game, uint64_t seed) noexcept nogil:
    """The streams of a game's number, from their beginning."""
    game.dice = open_stream(seed, game.number)
    game.choices = open_stream(choice_seed(seed), game.number)


cdef void begin_game(
    const Rules* rules, Game* game, const int8_t* start, uint64_t seed, uint64_t number
) noexcept nogil:
    """A new game: one die each decides who starts, equal ones are thrown again."""
    cdef int pair
    memset(game, 0, sizeof(Game))
    memcpy(game.row, start, ROW)
    game.number = number
    open_streams(game, seed)
    pair = below(&game.dice, PAIRS)
    while pair // 6 == pair % 6:
        pair = below(&game.dice, PAIRS)
    game.starter = game.player = pair % 6 > pair // 6
    if rules.opening_dice:
        set_dice(rules, game, pair)


cdef void set_dice(const Rules* rules, Game* game, int pair) noexcept nogil:
    game.die1, game.die2 = <int8_t> (pair // 6 + 1), <int8_t> (pair % 6 + 1)
    game.rolls[game.player & 1] += 1
    game.plies += 1
    game.steps = 4
    game.stage = (
        rules.cascade and game.die1 == game.die2
        and game.rolls[game.player & 1] > rules.cascade_grace
    )


cdef void throw_dice(const Rules* rules, Game* game) noexcept nogil:
    """The next roll, where none is waiting to be played."""
    if game.state != RUNNING or game.die1:
        return
    if game.fixed[0]:
        set_dice(rules, game, game.fixed[0] - 1)
        game.fixed[0], game.fixed[1] = game.fixed[1], 0
    else:
        set_dice(rules, game, below(&game.dice, PAIRS))


cdef inline bint gives_balancing_turn(
    const Rules* rules, const Game* game, const int8_t* end
) noexcept nogil:
    """Section 7: whether the second player has one more turn; ``end`` is seen by him."""
    if not rules.balancing or game.player != game.starter or end[OPP_OFF] < CHECKERS:
        return False
    return rules.balancing == SECOND_PLAYER or end[OFF] >= CHECKERS - 1


cdef void make_play(const Rules* rules, Game* game, const int8_t* end) noexcept nogil:
    """Go on from the end of a play, or of a stage of a cascade, seen by the next player."""
    cdef Board board = load(rules, end)
    cdef int points = decided(rules, &board, end), die = game.die1, rest = 0
    cdef bint over = points != UNDECIDED, full, goes_on, left, balancing
    if not over and stands_still(rules, &board, end):
        over, points = True, 0
    full = game.stage and game.used == game.steps
    goes_on = full and die < 6
    left = game.stage and (not full or die < 6)
    if game.balancing and goes_on:
        over = False
    balancing = over and gives_balancing_turn(rules, game, end)
    rest = 4 if full else game.steps - game.used
    die += full
    game.die1 = game.die2 = game.stage = 0
    if over and not balancing:
        memcpy(game.row, end, ROW)
        game.state = OVER
        # the points are the next player's
        game.points = <int8_t> (points if game.player else -points)
        game.player ^= 1
        return
    if goes_on and not balancing:
        flip_row(rules, game.row, end)
    elif game.inherited and not balancing:  # the opponent's rest is done: now the own roll
        flip_row(rules, game.row, end)
        game.inherited = False
        return
    else:
        memcpy(game.row, end, ROW)
        game.player ^= 1
        game.inherited = False
        game.balancing = balancing
        if not left or balancing or not rules.opponent_plays:
            return
        game.inherited = True
    game.die1 = game.die2 = <int8_t> die
    game.steps, game.stage = <int8_t> rest, True


cdef inline void settle(
    const Rules* rules, Game* game, int32_t limit, bint races
) noexcept nogil:
    """Stop a game that waits for a roll: in a home race, or when it would be one roll too many.

    A balancing turn is always played.
    """
    if game.state != RUNNING or game.die1 or game.balancing:
        return
    if races and is_home_race(rules, game.row):
        game.state = RACE
    elif game.plies >= limit:
        game.state = TRUNCATED


cdef int check_fit(bint fits) except -1:
    """Arrays that go together do; what they hold is the caller's."""
    if not fits:
        raise ValueError("the arrays do not fit each other")
    return 0


# Lockstep ----------------------------------------------------------------------------------------

def begin(
    Engine engine not None, Game[::1] games not None, const int64_t[::1] slots,
    const uint64_t[::1] numbers, const int8_t[::1] start, uint64_t seed,
) -> None:
    """New games of these numbers in some slots."""
    cdef Py_ssize_t i
    check_fit(numbers.shape[0] == slots.shape[0] and start.shape[0] == ROW)
    for i in range(slots.shape[0]):
        if 0 <= slots[i] < games.shape[0]:
            begin_game(&engine._rules, &games[slots[i]], &start[0], seed, numbers[i])


def deal(Game[::1] games not None, uint64_t seed, uint64_t number) -> None:
    """Number the games on from ``number`` and give each the streams of its number."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(games.shape[0]):
            games[i].number = number + <uint64_t> i
            open_streams(&games[i], seed)


def stop(Engine engine not None, Game[::1] games not None, int32_t limit, bint races) -> None:
    """Stop games that wait for a roll beyond the limit, and home races if wanted."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(games.shape[0]):
            settle(&engine._rules, &games[i], limit, races)


def throw(Engine engine not None, Game[::1] games not None) -> None:
    """Throw the dice of every running game that has none waiting."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(games.shape[0]):
            throw_dice(&engine._rules, &games[i])


def count(Engine engine not None, Game[::1] games not None, int64_t[::1] offsets) -> None:
    """Where the ends of each game's plays begin; a pass counts as one, a game that is over none."""
    cdef Py_ssize_t i
    cdef int64_t total = 0
    cdef Game* game
    check_fit(offsets.shape[0] == games.shape[0] + 1)
    with nogil:
        offsets[0] = 0
        for i in range(games.shape[0]):
            game = &games[i]
            game.plays = 0
            if game.state == RUNNING and game.die1:
                game.plays = <int32_t> plays_of(&engine._rules, game, NULL, NULL)
                total += max(game.plays, 1)
            offsets[i + 1] = total


def fill(
    Engine engine not None, Game[::1] games not None, const int64_t[::1] offsets,
    int8_t[:, ::1] ends,
) -> None:
    """Write the ends of all plays, seen by the next player; of a pass, the row itself."""
    cdef Py_ssize_t i
    cdef Output output
    output.steps, output.view = NULL, 1
    check_fit(offsets.shape[0] == games.shape[0] + 1 and ends.shape[1] == ROW)
    with nogil:
        for i in range(games.shape[0]):
            if not 0 <= offsets[i] <= offsets[i + 1] <= ends.shape[0]:
                break
            if offsets[i + 1] <= offsets[i]:
                continue
            output.rows = &ends[0, 0] + ROW * offsets[i]
            output.room = offsets[i + 1] - offsets[i]
            output.skip = output.written = 0
            plays_of(&engine._rules, &games[i], &output, NULL)
            if output.written == 0:
                flip_row(&engine._rules, output.rows, games[i].row)


def play(
    Engine engine not None, Game[::1] games not None, const int64_t[::1] offsets,
    const int8_t[:, ::1] ends, const int64_t[::1] choice,
) -> None:
    """Make the chosen play of every game that has one."""
    cdef Py_ssize_t i, n = games.shape[0]
    check_fit(offsets.shape[0] == n + 1 and choice.shape[0] == n and ends.shape[1] == ROW)
    with nogil:
        for i in range(n):
            if not 0 <= offsets[i] <= offsets[i + 1] <= ends.shape[0]:
                break
            if 0 <= choice[i] < offsets[i + 1] - offsets[i]:
                make_play(&engine._rules, &games[i], &ends[offsets[i] + choice[i], 0])


def first_outside(const int64_t[::1] offsets, const int64_t[::1] choice) -> int:
    """The first game whose choice is no number of its plays, or -1."""
    cdef Py_ssize_t i
    check_fit(offsets.shape[0] == choice.shape[0] + 1)
    with nogil:
        for i in range(choice.shape[0]):
            if not 0 <= choice[i] < offsets[i + 1] - offsets[i]:
                break
        else:
            i = -1
    return i


def ended(const Game[::1] games not None, int64_t[::1] slots) -> int:
    """Write where games are over, and return how many are."""
    cdef Py_ssize_t i, found = 0
    check_fit(slots.shape[0] == games.shape[0])
    with nogil:
        for i in range(games.shape[0]):
            if games[i].state == OVER:
                slots[found] = i
                found += 1
    return found


def lowest(const double[::1] values, const int64_t[::1] offsets, int64_t[::1] choice) -> None:
    """Per game the number of its first lowest value; 0 where it has none."""
    cdef Py_ssize_t i
    cdef int64_t k, best
    check_fit(offsets.shape[0] == choice.shape[0] + 1)
    with nogil:
        for i in range(choice.shape[0]):
            if not 0 <= offsets[i] <= offsets[i + 1] <= values.shape[0]:
                break
            best = offsets[i]
            for k in range(offsets[i] + 1, offsets[i + 1]):
                if values[k] < values[best]:
                    best = k
            choice[i] = best - offsets[i]


def random_choice(Game[::1] games not None, int64_t[::1] choice, const uint8_t[::1] wanted) -> None:
    """Per wanted game the number of a random play, drawn from its own stream."""
    cdef Py_ssize_t i, n = games.shape[0]
    check_fit(choice.shape[0] == n and wanted.shape[0] == n)
    with nogil:
        for i in range(n):
            if wanted[i]:
                choice[i] = 0
                if games[i].plays:
                    choice[i] = below(&games[i].choices, games[i].plays)


def add_noise(
    Game[::1] games not None, double[::1] values, const int64_t[::1] offsets, double scale
) -> None:
    """Add normal noise to the values of each game, drawn from its own stream."""
    cdef Py_ssize_t i
    cdef int64_t k
    cdef double radius
    check_fit(offsets.shape[0] == games.shape[0] + 1)
    with nogil:
        for i in range(games.shape[0]):
            if not 0 <= offsets[i] <= offsets[i + 1] <= values.shape[0]:
                break
            for k in range(offsets[i], offsets[i + 1]):
                radius = sqrt(-2 * log(1 - unit(&games[i].choices)))
                values[k] += scale * radius * cos(2 * pi * unit(&games[i].choices))


cdef inline int64_t plays_of(
    const Rules* rules, Game* game, Output* output, Stream* stream
) noexcept nogil:
    cdef Board board = load(rules, game.row)
    cdef Roll roll = roll_of_game(game)
    cdef int64_t plays = play_rest(rules, &board, game.row, &roll, output, stream)
    game.used = <int8_t> roll.used
    return plays


# To the end --------------------------------------------------------------------------------------

cdef void run_game(
    const Rules* rules, Game* game, const int* policies, const Weights* weights, int32_t limit,
    bint races,
) noexcept nogil:
    """Play on until the game is over or has to stop."""
    cdef int8_t[ROW] end
    cdef Board board
    cdef Roll roll
    cdef Output output
    cdef int64_t plays
    output.rows, output.steps, output.view, output.room = end, NULL, 1, 1
    while True:
        settle(rules, game, limit, races)
        if game.state != RUNNING:
            return
        throw_dice(rules, game)
        if policies[game.player & 1] == RANDOM:
            output.skip = output.written = 0
            plays = plays_of(rules, game, &output, &game.choices)
        else:
            board = load(rules, game.row)
            roll = roll_of_game(game)
            plays = write_best_play(rules, &board, game.row, &roll, weights, end)
            game.used = <int8_t> roll.used
        if plays == 0:
            flip_row(rules, end, game.row)
        make_play(rules, game, end)


def run(
    Engine engine not None, Game[::1] games not None, int first, int second,
    const int32_t[:, ::1] weights, int32_t limit, bint races,
) -> None:
    """Play every game to its end, to its limit of rolls, or to a home race if wanted.

    ``first`` and ``second`` are the policies of player 0 and 1, RANDOM or PIPS.
    """
    cdef Py_ssize_t i
    cdef int[2] policies = [first, second]
    check_fit(weights.shape[0] == WEIGHTS and weights.shape[1] == VALUES)
    with nogil:
        for i in range(games.shape[0]):
            run_game(
                &engine._rules, &games[i], policies, <const Weights*> &weights[0, 0], limit,
                races)


def known(
    Engine engine not None, const int8_t[:, ::1] rows, double[::1] values
) -> None:
    """Write the points of the mover over the values of rows whose game is decided."""
    cdef Py_ssize_t i
    cdef int points
    cdef Board board
    check_fit(values.shape[0] == rows.shape[0] and rows.shape[1] == ROW)
    with nogil:
        for i in range(rows.shape[0]):
            board = load(&engine._rules, &rows[i, 0])
            points = decided(&engine._rules, &board, &rows[i, 0])
            if points != UNDECIDED:
                values[i] = points


def scores(
    Engine engine not None, const int8_t[:, ::1] rows, const int32_t[:, ::1] weights,
    int32_t[::1] out,
) -> None:
    """The score of each row for its mover."""
    cdef Py_ssize_t i
    check_fit(weights.shape[0] == WEIGHTS and weights.shape[1] == VALUES)
    check_fit(out.shape[0] == rows.shape[0] and rows.shape[1] == ROW)
    with nogil:
        for i in range(rows.shape[0]):
            out[i] = score_of(
                <const Weights*> &weights[0, 0], is_apart(&engine._rules, &rows[i, 0]), &rows[i, 0])
