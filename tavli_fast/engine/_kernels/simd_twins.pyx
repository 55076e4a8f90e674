"""The whole-row operations of this machine beside their portable twins, for the tests."""

from libc.stdint cimport int8_t

from .board cimport (
    tf_row_add, tf_row_add_portable, tf_row_depths, tf_row_depths_portable, tf_row_differ,
    tf_row_differ_portable, tf_row_signs, tf_row_signs_portable, tf_row_totals,
    tf_row_totals_portable,
)
from .rules cimport ROW


def twins(const int8_t[:, ::1] rows, const int8_t[:, ::1] deltas) -> list:
    """Per row what the whole-row operations of this machine give, and what their twins give.

    Pairs of (signs, depths, totals, sum of row and delta, bytes where the two differ).
    """
    cdef Py_ssize_t i
    cdef int8_t[ROW] fast, portable
    found = []
    for i in range(rows.shape[0]):
        tf_row_add(fast, &rows[i, 0], &deltas[i, 0])
        tf_row_add_portable(portable, &rows[i, 0], &deltas[i, 0])
        found.append((
            (tf_row_signs(&rows[i, 0]), tf_row_depths(&rows[i, 0]), tf_row_totals(&rows[i, 0]),
             [fast[k] for k in range(ROW)], tf_row_differ(&rows[i, 0], &deltas[i, 0])),
            (tf_row_signs_portable(&rows[i, 0]), tf_row_depths_portable(&rows[i, 0]),
             tf_row_totals_portable(&rows[i, 0]), [portable[k] for k in range(ROW)],
             tf_row_differ_portable(&rows[i, 0], &deltas[i, 0])),
        ))
    return found
