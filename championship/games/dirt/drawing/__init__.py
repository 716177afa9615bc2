"""The map of a stage as a drawing: where its tiles and spaces lie, the land, the road, and what moves on it."""
