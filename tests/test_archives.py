"""Archives: arrays and a word on them in one file, read back bit for bit or refused."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tavli_fast.support.archives import ABOUT, read_archive, write_archive


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Types, orders and shapes; numpy reads the arrays as well."""
    arrays = {
        "about": np.arange(3),
        "none": np.empty((0, 4), dtype=np.float32),
        "single": np.array(np.nan),
        "columns": np.asfortranarray(np.arange(6, dtype=">i2").reshape(2, 3)),
        "records": np.zeros(2, dtype=[("a", np.int8), ("b", np.uint64)]),
        "texts": np.array(["α", ""]),
    }
    path = tmp_path / "x.npz"
    write_archive(path, {"seed": 2**64 - 1, "x": None}, arrays)
    about, found = read_archive(path)
    assert about == {"seed": 2**64 - 1, "x": None}
    assert found.keys() == arrays.keys()
    with np.load(path, allow_pickle=False) as by_numpy:
        for name, array in arrays.items():
            assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
            assert found[name].tobytes() == array.tobytes() == by_numpy[name].tobytes()


def test_objects_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    with pytest.raises(TypeError, match=r"arrays\['b'\] must hold numbers or texts"):
        write_archive(path, {}, {"a": [1], "b": np.array([{}])})
    with pytest.raises(TypeError):
        write_archive(path, {"a": object()}, {})
    assert not list(tmp_path.iterdir())


def pickled() -> bytes:
    """An array of objects as numpy would write it."""
    file = io.BytesIO()
    np.save(file, np.array([{}]), allow_pickle=True)
    return file.getvalue()


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ({}, f"no {ABOUT}"),
        ({ABOUT: "[1]"}, "no object"),
        ({ABOUT: "{"}, "Expecting"),
        ({ABOUT: b"\xff"}, "decode"),
        ({ABOUT: "[" * 100_000}, "recursion"),
        ({ABOUT: "{}", "a.npy": b""}, "EOF"),
        ({ABOUT: "{}", "a.npy": b"\x93NUMPY\x01\x00\x04\x00!!!!"}, "header"),
        ({ABOUT: "{}", "a.npy": pickled()}, "allow_pickle"),
    ],
)
def test_other_archives_are_refused(entries: dict[str, Any], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    with pytest.raises(ValueError, match=reason):
        read_archive(path)


def test_an_array_larger_than_memory_is_refused(tmp_path: Path) -> None:
    """A header alone asks for nothing."""
    header = str({"descr": "<i8", "fortran_order": False, "shape": (1 << 50,)}).encode() + b"\n"
    entry = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(ABOUT, json.dumps({}))
        archive.writestr("a.npy", entry)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - numpy and the system say why
        read_archive(path)
    assert str(caught.value)


def test_every_byte_of_an_array_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    write_archive(path, {}, {"a": np.zeros(100, dtype=np.int64)})
    whole = path.read_bytes()
    inside = whole.index(bytes(700))
    for at in range(inside, inside + 700, 50):
        changed = bytearray(whole)
        changed[at] = 1
        path.write_bytes(changed)
        with pytest.raises(ValueError, match="CRC"):
            read_archive(path)
    with pytest.raises(FileNotFoundError):
        read_archive(tmp_path / "nothing")
