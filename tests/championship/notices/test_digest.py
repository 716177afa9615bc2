"""One digest per hour or per day for notices that can wait, by the reader's own clock. Urgent notices are sent
at once.
"""

from datetime import UTC, datetime, time, timedelta

import pytest

from championship.notices import kinds, selectors, services
from championship.notices.models import Notice, Preferences, SentMail
from championship.notices.services import notice_choices
from tests.factories import make_user

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, 20, tzinfo=UTC)


@pytest.fixture(autouse=True)
def two_kinds(settings, monkeypatch):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    settings.CLOCK = f"{__name__}.told"
    turn_to(NOON)
    monkeypatch.setattr(kinds, "_kinds", {})
    words = "notices/mail/base.txt"
    kinds.register("turn waits", subject="Your turn: %(what)s", body_template=words, switch="a", urgent=True)
    kinds.register("news", subject="News: %(what)s", body_template=words, switch="b")


_moment = NOON


def told():
    return _moment


def turn_to(moment):
    global _moment
    _moment = moment


def reader(rhythm, *, at=time(18), **fields):
    person = make_user("Ana", **fields)
    notice_choices.set_times(person=person, rhythm=rhythm, daily_at=at, reminder_hours=None)
    return person


def tell(person, what, kind="news"):
    return services.enqueue(recipient=person, kind=kind, subject_key=what, context={"what": what}, link="/")


def letters_from(start, until, *, every=timedelta(minutes=5)):
    """Return subjects by time, as sent by a sweep every few minutes."""
    found, moment = [], start
    while moment <= until:
        turn_to(moment)
        before = SentMail.objects.count()
        services.deliver_due()
        found += [(moment, mail.subject) for mail in SentMail.objects.order_by("id")[before:]]
        moment += every
    return found


def test_once_an_hour_all_that_can_wait_comes_together():
    ana = reader("hourly")
    for minutes, what in enumerate(("one", "two", "three")):
        turn_to(NOON + timedelta(minutes=minutes))
        tell(ana, what)
    assert letters_from(NOON, NOON + timedelta(hours=3)) == [
        (datetime(2026, 11, 20, 13, tzinfo=UTC), "News: one (and 2 more)")
    ]


def test_once_a_day_comes_at_the_hour_of_the_readers_own_clock():
    ana = reader("daily", at=time(7, 30), time_zone="Asia/Tokyo")
    tell(ana, "one")
    turn_to(NOON + timedelta(hours=2))
    tell(ana, "two")
    assert letters_from(NOON, NOON + timedelta(days=1), every=timedelta(minutes=10)) == [
        (datetime(2026, 11, 20, 22, 30, tzinfo=UTC), "News: one (and 1 more)")
    ]


def test_what_is_urgent_waits_for_no_digest():
    ana = reader("daily")
    tell(ana, "seven", kind="turn waits")
    tell(ana, "one")
    assert letters_from(NOON, NOON) == [(NOON, "Your turn: seven")]
    assert Notice.objects.get(kind="news").status == "queued"


def test_a_digest_says_nothing_where_all_has_become_pointless():
    ana = reader("hourly")
    tell(ana, "one")
    services.drop(kind="news", subject_key="one")
    assert letters_from(NOON, NOON + timedelta(hours=2)) == []


def test_the_day_of_a_clock_change_has_one_digest_too():
    """Berlin, 29 March 2026: 2:30 does not exist; 25 October: 2:30 occurs twice."""
    ana = reader("daily", at=time(2, 30), time_zone="Europe/Berlin")
    turn_to(datetime(2026, 3, 28, 12, tzinfo=UTC))
    spring = tell(ana, "spring")
    assert spring.next_try_at == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    turn_to(spring.next_try_at)
    after = tell(ana, "after spring")
    assert after.next_try_at == datetime(2026, 3, 30, 0, 30, tzinfo=UTC)
    turn_to(datetime(2026, 10, 24, 12, tzinfo=UTC))
    autumn = tell(ana, "autumn")
    assert autumn.next_try_at == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    turn_to(autumn.next_try_at)
    assert tell(ana, "after autumn").next_try_at == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


def test_what_waits_moves_with_the_choice():
    ana = reader("daily", at=time(18))
    tell(ana, "one")
    assert Notice.objects.get().next_try_at == datetime(2026, 11, 20, 18, tzinfo=UTC)
    notice_choices.set_times(person=ana, rhythm="hourly", daily_at=time(18), reminder_hours=None)
    assert Notice.objects.get().next_try_at == datetime(2026, 11, 20, 13, tzinfo=UTC)
    notice_choices.set_times(person=ana, rhythm="at once", daily_at=time(18), reminder_hours=None)
    assert services.deliver_due() == 1


def test_without_a_choice_notices_are_sent_at_once():
    tell(make_user(), "one")
    assert services.deliver_due() == 1
    assert not Preferences.objects.exists()


def test_a_commit_offers_its_notices_to_a_worker_once(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as calls:
        for number in range(20):
            tell(make_user(), f"news {number}")
    assert len(calls) == 1


def test_the_health_check_sees_the_state_of_the_outbox():
    for number in range(4):
        tell(make_user(), f"news {number}")
    late = NOON + timedelta(minutes=10)
    assert selectors.due_count(NOON - timedelta(seconds=1)) == 0
    assert selectors.due_count(NOON) == 4
    assert selectors.overdue(NOON).count() == 0
    assert selectors.overdue(late).count() == 4
    first, second, third, _fourth = Notice.objects.all()
    Notice.objects.filter(pk=first.pk).update(status="sending", claimed_at=NOON)
    assert selectors.stuck(NOON).count() == 0
    assert list(selectors.stuck(late)) == [first]
    Notice.objects.filter(pk=second.pk).update(status="dead")
    Notice.objects.filter(pk=third.pk).update(status="unsure")
    assert selectors.dead_count() == 2
