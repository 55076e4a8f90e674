"""One running game: its position, dice and all that no single position tells.

The same rules as ``Game`` in ``game.py``, in the same order; a game of a seed and a number meets
the same dice in both.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t

from .rules cimport ROW, Rules
from .mover cimport Roll
from .streams cimport Stream

cdef enum:
    RUNNING
    OVER
    TRUNCATED                # before the roll that would be one too many
    RACE                     # at the beginning of a race that can be looked up

# Laid out like GAME of live.py.
cdef struct Game:
    int8_t[ROW] row          # seen by the player on turn
    Stream dice
    Stream choices           # what policies draw, apart from the dice
    uint64_t number
    int32_t[2] rolls         # of either player, for the grace of cascades
    int32_t plies            # rolls thrown since the game was set up
    int32_t plays            # of the roll, when they are counted; 0 is a pass
    int8_t player, starter
    int8_t die1, die2        # 0 before the throw
    int8_t steps, used       # what a double is worth, and how much of it its plays make
    int8_t stage             # part of a cascade
    int8_t inherited         # the stage was left by the opponent
    int8_t balancing         # the starter is off; this is the last turn
    int8_t state             # one of the above
    int8_t points            # of player 0 when over
    int8_t[2] fixed          # pairs of dice thrown next instead of the stream's, from 1; 0 is none


cdef inline Roll roll_of_game(const Game* game) noexcept nogil:
    cdef Roll roll
    roll.die1, roll.die2, roll.steps, roll.used = game.die1, game.die2, game.steps, game.used
    return roll


cdef void begin_game(
    const Rules* rules, Game* game, const int8_t* start, uint64_t seed, uint64_t number
) noexcept nogil

cdef void throw_dice(const Rules* rules, Game* game) noexcept nogil

cdef void make_play(const Rules* rules, Game* game, const int8_t* end) noexcept nogil
