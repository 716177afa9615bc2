"""Movements (M): where a car may drive, and what it pays.

Read `walk` first (the next space), then `reach` (all paths at once), `path_price` (the price of a path) and `moving`
(carries a movement out). `slipstream` is the second movement of a turn. `fan` has the searches for all rolls of a die.
"""
