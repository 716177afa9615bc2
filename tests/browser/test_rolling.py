"""Dice in a real browser: they tumble and come to rest with the faces in the log; they do not move for users who prefer
reduced motion; their sound plays once; and their buttons stay within reach of the thumb.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from championship.rallies.models import Entry
from championship.runs.models import Event, Run
from tests.browser import axe
from tests.browser.test_first_turn import sign_in
from tests.championship.runs.factories import on_the_road, play, put, with_luck

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"width": 360, "height": 640}
LONG = "1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2"
LONGER = f"{LONG} 3:3.1.l 4:3.2.l"
FINGER = 44  # CSS pixels: the smallest target
MOVING = """() => document.querySelector("[data-rolled]").getAnimations({ subtree: true })
    .filter(motion => motion.playState === "running").map(motion => motion.animationName)"""
NOTED = """window.moved = [];
    document.addEventListener("animationstart", event => window.moved.push(event.animationName), true);"""
LANDED = """() => Promise.all(document.querySelector("[data-rolled]").getAnimations({ subtree: true })
    .map(motion => motion.finished)).then(() => true)"""
ON_TOP = """die => {
    const box = die.getBoundingClientRect();
    return die.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2))
        && getComputedStyle(die.querySelector(".die")).opacity === "1";
}"""


@pytest.fixture
def window_of(browser: Browser, live_server) -> Iterator[Any]:
    """Return a function that opens a window in which an entry's driver is signed in."""
    opened: list[BrowserContext] = []

    def open_window(entry: Entry, **how: Any) -> Page:
        window = browser.new_context(base_url=live_server.url, viewport=PHONE, locale="en-GB", **how)
        opened.append(window)
        window.add_init_script(NOTED)
        sign_in(window, entry.driver, live_server.url)
        return window.new_page()

    yield open_window
    for window in opened:
        window.close()


def next_roll_warns(run: Run, count: int) -> None:
    """Make the next roll bring the warnings of the turn to `count`."""
    with_luck(run, {"do": "roll"}, lambda state: state["turn"] and state["turn"]["warnings"] == count)


def moved(page: Page) -> set[str]:
    """Return the elements of this page that have moved since it was loaded, when all dice are at rest."""
    assert page.evaluate(LANDED)
    return set(page.evaluate("window.moved"))


def faces_on(page: Page) -> list[str]:
    """Return the faces of the dice at rest on the page."""
    return page.locator("[data-rolled] .die-rolled[data-post] > .die").evaluate_all(
        "dice => dice.map(die => die.dataset.face)"
    )


def faces_in_log(run: Run) -> list[str]:
    """Return the same faces from the log."""
    rolls = Event.objects.filter(run=run, kind="roll").order_by("number").values_list("data", flat=True)
    return ["warning" if face else "clear" for roll in rolls for face in roll["faces"]]


def slow_motion(page: Page) -> None:
    """Make all motion on the page twenty times slower, so that a slow machine can press a button before it ends."""
    tools = page.context.new_cdp_session(page)
    tools.send("Animation.enable")
    tools.send("Animation.setPlaybackRate", {"playbackRate": 0.05})


def is_uncovered(page: Page, place: int = 0) -> None:
    """Wait until the die in this place is visible, at rest, and uncovered. Scrolling there takes time."""
    die = page.locator("[data-rolled] .die-rolled").nth(place)
    die.scroll_into_view_if_needed()
    page.wait_for_function(ON_TOP, arg=die.element_handle())


def roll(page: Page, count: int) -> None:
    page.locator("button[value=roll]").click()
    expect(page.locator(f".tray [data-count='{count}']")).to_be_visible()


def inside(page: Page, name: str) -> bool:
    """Return whether a button is fully in the window, large enough for a finger, and uncovered."""
    button = page.get_by_role("button", name=name)
    box = button.bounding_box()
    assert box is not None
    size = page.viewport_size
    assert size is not None
    fits = box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
    fits = fits and box["y"] >= 0 and box["y"] + box["height"] <= size["height"]
    free = button.evaluate(
        """button => { const box = button.getBoundingClientRect();
        return button.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)); }"""
    )
    return fits and free and min(box["width"], box["height"]) >= FINGER


def serious(page: Page) -> list[str]:
    """Return the serious faults that axe finds in the panel, each with its place."""
    return [
        f"{each['id']}: {node['target']}"
        for each in axe.violations(page, "#panel")
        if each["impact"] in axe.GRAVE
        for node in each["nodes"]
    ]


def test_only_the_new_die_tumbles_and_it_lands_on_the_face_that_was_rolled(window_of) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    page = window_of(ana)
    page.goto(run.get_absolute_url())
    for count in (1, 2):
        next_roll_warns(run, count)
        roll(page, count)
        assert page.locator(".die-rolled[data-new]").count() == 1
        assert moved(page) & {"die-tumbles", "die-tumbles-askew"}
        assert faces_on(page) == faces_in_log(run) == ["warning"] * count
        for place in range(count):
            is_uncovered(page, place)
    page.reload()
    assert moved(page) == set(), "what this browser has shown lies still"


def test_a_roll_is_heard_once(window_of) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    page = window_of(ana)
    page.goto(run.get_absolute_url())
    next_roll_warns(run, 1)
    page.evaluate(
        """() => {
            const region = document.getElementById("heard");
            window.heard = [];
            new MutationObserver(() => window.heard.push(region.textContent)).observe(region, { childList: true });
        }"""
    )
    roll(page, 1)
    expect(page.locator("#heard[aria-live=polite]")).to_have_text("Gear 1: 1 warning. 1 of 3 warnings.")
    page.evaluate(LANDED)
    assert page.evaluate("window.heard") == ["Gear 1: 1 warning. 1 of 3 warnings."]


def test_with_reduced_motion_nothing_moves(window_of) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    page = window_of(ana, reduced_motion="reduce")
    page.goto(run.get_absolute_url())
    next_roll_warns(run, 1)
    roll(page, 1)
    assert moved(page) == set()
    is_uncovered(page)
    expect(page.locator("#heard")).to_have_text("Gear 1: 1 warning. 1 of 3 warnings.")


def test_without_script_the_dice_tumble_as_the_page_comes_in(window_of) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    next_roll_warns(run, 1)
    page = window_of(ana, java_script_enabled=False)
    page.goto(run.get_absolute_url())
    roll(page, 1)
    expect(page.locator(".die-rolled[data-new] > .cube")).to_have_css("animation-name", "die-tumbles")
    assert faces_on(page) == ["warning"]


def test_all_dice_of_a_turn_in_one_go_tumble_one_after_another_until_somebody_presses(window_of) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    page = window_of(ana)
    page.goto(run.get_absolute_url())
    orders = {"do": "standing", "plan": LONGER}
    with_luck(run, orders, lambda state: state["turn"] is None and state["drivers"][str(ana.start_number)]["gear"] == 4)
    play(run, ana, **orders)
    slow_motion(page)
    page.goto(run.get_absolute_url())
    starts = page.evaluate(
        """() => [...document.querySelectorAll(".die-rolled[data-new] > .cube")].map(cube =>
        parseFloat(getComputedStyle(cube).animationDelay))"""
    )
    assert len(starts) == 6
    assert starts == sorted(starts)
    assert starts[1] - starts[0] > 0.4
    skip = page.get_by_role("button", name="Skip")
    expect(skip).to_be_visible()
    skip.click()
    assert page.evaluate(MOVING) == []
    expect(skip).to_be_hidden()
    assert faces_on(page) == faces_in_log(run)
    is_uncovered(page)


def test_a_spectator_sees_the_dice_of_others_tumble_without_reloading(window_of) -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    next_roll_warns(run, 0)
    play(run, ana, do="roll")
    page = window_of(bo)
    page.goto(run.get_absolute_url())
    expect(page.locator(".die-rolled[data-post]")).to_have_count(1)
    next_roll_warns(run, 1)
    play(run, ana, do="roll")
    expect(page.locator(".die-rolled[data-post]")).to_have_count(2)
    assert page.locator(".die-rolled[data-new]").count() == 1, "the first one has been shown"
    expect(page.locator("#heard")).to_have_text(f"{ana.crew}: Gear 2: 1 warning. 1 of 3 warnings.")


@pytest.mark.parametrize(("motion", "shakes"), [("no-preference", True), ("reduce", False)])
def test_flat_out_all_dice_fall_together_and_a_loss_is_felt(window_of, motion: str, shakes: bool) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    put(run, ana, sisu=False)
    orders = {"do": "lay", "plan": LONG, "roll": "flat out"}
    with_luck(run, orders, lambda state: state["turn"] and state["turn"]["phase"] == "relay")
    page = window_of(ana, reduced_motion=motion)
    page.goto(run.get_absolute_url() + f"?plan={LONG}")
    page.get_by_role("button", name="Flat out").click()
    expect(page.locator("[data-rolled]").get_by_text("Out of control!")).to_be_visible()
    starts = page.locator("[data-rolled] .die-rolled[data-new]").evaluate_all(
        "dice => dice.map(die => parseFloat(getComputedStyle(die.querySelector('.cube')).animationDelay))"
    )
    assert len(starts) == 4
    assert max(starts) - min(starts) < 0.3, "seconds"
    seen = moved(page)
    assert ("out-of-control" in seen) == shakes
    assert bool(seen & {"die-tumbles", "die-tumbles-askew"}) == shakes
    assert faces_on(page).count("warning") >= 3
    assert serious(page) == []


@pytest.mark.parametrize("width", [320, 360])
def test_roll_secure_and_stop_are_under_the_thumb(window_of, width: int) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    put(run, ana, tokens=5)
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    page = window_of(ana)
    page.set_viewport_size({"width": width, "height": 640})
    page.goto(run.get_absolute_url())
    next_roll_warns(run, 1)
    roll(page, 1)
    for name in ("Roll", "Secure for 1 s", "Stop here", "SISU"):
        assert inside(page, name), name
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    assert inside(page, "Stop here"), "wherever one has scrolled"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_from_the_plan_to_the_loss(window_of, scheme: str) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    page = window_of(ana, color_scheme=scheme, reduced_motion="reduce")

    page.goto(run.get_absolute_url() + f"?plan={LONG}")
    expect(page.get_by_role("heading", name="Risk")).to_be_visible()
    assert serious(page) == []
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    page.goto(run.get_absolute_url())
    for count in (1, 2):
        next_roll_warns(run, count)
        roll(page, count)
        assert serious(page) == []
    with_luck(run, {"do": "roll"}, lambda state: state["turn"] and state["turn"]["phase"] == "lost")
    page.locator("button[value=roll]").click()
    expect(page.get_by_text("Out of control!")).to_be_visible()
    assert serious(page) == []
