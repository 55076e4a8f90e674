"""The command ``tavli-fast``.

Imports every folder; only ``__main__`` imports it.
"""
