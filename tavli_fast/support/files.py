"""Files that are there whole or not at all."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write, which takes the place of ``path`` when it is complete.

    It is written in the same folder and forced to the disk before it is renamed. If the block of
    the ``with`` raises, or the computer stops, the old file is still there. A link is followed, the
    mode of the old file is kept, and a device or a pipe is written into.

    Parameters
    ----------
    path : str or path

    Raises
    ------
    OSError
        When it cannot be written; it names ``path``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from tavli_fast.support.files import replace_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "name")
    ...     with replace_file(path) as file:
    ...         _ = file.write(b"new")
    ...     path.read_bytes()
    b'new'
    """
    try:
        with _opened(Path(path)) as file:
            yield file
    except OSError as error:
        if error.errno is None:
            raise
        # the temporary name says nothing to the caller, and a full disk comes without a name
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    # behind a link, so that the link stays
    path = path.resolve()
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    new = path.with_name(f".{secrets.token_hex(8)}")
    try:
        with new.open("xb") as file:
            if path.exists():
                os.chmod(new, stat.S_IMODE(path.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
