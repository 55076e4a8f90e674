"""Policies: what gives positions values, so that plays can be chosen by them.

A policy is bound to no variant, never changes and can be pickled; see ``docs/policies.md``. What
comes from outside (files, callables) is checked: when it is read, and every value when it is given.
"""

import abc
import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .arguments import Rows, check_rows
from .encode import scheme_for, scheme_named
from .errors import PolicyError
from .variant import Variant

Values = npt.NDArray[np.float64]
Layers = tuple[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]], ...]
FilePath = str | os.PathLike[str]

# the order is that of the codes in _kernels/network.pyx
ACTIVATIONS = ("identity", "relu", "sigmoid", "tanh")
HIDDEN = ("relu", "sigmoid", "tanh")
OUTPUT = ("identity", "sigmoid", "tanh")
# rows encoded at a time: 0.8 MB of features, which stay in the cache
BLOCK = 1024
ONNX_SCHEME = "tavli_scheme"


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


class _Fixed(Policy):
    """A policy whose attributes are set once, when it is made."""

    def __init__(self, **attributes: object) -> None:
        if self.__dict__:
            raise AttributeError(f"{self!r} is immutable: it cannot be made anew")
        self.__dict__.update(attributes)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{self!r} is immutable: {name} cannot be deleted")


def _many(rows: Rows) -> Rows:
    """Rows as contiguous int8[n, 32]."""
    checked, single = check_rows(rows)
    if single:
        raise ValueError("a policy is asked about rows of shape (n, 32), got (32,)")
    return checked


def _features(
    variant: Variant, rows: Rows, scheme: str
) -> Iterator[tuple[slice, npt.NDArray[np.float32]]]:
    """Parts of the rows and their features, in memory that is used again for the next part."""
    scheme_for(variant.rules, scheme)  # refused for no rows as well
    room = np.empty((min(len(rows), BLOCK), scheme_named(scheme).width), dtype=np.float32)
    for low in range(0, len(rows), BLOCK):
        part = slice(low, min(low + BLOCK, len(rows)))
        yield part, variant.encode(rows[part], scheme, room[: part.stop - low])


# --- policies with a name -------------------------------------------------------------------------


class Random(_Fixed):
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


class Pips(_Fixed):
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
        values: Values = variant.pip_values(rows)  # type: ignore[attr-defined]
        return values


NAMED: dict[str, Policy] = {"random": Random(), "pips": Pips()}


# --- networks -------------------------------------------------------------------------------------


class Network(_Fixed):
    """A linear function or a small network of features, with weights from arrays or a file.

    The value of a row is scale * output, where a sigmoid is taken for the probability p to win and
    gives 2 p - 1. It depends on the row alone, bit for bit, not on the rows it comes with.

    Parameters
    ----------
    layers : sequence of (weights, biases)
        float [n_in, n_out] and [n_out] of every layer, as float32; the last has one output.
    scheme : str
        The features the first layer takes (``docs/encoders.md``).
    hidden : {"relu", "sigmoid", "tanh"}
        The activation of every layer but the last.
    output : {"identity", "sigmoid", "tanh"}
        The activation of the last layer.
    scale : float
    name : str

    Examples
    --------
    >>> import numpy as np
    >>> import tavli_fast as tavli
    >>> weights = np.zeros((198, 1))
    >>> weights[97] = 15  # a point for each checker borne off
    >>> policy = tavli.Network(
    ...     [(weights, [0])], scheme="tesauro198", hidden="relu", output="identity"
    ... )
    >>> position = tavli.Position.parse("portes", own="6*12", opp="24*15")
    >>> policy.values(tavli.variant("portes"), position.row[None])
    array([3.])
    """

    scheme: str
    hidden: str
    output: str
    scale: float
    widths: tuple[int, ...]
    _parameters: bytes  # float32, layer by layer weights and biases; bytes stay read-only

    def __init__(
        self,
        layers: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]],
        *,
        scheme: str,
        hidden: str,
        output: str,
        scale: float = 1.0,
        name: str = "network",
    ) -> None:
        inputs = scheme_named(scheme).width
        _one_of(hidden, "hidden", HIDDEN)
        _one_of(output, "output", OUTPUT)
        factor = float(_numbers(scale, "scale", 0))
        checked = _check_layers(layers, scheme, inputs)
        parameters = b"".join(array.tobytes() for layer in checked for array in layer)
        widths = (inputs, *(len(biases) for _, biases in checked))
        about = f"{scheme} {hidden} {output} {factor!r} {widths} "
        super().__init__(
            name=str(name),
            key=f"network:{sha256(about.encode() + parameters).hexdigest()}",
            scheme=str(scheme),
            hidden=str(hidden),
            output=str(output),
            scale=factor,
            widths=widths,
            _parameters=parameters,
        )

    @property
    def layers(self) -> Layers:
        """Weights float32[n_in, n_out] and biases float32[n_out] of every layer, read-only.

        Examples
        --------
        >>> import numpy as np
        >>> import tavli_fast as tavli
        >>> policy = tavli.Network(
        ...     [(np.ones((52, 1)), [0])], scheme="raw", hidden="relu", output="tanh"
        ... )
        >>> [(weights.shape, biases.shape) for weights, biases in policy.layers]
        [((52, 1), (1,))]
        """
        flat, at, found = self._flat(), 0, []
        for n_in, n_out in pairwise(self.widths):
            middle, end = at + n_in * n_out, at + (n_in + 1) * n_out
            found.append((flat[at:middle].reshape(n_in, n_out), flat[middle:end]))
            at = end
        return tuple(found)

    def _flat(self) -> npt.NDArray[np.float32]:
        return np.frombuffer(self._parameters, dtype=np.float32)

    def values(self, variant: Variant, rows: Rows) -> Values:
        """Values of positions (``Policy.values``)."""
        from ._kernels.network import evaluate  # noqa: PLC0415

        rows = _many(rows)
        parameters, widths = self._flat(), np.array(self.widths, dtype=np.int64)
        hidden, output = ACTIVATIONS.index(self.hidden), ACTIVATIONS.index(self.output)
        values = np.empty(len(rows), dtype=np.float64)
        for part, features in _features(variant, rows, self.scheme):
            evaluate(features, parameters, widths, hidden, output, self.scale, values[part])
        return values

    def save(self, path: FilePath) -> None:
        """Write the network to a file that ``Network.load`` reads (``docs/policies.md``).

        Parameters
        ----------
        path : str or path
            Ends in ``.npz``.

        Examples
        --------
        >>> import tempfile
        >>> import numpy as np
        >>> import tavli_fast as tavli
        >>> policy = tavli.Network(
        ...     [(np.ones((52, 1)), [0])], scheme="raw", hidden="relu", output="tanh"
        ... )
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     policy.save(f"{folder}/one.npz")
        ...     tavli.Network.load(f"{folder}/one.npz") == policy
        True
        """
        file = Path(path)
        if file.suffix != ".npz":
            raise ValueError(f"a network is written to a file .npz, got {file}")
        arrays: dict[str, Any] = {
            name: getattr(self, name) for name in ("scheme", "hidden", "output", "scale")
        }
        for i, (weights, biases) in enumerate(self.layers):
            arrays[f"w{i}"], arrays[f"b{i}"] = weights, biases
        np.savez(file, **arrays)

    @classmethod
    def load(cls, path: FilePath) -> "Network":
        """Read a network from a file, which gives it its name.

        Raises
        ------
        PolicyError
            When the file is no network: what it lacks, or which array is wrong.

        Examples
        --------
        See :meth:`save`.
        """
        file = Path(path)
        try:
            arrays = _stored(file)
            count = len([name for name in arrays if name[:1] == "w"])
            needed = [f"{letter}{i}" for i in range(max(count, 1)) for letter in "wb"]
            needed += ["scheme", "hidden", "output"]
            missing = [name for name in needed if name not in arrays]
            unknown = [name for name in arrays if name not in (*needed, "scale")]
            if missing or unknown:
                raise ValueError(
                    f"arrays missing: {', '.join(missing) or 'none'}; "
                    f"not known: {', '.join(unknown) or 'none'}"
                )
            return cls(
                [(arrays[f"w{i}"], arrays[f"b{i}"]) for i in range(count)],
                scheme=_text(arrays["scheme"], "scheme"),
                hidden=_text(arrays["hidden"], "hidden"),
                output=_text(arrays["output"], "output"),
                scale=float(_numbers(arrays.get("scale", 1.0), "scale", 0)),
                name=file.name,
            )
        except (TypeError, ValueError) as error:
            raise PolicyError(file.name, f"{file} is no network: {error}") from error


def _stored(file: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an .npz file, pickled ones refused."""
    try:
        with file.open("rb") as stream:
            stored = np.load(stream, allow_pickle=False)
            if isinstance(stored, np.ndarray):
                raise ValueError("it is an array .npy, not an archive .npz")
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError):
        raise
    except Exception as error:  # zipfile, zlib, struct and EOF errors of a broken archive
        raise ValueError(f"it cannot be read ({error or type(error).__name__})") from error


def _text(array: npt.NDArray[Any], what: str) -> str:
    if array.dtype.kind != "U" or array.ndim != 0:
        raise TypeError(f"{what} must be a text, got {array.dtype} of shape {array.shape}")
    return str(array)


def _one_of(value: str, what: str, known: tuple[str, ...]) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, got {type(value).__name__}")
    if value not in known:
        raise ValueError(f"{what}={value!r} does not exist; {what} is one of {', '.join(known)}")


def _numbers(given: npt.ArrayLike, what: str, ndim: int) -> npt.NDArray[Any]:
    """Finite real numbers with so many axes."""
    try:
        array = np.asarray(given)
    except ValueError:
        raise ValueError(f"{what} must be real numbers, got a ragged sequence") from None
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{what} must be real numbers, got {array.dtype}")
    if array.ndim != ndim:
        raise ValueError(f"{what} must have {ndim} axes, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite, got {array[~np.isfinite(array)][0]}")
    return array


def _check_layers(
    layers: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]], scheme: str, inputs: int
) -> Layers:
    """Layers that fit the scheme and each other, as float32."""
    if not isinstance(layers, (list, tuple)):
        raise TypeError(f"layers must be a list of pairs, got {type(layers).__name__}")
    checked = []
    given = f"scheme {scheme} has {inputs} columns"
    for i, layer in enumerate(layers):
        if not isinstance(layer, (tuple, list)) or len(layer) != 2:
            raise TypeError(f"layer {i} must be a pair of weights and biases")
        weights, biases = _float32(layer[0], f"w{i}", 2), _float32(layer[1], f"b{i}", 1)
        if weights.shape[0] != inputs:
            raise ValueError(f"w{i} has shape {weights.shape}, but {given}")
        outputs = weights.shape[1]
        if biases.shape != (outputs,):
            raise ValueError(f"b{i} has shape {biases.shape}, but w{i} has {outputs} outputs")
        if not outputs:
            raise ValueError(f"w{i} has no outputs")
        inputs, given = outputs, f"w{i} has {outputs} outputs"
        checked.append((weights, biases))
    if not checked:
        raise ValueError("a network has at least one layer, got none")
    if inputs != 1:
        raise ValueError(f"the last layer must have 1 output, but {given}")
    return tuple(checked)


def _float32(given: npt.ArrayLike, what: str, ndim: int) -> npt.NDArray[np.float32]:
    array = _numbers(given, what, ndim)
    with np.errstate(over="ignore"):  # looked for below
        return _numbers(array.astype(np.float32), f"{what} as float32", ndim)


# --- ONNX -----------------------------------------------------------------------------------------


class Onnx(_Fixed):
    """A model in an ONNX file, run by onnxruntime (``pip install "tavli_fast[onnx]"``).

    It takes features float32[n, f] and gives values [n] or [n, 1]. What is pickled are the bytes of
    the file; each process opens them when it needs them and keeps a few models open.

    Parameters
    ----------
    path : str or path
    scheme : str, optional
        The features it takes; when left out, the model's metadata say so under ``tavli_scheme``.

    Raises
    ------
    ImportError
        When onnxruntime is not installed.
    PolicyError
        From ``values``: what keeps the model from being run.
    """

    scheme: str | None
    content: bytes

    def __init__(self, path: FilePath, scheme: str | None = None) -> None:
        _onnxruntime()
        if scheme is not None:
            scheme_named(scheme)
        file = Path(path)
        content = file.read_bytes()
        said = "" if scheme is None else f":{scheme}"
        super().__init__(
            name=file.name,
            key=f"onnx:{sha256(content).hexdigest()}{said}",
            scheme=scheme,
            content=content,
        )

    def values(self, variant: Variant, rows: Rows) -> Values:
        """Values of positions (``Policy.values``)."""
        rows = _many(rows)
        model = _model(self)
        values = np.empty(len(rows), dtype=np.float64)
        for part, features in _features(variant, rows, model.scheme):
            found = np.asarray(model.run(features))
            n = len(features)
            if found.shape not in ((n,), (n, 1)):
                raise PolicyError(
                    self.name, f"the output for {n} rows has shape {found.shape}, not [n] or [n, 1]"
                )
            values[part] = found.reshape(n)
        return values


class _Model(NamedTuple):
    """An opened ONNX model."""

    run: Callable[[npt.NDArray[np.float32]], Any]
    scheme: str


def _onnxruntime() -> Any:
    try:
        return importlib.import_module("onnxruntime")
    except ImportError as error:
        raise ImportError(
            'a policy in an ONNX file needs onnxruntime: pip install "tavli_fast[onnx]"'
        ) from error


@lru_cache(maxsize=8)
def _model(policy: Onnx) -> _Model:
    """A policy's model, opened once in a process: policies are found by their keys."""
    runtime = _onnxruntime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # sums in a fixed order
    options.log_severity_level = 4
    try:
        session = runtime.InferenceSession(
            policy.content, options, providers=["CPUExecutionProvider"]
        )
        scheme = _onnx_scheme(policy.scheme, session.get_modelmeta().custom_metadata_map)
        _check_ports(session.get_inputs(), session.get_outputs(), scheme)
    except Exception as error:  # onnxruntime has a dozen classes of its own, all of Exception
        raise PolicyError(policy.name, f"the model cannot be opened: {error}") from error
    inputs = session.get_inputs()[0].name
    return _Model(lambda features: session.run(None, {inputs: features})[0], scheme)


# a session may have been in use by another thread when the process was forked
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_model.cache_clear)


def _onnx_scheme(asked: str | None, metadata: dict[str, str]) -> str:
    stored = metadata.get(ONNX_SCHEME)
    scheme = asked or stored
    if scheme is None:
        raise ValueError(f"its metadata have no {ONNX_SCHEME}: name the scheme")
    if stored not in (None, scheme):
        raise ValueError(f"its metadata say {ONNX_SCHEME}={stored}, asked for was {asked}")
    scheme_named(scheme)
    return scheme


def _check_ports(inputs: Sequence[Any], outputs: Sequence[Any], scheme: str) -> None:
    """One input float32[n, f] with any n and as many columns as the scheme, one output."""
    if len(inputs) != 1 or len(outputs) != 1:
        raise ValueError(f"it has {len(inputs)} inputs and {len(outputs)} outputs, not one of each")
    kind, shape, width = inputs[0].type, inputs[0].shape, scheme_named(scheme).width
    if kind != "tensor(float)" or len(shape) != 2:
        raise ValueError(f"its input is {kind} of shape {shape}, not float32 [n, {width}]")
    if isinstance(shape[0], int):
        raise ValueError(f"its input takes {shape[0]} rows at a time: export it for any number")
    if isinstance(shape[1], int) and shape[1] != width:
        raise ValueError(f"its input has {shape[1]} columns, scheme {scheme} has {width}")


# --- callables ------------------------------------------------------------------------------------


class Function(_Fixed):
    """A callable ``values(rows) -> float[n]``, or an object with such a method.

    Its key is module and name of the callable or of the object's class, since that is all that can
    be known of it: two closures made by one function have the same key.

    Parameters
    ----------
    target : callable or object
        Called with rows int8[n, 32] of its own.

    Examples
    --------
    >>> from tavli_fast.policies import Function
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
        found: Values = getattr(self.target, "values", self.target)(_many(rows).copy())
        return found


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
    >>> from tavli_fast.policies import checked_values
    >>> portes = tavli.variant("portes")
    >>> rows = portes.plays(portes.start_row(), (3, 1), flipped=True).rows
    >>> policy = tavli.policy_of(lambda rows: rows[:, 24] / 2)
    >>> checked_values(policy, portes, rows)[:3]
    array([1., 1., 1.])
    """
    rows = _many(rows)
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


def policy_of(spec: Any) -> Policy:
    """The policy that something stands for.

    Parameters
    ----------
    spec : Policy, str, path, callable or object
        A policy; ``"random"`` or ``"pips"``; a file ``.npz`` (:class:`Network`) or ``.onnx``
        (:class:`Onnx`); a callable ``values(rows) -> float[n]``, or an object with such a method.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> tavli.policy_of("pips")
    <Pips 'pips'>
    """
    if isinstance(spec, Policy):
        return spec
    if isinstance(spec, str) and spec in NAMED:
        return NAMED[spec]
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
    f"{', '.join(map(repr, NAMED))}, a file .npz or .onnx, a Policy, a callable values(rows), "
    "or an object with such a method"
)
