"""Races: which positions are one, and what they are worth."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from bearoffs import row_of_sides
from positions import (
    OFF,
    OPP_OFF,
    Row,
    as_array,
    other,
    random_roll,
    random_row,
    random_rules,
    random_switches,
)

import tavli_fast as tavli
from tavli_fast.engine import bearoff
from tavli_fast.engine._kernels.engine import Engine
from tavli_fast.rules.presets import PRESETS

Points = list[int]  # of the side's own path, one for each checker on the board
Rows = npt.NDArray[np.int8]


# --- rows


def row_of_points(mine: Points, his: Points, direction: str) -> Row:
    """The row of two sides, the rest of both borne off."""
    row = [0] * 32
    for p in mine:
        row[p] += 1
    for p in his:
        assert row[other(p, direction)] <= 0
        row[other(p, direction)] -= 1
    row[OFF], row[OPP_OFF] = 15 - len(mine), 15 - len(his)
    return tuple(row)


def random_side(rng: Random, highest: int) -> Points:
    """Up to 15 checkers no higher than a point, one of them on it; all 15 unless all are home."""
    checkers = rng.randint(1, 15) if highest <= 6 else 15
    low, high = sorted(rng.randint(1, highest) for _ in range(2))
    return [highest, *(rng.randint(low, high) for _ in range(checkers - 1))]


def highest_points(rng: Random, direction: str) -> tuple[int, int]:
    """Where the last checkers of two sides may stand that cannot meet."""
    if direction == "parallel":
        return rng.randint(1, 12), rng.randint(1, 12)
    mine = rng.randint(1, 23)
    return mine, rng.randint(1, 24 - mine)


def own_part(rows: Rows) -> list[Row]:
    """What ends say of the mover alone."""
    own = rows.clip(0)
    own[:, [0, OPP_OFF]] = 0
    return [tuple(row) for row in own.tolist()]


def home_rows(rng: Random, number: int, direction: str) -> Rows:
    """Rows of home races, sides with all 15 on the board among them."""

    def side() -> tuple[int, ...]:
        points = random_side(rng, rng.randint(1, 6))
        points += [rng.choice(points) for _ in range((15 - len(points)) * (rng.random() < 0.3))]
        return tuple(points.count(p) for p in range(1, 7))

    rows = [row_of_sides(side(), side(), direction) for _ in range(number)]
    return np.array(rows, dtype=np.int8)


# --- what a race is


def regions_meet(row: Row, direction: str) -> bool:
    """Whether a point of the board may still be walked by both sides."""
    mine = max(p for p in range(1, 25) if row[p] > 0)
    his = max(other(p, direction) for p in range(1, 25) if row[p] < 0)
    walked = {other(p, direction) for p in range(1, his + 1)}
    return not walked.isdisjoint(range(1, mine + 1))


def test_races_by_their_definition(engine: str) -> None:
    """Rows of any rules, seen by both players: the two walks have no point in common."""
    rng, races = Random(11), 0
    for _ in range(1500 if engine == "kernel" else 100):
        preset, switches = random_rules(rng)
        variant = tavli.variant(preset, engine=engine, **switches)
        row = random_row(rng, variant)
        touching = any(row[28:]) or row[0] or row[25]
        over = 15 in (row[OFF], row[OPP_OFF])
        expected = not (touching or over) and not regions_meet(row, variant.rules.direction)
        assert variant.is_race(as_array(row)) is expected, row
        assert variant.is_race(variant.flip(as_array(row))) is expected, row
        races += expected
    assert races > 5


@pytest.mark.parametrize("preset", PRESETS)
def test_in_a_race_nobody_changes_the_plays_of_the_other(preset: str, engine: str) -> None:
    """Wherever the other side stands, the mover's plays are the same, and a race stays one."""
    rng = Random(preset)
    variant = tavli.variant(preset, engine=engine)
    direction = variant.rules.direction
    for _ in range(60 if engine == "kernel" else 12):
        mine, his = highest_points(rng, direction)
        row = as_array(row_of_points(random_side(rng, mine), random_side(rng, his), direction))
        for _ in range(rng.randint(1, 12)):
            assert variant.is_race(row)
            points = [p for p in range(24, 0, -1) for _ in range(max(0, row[p]))]
            room = 12 if direction == "parallel" else 24 - points[0]
            moved = row_of_points(points, random_side(rng, rng.randint(1, room)), direction)
            roll = random_roll(rng)
            found = variant.plays(row, roll, keep_pass=True)
            elsewhere = variant.plays(as_array(moved), roll, keep_pass=True)
            assert own_part(found.rows) == own_part(elsewhere.rows), (row.tolist(), moved, roll)
            row = variant.flip(found.rows[rng.randrange(len(found.rows))])
            if variant.result(row).over:
                assert 15 in (row[OFF], row[OPP_OFF])
                break


def games_with_values(rng: Random) -> Iterator[tavli.Variant]:
    """Every preset that has race values, and as many with other switches."""
    for preset in PRESETS:
        for switches in ({}, random_switches(rng, preset), random_switches(rng, preset)):
            variant = tavli.variant(preset, **switches)
            try:
                bearoff.rule_of(variant.rules)
            except tavli.RuleConflict:
                continue
            yield variant


def test_at_home_no_other_rule_matters() -> None:
    """Plays are those of a game that has the bear-off rule alone."""
    rng, games = Random(12), 0
    for variant in games_with_values(rng):
        direction = variant.rules.direction
        alone = bearoff.rule_of(variant.rules).rules
        plain = tavli.Variant(variant.name, alone, "kernel")
        games += 1
        for row in home_rows(rng, 12, direction):
            assert variant.is_race(row)
            mirrored = np.zeros(32, dtype=np.int8)
            mirrored[1:7], mirrored[OFF] = row[1:7], row[OFF]
            mirrored[24] = -15
            found = variant.plays(row, tavli.ROLLS)
            expected = plain.plays(mirrored, tavli.ROLLS)
            assert found.offsets.tolist() == expected.offsets.tolist(), (variant, row)
            assert own_part(found.rows) == own_part(expected.rows), (variant, row)
    assert games > 50


def test_six_home_points_may_be_what_a_wall_rule_forbids() -> None:
    """Why wall_six=never has no race values, while the other wall rules do."""
    row = as_array(row_of_points([6, 6, 6, 5, 4, 3, 2], [1], "parallel"))
    free = tavli.variant("fevga_free")
    never = tavli.variant("fevga_free", wall_six="never")
    counts = [variant.count(row, (5, 1)) for variant in (free, never)]
    assert counts[0] > counts[1]


def test_an_ending_game_is_no_race(engine: str) -> None:
    portes = tavli.variant("portes", engine=engine)
    rows = [row_of_points([], [3], "contrary"), row_of_points([2], [], "contrary")]
    assert portes.is_race(np.array(rows, dtype=np.int8)).tolist() == [False, False]
    assert portes.is_race(np.empty((0, 32), dtype=np.int8)).shape == (0,)


def test_plakoto_pins_are_contact_even_at_home(engine: str) -> None:
    plakoto = tavli.variant("plakoto", engine=engine)
    pos = tavli.Position.parse(plakoto, own="5*3 2", opp="22*3", own_pinned="", opp_pinned="2")
    assert not pos.is_race
    assert not pos.flip().is_race
    with pytest.raises(tavli.NotARace, match="row 0: no race: a checker is pinned"):
        pos.race()
    free = tavli.Position.parse(plakoto, own="5*3 2", opp="22*3")
    assert free.is_race
    assert not tavli.Position.parse(plakoto, own="5*3 2", opp="22*3 1").is_race


@pytest.mark.parametrize("preset", ["fevga", "narde"])
def test_opponents_in_my_home_are_contact_in_parallel_games(preset: str, engine: str) -> None:
    variant = tavli.variant(preset, engine=engine)
    assert not tavli.Position.parse(variant, own="7*14 5", opp="3 13*14").is_race
    assert not tavli.Position.parse(variant, own="13 5*14", opp="14*15").is_race
    assert tavli.Position.parse(variant, own="12 5*14", opp="24 14*14").is_race


# --- what it is worth


class Played(NamedTuple):
    """How simulated games ended for their mover, one entry a game."""

    won: npt.NDArray[np.bool_]
    none_off: npt.NDArray[np.bool_]
    left: npt.NDArray[np.int64]


def play_out(variant: tavli.Variant, row: Rows, games: int, seed: int) -> Played:
    """Games from a home race, each play chosen from the generator's by the mean it leads to."""
    numbers = np.random.default_rng(seed)
    mean = bearoff.table(variant.rules).mean
    rows, mover = np.repeat(row[None], games, axis=0), True
    ended = np.zeros(games, dtype=bool)
    won, none_off = ended.copy(), ended.copy()
    left = np.zeros(games, dtype=np.int64)
    while not ended.all():
        going = np.flatnonzero(~ended)
        rolls = numbers.integers(1, 7, (len(going), 2))
        plays = variant.plays(rows[going], rolls, keep_pass=True)
        ranks = bearoff.rank(plays.rows[:, 1:7])
        # the lowest mean, but for rounding, then the lowest rank
        query = np.repeat(np.arange(len(going)), np.diff(plays.offsets))
        chosen = np.lexsort((ranks, mean[ranks].round(10), query))[plays.offsets[:-1]]
        ends = plays.rows[chosen]
        over = ends[:, OFF] == 15
        done = going[over]
        ended[done], won[done] = True, mover
        none_off[done] = ends[over, OPP_OFF] == 0
        left[done] = 15 - ends[over, OPP_OFF]
        rows[going] = variant.flip(ends)
        mover = not mover
    return Played(won, none_off, left)


@pytest.mark.parametrize(
    ("preset", "switches", "mine", "his"),
    [
        ("portes", {}, (0, 0, 3, 4, 4, 4), (1, 1, 3, 3, 3, 4)),
        ("portes", {}, (1, 1, 0, 0, 0, 0), (0, 0, 0, 0, 0, 15)),
        ("fevga", {}, (0, 0, 0, 0, 5, 10), (2, 1, 0, 0, 0, 0)),
        ("tawla31", {}, (0, 2, 2, 2, 2, 0), (2, 2, 2, 1, 1, 1)),
        ("jacquet", {"overshoot": "never"}, (1, 0, 2, 0, 1, 0), (0, 1, 1, 1, 0, 1)),
        ("narde", {"inside_moves": "never"}, (1, 0, 2, 0, 1, 0), (0, 0, 0, 0, 5, 10)),
    ],
)
def test_values_against_games(preset: str, switches: dict, mine: tuple, his: tuple) -> None:
    """20,000 games each; 4.5 standard errors are exceeded once in 150,000 comparisons."""
    games = 20_000
    variant = tavli.variant(preset, **switches)
    row = as_array(row_of_sides(mine, his, variant.rules.direction))
    race, played = variant.race(row), play_out(variant, row, games, 5)
    sign = np.where(played.won, 1, -1)
    points = played.left if preset == "tawla31" else 1 + played.none_off
    for value, found in (
        (race.win, played.won),
        (race.win_double, played.won & played.none_off),
        (race.lose_double, ~played.won & played.none_off),
        (race.equity, sign * points),
    ):
        error = max(found.std(), 3 / np.sqrt(games)) / np.sqrt(games)
        assert abs(found.mean() - value) < 4.5 * error, (value, found.mean())


def test_cascades_are_those_of_games() -> None:
    """Cascades played at random by a Game never end better than the table's, and often as well."""
    rng, reached = Random(20), 0
    gul_bara = tavli.variant("gul_bara", cascade_grace=0)
    table = bearoff.table(gul_bara.rules)
    for _ in range(40):
        mine = [rng.randint(0, 2) for _ in range(6)]
        mine[rng.randrange(6)] += 1
        die = rng.randint(1, 6)
        row = as_array(row_of_sides(tuple(mine), (15, 0, 0, 0, 0, 0), "parallel"))
        roll = tavli.ROLLS.tolist().index([die, die])
        best = table.mean[table.following[bearoff.rank(mine), roll]]
        ends = []
        for _ in range(30):
            game = tavli.Game(gul_bara, seed=1, starter=0, start=gul_bara.position(row))
            game.roll((die, die))
            while game.outcome is None and game.player == 0:
                game.play(rng.randrange(len(game.plays)) if game.plays else "pass")
            after = game.position.flip().row if game.player == 1 else game.position.row
            ends.append(table.mean[bearoff.rank(after[1:7])])
        assert min(ends) > best - 1e-9, (mine, die)
        reached += min(ends) < best + 1e-9
    assert reached > 20


@pytest.mark.parametrize("preset", ["portes", "tawla31", "fevga", "gul_bara"])
def test_both_engines_give_the_same_values(preset: str) -> None:
    fast, slow = (tavli.variant(preset, engine=engine) for engine in ("kernel", "reference"))
    rows = home_rows(Random(preset), 400, fast.rules.direction)
    for found, expected in zip(fast.race(rows), slow.race(rows), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(fast.is_race(rows), slow.is_race(rows))


def test_values_hang_together() -> None:
    """Chances are chances, doubles part of them, and the first to roll wins as often as he can."""
    for preset in ("portes", "tawla31", "narde"):
        variant = tavli.variant(preset)
        race = variant.race(home_rows(Random(14), 5000, variant.rules.direction))
        assert all(array.shape == (5000,) for array in race)
        assert race.win.min() >= 0
        assert race.win.max() <= 1
        assert race.win_double.min() >= 0
        assert (race.win_double <= race.win + 1e-6).all()
        assert race.lose_double.min() >= 0
        assert (race.lose_double <= 1 - race.win + 1e-6).all()
        assert race.win_double.max() > 0.9
        assert race.lose_double.max() > 0.1
        if variant.rules.score_by == "points":
            doubles = race.win_double - race.lose_double
            np.testing.assert_allclose(race.equity, 2 * race.win - 1 + doubles, atol=1e-14)
        else:
            assert np.abs(race.equity).max() <= 15


def test_one_row_and_many() -> None:
    portes = tavli.variant("portes")
    rows = home_rows(Random(15), 3, "contrary")
    many, one = portes.race(rows), portes.race(rows[1])
    assert all(type(value) is float for value in one)
    assert one == tuple(array[1] for array in many)
    assert one == portes.position(rows[1]).race()
    assert portes.race(rows[:0]).win.shape == (0,)
    assert portes.is_race(rows[0]) is True


def test_a_race_that_is_won_at_once() -> None:
    race = tavli.Position.parse("portes", own="1*2", opp="24*15").race()
    assert race.win == race.win_double == 1
    assert (race.equity, race.turns) == (2, 1)


@pytest.mark.parametrize(
    ("preset", "own", "opp", "message"),
    [
        ("portes", "", "24", "row 1: the game is over"),
        ("portes", "6", "bar 24", "row 1: no race: a checker is on the bar"),
        ("portes", "12 3*14", "13*2 24*13", "row 1: a race, but not all checkers .* on 12, .* 12;"),
        ("portes", "20", "3", "row 1: no race, the sides can still meet: .* on 20, .* his 22;"),
        ("fevga", "13 1*14", "14*15", "no race, the sides can still meet: .* on 13, .* his 2;"),
        ("fevga", "7 1*14", "14*15", "a race, but not all .*a rollout gives an estimate"),
    ],
)
def test_rows_without_exact_values(
    preset: str, own: str, opp: str, message: str, engine: str
) -> None:
    variant = tavli.variant(preset, engine=engine)
    good = home_rows(Random(16), 1, variant.rules.direction)[0]
    bad = tavli.Position.parse(variant, own=own, opp=opp)
    with pytest.raises(tavli.NotARace, match=message):
        variant.race(np.stack([good, bad.row, bad.row]))
    with pytest.raises(tavli.NotARace):
        bad.race()


def test_rules_without_values_are_refused_first(engine: str) -> None:
    crazy = tavli.variant("crazy_narde", engine=engine)
    with pytest.raises(tavli.RuleConflict, match="unplayed=opponent_plays"):
        crazy.race(crazy.start_row())
    assert crazy.start().is_race is False


def test_rows_that_are_no_positions_are_refused(engine: str) -> None:
    portes = tavli.variant("portes", engine=engine)
    rows = home_rows(Random(17), 2, "contrary")
    rows[1, 1] += 1
    for call in (portes.race, portes.is_race):
        with pytest.raises(tavli.InvalidPosition, match="row 1: the mover has 16 checkers"):
            call(rows)
        with pytest.raises(TypeError, match="int8"):
            call(rows.astype(np.int16))
        with pytest.raises(ValueError, match="shape"):
            call(rows[:, :31].copy())


def test_any_bytes_leave_the_kernels_in_bounds() -> None:
    """Nothing is asserted of the answers but their range."""
    numbers = np.random.default_rng(18)
    wild = numbers.integers(-128, 128, (20_000, 32)).astype(np.int8)
    home = np.zeros((20_000, 32), dtype=np.int8)
    home[:, 1:7] = numbers.integers(0, 128, (20_000, 6))
    home[:, 13:25] = numbers.integers(-128, 1, (20_000, 12))
    for preset in ("portes", "plakoto", "fevga"):
        kernel = Engine(dict(tavli.variant(preset).rules.items()))
        for rows in (wild, home):
            found = np.full(len(rows), 7, dtype=np.int8)
            kernel.is_race(rows, found, False)
            kernel.is_race(rows, found, True)
            assert set(found.tolist()) <= {0, 1}
            assert kernel.home_ranks(rows, np.zeros((len(rows), 2), dtype=np.int32)) == 0


def test_positions_of_games_turn_into_races() -> None:
    """In played games the last decisions of both sides are races, and stay races."""
    rng = Random(19)
    for preset in ("portes", "plakoto", "fevga", "narde"):
        variant = tavli.variant(preset)
        rows, _ = variant.sample(3000, rng.randrange(100))
        races = variant.is_race(rows)
        assert 20 < races.sum() < 2000
        goes_on = np.flatnonzero(races[:-1] & ~races[1:])
        assert all((rows[i + 1] == variant.start_row()).all() for i in goes_on)
