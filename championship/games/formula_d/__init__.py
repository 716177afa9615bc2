"""The app of Formula D: what the game provides for the pages."""

PLACE = 2
"""Where pages name the game among the games of this folder, from 1; without a place it comes after the others."""
