"""Dirt & Dust: card sets in `data/`, the effect language, rounds, stages. `game()` gives the game."""

from engine.dust.game import game

__all__ = ["game"]
