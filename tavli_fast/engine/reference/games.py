"""Running games in plain Python: the twin of ``_kernels/games.pyx``, function for function.

Records of ``live.GAME`` are changed in place. Rules are those of ``docs/rules.md`` sections 2, 5
and 7 in the words of ``play_rules.py``.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ...rules import rows as r
from ...rules.rows import Row, row_of
from ...rules.switches import Rules
from ..game_records import OVER, RACE, RANDOM, RUNNING, TRUNCATED, LiveGames
from ..pip_scores import LEVEL
from ..streams import Stream, choice_seed
from . import endings, home_races, play_rules
from .engine import Engine

FOUR = 4
Live = Any  # one record


def begin(
    engine: Engine,
    games: LiveGames,
    slots: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.uint64],
    start: npt.NDArray[np.int8],
    seed: int,
) -> None:
    """New games of these numbers in some slots."""
    for slot, number in zip(slots, numbers.tolist(), strict=True):
        games[slot] = np.zeros((), dtype=games.dtype)
        game = games[slot]
        game["row"], game["number"] = start, number
        _open_streams(game, seed)
        dice = _stream(game["dice"])
        throw = dice.roll()
        while throw[0] == throw[1]:
            throw = dice.roll()
        game["starter"] = game["player"] = throw[1] > throw[0]
        _keep(game["dice"], dice)
        if engine.rules.opening == "use_opening_dice":
            _set_dice(engine.rules, game, throw)


def deal(games: LiveGames, seed: int, number: int) -> None:
    """Number the games on from ``number`` and give each the streams of its number."""
    for i, game in enumerate(games):
        game["number"] = number + i
        _open_streams(game, seed)


def stop(engine: Engine, games: LiveGames, limit: int, races: bool) -> None:
    """Stop games that wait for a roll beyond the limit, and home races if wanted."""
    for game in games:
        _settle(engine.rules, game, limit, races)


def throw(engine: Engine, games: LiveGames) -> None:
    """Throw the dice of every running game that has none waiting."""
    for game in games:
        _throw(engine.rules, game)


def count(engine: Engine, games: LiveGames, offsets: npt.NDArray[np.int64]) -> None:
    """Where the ends of each game's plays begin; a pass counts as one, a game that is over none."""
    offsets[0] = 0
    for i, game in enumerate(games):
        offsets[i + 1], game["plays"] = offsets[i], 0
        if game["state"] == RUNNING and game["die1"]:
            ends = _ends(engine.rules, game)
            game["plays"] = len(ends)
            offsets[i + 1] += max(len(ends), 1)


def fill(
    engine: Engine,
    games: LiveGames,
    offsets: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int8],
) -> None:
    """Write the ends of all plays, seen by the next player; of a pass, the row itself."""
    for i, game in enumerate(games):
        if offsets[i + 1] > offsets[i]:
            written = _ends(engine.rules, game) or [_passed(engine.rules, game)]
            ends[offsets[i] : offsets[i + 1]] = written


def play(
    engine: Engine,
    games: LiveGames,
    offsets: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int8],
    choice: npt.NDArray[np.int64],
) -> None:
    """Make the chosen play of every game that has one."""
    for i, game in enumerate(games):
        if 0 <= choice[i] < offsets[i + 1] - offsets[i]:
            _make_play(engine.rules, game, row_of(ends[offsets[i] + choice[i]]))


def first_outside(offsets: npt.NDArray[np.int64], choice: npt.NDArray[np.int64]) -> int:
    """The first game whose choice is no number of its plays, or -1."""
    counts = np.diff(offsets)
    return next((i for i in range(len(choice)) if not 0 <= choice[i] < counts[i]), -1)


def ended(games: LiveGames, slots: npt.NDArray[np.int64]) -> int:
    """Write where games are over, and return how many are."""
    over = np.flatnonzero(games["state"] == OVER)
    slots[: len(over)] = over
    return len(over)


def lowest(
    values: npt.NDArray[np.float64],
    offsets: npt.NDArray[np.int64],
    choice: npt.NDArray[np.int64],
) -> None:
    """Per game the number of its first lowest value; 0 where it has none."""
    for i in range(len(choice)):
        own = values[offsets[i] : offsets[i + 1]]
        choice[i] = own.argmin() if len(own) else 0


def random_choice(
    games: LiveGames, choice: npt.NDArray[np.int64], wanted: npt.NDArray[np.uint8]
) -> None:
    """Per wanted game the number of a random play, drawn from its own stream."""
    for i, game in enumerate(games):
        if wanted[i]:
            choice[i] = _random(game, int(game["plays"]))


def add_noise(
    games: LiveGames,
    values: npt.NDArray[np.float64],
    offsets: npt.NDArray[np.int64],
    scale: float,
) -> None:
    """Add normal noise to the values of each game, drawn from its own stream."""
    for i, game in enumerate(games):
        stream = _stream(game["choices"])
        for k in range(offsets[i], offsets[i + 1]):
            radius = math.sqrt(-2 * math.log(1 - stream.unit()))
            values[k] += scale * radius * math.cos(2 * math.pi * stream.unit())
        _keep(game["choices"], stream)


def run(
    engine: Engine,
    games: LiveGames,
    first: int,
    second: int,
    weights: npt.NDArray[np.int32],
    limit: int,
    races: bool,
) -> None:
    """Play every game to its end, to its limit of rolls, or to a home race if wanted.

    ``first`` and ``second`` are the policies of player 0 and 1, RANDOM or PIPS.
    """
    rules = engine.rules
    for game in games:
        while _settle(rules, game, limit, races):
            _throw(rules, game)
            plays = _ends(rules, game)
            game["plays"] = len(plays)
            ends = plays or [_passed(rules, game)]
            if (first, second)[game["player"]] == RANDOM:
                chosen = _random(game, len(plays))
            else:
                chosen = int(np.argmin([score(rules, end, weights) for end in ends]))
            _make_play(rules, game, ends[chosen])


def known(engine: Engine, rows: npt.NDArray[np.int8], values: npt.NDArray[np.float64]) -> None:
    """Write the points of the mover over the values of rows whose game is decided."""
    for i, row in enumerate(rows):
        points = endings.decided(engine.rules, row_of(row))
        if points is not None:
            values[i] = points


def scores(
    engine: Engine,
    rows: npt.NDArray[np.int8],
    weights: npt.NDArray[np.int32],
    out: npt.NDArray[np.int32],
) -> None:
    """The score of each row for its mover, by the weights of ``pips.py``."""
    for i, row in enumerate(rows):
        out[i] = score(engine.rules, row_of(row), weights)


def score(rules: Rules, row: Row, weights: npt.NDArray[np.int32]) -> int:
    """What the counts and the pins of a row add up to."""
    counted = r.PIN_BYTES.start
    apart = home_races.is_race(rules, row) or r.CHECKERS in (row[r.OFF], row[r.OPP_OFF])
    table = weights[counted : 2 * counted] if apart else weights
    counts = sum(int(table[i][row[i] + LEVEL]) for i in range(counted))
    pins = (p for p in r.POINTS if r.pins(row) >> p & 1)
    return counts + sum(int(weights[2 * counted + (row[p] < 0)][p]) for p in pins)


# --- one game -------------------------------------------------------------------------------------


def _stream(kept: Live) -> Stream:
    return Stream.resume(int(kept["key"]), int(kept["counter"]))


def _keep(kept: Live, stream: Stream) -> None:
    kept["key"], kept["counter"] = stream.key, stream.counter


def _open_streams(game: Live, seed: int) -> None:
    """The streams of a game's number, from their beginning."""
    number = int(game["number"])
    _keep(game["dice"], Stream(seed, number))
    _keep(game["choices"], Stream(choice_seed(seed), number))


def _random(game: Live, plays: int) -> int:
    if not plays:
        return 0
    stream = _stream(game["choices"])
    chosen = stream.below(plays)
    _keep(game["choices"], stream)
    return chosen


def _settle(rules: Rules, game: Live, limit: int, races: bool) -> bool:
    """Stop a game that waits for a roll: in a home race, or when it would be one roll too many.

    A balancing turn is always played. Returns whether the game goes on.
    """
    if game["state"] == RUNNING and not game["die1"] and not game["balancing"]:
        if races and home_races.is_home_race(rules, row_of(game["row"])):
            game["state"] = RACE
        elif game["plies"] >= limit:
            game["state"] = TRUNCATED
    return bool(game["state"] == RUNNING)


def _set_dice(rules: Rules, game: Live, dice: tuple[int, int]) -> None:
    game["die1"], game["die2"] = dice
    game["rolls"][game["player"]] += 1
    game["plies"] += 1
    game["steps"] = FOUR
    game["stage"] = (
        rules.doubles == "cascade"
        and dice[0] == dice[1]
        and game["rolls"][game["player"]] > rules.cascade_grace
    )


def _throw(rules: Rules, game: Live) -> None:
    """The next roll, where none is waiting to be played."""
    if game["state"] != RUNNING or game["die1"]:
        return
    if game["fixed"][0]:
        pair = int(game["fixed"][0]) - 1
        game["fixed"] = game["fixed"][1], 0
        _set_dice(rules, game, (pair // 6 + 1, pair % 6 + 1))
        return
    stream = _stream(game["dice"])
    _set_dice(rules, game, stream.roll())
    _keep(game["dice"], stream)


def _ends(rules: Rules, game: Live) -> list[Row]:
    """Ends of the plays of a roll or of the rest of a stage, seen by the next player."""
    dice = int(game["die1"]), int(game["die2"])
    plays = play_rules.legal_plays(rules, row_of(game["row"]), dice, int(game["steps"]))
    game["used"] = len(plays[0].steps) if plays else 0
    return [r.flip(play.end, rules.direction) for play in plays]


def _passed(rules: Rules, game: Live) -> Row:
    """The end of a pass, seen by the next player."""
    return r.flip(row_of(game["row"]), rules.direction)


def _make_play(rules: Rules, game: Live, end: Row) -> None:
    """Go on from the end of a play, or of a stage of a cascade, seen by the next player."""
    result = endings.result(rules, end)
    full = bool(game["stage"]) and game["used"] == game["steps"]
    die, rest = int(game["die1"]) + full, FOUR if full else int(game["steps"] - game["used"])
    goes_on = full and die <= r.HOME
    left = bool(game["stage"]) and (not full or die <= r.HOME)
    if game["balancing"] and goes_on:
        result = None
    balancing = result is not None and _gives_balancing_turn(rules, game, end)
    game["die1"] = game["die2"] = game["stage"] = 0
    if result is not None and not balancing:
        game["row"], game["state"] = end, OVER
        game["points"] = result if game["player"] else -result
        game["player"] ^= 1
    elif not balancing and (goes_on or game["inherited"]):
        game["row"] = r.flip(end, rules.direction)
        game["inherited"] = game["inherited"] and goes_on
        if goes_on:
            game["die1"], game["die2"], game["steps"], game["stage"] = die, die, rest, 1
    else:
        game["row"], game["balancing"] = end, balancing
        game["player"] ^= 1
        game["inherited"] = left and not balancing and rules.unplayed == "opponent_plays"
        if game["inherited"]:
            game["die1"], game["die2"], game["steps"], game["stage"] = die, die, rest, 1


def _gives_balancing_turn(rules: Rules, game: Live, end: Row) -> bool:
    """Section 7: whether the second player has one more turn; ``end`` is seen by him."""
    rule = rules.balancing_turn
    if rule == "none" or game["player"] != game["starter"] or end[r.OPP_OFF] < r.CHECKERS:
        return False
    return rule == "second_player" or end[r.OFF] >= r.CHECKERS - 1
