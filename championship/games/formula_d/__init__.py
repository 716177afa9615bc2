"""The app of Formula D: what the game provides for the pages."""
