"""Rounds that drivers nominate, shared cars, points of classes and games, factors in the wizard, and templates."""

from __future__ import annotations

import re
from datetime import date

import pytest
from django.test import Client

from championship.audit.models import Record
from championship.platform.refusals import Forbidden, Refused
from championship.rallies.models import Entry
from championship.seasons import selectors, services
from championship.seasons.models import Championship, Nomination, SeasonTemplate, SharedDrive
from championship.seasons.season_plans import Plan
from championship.seasons.services import nominating, registering, season_drafts, templates
from tests.championship.rallies.factories import make_rally
from tests.championship.seasons.scenes import finished_rally, people, season
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


def totals(made) -> dict[str, float]:
    made = Championship.objects.get(pk=made.pk)
    return {line.who.name: line.total for line in selectors.table(made).drivers}


def more(made, olga, **further) -> None:
    services.change_championship(by=olga, championship=made, name=made.name, points=made.points, further=further)
    made.refresh_from_db()


# Nominated rounds ----------------------------------------------------------------------------------


def test_a_driver_nominates_before_the_start_and_an_organiser_corrects(olga, club):
    ana, bo = people(club, 2)
    made = season(club, olga, [ana, bo], rounds=2, points=[10, 6])
    coming = make_rally(by=olga, club=club, name="To come")
    services.add_round(by=olga, championship=made, rally=coming)
    mine = registering.register(by=ana, championship=made, driver=ana, crew="Ana")
    address = f"/championships/{made.key}/registrations/{mine.pk}/rounds/"
    assert signed_in(ana).get(address).status_code == 404  # all rounds count
    more(made, olga, nominated=2)
    first, _second, third = made.rounds.order_by("number")
    assert totals(made) == {ana.name: 0, bo.name: 0}
    assert signed_in(bo).get(address).status_code == 404
    client = signed_in(ana)
    assert client.post(address, {"rounds": [first.pk]}).status_code == 422  # it is over
    assert client.post(address, {"rounds": [third.pk]}).status_code == 302
    assert client.post(address, {"rounds": [third.pk]}).status_code == 302
    assert Record.objects.filter(action="rounds nominated").count() == 1
    with pytest.raises(Refused):
        nominating.nominate(by=ana, registration=mine, rounds=[first.pk, third.pk])
    with pytest.raises(Forbidden):
        nominating.nominate(by=bo, registration=mine, rounds=[])
    assert signed_in(olga).post(address, {"rounds": [first.pk, third.pk]}).status_code == 302
    assert totals(made) == {ana.name: 10, bo.name: 0}
    assert client.post(address, {"rounds": []}).status_code == 302
    assert set(mine.nominations.values_list("round_id", flat=True)) == {first.pk}  # what has started stays
    with pytest.raises(Refused):
        nominating.nominate(by=olga, registration=mine, rounds=[each.pk for each in made.rounds.all()])
    assert "not nominated" in Client().get(f"/championships/{made.key}/drivers/{ana.pk}/").text
    assert "(1 of 2)" in client.get(f"/championships/{made.key}/registrations/").text


# Shared cars ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "each"), [("divide", 5), ("each", 10), ("none", 0)])
def test_two_drivers_share_a_car(olga, club, how, each):
    ana, bo, cem = people(club, 3)
    made = season(club, olga, [ana, bo], rounds=1, points=[10, 6])
    address = f"/championships/{made.key}/rounds/1/shared/"
    assert signed_in(olga).get(address).status_code == 404
    more(made, olga, shared=how)
    entry = Entry.objects.get(driver=ana)
    other = Entry.objects.get(driver=bo)
    client = signed_in(olga)
    sent = {f"shared_{entry.pk}": cem.pk, "version": made.version}
    assert client.post(address, {f"shared_{entry.pk}": bo.pk, "version": made.version}).status_code == 422
    assert client.post(address, sent).status_code == client.post(address, sent).status_code == 302
    assert client.post(address, {f"shared_{other.pk}": cem.pk, "version": made.version}).status_code == 409
    assert totals(made) == {ana.name: each, bo.name: 6, cem.name: each}
    assert f"car shared with {ana.name}" in Client().get(f"/championships/{made.key}/drivers/{cem.pk}/").text
    assert signed_in(ana).post(address, sent).status_code == 403
    assert SharedDrive.objects.count() == 1


# Points of classes and games -----------------------------------------------------------------------


def test_classes_and_games_have_points_of_their_own(olga, club):
    ana, bo = people(club, 2)
    made = season(club, olga, [ana, bo], rounds=1, points=[10, 6], classes=["R2"])
    address, client = f"/championships/{made.key}/edit/tables/", signed_in(olga)
    game = made.rounds.get().rally.game
    sent = {"class_1": "7; 3", f"game_{game}": "4 2,5", "version": made.version}
    assert client.post(address, sent | {"class_1": "3 7"}).status_code == 422
    assert "nan" in client.post(address, sent | {"class_1": "nan"}).text
    assert client.post(address, sent).status_code == client.post(address, sent).status_code == 302
    assert totals(made) == {ana.name: 4, bo.name: 2.5}
    made.refresh_from_db()
    assert [line.total for line in selectors.table(made).in_class("R2")] == [7, 3]
    each = made.rounds.get()
    each.points = [1, 0]
    each.save()
    assert totals(made) == {ana.name: 1, bo.name: 0}  # points of the round go first
    assert "7 – 3" in Client().get(f"/championships/{made.key}/").text
    form = client.get(f"/championships/{made.key}/edit/").text
    assert client.post(f"/championships/{made.key}/edit/", typed(form)).status_code == 302
    made.refresh_from_db()
    assert made.further["classes"] == {"R2": {"points": [7, 3]}}  # the other form keeps them


def typed(page: str) -> dict[str, str]:
    """What a form of the page sends when nothing is changed."""
    fields = dict(re.findall(r'<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"', page))
    sent = {name: value for name, value in fields.items() if name not in ("csrfmiddlewaretoken", "q")}
    ticked = re.findall(r'<input type="checkbox" name="([^"]+)"[^>]*checked', page)
    return sent | dict.fromkeys(ticked, "on")


# Wizard and templates ------------------------------------------------------------------------------


def test_the_calendar_of_the_wizard_has_a_factor_for_each_round(olga, club):
    draft = season_drafts.begin_draft(by=olga, club=club)
    season_drafts.save_draft(by=olga, draft=draft, version=0, name="Cup", template="double finale")
    draft.refresh_from_db()
    address = f"/season-drafts/{draft.key}/calendar/"
    client = signed_in(olga)
    page = client.get(address).text
    assert len(re.findall(r'name="factor_\d+"', page)) == 10
    plan = Plan.read(draft.said)
    sent = {"rows": 10, "version": draft.version, "fill_count": 10}
    for number, each in enumerate(plan.rounds, 1):
        sent |= {f"name_{number}": each.name, f"route_{number}": each.route, f"factor_{number}": "1"}
    assert client.post(address, sent | {"factor_3": "11"}).status_code == 422
    assert client.post(address, sent | {"factor_3": "0,5", "factor_10": "2"}).status_code == 302
    draft.refresh_from_db()
    made = season_drafts.make_season(by=olga, draft=draft, version=draft.version)
    assert list(made.rounds.order_by("number").values_list("factor", flat=True)) == [
        *(100, 100, 50), *(100,) * 6, 200,
    ]  # fmt: skip


@pytest.mark.parametrize("name", templates.READY_MADE)
def test_a_ready_made_season_can_be_created_as_it_is(olga, club, name):
    client = signed_in(olga)
    sent = {"name": "Cup", "template": name, "version": 0}
    assert client.post(f"/clubs/{club.slug}/championships/new/", sent).status_code == 302
    draft = club.season_drafts.get()
    assert client.get(f"/season-drafts/{draft.key}/preview/").status_code == 200
    made = season_drafts.make_season(by=olga, draft=draft, version=draft.version)
    assert made.rounds.count() == len(templates.READY_MADE[name].factors)
    assert made.divisions == (("A", "B") if name == "divisions" else ())
    assert Client().get(made.get_absolute_url()).status_code == 200


def test_a_season_is_kept_as_a_template_and_another_begins_with_it(olga, club):
    ana, bo = people(club, 2)
    made = season(club, olga, [ana, bo], rounds=2, points=[9, 1], classes=["R5"])
    made.rounds.filter(number=2).update(factor=200, points=[5], planned_for=date(2026, 5, 1))
    client, address = signed_in(olga), f"/championships/{made.key}/template/"
    assert client.post(address, {"name": " "}).status_code == 422
    assert (
        client.post(address, {"name": "Ours"}).status_code == client.post(address, {"name": "Ours"}).status_code == 302
    )
    kept = SeasonTemplate.objects.get()
    begun = {"name": "Cup 2", "template": f"club {kept.pk}", "version": 0}
    assert client.post(f"/clubs/{club.slug}/championships/new/", begun).status_code == 302
    plan = Plan.read(club.season_drafts.get().said)
    assert (plan.name, plan.classes, plan.scheme.points) == ("Cup 2", ("R5",), (9, 1))
    assert [(each.factor, each.points, each.day) for each in plan.rounds] == [(100, (), None), (200, (5,), None)]
    other = make_club(owner=make_user("Other"))
    with pytest.raises(Refused):
        templates.begun_with(Plan(), other, f"club {kept.pk}")
    with pytest.raises(Refused):
        templates.begun_with(Plan(), club, "club ²")
    gone = f"/clubs/{club.slug}/season-templates/{kept.pk}/delete/"
    assert signed_in(ana).post(gone).status_code == 403
    assert client.post(gone).status_code == client.post(gone).status_code == 302
    assert not SeasonTemplate.objects.exists()


def test_the_next_round_is_entered_and_nominations_go_with_the_registration(olga, club):
    (ana,) = people(club, 1)
    made = season(club, olga, [ana], rounds=1)
    more(made, olga, nominated=1)
    mine = registering.register(by=olga, championship=made, driver=ana, crew="Ana")
    nominating.nominate(by=olga, registration=mine, rounds=[made.rounds.get().pk])
    rally = finished_rally(club, olga, {ana: (200,)}, name="Another")
    services.add_round(by=olga, championship=made, rally=rally)
    assert totals(made) == {ana.name: 25}
    assert Nomination.objects.count() == 1
