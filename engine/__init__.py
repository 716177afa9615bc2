"""The rules of the games a club can drive: pure functions over JSON-plain state, standard library only.

No Django, no clock, no network, no state kept between calls. Start at `engine.registry`: `get(name)` returns a game.
"""
