"""Games and matches as text in the way of Jellyfish's ``.mat`` (``docs/records.md``).

Hitting games are written as GNU Backgammon reads them, all others in the likeness of it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..engine.variant import Variant
from ..errors import GameOver, NotationError, RecordError, RuleConflict, TavliError
from ..support.checks import check_text
from ..writing.ids import game_field, read_game
from .game import Game, Outcome, Played
from .match import Match
from .play import Play
from .records import Saved, read_lines

PASS, UNPLAYED = "Cannot Move", "????"
_LEFT, _RIGHT = 27, 33  # width of the left column, where the right one begins
_HALF = 15  # a row whose first cell begins here or later has nothing in the left column

_VARIANTS = re.compile(r'; *\[Variants "(.*)"\] *')
_LENGTH = re.compile(r" *([0-9]{1,7}) +point +match *", re.IGNORECASE)
_GAME = re.compile(r" *Game +([0-9]{1,7}) *", re.IGNORECASE)
# names are bounded, or a line of nothing but colons would take quadratic time
_NAMES = re.compile(r" *(\S.{0,99}?) *: *([0-9]{1,7}) +(\S.{0,99}?) *: *([0-9]{1,7}) *")
_NUMBER = re.compile(r" *[0-9]+\)")
_CELL = re.compile(
    r"(?<!\S)(?=[1-6][1-6]:|(?:wins|doubles?|takes?|drops?|beavers?|raccoons?)\b)", re.IGNORECASE
)
_ROLL = re.compile(r"([1-6])([1-6]): *(.*)")
_WINS = re.compile(r"wins +([0-9]{1,7}) +points?(?: and the match)?\.?", re.IGNORECASE)


class MatFile(NamedTuple):
    """What a ``.mat`` text tells.

    Attributes
    ----------
    played : Game or Match
        A game where the text says ``0 point match``.
    names : (str, str)
        Of player 0, in the left column, and of player 1.
    """

    played: Saved
    names: tuple[str, str]


# --- writing --------------------------------------------------------------------------------------


def to_mat(played: Saved, names: Sequence[str] = ("player 0", "player 1")) -> str:
    """A game or match as ``.mat`` text.

    Parameters
    ----------
    played : Game or Match
    names : two str
        Of player 0, who is in the left column, and of player 1.

    Raises
    ------
    NotationError
        For a name that would not be read as such, and for a game that does not begin at the start.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> game = tavli.Game("portes", seed=1, starter=0)
    >>> for dice, play in (((3, 1), "8/5 6/5"), ((4, 2), "24/22 13/9")):
    ...     roll = game.roll(dice)
    ...     game.play(play)
    >>> print(tavli.to_mat(game, names=("Eleni", "Nikos")))
    ; [Variants "portes"]
    <BLANKLINE>
     0 point match
    <BLANKLINE>
     Game 1
     Eleni : 0                      Nikos : 0
      1) 31: 8/5 6/5                 42: 13/9 24/22
    <BLANKLINE>
    """
    if not isinstance(played, (Game, Match)):
        raise TypeError(f"a Game or a Match is written, got {type(played).__name__}")
    if isinstance(names, str) or [type(name) for name in names] != [str, str]:
        raise TypeError(f"names are two texts, got {names!r}")
    first, second = map(_checked_name, names)
    if isinstance(played, Match):
        games, cycle, target = played.games, played.cycle, played.target
    else:
        games, cycle, target = [played], (played.variant,), 0
    fields = " ".join(game_field(game.rules, game.name) for game in cycle)
    lines = [f'; [Variants "{fields}"]', "", f" {target} point match"]
    score = [0, 0]
    for number, game in enumerate(games, 1):
        left = f"{first} : {score[0]}"
        lines += ["", f" Game {number}", f" {left:<30} {second} : {score[1]}", *_rows(game)]
        if game.outcome is not None and game.outcome.winner is not None:
            lines.append(_wins(game.outcome))
            score[game.outcome.winner] += game.outcome.points
    return "\n".join(lines) + "\n"


def _checked_name(name: str) -> str:
    if not name.isprintable() or name != name.strip() or not name or ":" in name:
        raise NotationError(f"name {name!r}: a name has no colon and no space at its ends")
    return name


def _rows(game: Game) -> list[str]:
    """The cells of both players in two columns."""
    rows: list[list[str]] = []
    for player, cell in _cells(game):
        if not rows or player == 0 or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][player] = cell
    return [
        f"{number:3}) {left:<{_LEFT}} {right}".rstrip()
        for number, (left, right) in enumerate(rows, 1)
    ]


def _cells(game: Game) -> Iterator[tuple[int, str]]:
    if game.start != game.variant.start():
        raise NotationError("the game does not begin at the start, only a record can hold it")
    for turn in game.history:
        yield turn.player, f"{turn.dice[0]}{turn.dice[1]}: {_moves(turn)}"
    if game.dice is not None:
        yield game.player, f"{game.dice[0]}{game.dice[1]}: {UNPLAYED}"


def _moves(turn: Played) -> str:
    if turn.play.is_pass:
        return PASS
    hitting = turn.play.start.rules.contact == "hit"
    return _steps(turn.play) if hitting else str(turn.play)


def _steps(play: Play) -> str:
    """Step by step with numbers alone: merged moves may be read another way elsewhere."""
    blots = {point for point, number in play.start.opp.items() if number == 1}
    words = []
    for source, target, _ in play.steps:
        words.append(f"{source}/{target}{'*' if target in blots else ''}")
        blots.discard(target)
    return " ".join(words)


def _wins(outcome: Outcome) -> str:
    indent = " " * (_RIGHT + 1 if outcome.winner else 6)
    return f"{indent}Wins {_points(outcome.points)}"


def _points(points: int) -> str:
    return "1 point" if points == 1 else f"{points} points"


# --- reading --------------------------------------------------------------------------------------


def from_mat(text: str, cycle: Sequence[Variant | str] | None = None) -> MatFile:
    """The game or match of a ``.mat`` text; every play has to be legal.

    Parameters
    ----------
    text : str
    cycle : sequence of Variant or str, optional
        The games that were played; what the text says when left out, or else backgammon.

    Raises
    ------
    RecordError
        With the line, the reason, and in ``partial`` the game or match up to there.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> text = [
    ...     " 3 point match",
    ...     " Game 1",
    ...     " Eleni : 0                      Nikos : 0",
    ...     "  1)                             31: 8/5 6/5",
    ...     "  2) 52: 13/8 24/22",
    ...     "      Wins 2 points",
    ... ]
    >>> read = tavli.from_mat("\\n".join(text), cycle=["portes"])
    >>> read.names, read.played.score
    (('Eleni', 'Nikos'), (2, 0))
    """
    lines = check_text(text, "a .mat text").removeprefix("\ufeff").splitlines()
    reader = read_lines(lambda: _MatReader(cycle), lines)
    if reader.played is None or reader.names is None:
        raise RecordError(
            len(lines) + 1, "the text breaks off before a game has begun", reader.played
        )
    return MatFile(reader.played, reader.names)


class _MatReader:
    """The game or match of the lines so far."""

    def __init__(self, cycle: Sequence[Variant | str] | None) -> None:
        self.names: tuple[str, str] | None = None
        self.played: Saved | None = None
        self._cycle = cycle
        self._target: int | None = None
        self._number = 0  # of the current game
        self._wanted = "the line 'n point match'"
        self._fresh = True  # nobody has played in the current game

    @property
    def _game(self) -> Game:
        assert self.played is not None
        return self.played.game if isinstance(self.played, Match) else self.played

    def feed(self, line: str) -> None:
        """Take the next line."""
        line = line.expandtabs().rstrip()
        if not line:
            return
        if line[0] in ";#":
            self._comment(line)
        elif self._target is None:
            self._length(line)
        elif match := _GAME.fullmatch(line):
            self._begin(int(match[1]))
        elif self._wanted:
            self._players(line)
        else:
            self._row(line)

    def _comment(self, line: str) -> None:
        if line.startswith("; Set Pos="):
            raise NotationError(
                "positions that were set up are not read, only games from the start"
            )
        match = _VARIANTS.fullmatch(line)
        if match and self._cycle is None:
            games = [read_game(field) for field in match[1].split()]
            self._cycle = [Variant(name, rules, "kernel") for name, _, rules in games]

    def _length(self, line: str) -> None:
        match = _LENGTH.fullmatch(line)
        if not match:
            raise NotationError(f"{line.strip()!r} found, the text begins with {self._wanted}")
        self._target = int(match[1])
        self._wanted = "the line 'Game 1'"

    def _begin(self, number: int) -> None:
        if number != self._number + 1:
            raise NotationError(f"game {number} found, the next one is {self._number + 1}")
        cycle = ["backgammon"] if self._cycle is None else self._cycle
        if isinstance(self.played, Match):
            self.played.next_game()
        elif number > 1:
            raise NotationError("a '0 point match' is one game here, several need a match length")
        elif self._target:
            self.played = Match(self._target, seed=0, cycle=cycle)
        elif len(cycle) == 1:
            self.played = Game(cycle[0], seed=0)
        else:
            raise RuleConflict(f"a single game is of one variant, not of {len(cycle)}")
        self._number, self._fresh = number, True
        self._wanted = "the names with their scores"

    def _players(self, line: str) -> None:
        match = _NAMES.fullmatch(line)
        if not match or not self._number:
            raise NotationError(f"{line.strip()!r} found, {self._wanted} should be here")
        names, score = (match[1], match[3]), (int(match[2]), int(match[4]))
        if self.names not in (None, names):
            raise NotationError(f"the names are {names}, they were {self.names} before")
        so_far = self.played.score if isinstance(self.played, Match) else (0, 0)
        if score != so_far:
            raise TavliError(f"the score is {score}, the games so far give {so_far}")
        self.names, self._wanted = names, ""

    def _row(self, line: str) -> None:
        number = _NUMBER.match(line)
        body = line if number is None else " " * number.end() + line[number.end() :]
        starts = [match.start() for match in _CELL.finditer(body)]
        before = body[: starts[0]] if starts else body
        first = int(bool(starts) and starts[0] >= _HALF)
        if before.strip() or first + len(starts) > 2:
            raise NotationError(
                f"cannot read {line.strip()!r}; a row is ' 1) 31: 8/5 6/5  42: ...'"
            )
        for player, start in enumerate(starts, first):
            end = starts[1] if len(starts) == 2 and player == 0 else None
            self._cell(player, body[start:end].strip())

    def _cell(self, player: int, text: str) -> None:
        if match := _ROLL.fullmatch(text):
            self._play(player, (int(match[1]), int(match[2])), match[3])
        elif match := _WINS.fullmatch(text):
            self._win(player, int(match[1]))
        elif text.lower().startswith("wins"):
            raise NotationError(f"cannot read {text!r}; it is 'Wins 1 point' or 'Wins 2 points'")
        else:
            raise NotationError(f"{text!r}: there is no doubling cube here")

    def _start(self, starter: int) -> None:
        """Begin anew when only the first row tells who starts."""
        if not self._fresh:
            return
        self._fresh = False
        game = Game(self._game.variant, seed=0, number=self._number - 1, starter=starter)
        if isinstance(self.played, Match):
            self.played.replace_game(game)
        else:
            self.played = game

    def _play(self, player: int, dice: tuple[int, int], text: str) -> None:
        self._start(player)
        game = self._game
        if game.outcome is not None:
            raise GameOver(f"the game is over: {game.outcome}")
        self._pass_to(player)
        if game.player != player:
            column = ("left", "right")[game.player]
            raise TavliError(f"player {game.player} is on turn, his column is the {column} one")
        if game.dice is None:
            game.roll(dice)
        elif sorted(game.dice) != sorted(dice):
            raise TavliError(f"the roll is {dice}, but {game.dice} is still to be played")
        # nothing behind a roll: what follows tells whether it was a pass
        if text.strip("?"):
            game.play("pass" if text.lower() == PASS.lower() else text)

    def _pass_to(self, player: int) -> None:
        """Make the pass that was not written, if it is that player's turn after it."""
        game = self._game
        if game.dice is not None and game.player != player and not game.plays:
            game.play("pass")

    def _win(self, player: int, points: int) -> None:
        if self._game.outcome is None:
            self._start(1 - player)
            self._pass_to(1 - player)
            if self._game.player == player:
                raise TavliError(f"player {player} is on turn, only he could resign now")
            self._game.resign(points)
        found, outcome = (player, points), self._game.outcome
        if outcome is None or found != (outcome.winner, outcome.points):
            raise TavliError(f"player {player} wins {_points(points)}, but it ended {outcome}")
