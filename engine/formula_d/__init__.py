"""Formula D: facts in `data/`, the track, movements, turns and races. `game()` gives the game."""

from engine.formula_d.game import game

__all__ = ["game"]
