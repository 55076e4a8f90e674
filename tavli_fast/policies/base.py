"""What every policy is, and what policies over features share."""

import abc
import os
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..engine.features import scheme_for, scheme_named
from ..engine.variant import Variant
from ..rules.arrays import Rows, check_rows

Values = npt.NDArray[np.float64]
FilePath = str | os.PathLike[str]

# rows encoded at a time: 0.8 MB of features, which stay in the cache
ROWS_AT_ONCE = 1024


class Policy(abc.ABC):
    """What gives positions values.

    Attributes
    ----------
    name : str
        For reports.
    key : str
        Policies with equal keys are the same, and compare equal.
    """

    name: str
    key: str

    @abc.abstractmethod
    def values(self, variant: Variant, rows: Rows) -> Values:
        """Values of positions, each for the mover of its row: the more, the better for him.

        Parameters
        ----------
        variant : Variant
        rows : int8[n, 32]
            n may be 0.

        Returns
        -------
        float64[n]
        """

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Policy) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class FixedPolicy(Policy):
    """A policy whose attributes are set once, when it is made."""

    def __init__(self, **attributes: object) -> None:
        if self.__dict__:
            raise AttributeError(f"{self!r} is immutable: it cannot be made anew")
        self.__dict__.update(attributes)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{self!r} is immutable: {name} cannot be deleted")


def many_rows(rows: Rows) -> Rows:
    """Rows as contiguous int8[n, 32]."""
    checked, single = check_rows(rows)
    if single:
        raise ValueError("a policy is asked about rows of shape (n, 32), got (32,)")
    return checked


def features_of(
    variant: Variant, rows: Rows, scheme: str
) -> Iterator[tuple[slice, npt.NDArray[np.float32]]]:
    """Parts of the rows and their features, in memory that is used again for the next part."""
    scheme_for(variant.rules, scheme)  # refused for no rows as well
    room = np.empty((min(len(rows), ROWS_AT_ONCE), scheme_named(scheme).width), dtype=np.float32)
    for low in range(0, len(rows), ROWS_AT_ONCE):
        part = slice(low, min(low + ROWS_AT_ONCE, len(rows)))
        yield part, variant.encode(rows[part], scheme, room[: part.stop - low])
