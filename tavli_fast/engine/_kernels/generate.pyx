"""Plays of one roll, each distinct end exactly once, in the order of ``docs/rows.md``.

Nothing is hashed or sorted. A double is a multiset of sources, walked from high to low: every end
has one such multiset. A mixed roll is a pair of sources, the higher die's and the lower die's; the
few ends that two pairs share are known in advance.

Two ways lead to the same plays: ``common_rolls.pxd`` serves the common rolls by masks alone,
``any_roll.pxd`` all the rest step by step. Both are specialised by contact when this module is
compiled.
"""

from libc.stdint cimport int8_t, int64_t, uint32_t
from libc.string cimport memset

from .board cimport Board
from .common_rolls cimport (
    Field, field_count, field_count_double, field_double, field_mixed, field_one_double,
    field_serves_double, field_serves_mixed,
)
from .rules cimport HIT, PIN, Rules
from .score cimport base_row
from .mover cimport (
    Contact, Free, Hit, Pin, Roll, Mover, roll_of, mover_of, walls_after_double, walls_after_mixed,
)
from .output cimport Output
from .streams cimport Stream, below
from .any_roll cimport CLASSES, Walk, all_candidates, survey


cdef inline void set_field(
    Field* field, const Rules* rules, const Board* board, const int8_t* row, Output* output,
    bint walls
) noexcept nogil:
    field.rules, field.board, field.row, field.output = rules, board, row, output
    field.start = mover_of(board, row)
    field.walls = walls


cdef int64_t field_mixed_count(
    Contact tag, Field* field, int high, int low
) noexcept nogil:
    """Number of plays of a mixed roll in the field."""
    cdef Output* output = field.output
    cdef Output counting
    if not field.walls:
        return field_count(field.rules, field.board, high, low)
    memset(&counting, 0, sizeof(Output))
    field.output = &counting
    field_mixed(tag, field, high, low)
    field.output = output
    return counting.written


cdef int64_t play_mixed(
    Contact tag, Field* field, int high, int low, Stream* stream
) noexcept nogil:
    """``play_roll`` of a mixed roll in the field; 0 when all plays were written."""
    cdef int64_t plays = 0
    if not field.output or stream:
        plays = field_mixed_count(tag, field, high, low)
        if not field.output or not plays:
            return plays
        field.output.skip = below(stream, <uint32_t> plays)
    base_row(field.rules, field.base, field.row, field.output.view)
    field_mixed(tag, field, high, low)
    return plays


cdef int64_t play_double(
    Contact tag, Field* field, Roll* roll, Stream* stream
) noexcept nogil:
    """``play_roll`` of a double in the field, where no wall can stand at the end."""
    cdef Mover mover = field.start
    cdef int die = roll.die1
    cdef int64_t plays = field_count_double(
        tag, field.rules, field.board, &mover, die, &roll.used)
    if not field.output or not plays:
        return plays
    if stream:
        field.output.skip = below(stream, <uint32_t> plays)
    base_row(field.rules, field.base, field.row, field.output.view)
    if stream:
        field_one_double(tag, field, die, roll.used)
    else:
        field_double(tag, field, die, roll.used)
    return plays


cdef int64_t play_roll(
    Contact tag, const Rules* rules, const Board* board, const int8_t* row, Roll* roll,
    Output* output, Stream* stream,
) noexcept nogil:
    """Count the plays (no sink), write all (no stream), or count them and write a random one."""
    cdef int64_t[CLASSES][2] found
    cdef int64_t plays
    cdef int die1 = roll.die1, die2 = roll.die2
    cdef Walk walk
    cdef Field field
    cdef bint walls = False
    if die1 != die2:
        if field_serves_mixed(rules, board, row):
            if Contact is Free:
                walls = walls_after_mixed(rules, board, row, die1, die2)
            set_field(&field, rules, board, row, output, walls)
            return play_mixed(tag, &field, max(die1, die2), min(die1, die2), stream)
    elif roll.steps == 4:
        set_field(&field, rules, board, row, output, False)
        if field_serves_double(rules, &field.start, board, row) and not walls_after_double(
            rules, board, row, die1
        ):
            return play_double(tag, &field, roll, stream)
    plays = survey(tag, &walk, found, rules, board, row, roll)
    if not output or not plays:
        return plays
    if stream:
        output.skip = below(stream, <uint32_t> plays)
    walk.output = output
    base_row(rules, walk.rows[0], row, output.view)
    all_candidates(tag, &walk, die1, die2)
    return plays


cdef inline int64_t play_any(
    const Rules* rules, const Board* board, const int8_t* row, Roll* roll, Output* output,
    Stream* stream,
) noexcept nogil:
    """``play_roll`` by the contact of the rules."""
    cdef Hit hit = Hit(0)
    cdef Pin pin = Pin(0)
    cdef Free free = Free(0)
    if rules.contact == HIT:
        return play_roll(hit, rules, board, row, roll, output, stream)
    if rules.contact == PIN:
        return play_roll(pin, rules, board, row, roll, output, stream)
    return play_roll(free, rules, board, row, roll, output, stream)


cdef int64_t count_plays(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2
) noexcept nogil:
    """Number of distinct plays of a roll on a row whose game goes on; 0 is a pass."""
    cdef Roll roll
    # the commonest case here: the large frame of play_roll would make it a third slower
    if (
        die1 != die2 and field_serves_mixed(rules, board, row)
        and not walls_after_mixed(rules, board, row, die1, die2)
    ):
        return field_count(rules, board, max(die1, die2), min(die1, die2))
    roll = roll_of(die1, die2)
    return play_any(rules, board, row, &roll, NULL, NULL)


cdef void write_plays(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2, Output* output
) noexcept nogil:
    """Append the plays of a roll to the sink, as far as there is room; nothing for a pass."""
    cdef Roll roll = roll_of(die1, die2)
    play_any(rules, board, row, &roll, output, NULL)


cdef int64_t write_random_play(
    const Rules* rules, const Board* board, const int8_t* row, int die1, int die2, Output* output,
    Stream* stream,
) noexcept nogil:
    """Append one play, each as likely, and return how many there are; nothing for a pass."""
    cdef Roll roll = roll_of(die1, die2)
    return play_any(rules, board, row, &roll, output, stream)


cdef int64_t play_rest(
    const Rules* rules, const Board* board, const int8_t* row, Roll* roll, Output* output,
    Stream* stream,
) noexcept nogil:
    """Plays of a roll or of the rest of a stage, and how many of the steps they make.

    Without a sink they are counted, with a stream a random one is written, otherwise all.
    """
    return play_any(rules, board, row, roll, output, stream)
