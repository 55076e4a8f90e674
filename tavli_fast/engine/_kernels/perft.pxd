"""Counting positions to a depth."""

from libc.stdint cimport int8_t, int64_t

from .rules cimport Rules

cdef int64_t perft_rows(
    const Rules* rules, const int8_t* rows, Py_ssize_t n, int depth
) noexcept nogil
