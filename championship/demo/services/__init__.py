"""Every write of the demo: its clubs, people and rallies."""
