"""Compiled kernels over packed rows. Only ``variant.py`` and the tests call them; they check no
arguments and hold no rules that ``rules.py`` does not have.
"""
