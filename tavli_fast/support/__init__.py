"""Tools that know nothing of tavli: files, archives, caches, progress, executors, checks.

Imports ``errors`` only; every other folder may use it.
"""
