"""Rallyman: DIRT on pages."""

PLACE = 1
"""Where pages name the game among the games of this folder, from 1; without a place it comes after the others."""
