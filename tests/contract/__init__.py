"""The contract of games: toy games, and the test suite that each installed game must pass."""
