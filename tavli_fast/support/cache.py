"""Arrays kept in the user's cache folder: written whole or not at all, checked when read.

Whatever goes wrong with the folder, the caller gets his arrays: what cannot be read is made anew,
and what cannot be written is only warned of.
"""

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from .archives import Arrays
from .files import replace_file

VARIABLE = "TAVLI_FAST_CACHE"
MISSING = f'install platformdirs (pip install "tavli_fast[cache]") or set {VARIABLE}'

About = Mapping[str, str | int]  # what the arrays are; other arrays are made when it differs


def folder() -> Path | None:
    """Where files are kept: ``TAVLI_FAST_CACHE``, else the place the system has for caches.

    Returns
    -------
    Path or None
        None when the variable is not set and platformdirs, which knows the place, not installed.

    Examples
    --------
    >>> import os
    >>> from tavli_fast.support import cache
    >>> cache.folder() == cache.Path(os.environ["TAVLI_FAST_CACHE"])
    True
    """
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given)
    try:
        import platformdirs  # noqa: PLC0415
    except ImportError:
        return None
    return Path(platformdirs.user_cache_dir("tavli_fast", appauthor=False))


def kept(name: str, about: About, make: Callable[[], Arrays]) -> Arrays:
    """The arrays of a file, or new ones that are then kept in it.

    Parameters
    ----------
    name : str
        Of the file, without its ending ``.npz``.
    about : mapping
        Version and kind; stored with the arrays.
    make : callable
        Called when there is no sound file.
    """
    where = folder()
    path = None if where is None else where / f"{name}.npz"
    found = None if path is None else _read(path, about)
    if found is not None:
        return found
    arrays = make()
    contents: dict[str, Any] = {
        **arrays,
        "about": json.dumps(dict(about)),
        "checksum": _checksum(about, arrays),
    }
    _write(path, lambda file: np.savez(file, **contents))
    return arrays


def kept_mapped(name: str, about: About, make: Callable[[], npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """One array, mapped into memory from its file; made, and then kept, when there is none.

    The file ends in ``.npy``; what it is and its checksum stand in a second one, ``.json``.
    """
    where = folder()
    path = None if where is None else where / f"{name}.npy"
    found = None if path is None else _map(path, about)
    if found is not None:
        return found
    array = make()
    stamp = dict(about) | {"checksum": _checksum(about, {"array": array})}
    if _write(path, lambda file: np.save(file, array)) and path is not None:
        _write(_beside(path), lambda file: file.write(json.dumps(stamp).encode()))
        found = _map(path, about)
    return array if found is None else found


def clear(names: Iterable[str]) -> list[Path]:
    """Delete files by their names without endings; gives those deleted."""
    where = folder()
    if where is None or not where.is_dir():
        return []
    deleted = []
    for name in names:
        for path in sorted(where.glob(f"{name}.*")):
            path.unlink(missing_ok=True)
            deleted.append(path)
    return deleted


def _read(path: Path, about: About) -> Arrays | None:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        stored, checksum = json.loads(str(arrays.pop("about"))), str(arrays.pop("checksum"))
    except Exception:  # a damaged archive fails in a dozen ways
        return None
    sound = stored == dict(about) and checksum == _checksum(about, arrays)
    return arrays if sound else None


def _map(path: Path, about: About) -> npt.NDArray[Any] | None:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        stored = json.loads(_beside(path).read_text("utf-8"))
        checksum = _checksum(about, {"array": array})
    except Exception:  # as above
        return None
    sound = stored == dict(about) | {"checksum": checksum}
    return array if sound else None


def _beside(path: Path) -> Path:
    return path.with_suffix(".json")


def _checksum(about: About, arrays: Arrays) -> str:
    """SHA-256 over what the arrays are, their names, types, shapes and bytes."""
    digest = hashlib.sha256(json.dumps(dict(about)).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.data)
    return digest.hexdigest()


def _write(path: Path | None, put: Callable[[IO[bytes]], Any]) -> bool:
    """Write a file whole or not at all; what keeps it from that is only warned of."""
    if path is None:
        _warn(MISSING)
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as file:
            put(file)
    except OSError as error:
        _warn(f"{path} cannot be written ({error})")
        return False
    return True


def _warn(reason: str) -> None:
    warnings.warn(
        f"a table is used from memory and will be built again next time: {reason}",
        RuntimeWarning,
        stacklevel=2,
    )
