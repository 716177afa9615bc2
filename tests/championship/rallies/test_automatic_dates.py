"""Dates that act: entries close and rallies start automatically, once, also after an outage, and it is logged."""

from datetime import timedelta

import pytest

from championship.audit.models import Record
from championship.deadlines.services import scheduled_actions
from championship.deadlines.tasks import sweep
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies import services
from championship.rallies.clock.services.acting_dates import start_at_its_hour
from championship.rallies.models import Entry, Rally
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.championship.seasons.scenes import typed
from tests.factories import make_member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR = timedelta(hours=1)


def with_dates(rally, **dates):
    """The rally with these dates. Its other settings do not change."""
    changed = services.change_options(
        by=organiser_of(rally),
        rally=rally,
        name=rally.name,
        options=rally.options,
        mode=rally.mode,
        turn_hours=rally.turn_hours,
        reminder_hours=rally.reminder_hours,
        auto_start=rally.auto_start,
        dates=dates,
    )
    return Rally.objects.get(pk=changed.pk)


def acts():
    found = Record.objects.filter(action__in=["entries closed", "rally started", "start put off"]).order_by("pk")
    return list(found.values_list("action", "actor"))


def test_entries_close_and_the_rally_starts_once_at_the_given_times(at, settings):
    settings.OPEN_STAGE = False
    rally = make_rally()
    enter(rally, "Ana", "Bo")
    late = make_member(rally.club, name="Late")
    now = clock.now()
    rally = with_dates(rally, entries_close_at=now + 2 * HOUR, starts_at=now + 5 * HOUR)
    assert list(scheduled_actions.due(now + HOUR)) == []
    page = signed_in(late).get(rally.get_absolute_url()).content.decode()
    assert "Entries close" in page and "Starts" in page

    at(now + 2 * HOUR)
    with pytest.raises(Refused, match="closed"):
        services.enter_rally(by=late, rally=rally, crew="Late")
    sweep()
    sweep()
    assert acts() == [("entries closed", None)]
    services.enter_for(by=organiser_of(rally), rally=rally, wanted=[services.EntryRequest(late, "Late", "")])

    at(now + 50 * HOUR)  # no sweep ran at the starting time itself
    sweep()
    sweep()
    rally.refresh_from_db()
    assert rally.status == Rally.Status.RUNNING
    assert acts() == [("entries closed", None), ("rally started", None)]
    assert Notice.objects.filter(kind="rally started").count() == 3
    assert not start_at_its_hour(rally.pk, now=clock.now())


def test_a_rally_that_cannot_start_loses_its_starting_time_and_organisers_are_told_why(at):
    rally = make_rally()
    now = clock.now()
    rally = with_dates(rally, starts_at=now + HOUR)
    at(now + HOUR)
    sweep()
    sweep()
    rally.refresh_from_db()
    assert (rally.status, rally.starts_at) == (Rally.Status.ENTRIES, None)
    assert acts() == [("start put off", None)]
    assert "confirmed entry" in Notice.objects.get(kind="start put off").context["why"]
    assert not Entry.objects.exists()


def test_a_new_deadline_opens_entries_again_and_times_that_make_no_sense_are_refused(at):
    rally = make_rally()
    ana, now = make_member(rally.club, name="Ana"), clock.now()
    with pytest.raises(Refused) as refused:
        with_dates(rally, starts_at=now - HOUR)
    assert refused.value.field == "starts_at"
    with pytest.raises(Refused) as refused:
        with_dates(rally, entries_close_at=now + 2 * HOUR, starts_at=now + HOUR)
    assert refused.value.field == "entries_close_at"
    rally = with_dates(rally, entries_close_at=now + HOUR)
    at(now + 2 * HOUR)
    sweep()
    rally = with_dates(Rally.objects.get(pk=rally.pk), entries_close_at=now + HOUR)
    assert rally.entries_closed, "what has passed may stay"
    rally = with_dates(rally, entries_close_at=now + 3 * HOUR)
    assert services.enter_rally(by=ana, rally=rally, crew="Ana").status == Entry.Status.REQUESTED
    log = Record.objects.filter(action="rally options changed").latest("pk").details
    assert log["after"]["entries_close_at"] == f"{now + 3 * HOUR:%Y-%m-%d %H:%M} UTC"


def test_an_organiser_types_times_in_their_own_zone(at):
    rally = make_rally()
    olga = organiser_of(rally)
    olga.time_zone = "Europe/Warsaw"
    olga.save()
    desk = signed_in(olga)
    page = desk.get(f"/rallies/{rally.key}/desk/options/").content.decode()
    sent = {**typed(page), "starts_at": "2026-12-01T20:00", "entries_close_at": "2026-11-30T20:00"}
    assert desk.post(f"/rallies/{rally.key}/desk/options/", sent).status_code == 302
    rally.refresh_from_db()
    assert f"{rally.starts_at:%Y-%m-%d %H:%M}" == "2026-12-01 19:00"
    page = desk.get(f"/rallies/{rally.key}/desk/options/").content.decode()
    assert 'value="2026-12-01T20:00"' in page
    answer = desk.post(f"/rallies/{rally.key}/desk/options/", {**sent, "starts_at": "2026-01-01T20:00"})
    assert answer.status_code == 422
    assert "This time has passed" in answer.content.decode()
