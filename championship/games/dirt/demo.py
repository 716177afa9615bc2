"""The rallies of the demo, and where their recording stops: near the finish, with somebody close and a real choice."""

from __future__ import annotations

from pathlib import Path

from championship.stages.demo_rallies import DemoRally
from engine import registry
from engine.contract import Manners, State, required
from engine.dirt.codriver.decisions import time_control

UNDER_WAY = Path(__file__).with_name("demo_under_way.json")
"""The recorded posts of the demo's rallies that are under way."""

NAMES = (
    "Rally 1: Foxwood",
    "Rally 2: Three Lakes",
    "Rally 3: Old Quarry",
    "Rally 4: Heather Ridge",
    "Rally 5: Millstream",
    "Rally 6: Lighthouse",
)
"""The demo's championship: six rallies. Rally N has the stages of the ready-made rally N."""
STAGES = 3
NEAR = 3
"""The next turn may reach the finish from so many tiles before the last one."""
CHOICE = 2
"""So many manners of codrivers must disagree about the turn."""


def interest(state: State, seat: str) -> int:
    """Return how much the next turn of a seat tempts a visitor, 0 when it is not near the finish or has no choice."""
    me, last = state["drivers"][seat], len(state["stage"]["tiles"]) - 1
    if not me["started"] or me["finished"] or me["retired"] or state["turn"] is not None:
        return 0
    here = _tile(me["space"])
    left = last - here
    if not 1 <= left <= NEAR or me["gear"] < 2:
        return 0
    rules = registry.get("dirt")
    plans = {rules.autopilot(state, seat, manner)["plan"] for manner in required(rules, Manners).manners}
    others = [each for name, each in state["drivers"].items() if name != seat]
    running = [each for each in others if not each["finished"] and not each["retired"]]
    near = [each for each in running if each["on_track"] and abs(_tile(each["space"]) - here) < NEAR]
    ahead = [each for each in near if _tile(each["space"]) >= here]
    if len(plans) < CHOICE or not near:
        return 0
    home = sum(each["finished"] for each in others)
    return int(3 * len(plans) + 2 * min(len(ahead), 2) + len(near) + me["gear"] + 4 * min(home, 3))


def _tile(space: str) -> int:
    """Return the number of the tile of a space such as "9.2.l"; 0 on the grid."""
    number = space.partition(".")[0]
    return int(number) if number.isdigit() else 0


RALLIES = (
    *(
        DemoRally(
            name,
            [f"{number}/{stage}" for stage in range(1, STAGES + 1)],
            in_season=True,
            interest=interest,
            recorded=UNDER_WAY,
            card=time_control,
        )
        for number, name in enumerate(NAMES, start=1)
    ),
    DemoRally("Harbour Lights", ["6/1", "2/2"], elsewhere=True, card=time_control),
    DemoRally("Dune Road", ["5/2", "1/1"], elsewhere=True, interest=interest, recorded=UNDER_WAY, card=time_control),
)
