"""Dirt & Dust in the service: the cockpit, the cards, words and pictures. The rules are in `engine.dust`."""

PLACE = 3
"""Where pages name the game among the games of this folder, from 1; without a place it comes after the others."""
