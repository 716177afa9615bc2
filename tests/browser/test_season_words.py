"""Long German and Polish words and long names must not make a page of a season wider than a small phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page

from championship.seasons.season_plans import PlannedRound
from championship.seasons.services import registering, season_drafts
from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import designs
from tests.championship.seasons.scenes import people, season
from tests.factories import make_club, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = 320  # CSS pixels
NAME, CLASS = "Szczepankiewicz" * 3, "Gruppenklassierung"


@pytest.mark.slow
def test_no_page_of_a_season_is_wider_than_a_phone(browser_window: BrowserContext, page: Page, live_server) -> None:
    designs("1/1")
    olga = make_user("Olga Organiser")
    club = make_club(owner=olga)
    ana, bo = people(club, 2)
    type(ana).objects.filter(pk=ana.pk).update(name=NAME)
    cup = season(club, olga, [ana, bo], rounds=2, name=NAME, classes=[CLASS, "R2"], tie_breaks=["wins"])
    (team, *_rest) = registering.name_teams(by=olga, championship=cup, names=[NAME, "South"])
    registering.register(by=olga, championship=cup, driver=ana, crew=NAME, car_class=CLASS, team=team)
    draft = season_drafts.begin_draft(by=olga, club=club)
    rounds = [PlannedRound(NAME, route="1")]
    season_drafts.save_draft(by=olga, draft=draft, version=0, name=NAME, classes=[CLASS], teams=[NAME], rounds=rounds)
    home, making, them = cup.get_absolute_url(), f"/season-drafts/{draft.key}/", f"/clubs/{club.slug}/drivers/{ana.pk}/"
    addresses = [
        *(
            f"{home}{rest}"
            for rest in ("", "classes/1/", "teams/", "progress/", "registrations/", "registrations/new/")
        ),
        *(f"{home}edit/{rest}" for rest in ("", "classes/", "teams/", "calendar/", "rallies/")),
        *(
            f"{making}{rest}"
            for rest in ("", "points/", "classes/", "calendar/", "calendar/1/", "rallies/", "preview/")
        ),
        them,
        f"{them}against/?driver={bo.pk}",
        f"/clubs/{club.slug}/",
    ]
    page.set_viewport_size({"width": PHONE, "height": 700})
    wide = []
    for language in ("de", "pl"):
        olga.language = language
        olga.save()
        sign_in(browser_window, olga, live_server.url)
        for address in addresses:
            answer = page.goto(address)
            assert answer is not None and answer.status == 200, address
            assert page.locator("html").get_attribute("lang") == language
            if page.evaluate("document.documentElement.scrollWidth") > PHONE:
                wide.append(f"{language} {address}")
    assert wide == []
