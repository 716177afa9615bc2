"""A change of the machine's clock, forward or back, is noticed."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from championship.deadlines.tasks import sweep
from championship.health.models import ClockJump
from championship.health.tasks import look
from championship.platform import clock
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

_counted: tuple[str, float] = ("a start", 1000.0)


def counted() -> tuple[str, float]:
    return _counted


@pytest.fixture
def passes(settings, at):
    """Let so many seconds pass, while the wall clock advances by another amount."""
    global _counted
    settings.COUNTER, _counted = f"{__name__}.counted", ("a start", 1000.0)

    def pass_(seconds: float, *, shown: float | None = None, boot: str = "a start") -> None:
        global _counted
        _counted = (boot, _counted[1] + seconds)
        at(clock.now() + timedelta(seconds=seconds if shown is None else shown))
        look.delay()

    look.delay()
    return pass_


@pytest.mark.parametrize("seconds", [3600, -3600, 121, -121])
def test_a_jump_either_way_is_noticed_once(passes, seconds):
    passes(60)
    assert not ClockJump.objects.exists()
    passes(60, shown=60 + seconds)
    passes(60)
    assert [jump.seconds for jump in ClockJump.objects.all()] == [seconds]


def test_a_clock_that_is_slowed_down_does_not_jump(passes):
    for _minute in range(5):
        passes(60, shown=61)
    passes(60, shown=60 + 119)
    assert not ClockJump.objects.exists()


def test_a_machine_that_slept_or_was_restarted_has_not_jumped(passes):
    passes(86_400)
    passes(30, shown=7200, boot="another start")
    assert not ClockJump.objects.exists()


def test_an_injected_clock_is_not_looked_at(at):
    look.delay()
    at(clock.now() + timedelta(days=30))
    look.delay()
    assert not ClockJump.objects.exists()


def test_operator_monitoring_and_members_see_the_jump_for_a_day(passes):
    passes(60, shown=3660)
    sweep.delay()
    member = signed_in(make_user())
    assert "parc_ferme_clock_jump_seconds 3600" in Client().get("/metrics").content.decode()
    assert "set by 3600 seconds" in member.get("/status/").content.decode()
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("health", "--check", stdout=out)
    assert "clock: set +3600 seconds" in out.getvalue()
    passes(86_400)
    sweep.delay()
    assert "All goes well." in member.get("/status/").content.decode()
    call_command("health", "--check", stdout=out)
