"""Dirt & Dust. `game()` gives the game.

Read `facts` and `cards` first (what is printed, from `data/`), then `state`, `setup`, `turn` (the steps of a driver)
and `closing` (the end of a round). `choices` lists the legal steps, `codriver` plays for a seat, and `odds` computes
chances.
"""

from engine.dust.game import game

__all__ = ["game"]
