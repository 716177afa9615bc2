"""What every game must keep: toy games, and the suite that each installed game passes."""
