"""Progress bars for whatever tells ``progress(done, total)``."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from .extras import needed

BAR_AFTER = 1.0  # seconds

Progress = Callable[[int, int | None], object]


@contextmanager
def tqdm_progress(**options: Any) -> Iterator[Progress]:
    """A bar of tqdm, in a terminal or a notebook.

    Parameters
    ----------
    **options
        Of ``tqdm.tqdm``, ``desc="duel"`` for example.

    Yields
    ------
    callable(done, total)
        ``total`` may be None as long as it is not known.

    Raises
    ------
    ImportError
        Without tqdm.

    Examples
    --------
    >>> import io
    >>> import tavli_fast as tavli
    >>> from tavli_fast.support.progress import tqdm_progress
    >>> with tqdm_progress(file=io.StringIO()) as progress:
    ...     tavli.variant("fevga").perft(3, progress=progress)
    21893
    """
    # blocks take long: each is worth a look, also after the jump of a run that is resumed
    bar = needed("tqdm.auto", "progress", "this bar").tqdm(**{"miniters": 1, **options})

    def tell(done: int, total: int | None) -> None:
        if total not in (None, bar.total):
            bar.reset(total)  # the one way that also serves the bars of notebooks
        bar.update(done - bar.n)

    with bar:
        yield tell


@contextmanager
def rich_progress(description: str) -> Iterator[Progress]:
    """A bar of rich on stderr, shown on a terminal only, and only if it takes over a second.

    Parameters
    ----------
    description : str
        What stands before the bar.

    Yields
    ------
    callable(done, total)
        ``total`` may be None as long as it is not known.

    Raises
    ------
    ImportError
        Without rich.

    Examples
    --------
    >>> import tavli_fast as tavli
    >>> from tavli_fast.support.progress import rich_progress
    >>> with rich_progress("perft") as progress:
    ...     tavli.variant("fevga").perft(3, progress=progress)
    21893
    """
    console = needed("rich.console", "cli", "this bar").Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None
        return
    bar = needed("rich.progress", "cli", "this bar").Progress(console=console, transient=True)
    task, begun = bar.add_task(description, total=None), perf_counter()

    def tell(done: int, total: int | None) -> None:
        bar.update(task, completed=done, total=total)
        if perf_counter() - begun > BAR_AFTER:
            bar.start()

    try:
        yield tell
    finally:
        bar.stop()
