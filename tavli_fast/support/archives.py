"""Arrays in one file with a word on what they are: npz files without pickles."""

import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .files import replace_file

ABOUT = "about.json"

Arrays = dict[str, npt.NDArray[Any]]


def write_archive(
    path: str | os.PathLike[str], about: Mapping[str, Any], arrays: Mapping[str, npt.ArrayLike]
) -> None:
    """Replace a file by an archive, written whole or not at all.

    Parameters
    ----------
    path : str or path
    about : mapping
        What JSON can hold.
    arrays : mapping of str to array
        Of numbers or texts; objects are refused with ``TypeError``.
    """
    entries: dict[str, str | bytes] = {
        ABOUT: json.dumps(dict(about)),
        **{f"{name}.npy": _dumped(name, array) for name, array in arrays.items()},
    }
    with replace_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


def read_archive(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """What an archive is and its arrays; every byte is checked by its CRC-32.

    Raises
    ------
    OSError
        When the file cannot be opened.
    ValueError
        When it is damaged or no archive.
    """
    file = Path(path)
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise ValueError("it is no regular file")
    data = file.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = {name: archive.read(name) for name in archive.namelist()}
        about = json.loads(entries.pop(ABOUT))
        arrays = {
            name.removesuffix(".npy"): np.lib.format.read_array(
                io.BytesIO(entry), allow_pickle=False
            )
            for name, entry in entries.items()
        }
    except KeyError:
        raise ValueError(f"it has no {ABOUT}") from None
    except Exception as error:  # zipfile, json and numpy raise a dozen types
        raise ValueError(str(error) or type(error).__name__) from error
    if not isinstance(about, dict):
        raise ValueError(f"{ABOUT} is no object")
    return about, arrays


def _dumped(name: str, array: npt.ArrayLike) -> bytes:
    """An array as a file of its own."""
    file = io.BytesIO()
    try:
        np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)
    except ValueError as error:
        raise TypeError(f"arrays[{name!r}] must hold numbers or texts: {error}") from error
    return file.getvalue()
