"""Rules as data: every switch, once, with all there is to say about it.

A switch is a field of :class:`Rules`: its name, default, values with their meanings, the values of
other switches it needs, and what it means for races. Everything else reads it from here. What each
switch does is said at length in ``docs/rules.md`` section 3.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any, NamedTuple

from ..errors import RuleConflict

Value = str | int
Needs = Mapping[str, tuple[Value, ...]]  # another switch -> its values that go with a value

_PINS: Needs = {"contact": ("pin",)}
_NO_CONTACT: Needs = {"contact": ("none",)}
_NO_CONTACT_PARALLEL: Needs = {"contact": ("none",), "direction": ("parallel",)}


class Switch(NamedTuple):
    """One rule that games of the family differ in.

    Attributes
    ----------
    about : str
    values : dict
        Each value with its meaning; the first is the base value.
    bears_off : bool
        Whether bear-off tables depend on it (``docs/races.md``).
    needs : dict
        For a value: the values of other switches that go with it.
    only_with : (str, str, Value) or None
        The switch has an effect only while another one ``"is"`` or is ``"not"`` at a value.
    no_race_value : dict
        Values with which races have no exact value, each with the reason.
    """

    about: str
    values: dict[Value, str]
    bears_off: bool
    needs: Mapping[Value, Needs]
    only_with: tuple[str, str, Value] | None
    no_race_value: Mapping[Value, str]


def _switch(
    about: str,
    values: dict[Value, str],
    *,
    bears_off: bool,
    needs: Mapping[Value, Needs] | None = None,
    only_with: tuple[str, str, Value] | None = None,
    no_race_value: Mapping[Value, str] | None = None,
    default: Value | None = None,
) -> Any:
    """A field of ``Rules``; its default is the base value unless given."""
    switch = Switch(about, values, bears_off, needs or {}, only_with, no_race_value or {})
    base = next(iter(values)) if default is None else default
    return field(default=base, metadata={"switch": switch})


@dataclass(frozen=True)
class Rules:
    """The switch values of one game, checked; see ``docs/rules.md`` section 3.

    Raises
    ------
    RuleConflict
        If a value does not exist or two values exclude each other.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> tavli.variant("fevga").rules.runner
    'past_opp_start'
    """

    layout: str = _switch(
        "where the checkers start",
        {"stack24": "all 15 on 24", "standard": "24x2 13x5 8x3 6x5"},
        bears_off=False,
        needs={"standard": {"direction": ("contrary",)}},
    )
    direction: str = _switch(
        "how the two paths lie",
        {
            "contrary": "my p is the opponent's 25 - p",
            "parallel": "my p is the opponent's p + 12 or p - 12",
        },
        bears_off=False,
    )
    contact: str = _switch(
        "what a lone opposing checker suffers",
        {"hit": "is sent to the bar", "pin": "is trapped underneath", "none": "cannot be touched"},
        bears_off=False,
        needs={"pin": {"direction": ("contrary",)}},
    )
    opening: str = _switch(
        "dice of the first turn",
        {
            "reroll_both": "the winner of the one-die throw throws both dice again",
            "use_opening_dice": "the two numbers thrown are played, never a double",
        },
        bears_off=False,
    )
    doubles: str = _switch(
        "what a double is worth",
        {"four": "four steps", "cascade": "four steps of it and of every higher number"},
        bears_off=True,
    )
    cascade_grace: int = _switch(
        "ordinary doubles before cascades",
        {3: "the first 3 rolls of each player", 0: "none, cascades from the first roll"},
        bears_off=False,
        only_with=("doubles", "is", "cascade"),
    )
    unplayed: str = _switch(
        "what a cascade leaves unplayed",
        {"lost": "is lost", "opponent_plays": "is played by the opponent"},
        bears_off=False,
        only_with=("doubles", "is", "cascade"),
        no_race_value={"opponent_plays": "one side plays what the other's cascades leave"},
    )
    single_die: str = _switch(
        "when only one die of a mixed roll can be played",
        {"higher": "the higher one if it can be", "either": "any of the two"},
        bears_off=True,
    )
    runner: str = _switch(
        "the foremost checker goes first until it",
        {
            "none": "no such rule",
            "past_opp_start": "stands on 11 or lower, past the opponent's start corner",
            "in_opp_quarter": "stands on 12 or lower, in the opponent's start quarter",
            "in_own_home": "stands on 6 or lower, at home",
        },
        bears_off=False,
        needs={
            "past_opp_start": _NO_CONTACT_PARALLEL,
            "in_opp_quarter": _NO_CONTACT_PARALLEL,
            "in_own_home": _NO_CONTACT,
        },
    )
    head_limit: str = _switch(
        "checkers that may leave 24 in a turn",
        {"none": "any number", "one": "one"},
        bears_off=False,
        needs={"one": _NO_CONTACT},
    )
    head_exception: str = _switch(
        "two may leave the head on a first turn with",
        {
            "none": "no roll",
            "664433": "6-6, 4-4 and 3-3",
            "6644": "6-6 and 4-4",
            "any_double": "any double",
            "when_blocked": "any roll that one head checker cannot play in full",
        },
        bears_off=False,
        only_with=("head_limit", "not", "none"),
    )
    wall_own_quarter: str = _switch(
        "all of 24-19 held",
        {"free": "allowed", "forbidden": "forbidden"},
        bears_off=False,
        needs={"forbidden": _NO_CONTACT},
    )
    wall_opp_zone: str = _switch(
        "walls in the opponent's start quarter",
        {
            "free": "allowed",
            "not_quarter": "never all of 12-7",
            "not_front": "never all of 11-6",
            "max4": "at most four of the points 12-7",
        },
        bears_off=False,
        needs={
            "not_quarter": _NO_CONTACT_PARALLEL,
            "not_front": _NO_CONTACT_PARALLEL,
            "max4": _NO_CONTACT_PARALLEL,
        },
    )
    wall_six: str = _switch(
        "six points in a row on the opponent's path",
        {
            "free": "allowed",
            "needs_enemy_ahead": "only while an opposing checker is ahead of them",
            "never": "forbidden",
            "needs_own_1_and_2": "only while the own points 1 and 2 are held",
        },
        bears_off=False,
        needs={
            "needs_enemy_ahead": _NO_CONTACT,
            "never": _NO_CONTACT,
            "needs_own_1_and_2": _NO_CONTACT,
        },
        no_race_value={"never": "it forbids plays that leave all six home points held"},
    )
    total_block: str = _switch(
        "leaving the opponent totally blocked",
        {
            "free": "allowed",
            "must_open_next": "must be opened at the next turn where possible",
            "forbidden": "forbidden where another play exists",
        },
        bears_off=False,
        needs={"must_open_next": _NO_CONTACT, "forbidden": _NO_CONTACT},
    )
    block_trigger: str = _switch(
        "totally blocked means",
        {
            "all15_behind_wall": "all 15 on one point, a wall on the six points in front",
            "no_number_playable": "no legal step with any number",
        },
        bears_off=False,
        only_with=("total_block", "not", "free"),
    )
    wall_test: str = _switch(
        "when walls are tested",
        {"end_of_turn": "at the end of the turn", "each_step": "after every step"},
        bears_off=False,
    )
    hit_and_run_home: str = _switch(
        "hitting at home and moving on in the same turn",
        {"allowed": "allowed", "forbidden": "forbidden"},
        bears_off=False,
        needs={"forbidden": {"contact": ("hit",)}},
    )
    pinned_home_blocks_off: str = _switch(
        "an own checker pinned at home stops bearing off",
        {"no": "no, it counts as home", "yes": "yes, any pinned checker does"},
        bears_off=False,
        needs={"yes": _PINS},
    )
    overshoot: str = _switch(
        "bearing off with a larger number",
        {"rearmost": "takes the rearmost checker", "never": "not allowed, exact numbers only"},
        bears_off=True,
    )
    inside_moves: str = _switch(
        "steps inside home once all are home",
        {"free": "allowed", "never": "not allowed"},
        bears_off=True,
    )
    mother: str = _switch(
        "the last checker on 24 pinned",
        {
            "with_exception": "loses 2 once the other side has left its own 24",
            "immediate": "loses 2 at once",
            "draw_only": "counts only when both are: a void game",
            "none": "nothing special",
        },
        bears_off=False,
        needs={
            "with_exception": _PINS,
            "immediate": _PINS,
            "draw_only": _PINS,
        },
        default="none",
    )
    backgammon: str = _switch(
        "triple wins",
        {"no": "no", "yes": "3 when the loser is on the bar or in the winner's home"},
        bears_off=False,
        needs={"yes": {"score_by": ("points",)}},
    )
    score_by: str = _switch(
        "what a win is worth",
        {"points": "1, or 2 when the loser has none off", "enemy_checkers_left": "a point each"},
        bears_off=False,
    )
    balancing_turn: str = _switch(
        "one more turn for the second player",
        {
            "none": "no",
            "second_player": "after the first player bears off",
            "second_player_if_14_off": "the same, if that player has 14 off",
        },
        bears_off=False,
        no_race_value={
            "second_player": "who began decides who has a turn more",
            "second_player_if_14_off": "who began decides who has a turn more",
        },
    )
    next_starter: str = _switch(
        "who starts the next game of a match",
        {"winner": "the winner", "roll": "a one-die throw decides"},
        bears_off=False,
    )

    def __post_init__(self) -> None:
        for name, value in self.items():
            check_switch(name, value)
        for name, value in self.items():
            for other, allowed in SWITCHES[name].needs.get(value, {}).items():
                found = getattr(self, other)
                if found not in allowed:
                    raise RuleConflict(
                        f"{name}={value} does not go with {other}={found}: change one of them"
                    )

    def items(self) -> list[tuple[str, Value]]:
        """Switch names and values, in the order of ``docs/rules.md`` section 3.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> tavli.variant("plakoto").rules.items()[2]
        ('contact', 'pin')
        """
        return [(f.name, getattr(self, f.name)) for f in fields(self)]

    def changes(self, base: "Rules") -> dict[str, Value]:
        """The switches that differ from other rules, with their values here.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> portes = tavli.variant("portes").rules
        >>> tavli.variant("tavla").rules.changes(portes)
        {'hit_and_run_home': 'forbidden'}
        """
        return {name: value for name, value in self.items() if value != getattr(base, name)}

    def in_force(self, name: str) -> bool:
        """Whether a switch has an effect: some only detail another one, which may be off.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> tavli.variant("portes").rules.in_force("unplayed")
        False
        """
        only_with = SWITCHES[name].only_with
        if only_with is None:
            return True
        other, relation, value = only_with
        equal: bool = getattr(self, other) == value
        return equal == (relation == "is")


SWITCHES: dict[str, Switch] = {f.name: f.metadata["switch"] for f in fields(Rules)}


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
