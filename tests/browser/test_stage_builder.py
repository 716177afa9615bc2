"""A small stage built in the editor: by touch on a phone, with keys on a desktop, by dragging, and without scripts."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from championship.accounts.models import User
from championship.clubs.models import Club, Role
from championship.stages.models import StageDesign, StageDraft
from tests.browser.desk import DESK, PHONE, serious_faults
from tests.browser.test_first_turn import sign_in
from tests.factories import make_club, make_member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

# The strip is scrolled to its beginning and at rest. It continues to scroll for a while after a swipe.
PULLED_BACK = """async strip => {
    for (let still = 0; still < 20; still++) {
        if (strip.scrollLeft) { strip.scrollTo(0, 0); still = 0; }
        await new Promise(requestAnimationFrame);
    }
}"""
NARROW = {"width": 320, "height": 640}  # CSS pixels


@pytest.fixture
def club() -> Club:
    return make_club()


@pytest.fixture
def olga(club: Club) -> User:
    return make_member(club, roles=[Role.ORGANISER])


def window_of(browser: Browser, url: str, person: User, **how: Any) -> BrowserContext:
    window = browser.new_context(base_url=url, locale="en-GB", timezone_id="UTC", reduced_motion="reduce", **how)
    sign_in(window, person, url)
    return window


def builder_of(window: BrowserContext, club: Club) -> Page:
    page = window.new_page()
    page.goto(f"/clubs/{club.slug}/stages/build/")
    return page


def check_tiles(page: Page, count: int) -> None:
    """Check that the editor shows so many tiles."""
    expect(page.locator(".laid-tiles li")).to_have_count(count)


def stored_faces() -> list[str]:
    """Return the faces of the tiles in the draft on the server."""
    draft = StageDraft.objects.first()
    return [tile["tile"] for tile in draft.spec["tiles"]] if draft else []


def offer(page: Page, tile: str) -> Locator:
    return page.locator(f".offer[value^='{tile}.']")


def test_by_touch_on_a_phone(browser: Browser, live_server, club: Club, olga: User) -> None:
    window = window_of(browser, live_server.url, olga, viewport=PHONE, has_touch=True, is_mobile=True)
    page = builder_of(window, club)
    offer(page, "202a").tap()
    check_tiles(page, 1)
    chip = page.locator("svg a.way[href$='go=4'] .way-chip")
    expect(page.locator(".ways a[aria-current]")).to_contain_text("straight on")
    chip.tap()
    expect(page.locator(".ways a[aria-current]")).to_contain_text("right")
    offer(page, "217a").tap()
    check_tiles(page, 2)
    page.locator(".ways a", has_text="finish").tap()
    offer(page, "203b").tap()
    check_tiles(page, 3)
    expect(page.locator(".standing")).to_contain_text("from the start to the finish")
    page.locator(".laid-tiles a", has_text="217a").tap()
    expect(page.locator(".looked")).to_contain_text("bend to the right")
    offer(page, "222a").tap()
    expect(page.locator(".looked")).to_contain_text("222a")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert serious_faults(page) == []
    page.get_by_label("Name of the stage").fill("By thumb")
    page.get_by_role("link", name="Back to the open end").tap()
    expect(page.locator(".looked")).to_have_count(0)
    expect(page.get_by_label("Name of the stage")).to_have_value("By thumb")
    page.get_by_role("button", name="Save to the club's library").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("By thumb")
    made = StageDesign.objects.get(club=club)
    assert [tile["tile"] for tile in made.spec["tiles"]] == ["202a", "222a", "203b"]
    window.close()


def test_by_keys_at_a_desk(browser: Browser, live_server, club: Club, olga: User) -> None:
    window = window_of(browser, live_server.url, olga, viewport=DESK)
    page = builder_of(window, club)
    press = page.keyboard.press
    press("3")
    expect(page.locator(".ways a[aria-current]")).to_contain_text("up")
    expect(offer(page, "202a")).to_be_focused()
    press("ArrowRight")
    expect(offer(page, "202b")).to_be_focused()
    press("ArrowLeft")
    press("Enter")
    check_tiles(page, 1)
    expect(page.locator("#news")).to_contain_text("1 tile")
    press("2")
    expect(page.locator(".ways a[aria-current]")).to_contain_text("left")
    expect(page.locator(".offer").first).to_be_focused()
    ghost = page.locator(".ghost")
    assert ghost.get_attribute("href") == page.locator(".offer").first.locator("img").evaluate("img => img.src")
    press("Enter")
    check_tiles(page, 2)
    press("3")
    expect(offer(page, "204a").first).to_be_focused()
    press("ArrowRight")
    press("Enter")
    check_tiles(page, 3)
    before = StageDraft.objects.get().spec["tiles"][2]["via"]
    press("t")
    page.wait_for_function("() => document.activeElement.id === 'do-turn'")
    assert StageDraft.objects.get().spec["tiles"][2]["via"] == before[::-1]
    press("Backspace")
    expect(page.locator("#builder [name=version]").first).to_have_value("5")
    assert StageDraft.objects.get().spec["tiles"][2]["via"] == before
    press("p")
    expect(page.locator(".looked .place")).to_have_text("3")
    press("p")
    expect(page.locator(".looked .place")).to_have_text("2")
    press("n")
    expect(page.locator(".looked .place")).to_have_text("3")
    press("Delete")
    check_tiles(page, 2)
    press("6")
    expect(page.locator(".ways a[aria-current]")).to_contain_text("finish")
    expect(offer(page, "203a")).to_be_focused()
    press("Enter")
    check_tiles(page, 3)
    press("?")
    expect(page.get_by_text("move between the tiles that fit")).to_be_visible()
    name = page.get_by_label("Name of the stage")
    name.focus()
    page.keyboard.type("By 3 keys")
    assert len(stored_faces()) == 3, "letters and digits in a field do nothing else"
    press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("By 3 keys")
    assert stored_faces() == []
    window.close()


def middle_of(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_tile_is_dragged_to_the_open_hexagon_and_one_dropped_beside_it_is_put_down(
    browser: Browser, live_server, club: Club, olga: User
) -> None:
    window = window_of(browser, live_server.url, olga, viewport=DESK)
    page = builder_of(window, club)
    for target, count in ((".open-hexagon", 1), (".open-hexagon", 2), (".stagehead", 2)):
        page.wait_for_function("() => document.querySelector('#builder figure.map').view")
        x, y = middle_of(page.locator(".offer").first)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 40, y - 10, steps=3)
        expect(page.locator(".flying")).to_be_visible()
        page.mouse.move(*middle_of(page.locator(target)), steps=5)
        page.mouse.up()
        expect(page.locator(".flying")).to_have_count(0)
        check_tiles(page, count)
    assert len(stored_faces()) == 2
    window.close()


def test_a_finger_drags_a_tile_up_to_the_map_and_pushes_the_strip_along(
    browser: Browser, live_server, club: Club, olga: User
) -> None:
    window = window_of(browser, live_server.url, olga, viewport=PHONE, has_touch=True, is_mobile=True)
    page = builder_of(window, club)
    offer(page, "202a").tap()
    check_tiles(page, 1)
    page.wait_for_function("() => document.querySelector('#builder figure.map').view")
    page.locator(".offer").first.scroll_into_view_if_needed()
    hand = window.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    def drag(begin: tuple[float, float], end: tuple[float, float]) -> None:
        touch("touchStart", begin)
        for step in range(1, 11):
            x, y = (a + (b - a) * step / 10 for a, b in zip(begin, end, strict=True))
            touch("touchMove", (x, y))
        touch("touchEnd")

    strip = page.locator(".tray-of-tiles")
    x, y = middle_of(page.locator(".offer").first)
    drag((x + 100, y), (x - 20, y))
    page.wait_for_function("() => document.querySelector('.tray-of-tiles').scrollLeft > 20")
    assert len(stored_faces()) == 1, "along the strip nothing is lifted"
    strip.evaluate(PULLED_BACK)
    drag(middle_of(page.locator(".offer").first), middle_of(page.locator(".open-hexagon")))
    check_tiles(page, 2)
    window.close()


def test_two_windows_do_not_lay_over_each_other(browser: Browser, live_server, club: Club, olga: User) -> None:
    window = window_of(browser, live_server.url, olga, viewport=DESK)
    one, other = builder_of(window, club), builder_of(window, club)
    offer(one, "202a").click()
    check_tiles(one, 1)
    offer(other, "202b").click()
    expect(other.get_by_role("alert")).to_contain_text("another window")
    check_tiles(other, 1)
    assert stored_faces() == ["202a"]
    window.close()


def test_without_script(browser: Browser, live_server, club: Club, olga: User) -> None:
    window = window_of(browser, live_server.url, olga, viewport=PHONE, java_script_enabled=False)
    page = builder_of(window, club)
    offer(page, "202a").click()
    page.locator(".ways a", has_text="straight on").click()
    offer(page, "204b").first.click()
    check_tiles(page, 2)
    turned = StageDraft.objects.get().spec["tiles"][1]["via"]
    page.get_by_role("button", name="Turn 204b").click()
    assert StageDraft.objects.get().spec["tiles"][1]["via"] == turned[::-1]
    page.get_by_role("button", name="Take back").click()
    page.locator(".ways a", has_text="finish").click()
    offer(page, "203a").click()
    check_tiles(page, 3)
    page.get_by_label("Name of the stage").fill("By hand")
    page.get_by_role("button", name="Save to the club's library").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("By hand")
    window.close()


def test_a_list_is_checked_while_it_is_typed(browser: Browser, live_server, club: Club, olga: User) -> None:
    window = window_of(browser, live_server.url, olga, viewport=PHONE)
    page = window.new_page()
    page.goto(f"/clubs/{club.slug}/stages/build/list/")
    field = page.get_by_label("Tiles")
    field.fill("202a\n999x")
    expect(page.locator("#check")).to_contain_text("Line 2")
    field.fill("202a\n210a\n216a")
    expect(page.locator("#check")).to_contain_text("runs into tile 1")
    field.fill("202a\n210a\n203a")
    expect(page.locator("#check")).to_contain_text("from the start to the finish")
    assert stored_faces() == []
    page.get_by_role("button", name="Put it in the draft").click()
    check_tiles(page, 3)
    assert stored_faces() == ["202a", "210a", "203a"]
    window.close()
