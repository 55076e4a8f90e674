"""IDs and tables compared with other programs, where those are installed: gnubg_nn and gammonview.

Optional: each test is skipped when its program is missing. They are only called, as packages.
"""

from random import Random
from typing import Any

import numpy as np
import pytest
from positions import BAR, OPP_BAR, Row, as_array, as_row, constructed, random_roll

import tavli_fast as tavli
from tavli_fast.engine import bearoff
from tavli_fast.writing import backgammon_ids

BACKGAMMON = tavli.variant("backgammon")
ROWS = 400


def peer(module: str, package: str) -> Any:
    """Another program, or the test is skipped."""
    return pytest.importorskip(module, reason=f"optional: the package {package} is not installed")


def rows() -> list[Row]:
    """Half of them met in random play, half constructed."""
    rng = Random(5)
    met, _ = BACKGAMMON.sample(ROWS // 2, 5)
    built = [constructed(rng, BACKGAMMON.rules) for _ in range(ROWS // 2)]
    return [as_row(row) for row in met] + built


def gnubg_board(row: Row) -> list[list[int]]:
    """The other player's checkers and those of the one on roll: 1 to 24, then the bar."""
    seen = as_row(BACKGAMMON.flip(as_array(row)))
    return [[max(0, count) for count in side[1 : BAR + 1]] for side in (seen, row)]


def test_gnubg_ids_are_those_of_gnubg() -> None:
    """Written and read."""
    peer_ids = peer("gnubg_nn", "gnubg-nn")
    for row in rows():
        board = gnubg_board(row)
        assert backgammon_ids.to_gnubg_id(row) == peer_ids.position_id(board)
        assert peer_ids.board_from_position_id(backgammon_ids.to_gnubg_id(row)) == board


def test_gnubg_moves_for_the_same_player() -> None:
    """From an ID both find as many plays, so both see the same player on roll."""
    peer_moves = peer("gnubg_nn", "gnubg-nn")
    rng = Random(6)
    asymmetric = 0
    for row in rows():
        if BACKGAMMON.result(as_array(row)).over:
            continue
        dice = random_roll(rng)
        board = peer_moves.board_from_position_id(backgammon_ids.to_gnubg_id(row))
        found = BACKGAMMON.count(as_array(row), dice)
        assert max(found, 1) == max(len(peer_moves.moves(board, *dice)), 1)
        asymmetric += found != BACKGAMMON.count(BACKGAMMON.flip(as_array(row)), dice)
    assert asymmetric > ROWS // 2


def test_xgids_are_those_of_gammonview() -> None:
    """Read with player 1 and with player 2 on roll."""
    position = peer("gvanalysis.position", "gammonview")
    for row in rows():
        for turn in ("1", "-1"):
            text = backgammon_ids.to_xgid(row, (6, 5)).replace(":0:0:1:", f":1:{turn}:{turn}:", 1)
            mine, theirs = backgammon_ids.read_xgid(text), position.parse_xgid(text)
            assert theirs.board == list(mine.row[OPP_BAR : BAR + 1])
            assert (theirs.die1, theirs.die2) == mine.dice
            assert (theirs.cube_value, theirs.cube_owner) == (mine.cube, "player")


def test_bear_off_table_is_that_of_gnubg() -> None:
    """All positions: the same ranks, means to the 16 bits of its probabilities, distributions."""
    peer_table = peer("gnubg_nn", "gnubg-nn")
    table = bearoff.table(BACKGAMMON.rules)
    placed = bearoff.unrank(np.arange(bearoff.POSITIONS)).tolist()
    theirs = np.zeros((bearoff.POSITIONS, 32))
    theirs[0, 0] = 1
    for rank in range(1, bearoff.POSITIONS):
        assert peer_table.bearoff_id_2_pos(rank) == tuple(placed[rank])
        chances = peer_table.bearoff_probabilities(rank)  # the first entry is of one turn
        theirs[rank, 1 : len(chances) + 1] = chances
    assert np.abs(theirs @ np.arange(32) - table.mean).max() < 3e-4
    length = table.turns.shape[1]
    # plays of equal means may be chosen otherwise
    assert np.abs(theirs[:, :length] - table.turns).max() < 3e-3
    published = {(0, 0, 0, 0, 0, 1): 1.25, (0, 0, 0, 0, 0, 15): 12.2662}
    for side, mean in published.items():
        assert table.mean[bearoff.rank(side)] == pytest.approx(mean, abs=2e-4)
