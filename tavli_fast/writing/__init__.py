"""Positions and plays as text and pictures: notation, position IDs, text and SVG boards.

Imports ``rules`` and ``support``. It works on rows and steps and never asks what is legal.
"""
