"""What is done of a long run, kept in a file (``docs/executors.md``)."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from ..errors import CheckpointError
from .archives import Arrays, read_archive, write_archive
from .checks import MAX_SEED, check_int, check_text

FORMAT, VERSION = "tavli_fast checkpoint", 1


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
    >>> from tavli_fast.support.checkpoints import Checkpoint
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
            header, arrays = _read(self.path)
        except FileNotFoundError:
            return None
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
        header = {
            "format": FORMAT,
            "version": VERSION,
            "blocks_done": check_int(blocks_done, "blocks_done", 0, MAX_SEED),
            "key": self.key,
        }
        write_archive(self.path, header, arrays)

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


def stored_key(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The key of a file, whatever run it is of; raises as ``Checkpoint.read``."""
    key: dict[str, Any] = _read(Path(path))[0]["key"]
    return key


def _read(path: Path) -> tuple[dict[str, Any], Arrays]:
    try:
        header, arrays = read_archive(path)
        _check_header(header)
    except (ValueError, TypeError) as error:
        raise CheckpointError(f"{path} is damaged or no checkpoint: {error}") from error
    return header, arrays


def _entry(key: Mapping[str, Any], name: str) -> str:
    """A value as it is written, so that 1 and 1.0 differ and a NaN is itself."""
    return json.dumps(key[name]) if name in key else "missing"


def _check_header(header: dict[str, Any]) -> None:
    version = header.get("format"), header.get("version")
    if version != (FORMAT, VERSION):
        raise ValueError(
            f"format and version are {version[0]!r} {version[1]!r}, only {FORMAT!r} {VERSION} is "
            "read"
        )
    check_int(header.get("blocks_done"), "blocks_done", 0, MAX_SEED)  # type: ignore[arg-type]
    if not isinstance(header.get("key"), dict):
        raise ValueError("key is no object")
