"""The engine's rules, for kernels that are modules of their own."""

from .rules cimport Rules

cdef class Engine:
    cdef Rules _rules
