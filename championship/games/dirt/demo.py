"""The demo's championship: six rallies. Rally N has the stages of the ready-made rally N."""

from championship.stages.demo_rallies import DemoRally

NAMES = (
    "Rally 1: Foxwood",
    "Rally 2: Three Lakes",
    "Rally 3: Old Quarry",
    "Rally 4: Heather Ridge",
    "Rally 5: Millstream",
    "Rally 6: Lighthouse",
)
STAGES = 3
RALLIES = tuple(
    DemoRally(name, [f"{number}/{stage}" for stage in range(1, STAGES + 1)], in_season=True)
    for number, name in enumerate(NAMES, start=1)
)
