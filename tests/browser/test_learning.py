"""What a newcomer reads and taps: the rules of a first stage on two screens of a phone, in every language, and nothing
to tap that is smaller than a finger.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.runs.models import Run
from championship.runs.watch.scenes import scene_school

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"width": 390, "height": 844}
SCREENS = 2


@pytest.mark.parametrize("language", ["en-GB", "de", "pl"])
def test_the_rules_of_a_first_stage_are_two_screens_of_a_phone(browser: Browser, live_server, language: str) -> None:
    window = browser.new_context(base_url=live_server.url, viewport=PHONE, has_touch=True, locale=language)
    page = window.new_page()
    for game in ("dirt", "dust", "formula_d"):
        page.goto(f"/rules/{game}/first/")
        box = page.locator(".firstpage-end").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= SCREENS * PHONE["height"], game
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], game
        onward = page.locator(".firstpage .onward")
        assert onward.count() >= 5, game
        for at in range(onward.count()):
            target = onward.nth(at).bounding_box()
            assert target is not None and min(target["width"], target["height"]) >= 44, game
    window.close()


FINGER = 44
TAPPED = """() => {
  const named = 'a[href], button, summary, select, textarea, [role=button], input:not([type=hidden])';
  const tapped = [...document.querySelectorAll(named)].filter(each => each.closest('main') && each.checkVisibility({
    visibilityProperty: true}) && !each.closest('.map, .visually-hidden'));
  const high = each => {
    const boxes = [each, ...(['checkbox', 'radio'].includes(each.type) ? each.labels : [])]
      .map(one => one.getBoundingClientRect()).filter(box => box.width && box.height);
    return Math.max(...boxes.map(box => box.height));
  };
  return tapped.filter(each => each.getClientRects().length && high(each) < %s)
    .map(each => `${each.className || each.parentElement.className || each.tagName}: ${each.innerText} ${high(each)}`);
}"""
OPEN_ALL = "() => document.querySelectorAll('main details').forEach(each => { each.open = true; })"


def small(page: Page, address: str) -> list[str]:
    """Return what can be tapped on a page and is lower than a finger. All folds are open."""
    page.goto(address)
    page.wait_for_load_state("load")
    page.evaluate(OPEN_ALL)
    return list(page.evaluate(TAPPED % FINGER))


@pytest.mark.parametrize("game", ["dirt", "dust", "formula_d"])
def test_all_that_is_tapped_on_stages_schools_and_rules_is_as_high_as_a_finger(
    browser: Browser, live_server, game: str
) -> None:
    window = browser.new_context(base_url=live_server.url, viewport=PHONE, has_touch=True, is_mobile=True)
    page = window.new_page()
    scenes = scene_school(game).SCENES
    addresses = ["/rules/", "/practice/", f"/rules/{game}/", f"/rules/{game}/first/", f"/rules/{game}/reference/"]
    addresses += [f"/rules/{game}/about/chances/", *(f"/practice/{game}/{scene.name}/new/" for scene in scenes[:4])]
    for address in addresses:
        assert small(page, address) == [], address
    page.goto("/")
    page.locator(f"button[name=game][value={game}]").first.tap()
    expect(page.locator(".practice .lesson h3")).to_be_visible()
    run = Run.objects.get()
    assert small(page, run.get_absolute_url()) == []
    expect(page.get_by_role("link", name="The rules in five minutes")).to_be_visible()
    window.close()
