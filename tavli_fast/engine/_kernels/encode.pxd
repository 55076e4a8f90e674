"""Features of rows, by the schemes of ``encode.py``."""

from libc.stdint cimport int8_t

from .rules cimport Rules

# the code of a scheme is its place in SCHEMES of encode.py; the tests compare the two
cdef enum:
    RAW
    TESAURO198
    PIN248
    WALL206

cdef Py_ssize_t width_of(int scheme) noexcept nogil

cdef void encode_rows(
    const Rules* rules, const int8_t* rows, Py_ssize_t n, int scheme, float* out
) noexcept nogil
