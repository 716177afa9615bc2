"""Who scores in a season: cars that the codriver drove, and drivers who are not registered."""

import csv
import io

import pytest
from django.test import Client
from pypdf import PdfReader

from championship.audit.models import Record
from championship.rallies import services as rallies
from championship.rallies.models import CrewChange, SpecialStage
from championship.rallies.results import sheet
from championship.seasons import selectors, services
from championship.seasons.models import Championship, Round
from championship.seasons.season_plans import Plan, copied_plan
from championship.seasons.services import registering
from tests.championship.rallies.factories import drive, make_rally
from tests.championship.seasons.scenes import typed
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


def ana_won_by_codriver(at):
    """The codriver drove Ana's car from the start, and it won before Bo, who is not registered, and Cem.

    Returns the organiser, the championship, its rally and Bo.
    """
    at("2026-05-05T12:00")
    olga = make_user("Olga")
    club = make_club(owner=olga)
    ana, bo, cem = (make_member(club, name=name) for name in ("Ana", "Bo", "Cem"))
    made = services.create_championship(
        by=olga, club=club, name="Cup", points=[10, 6, 4], power=[3, 2, 1], classes=["Gold"]
    )
    for driver in (ana, cem):
        registering.register(by=olga, championship=made, driver=driver, crew=driver.name, car_class="Gold")
    rally = make_rally(by=olga, club=club, stages=["1/3"], name="Rally 1")
    entries = rallies.enter_for(
        by=olga, rally=rally, wanted=[rallies.EntryRequest(who, who.name, "Gold") for who in (ana, bo, cem)]
    )
    rallies.set_driven_by(by=ana, entry=entries[0], driven_by="codriver")
    rallies.start_rally(by=olga, rally=rally)
    drive(rally, 1, {entry: 200 + 10 * at for at, entry in enumerate(entries)})
    services.add_round(by=olga, championship=made, rally=rally, power_stage=1)
    return olga, made, rally, bo


def table_of(made):
    """Driver, points, place in the first round and wins, by place. Asserts that the class has the same order."""
    fresh = selectors.table(Championship.objects.get(pk=made.pk))
    (in_class,) = fresh.classes.values()
    said = [(str(line.who), line.total, line.scores[0].place, line.wins) for line in fresh.drivers]
    assert [str(line.who) for line in in_class] == [who for who, *_rest in said]
    return said


def papers_say_who_drove_and_for_what(rally):
    """Sheet, page, frame, list and picture name the codriver, the championship, the round and the day."""
    Round.objects.update(planned_for="2026-05-03")
    paper = Client().get(f"/rallies/{rally.key}/sheet.pdf")
    assert "Cup, round 1 · 5 May 2026" in PdfReader(io.BytesIO(paper.content)).pages[0].extract_text()
    assert "Driven by" in PdfReader(io.BytesIO(paper.content)).pages[0].extract_text()
    assert "<td>codriver</td>" in Client().get(f"/rallies/{rally.key}/sheet/").text
    assert "Ana (codriver)" in Client().get(f"/embed/podium/{rally.key}/").text
    (first, *_rest) = csv.DictReader(
        io.StringIO(Client().get(f"/rallies/{rally.key}/results.csv").text.lstrip("\ufeff"))
    )
    assert (first["Championship"], first["Round"], first["First day"]) == ("Cup", "1", "2026-05-05")
    picture = Client().get(f"/rallies/{rally.key}/podium.png")
    Championship.objects.update(name="Club Cup")
    again = Client().get(f"/rallies/{rally.key}/podium.png", headers={"If-None-Match": picture["ETag"]})
    assert (again.status_code, again.content != picture.content) == (200, True), "it names the championship"


def test_cars_of_the_codriver_and_unregistered_drivers_score_unless_the_season_forbids_it(at):
    """The codriver drove Ana's car from the start, and it won before Bo, who is not registered, and Cem."""
    olga, made, rally, bo = ana_won_by_codriver(at)

    def table():
        return table_of(made)

    assert table() == [("Ana", 13, 1, 1), ("Bo", 8, 2, 0), ("Cem", 5, 3, 0)]
    results = Client().get(f"/rallies/{rally.key}/podium/").text
    assert 'class="crewchange">codriver<' in results
    assert "driven by the codriver" not in results, "nobody's driving was broken off"
    papers_say_who_drove_and_for_what(rally)

    form = f"/championships/{made.key}/edit/"
    client = signed_in(olga)
    page = client.get(form).text
    assert client.post(form, typed(page) | {"without_codrivers": "on"}).status_code == 302
    assert table() == [("Bo", 13, 1, 1), ("Cem", 8, 2, 0)]
    page = client.get(form).text
    assert client.post(form, typed(page) | {"registered_only": "on"}).status_code == 302
    assert table() == [("Cem", 13, 1, 1)]
    shown = Client().get(made.get_absolute_url()).text
    assert "Cars that the codriver drove do not score" in shown
    assert "Only drivers who are registered" in shown
    assert Record.objects.filter(action="championship changed").count() == 2

    registering.register(by=olga, championship=made, driver=bo, crew="Bo", car_class="Gold")
    assert table() == [("Bo", 13, 1, 1), ("Cem", 8, 2, 0)]
    plan = copied_plan(Plan(), Championship.objects.get(pk=made.pk))
    assert Plan.read(plan.write()).scheme.registered_only
    old = plan.write()
    del old["scheme"]["registered_only"], old["scheme"]["without_codrivers"]
    assert Plan.read(old).scheme.registered_only is False
    of_a_later_release = plan.write()
    of_a_later_release["scheme"]["double_points"] = True
    assert Plan.read(of_a_later_release) == plan


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([], ["", "", ""]),
        ([(1, 7, None)], ["codriver", "codriver", "codriver"]),
        ([(2, 7, None), (3, None, 7)], ["", "codriver", ""]),
        ([(2, 6, 7)], ["Crew 6", "", ""]),
        ([(2, 6, None), (3, 6, 7)], ["Crew 6", "codriver", ""]),
    ],
    ids=["nobody else", "codriver from the start", "codriver and back", "another driver", "codriver, then another"],
)
def test_the_sheet_names_drivers_other_than_the_one_in_the_heading(changes, told):
    """Crew 7 has the car in the end. A change has its first stage, the driver before and the driver after.

    None is the codriver.
    """
    made = [
        CrewChange(
            special_stage=SpecialStage(number=number),
            before_id=before,
            driver_id=driver,
            crew_before=f"Crew {before or 7}",
            crew=f"Crew {driver or before}",
        )
        for number, before, driver in changes
    ]
    assert [sheet._at_the_wheel(made, number, "Crew 7") for number in (1, 2, 3)] == told
