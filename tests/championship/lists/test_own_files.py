"""What the service writes for spreadsheets comes in again unchanged, in every language and as a workbook."""

import pytest
from django.test import Client
from django.utils import translation

from championship.lists.reading import read
from championship.rallies.services import give_penalty
from championship.seasons.services import add_round, create_championship
from tests.championship.rallies.factories import measured, organiser_of
from tests.factories import signed_in

pytestmark = pytest.mark.django_db
LANGUAGES = ("en", "de", "pl")


def driven(unit="seconds", better="fewest"):
    """Return a finished rally of two stages in a season: Ana before Bo, and Cem, who has retired from stage 2."""
    gone = (400, [], "engine")
    rally = measured(unit, better, {"Ana": 200, "Bo": 210, "Cem": 220}, {"Ana": 250, "Bo": 250, "Cem": gone})
    olga = organiser_of(rally)
    cup = create_championship(by=olga, club=rally.club, name="Cup", classes=[])
    add_round(by=olga, championship=cup, rally=rally)
    return rally, cup


def fetched(path, language, client=None):
    with translation.override(language):
        return (client or Client(headers={"Accept-Language": language})).get(path).getvalue()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_results_of_a_rally(language, kind):
    rally, _cup = driven()
    found = read(fetched(f"/rallies/{rally.key}/results.{kind}", language), results=True).found
    assert [note for note in found.notes if note.kind == "fault"] == []
    (one,) = found.rounds
    assert (one.name, one.measure, one.day) == (rally.name, "times", rally.started_at.date())
    by_name = {result.person.name: result for result in one.results}
    assert set(by_name) == {"Ana", "Bo", "Cem"}
    ana, cem = by_name["Ana"], by_name["Cem"]
    assert (ana.place, ana.total.thousandths, [time.thousandths for time in ana.times]) == (
        1,
        450_000,
        [200_000, 250_000],
    )
    assert (by_name["Bo"].place, by_name["Bo"].status) == (2, "classified")
    assert (cem.status, cem.retired_in) == ("retired", 2)
    assert one.stages == tuple(stage.called for stage in rally.stages.order_by("number")) or len(one.stages) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("amount", [15, -5])
def test_a_penalty_on_the_whole_rally_is_one_again(language, amount):
    rally, _cup = driven()
    bo = rally.entries.get(driver__name="Bo")
    give_penalty(by=organiser_of(rally), entry=bo, amount=amount, reason="Late at the ceremony")
    found = read(fetched(f"/rallies/{rally.key}/results.csv", language), results=True).found
    assert not [note for note in found.notes if note.kind == "fault" or note.about == "total"]
    by_name = {result.person.name: result for result in found.rounds[0].results}
    assert by_name["Bo"].penalty.thousandths == 1000 * amount
    assert by_name["Bo"].total.thousandths == 460_000 + 1000 * amount
    assert not by_name["Ana"].penalty or by_name["Ana"].penalty.thousandths == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_results_that_are_points_of_a_game_are_places(language):
    rally, _cup = driven("points", "most")
    (one,) = read(fetched(f"/rallies/{rally.key}/results.csv", language), results=True).found.rounds
    assert one.measure == "places"
    assert {result.person.name: result.place for result in one.results if result.status == "classified"}["Bo"] == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["standings.csv", "season.xlsx"])
def test_standings_of_a_season(language, path):
    rally, cup = driven()
    found = read(fetched(f"/championships/{cup.key}/{path}", language), results=True).found
    assert [note for note in found.notes if note.kind == "fault"] == []
    (one,) = found.rounds
    assert (one.name, one.measure) == (rally.name, "points")
    points = {result.person.name: result.points_hundredths for result in one.results}
    assert points["Ana"] > points["Bo"] > 0
    assert {total.person.name: total.points_hundredths for total in found.totals} == points


@pytest.mark.parametrize("language", LANGUAGES)
def test_entries_of_a_rally(language):
    rally, _cup = driven()
    client = signed_in(organiser_of(rally))
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    found = read(fetched(f"/rallies/{rally.key}/desk/entries.csv", language, client), results=False).found
    assert [person.name for person in found.persons] == ["Ana", "Bo", "Cem"]
    assert {"name", "crew", "number", "car_class"} <= found.named
