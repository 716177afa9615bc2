"""Rallyman: DIRT. `game()` returns the game.

Read `facts` first (what is printed, from `data/`), then `course` (tiles and their track), `road` and `plan` (legal
moves), `turn` and `ending` (a turn), `stage` and `rally`. `codriver` plays for a seat, and `odds` computes chances.
"""

from engine.dirt.game import game

__all__ = ["game"]
