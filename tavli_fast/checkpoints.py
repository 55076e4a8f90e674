"""What is done of a long run, kept in a file (``docs/executors.md``)."""

import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .arguments import MAX_SEED, check_int, check_text
from .errors import CheckpointError
from .files import replace_file

FORMAT, VERSION = "tavli_fast checkpoint", 1
HEADER = "checkpoint.json"

Arrays = dict[str, npt.NDArray[Any]]


class Checkpoint:
    """What is done of a numbered run, in an npz file that is written whole or not at all.

    Parameters
    ----------
    path : str or path
        The file. It need not be there yet.
    key : mapping of str to str, int or float
        Everything that makes two runs different. A file with another key is refused.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from pathlib import Path
    >>> from tavli_fast.checkpoints import Checkpoint
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoint = Checkpoint(Path(folder, "run.npz"), {"seed": 7})
    ...     print(checkpoint.read())
    ...     checkpoint.write(2, {"sums": np.array([3, 1])})
    ...     print(checkpoint.read())
    None
    (2, {'sums': array([3, 1])})
    """

    def __init__(self, path: str | os.PathLike[str], key: Mapping[str, str | int | float]) -> None:
        self.path = Path(path)
        self.key = {check_text(name, "a name in key"): value for name, value in key.items()}
        for name, value in self.key.items():
            if not isinstance(value, (str, int, float)):
                raise TypeError(
                    f"key[{name!r}] must be a str, int or float, got {type(value).__name__}"
                )

    def read(self) -> tuple[int, Arrays] | None:
        """What was written last.

        Returns
        -------
        (int, dict of str to array), or None when there is no file
            The number of blocks done, and the arrays.

        Raises
        ------
        CheckpointError
            When the file is damaged, of another run, or no checkpoint.
        OSError
            When it cannot be opened.
        """
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return None
        with file:
            try:
                header, arrays = _read(file.read())
            except Exception as error:  # zipfile, json and numpy raise a dozen types
                raise CheckpointError(
                    f"{self.path} is damaged or no checkpoint: {str(error) or type(error).__name__}"
                ) from error
        self._compare(header["key"])
        return header["blocks_done"], arrays

    def write(self, blocks_done: int, arrays: Mapping[str, npt.ArrayLike]) -> None:
        """Replace the file.

        Parameters
        ----------
        blocks_done : int
            How many blocks the arrays are the sum of.
        arrays : mapping of str to array
            Of numbers or texts; objects are refused.

        Raises
        ------
        OSError
            When it cannot be written; the old file is still there.
        """
        entries: dict[str, str | bytes] = {
            HEADER: _header(self.key, check_int(blocks_done, "blocks_done", 0, MAX_SEED)),
            **{f"{name}.npy": _dumped(name, array) for name, array in arrays.items()},
        }
        with replace_file(self.path) as file, zipfile.ZipFile(file, "w") as archive:
            for name, data in entries.items():
                archive.writestr(name, data)

    def _compare(self, found: dict[str, Any]) -> None:
        differ = [
            f"{name} is {_entry(found, name)}, expected {_entry(self.key, name)}"
            for name in {**self.key, **found}
            if _entry(found, name) != _entry(self.key, name)
        ]
        if differ:
            raise CheckpointError(
                f"{self.path} is of another run: {'; '.join(differ)}; give another path, or remove "
                "the file to begin anew"
            )


def _entry(key: Mapping[str, Any], name: str) -> str:
    """A value as it is written, so that 1 and 1.0 differ and a NaN is itself."""
    return json.dumps(key[name]) if name in key else "missing"


def _header(key: Mapping[str, Any], blocks_done: int) -> str:
    return json.dumps(
        {"format": FORMAT, "version": VERSION, "blocks_done": blocks_done, "key": key}
    )


def _dumped(name: str, array: npt.ArrayLike) -> bytes:
    """An array as a file of its own; ``ValueError`` for objects."""
    file = io.BytesIO()
    try:
        np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)
    except ValueError as error:
        raise TypeError(f"arrays[{name!r}] must hold numbers or texts: {error}") from error
    return file.getvalue()


def _read(data: bytes) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays; every byte of them is checked by its CRC-32."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(entries.pop(HEADER, b"null"))
    _check_header(header)
    return header, {
        name.removesuffix(".npy"): np.lib.format.read_array(io.BytesIO(entry), allow_pickle=False)
        for name, entry in entries.items()
    }


def _check_header(header: Any) -> None:
    if not isinstance(header, dict):
        raise ValueError(f"it has no {HEADER}")
    version = header.get("format"), header.get("version")
    if version != (FORMAT, VERSION):
        raise ValueError(
            f"format and version are {version[0]!r} {version[1]!r}, only {FORMAT!r} {VERSION} is "
            "read"
        )
    check_int(header.get("blocks_done"), "blocks_done", 0, MAX_SEED)  # type: ignore[arg-type]
    if not isinstance(header.get("key"), dict):
        raise ValueError("key is no object")
