"""What people hold: positions, plays, turns, games, matches and their records.

Imports ``engine``, ``writing`` and below. Many games at a time are in ``bulk``.
"""
