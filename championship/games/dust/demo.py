"""A rally of the demo in which all seats play each round at the same time."""

from championship.stages.demo_rallies import DemoRally

RALLIES = (DemoRally("Dust and Dials", ["saltwind"]),)
