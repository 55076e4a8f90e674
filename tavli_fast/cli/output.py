"""Tables as all commands print them."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

# a terminal folds long cells; in a file or a pipe a row of a table stays one line
PIPE_WIDTH = 1000


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
