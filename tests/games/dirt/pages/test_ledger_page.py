"""The pages of decisions and chance: after the stage only, stored by a worker, and with the sums of the engine."""

import re

import pytest
from django.test import Client

from championship.archive.services.restoring import restore_club
from championship.clubs.models import Club
from championship.failures.models import Failure
from championship.failures.services import try_all_again
from championship.platform import clock
from championship.rallies.models import Rally, SpecialStage
from championship.rallies.services import set_ledgers
from championship.runs.models import KeptAccounts, KeptLedger, Run
from championship.runs.play import keep_missing_ledgers
from championship.runs.play.keeping_ledgers import runs_without_ledger
from championship.runs.watch.luck import ledgers, stage_ledgers
from engine import registry
from tests.championship.archive.scenes import archived, emptied
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import driven_to_the_end, on_the_road
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

FILES = ("/", ".csv", ".xlsx", ".pdf")


def address(run: Run) -> str:
    return f"/runs/{run.key}/ledger/"


def over(*names: str, **how) -> tuple[Run, list]:
    """A run that is over, with its ledger stored."""
    run, entries = on_the_road(*names, **how)
    driven_to_the_end(run, *entries)
    assert keep_missing_ledgers() == 1
    run.refresh_from_db()
    return run, entries


def test_it_is_stored_when_the_run_is_over_and_adds_up():
    run, entries = on_the_road("Ana", "Bo")
    assert Client().get(address(run)).status_code == 403
    assert keep_missing_ledgers() == 0
    driven_to_the_end(run, *entries)
    run.refresh_from_db()
    waits = Client().get(address(run))
    assert waits.status_code == 200
    assert "This is being computed" in waits.content.decode()
    assert keep_missing_ledgers() == 1
    assert keep_missing_ledgers() == 0, "a ledger of the present version is not computed again"
    page = Client().get(address(run))
    text = page.content.decode()
    found = ledgers.ledger_of(run, entries[0].driver)
    measures = {one.seat: one.measure for one in registry.get(run.game).result(run.state).seats}
    for car in found.cars:
        assert car.start + car.driving + car.chance + car.traffic == car.result
        assert car.turns[0].before == car.start
        assert all(f"the costliest one in turn {one.turn}." in text for one in car.costliest(1)[:1]), "in words"
        assert car.turns[-1].after == car.result
        assert car.driving >= 0
        assert car.seat.entry.crew in text
        assert car.result == measures[car.seat.name]
    assert [car.mine for car in found.cars].count(True) == 1
    assert text.count('class="ledgerchart"') == 2
    assert text.count('class="gapline"') == 4, "two cars in each of the two sizes"
    assert f'href="{address(run)}" aria-current="page"' in text


def test_a_driver_finds_the_own_car_first():
    run, entries = over("Ana", "Bo")
    for entry in entries:
        text = signed_in(entry.driver).get(address(run)).content.decode()
        assert re.findall(r'<section class="card( me)?', text) == [" me", ""]


def test_every_turn_has_a_page_whose_amounts_add_up_and_shows_the_better_way_on_the_map():
    run, entries = over("Ana", "Bo")
    drawn = 0
    for car in ledgers.ledger_of(run, entries[0].driver).cars:
        for turn in car.turns:
            page = Client().get(f"{address(run)}{car.seat.name}/{turn.number}/")
            text = page.content.decode()
            assert page.status_code == 200
            figures = re.findall(r'<strong class="figure">([^<]+)</strong>', text)
            amounts = sum(round(float(figure.replace("−", "-")) * 100) for figure in figures)
            assert amounts == round((turn.after - turn.before) * 100)
            drawn += 'id="best-way"' in text
    better = sum(bool(one.better) for car in ledgers.ledger_of(run, entries[0].driver).cars for one in car.bookings)
    assert bool(drawn) == bool(better)
    for wrong in ("99/1/", "1/999/", "x/1/"):
        assert Client().get(f"{address(run)}{wrong}").status_code == 404


def test_nothing_is_stored_or_shown_before_the_stage_is_over_for_all():
    """Spies: while another car may still meet the same draws, no row, page, file or answer tells any of them."""
    run, entries = on_the_road("Ana", "Bo", options={"dice": "duplicate"}, mode="open road")
    driven_to_the_end(run, *entries)
    run.refresh_from_db()
    stage = run.special_stage
    assert run.status == Run.Status.FINISHED
    assert SpecialStage.objects.get(pk=stage.pk).status == SpecialStage.Status.RUNNING
    assert keep_missing_ledgers() == 0
    assert not runs_without_ledger().exists()
    assert not KeptLedger.objects.exists()
    assert not KeptAccounts.objects.exists()
    of_stage = f"/rallies/{stage.rally.key}/stages/1/ledger"
    driver, stranger = signed_in(entries[0].driver), signed_in(make_user())
    for client in (Client(), stranger, driver, signed_in(organiser_of(stage.rally))):
        for where in (
            address(run),
            f"{address(run)}1/1/",
            *(f"{of_stage}{end}" for end in FILES),
        ):
            assert client.get(where).status_code == 403, where
    other = Run.objects.exclude(pk=run.pk).get(special_stage=stage)
    driven_to_the_end(other, *[seat.entry for seat in other.seats.select_related("entry__driver", "entry__rally")])
    assert keep_missing_ledgers() == 2
    assert driver.get(address(run)).status_code == 200
    found = stage_ledgers.stage_ledger(SpecialStage.objects.get(pk=stage.pk), entries[0].driver)
    assert len(found.compared) == 1, "two cars are compared as a pair"
    first, second = (car.result for car in found.cars)
    assert abs(found.compared[0].difference) == abs(first - second)
    for end in FILES:
        assert driver.get(f"{of_stage}{end}").status_code == 200
    Club.objects.update(visibility=Club.Visibility.MEMBERS)
    for where in (address(run), f"{address(run)}1/1/", f"{of_stage}/", f"{of_stage}.csv"):
        assert stranger.get(where).status_code == 404, where


def test_a_rally_may_switch_it_off_before_and_after():
    run, _entries = over("Ana", "Bo")
    rally = run.special_stage.rally
    organiser = organiser_of(rally)
    desk = signed_in(organiser)
    assert "ledgers-off" in desk.get(f"/rallies/{rally.key}/desk/").content.decode()
    assert signed_in(make_user()).post(f"/rallies/{rally.key}/desk/ledgers-off/").status_code == 404
    for _twice in range(2):
        assert desk.post(f"/rallies/{rally.key}/desk/ledgers-off/").status_code == 302
    of_stage = f"/rallies/{rally.key}/stages/1/ledger"
    addresses = [address(run), f"{address(run)}1/1/", *(f"{of_stage}{end}" for end in FILES)]
    for where in addresses:
        assert desk.get(where).status_code == 404, where
    assert address(run) not in desk.get(f"/runs/{run.key}/log/").content.decode()
    KeptLedger.objects.all().delete()
    assert keep_missing_ledgers() == 0, "what is switched off is not computed"
    set_ledgers(by=organiser, rally=rally, shown=True)
    assert keep_missing_ledgers() == 1
    assert [desk.get(where).status_code for where in addresses[:2]] == [200, 200]


def test_an_old_version_is_computed_again_and_a_run_that_fails_is_put_off_alone():
    run, _entries = over("Ana", "Bo")
    KeptLedger.objects.update(version="0")
    KeptAccounts.objects.update(start=0, driving=0, chance=0, traffic=0, result=0)
    broken, _cars = on_the_road("Cem", "Dag")
    driven_to_the_end(broken, *_cars)
    Run.objects.filter(pk=broken.pk).update(options={"no": "option"})
    assert keep_missing_ledgers() == 1
    assert KeptLedger.objects.get().version == registry.get("dirt").ledger_version
    assert not KeptAccounts.objects.filter(result=0).exists()
    assert Failure.objects.get().unit == broken.key
    assert keep_missing_ledgers() == 0
    assert Failure.objects.get().times == 1, "it is put off"
    Run.objects.filter(pk=broken.pk).update(options=run.options)
    try_all_again(now=clock.now())
    assert keep_missing_ledgers() == 1
    assert not Failure.objects.exists()


def test_a_restored_club_gets_the_same_ledgers_from_its_events():
    run, _entries = over("Ana", "Bo")
    club = run.special_stage.rally.club
    SpecialStage.objects.filter(pk=run.special_stage_id).update(status="done", closed_at=clock.now())
    before = list(KeptAccounts.objects.order_by("seat__name").values_list("result", "driving", "chance", "bookings"))
    file = archived(club)
    emptied()
    assert not KeptLedger.objects.exists()
    restore_club(by=None, owner=None, file=file)
    assert not KeptLedger.objects.exists(), "they are in no archive"
    assert keep_missing_ledgers() == 1
    again = list(KeptAccounts.objects.order_by("seat__name").values_list("result", "driving", "chance", "bookings"))
    assert again == before


def test_pages_take_as_few_queries_for_many_cars_as_for_one(django_assert_max_num_queries):
    run, entries = over("Ana", "Bo", "Cem", "Dag")
    with django_assert_max_num_queries(9):
        assert Client().get(address(run)).status_code == 200
    with django_assert_max_num_queries(10):
        assert Client().get(f"{address(run)}{entries[0].start_number}/1/").status_code == 200
    with django_assert_max_num_queries(24):
        assert Client().get(f"/rallies/{run.special_stage.rally.key}/stages/1/ledger/").status_code == 200


def test_the_stage_shows_places_by_decisions_and_with_even_luck():
    run, entries = over("Ana", "Bo", "Cem")
    stage = SpecialStage.objects.select_related("rally").get(pk=run.special_stage_id)
    found = stage_ledgers.stage_ledger(stage, entries[1].driver)
    finished = [car for car in found.cars if car.finished]
    best = min(finished, key=lambda car: car.driving)
    assert best.best_driven == 1
    assert min(finished, key=lambda car: car.even).with_even_luck == 1
    assert all((car.best_driven is None) == (not car.finished) for car in found.cars)
    assert [car.line.place for car in finished] == sorted(car.line.place for car in finished)
    assert not found.compared, "cars on the road together did not meet the same draws"
    table = signed_in(entries[0].driver).get(f"/rallies/{stage.rally.key}/stages/1/ledger.csv").content.decode()
    assert table.count("\n") == 1 + len(found.cars)
    assert Rally.objects.get(pk=stage.rally_id).ledgers
