"""What rollouts found: estimates, shares, tables, JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, NamedTuple, overload

from ..game.play import Play
from . import plots
from .block_runs import History, Key
from .findings import Finding
from .sums import (
    MOST_POINTS,
    QUANTUM,
    Estimate,
    Sums,
    difference,
    estimate,
    or_none,
    same,
    shares_of,
)


@dataclass(frozen=True)
class Rollout(Finding):
    """What a position is worth, by playing it out; the values are the mover's.

    Two of them are equal when seed, policies and all other settings are, and all sums.

    Attributes
    ----------
    key : dict
        What was played: rules, position, dice, policies, seed and settings.
    sums : Sums
    blocks : tuple of (int, int)
        Which blocks of games are in it, as ranges.
    stopped : str
        Why it ended: ``"done"``, ``"stderr"``, ``"cancelled"``, ``"interrupted"`` or ``"error"``.
    history : tuple of (int, tuple of Estimate)
        Games and the estimate of every candidate on the way, one entry for each twentieth more.
    candidate : int
        Which of the candidates it is.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> pos = tavli.Position.parse("portes", own="2 1", opp="24*15")
    >>> tavli.rollout(pos, games=720, seed=1).equity
    2.0
    """

    key: Key
    sums: Sums = field(repr=False)
    blocks: tuple[tuple[int, int], ...]
    stopped: str = "done"
    history: History = field(default=(), repr=False)
    candidate: int = 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rollout):
            return NotImplemented
        mine, theirs = ((r.key, r.blocks, r.candidate) for r in (self, other))
        return mine == theirs and same(self.sums, other.sums)

    def __hash__(self) -> int:
        return hash((tuple(self.key.items()), self.blocks, self.candidate))

    def _mean(self, which: int) -> Estimate:
        return estimate(self.sums.strata[self.candidate, which], bool(self.key["stratified"]))

    @property
    def games(self) -> int:
        """Games played."""
        return self.sums.games

    @property
    def raw(self) -> Estimate:
        """Mean of the games as they were played, and its standard error."""
        return self._mean(0)

    @property
    def reduced(self) -> Estimate:
        """The same with the luck of the dice taken off; equal to ``raw`` if it was not measured."""
        return self._mean(1)

    @property
    def estimate(self) -> Estimate:
        """Points the mover wins on average, luck taken off where it was measured: ``reduced``."""
        return self.reduced

    @property
    def shares(self) -> dict[int, float]:
        """Shares of the games that ended, by the points the mover won (+) or lost (-); 0 is void.

        Truncated games have no result and are left out, and so are races that were looked up where
        each checker left counts; other races are spread over their results.
        """
        return shares_of(self.sums.shares[self.candidate])

    def _share(self, low: int, high: int) -> float:
        return sum(share for points, share in self.shares.items() if low <= points <= high)

    def _decided(self, which: int) -> float:
        ended = self.games - self.truncated
        return int(self.sums.wins[self.candidate, which]) / (QUANTUM * ended) if ended else 0.0

    @property
    def win(self) -> float:
        """Share of games won, by however many points; truncated ones left out."""
        return self._decided(0)

    @property
    def win_double(self) -> float:
        """Share of games won by two points or more, of those in ``shares``."""
        return self._share(2, MOST_POINTS)

    @property
    def lose(self) -> float:
        """Share of games lost, by however many points; truncated ones left out."""
        return self._decided(1)

    @property
    def lose_double(self) -> float:
        """Share of games lost by two points or more, of those in ``shares``."""
        return self._share(-MOST_POINTS, -2)

    @property
    def truncated(self) -> int:
        """Games stopped by the limit of plies and valued by the evaluator."""
        return int(self.sums.truncated[self.candidate])

    @property
    def looked_up(self) -> int:
        """Games ended by a look-up in a table of races."""
        return int(self.sums.looked_up[self.candidate])

    @property
    def plies(self) -> float:
        """Rolls thrown per game."""
        return int(self.sums.plies[self.candidate]) / self.games

    @property
    def convergence(self) -> list[tuple[int, float, float]]:
        """Games, equity and standard error on the way, the last ones at the end.

        Of a run that went on from a checkpoint, or that was merged, only what came later is known.
        """
        line = [(games, *found[self.candidate]) for games, found in self.history]
        if not line or line[-1][0] < self.games:
            line.append((self.games, *self.reduced))
        return line

    def plot(self, path: str | PathLike[str]) -> None:
        """Draw how the equity settled, with its 95 % interval (``pip install tavli_fast[plot]``).

        Parameters
        ----------
        path : path
            A file ``.svg``, ``.png`` or ``.pdf``.
        """
        plots.convergence({"equity": self.convergence}, path)

    def _doubles(self, share: float) -> str:
        """The share of double wins, where it is known of all games."""
        known = int(self.sums.shares[self.candidate].sum())
        every = known == QUANTUM * (self.games - self.truncated)
        return f"  (double {_percent(share)})" if every else ""

    def as_dict(self) -> dict[str, Any]:
        """All figures as plain numbers and texts, for JSON."""
        return {
            **self._estimate_as_dict(),
            "raw": {"equity": self.raw.mean, "stderr": or_none(self.raw.stderr)},
            "shares": {str(points): share for points, share in self.shares.items()},
            "games": self.games,
            "truncated": self.truncated,
            "looked_up": self.looked_up,
            "plies": self.plies,
            "stopped": self.stopped,
            "run": dict(self.key),
        }

    def table(self) -> str:
        """The figures as text, one line each.

        Examples
        --------
        >>> import tavli_fast as tavli
        >>> pos = tavli.Position.parse("portes", own="1", opp="24*2")
        >>> print(tavli.rollout(pos, games=72, seed=1).table())
        equity       +1.0000 ± 0.0000 (standard error)
        95 %         +1.0000 to +1.0000
        won          100.0 %  (double   0.0 %)
        lost           0.0 %  (double   0.0 %)
        games            72  (1.0 plies each)
        """
        low, high = self.interval()
        lines = [
            f"equity       {self.equity:+.4f} ± {self.stderr:.4f} (standard error)",
            f"95 %         {low:+.4f} to {high:+.4f}",
        ]
        if self.key["luck"]:
            lines.append(f"as played    {self.raw.mean:+.4f} ± {self.raw.stderr:.4f}")
        if self.truncated < self.games:
            lines += [
                f"won          {_percent(self.win)}{self._doubles(self.win_double)}",
                f"lost         {_percent(self.lose)}{self._doubles(self.lose_double)}",
            ]
        lines.append(f"games        {self.games:6d}  ({self.plies:.1f} plies each)")
        if self.truncated:
            lines.append(f"truncated    {self.truncated:6d}")
        if self.looked_up:
            lines.append(f"looked up    {self.looked_up:6d}")
        return "\n".join(lines)


class Ranked(NamedTuple):
    """One play of a ranking.

    Attributes
    ----------
    play : Play
    rollout : Rollout
        Seen by the player who makes the play.
    behind : Estimate
        How much better the best play did, by the difference in the same games.
    """

    play: Play
    rollout: Rollout
    behind: Estimate


class Ranking(Sequence[Ranked], Finding):
    """The plays of a roll by what they are worth, the best first.

    Parameters
    ----------
    plays : sequence of Play
    run : Rollout
        Of the first candidate; the sums hold all.

    Attributes
    ----------
    games : int
        Games of every play, by the same dice.
    stopped : str
        As in :class:`Rollout`.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> pos = tavli.variant("portes").start()
    >>> ranking = tavli.rollout(pos, dice=(3, 1), games=1296, seed=1)
    >>> len(ranking), str(ranking.best.play)
    (16, '8/5 6/5')
    """

    def __init__(self, plays: Sequence[Play], run: Rollout) -> None:
        self.run = run
        self._plays = tuple(plays)
        each = [replace(run, candidate=k) for k in range(len(self._plays))]
        order = sorted(range(len(each)), key=lambda k: -each[k].equity)
        self._ranked = tuple(
            Ranked(self._plays[k], each[k], difference(run.sums, order[0], k)) for k in order
        )

    @overload
    def __getitem__(self, index: int) -> Ranked: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Ranked]: ...
    def __getitem__(self, index: int | slice) -> Ranked | Sequence[Ranked]:
        return self._ranked[index]

    def __len__(self) -> int:
        return len(self._ranked)

    def __iter__(self) -> Iterator[Ranked]:
        return iter(self._ranked)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking):
            return NotImplemented
        return self._plays == other._plays and self.run == other.run

    def __hash__(self) -> int:
        return hash((self._plays, self.run))

    def __repr__(self) -> str:
        return f"<Ranking of {len(self)} plays by {self.games} games, best {self.best.play}>"

    def with_run(self, run: Rollout) -> "Ranking":
        """The same plays by other sums."""
        return Ranking(self._plays, run)

    @property
    def best(self) -> Ranked:
        """The play that did best."""
        return self._ranked[0]

    @property
    def estimate(self) -> Estimate:
        """That of the best play."""
        return self.best.rollout.estimate

    @property
    def shares(self) -> dict[int, float]:
        """Results of the best play, as ``Rollout.shares``."""
        return self.best.rollout.shares

    @property
    def games(self) -> int:
        """Games of every play."""
        return self.run.games

    @property
    def stopped(self) -> str:
        """Why it ended."""
        return self.run.stopped

    def plot(self, path: str | PathLike[str]) -> None:
        """Draw how the equities of the best five plays settled, as ``Rollout.plot`` does."""
        best = {str(play): found.convergence for play, found, _ in self[:_DRAWN]}
        plots.convergence(best, path)

    def as_dict(self) -> dict[str, Any]:
        """All figures as plain numbers and texts, for JSON."""
        plays = [
            {
                "play": str(play),
                "behind": behind.mean,
                "behind_stderr": or_none(behind.stderr),
                **{name: value for name, value in found.as_dict().items() if name not in _RUN},
            }
            for play, found, behind in self
        ]
        run = self.run.as_dict()
        return {"plays": plays, **{name: run[name] for name in _RUN}}

    def table(self) -> str:
        """One line a play: equity, standard error, what it is behind the best, shares."""
        width = max(len(str(play)) for play, _, _ in self)
        lines = [f"    {'play':{width}}   equity   stderr   behind   ± diff     won  double"]
        for place, (play, found, behind) in enumerate(self, 1):
            lines.append(
                f"{place:3d} {play!s:{width}}  {found.equity:+.4f}   {found.stderr:.4f}"
                f"  {0.0 - behind.mean:+.4f}   {behind.stderr:.4f} {_percent(found.win)}"
                f" {_percent(found.win_double)}"
            )
        return "\n".join(lines)


_DRAWN = 5  # plays in a picture
_RUN = ("games", "stopped", "run")


def _percent(share: float) -> str:
    return f"{100 * share:5.1f} %"
