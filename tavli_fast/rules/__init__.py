"""What is legal, as data: switches and presets, the packed row, rolls, and checks of arrays.

Imports ``errors`` and ``support``; every folder above may use it. What is legal in a position is
worked out by ``engine``.
"""
