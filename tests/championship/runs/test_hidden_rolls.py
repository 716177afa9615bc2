"""With dice that all runs of a stage share, nobody sees in another run what they are still to roll."""

import pytest
from django.contrib.auth.models import AnonymousUser

from championship.platform.refusals import NotYet
from championship.rallies.models import Entry
from championship.rallies.services import set_driven_by, start_rally
from championship.runs.models import Run
from championship.runs.play import drive_codrivers
from championship.runs.watch import gaps, page_versions, proof, selectors
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def two_runs(dice: str) -> tuple[Run, Run, list[Entry]]:
    """Two runs of an open road, on which Ana and Bo drive the same stage, and the entries of both."""
    rally = make_rally(stages=("1/3",), mode="open road", options={"dice": dice})
    enter(rally, "Ana", "Bo")
    start_rally(by=organiser_of(rally), rally=rally)
    first, second = Run.objects.filter(special_stage__rally=rally).order_by("number")
    entries = [run.seats.select_related("entry__driver").get().entry for run in (first, second)]
    return first, second, entries


def drive_to_the_end(run: Run, entry: Entry) -> None:
    set_driven_by(by=entry.driver, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED


PAGES = ("", "changes/", "log/", "replay/")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_rolls_of_another_run_are_shown_to_finished_drivers_and_to_all_when_all_have_finished(client, page):
    first, second, (ana, bo) = two_runs("duplicate")
    drive_to_the_end(first, ana)
    address = f"/runs/{first.key}/{page}"

    assert signed_in(ana.driver).get(address).status_code == 200, "her own run"
    assert signed_in(bo.driver).get(address).status_code == 403, "he is still to roll these dice"
    assert client.get(address).status_code == 403, "nor does he see it signed out"
    assert signed_in(make_user("Stranger")).get(address).status_code == 403
    assert signed_in(ana.driver).get(f"/runs/{second.key}/{page}").status_code == 200, "she has rolled them all"

    drive_to_the_end(second, bo)

    assert signed_in(bo.driver).get(address).status_code == 200
    assert client.get(address).status_code == 200


def test_the_proof_of_a_run_that_may_not_be_watched_tells_nothing_of_what_has_happened():
    """The page about its promise is open to everybody. The number of draws would tell of accidents."""
    first, _second, (ana, bo) = two_runs("duplicate")

    before = proof.proof_of(first)
    drive_to_the_end(first, ana)
    assert first.drawn > 0, "something was drawn that is not shared"
    assert signed_in(bo.driver).get(f"/runs/{first.key}/").status_code == 403
    assert signed_in(bo.driver).get(f"/runs/{first.key}/proof/").status_code == 200
    assert proof.proof_of(first) == before


@pytest.mark.parametrize("page", PAGES)
def test_where_every_run_has_its_own_dice_everyone_may_watch(client, page):
    first, _second, (_ana, bo) = two_runs("random")
    assert client.get(f"/runs/{first.key}/{page}").status_code == 200
    assert signed_in(bo.driver).get(f"/runs/{first.key}/{page}").status_code == 200


SELECTORS = {  # each of them checks: a page that forgets to check itself still shows nothing
    "the run": lambda run, viewer: selectors.run_by_key(run.key, viewer),
    "its page": lambda run, viewer: selectors.run_page(run, viewer),
    "its table": lambda run, viewer: selectors.run_scene(run, viewer),
    "its gaps": lambda run, viewer: gaps.of_run(run, list(run.seats.all()), viewer),
    "the stage's gaps": lambda run, viewer: gaps.of_stage(run.special_stage, viewer),
}


@pytest.mark.parametrize("what", SELECTORS)
def test_every_selector_that_returns_a_run_refuses_drivers_who_are_still_to_roll(what):
    ask = SELECTORS[what]
    first, second, (ana, bo) = two_runs("duplicate")
    drive_to_the_end(first, ana)
    for viewer in (bo.driver, make_user("Stranger"), AnonymousUser()):
        with pytest.raises(NotYet):
            ask(first, viewer)
    ask(first, ana.driver)
    drive_to_the_end(second, bo)
    ask(first, bo.driver)
    ask(first, AnonymousUser())


def test_a_driver_who_is_still_to_roll_gets_no_news_of_a_run(rf):
    first, _second, (ana, bo) = two_runs("duplicate")
    drive_to_the_end(first, ana)
    assert page_versions.of_run(request_of(rf, ana.driver), first.key) is not None
    assert page_versions.of_run(request_of(rf, bo.driver), first.key) is None


def request_of(rf, person):
    request = rf.get("/")
    request.user = person
    return request
