"""Policies: what gives positions values, so that plays can be chosen by them.

A policy is bound to no variant, never changes and can be pickled; see ``docs/policies.md``. What
comes from outside (files, callables) is checked: when it is read, and every value when it is given.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.variant import Variant
from ..errors import PolicyError
from ..rules.arrays import Rows
from .base import FixedPolicy, Policy, Values, many_rows
from .network import Network
from .onnx_model import Onnx

# the kinds of policies are found here, whatever file they are made in
__all__ = [
    "NAMED",
    "Function",
    "Network",
    "Onnx",
    "Pips",
    "Policy",
    "Races",
    "Random",
    "Values",
    "checked_values",
    "policy_of",
]


# --- policies with a name -------------------------------------------------------------------------


class _Known(FixedPolicy):
    """What the kernels play without asking; a class made from it would not be asked either."""

    def __init_subclass__(cls) -> None:
        if cls.__module__ != __name__:
            raise TypeError(f"{cls.__name__}: make a class of your own from Policy instead")
        super().__init_subclass__()


class Random(_Known):
    """Takes every play as likely as any other; it has no values.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> tavli.policy_of("random").key
    'random'
    """

    def __init__(self) -> None:
        super().__init__(name="random", key="random")

    def values(self, variant: Variant, rows: Rows) -> Values:
        """Refused: there are none."""
        raise PolicyError(self.name, "it has no values, every play is as likely as any other")


class Pips(_Known):
    """Values a position by the pips and checkers on it, without looking ahead.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> tavli.policy_of("pips").key
    'pips'
    """

    def __init__(self) -> None:
        super().__init__(name="pips", key="pips")

    def values(self, variant: Variant, rows: Rows) -> Values:
        """Those of ``Variant.pip_values``."""
        values: Values = variant.pip_values(many_rows(rows))
        return values


RACES = "+races"  # behind the name of a policy: it looks races up

NAMED: dict[str, Policy] = {"random": Random(), "pips": Pips()}


# --- callables ------------------------------------------------------------------------------------


class Function(FixedPolicy):
    """A callable ``values(rows) -> float[n]``, or an object with such a method.

    Its key is module and name of the callable or of the object's class, since that is all that can
    be known of it: two closures made by one function have the same key.

    Parameters
    ----------
    target : callable or object
        Called with rows int8[n, 32] of its own.

    Examples
    --------
    >>> from tavli_fast.policies.known import Function
    >>> def borne_off(rows):
    ...     return rows[:, 26] - rows[:, 27]
    >>> Function(borne_off)
    <Function 'borne_off'>
    """

    target: Any

    def __init__(self, target: Any) -> None:
        method = getattr(target, "values", target)
        if isinstance(target, type) or not callable(method):
            raise TypeError(
                f"a callable or an object with a method values is needed, got {target!r}"
            )
        known = target if hasattr(target, "__qualname__") else type(target)
        super().__init__(
            name=known.__qualname__, key=f"{known.__module__}:{known.__qualname__}", target=target
        )

    def values(self, variant: Variant, rows: Rows) -> Values:
        """What the callable gives, as it is: :func:`checked_values` judges it."""
        # a copy: the caller's rows stay what they are
        found: Values = getattr(self.target, "values", self.target)(many_rows(rows).copy())
        return found


# --- races ----------------------------------------------------------------------------------------


class Races(FixedPolicy):
    """Another policy that looks home races up (``docs/races.md``); ``"pips+races"``, say.

    Parameters
    ----------
    inner : policy
        Values all other positions.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> policy = tavli.policy_of("pips+races")
    >>> position = tavli.Position.parse("portes", own="6", opp="24")
    >>> policy.values(position.variant, position.row[None])
    array([0.5])
    """

    inner: Policy

    def __init__(self, inner: Any) -> None:
        other = policy_of(inner)
        if isinstance(other, (Random, Races)):
            raise ValueError(
                f"{other.name}{RACES}: a policy with values is needed that does not look races up"
            )
        super().__init__(name=f"{other.name}{RACES}", key=f"{other.key}{RACES}", inner=other)

    def values(self, variant: Variant, rows: Rows) -> Values:
        """Values of positions (``Policy.values``)."""
        rows = many_rows(rows)
        home = variant.is_race(rows, home=True)
        values = np.empty(len(rows), dtype=np.float64)
        values[home] = variant.race(rows[home]).equity
        values[~home] = checked_values(self.inner, variant, rows[~home])
        return values


# --- using policies -------------------------------------------------------------------------------


def checked_values(policy: Policy, variant: Variant, rows: Rows) -> Values:
    """Values of positions, each a finite number.

    Parameters
    ----------
    policy : Policy
    variant : Variant
    rows : int8[n, 32]

    Returns
    -------
    float64[n]
        An array of the caller's own. A policy is not asked about no rows.

    Raises
    ------
    PolicyError
        When the policy raises an error (it is the cause of this one), or gives something else.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.policies.known import checked_values
    >>> portes = tavli.variant("portes")
    >>> rows = portes.plays(portes.start_row(), (3, 1), flipped=True).rows
    >>> policy = tavli.policy_of(lambda rows: rows[:, 24] / 2)
    >>> checked_values(policy, portes, rows)[:3]
    array([1., 1., 1.])
    """
    rows = many_rows(rows).view()
    rows.flags.writeable = False  # the plays are made from them
    if not len(rows):
        return np.empty(0, dtype=np.float64)
    try:
        found = np.asarray(policy.values(variant, rows))
    except PolicyError:
        raise
    except Exception as error:
        raise PolicyError(policy.name, f"it raised {type(error).__name__}: {error}") from error
    if found.dtype.kind not in "fiu":
        raise PolicyError(policy.name, f"values must be real numbers, got {found.dtype}")
    if found.shape != (len(rows),):
        raise PolicyError(policy.name, f"values must have shape ({len(rows)},), got {found.shape}")
    values = found.astype(np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        bad = int(finite.argmin())
        raise PolicyError(policy.name, f"values must be finite, got {values[bad]}", bad)
    return values


def known_values(policy: Policy, variant: Variant, rows: Rows) -> Values:
    """The policy's values, but the points of games that are decided.

    Parameters
    ----------
    policy : Policy
        It is asked about decided games too, and what it says of them is not used.
    variant : Variant
    rows : int8[n, 32]

    Returns
    -------
    float64[n]

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.policies.known import known_values
    >>> won = tavli.Position.parse("portes", own="", opp="24*15")
    >>> known_values(tavli.policy_of("pips"), won.variant, won.row[None])
    array([2.])
    """
    values = checked_values(policy, variant, rows)
    variant._games.known(variant._engine, rows, values)
    return values


def policy_of(spec: Any) -> Policy:
    """The policy that something stands for.

    Parameters
    ----------
    spec : Policy, str, path, callable or object
        A policy; ``"random"`` or ``"pips"``; a file ``.npz`` (:class:`Network`) or ``.onnx``
        (:class:`Onnx`); any of these texts with ``"+races"`` behind it (:class:`Races`); a callable
        ``values(rows) -> float[n]``, or an object with such a method.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> tavli.policy_of("pips")
    <Pips 'pips'>
    """
    if isinstance(spec, Policy):
        for what in ("name", "key"):
            if not isinstance(getattr(spec, what, None), str):
                raise TypeError(f"policy {type(spec).__name__} must have a {what}, a str")
        return spec
    if isinstance(spec, str) and spec in NAMED:
        return NAMED[spec]
    if isinstance(spec, str) and spec.endswith(RACES):
        return Races(spec.removesuffix(RACES))
    if isinstance(spec, (str, os.PathLike)):
        suffix = Path(spec).suffix
        if suffix == ".npz":
            return Network.load(spec)
        if suffix == ".onnx":
            return Onnx(spec)
        raise ValueError(f"there is no policy {str(spec)!r}; a policy is {_KINDS}")
    if isinstance(spec, type) or not callable(getattr(spec, "values", spec)):
        raise TypeError(f"policy must be {_KINDS}, got {spec!r}")
    return Function(spec)


_KINDS = (
    f"{', '.join(map(repr, NAMED))}, a file .npz or .onnx (each also with {RACES} behind it), "
    "a Policy, a callable values(rows), or an object with such a method"
)
