"""The demo's data: created at once, only once, and through the same services that people use."""

import pytest

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.demo.persons import CODRIVEN, DRIVER, PERSONS
from championship.demo.services import seed
from championship.games.dirt.apps import DEMO_NAMES
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from championship.runs.play import drive_codrivers
from championship.seasons.models import Championship
from engine import registry

pytestmark = pytest.mark.django_db


def test_a_championship_of_six_rallies_with_the_first_under_way() -> None:
    assert seed()

    rounds = Championship.objects.get().rounds.order_by("number")
    assert [round_.rally.name for round_ in rounds] == list(DEMO_NAMES)
    assert [round_.rally.stages.count() for round_ in rounds] == [3] * 6
    assert [round_.rally.status for round_ in rounds] == ["running"] + ["entries"] * 5


def test_a_round_that_all_play_at_once_is_half_closed() -> None:
    """The codrivers have ended the round. Of their turns only this is visible, and the driver's own turn is open."""
    seed()
    run = Run.objects.get(special_stage__rally__name="Dust and Dials")
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()
    mine = run.seats.get(entry__driver__email=DRIVER.email)
    assert run.state["round"] == 1 and run.hidden
    assert registry.get(run.game).to_play(run.state) == (mine.driver,)


def test_a_grand_prix_in_another_game_is_under_way_beside_it() -> None:
    seed()

    race = Rally.objects.get(name="Sandstone Grand Prix")
    assert race.game != Rally.objects.get(name=DEMO_NAMES[0]).game
    assert race.status == Rally.Status.RUNNING
    assert race.entries.filter(driver__email=DRIVER.email, status=Entry.Status.CONFIRMED).exists()


def test_one_person_and_three_codrivers_are_on_the_start_list() -> None:
    seed()

    entries = Entry.objects.filter(rally__status=Rally.Status.RUNNING).select_related("driver")
    assert {(entry.driver.email, entry.driven_by) for entry in entries} == {
        (DRIVER.email, "person"),
        *((person.email, "codriver") for person in CODRIVEN),
    }
    assert {entry.status for entry in entries} == {"confirmed"}


def test_seeding_again_changes_nothing() -> None:
    seed()
    before = [model.objects.count() for model in (User, Club, Rally, Entry, Championship)]

    assert not seed()
    assert [model.objects.count() for model in (User, Club, Rally, Entry, Championship)] == before
    assert User.objects.count() == len(PERSONS)
