"""Checkpoint files: what is written comes back, whole or not at all, and only in its own run."""

import errno
import io
import json
import math
import os
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import tavli_fast as tavli
from tavli_fast.support.checkpoints import Checkpoint
from tavli_fast.support.files import replace_file

KEY = {"rules": "portes", "seed": 2**64 - 1, "truncated": 0.1}
ARRAYS = {
    "sums": np.array([[0.1, math.inf], [math.nan, -0.0]]),
    "counts": np.arange(3, dtype=np.uint64) + np.uint64(2**63),
    "one": np.int8(3),
    "none": np.empty((0, 5), dtype=np.float32),
    "names": np.array(["α", "b"]),
    "file": np.array([True]),
    "about.json": np.array(1),
    "big end": np.arange(4, dtype=">i4"),
    "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where nothing is yet."""
    return tmp_path / "run.npz"


def written(path: Path) -> Checkpoint:
    """A file with seven blocks."""
    checkpoint = Checkpoint(path, KEY)
    checkpoint.write(7, ARRAYS)
    return checkpoint


def fails(path: Path, key: dict[str, Any] = KEY) -> str:
    with pytest.raises(tavli.CheckpointError) as caught:
        Checkpoint(path, key).read()
    assert str(path) in str(caught.value)
    return str(caught.value)


# --- round trips ----------------------------------------------------------------------------------


def test_there_is_nothing_before_the_first_write(path: Path) -> None:
    assert Checkpoint(path, KEY).read() is None
    assert not path.exists()


def test_what_is_written_is_read_bit_for_bit(path: Path) -> None:
    written(path)
    found = Checkpoint(str(path), dict(reversed(KEY.items()))).read()
    assert found is not None
    done, arrays = found
    assert done == 7
    assert arrays.keys() == ARRAYS.keys()
    for name, array in arrays.items():
        assert array.dtype == ARRAYS[name].dtype
        assert array.shape == ARRAYS[name].shape
        assert array.tobytes() == ARRAYS[name].tobytes()


def test_a_file_is_replaced(path: Path) -> None:
    checkpoint = written(path)
    checkpoint.write(8, {"sums": [1, 2]})
    found = checkpoint.read()
    assert found is not None
    assert found[0] == 8
    assert {name: array.tolist() for name, array in found[1].items()} == {"sums": [1, 2]}
    assert [file.name for file in path.parent.iterdir()] == ["run.npz"]


def test_numpy_reads_the_arrays_and_the_header_is_json(path: Path) -> None:
    written(path)
    with np.load(path, allow_pickle=False) as archive:
        assert archive["counts"].tolist() == ARRAYS["counts"].tolist()
        header = json.loads(archive.zip.read("about.json"))
    assert header == {
        "format": "tavli_fast checkpoint",
        "version": 1,
        "blocks_done": 7,
        "key": KEY,
    }


# --- another run ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "value", "found", "expected"),
    [
        ("rules", "fevga", '"portes"', '"fevga"'),
        ("seed", 2**64 - 2, str(2**64 - 1), str(2**64 - 2)),
        ("seed", float(2**64), str(2**64 - 1), "1.8446744073709552e+19"),
        ("truncated", 0.1 + 2**-56, "0.1", "0.10000000000000002"),
        ("truncated", "0.1", "0.1", '"0.1"'),
        ("more", 1, "missing", "1"),
    ],
)
def test_a_file_of_another_run_is_refused(
    path: Path, entry: str, value: Any, found: str, expected: str
) -> None:
    written(path)
    before = path.read_bytes()
    assert f"of another run: {entry} is {found}, expected {expected};" in fails(
        path, KEY | {entry: value}
    )
    assert path.read_bytes() == before


def test_all_differences_are_named(path: Path) -> None:
    written(path)
    message = fails(path, {"seed": 1, "policy": "x"})
    for name, value in KEY.items():
        assert f"{name} is {json.dumps(value)}, expected" in message
    assert 'policy is missing, expected "x"' in message


def test_a_nan_in_the_key_is_itself(path: Path) -> None:
    Checkpoint(path, {"x": math.nan}).write(0, {})
    assert Checkpoint(path, {"x": math.nan}).read() == (0, {})


# --- files that are no checkpoints ----------------------------------------------------------------


def archive_of(path: Path, **entries: Any) -> None:
    """A zip file of texts, bytes, and whatever is dumped as JSON."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            text = data if isinstance(data, (str, bytes)) else json.dumps(data)
            archive.writestr(name.replace("_", "."), text)


def header(**changed: Any) -> dict[str, Any]:
    """That of a good file, with fields replaced."""
    good = {"format": "tavli_fast checkpoint", "version": 1, "blocks_done": 3, "key": KEY}
    return good | changed


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_the_files_changed_here_are_good_otherwise(path: Path) -> None:
    archive_of(path, about_json=header(), sums_npy=npy([5]))
    found = Checkpoint(path, KEY).read()
    assert found is not None
    assert (found[0], found[1]["sums"].tolist()) == (3, [5])


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ({}, "no about.json"),
        ({"sums_npy": npy([5])}, "no about.json"),
        ({"about_json": [1]}, "about.json is no object"),
        ({"about_json": "{"}, "damaged"),
        ({"about_json": b"\xff"}, "damaged"),
        ({"about_json": "[" * 100_000}, "damaged"),
        ({"about_json": header(version=2)}, "only 'tavli_fast checkpoint' 1"),
        ({"about_json": header(format="other")}, "format and version are 'other' 1"),
        ({"about_json": header(blocks_done=-1)}, "blocks_done"),
        ({"about_json": header(blocks_done=True)}, "blocks_done"),
        ({"about_json": header(blocks_done=1.5)}, "blocks_done"),
        ({"about_json": header(key=None)}, "key"),
        ({"about_json": header(), "sums_npy": b"5"}, "damaged"),
        ({"about_json": header(), "sums_npy": npy([{}])}, "allow_pickle=False"),
    ],
)
def test_what_is_no_checkpoint(path: Path, entries: dict[str, Any], reason: str) -> None:
    archive_of(path, **entries)
    assert reason in fails(path)


@pytest.mark.parametrize("data", [b"", b"x", b"PK\x05\x06", b"sums,1\n" * 100])
def test_what_is_no_archive(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert "damaged or no checkpoint" in fails(path)


def test_a_file_that_breaks_off(path: Path) -> None:
    written(path)
    data = path.read_bytes()
    for length in [*range(0, len(data), 97), len(data) - 1]:
        path.write_bytes(data[:length])
        assert "damaged or no checkpoint" in fails(path)


def test_a_changed_byte_is_found_or_of_no_effect(path: Path) -> None:
    checkpoint = written(path)
    data = path.read_bytes()
    rng = Random(1)
    found = 0
    for at in rng.sample(range(len(data)), 400):
        changed = bytearray(data)
        changed[at] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        try:
            read = checkpoint.read()
        except tavli.CheckpointError:
            found += 1
        else:
            assert read is not None
            assert read[0] == 7
            assert all(read[1][k].tobytes() == ARRAYS[k].tobytes() for k in read[1].keys() & ARRAYS)
    assert found > 200


def test_a_folder_is_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=str(tmp_path)):
        Checkpoint(tmp_path, KEY).read()


# --- what cannot be written -----------------------------------------------------------------------


def test_a_failed_write_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = written(path)
    before = path.read_bytes()

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
            checkpoint.write(8, ARRAYS)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["run.npz"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "run.npz"
    with pytest.raises(FileNotFoundError) as caught:
        Checkpoint(path, KEY).write(1, {})
    assert caught.value.filename == str(path)


@pytest.mark.parametrize(
    ("done", "arrays", "error", "message"),
    [
        (-1, {}, ValueError, "blocks_done must be 0"),
        (True, {}, TypeError, "blocks_done must be an int"),
        (1.0, {}, TypeError, "blocks_done must be an int"),
        (1, {"a": np.array([None])}, TypeError, r"arrays\['a'\] must hold numbers or texts"),
        (1, {"a": [[1], [1, 2]]}, TypeError, r"arrays\['a'\] must hold numbers or texts"),
    ],
)
def test_wrong_arguments_of_a_write(
    path: Path, done: Any, arrays: Any, error: type[Exception], message: str
) -> None:
    checkpoint = written(path)
    before = path.read_bytes()
    with pytest.raises(error, match=message):
        checkpoint.write(done, arrays)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ({"seed": None}, r"key\['seed'\] must be a str, int or float, got NoneType"),
        ({"seed": np.int64(1)}, r"key\['seed'\] must be a str, int or float, got int64"),
        ({1: 1}, "a name in key is a str, got int"),
    ],
)
def test_wrong_keys(path: Path, key: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Checkpoint(path, key)


# --- files that are replaced ----------------------------------------------------------------------


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_while_writing_leaves_the_old_file(path: Path, error: type[BaseException]) -> None:
    def write() -> None:
        with replace_file(path) as file:
            file.write(b"new")
            raise error

    path.write_bytes(b"old")
    with pytest.raises(error):
        write()
    assert path.read_bytes() == b"old"
    assert [file.name for file in path.parent.iterdir()] == ["run.npz"]


def test_the_old_file_is_there_until_the_new_one_is_complete(path: Path) -> None:
    path.write_bytes(b"old")
    with replace_file(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
