"""Formula D. `game()` gives the game.

Read `facts` first (the numbers of the rules, from `data/`), then `track` and `race` (what is played on, and its state),
`movement`, and `phases` with `turn` and `ending`. `codriver` plays for a seat.
"""

from engine.formula_d.game import game

__all__ = ["game"]
