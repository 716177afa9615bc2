"""The course of a stage: tiles, and the track that they make, before any car drives on it.

Read `layout` first (how tiles lie), then `compiled_stage` (the spaces of the track). `layout_checks` judges half-made
stages, `random_stages` lays random ones, and `pacenotes` reads a track aloud.
"""
