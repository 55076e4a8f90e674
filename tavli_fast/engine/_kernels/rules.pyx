"""Builds the kernels' struct of rules from switch codes."""

from libc.string cimport memset

# The switches in the order of rules.py, with the values the code below tells apart, in order.
SWITCH_VALUES = {
    "layout": ("stack24", "standard"),
    "direction": ("contrary", "parallel"),
    "contact": ("hit", "pin", "none"),
    "opening": ("reroll_both", "use_opening_dice"),
    "doubles": ("four", "cascade"),
    "cascade_grace": (3, 0),
    "unplayed": ("lost", "opponent_plays"),
    "single_die": ("higher", "either"),
    "runner": ("none", "past_opp_start", "in_opp_quarter", "in_own_home"),
    "head_limit": ("none", "one"),
    "head_exception": ("none", "664433", "6644", "any_double", "when_blocked"),
    "wall_own_quarter": ("free", "forbidden"),
    "wall_opp_zone": ("free", "not_quarter", "not_front", "max4"),
    "wall_six": ("free", "needs_enemy_ahead", "never", "needs_own_1_and_2"),
    "total_block": ("free", "must_open_next", "forbidden"),
    "block_trigger": ("all15_behind_wall", "no_number_playable"),
    "wall_test": ("end_of_turn", "each_step"),
    "hit_and_run_home": ("allowed", "forbidden"),
    "pinned_home_blocks_off": ("no", "yes"),
    "overshoot": ("rearmost", "never"),
    "inside_moves": ("free", "never"),
    "mother": ("with_exception", "immediate", "draw_only", "none"),
    "backgammon": ("no", "yes"),
    "score_by": ("points", "enemy_checkers_left"),
    "balancing_turn": ("none", "second_player", "second_player_if_14_off"),
    "next_starter": ("winner", "roll"),
}

# Indices into the codes, in the same order.
cdef enum:
    LAYOUT
    DIRECTION
    CONTACT
    OPENING
    DOUBLES
    CASCADE_GRACE
    UNPLAYED
    SINGLE_DIE
    RUNNER
    HEAD_LIMIT
    HEAD_EXCEPTION
    WALL_OWN_QUARTER
    WALL_OPP_ZONE
    WALL_SIX
    TOTAL_BLOCK
    BLOCK_TRIGGER
    WALL_TEST
    HIT_AND_RUN_HOME
    PINNED_HOME_BLOCKS_OFF
    OVERSHOOT
    INSIDE_MOVES
    MOTHER
    BACKGAMMON
    SCORE_BY
    BALANCING_TURN

cdef enum:
    WHEN_BLOCKED = 4         # of head_exception

cdef int[4] FREED_AT = [24, 11, 12, 6]  # runner: freed by a checker on this point or lower
cdef int[2] GRACES = [3, 0]
cdef uint32_t[5] HEAD_DOUBLES = [0, 1 << 6 | 1 << 4 | 1 << 3, 1 << 6 | 1 << 4, 0x7E, 0]


cdef int build(Rules* rules, const int* codes) except -1:
    """Fill the struct from one code a switch, in the order of ``SWITCH_VALUES``."""
    memset(rules, 0, sizeof(Rules))
    rules.contact = codes[CONTACT]
    rules.parallel = codes[DIRECTION]
    rules.either_die = codes[SINGLE_DIE]
    rules.locked = 0x01FFFFFE & ~((<uint32_t> 2 << FREED_AT[codes[RUNNER]]) - 1)
    rules.head_one = codes[HEAD_LIMIT]
    if rules.head_one:
        rules.head_doubles = HEAD_DOUBLES[codes[HEAD_EXCEPTION]]
        rules.head_when_blocked = codes[HEAD_EXCEPTION] == WHEN_BLOCKED
    rules.wall_own_quarter = codes[WALL_OWN_QUARTER]
    rules.wall_opp_zone = codes[WALL_OPP_ZONE]
    rules.wall_six = codes[WALL_SIX]
    rules.walls = rules.wall_own_quarter or rules.wall_opp_zone or rules.wall_six
    rules.total_block = codes[TOTAL_BLOCK]
    rules.no_number_playable = codes[BLOCK_TRIGGER]
    rules.each_step = rules.walls and codes[WALL_TEST]
    rules.hit_and_run_forbidden = codes[HIT_AND_RUN_HOME]
    rules.pinned_blocks_off = codes[PINNED_HOME_BLOCKS_OFF]
    rules.exact_off = codes[OVERSHOOT]
    rules.no_inside_moves = codes[INSIDE_MOVES]
    rules.unordered = rules.no_inside_moves or rules.each_step
    rules.plain = not (rules.unordered or rules.hit_and_run_forbidden)
    rules.simple = rules.plain and not (
        rules.locked or rules.head_one or rules.total_block
    )
    rules.mother = codes[MOTHER]
    rules.triple = codes[BACKGAMMON]
    rules.checkers_left = codes[SCORE_BY]
    rules.cascade = codes[DOUBLES]
    rules.cascade_grace = GRACES[codes[CASCADE_GRACE]]
    rules.opponent_plays = codes[UNPLAYED]
    rules.opening_dice = codes[OPENING]
    rules.balancing = codes[BALANCING_TURN]
    build_deltas(rules)
    return 0


cdef void build_deltas(Rules* rules) noexcept:
    cdef int special, die, source
    for special in range(SPECIALS):
        for die in range(1, DICE):
            for source in range(1, SOURCES):
                build_delta(rules, special, die, source)


cdef void build_delta(Rules* rules, int special, int die, int source) noexcept:
    """One step seen by the mover, and the same seen by the next player."""
    cdef int8_t* mover = rules.delta[0][special][die][source]
    cdef int8_t* flipped = rules.delta[1][special][die][source]
    cdef int target = source - die
    cdef int point, pin
    mover[source] -= 1
    if special & FREES and source <= 24:
        mover[source] -= 1                  # mine by one becomes his by one
        for pin in range(2):
            add_pin(rules.delta[pin][special][die][source], seen(rules, source, pin), -1)
    if target < 1:
        mover[26] += 1
    else:
        mover[target] += 1
        if special & TAKES:
            mover[target] += 1              # his by one becomes mine by one
            if rules.contact == PIN:
                for pin in range(2):
                    add_pin(rules.delta[pin][special][die][source], seen(rules, target, pin), 1)
            else:
                mover[0] += 1
    for point in range(1, 25):
        flipped[seen(rules, point, 1)] = -mover[point]
    flipped[0], flipped[25] = mover[25], mover[0]
    flipped[26], flipped[27] = mover[27], mover[26]


cdef int seen(const Rules* rules, int point, int view) noexcept:
    """The number a point has in a view: the mover's (0) or the next player's (1)."""
    if view == 0:
        return point
    if not rules.parallel:
        return 25 - point
    return point + 12 if point <= 12 else point - 12


cdef void add_pin(int8_t* delta, int point, int sign) noexcept:
    """Set (+1) or clear (-1) the pin bit of a point by addition: its byte never carries over."""
    cdef int byte = 28 + point // 8
    delta[byte] = <int8_t> (delta[byte] + sign * (1 << point % 8))
