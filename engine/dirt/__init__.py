"""Rallyman: DIRT: facts in `data/`, the track, plans, turns, stages and rallies. `game()` returns the game."""

from engine.dirt.game import game

__all__ = ["game"]
