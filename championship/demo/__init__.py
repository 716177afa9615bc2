"""The demo: one command that shows the whole service on one machine, with people to be at one click."""
