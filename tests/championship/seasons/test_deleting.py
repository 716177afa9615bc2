"""An organiser deletes what was made by mistake, and has to type its name. What was driven stays."""

from datetime import date

import pytest

from championship.audit.models import Record
from championship.clubs.models import Role
from championship.platform.refusals import Refused
from championship.rallies import services as rally_services
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.seasons import services
from championship.seasons.models import Championship, Round
from championship.seasons.season_plans import Plan, copied_plan
from championship.seasons.services import deleting
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.championship.seasons.scenes import finished_rally, people, season
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


def rounds_of(championship):
    return list(championship.rounds.order_by("number").values_list("number", "rally__name"))


def test_a_rally_that_nobody_has_driven_is_deleted_with_its_round(olga, club):
    made = services.create_championship(by=olga, club=club, name="Cup")
    one, two, three = (make_rally(by=olga, club=club, name=name) for name in ("One", "Two", "Three"))
    for rally in (one, two, three):
        services.add_round(by=olga, championship=made, rally=rally)
    client, page = signed_in(olga), f"/rallies/{two.key}/delete/"
    assert page in client.get(f"/rallies/{two.key}/desk/").content.decode()
    for other in (make_member(club, name="Driver"), make_member(club, name="Judge", roles=[Role.STEWARD])):
        assert signed_in(other).post(page, {"name": "Two"}).status_code == 403
    assert signed_in(make_user("Stranger")).post(page, {"name": "Two"}).status_code in (403, 404)
    wrong = client.post(page, {"name": "Three"})
    assert wrong.status_code == 422 and "Type the name" in wrong.content.decode()
    assert rounds_of(made) == [(1, "One"), (2, "Two"), (3, "Three")]
    assert client.post(page, {"name": " two "}).url == f"/clubs/{club.slug}/"
    assert rounds_of(made) == [(1, "One"), (2, "Three")]
    assert not SpecialStage.objects.filter(rally=two.pk).exists()
    assert Record.objects.get(action="rally deleted").details == {"rally": "Two"}
    assert client.post(page, {"name": "Two"}).status_code == 404, "twice is once"


def test_a_rally_with_entries_has_to_be_cancelled_first_and_what_was_driven_stays(olga, club):
    rally = make_rally(by=olga, club=club)
    enter(rally, "Ana")
    with pytest.raises(Refused, match="First cancel the rally"):
        deleting.delete_rally(by=olga, rally=rally, typed=rally.name)
    assert "First cancel the rally" in signed_in(olga).get(f"/rallies/{rally.key}/delete/").content.decode()
    rally_services.cancel_rally(by=olga, rally=rally, reason="Made by mistake")
    deleting.delete_rally(by=olga, rally=rally, typed=rally.name)
    assert not Entry.objects.exists()
    driven = finished_rally(club, olga, {each: (200 + at,) for at, each in enumerate(people(club, 2))})
    with pytest.raises(Refused, match="its results stay"):
        deleting.delete_rally(by=olga, rally=driven, typed=driven.name)
    begun = make_rally(by=olga, club=club, name="Begun")
    enter(begun, "Bo")
    rally_services.start_rally(by=olga, rally=begun)
    Rally.objects.filter(pk=begun.pk).update(status="cancelled", finished_at=begun.created_at)
    with pytest.raises(Refused, match="were driven"):
        deleting.delete_rally(by=olga, rally=begun, typed="Begun")


def test_a_championship_is_deleted_with_or_without_its_rallies(olga, club):
    for rallies_too, left in ((False, 1), (True, 1)):
        made = services.create_championship(by=olga, club=club, name="Cup")
        services.add_round(by=olga, championship=made, rally=make_rally(by=olga, club=club, name=f"R {rallies_too}"))
        sent = {"name": "cup", **({"rallies_too": "on"} if rallies_too else {})}
        assert signed_in(olga).post(f"/championships/{made.key}/delete/", sent).status_code == 302
        assert not Championship.objects.exists() and not Round.objects.exists()
        assert Rally.objects.count() == left
    driven = season(club, olga, people(club, 2), rounds=1, name="Driven")
    page = signed_in(olga).get(f"/championships/{driven.key}/delete/").content.decode()
    assert "the championship stays" in page
    assert signed_in(olga).post(f"/championships/{driven.key}/delete/", {"name": "Driven"}).status_code == 422
    assert Championship.objects.filter(pk=driven.pk).exists()


def test_copying_a_season_leaves_out_what_was_called_off_or_driven_on_paper(olga, club):
    made = services.create_championship(by=olga, club=club, name="Cup")
    kept, off, paper = (make_rally(by=olga, club=club, name=name) for name in ("Kept", "Off", "Paper"))
    for rally in (kept, off, paper):
        services.add_round(by=olga, championship=made, rally=rally, planned_for=date(2026, 5, 1))
    rally_services.cancel_rally(by=olga, rally=off, reason="Snow")
    Rally.objects.filter(pk=paper.pk).update(ruleset_version="on paper")
    assert [each.name for each in copied_plan(Plan(), made).rounds] == ["Kept"]
    assert organiser_of(kept) == olga
