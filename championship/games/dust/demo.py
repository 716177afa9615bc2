"""A rally of the demo in which each round is played by all at once."""

from championship.stages.demo_rallies import DemoRally

RALLIES = (DemoRally("Dust and Dials", ["saltwind"]),)
