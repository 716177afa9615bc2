"""The map of the stage page in a real browser: zoomed, moved, tapped, on a phone and on a desktop."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.runs.models import Post
from tests.browser.desk import DESK, GROWTH, MIDDLE, PHONE, first_of, growth_of, serious_faults, transform_of, window_of
from tests.championship.runs.factories import driven_to_the_end, on_the_road, play, put, starters

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

MAP = "figure.map"
NARROW = 320  # CSS pixels
SIDEWAYS = "document.documentElement.scrollWidth"
# Links in the part that responses replace. A response would be inserted into this part.
LEADING_AWAY = """() => [...document.querySelectorAll("#run a[href]")].filter(link =>
    link.pathname && link.pathname !== location.pathname && !link.closest("svg")
    && link.closest("[hx-boost]").getAttribute("hx-boost") !== "false"
    && !link.matches("[data-place], [data-car]")).map(link => link.outerHTML)"""
IN_SIGHT = """part => {
    const box = part.getBoundingClientRect(), frame = document.querySelector("figure.map").getBoundingClientRect();
    return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
}"""


MOVED = "before => document.querySelector('figure.map > svg').style.transform !== before"


def middle_of(page: Page) -> tuple[float, float]:
    """Return the middle of the map in the window."""
    box = page.locator(MAP).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_map_fills_a_desk_and_begins_where_the_driver_is(browser: Browser, live_server) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    window = window_of(browser, live_server.url, first, viewport=DESK)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    box = page.locator(MAP).bounding_box()
    assert box is not None
    assert box["width"] > DESK["width"] * 0.6
    assert box["y"] + box["height"] == pytest.approx(DESK["height"], abs=4)
    assert growth_of(page) > 1.2
    assert page.locator("svg a.target").first.evaluate(IN_SIGHT)
    assert page.locator("svg .car.mine").first.evaluate(IN_SIGHT)
    window.close()


def test_wheel_buttons_keys_and_double_click_look_closer(browser: Browser, live_server) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    window = window_of(browser, live_server.url, first, viewport=DESK)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.get_by_role("button", name="The whole stage").click()
    assert growth_of(page) == 1
    x, y = middle_of(page)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -400)
    page.wait_for_function(f"{GROWTH} > 1.5")
    by_wheel = growth_of(page)
    page.get_by_role("button", name="Farther away").click()
    assert growth_of(page) < by_wheel
    page.locator(MAP).focus()
    for key, grows in (("+", 1), ("-", -1), ("0", -1)):
        before = growth_of(page)
        page.keyboard.press(key)
        assert (growth_of(page) - before) * grows >= 0, key
    assert growth_of(page) == 1
    page.mouse.dblclick(x, y)
    page.wait_for_function(f"{GROWTH} > 1.5")
    before = transform_of(page)
    page.locator(MAP).focus()
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_function(MOVED, arg=before)
    before = transform_of(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y + 30, steps=4)
    page.mouse.up()
    page.wait_for_function(MOVED, arg=before)
    expect(page.locator("#sheet")).to_be_hidden()  # a drag is not a tap
    window.close()


def test_two_fingers_pull_the_map_closer(browser: Browser, live_server) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    window = window_of(browser, live_server.url, first, viewport=PHONE, has_touch=True, is_mobile=True)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.get_by_role("button", name="The whole stage").tap()
    assert growth_of(page) == 1
    x, y = middle_of(page)
    hand = window.new_cdp_session(page)
    for kind, apart in (("touchStart", 30), ("touchMove", 60), ("touchMove", 110), ("touchEnd", None)):
        points = [] if apart is None else [{"x": x - apart, "y": y}, {"x": x + apart, "y": y}]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_function(f"{GROWTH} > 2")
    before = transform_of(page)
    for kind, across in (("touchStart", 0), ("touchMove", 40), ("touchMove", 90), ("touchEnd", None)):
        points = [] if across is None else [{"x": x + across, "y": y}]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_function(MOVED, arg=before)
    window.close()


def test_the_view_of_the_map_survives_a_step(browser: Browser, live_server) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    window = window_of(browser, live_server.url, first, viewport=DESK)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.get_by_role("button", name="Closer").click()
    before = growth_of(page)
    page.locator("#panel button[name=move]").first.click()
    expect(page.locator("#panel .plan li")).to_have_count(1)
    assert growth_of(page) == before
    window.close()


def test_a_car_a_space_and_a_tile_are_looked_at(browser: Browser, live_server) -> None:
    run, (first, second) = on_the_road("Ana", "Bo")
    put(run, second, space="2.1.o1", gear=3, started=True, tokens=4)
    window = window_of(browser, live_server.url, first, viewport=DESK)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.get_by_role("button", name="The whole stage").click()
    sheet = page.locator("#sheet")
    page.locator(f"svg a.car[href='#car-{second.start_number}']").click()
    expect(sheet.get_by_role("heading")).to_contain_text(second.crew)
    expect(sheet).to_contain_text("4 s won")
    sheet.get_by_role("button", name="Close", exact=True).click()
    expect(sheet).to_be_hidden()

    page.locator(".dashboard .dice a").first.click()
    expect(sheet.get_by_role("heading")).to_contain_text("Gear dice")
    page.locator("ol.tiles a").first.click()
    sheet.get_by_role("link", name="Yellow, orange, red").click()
    expect(sheet).to_contain_text("how hard a crash on this tile is")
    assert page.url.endswith(run.get_absolute_url()), "the turn is not left"
    sheet.get_by_role("button", name="Close", exact=True).click()

    page.get_by_role("link", name="Tile 3").click()
    expect(sheet).to_contain_text("hazard")
    expect(page.locator("svg .looked-at")).to_have_count(1)
    sheet.get_by_role("link", name="Tile before").click()
    expect(sheet.get_by_role("heading")).to_have_text("Tile 2")
    sheet.get_by_role("link", name="2.1 cut 1").click()
    expect(sheet).to_contain_text("Limit: gear")
    expect(sheet).to_contain_text("inside of the bend")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(page.locator("svg .looked-at")).to_have_count(0)

    where = page.locator(f"svg a.car[href='#car-{second.start_number}']").bounding_box()
    assert where is not None
    page.mouse.click(where["x"] + where["width"] / 2 - 60, where["y"] + where["height"] / 2)
    expect(sheet).to_be_visible()  # it describes the space
    window.close()


def test_a_target_is_looked_at_by_a_long_press_or_in_looking_mode_and_laid_by_a_tap(
    browser: Browser, live_server
) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    window = window_of(browser, live_server.url, first, viewport=PHONE, has_touch=True, is_mobile=True)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    at = page.locator("svg a.target").first.evaluate(MIDDLE)
    assert at["free"]
    hand = window.new_cdp_session(page)
    hand.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": at["x"], "y": at["y"]}]})
    expect(page.locator("#sheet")).to_be_visible()
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator("#sheet")).to_be_visible()
    expect(page.locator("#panel .plan li")).to_have_count(0)
    page.get_by_role("button", name="Close", exact=True).tap()

    page.get_by_role("button", name="Look at spaces").tap()
    page.touchscreen.tap(at["x"], at["y"])
    expect(page.locator("#sheet")).to_be_visible()
    page.get_by_role("button", name="Close", exact=True).tap()
    page.get_by_role("button", name="Look at spaces").tap()
    page.touchscreen.tap(at["x"], at["y"])
    page.locator(".fan button").first.tap()
    expect(page.locator("#panel .plan li")).to_have_count(1)
    window.close()


def test_places_are_pages_of_their_own_without_script(browser: Browser, live_server) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    window = window_of(browser, live_server.url, first, viewport=PHONE, java_script_enabled=False)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.get_by_role("link", name="Tile 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tile 2")
    page.get_by_role("link", name="2.1 cut 1").click()
    expect(page.get_by_text("inside of the bend")).to_be_visible()
    page.get_by_role("link", name="Back to the stage").click()
    expect(page.get_by_role("heading", name="Your plan")).to_be_visible()
    assert page.locator("svg image.land").first.bounding_box() is not None
    window.close()


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (DESK, "dark")], ids=str)
def test_the_stage_page_has_no_serious_accessibility_fault(
    browser: Browser, live_server, scheme: str, size: dict[str, int]
) -> None:
    run, (first, second) = on_the_road("Ana", "Bo")
    window = window_of(browser, live_server.url, first, viewport=size, color_scheme=scheme, reduced_motion="reduce")
    page = window.new_page()
    faults = {}

    def check(state: str) -> None:
        page.goto(run.get_absolute_url())
        faults[state] = serious_faults(page)
        assert page.evaluate(SIDEWAYS) <= size["width"], state

    check("laying")
    page.locator("#panel button[name=move]").first.click()
    expect(page.locator("#panel .plan li")).to_have_count(1)
    page.locator("svg a.car").first.press("i")
    expect(page.locator("#sheet")).to_be_visible()
    faults["looking"] = serious_faults(page)
    play(run, first, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one", sisu=False)
    check("rolling")
    play(run, first, do="roll")
    play(run, first, do="stop")
    driven_to_the_end(run, first, second)
    check("finished")
    window.close()

    assert {state: found for state, found in faults.items() if found} == {}


def test_links_that_lead_away_lead_to_whole_pages(browser: Browser, live_server) -> None:
    run, (first, second) = on_the_road("Ana", "Bo")
    play(run, first, do="lay", plan="1:1.2.l", roll="flat out", sisu=False)
    for entry in (first, second):
        window = window_of(browser, live_server.url, entry, viewport=DESK)
        page = window.new_page()
        page.goto(run.get_absolute_url())
        assert page.evaluate(LEADING_AWAY) == []
        page.get_by_role("link", name="Stage 1", exact=True).first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Stage 1")
        window.close()
    driven_to_the_end(run, first, second)
    window = window_of(browser, live_server.url, first, viewport=DESK)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    assert page.evaluate(LEADING_AWAY) == []
    window.close()


def test_no_state_of_the_stage_page_is_wider_than_a_small_phone(browser: Browser, live_server) -> None:
    run, (first, *_others) = on_the_road("Wiśniewska-Szczepankiewicz", "Bo")
    window = window_of(browser, live_server.url, first, viewport={"width": NARROW, "height": 640})
    page = window.new_page()
    page.goto(run.get_absolute_url())
    assert page.evaluate(SIDEWAYS) <= NARROW
    page.locator("#panel button[name=move]").first.click()
    expect(page.locator("#panel .plan li")).to_have_count(1)
    assert page.evaluate(SIDEWAYS) <= NARROW
    page.locator("svg a.car").first.press("i")
    expect(page.locator("#sheet")).to_be_visible()
    assert page.evaluate(SIDEWAYS) <= NARROW
    window.close()


def test_a_lost_post_is_reported_and_sent_again_once(browser: Browser, live_server) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    window = window_of(browser, live_server.url, first, viewport=PHONE, has_touch=True, is_mobile=True)
    page = window.new_page()
    page.goto(f"{run.get_absolute_url()}?plan=1:1.2.l+2:1.3.l+c:2.1.o1")
    window.set_offline(True)
    page.get_by_role("button", name="One by one").tap()
    expect(page.get_by_text("There is no connection. Kept here")).to_be_visible()
    expect(page.locator("#panel .plan li")).to_have_count(3)  # the plan is unchanged
    run.refresh_from_db()
    assert run.state["turn"] is None
    page.get_by_role("button", name="Try again").tap()
    expect(page.get_by_text("There is no connection. Kept here")).to_be_visible()
    window.set_offline(False)  # it is sent by itself
    expect(page.get_by_role("button", name="Roll")).to_be_visible()
    expect(page.locator("#lost")).to_be_hidden()

    # While rolling, the post arrives but its response is lost. Sent again, it gives the same roll.
    page.route("**/turn/", lambda route: (route.fetch(), route.abort()) if route.request.method == "POST" else None)
    page.get_by_role("button", name="Roll").tap()
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    page.unroute("**/turn/")
    assert Post.objects.filter(run=run, orders={"do": "roll"}).count() == 1
    page.get_by_role("button", name="Try again").tap()
    expect(page.locator("#lost")).to_be_hidden()
    assert Post.objects.filter(run=run, orders={"do": "roll"}).count() == 1, "not rolled twice"
    assert starters(run)[0] == first_of(run)
    window.close()
