"""Option dice = "duplicate": in turn n every driver gets the same face on the same die."""

from __future__ import annotations

from engine import chance, registry

RULES = registry.get("dirt")
PLAN = "1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2 3:3.1.l 4:3.2.l 5:3.3.l"
SHORTER = "1:1.2.r 2:1.3.r c:2.1.o1"


def rolled(driver: str, plan: str, roll: str, secret: bytes, dice: str) -> list[bool]:
    """Return the faces of a first turn on stage 1/1, with all of its moves rolled."""
    options = RULES.clean_options({"dice": dice, "leader_dice": False})
    state = RULES.setup(RULES.library()["1/1"], [{"id": driver, "car": RULES.new_luggage(options)}], options)
    luck = chance.SeededChance(secret, common=bytes(32))
    orders = {"do": "turn", "plan": plan, "roll": roll, "sisu": True}
    _, events = RULES.play_recorded(state, driver, orders, luck)
    faces = [event["faces"] for event in events if event["kind"] in ("roll", "roll all")]
    if roll == "flat out":
        return [face for together in faces[0] for face in together]
    return [face for together in faces for face in together]


def test_everybody_rolls_the_same_faces_whatever_the_way_of_rolling() -> None:
    ana = rolled("ana", PLAN, "one by one", b"a" * 32, "duplicate")
    bo = rolled("bo", PLAN, "flat out", b"b" * 32, "duplicate")
    cy = rolled("cy", SHORTER, "one by one", b"c" * 32, "duplicate")
    assert ana == bo
    assert cy == ana[:3]


def test_without_the_option_luck_is_everyone_s_own() -> None:
    turns = {tuple(rolled("ana", PLAN, "flat out", bytes([n]) * 32, "random")) for n in range(12)}
    assert len(turns) > 1
    assert len({tuple(rolled("ana", PLAN, "flat out", bytes([n]) * 32, "duplicate")) for n in range(12)}) == 1
