"""An organiser reminds all drivers who are late; nobody else may."""

import pytest

from championship.notices.models import Notice
from championship.platform.refusals import Forbidden, Refused
from championship.runs.play import nudge_all
from tests.championship.runs.factories import on_the_road, open_turn


@pytest.mark.django_db
def test_a_driver_may_not_remind_all_and_is_not_answered_with_nobody():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    with pytest.raises(Forbidden):
        nudge_all(by=ana.driver, turns=[open_turn(run)])
    assert not Notice.objects.filter(kind="turn nudged").exists()
    assert not issubclass(Forbidden, Refused), "code that goes on after a refusal does not swallow it"
