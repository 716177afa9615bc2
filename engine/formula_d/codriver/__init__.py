"""The codrivers: drivers that the computer plays, and the weights of cars for orders ahead and odds.

Read `decisions` first: the orders in every phase of a turn. `pitwall` decides off the track, `winner` for a driver that
only wants to win (`race_outlook`). All compare ends of a movement by `turn_costs`, which adds what is at hand to the
rest of the race from `cost_tables`. These are computed for each `manner` from `lap_layout` and `wear_states`, in
`packed_rows`.
"""
