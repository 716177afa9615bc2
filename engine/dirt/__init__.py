"""Rallyman: DIRT: facts in `data/`, the track, plans, turns, stages and rallies. `rules()` gives the game."""

from engine.dirt.game import rules

__all__ = ["rules"]
