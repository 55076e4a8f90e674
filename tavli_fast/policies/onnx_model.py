"""ONNX models as policies, run by the optional onnxruntime."""

import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..engine.features import scheme_named
from ..engine.variant import Variant
from ..errors import PolicyError
from ..rules.arrays import Rows
from ..support.extras import needed
from .base import FilePath, FixedPolicy, Values, features_of, many_rows

ONNX_SCHEME = "tavli_scheme"


class Onnx(FixedPolicy):
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
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise ValueError(f"{file} is no regular file")
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
        rows = many_rows(rows)
        model = _model(self)
        values = np.empty(len(rows), dtype=np.float64)
        for part, features in features_of(variant, rows, model.scheme):
            found = np.asarray(model.run(features))
            if found.dtype.kind not in "fiu":
                raise PolicyError(self.name, f"the output must be real numbers, got {found.dtype}")
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
    return needed("onnxruntime", "onnx", "a policy in an ONNX file")


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
