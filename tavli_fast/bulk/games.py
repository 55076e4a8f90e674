"""Many games in lockstep: one row a game, no Python per game."""

import os
from collections.abc import Callable
from functools import wraps
from numbers import Real
from os import PathLike
from pathlib import Path
from threading import RLock
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from ..engine.answers import Plays
from ..engine.game_records import GAME, RUNNING, LiveGames, check_records
from ..engine.variant import Variant, variant, variant_of
from ..errors import TavliError
from ..rules.arrays import Rows
from ..rules.rows import ROW_BYTES
from ..support.archives import Arrays, read_archive, write_archive
from ..support.checks import MAX_SEED, check_flag, check_int

MAX_SLOTS = 1 << 24  # 1.7 GB of records
_FORMAT = "tavli_fast games 1"
_DOUBLE = 2
_MOST_TOTAL = 1 << 60
_MOST_STARTED = 1 << 63  # numbers of games to come stay within 64 bits
_STATE = ("_variant", "_n", "_seed", "_started", "_thrown")  # beside records and totals
_TOTALS = ("games", "points", "wins0", "wins1", "doubles0", "doubles1", "plies")


P = ParamSpec("P")
T = TypeVar("T")


def _alone(
    method: Callable[Concatenate["Games", P], T],
) -> Callable[Concatenate["Games", P], T]:
    """A method that no other thread may run at the same time: the buffers serve one call."""

    @wraps(method)
    def guarded(self: "Games", /, *args: P.args, **kwargs: P.kwargs) -> T:
        if self._process != os.getpid():  # a fork has no threads but its own
            self._lock, self._process = RLock(), os.getpid()
        if not self._lock.acquire(blocking=False):
            raise TavliError("these games are in use by another thread; give each its own Games")
        try:
            return method(self, *args, **kwargs)
        finally:
            self._lock.release()

    return guarded


def check_noise(noise: float) -> float:
    """A deviation of noise."""
    if isinstance(noise, (bool, np.bool_)) or not isinstance(noise, Real):
        raise TypeError(f"noise must be a number, got {type(noise).__name__}")
    try:
        deviation = float(noise)
    except OverflowError:
        deviation = float("inf")
    if not 0 <= deviation < float("inf"):
        raise ValueError(f"noise must be at least 0 and finite, got {noise}")
    return deviation


class Ended(NamedTuple):
    """Games that ended with the last plays, from ``Games.play``.

    Attributes
    ----------
    slots : int64[k]
        Where they were; a new game has begun there.
    numbers : uint64[k]
        Which games of the seed they were.
    players : int8[k]
        Who made the last play, 0 or 1.
    points : int8[k]
        What that player won (+) or lost (-); 0 is a void or drawn game.
    """

    slots: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.uint64]
    players: npt.NDArray[np.int8]
    points: npt.NDArray[np.int8]


class Stats(NamedTuple):
    """What the games that have ended gave, from ``Games.stats``.

    Attributes
    ----------
    games : int
        How many have ended.
    points : int
        What player 0 won less what player 1 won.
    wins, doubles : (int, int)
        Games won by player 0 and player 1, and those of them won by two points or more.
    void : int
        Games without a winner.
    plies : int
        Rolls thrown in all of them.
    """

    games: int
    points: int
    wins: tuple[int, int]
    doubles: tuple[int, int]
    void: int
    plies: int


class Games:
    """Games of player 0 against player 1, each in a slot of its own.

    Game ``number`` of a seed meets the same dice whatever else runs, and the same as
    ``Game(variant, seed=seed, number=number)``, the throw for the starter included
    (``docs/rules.md`` sections 5, 7 and 9). A slot whose game has ended takes the next number.

    Parameters
    ----------
    game : Variant or str
    n : int
        Number of slots, 1 to 2**24.
    seed : int
        0 to 2**64 - 1.

    Attributes
    ----------
    variant : Variant
        Read-only, as are the others.
    n, seed : int

    Notes
    -----
    Arrays given by ``roll``, ``plays`` and ``argmax`` are views of buffers that the next call of
    the same method writes again; copy what has to last. Those of ``plays`` are read-only. After the
    first plies nothing of the size of the games or their plays is allocated any more. One thread at
    a time may use an object; another one is refused.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> games = tavli.Games("plakoto", 64, seed=7)
    >>> while games.stats().games < 100:
    ...     dice = games.roll()
    ...     plays = games.plays()
    ...     # values belong to the next player: the best play leaves him the least
    ...     values = games.variant.pip_values(plays.rows)
    ...     ended = games.play(games.argmax(-values))
    >>> sum(games.stats().wins) + games.stats().void == games.stats().games
    True
    """

    def __init__(self, game: Variant | str, n: int, seed: int) -> None:
        self._variant = variant_of(game)
        self._n = check_int(n, "n", 1, MAX_SLOTS)
        self._seed = check_int(seed, "seed", 0, MAX_SEED)
        self._games: LiveGames = np.zeros(self.n, dtype=GAME)
        self._started = 0
        self._totals = np.zeros(len(_TOTALS), dtype=np.int64)
        self._make_buffers()
        self._begin(np.arange(self.n, dtype=np.int64))

    @property
    def variant(self) -> Variant:
        """What is played."""
        return self._variant

    @property
    def n(self) -> int:
        """Number of slots."""
        return self._n

    @property
    def seed(self) -> int:
        """Of all dice."""
        return self._seed

    @_alone
    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in _STATE}
        return {**state, "_games": self._games.copy(), "_totals": self._totals.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_buffers()
        self._thrown = state["_thrown"]
        self._show_dice()

    def _show_dice(self) -> None:
        self._dice[:, 0], self._dice[:, 1] = self._games["die1"], self._games["die2"]

    def _make_buffers(self) -> None:
        self._lock, self._process = RLock(), os.getpid()
        self._offsets = np.zeros(self.n + 1, dtype=np.int64)
        # the kernels go by the offsets: what is handed out cannot be written
        self._shown = self._offsets.view()
        self._shown.flags.writeable = False
        self._choice = np.zeros(self.n, dtype=np.int64)
        self._slots = np.zeros(self.n, dtype=np.int64)
        self._every = np.ones(self.n, dtype=np.uint8)
        self._dice = np.zeros((self.n, 2), dtype=np.int8)
        self._ends = np.empty((0, ROW_BYTES), dtype=np.int8)
        self._values = np.empty(0, dtype=np.float64)
        self._thrown = False
        self._written = -1  # how many ends lie there; -1 before the plays are asked for
        self._bulk = self.variant._games
        self._engine = self.variant._engine

    # --- what stands where ------------------------------------------------------------------------

    @property
    def rows(self) -> Rows:
        """Positions, seen by the players on turn: int8[n, 32], a copy."""
        return self._games["row"].copy()

    @property
    def players(self) -> npt.NDArray[np.int8]:
        """Who is on turn, 0 or 1: int8[n], a copy."""
        return self._games["player"].copy()

    @property
    def numbers(self) -> npt.NDArray[np.uint64]:
        """Which games of the seed are running: uint64[n], a copy."""
        return self._games["number"].copy()

    def stats(self) -> Stats:
        """What the games that have ended so far gave.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> tavli.Games("fevga", 10, seed=1).stats().games
        0
        """
        total = dict(zip(_TOTALS, self._totals.tolist(), strict=True))
        return Stats(
            games=total["games"],
            points=total["points"],
            wins=(total["wins0"], total["wins1"]),
            doubles=(total["doubles0"], total["doubles1"]),
            void=total["games"] - total["wins0"] - total["wins1"],
            plies=total["plies"],
        )

    # --- a ply ------------------------------------------------------------------------------------

    @_alone
    def roll(self) -> Rows:
        """Throw the dice of every game.

        In the middle of a cascade the double of the next stage lies there already.

        Returns
        -------
        int8[n, 2]

        Raises
        ------
        TavliError
            When the dice were thrown already.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> games = tavli.Games("portes", 2, seed=1)
        >>> bool((games.roll()[0] == tavli.Game("portes", seed=1, number=0).roll()).all())
        True
        """
        if self._thrown:
            raise TavliError("the dice were thrown already; play them first")
        self._bulk.throw(self._engine, self._games)
        self._show_dice()
        self._thrown = True
        return self._dice

    @_alone
    def plays(self) -> Plays:
        """The ends of all plays of all games, seen by the **next** player.

        Returns
        -------
        Plays
            Game i owns ``rows[offsets[i]:offsets[i + 1]]``, never less than one row: a pass is
            the unchanged position. ``steps`` is None.

        Raises
        ------
        TavliError
            Before the dice are thrown.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> games = tavli.Games("fevga", 1, seed=3)
        >>> dice = games.roll()
        >>> games.plays().offsets.tolist()
        [0, 1]
        """
        if not self._thrown:
            raise TavliError("the dice are not thrown yet; call roll first")
        if self._written < 0:
            self._bulk.count(self._engine, self._games, self._offsets)
            total = int(self._offsets[-1])
            if total > len(self._ends):
                # half as much again, so that soon no ply is larger than all before
                self._ends = np.empty((total + total // 2, ROW_BYTES), dtype=np.int8)
                self._values = np.empty(total + total // 2, dtype=np.float64)
            self._bulk.fill(self._engine, self._games, self._offsets, self._ends)
            self._written = total
        rows = self._ends[: self._written]
        rows.flags.writeable = False  # they are what is played
        return Plays(self._shown, rows, None)

    @_alone
    def argmax(
        self, values: npt.NDArray[np.floating[Any]], *, noise: float = 0.0
    ) -> npt.NDArray[np.int64]:
        """The number of the play with the highest value, per game; the first of equal ones.

        Parameters
        ----------
        values : float[m]
            One for each row of ``plays()``. Values of those rows belong to the next player
            (``docs/policies.md``): negate them.
        noise : float
            Deviation of normal noise added to every value, drawn from the games' own streams.

        Returns
        -------
        int64[n]

        Examples
        --------
        >>> import numpy as np, tavli_fast as tavli
        >>> games = tavli.Games("portes", 3, seed=1)
        >>> dice = games.roll()
        >>> m = len(games.plays().rows)
        >>> games.argmax(np.zeros(m)).tolist()
        [0, 0, 0]
        """
        given = np.asarray(values)  # before all else: it may run code of the caller
        rows = self.plays().rows
        if given.dtype.kind not in "fiu":
            raise TypeError(f"values must be real numbers, got {given.dtype}")
        if given.shape != (len(rows),):
            raise ValueError(f"values must have shape ({len(rows)},), got {given.shape}")
        deviation = check_noise(noise)
        own = self._values[: len(rows)]
        np.negative(given, out=own, casting="same_kind", dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            total = own.sum()  # takes no memory, and is finite nearly always
        if not np.isfinite(total) and not np.isfinite(own).all():
            bad = int(np.isfinite(own).argmin())
            raise ValueError(f"values must be finite, got {given[bad]} for row {bad}")
        if deviation:
            self._bulk.add_noise(self._games, own, self._offsets, deviation)
        self._bulk.lowest(own, self._offsets, self._choice)
        return self._choice

    @_alone
    def random(self) -> npt.NDArray[np.int64]:
        """The number of a random play, per game, drawn from the games' own streams.

        Returns
        -------
        int64[n]

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> games = tavli.Games("narde", 100, seed=1)
        >>> dice = games.roll()
        >>> len(games.play(games.random()).slots)
        0
        """
        self.plays()
        self._bulk.random_choice(self._games, self._choice, self._every)
        return self._choice

    @_alone
    def play(self, choice: npt.NDArray[np.integer[Any]]) -> Ended:
        """Make one play in every game, and begin new games where one has ended.

        Parameters
        ----------
        choice : integers [n]
            Per game the number of the play among its own, from 0.

        Returns
        -------
        Ended

        Raises
        ------
        TypeError, ValueError
            For anything but one number of a play per game; nothing is played then.

        Examples
        --------
        >>> import numpy as np, tavli_fast as tavli
        >>> games = tavli.Games("portes", 3, seed=1)
        >>> dice = games.roll()
        >>> len(games.play(np.zeros(3, dtype=int)).slots)
        0
        """
        given = np.asarray(choice)  # before all else: it may run code of the caller
        self.plays()
        if given.dtype.kind not in "iu":
            raise TypeError(f"choice must be integers, got {given.dtype}")
        if given.shape != (self.n,):
            raise ValueError(f"choice must have shape ({self.n},), got {given.shape}")
        # numbers beyond 63 bits come out negative
        np.copyto(self._choice, given, casting="unsafe")
        bad = self._bulk.first_outside(self._offsets, self._choice)
        if bad >= 0:
            plays = int(self._offsets[bad + 1] - self._offsets[bad])
            raise ValueError(
                f"choice {given[bad]} of game {bad}: it has {plays} plays, numbered from 0"
            )
        self._bulk.play(self._engine, self._games, self._offsets, self._ends, self._choice)
        self._thrown, self._written = False, -1
        return self._replace()

    def _replace(self) -> Ended:
        """Count the games that are over and begin others in their slots."""
        slots = self._slots[: self._bulk.ended(self._games, self._slots)].copy()
        over = self._games[slots]
        points = over["points"]
        self._totals += [
            len(slots),
            points.sum(),
            (points > 0).sum(),
            (points < 0).sum(),
            (points >= _DOUBLE).sum(),
            (points <= -_DOUBLE).sum(),
            over["plies"].sum(),
        ]
        # the turn has gone over when the game ended
        players = 1 - over["player"]
        ended = Ended(
            slots, over["number"].copy(), players, np.where(players == 0, points, -points)
        )
        self._begin(slots)
        return ended

    def _begin(self, slots: npt.NDArray[np.int64]) -> None:
        numbers = np.arange(self._started, self._started + len(slots), dtype=np.uint64)
        start = self.variant.start_row()
        self._bulk.begin(self._engine, self._games, slots, numbers, start, self.seed)
        self._started += len(slots)

    # --- files ------------------------------------------------------------------------------------

    @_alone
    def save(self, path: str | PathLike[str]) -> None:
        """Write all of the state to an ``.npz`` file, from which :meth:`load` goes on bit for bit.

        Examples
        --------
        >>> import os, tempfile, tavli_fast as tavli
        >>> games = tavli.Games("portes", 5, seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "games.npz")
        ...     games.save(path)
        ...     again = tavli.Games.load(path)
        >>> bool((again.roll() == games.roll()).all())
        True
        """
        about = {
            "format": _FORMAT,
            "variant": self.variant.name,
            "switches": self.variant.changes,
            "engine": self.variant.engine,
            "seed": self.seed,
            "started": self._started,
            "thrown": self._thrown,
        }
        write_archive(path, about, {"games": self._games, "totals": self._totals})

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Games":
        """The games of a file written by :meth:`save`.

        Raises
        ------
        TavliError
            When it is damaged or no such file.
        OSError
            When it cannot be opened.
        """
        file = Path(path)
        try:
            about, arrays = read_archive(file)
            if about.get("format") != _FORMAT:
                raise ValueError(f"format is {about.get('format')!r}, only {_FORMAT!r} is read")
            return cls._restored(about, arrays)
        except (ValueError, TypeError, KeyError) as error:
            raise TavliError(f"{file} holds no games of this version: {error}") from error

    @classmethod
    def _restored(cls, about: dict[str, Any], arrays: Arrays) -> "Games":
        bound = variant(about["variant"], engine=about["engine"], **about["switches"])
        kept, totals = arrays["games"], arrays["totals"]
        if kept.dtype != GAME or kept.ndim != 1:
            raise ValueError(f"games are {kept.dtype} {kept.shape}")
        if totals.dtype != np.int64 or totals.shape != (len(_TOTALS),):
            raise ValueError(f"totals are {totals.dtype} {totals.shape}")
        if (np.abs(totals) > _MOST_TOTAL).any() or len(np.unique(kept["number"])) < len(kept):
            raise ValueError("totals are too large, or two games have one number")
        games = cls(bound, len(kept), about["seed"])
        rows = np.ascontiguousarray(kept["row"])
        bound.validate(rows)
        check_records(kept)
        thrown = check_flag(about["thrown"], "thrown")
        if (kept["state"] != RUNNING).any() or (thrown and not kept["die1"].all()):
            raise ValueError("games that are over, or without the dice that were thrown")
        games._games[:], games._totals[:] = kept, totals
        games._started = check_int(about["started"], "started", len(kept), _MOST_STARTED)
        games._thrown = thrown
        games._show_dice()
        return games
