"""What rollouts, rankings and duels share: a mean with its error, as numbers, text and JSON."""

import abc
import json
from typing import Any

from .sums import Estimate, or_none


class Finding(abc.ABC):
    """Something found by playing many games."""

    @property
    @abc.abstractmethod
    def estimate(self) -> Estimate:
        """The mean that was looked for, with its standard error."""

    @abc.abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """All figures as plain numbers and texts, for JSON."""

    @abc.abstractmethod
    def table(self) -> str:
        """The figures as text."""

    def __str__(self) -> str:
        return self.table()

    @property
    def equity(self) -> float:
        """The mean of ``estimate``: points won, less those lost, on average."""
        return self.estimate.mean

    @property
    def stderr(self) -> float:
        """The standard error of ``equity``."""
        return self.estimate.stderr

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Confidence interval of ``equity``."""
        return self.estimate.interval(confidence)

    def json(self) -> str:
        """``as_dict`` as JSON text."""
        return json.dumps(self.as_dict())

    def _estimate_as_dict(self) -> dict[str, Any]:
        low, high = self.interval()
        return {
            "equity": self.equity,
            "stderr": or_none(self.stderr),
            "interval95": [or_none(low), or_none(high)],
        }
