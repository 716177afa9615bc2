"""The app of Formula D: what the game gives to the pages."""
