"""Presets: named sets of switch values (``docs/rules.md`` section 8)."""

from collections.abc import Mapping
from dataclasses import replace

from ..errors import UnknownVariant
from .switches import Rules, Value, check_switch, hint

# name -> (preset it builds on or None, values that differ from it); docs/rules.md section 8
PRESETS: dict[str, tuple[str | None, dict[str, Value]]] = {
    "portes": (None, {"layout": "standard", "direction": "contrary", "contact": "hit"}),
    "portes_kafenio": ("portes", {"single_die": "either"}),
    "tavla": ("portes", {"hit_and_run_home": "forbidden"}),
    "backgammon": (
        "portes",
        {"opening": "use_opening_dice", "backgammon": "yes", "next_starter": "roll"},
    ),
    "plakoto": (None, {"direction": "contrary", "contact": "pin", "mother": "with_exception"}),
    "plakoto_kafenio": ("plakoto", {"single_die": "either"}),
    "plakoto_mamoun": ("plakoto", {"pinned_home_blocks_off": "yes"}),
    "tapa": ("plakoto", {}),
    "mahbusa": ("plakoto", {}),
    "mahbusa_31": ("plakoto", {"mother": "none", "score_by": "enemy_checkers_left"}),
    "fevga": (
        None,
        {
            "direction": "parallel",
            "contact": "none",
            "runner": "past_opp_start",
            "wall_own_quarter": "forbidden",
            "total_block": "must_open_next",
            "block_trigger": "all15_behind_wall",
        },
    ),
    "fevga_wikipedia": (
        "fevga",
        {"wall_opp_zone": "not_quarter", "block_trigger": "no_number_playable"},
    ),
    "fevga_nardgg": (
        "fevga",
        {
            "opening": "use_opening_dice",
            "runner": "in_opp_quarter",
            "wall_opp_zone": "not_front",
            "total_block": "forbidden",
            "block_trigger": "no_number_playable",
            "next_starter": "roll",
        },
    ),
    "fevga_free": ("fevga", {"wall_own_quarter": "free", "total_block": "free"}),
    "moultezim": (
        "fevga",
        {
            "wall_own_quarter": "free",
            "wall_opp_zone": "max4",
            "total_block": "free",
            "next_starter": "roll",
        },
    ),
    "moultezim_free": ("moultezim", {"wall_opp_zone": "free"}),
    "narde": (
        None,
        {
            "direction": "parallel",
            "contact": "none",
            "head_limit": "one",
            "head_exception": "664433",
            "wall_six": "needs_enemy_ahead",
        },
    ),
    "narde_balanced": ("narde", {"balancing_turn": "second_player"}),
    "sesbes": ("narde", {"head_exception": "6644"}),
    "gul_bara": (
        None,
        {"direction": "parallel", "contact": "none", "doubles": "cascade", "cascade_grace": 3},
    ),
    "crazy_narde": (
        "narde",
        {
            "doubles": "cascade",
            "cascade_grace": 0,
            "unplayed": "opponent_plays",
            "overshoot": "never",
            "inside_moves": "never",
        },
    ),
    "tawla31": (
        None,
        {
            "direction": "contrary",
            "contact": "none",
            "runner": "in_own_home",
            "score_by": "enemy_checkers_left",
        },
    ),
    "jacquet": (
        None,
        {
            "direction": "parallel",
            "contact": "none",
            "runner": "in_own_home",
            "wall_six": "needs_own_1_and_2",
        },
    ),
}


def preset_values(name: str) -> dict[str, Value]:
    """Values in which a preset differs from the base, its parents' included.

    Examples
    --------
    >>> from tavli_fast.rules.presets import preset_values
    >>> preset_values("portes_kafenio")["single_die"]
    'either'
    """
    if not isinstance(name, str) or name not in PRESETS:
        close = hint(name, PRESETS) if isinstance(name, str) else ""
        raise UnknownVariant(
            f"there is no variant {name!r}{close}; variants are {', '.join(PRESETS)}"
        )
    parent, values = PRESETS[name]
    return ({} if parent is None else preset_values(parent)) | values


def make_rules(name: str, switches: Mapping[str, Value]) -> Rules:
    """Rules of a preset with some switches replaced.

    Parameters
    ----------
    name : str
        A preset of ``docs/rules.md`` section 8.
    switches : mapping
        Switch name to value, replacing those of the preset.

    Examples
    --------
    >>> from tavli_fast.rules.presets import make_rules
    >>> make_rules("fevga", {"total_block": "forbidden"}).total_block
    'forbidden'
    """
    for switch, value in switches.items():
        check_switch(switch, value)
    values = preset_values(name) | dict(switches)
    values.setdefault("mother", "with_exception" if values.get("contact") == "pin" else "none")
    return replace(Rules(), **values)  # type: ignore[arg-type]
