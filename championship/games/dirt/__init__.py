"""Rallyman: DIRT on pages."""
