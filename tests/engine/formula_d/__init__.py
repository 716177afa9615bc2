"""Tests of Formula D."""
