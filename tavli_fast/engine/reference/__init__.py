"""The reference engine: ``docs/rules.md`` in plain Python, slow and meant to be read.

It is the twin of the kernels: the same methods, values, order and errors. Ask for it by
``variant(..., engine="reference")``; it is never a silent fallback. ``engine.variant`` calls it,
and ``game`` asks ``play_rules`` about single steps.
"""
