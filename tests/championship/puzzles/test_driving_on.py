"""Drive on from a turn of a finished run: with own draws, against the codriver, and nothing of the run changes."""

from __future__ import annotations

import pytest
from django.test import Client

from championship.puzzles.models import DriveOn
from championship.puzzles.positions import positions
from championship.puzzles.services import driving_on
from championship.runs.models import Run
from engine import registry
from tests.championship.runs.factories import all_of, driven
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def begun(browser: Client, run: Run, at: int) -> DriveOn:
    assert browser.post(f"/puzzles/on/{run.key}/", {"at": at}).status_code == 302
    return DriveOn.objects.latest("pk")


def form_of(drive: DriveOn, key: str) -> dict[str, object]:
    """The orders of the codriver for the driver's car, as the panel sends them."""
    rules, state = registry.get(drive.run.game), driving_on.driven(drive).state
    orders = {name: value for name, value in rules.autopilot(state, drive.seat).items() if value not in (True, False)}
    return {"version": 0, "key": key, **orders}


def test_one_drives_to_the_end_and_the_run_stays_as_it_is() -> None:
    run, _entries = driven("Ana", "Bo")
    browser, before = signed_in(make_user()), all_of(run)
    last = [
        position for position in positions(run) if registry.get(run.game).phase(position.state, position.seat) == "plan"
    ]
    drive = begun(browser, run, last[-3].event)
    address = drive.get_absolute_url()
    assert "Drive on from here" in browser.get(address).content.decode()
    for number in range(60):
        if driving_on.is_over(drive, driving_on.driven(drive)):
            break
        form = form_of(drive, f"k{number}")
        assert browser.post(f"{address}turn/", form).status_code == 302
        drive.refresh_from_db()
        posts = len(drive.posts)
        browser.post(f"{address}turn/", form)
        drive.refresh_from_db()
        assert len(drive.posts) == posts, "sent twice it is played once"
    ended = browser.get(address).content.decode()
    assert "The end of your drive." in ended
    now, then = driving_on.results(drive, driving_on.driven(drive)) or ("", "")
    driven_then = registry.get(run.game).result(run.state)
    assert driven_then is not None
    seconds = next(each.measure for each in driven_then.seats if each.seat == drive.seat)
    assert seconds is not None and then == f"{seconds // 60}:{seconds % 60:02}"
    assert now and f"Your car now: <strong>{now}</strong>. In the stage: {then}." in ended
    assert all_of(run) == before
    assert not Run.objects.filter(special_stage=run.special_stage).exclude(pk=run.pk).exists()


def test_two_drives_from_one_turn_draw_for_themselves() -> None:
    run, _entries = driven("Ana", "Bo")
    browser, told = signed_in(make_user()), set()
    for _try in range(6):
        drive = begun(browser, run, 0)
        for number in range(4):
            if driving_on.is_over(drive, driving_on.driven(drive)):
                break
            browser.post(f"{drive.get_absolute_url()}turn/", form_of(drive, f"k{number}"))
            drive.refresh_from_db()
        told.add(str([event for post in drive.posts for event in post["events"]]))
    assert len(told) > 1


def test_a_plan_that_breaks_a_rule_changes_nothing() -> None:
    run, _entries = driven("Ana", "Bo")
    browser = signed_in(make_user())
    drive = begun(browser, run, 0)
    sent = {"version": 0, "key": "k", "do": "lay", "plan": "9:9.9.z", "roll": "flat out"}
    page = browser.post(f"{drive.get_absolute_url()}turn/", sent)
    assert page.status_code == 422 and 'role="alert"' in page.content.decode()
    drive.refresh_from_db()
    assert drive.posts == []


def test_who_may_drive_on() -> None:
    run, _entries = driven("Ana", "Bo")
    own, other = signed_in(make_user()), signed_in(make_user())
    drive = begun(own, run, 0)
    for path in ("", "at/?x=1&y=1"):
        assert other.get(f"{drive.get_absolute_url()}{path}").status_code == 404
        assert Client().get(f"{drive.get_absolute_url()}{path}").status_code == 302
    assert Client().post(f"/puzzles/on/{run.key}/", {"at": 0}).status_code == 302
    for at in ("", "-1", "x", "9" * 9):
        assert own.post(f"/puzzles/on/{run.key}/", {"at": at}).status_code == 404
    DriveOn.objects.bulk_create(
        DriveOn(person=drive.person, run=run, event=0, seat=drive.seat, state=drive.state, begun_at=drive.begun_at)
        for _number in range(driving_on.MOST_AN_HOUR)
    )
    assert own.post(f"/puzzles/on/{run.key}/", {"at": 0}).status_code == 422
    Run.objects.filter(pk=run.pk).update(status=Run.Status.RUNNING, finished_at=None)
    assert other.post(f"/puzzles/on/{run.key}/", {"at": 0}).status_code in (403, 404)
