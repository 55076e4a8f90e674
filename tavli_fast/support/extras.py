"""Packages that only some things need."""

import importlib
from typing import Any


def needed(module: str, extra: str, what: str) -> Any:
    """A module of an optional package.

    Parameters
    ----------
    module : str
    extra : str
        The extra of this package that brings it.
    what : str
        What needs it, for the message.

    Raises
    ------
    ImportError
        When it is not installed; it says how to install it.

    Examples
    --------
    >>> from tavli_fast.support.extras import needed
    >>> needed("no_such_module", "plot", "a picture")
    Traceback (most recent call last):
    ImportError: a picture needs no_such_module (No module named 'no_such_module'): pip install ...
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {module.partition('.')[0]} ({error}): pip install 'tavli_fast[{extra}]'"
        ) from error
