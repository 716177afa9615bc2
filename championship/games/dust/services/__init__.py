"""Every write of the game's own: a club's sets."""
