"""Networks as policies: their weights, checked, the file they are kept in, and their values."""

import io
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.features import scheme_named
from ..engine.variant import Variant
from ..errors import PolicyError
from ..rules.arrays import Rows
from ..support.files import replace_file
from .base import FilePath, FixedPolicy, Values, features_of, many_rows

Layers = tuple[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]], ...]

# the order is that of the codes in _kernels/network.pyx
ACTIVATIONS = ("identity", "relu", "sigmoid", "tanh")
HIDDEN = ("relu", "sigmoid", "tanh")
OUTPUT = ("identity", "sigmoid", "tanh")


class Network(FixedPolicy):
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
        factor = float(_numbers(scale, "scale", 0).astype(np.float64))
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
        from ..engine._kernels.network import evaluate  # noqa: PLC0415

        rows = many_rows(rows)
        parameters, widths = self._flat(), np.array(self.widths, dtype=np.int64)
        hidden, output = ACTIVATIONS.index(self.hidden), ACTIVATIONS.index(self.output)
        values = np.empty(len(rows), dtype=np.float64)
        for part, features in features_of(variant, rows, self.scheme):
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
        with replace_file(file) as stream:
            np.savez(stream, **arrays)

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
    content = io.BytesIO(file.read_bytes())
    try:
        stored = np.load(content, allow_pickle=False)
        if isinstance(stored, np.ndarray):
            raise ValueError("it is an array .npy, not an archive .npz")
        arrays = {name: stored[name] for name in stored.files}
    except ValueError:
        raise
    except Exception as error:  # zipfile, zlib, struct and EOF errors of a broken archive
        raise ValueError(f"it cannot be read ({str(error) or type(error).__name__})") from error
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise ValueError(f"entry {name} is no array")
    return arrays


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
