"""Cards that a club has typed in: who may get them completely, and their names where a run is described."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from django.test import Client

from championship.api.services import make_token
from championship.games.dust.words import OPTIONS
from championship.platform.refusals import Forbidden
from championship.rallies.selectors import course_for
from championship.runs.models import Run
from championship.stages.models import StageDesign
from championship.stages.services import copy_design
from engine import registry
from tests.factories import make_club, make_member, make_user, signed_in
from tests.games.dust.pages.scenes import ended, on_the_road, page_of, post, rich_set, seat_of

pytestmark = pytest.mark.django_db

TITLE = "Typed in from the box"


def typed_in() -> dict[str, Any]:
    """Return a course with a set in which every card has another title."""
    spec = copy.deepcopy(rich_set())
    for card in spec["set"]["card"]:
        card["title"] = TITLE
    return spec


def over(run: Run, entries: Any) -> None:
    for entry in entries:
        assert post(entry, run, "", do="resign", sure="yes").status_code == 302
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED


def test_the_record_of_a_clubs_cards_is_for_members_and_drivers() -> None:
    run, entries = on_the_road("Ana", "Bo", spec=typed_in())
    over(run, entries)
    rally = run.special_stage.rally
    member, stranger = make_member(rally.club), make_user("Stranger")
    address, proof = f"/runs/{run.key}/record.json", f"/runs/{run.key}/proof/"
    for client, status in (
        (Client(), 403),
        (signed_in(stranger), 403),
        (signed_in(member), 200),
        (signed_in(entries[0].driver), 200),
    ):
        assert client.get(address).status_code == status
        page = client.get(proof).content.decode()
        assert (address in page) == (status == 200)
    spec = run.special_stage.spec
    assert course_for(rally, spec, stranger) == {} and course_for(rally, spec, member) == spec


def test_a_clubs_cards_stay_on_its_library() -> None:
    run, _entries = on_the_road("Ana", "Bo", spec=typed_in())
    design = StageDesign.objects.select_related("club").get(special_stages__runs=run)
    other = make_club(owner=make_user("Owner of another club"))
    with pytest.raises(Forbidden, match="belong to its club"):
        copy_design(by=other.memberships.get().user, design=design, club=other)
    asked = {
        "authorization": f"Bearer {make_token(by=make_user(), club=None, name='look', scopes=['read'], days=None)[1]}"
    }
    course = Client().get(f"/api/v1/courses/{design.key}", headers=asked)
    assert course.status_code == 200 and TITLE not in course.text


def test_the_record_of_our_own_cards_is_for_everybody() -> None:
    run, entries = on_the_road("Ana", "Bo")
    over(run, entries)
    assert Client().get(f"/runs/{run.key}/record.json").status_code == 200


def test_a_replay_calls_cards_as_the_set_of_the_run_does() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo", spec=typed_in())
    post(ana, run, "prepare")
    mine = seat_of(run, ana)
    post(ana, run, f"play {mine['hand'][0]} {mine['dice'][0][1]}; end")
    ended(bo, run)
    said = f"Plays {TITLE} on slot"
    pages = [Client().get(f"/runs/{run.key}/replay/?at={at}").content.decode() for at in range(8)]
    assert any(said in page for page in pages) and said in page_of(None, run)


def test_every_value_of_an_option_has_words() -> None:
    values = {choice for option in registry.get("dust").options for choice in option.choices}
    assert values == set(OPTIONS)
    run, _entries = on_the_road("Ana", options={"ghost": "plain"})
    page = Client().get(run.special_stage.rally.get_absolute_url()).content.decode()
    assert "the ghost of the rulebook" in page


def test_u1_drivers_choose_their_characters_on_the_page() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo", options={"characters": "chosen"})
    page = page_of(ana, run)
    assert page.count('name="character"') == 4 and "Drive as Sofia Fernandez" in page
    waiting = page_of(bo, run)
    assert 'name="character"' not in waiting and "waits for the others" in waiting
    assert post(ana, run, "", page, do="choose", character="no such").status_code == 422
    assert post(ana, run, "", page, do="choose", character="sofia").status_code == 302
    page = page_of(bo, run)
    assert page.count('name="character"') == 3 and re.search("(Ana|Bo) drives as Sofia Fernandez", page)
    assert post(bo, run, "", page, do="choose", character="aiko").status_code == 302
    ended(ana, run)
    assert seat_of(run, bo)["driver"] == "aiko" and "Draw cards and roll" in page_of(bo, run)
