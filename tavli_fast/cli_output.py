"""What the commands share on their way out: tables, and a bar while one waits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

BAR_AFTER = 1.0  # seconds
# a terminal folds long cells; in a file or a pipe a row of a table stays one line
PIPE_WIDTH = 1000

Tell = Callable[[int, int], None]


@contextmanager
def progress(work: str) -> Iterator[Tell]:
    """A bar on stderr for work that is told of as (done, all), shown only if it takes long."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, of: None
        return
    bar = Progress(console=console, transient=True)
    task, begun = bar.add_task(work), perf_counter()

    def tell(done: int, of: int) -> None:
        bar.update(task, completed=done, total=of)
        if perf_counter() - begun > BAR_AFTER:
            bar.start()

    try:
        yield tell
    finally:
        bar.stop()


def new_table(*columns: str) -> Table:
    """A table whose last column alone is folded on a narrow terminal."""
    table = Table(box=SIMPLE_HEAD, show_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=column != columns[-1])
    return table


def print_table(table: Table) -> None:
    """Print it, in a pipe with every row on one line."""
    console = Console(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(table)
