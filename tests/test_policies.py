"""Policies: their values, what they refuse, and that nothing else gets through."""

import copy
import pickle
import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import tavli_fast as tavli
from tavli_fast.engine._kernels.network import evaluate
from tavli_fast.policies import onnx_model
from tavli_fast.policies.known import NAMED, Function, Policy, Random, checked_values

PORTES = tavli.variant("portes")
ROWS, _ = PORTES.sample(2500, seed=1)
GAMES = {"tesauro198": "portes", "pin248": "plakoto", "wall206": "fevga", "raw": "narde"}
Layers = list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]


def layers_of(*widths: int, seed: int = 1) -> Layers:
    """Random layers between these widths."""
    numbers = np.random.default_rng(seed)
    return [
        (
            numbers.normal(size=(n_in, n_out)).astype(np.float32) / 4,
            numbers.normal(size=n_out).astype(np.float32) / 4,
        )
        for n_in, n_out in pairwise(widths)
    ]


def network(*hidden: int, seed: int = 1, **options: Any) -> tavli.Network:
    """A random network of Portes."""
    about = {"scheme": "tesauro198", "hidden": "relu", "output": "identity"}
    return tavli.Network(layers_of(198, *hidden, 1, seed=seed), **(about | options))


# --- networks: values -----------------------------------------------------------------------------

ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "identity": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
}


def twin(policy: tavli.Network, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The values as numpy computes them, in float64."""
    x = features.astype(np.float64)
    for i, (weights, biases) in enumerate(policy.layers):
        last = i == len(policy.layers) - 1
        x = ACTIVATIONS[policy.output if last else policy.hidden](x @ weights + biases)
    return policy.scale * (2 * x[:, 0] - 1 if policy.output == "sigmoid" else x[:, 0])


@pytest.mark.parametrize("widths", [(), (1,), (3,), (40,), (33, 17), (8, 1, 5)])
@pytest.mark.parametrize("hidden", ["relu", "sigmoid", "tanh"])
@pytest.mark.parametrize("output", ["identity", "sigmoid", "tanh"])
def test_networks_compute_what_numpy_does(
    widths: tuple[int, ...], hidden: str, output: str
) -> None:
    """Up to the rounding of float32."""
    policy = network(*widths, hidden=hidden, output=output, scale=3)
    found = policy.values(PORTES, ROWS[:300])
    assert (found.dtype, found.shape) == (np.float64, (300,))
    assert np.allclose(found, twin(policy, PORTES.encode(ROWS[:300])), rtol=1e-5, atol=1e-5)
    assert len(set(found.tolist())) > 50


@pytest.mark.parametrize("scheme", GAMES)
def test_networks_of_every_scheme(scheme: str) -> None:
    """On both engines the same."""
    game, width = GAMES[scheme], len(tavli.encode_columns(scheme))
    policy = tavli.Network(
        layers_of(width, 20, 1), scheme=scheme, hidden="sigmoid", output="identity"
    )
    kernel, reference = tavli.variant(game), tavli.variant(game, engine="reference")
    rows, _ = kernel.sample(40, seed=2)
    found = policy.values(kernel, rows)
    assert np.allclose(found, twin(policy, kernel.encode(rows, scheme)), rtol=1e-4, atol=1e-4)
    assert np.array_equal(found, policy.values(reference, rows))


@pytest.mark.parametrize("hidden", ["relu", "sigmoid", "tanh"])
def test_values_do_not_depend_on_the_company(hidden: str) -> None:
    """A row has the same value, bit for bit, alone, in any batch, at any place, in any thread."""
    policy = network(37, 9, hidden=hidden, output="tanh")
    together = policy.values(PORTES, ROWS)
    assert [policy.values(PORTES, row[None])[0] for row in ROWS[:200]] == together[:200].tolist()
    numbers = np.random.default_rng(3)
    for size in (2, 3, 7, 64, 1023, 1024, 1025, 2500):
        chosen = numbers.integers(0, len(ROWS), size)
        assert np.array_equal(policy.values(PORTES, ROWS[chosen]), together[chosen])
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(partial(policy.values, PORTES), np.array_split(ROWS, 9)))
    assert np.array_equal(np.concatenate(parts), together)


def test_memory_stays_flat() -> None:
    """Features are made for a few rows at a time: 160 MB would be needed for all of these."""
    policy, rows = network(8), np.concatenate([ROWS] * 80)
    policy.values(PORTES, ROWS)
    tracemalloc.start()
    policy.values(PORTES, rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * len(rows) + 2_000_000


def test_no_rows_have_no_values() -> None:
    """Not even of a wrong game."""
    assert network(5).values(PORTES, ROWS[:0]).shape == (0,)
    with pytest.raises(tavli.RuleConflict, match="tesauro198"):
        network(5).values(tavli.variant("fevga"), ROWS[:0])


def test_a_hidden_layer_that_overflows_gives_no_value() -> None:
    """What is infinite or no number inside is not made a number by relu."""
    huge = np.full((198, 2), 3e38) * [1, -1]
    policy = tavli.Network(
        [(huge, [0, 0]), (np.ones((2, 2)), [0, 0]), (np.array([[1.0], [1.0]]), [0])],
        scheme="tesauro198",
        hidden="relu",
        output="tanh",
    )
    assert policy.values(PORTES, ROWS[:3]).tolist() == [1.0] * 3  # relu(-inf) is 0, tanh(inf) 1
    ends = [(np.array([[1.0], [-1.0]]), [0]), (np.ones((1, 1)), [0])]
    endless = tavli.Network(
        [(np.full((198, 2), 3e38), [0, 0]), *ends],
        scheme="tesauro198",
        hidden="relu",
        output="tanh",
    )
    with pytest.raises(tavli.PolicyError, match="row 0: values must be finite, got nan"):
        checked_values(endless, PORTES, ROWS[:3])


# --- networks: identity and files -----------------------------------------------------------------


def test_keys_of_networks() -> None:
    """Equal for equal content, whatever the name; different as soon as anything differs."""
    weights, biases = layers_of(198, 1)[0]
    changed = weights.copy()
    changed[100] += 1e-3
    about = {"scheme": "tesauro198", "hidden": "relu", "output": "tanh"}
    first = tavli.Network([(weights, biases)], **about)
    others = [
        tavli.Network([(changed, biases)], **about),
        tavli.Network([(weights, biases + 1)], **about),
        tavli.Network([(weights, biases)], **about, scale=2),
        tavli.Network([(weights, biases)], **about | {"output": "identity"}),
        tavli.Network([(weights, biases)], **about | {"hidden": "tanh"}),
        tavli.Network([(weights, biases), (np.ones((1, 1)), [0])], **about),
    ]
    assert len({first, *others}) == len({first.key, *(other.key for other in others)}) == 7
    again = tavli.Network([(weights.astype(np.float64), biases.tolist())], **about, name="x")
    assert first == again
    assert hash(first) == hash(again)
    assert first != "network"


def test_networks_survive_files_and_pickles(tmp_path: Path) -> None:
    """Same weights, same values, same key; the file gives the name."""
    policy = network(12, 5, hidden="tanh", output="sigmoid", scale=2.5)
    policy.save(tmp_path / "small.npz")
    stored = tavli.Network.load(str(tmp_path / "small.npz"))
    assert stored.name == "small.npz"
    for other in (stored, pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert other == policy
        assert other.widths == (198, 12, 5, 1)
        assert (other.scheme, other.hidden, other.output, other.scale) == (
            "tesauro198",
            "tanh",
            "sigmoid",
            2.5,
        )
        assert np.array_equal(other.values(PORTES, ROWS[:50]), policy.values(PORTES, ROWS[:50]))
        assert not other.layers[0][0].flags.writeable


def test_files_of_the_documented_format(tmp_path: Path) -> None:
    """Written by numpy alone, without the scale."""
    (w0, b0), (w1, b1) = layers_of(198, 4, 1)
    np.savez(
        tmp_path / "n.npz", w0=w0, b0=b0, w1=w1, b1=b1,
        scheme="tesauro198", hidden="relu", output="identity",
    )  # fmt: skip
    found = tavli.Network.load(tmp_path / "n.npz")
    assert found == network(4)
    assert found.scale == 1


def test_policies_do_not_change(tmp_path: Path) -> None:
    """Neither by setting attributes nor through the arrays they were made from."""
    layers = layers_of(198, 1)
    policy = tavli.Network(layers, scheme="tesauro198", hidden="relu", output="identity")
    before = policy.values(PORTES, ROWS[:5])
    layers[0][0][:] = 0
    assert np.array_equal(policy.values(PORTES, ROWS[:5]), before)
    with pytest.raises(AttributeError, match="scale cannot be set"):
        policy.scale = 2
    with pytest.raises(AttributeError, match="key cannot be deleted"):
        del policy.key
    with pytest.raises(AttributeError, match="cannot be made anew"):
        policy.__init__(layers, scheme="tesauro198", hidden="relu", output="identity")
    with pytest.raises(ValueError, match="read-only"):
        policy.layers[0][0][0] = 1


ONES, ZERO = np.ones((198, 1)), np.zeros(1)
SOUND = {"scheme": "tesauro198", "hidden": "relu", "output": "identity"}
BAD_NETWORKS: dict[str, tuple[Any, dict[str, Any], type, str]] = {
    "no layers": ([], {}, ValueError, "at least one layer"),
    "no list": (None, {}, TypeError, "layers must be a list of pairs, got NoneType"),
    "ragged": ([([[1.0], [1.0, 2.0]], ZERO)], {}, ValueError, "w0 must be .* got a ragged"),
    "no pairs": ([ONES], {}, TypeError, "layer 0 must be a pair"),
    "inputs": (
        [(np.ones((52, 1)), ZERO)], {}, ValueError,
        r"w0 has shape \(52, 1\), but scheme tesauro198 has 198 columns",
    ),
    "second layer": (
        [(np.ones((198, 3)), np.ones(3)), (np.ones((4, 1)), ZERO)], {}, ValueError,
        r"w1 has shape \(4, 1\), but w0 has 3 outputs",
    ),
    "outputs": ([(np.ones((198, 2)), np.ones(2))], {}, ValueError, "1 output, but w0 has 2"),
    "no outputs": ([(np.ones((198, 0)), [])], {}, ValueError, "w0 has no outputs"),
    "biases": ([(ONES, np.ones(2))], {}, ValueError, r"b0 has shape \(2,\), but w0 has 1 outputs"),
    "axes": ([(np.ones(198), ZERO)], {}, ValueError, r"w0 must have 2 axes, got shape \(198,\)"),
    "bias axes": ([(ONES, 0.0)], {}, ValueError, r"b0 must have 1 axes, got shape \(\)"),
    "nan": ([(ONES * np.nan, ZERO)], {}, ValueError, "w0 must be finite, got nan"),
    "infinite": ([(ONES, [np.inf])], {}, ValueError, "b0 must be finite, got inf"),
    "too large": ([(ONES * 1e300, ZERO)], {}, ValueError, "w0 as float32 must be finite"),
    "complex": ([(ONES * 1j, ZERO)], {}, TypeError, "w0 must be real numbers, got complex128"),
    "texts": ([(ONES, ["a"])], {}, TypeError, "b0 must be real numbers, got <U1"),
    "objects": ([(ONES.astype(object), ZERO)], {}, TypeError, "real numbers, got object"),
    "booleans": ([(ONES > 0, ZERO)], {}, TypeError, "real numbers, got bool"),
    "scheme": ([(ONES, ZERO)], {"scheme": "tesauro"}, tavli.RuleConflict, "did you mean"),
    "scheme type": ([(ONES, ZERO)], {"scheme": None}, TypeError, "scheme must be a str"),
    "hidden": ([(ONES, ZERO)], {"hidden": "elu"}, ValueError, "hidden is one of relu, sigm"),
    "output": ([(ONES, ZERO)], {"output": "relu"}, ValueError, "output is one of identity, "),
    "hidden type": ([(ONES, ZERO)], {"hidden": 1}, TypeError, "hidden must be a str, got int"),
    "scale": ([(ONES, ZERO)], {"scale": np.inf}, ValueError, "scale must be finite"),
    "scale type": ([(ONES, ZERO)], {"scale": "1"}, TypeError, "scale must be real numbers"),
    "scales": ([(ONES, ZERO)], {"scale": [1, 2]}, ValueError, "scale must have 0 axes"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("layers", "options", "error", "found"), BAD_NETWORKS.values(), ids=BAD_NETWORKS
)
def test_networks_that_do_not_fit(
    layers: Any, options: dict[str, Any], error: type, found: str
) -> None:
    """The message names the array, what it is and what it should be."""
    with pytest.raises(error, match=found):
        tavli.Network(layers, **(SOUND | options))


GOOD_FILE = {"w0": ONES, "b0": ZERO, **SOUND}
BAD_FILES: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "arrays missing: w0, b0, scheme, hidden, output; not known: none"),
    "no bias": ({k: v for k, v in GOOD_FILE.items() if k != "b0"}, "missing: b0"),
    "no scheme": ({k: v for k, v in GOOD_FILE.items() if k != "scheme"}, "missing: scheme"),
    "gap": (GOOD_FILE | {"w2": ONES, "b2": ZERO}, "missing: w1, b1; not known: w2, b2"),
    "unknown": (GOOD_FILE | {"activation": "relu"}, "missing: none; not known: activation"),
    "objects": (GOOD_FILE | {"w0": ONES.astype(object)}, "Object arrays cannot be loaded"),
    "scheme": (GOOD_FILE | {"scheme": "tesauro"}, "no scheme 'tesauro'"),
    "scheme type": (GOOD_FILE | {"scheme": 198}, "scheme must be a text, got int64"),
    "schemes": (GOOD_FILE | {"scheme": ["raw"]}, "scheme must be a text, got <U3"),
    "nan": (GOOD_FILE | {"w0": ONES * np.nan}, "w0 must be finite, got nan"),
    "scale": (GOOD_FILE | {"scale": np.nan}, "scale must be finite"),
    "shape": (GOOD_FILE | {"w0": ONES.T}, "w0 has shape"),
}


@pytest.mark.parametrize(("arrays", "found"), BAD_FILES.values(), ids=BAD_FILES)
def test_files_that_are_no_networks(tmp_path: Path, arrays: dict[str, Any], found: str) -> None:
    """The file is named, and what is wrong with it."""
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(tavli.PolicyError, match=found) as raised:
        tavli.Network.load(tmp_path / "bad.npz")
    assert raised.value.policy == "bad.npz"
    assert str(tmp_path / "bad.npz") in str(raised.value)


def test_files_that_are_no_archives(tmp_path: Path) -> None:
    """Arrays, texts, pickles, archives cut short or spoilt at any byte, nothing at all."""
    file = tmp_path / "n.npz"
    network(3).save(tmp_path / "good.npz")
    good = (tmp_path / "good.npz").read_bytes()
    with file.open("wb") as stream:
        np.save(stream, ONES)
    array = file.read_bytes()
    for content in (b"", b"PK", b"no archive", array, pickle.dumps([1]), good[:-1], good[:500]):
        file.write_bytes(content)
        with pytest.raises(tavli.PolicyError, match="is no network"):
            tavli.Network.load(file)
    survived = 0
    for at in range(0, len(good), 37):
        spoilt = bytearray(good)
        spoilt[at] ^= 0x55
        file.write_bytes(bytes(spoilt))
        try:
            tavli.Network.load(file)
            survived += 1
        except tavli.PolicyError:
            pass
    assert survived < len(good) / 37 / 2
    with pytest.raises(FileNotFoundError):
        tavli.Network.load(tmp_path / "missing.npz")
    with pytest.raises(ValueError, match=r"a file \.npz"):
        network().save(tmp_path / "n.txt")


def test_the_kernel_refuses_arrays_that_do_not_fit() -> None:
    """Whoever calls it, nothing outside the arrays is read or written."""
    features, parameters = np.ones((4, 6), dtype=np.float32), np.ones(6 * 3 + 3 + 4, dtype="f4")
    out = np.empty(4)
    evaluate(features, parameters, np.array([6, 3, 1]), 1, 0, 1.0, out)
    assert (out == 22).all()
    for widths in ([6, 3, 2], [6, 4, 1], [5, 3, 1], [6], [], [6, 0, 1], [6, -3, 1], [6, 1 << 40]):
        with pytest.raises(ValueError, match=r"fit|units"):
            evaluate(features, parameters, np.array(widths, dtype=np.int64), 1, 0, 1.0, out)
    with pytest.raises(ValueError, match="inputs"):
        evaluate(features[:, :5].copy(), parameters, np.array([6, 3, 1]), 1, 0, 1.0, out)
    with pytest.raises(ValueError, match="room"):
        evaluate(features, parameters, np.array([6, 3, 1]), 1, 0, 1.0, out[:3])


# --- ONNX -----------------------------------------------------------------------------------------


def model(
    layers: Layers,
    *,
    rows: int | str = "n",
    kind: int = TensorProto.FLOAT,
    flat: bool = False,
    scheme: str | None = None,
) -> onnx.ModelProto:
    """An ONNX model of relu layers and a tanh at the end."""
    nodes, weights, x = [], [], "x"
    for i, (w, b) in enumerate(layers):
        weights += [numpy_helper.from_array(w, f"w{i}"), numpy_helper.from_array(b, f"b{i}")]
        nodes.append(helper.make_node("Gemm", [x, f"w{i}", f"b{i}"], [f"sum{i}"]))
        last = i == len(layers) - 1
        x = f"out{i}"
        nodes.append(helper.make_node("Tanh" if last else "Relu", [f"sum{i}"], [x]))
    if flat:
        weights.append(numpy_helper.from_array(np.array([1]), "axis"))
        nodes.append(helper.make_node("Squeeze", [x, "axis"], ["flat"]))
        x = "flat"
    width, outputs = layers[0][0].shape[0], layers[-1][0].shape[1]
    graph = helper.make_graph(
        nodes,
        "values",
        [helper.make_tensor_value_info("x", kind, [rows, width])],
        [helper.make_tensor_value_info(x, kind, [rows] if flat else [rows, outputs])],
        weights,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    if scheme is not None:
        helper.set_model_props(made, {"tavli_scheme": scheme})
    return made


def onnx_policy(folder: Path, made: onnx.ModelProto, scheme: str | None = None) -> tavli.Onnx:
    """A model as the policy of a file."""
    onnx.save(made, folder / "model.onnx")
    return tavli.Onnx(folder / "model.onnx", scheme)


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("widths", [(), (20,), (33, 17)])
def test_onnx_models_have_the_values_of_their_networks(
    tmp_path: Path, widths: tuple[int, ...], flat: bool
) -> None:
    """The same weights in both, 2,500 rows and one."""
    layers = layers_of(198, *widths, 1)
    same = tavli.Network(layers, scheme="tesauro198", hidden="relu", output="tanh")
    policy = onnx_policy(tmp_path, model(layers, flat=flat, scheme="tesauro198"))
    expected = same.values(PORTES, ROWS)
    assert np.allclose(checked_values(policy, PORTES, ROWS), expected, rtol=1e-4, atol=1e-5)
    assert np.allclose(checked_values(policy, PORTES, ROWS[:1]), expected[:1], rtol=1e-4, atol=1e-5)
    assert policy.values(PORTES, ROWS[:0]).shape == (0,)


def test_onnx_schemes(tmp_path: Path) -> None:
    """From the metadata, from the argument, from both, from none."""
    layers = layers_of(198, 1)
    named, bare = model(layers, scheme="tesauro198"), model(layers)
    values = onnx_policy(tmp_path, named).values(PORTES, ROWS[:9])
    for made in (named, bare):
        found = onnx_policy(tmp_path, made, "tesauro198").values(PORTES, ROWS[:9])
        assert np.array_equal(found, values)
    with pytest.raises(tavli.PolicyError, match=r"'model.onnx': .*no tavli_scheme"):
        onnx_policy(tmp_path, bare).values(PORTES, ROWS[:9])
    with pytest.raises(tavli.PolicyError, match="say tavli_scheme=tesauro198, asked for was raw"):
        onnx_policy(tmp_path, named, "raw").values(PORTES, ROWS[:9])
    with pytest.raises(tavli.PolicyError, match="no scheme 'tesauro'"):
        onnx_policy(tmp_path, model(layers, scheme="tesauro")).values(PORTES, ROWS[:9])
    with pytest.raises(tavli.RuleConflict, match="no scheme 'tesauro'"):
        onnx_policy(tmp_path, bare, "tesauro")
    with pytest.raises(tavli.RuleConflict, match="pin248"):
        onnx_policy(tmp_path, named).values(tavli.variant("tapa"), ROWS[:9])


def two_inputs() -> onnx.ModelProto:
    """A model that adds its two inputs."""
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", 198]) for n in "xyz"]
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "y"], ["z"])], "add", ports[:2], ports[2:]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def doubles() -> onnx.ModelProto:
    """A model over float64."""
    layers = [(w.astype(np.float64), b.astype(np.float64)) for w, b in layers_of(198, 1)]
    return model(layers, kind=TensorProto.DOUBLE)


@pytest.mark.parametrize(
    ("made", "found"),
    [
        (model(layers_of(52, 1)), "its input has 52 columns, scheme tesauro198 has 198"),
        (model(layers_of(198, 1), rows=16), "takes 16 rows at a time"),
        (model(layers_of(198, 2)), r"the output for 9 rows has shape \(9, 2\)"),
        (two_inputs(), "it has 2 inputs and 1 outputs"),
        (doubles(), r"its input is tensor\(double\)"),
    ],
)
def test_onnx_models_that_do_not_fit(tmp_path: Path, made: onnx.ModelProto, found: str) -> None:
    """The message tells what the model has."""
    with pytest.raises(tavli.PolicyError, match=found):
        onnx_policy(tmp_path, made, "tesauro198").values(PORTES, ROWS[:9])


def test_files_that_are_no_models(tmp_path: Path) -> None:
    """They are refused when they are opened, or found missing."""
    (tmp_path / "model.onnx").write_bytes(b"no model")
    policy = tavli.Onnx(tmp_path / "model.onnx", "raw")
    with pytest.raises(tavli.PolicyError, match="the model cannot be opened"):
        policy.values(PORTES, ROWS[:9])
    with pytest.raises(FileNotFoundError):
        tavli.Onnx(tmp_path / "missing.onnx")


def test_onnx_policies_travel_as_bytes(tmp_path: Path) -> None:
    """A process that never saw the file has the same values, and the same policy."""
    policy = onnx_policy(tmp_path, model(layers_of(198, 6, 1), scheme="tesauro198"))
    values = policy.values(PORTES, ROWS[:20])
    (tmp_path / "model.onnx").unlink()
    content = pickle.dumps(policy)
    assert len(content) < len(policy.content) + 1000
    assert pickle.loads(content) == policy
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = pool.submit(checked_values, policy, PORTES, ROWS[:20]).result()
    assert np.array_equal(found, values)


def test_onnx_models_are_opened_once(tmp_path: Path) -> None:
    """Equal files are one policy; another file or another scheme is another one."""
    made = model(layers_of(198, 6, 1), scheme="tesauro198")
    first, again = onnx_policy(tmp_path, made), onnx_policy(tmp_path, made)
    other = onnx_policy(tmp_path, model(layers_of(198, 6, 1, seed=2), scheme="tesauro198"))
    assert first == again
    assert len({first, again, other, onnx_policy(tmp_path, made, "tesauro198")}) == 3
    onnx_model._model.cache_clear()
    first.values(PORTES, ROWS[:1])
    again.values(PORTES, ROWS[:1])
    pickle.loads(pickle.dumps(first)).values(PORTES, ROWS[:1])
    assert onnx_model._model.cache_info().misses == 1


def test_without_onnxruntime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the extra."""
    made = model(layers_of(198, 1), scheme="tesauro198")
    onnx_policy(tmp_path, made)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ImportError, match=r"pip install 'tavli_fast\[onnx\]'"):
        tavli.policy_of(tmp_path / "model.onnx")


# --- callables ------------------------------------------------------------------------------------


def off_difference(rows: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """Checkers off, of the mover and of the opponent."""
    return rows[:, 26].astype(np.int64) - rows[:, 27]


class Counting:
    """An object with values."""

    def __init__(self) -> None:
        self.calls = 0

    def values(self, rows: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
        """Checkers on the mover's point 6."""
        self.calls += 1
        return rows[:, 6].astype(np.float32)


def test_callables_and_objects() -> None:
    """What they give, as float64 of the caller's own."""
    policy = tavli.policy_of(off_difference)
    found = checked_values(policy, PORTES, ROWS)
    assert found.dtype == np.float64
    assert np.array_equal(found, off_difference(ROWS))
    assert (policy.name, policy.key) == ("off_difference", f"{__name__}:off_difference")
    counting = Counting()
    policy = tavli.policy_of(counting)
    assert np.array_equal(checked_values(policy, PORTES, ROWS), ROWS[:, 6])
    assert (policy.name, policy.key) == ("Counting", f"{__name__}:Counting")
    assert checked_values(policy, PORTES, ROWS[:0]).shape == (0,)
    assert counting.calls == 1
    assert pickle.loads(pickle.dumps(policy)).target.calls == 1
    bound = tavli.policy_of(counting.values)
    assert bound.key == f"{__name__}:Counting.values"
    assert tavli.policy_of(partial(off_difference)).name == "partial"


def test_callables_get_rows_of_their_own() -> None:
    """They may write into them, and may give the same array each time."""
    room = np.zeros(5)

    def spoil(rows: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        room[:] = rows[:, 6]
        rows[:] = 0
        return room

    rows = ROWS[:5].copy()
    first = checked_values(tavli.policy_of(spoil), PORTES, rows)
    assert np.array_equal(rows, ROWS[:5])
    checked_values(tavli.policy_of(spoil), PORTES, ROWS[100:105])
    assert np.array_equal(first, rows[:, 6])


def holey(value: float) -> Callable[[npt.NDArray[np.int8]], npt.NDArray[np.float64]]:
    """A callable whose third value is this one."""

    def values(rows: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        found = np.zeros(len(rows))
        found[2] = value
        return found

    return values


FAULTS: dict[str, tuple[Callable[[Any], Any], int | None, str]] = {
    "nan": (holey(np.nan), 2, "must be finite, got nan"),
    "infinite": (holey(-np.inf), 2, "must be finite, got -inf"),
    "one too few": (lambda rows: np.zeros(len(rows) - 1), None, r"shape \(7,\), got \(6,\)"),
    "a column": (lambda rows: np.zeros((len(rows), 1)), None, r"shape \(7,\), got \(7, 1\)"),
    "one number": (lambda rows: 0.5, None, r"shape \(7,\), got \(\)"),
    "nothing": (lambda rows: None, None, "real numbers, got object"),
    "texts": (lambda rows: ["a"] * len(rows), None, "real numbers, got <U1"),
    "complex": (lambda rows: np.zeros(len(rows), complex), None, "real numbers, got complex128"),
    "booleans": (lambda rows: rows[:, 6] > 0, None, "real numbers, got bool"),
    "ragged": (lambda rows: [[0.0], [0.0, 1.0]], None, "it raised ValueError"),
    "an error": (lambda rows: 1 / 0, None, "it raised ZeroDivisionError: division by zero"),
}


@pytest.mark.parametrize(("function", "row", "found"), FAULTS.values(), ids=FAULTS)
def test_faults_are_told(function: Callable[[Any], Any], row: int | None, found: str) -> None:
    """By one error, with the name of the policy and the row."""
    policy = Function(function)
    with pytest.raises(tavli.PolicyError, match=found) as raised:
        checked_values(policy, PORTES, ROWS[:7])
    assert isinstance(raised.value, tavli.TavliError)
    assert (raised.value.policy, raised.value.row) == (policy.name, row)
    assert str(raised.value).startswith(f"policy {policy.name!r}")
    assert (raised.value.__cause__ is not None) == ("it raised" in found)
    sent = pickle.loads(pickle.dumps(raised.value))
    assert (str(sent), sent.row) == (str(raised.value), row)


def test_faults_of_other_policies() -> None:
    """The same error, with the first one as its cause."""
    with pytest.raises(tavli.PolicyError, match="RuleConflict: scheme tesauro198") as raised:
        checked_values(network(), tavli.variant("fevga"), ROWS[:3])
    assert isinstance(raised.value.__cause__, tavli.RuleConflict)
    with pytest.raises(tavli.PolicyError, match="it has no values"):
        checked_values(tavli.policy_of("random"), PORTES, ROWS[:3])


def test_policies_written_by_callers() -> None:
    """A class of their own is taken as it is, and checked like any other."""

    class Empty(Policy):
        name = key = "empty"

        def values(self, variant: tavli.Variant, rows: Any) -> Any:
            return np.zeros(len(rows) + 1)

    policy = Empty()
    assert tavli.policy_of(policy) is policy
    assert repr(policy) == "<Empty 'empty'>"
    with pytest.raises(tavli.PolicyError, match="policy 'empty': values must have shape"):
        checked_values(policy, PORTES, ROWS[:3])
    with pytest.raises(TypeError, match="abstract"):
        Policy()


def test_policies_are_asked_about_rows() -> None:
    """Of shape [n, 32], as everywhere."""
    for policy in (network(), Function(off_difference)):
        with pytest.raises(ValueError, match=r"shape \(n, 32\), got \(32,\)"):
            policy.values(PORTES, ROWS[0])
    with pytest.raises(TypeError, match="int8"):
        checked_values(network(), PORTES, ROWS.astype(np.int16))


# --- names ----------------------------------------------------------------------------------------


def test_policies_by_name() -> None:
    """Each is one and the same, wherever it has been."""
    for name in ("random", "pips"):
        policy = tavli.policy_of(name)
        assert policy is NAMED[name]
        assert (policy.name, policy.key) == (name, name)
        assert pickle.loads(pickle.dumps(policy)) == policy
    assert tavli.policy_of("random") == Random()
    assert tavli.policy_of("random") != tavli.policy_of("pips")


def test_policies_by_file(tmp_path: Path) -> None:
    """The ending tells the kind."""
    network(3).save(tmp_path / "a.npz")
    onnx.save(model(layers_of(198, 1), scheme="tesauro198"), tmp_path / "a.onnx")
    for path in (tmp_path, str(tmp_path)):
        assert tavli.policy_of(f"{path}/a.npz") == network(3)
        assert isinstance(tavli.policy_of(f"{path}/a.onnx"), tavli.Onnx)
    assert tavli.policy_of(tmp_path / "a.npz").name == "a.npz"


@pytest.mark.parametrize(
    ("spec", "error", "found"),
    [
        ("pip", ValueError, "no policy 'pip'; a policy is 'random', 'pips', a file .npz or .onnx"),
        (Path("a.txt"), ValueError, "no policy 'a.txt'"),
        ("", ValueError, "no policy ''"),
        (None, TypeError, "got None"),
        (3, TypeError, "got 3"),
        (b"pips", TypeError, "got b'pips'"),
        (Counting, TypeError, "got <class"),
        (np.zeros(3), TypeError, "got array"),
    ],
)
def test_what_is_no_policy(spec: Any, error: type, found: str) -> None:
    """The message lists what is one."""
    with pytest.raises(error, match=found) as raised:
        tavli.policy_of(spec)
    assert "'random', 'pips'" in str(raised.value)
