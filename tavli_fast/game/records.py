"""Games and matches as JSON Lines: saved, and replayed when they are read (``docs/records.md``)."""

import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TextIO, TypeVar

from ..engine.variant import Variant
from ..errors import RecordError, TavliError
from ..rules.presets import make_rules
from ..support.files import replace_file
from .game import Game, Played
from .match import Match
from .position import Position

FORMAT, VERSION = "tavli_fast record", 2
ALL_SWITCHES = 1  # the version that stored every switch instead of those that differ

Record = dict[str, Any]  # one line
Saved = Game | Match
File = str | os.PathLike[str] | TextIO


class Reader(Protocol):
    """What is made of a file, line by line."""

    @property
    def played(self) -> Saved | None:
        """The game or match as far as it was read."""

    def feed(self, line: str) -> None:
        """Take the next line; ``TypeError`` or ``ValueError`` when something is wrong with it."""


R = TypeVar("R", bound=Reader)
T = TypeVar("T")


# --- saving ---------------------------------------------------------------------------------------


def save(played: Saved, file: File) -> None:
    """Write a game or a match, finished or not.

    Parameters
    ----------
    played : Game or Match
    file : str, path or text file
        A path is written at once or not at all: an old file stays until the new one is complete.

    Examples
    --------
    >>> import io
    >>> import tavli_fast as tavli
    >>> game = tavli.Game("fevga", seed=1, starter=0)
    >>> file = io.StringIO()
    >>> tavli.save(game, file)
    >>> len(file.getvalue().splitlines())
    3
    """
    if not isinstance(played, (Game, Match)):
        raise TypeError(f"a Game or a Match is saved, got {type(played).__name__}")
    text = "".join(f"{line}\n" for line in _sealed(_records(played)))
    if isinstance(file, (str, os.PathLike)):
        with replace_file(file) as new:
            new.write(text.encode("ascii"))
    else:
        _text_file(file, "write").write(text)


def _text_file(file: TextIO, method: str) -> TextIO:
    if not hasattr(file, method):
        raise TypeError(f"file must be a path or a text file, got {type(file).__name__}")
    return file


def _sealed(records: Iterator[Record]) -> Iterator[str]:
    """Lines with their checks."""
    check = 0
    for record in records:
        text = _dumped(record)
        check = _check(text, check)
        yield f'{text[:-1]},"check":"{check:08x}"}}'


def _dumped(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _check(text: str, before: int) -> int:
    return zlib.crc32(text.encode("ascii"), before)


def _records(played: Saved) -> Iterator[Record]:
    if isinstance(played, Game):
        yield _header(1)
        yield from _game_records(played)
        return
    yield _header(len(played.games)) | {"match": _match_record(played)}
    for game in played.games:
        yield from _game_records(game)


def _header(games: int) -> Record:
    return {"format": FORMAT, "version": VERSION, "games": games}


def _match_record(match: Match) -> Record:
    cycle = [_rules_record(game) for game in match.cycle]
    return {"target": match.target, "seed": match.seed, "cycle": cycle}


def _rules_record(variant: Variant) -> Record:
    return {"variant": variant.name, "switches": variant.changes}


def _game_record(game: Game) -> Record:
    return _rules_record(game.variant) | {
        "seed": game.seed,
        "number": game.number,
        "starter": game.starter,
        "thrown_for": game.thrown_for,
        "start": game.start.id,
    }


def _game_records(game: Game) -> Iterator[Record]:
    yield _game_record(game)
    yield from map(_turn_record, game.history)
    if game.dice is not None:
        yield _roll_record(game)
    yield _result_record(game)


def _turn_record(turn: Played) -> Record:
    stage = {} if turn.stage is None else {"stage": list(turn.stage)}
    return {
        "player": turn.player,
        "dice": list(turn.dice),
        "drawn": turn.drawn,
        **stage,
        "play": str(turn.play),
        "steps": [list(step) for step in turn.play.steps],
    }


def _roll_record(game: Game) -> Record:
    """Dice that are thrown and not played."""
    assert game.dice is not None
    return {"player": game.player, "dice": list(game.dice), "drawn": game.drawn}


def _result_record(game: Game) -> Record:
    return {"result": None if game.outcome is None else game.outcome._asdict()}


# --- reading --------------------------------------------------------------------------------------


def load(file: File) -> Saved:
    """The game or match of a file; every roll and play is made again and has to be legal.

    Parameters
    ----------
    file : str, path or text file

    Raises
    ------
    RecordError
        When the file breaks off, was changed, or is of another version; with the line, the reason,
        and in ``partial`` what could be read.

    Examples
    --------
    >>> import io
    >>> import tavli_fast as tavli
    >>> game, file = tavli.Game("fevga", seed=1), io.StringIO()
    >>> game.resign(2)
    >>> tavli.save(game, file)
    >>> tavli.load(io.StringIO(file.getvalue())).outcome == game.outcome
    True
    >>> tavli.load(io.StringIO(file.getvalue()[:-20]))
    Traceback (most recent call last):
    tavli_fast.errors.RecordError: line 3: the line is no JSON object, perhaps only a part of one
    """
    if isinstance(file, (str, os.PathLike)):
        # what is not ASCII was not written here, and the check of its line will say so
        text = Path(file).read_text(encoding="ascii", errors="replace")
    else:
        text = _text_file(file, "read").read()
    lines = text.removesuffix("\n").split("\n")
    reader = read_lines(_RecordReader, lines)
    if reader.missing is not None:
        raise RecordError(len(lines) + 1, f"the file breaks off: {reader.missing}", reader.played)
    assert reader.played is not None
    return reader.played


def read_lines(reader: Callable[[], R], lines: Sequence[str]) -> R:
    """A reader that was fed all lines, or a ``RecordError`` with the first wrong one."""
    reading = reader()
    for number, line in enumerate(lines, 1):
        try:
            reading.feed(line)
        except (TypeError, ValueError) as error:
            # the wrong line may have left traces
            before = read_lines(reader, lines[: number - 1]).played
            raise RecordError(number, str(error), before) from error
    return reading


class _RecordReader:
    """The game or match of the lines so far."""

    def __init__(self) -> None:
        self._check = 0
        self._version = VERSION
        self._games: int | None = None  # how many are announced
        self._begun = 0
        self._match: Match | None = None
        self._game: Game | None = None
        self._open = False  # the game has no result yet

    @property
    def played(self) -> Saved | None:
        return self._match or self._game

    @property
    def missing(self) -> str | None:
        """What has to follow, or None at the end."""
        if self._games is None:
            return "the first line is missing"
        if self._open:
            return f"game {self._begun} has no result"
        left = self._games - self._begun
        return f"{self._begun} of {self._games} games are there" if left else None

    def feed(self, line: str) -> None:
        record = _json(line)
        first = self._games is None
        if first:
            self._version = _version(record)
        self._unseal(record)
        if self._version == ALL_SWITCHES:
            record = _upgraded(record)
        if first:
            self._head(record)
        elif self._open and "result" in record:
            self._end(record)
        elif self._open:
            self._turn(record)
        elif self.missing is None:
            raise TavliError("nothing may follow the last result")
        else:
            self._begin(record)

    def _unseal(self, record: Record) -> None:
        found = record.pop("check", None)
        self._check = _check(_dumped(record), self._check)
        if found != f"{self._check:08x}":
            raise TavliError(
                f"check {found!r} does not go with this line and those before: it was changed, "
                "or a line is missing"
            )

    def _head(self, record: Record) -> None:
        games = _whole(record, "games")
        expected = _header(games)
        if "match" in record:
            self._match = _read_match(_of(record, "match", dict))
            expected["match"] = _match_record(self._match)
        _compare(record, expected)
        if games < 1 or (games > 1 and self._match is None):
            raise TavliError(f"games is {games}, a match has 1 or more and a single game is 1")
        self._games = games

    def _begin(self, record: Record) -> None:
        variant = _read_variant({name: record.get(name) for name in ("variant", "switches")})
        game = Game(
            variant,
            seed=_whole(record, "seed"),
            number=_whole(record, "number"),
            starter=None if record.get("thrown_for") else _whole(record, "starter"),
            start=Position.from_id(_of(record, "start", str)),
        )
        _compare(record, _game_record(game))
        if self._match is not None:
            if self._begun:
                self._match.next_game()
            self._match.replace_game(game)
        self._game, self._open = game, True
        self._begun += 1

    def _turn(self, record: Record) -> None:
        game = self._game
        assert game is not None
        if game.dice is None:
            # the game's own dice have to come out as they are written
            own = _whole(record, "drawn") > game.drawn
            game.roll(None if own else _dice(record))
        roll = _roll_record(game)
        _compare({name: record.get(name) for name in roll}, roll)
        if "play" in record:
            game.play(_of(record, "play", str))
            _compare(record, _turn_record(game.history[-1]))
        else:
            _compare(record, roll)

    def _end(self, record: Record) -> None:
        game = self._game
        assert game is not None
        result = record["result"]
        if game.outcome is None and isinstance(result, dict) and result.get("resigned"):
            game.resign(_whole(result, "points"))
        _compare(record, _result_record(game))
        self._open = False


def _json(line: str) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise TavliError("the line is no JSON object, perhaps only a part of one")
    return record


def _version(record: Record) -> int:
    """The version of the first line; other formats and versions are refused."""
    found = record.get("format"), record.get("version")
    for version in (ALL_SWITCHES, VERSION):
        if found == (FORMAT, version):
            return version
    raise TavliError(
        f"format and version are {found[0]!r} {found[1]!r}; "
        f"{FORMAT!r} {ALL_SWITCHES} and {VERSION} can be read"
    )


def _upgraded(record: Record) -> Record:
    """A line of the first version as it is written today.

    There every variant came with all switches, so a preset may have changed since: the switches
    decide, and the start position is that of the variant.
    """
    if "match" in record:
        match = _of(record, "match", dict)
        cycle = [
            _upgraded(game) if isinstance(game, dict) else game
            for game in _of(match, "cycle", list)
        ]
        record = record | {"match": match | {"cycle": cycle}}
    if "format" in record:
        return record | {"version": VERSION}
    if "rules" not in record:
        return record
    name, rules = _of(record, "variant", str), _of(record, "rules", dict)
    variant = Variant(name, make_rules(name, rules), "kernel")
    record = {key: value for key, value in record.items() if key != "rules"}
    record["switches"] = variant.changes
    if "start" in record:
        start = Position.from_id(_of(record, "start", str))
        record["start"] = variant.position(start.row).id
    return record


def _read_match(record: Record) -> Match:
    cycle = [_read_variant(game) for game in _of(record, "cycle", list)]
    match = Match(_whole(record, "target"), seed=_whole(record, "seed"), cycle=cycle)
    _compare(record, _match_record(match))
    return match


def _read_variant(record: object) -> Variant:
    if not isinstance(record, dict):
        raise TavliError(f"a variant is an object with its name and switches, not {record!r}")
    name, switches = _of(record, "variant", str), _of(record, "switches", dict)
    variant = Variant(name, make_rules(name, switches), "kernel")
    _compare(record, _rules_record(variant))
    return variant


def _of(record: Record, name: str, kind: type[T]) -> T:
    value = record.get(name)
    if type(value) is not kind:
        raise TavliError(f"{name} is {value!r}, it has to be of the type {kind.__name__}")
    return value


def _dice(record: Record) -> tuple[int, int]:
    match _of(record, "dice", list):
        case [int(first), int(second)]:
            return first, second
        case dice:
            raise TavliError(f"dice are {dice!r}, a roll is two numbers")


def _whole(record: Record, name: str) -> int:
    return _of(record, name, int)


def _compare(found: Record, expected: Record) -> None:
    """Refuse a line that is not what the replayed game says."""
    for name in {**expected, **found}:
        if name not in expected:
            raise TavliError(f"the field {name!r} does not belong here")
        if name not in found or _dumped(found[name]) != _dumped(expected[name]):
            raise TavliError(
                f"{name} is {found.get(name)!r}, but the game has {expected[name]!r} here"
            )
