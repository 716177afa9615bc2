"""Who is likely to win a rally or a season, for spectators."""
