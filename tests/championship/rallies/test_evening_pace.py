"""How the pace of an evening counts: banks, periods, caps, and what a move from hours to seconds makes of a bank."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.clock.evening_pace import BANK, PERIODS, EveningPace, converted
from championship.rallies.models import Entry, Rally
from championship.rallies.services import move_to_hours, move_to_seconds, set_evening_pace
from tests.championship.rallies.factories import organiser_of, started

PERIOD = EveningPace(way=PERIODS, turn=30, bank=300, periods=3)


def test_a_turn_without_a_bank_always_has_the_same_time():
    assert EveningPace(turn=90).allowed(7) == EveningPace(turn=90).allowed(None) == 90


def test_every_turn_adds_to_the_bank_up_to_the_cap():
    pace = EveningPace(way=BANK, bank=300, added=20, cap=310)
    assert pace.allowed(None) == 310
    assert pace.allowed(100) == 120
    assert pace.banked(400) == 310
    assert EveningPace(way=BANK, bank=300, added=20).allowed(None) == 320


@pytest.mark.parametrize(
    ("left", "kept"),
    [(390, 390), (91, 91), (90, 90), (89, 90), (61, 90), (60, 60), (31, 60), (30, 30), (1, 30), (0, 30)],
)
def test_a_period_that_is_not_used_up_is_whole_again_and_the_last_one_stays(left, kept):
    assert PERIOD.banked(left) == kept


@given(st.integers(0, 500))
def test_a_bank_of_periods_never_grows_by_a_whole_period_and_never_ends(left):
    kept = PERIOD.banked(left)
    assert max(left, PERIOD.turn) <= kept < left + PERIOD.turn + (left == 0)
    assert PERIOD.allowed(kept) == kept


def test_a_bank_is_converted_by_its_share_and_back():
    assert converted(36_000, before=72_000, after=600) == 300
    assert converted(300, before=600, after=72_000) == 36_000
    assert converted(1, before=72_000, after=600) == 1
    assert converted(90_000, before=72_000, after=600) == 600, "what turns added counts as a whole bank at most"
    assert converted(None, before=72_000, after=600) is None
    assert converted(5, before=0, after=600) is None


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"way": "hours"}, "way"),
        ({"turn": 29}, "turn"),
        ({"turn": 901}, "turn"),
        ({"bank": 59}, "bank"),
        ({"added": 4}, "added"),
        ({"periods": 0}, "periods"),
        ({"grace": 121}, "grace"),
        ({"way": BANK, "bank": 600, "cap": 599}, "cap"),
    ],
)
@pytest.mark.django_db
def test_a_pace_that_nobody_could_drive_is_refused_with_its_field(wrong, field):
    rally, _entries = started()
    with pytest.raises(Refused) as refused:
        set_evening_pace(by=organiser_of(rally), rally=rally, pace=EveningPace(**wrong))
    assert refused.value.field == field
    rally.refresh_from_db()
    assert rally.evening == {}


@pytest.mark.django_db
def test_the_pace_is_chosen_by_organisers_and_stays_during_an_evening():
    rally, entries = started()
    with pytest.raises(Forbidden):
        set_evening_pace(by=entries[0].driver, rally=rally, pace=EveningPace())
    set_evening_pace(by=organiser_of(rally), rally=rally, pace=EveningPace(turn=45))
    moved = move_to_seconds(rally_id=rally.pk, by=None)
    assert (moved.keeps_seconds, moved.turn_seconds, moved.card_seconds) == (True, 45, 60)
    with pytest.raises(Stale):
        move_to_seconds(rally_id=rally.pk, by=None)
    with pytest.raises(Refused):
        set_evening_pace(by=organiser_of(rally), rally=rally, pace=EveningPace(turn=50))
    back = move_to_hours(rally_id=rally.pk, by=None)
    assert (back.keeps_seconds, back.turn_seconds, back.evening_pace.turn) == (False, 24 * 3600, 45)
    with pytest.raises(Stale):
        move_to_hours(rally_id=rally.pk, by=None)


@pytest.mark.django_db
def test_a_rally_that_is_over_does_not_move():
    rally, _entries = started()
    Rally.objects.filter(pk=rally.pk).update(status=Rally.Status.FINISHED, finished_at=rally.started_at)
    with pytest.raises(Stale):
        move_to_seconds(rally_id=rally.pk, by=None)


@pytest.mark.django_db
def test_banks_move_from_hours_to_seconds_and_back():
    rally, (ana, bo, *_others) = started(timekeeping={"pace": "bank", "bank_hours": 20, "increment_hours": 1})
    Entry.objects.filter(pk=ana.pk).update(bank_seconds=10 * 3600)
    set_evening_pace(by=organiser_of(rally), rally=rally, pace=EveningPace(way=BANK, bank=600))
    move_to_seconds(rally_id=rally.pk, by=None)
    ana.refresh_from_db()
    bo.refresh_from_db()
    assert (ana.bank_seconds, bo.bank_seconds) == (300, None)
    move_to_hours(rally_id=rally.pk, by=None)
    ana.refresh_from_db()
    assert ana.bank_seconds == 10 * 3600


@pytest.mark.django_db
def test_a_bank_of_hours_is_kept_through_an_evening_that_has_none():
    rally, (ana, *_others) = started(timekeeping={"pace": "bank", "bank_hours": 20, "increment_hours": 1})
    set_evening_pace(by=organiser_of(rally), rally=rally, pace=EveningPace(turn=60))
    Entry.objects.filter(pk=ana.pk).update(bank_seconds=7 * 3600)
    move_to_seconds(rally_id=rally.pk, by=None)
    move_to_hours(rally_id=rally.pk, by=None)
    ana.refresh_from_db()
    assert ana.bank_seconds == 7 * 3600


@pytest.mark.django_db
def test_a_bank_of_seconds_does_not_come_back_as_hours():
    rally, (ana, *_others) = started()
    set_evening_pace(by=organiser_of(rally), rally=rally, pace=EveningPace(way=BANK))
    move_to_seconds(rally_id=rally.pk, by=None)
    Entry.objects.filter(pk=ana.pk).update(bank_seconds=12)
    move_to_hours(rally_id=rally.pk, by=None)
    ana.refresh_from_db()
    assert ana.bank_seconds is None
