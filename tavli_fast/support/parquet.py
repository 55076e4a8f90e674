"""Columns of arrays in Parquet files, by pyarrow (extra ``parquet``)."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from .extras import needed
from .files import replace_file

ROWS_AT_ONCE = 1 << 16  # of one group: what readers load together

Columns = Mapping[str, npt.NDArray[Any]]


def check_pyarrow() -> None:
    """Refuse to go on without pyarrow, with ``ImportError``."""
    _pyarrow("")


def write_table(
    path: str | PathLike[str], about: Mapping[str, str], parts: Iterable[Columns]
) -> None:
    """Write columns part by part; the file is there whole or not at all.

    Parameters
    ----------
    path : path
    about : mapping of str to str
        Kept in the metadata of the file.
    parts : iterable of mapping of str to array
        Each with the same columns; an array [n, k] becomes lists of k numbers.
    """
    arrow, parquet = _pyarrow(""), _pyarrow(".parquet")
    with replace_file(path) as file:
        writer = None
        try:
            for columns in _grouped(parts):
                arrays = {name: _column(arrow, array) for name, array in columns.items()}
                table = arrow.table(arrays, metadata=dict(about))
                writer = writer or parquet.ParquetWriter(file, table.schema)
                writer.write_table(table)
        finally:
            if writer is not None:
                writer.close()


def _grouped(parts: Iterable[Columns]) -> Iterable[Columns]:
    """Parts put together until they are worth a group of their own."""
    waiting: list[Columns] = []
    rows = 0
    for part in parts:
        waiting.append(part)
        rows += len(next(iter(part.values())))
        if rows >= ROWS_AT_ONCE:
            yield _joined(waiting)
            waiting, rows = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(parts: list[Columns]) -> Columns:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _column(arrow: Any, array: npt.NDArray[Any]) -> Any:
    if array.ndim not in (1, 2):
        raise ValueError(f"a column is an array [n] or [n, k], got shape {array.shape}")
    if array.ndim == 1:
        return arrow.array(array)
    return arrow.FixedSizeListArray.from_arrays(arrow.array(array.reshape(-1)), array.shape[1])


def _pyarrow(module: str) -> Any:
    return needed(f"pyarrow{module}", "parquet", "a file .parquet")
