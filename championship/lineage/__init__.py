"""Which database this is, and whether it was set back in time since the service last knew it."""
