"""Many games: lockstep games, self-play, rollouts, duels, and the runs they are made of.

Imports ``game``, ``policies`` and below.
"""
