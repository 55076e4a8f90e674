"""The rules as the kernels see them: a small struct of codes, and the table of step deltas."""

from libc.stdint cimport int8_t, uint32_t

cdef enum:
    SPECIALS = 4       # a step may take a blot where it lands, free a pin where it leaves, or both
    TAKES = 1
    FREES = 2
    DICE = 7           # dice 1-6 index directly
    SOURCES = 26       # points 1-24 and the bar, 25
    ROW = 32
    COUNTS = 28        # bytes of a row before the pin mask

# A code is the index of the value in SWITCHES of rules.py; the tests compare the two.
cdef enum:
    HIT
    PIN
    FREE               # contact=none

cdef enum:
    WALL_OPP_FREE
    NOT_QUARTER
    NOT_FRONT
    MAX4

cdef enum:
    WALL_SIX_FREE
    NEEDS_ENEMY_AHEAD
    NEVER
    NEEDS_OWN_1_AND_2

cdef enum:
    BLOCK_FREE
    MUST_OPEN_NEXT
    BLOCK_FORBIDDEN

cdef enum:
    WITH_EXCEPTION
    IMMEDIATE
    DRAW_ONLY
    NO_MOTHER

cdef enum:
    NO_BALANCING
    SECOND_PLAYER
    SECOND_PLAYER_IF_14_OFF

cdef struct Rules:
    int contact
    bint parallel
    bint either_die             # single_die = either
    uint32_t locked             # points above the one that frees the runner; 0 without the rule
    bint head_one               # head_limit = one
    uint32_t head_doubles       # bit d: the double d lets two leave the head on the first turn
    bint head_when_blocked
    bint wall_own_quarter
    int wall_opp_zone
    int wall_six
    bint walls                  # any of the three wall rules
    int total_block
    bint no_number_playable     # block_trigger
    bint each_step              # wall_test, where a wall rule is on
    bint hit_and_run_forbidden
    bint pinned_blocks_off
    bint exact_off              # overshoot = never
    bint no_inside_moves
    bint unordered              # doubles: the order of the steps matters (inside moves, each step)
    bint plain                  # no rule about single steps but runner and head
    bint simple                 # nor those two, nor a duty to open
    int mother
    bint triple                 # backgammon = yes
    bint checkers_left          # score_by = enemy_checkers_left
    bint cascade                # doubles = cascade
    int cascade_grace
    bint opponent_plays         # unplayed = opponent_plays
    bint opening_dice           # opening = use_opening_dice
    int balancing
    # [view: mover, next player][special][die][source]: what the step adds to the row
    int8_t delta[2][SPECIALS][DICE][SOURCES][ROW]

cdef int build(Rules* rules, const int* codes) except -1
