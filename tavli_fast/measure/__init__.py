"""How fast the package is: the benchmark, other programs beside it, charts.

Imports every folder except ``cli``, which calls it.
"""
