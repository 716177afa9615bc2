"""Two people at once, on PostgreSQL with real threads: one wins, everything happens once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from championship.platform.refusals import Refused, Stale
from championship.rallies import services
from championship.rallies.followers import rally_followers
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime, StartPlace, TimeControlCard
from tests.championship.rallies.factories import (
    NEW_CAR,
    drive,
    enter,
    hand_in,
    let_close,
    make_rally,
    organiser_of,
    stage_of,
    started,
)
from tests.championship.rallies.followers import Heard
from tests.factories import make_member

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("nobody_listens")]


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Run each act in a thread with its own connection, all at once. Returns the result or the refusal of each."""
    together = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        try:
            together.wait(timeout=60)
            return act()
        except (Refused, Stale) as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(run, acts))


@pytest.fixture
def opened(nobody_listens):
    """The stages that followers were told are ready."""
    heard = Heard()
    rally_followers.register(heard)
    return heard.ready


def refusals(outcomes: Sequence[Any]) -> list[Refused | Stale]:
    return [outcome for outcome in outcomes if isinstance(outcome, Refused | Stale)]


def test_of_two_starts_one_wins_and_the_other_is_stale(opened):
    rally = make_rally()
    enter(rally, "Ana", "Bo", "Cem")
    olga = organiser_of(rally)
    outcomes = at_once(*[lambda: services.start_rally(by=olga, rally=rally)] * 4)
    assert [type(refusal) for refusal in refusals(outcomes)] == [Stale] * 3
    assert [stage.number for stage in opened] == [1]
    assert StartPlace.objects.count() == 3


def test_of_two_draws_one_wins():
    rally = make_rally()
    enter(rally, "Ana", "Bo", "Cem")
    olga = organiser_of(rally)
    outcomes = at_once(*[lambda: services.draw_start_list(by=olga, rally=rally)] * 3)
    assert len(refusals(outcomes)) == 2
    assert StartPlace.objects.count() == 3


def test_a_start_number_is_given_once():
    rally = make_rally()
    olga = organiser_of(rally)
    entries = [
        services.enter_rally(by=make_member(rally.club, name=name), rally=rally, crew=name)
        for name in ("Ana", "Bo", "Cem")
    ]
    outcomes = at_once(
        *[lambda entry=entry: services.confirm_entry(by=olga, entry=entry, start_number=7) for entry in entries]
    )
    lost = refusals(outcomes)
    assert [refusal.field for refusal in lost] == ["start_number"] * 2
    assert Entry.objects.filter(start_number=7).count() == 1
    assert Entry.objects.filter(status=Entry.Status.REQUESTED).count() == 2


def test_free_numbers_are_given_once_too():
    rally = make_rally()
    olga = organiser_of(rally)
    entries = [
        services.enter_rally(by=make_member(rally.club, name=f"Driver {n}"), rally=rally, crew=f"Driver {n}")
        for n in range(4)
    ]
    at_once(*[lambda entry=entry: services.confirm_entry(by=olga, entry=entry) for entry in entries])
    assert sorted(Entry.objects.values_list("start_number", flat=True)) == [1, 2, 3, 4]


def test_a_driver_who_presses_twice_enters_once():
    rally = make_rally()
    ana = make_member(rally.club, name="Ana")
    outcomes = at_once(*[lambda: services.enter_rally(by=ana, rally=rally, crew="Ana")] * 3)
    assert len(refusals(outcomes)) == 2
    assert Entry.objects.count() == 1


def test_the_last_two_cards_at_once_open_the_next_stage_once(opened):
    rally, (ana, bo, cem, dag) = started()
    drive(rally, 1, {ana: 200, bo: 201, cem: 202, dag: 203})
    hand_in(rally, 1, ana, bo, penalties=1)
    outcomes = at_once(lambda: hand_in(rally, 1, cem, penalties=2), lambda: hand_in(rally, 1, dag, penalties=3))
    assert refusals(outcomes) == []
    assert [stage.number for stage in opened] == [1, 2]
    assert TimeControlCard.objects.count() == 4
    assert stage_of(rally, 1).status == SpecialStage.Status.DONE
    assert stage_of(rally, 2).start_places.count() == 4


def test_a_card_the_organiser_and_the_clock_at_once_close_time_control_once(opened):
    rally, (ana, bo) = started("Ana", "Bo")
    drive(rally, 1, {ana: 200, bo: 201})
    stage, olga = stage_of(rally, 1), organiser_of(rally)
    let_close(rally, 1, timezone.now())
    hand_in(rally, 1, ana)
    outcomes = at_once(
        lambda: hand_in(rally, 1, bo, penalties=1),
        lambda: services.close_time_control(by=olga, special_stage=stage),
        lambda: services.close_overdue_time_controls(now=timezone.now()),
        lambda: services.close_overdue_time_controls(now=timezone.now()),
    )
    assert sum(outcome for outcome in outcomes[2:]) <= 1
    assert [stage.number for stage in opened] == [1, 2]
    assert TimeControlCard.objects.count() == 2
    assert stage_of(rally, 2).start_places.count() == 2


def test_the_last_two_times_at_once_end_the_stage_once(opened):
    rally, (ana, bo) = started("Ana", "Bo", options={"checkpoints": False})
    stage = stage_of(rally, 1)

    def record(entry: Entry) -> StageTime:
        return services.record_stage_time(
            special_stage=stage, entry=entry, measure=200, retired=False, detail={"cards_seconds": 200}, car=NEW_CAR
        )

    outcomes = at_once(*[lambda entry=entry: record(entry) for entry in (ana, bo, ana, bo)])
    assert len(refusals(outcomes)) == 2
    assert StageTime.objects.count() == 2
    assert [stage.number for stage in opened] == [1, 2]


def test_a_withdrawal_and_the_start_at_once_agree_on_who_drives():
    rally = make_rally()
    ana, _bo = enter(rally, "Ana", "Bo")
    olga = organiser_of(rally)
    at_once(
        lambda: services.start_rally(by=olga, rally=rally),
        lambda: services.withdraw_entry(by=ana.driver, entry=ana),
    )
    on_the_list = set(StartPlace.objects.values_list("entry__crew", flat=True))
    confirmed = set(Entry.objects.filter(status=Entry.Status.CONFIRMED).values_list("crew", flat=True))
    assert Rally.objects.get().status == Rally.Status.RUNNING
    assert on_the_list == confirmed
