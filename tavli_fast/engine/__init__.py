"""Legal plays, results, running games and race values, by two engines with the same answers.

``_kernels`` holds the compiled engine, ``reference`` its twin in plain Python; ``variant`` binds
rules to one of them and is the way in. Imports ``rules`` and ``support``.
"""
