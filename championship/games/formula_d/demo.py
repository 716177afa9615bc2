"""A race of the demo, outside its championship."""

from championship.stages.demo_rallies import DemoRally

RALLIES = (DemoRally("Sandstone Grand Prix", ["monza"], {"laps": 2, "weather": True}),)
