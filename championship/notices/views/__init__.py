"""Pages about notices."""
