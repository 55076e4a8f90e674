"""Compiled kernels over packed rows.

They check no arguments and contain no rules that ``rules/switches.py`` does not have. Only the
modules that bind an engine (``engine``) or a network (``policies``) import them, and the tests.
"""
