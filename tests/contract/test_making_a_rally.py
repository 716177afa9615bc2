"""An organiser creates a rally of a toy with the form, and the tables have the sizes that the game allows."""

from __future__ import annotations

import pytest
from django.test import Client

from championship.catalogue import Game, register
from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.rallies.entries.table_groups import deal, tables
from championship.rallies.models import Rally
from championship.runs.models import Run
from championship.stages.models import StageDesign
from engine.contract import Seats
from tests.championship.rallies.factories import enter, organiser_of, ready_made
from tests.contract.tables import make_rally
from tests.contract.toys.dash import Dash
from tests.factories import make_club, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]


class Duel(Dash):
    """A game for tables of two or three."""

    name = "duel"
    title = "Duel"
    seats = Seats(2, 3)


def fill_in(client: Client, path: str, **typed: object) -> int:
    """Send the form of a page with its current values and the changes. Return the status of the response."""
    form = client.get(path).context["form"]
    data = {field.html_name: field.value() for field in form if field.value() not in (None, False)}
    return client.post(path, {**data, **typed}).status_code


def test_the_form_makes_a_rally_of_the_chosen_game() -> None:
    ready_made()
    olga = make_user("Olga")
    club = make_club(owner=olga)
    (course,) = StageDesign.objects.filter(club=None, game="dash")
    path = f"/clubs/{club.slug}/rallies/new/?game=dash"
    page = signed_in(olga).get(path)
    assert "Open road" not in page.content.decode(), "dash knows no open road"
    assert ">Dash<" in page.content.decode() and "Dash: Dash" not in page.content.decode()
    stages = {"stage_1": course.pk, "stage_2": course.pk}
    assert fill_in(signed_in(olga), path, name="Dash Cup", route="own", option_rounds=2, **stages) == 302
    rally = Rally.objects.get(name="Dash Cup")
    assert (rally.game, rally.unit, rally.better, rally.stages.count()) == ("dash", "points", "most", 2)
    assert rally.options == {"rounds": 2}
    with pytest.raises(Refused) as refused:
        make_rally("dash", club=club, mode="open road")
    assert refused.value.field == "mode"


@pytest.mark.parametrize(
    ("entries", "seats", "sizes"),
    [
        (7, Seats(1, 6), [6, 1]),
        (5, Seats(2, 4), [3, 2]),
        (7, Seats(3, 3), [1, 3, 3]),
        (9, Seats(3, 4), [3, 3, 3]),
        (4, Seats(2, 10), [4]),
    ],
)
def test_the_last_table_is_not_too_empty(entries: int, seats: Seats, sizes: list[int]) -> None:
    found = tables(list(range(entries)), seats)
    assert [number for table in found for number in table] == list(range(entries)), "in their order"
    assert [len(table) for table in found] == sizes


def test_heats_are_dealt_out_like_cards() -> None:
    assert deal(range(8), [3, 3, 2]) == [[0, 3, 6], [1, 4, 7], [2, 5]]
    assert deal(range(6), [4, 2]) == [[0, 2, 4, 5], [1, 3]]
    assert deal([], []) == []


def test_entries_are_shared_out_and_too_few_do_not_start() -> None:
    register(Game("duel", engine=Duel(), title="Duel"))
    rally = make_rally("duel")
    enter(rally, "Ana")
    with pytest.raises(Refused, match="at least 2"):
        rallies.start_rally(by=organiser_of(rally), rally=rally)
    enter(rally, "Bo", "Cem", "Dag")
    rallies.start_rally(by=organiser_of(rally), rally=rally)
    assert [run.seats.count() for run in Run.objects.filter(special_stage__rally=rally).order_by("number")] == [2, 2]
