"""Rules as data: every switch with its values, every preset, and which values exclude each other.

The one place in Python where switches, values and presets are written down. It knows nothing of
rows or engines.
What each switch does is said at length in ``docs/rules.md`` section 3, the presets in section 8.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import NamedTuple

from ..errors import RuleConflict

Value = str | int


class Switch(NamedTuple):
    """One rule that games of the family differ in."""

    about: str
    values: dict[Value, str]  # value -> meaning; the first is the base value


SWITCHES: dict[str, Switch] = {
    "layout": Switch(
        "where the checkers start",
        {"stack24": "all 15 on 24", "standard": "24x2 13x5 8x3 6x5"},
    ),
    "direction": Switch(
        "how the two paths lie",
        {"contrary": "my p is his 25 - p", "parallel": "my p is his p + 12 or p - 12"},
    ),
    "contact": Switch(
        "what a lone opposing checker suffers",
        {"hit": "is sent to the bar", "pin": "is trapped underneath", "none": "cannot be touched"},
    ),
    "opening": Switch(
        "dice of the first turn",
        {
            "reroll_both": "the winner of the one-die throw throws both dice again",
            "use_opening_dice": "the two numbers thrown are played, never a double",
        },
    ),
    "doubles": Switch(
        "what a double is worth",
        {"four": "four steps", "cascade": "four steps of it and of every higher number"},
    ),
    "cascade_grace": Switch(
        "ordinary doubles before cascades",
        {3: "the first 3 rolls of each player", 0: "none, cascades from the first roll"},
    ),
    "unplayed": Switch(
        "what a cascade leaves unplayed",
        {"lost": "is lost", "opponent_plays": "is played by the opponent"},
    ),
    "single_die": Switch(
        "when only one die of a mixed roll can be played",
        {"higher": "the higher one if it can be", "either": "any of the two"},
    ),
    "runner": Switch(
        "the foremost checker goes first until it",
        {
            "none": "no such rule",
            "past_opp_start": "stands on 11 or lower, past the opponent's start corner",
            "in_opp_quarter": "stands on 12 or lower, in the opponent's start quarter",
            "in_own_home": "stands on 6 or lower, at home",
        },
    ),
    "head_limit": Switch(
        "checkers that may leave 24 in a turn",
        {"none": "any number", "one": "one"},
    ),
    "head_exception": Switch(
        "two may leave the head on a first turn with",
        {
            "none": "no roll",
            "664433": "6-6, 4-4 and 3-3",
            "6644": "6-6 and 4-4",
            "any_double": "any double",
            "when_blocked": "any roll that one head checker cannot play in full",
        },
    ),
    "wall_own_quarter": Switch(
        "all of 24-19 held",
        {"free": "allowed", "forbidden": "forbidden"},
    ),
    "wall_opp_zone": Switch(
        "walls in the opponent's start quarter",
        {
            "free": "allowed",
            "not_quarter": "never all of 12-7",
            "not_front": "never all of 11-6",
            "max4": "at most four of the points 12-7",
        },
    ),
    "wall_six": Switch(
        "six points in a row on the opponent's path",
        {
            "free": "allowed",
            "needs_enemy_ahead": "only while an opposing checker is ahead of them",
            "never": "forbidden",
            "needs_own_1_and_2": "only while the own points 1 and 2 are held",
        },
    ),
    "total_block": Switch(
        "leaving the opponent totally blocked",
        {
            "free": "allowed",
            "must_open_next": "must be opened at the next turn where possible",
            "forbidden": "forbidden where another play exists",
        },
    ),
    "block_trigger": Switch(
        "totally blocked means",
        {
            "all15_behind_wall": "all 15 on one point, a wall on the six points in front",
            "no_number_playable": "no legal step with any number",
        },
    ),
    "wall_test": Switch(
        "when walls are tested",
        {"end_of_turn": "at the end of the turn", "each_step": "after every step"},
    ),
    "hit_and_run_home": Switch(
        "hitting at home and moving on in the same turn",
        {"allowed": "allowed", "forbidden": "forbidden"},
    ),
    "pinned_home_blocks_off": Switch(
        "an own checker pinned at home stops bearing off",
        {"no": "no, it counts as home", "yes": "yes, any pinned checker does"},
    ),
    "overshoot": Switch(
        "bearing off with a larger number",
        {"rearmost": "takes the rearmost checker", "never": "not allowed, exact numbers only"},
    ),
    "inside_moves": Switch(
        "steps inside home once all are home",
        {"free": "allowed", "never": "not allowed"},
    ),
    "mother": Switch(
        "the last checker on 24 pinned",
        {
            "with_exception": "loses 2 once the other side has left its own 24",
            "immediate": "loses 2 at once",
            "draw_only": "counts only when both are: a void game",
            "none": "nothing special",
        },
    ),
    "backgammon": Switch(
        "triple wins",
        {"no": "no", "yes": "3 when the loser is on the bar or in the winner's home"},
    ),
    "score_by": Switch(
        "what a win is worth",
        {"points": "1, or 2 when the loser has none off", "enemy_checkers_left": "a point each"},
    ),
    "balancing_turn": Switch(
        "one more turn for the second player",
        {
            "none": "no",
            "second_player": "after the first player bears off",
            "second_player_if_14_off": "the same, if he has 14 off",
        },
    ),
    "next_starter": Switch(
        "who starts the next game of a match",
        {"winner": "the winner", "roll": "a one-die throw decides"},
    ),
}


@dataclass(frozen=True)
class Rules:
    """The switch values of one game, checked; see ``docs/rules.md`` section 3.

    Raises
    ------
    RuleConflict
        When a value does not exist or two values exclude each other.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> tavli.variant("fevga").rules.runner
    'past_opp_start'
    """

    layout: str = "stack24"
    direction: str = "contrary"
    contact: str = "hit"
    opening: str = "reroll_both"
    doubles: str = "four"
    cascade_grace: int = 3
    unplayed: str = "lost"
    single_die: str = "higher"
    runner: str = "none"
    head_limit: str = "none"
    head_exception: str = "none"
    wall_own_quarter: str = "free"
    wall_opp_zone: str = "free"
    wall_six: str = "free"
    total_block: str = "free"
    block_trigger: str = "all15_behind_wall"
    wall_test: str = "end_of_turn"
    hit_and_run_home: str = "allowed"
    pinned_home_blocks_off: str = "no"
    overshoot: str = "rearmost"
    inside_moves: str = "free"
    mother: str = "none"
    backgammon: str = "no"
    score_by: str = "points"
    balancing_turn: str = "none"
    next_starter: str = "winner"

    def __post_init__(self) -> None:
        for name, value in self.items():
            check_switch(name, value)
        for first, second in CONFLICTS:
            if self._has(first) and self._has(second):
                raise RuleConflict(
                    f"{self._said(first)} does not go with {self._said(second)}: change one of them"
                )

    def _has(self, condition: "Condition") -> bool:
        return getattr(self, condition[0]) in condition[1]

    def _said(self, condition: "Condition") -> str:
        return f"{condition[0]}={getattr(self, condition[0])}"

    def items(self) -> list[tuple[str, Value]]:
        """Switch names and values, in the order of ``docs/rules.md`` section 3.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> tavli.variant("plakoto").rules.items()[2]
        ('contact', 'pin')
        """
        return [(f.name, getattr(self, f.name)) for f in fields(self)]


Condition = tuple[str, tuple[Value, ...]]


def _other(name: str, *but: Value) -> Condition:
    """A switch at any value except those named."""
    return name, tuple(v for v in SWITCHES[name].values if v not in but)


_TOUCHING: Condition = _other("contact", "none")
_NOT_PIN: Condition = _other("contact", "pin")

CONFLICTS: list[tuple[Condition, Condition]] = [
    (("contact", ("pin",)), ("direction", ("parallel",))),
    (("layout", ("standard",)), ("direction", ("parallel",))),
    (_other("mother", "none"), _NOT_PIN),
    (("pinned_home_blocks_off", ("yes",)), _NOT_PIN),
    (("hit_and_run_home", ("forbidden",)), _other("contact", "hit")),
    (_other("runner", "none"), _TOUCHING),
    (_other("head_limit", "none"), _TOUCHING),
    (_other("total_block", "free"), _TOUCHING),
    (_other("wall_own_quarter", "free"), _TOUCHING),
    (_other("wall_opp_zone", "free"), _TOUCHING),
    (_other("wall_six", "free"), _TOUCHING),
    (("runner", ("past_opp_start", "in_opp_quarter")), ("direction", ("contrary",))),
    (_other("wall_opp_zone", "free"), ("direction", ("contrary",))),
    (("backgammon", ("yes",)), ("score_by", ("enemy_checkers_left",))),
]


def check_switch(name: str, value: Value) -> None:
    """Refuse a switch or a value that does not exist.

    Raises
    ------
    RuleConflict
        Names what was given and what exists.

    Examples
    --------
    >>> from tavli_fast.rules.switches import check_switch
    >>> check_switch("contact", "pin")
    """
    if name not in SWITCHES:
        raise RuleConflict(f"there is no switch {name!r}{hint(name, SWITCHES)}")
    values = SWITCHES[name].values
    # 3 == 3.0 == True + 2 in Python: the type is part of the value
    if not any(type(value) is type(v) and value == v for v in values):
        allowed = ", ".join(repr(v) for v in values)
        raise RuleConflict(f"{name}={value!r} does not exist; {name} is one of {allowed}")


def hint(name: str, known: Mapping[str, object]) -> str:
    close = get_close_matches(name, known, n=1)
    return f", did you mean {close[0]!r}?" if close else ""
