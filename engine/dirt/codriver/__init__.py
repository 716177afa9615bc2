"""The codrivers: drivers that the computer plays.

Read `decisions` first: it gives the orders of a codriver in every phase of a turn. They follow from `search` (the best
plan, and how to roll it) and `relay` (the best way to lay dice again after a loss of control). Both compare places by
`value`, the expected rest of the stage.
"""
