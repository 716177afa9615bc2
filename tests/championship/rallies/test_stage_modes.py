"""A rally mixes: some stages against the clock, some on the road together."""

import pytest

from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services
from championship.runs.models import Run
from tests.championship.rallies.factories import drive, enter, make_rally, organiser_of, stage_of
from tests.factories import make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


def cars_by_run(rally, number):
    runs = Run.objects.filter(special_stage=stage_of(rally, number)).order_by("number")
    return [run.seats.count() for run in runs]


def test_time_trials_and_a_convoy_make_one_rally_with_one_total():
    rally = make_rally(stages=("1/1", "1/3"), mode="open road")
    ana, bo, cem = enter(rally, "Ana", "Bo", "Cem")
    olga = organiser_of(rally)
    assert [stage.number for stage in services.choose_stage_modes(by=olga, rally=rally, modes={2: "convoy"})] == [2]
    assert services.choose_stage_modes(by=olga, rally=rally, modes={2: "convoy"}) == [], "twice the same"
    services.start_rally(by=olga, rally=rally)
    assert cars_by_run(rally, 1) == [1, 1, 1]
    with pytest.raises(Stale):
        services.choose_stage_modes(by=olga, rally=rally, modes={1: "convoy"})
    drive(rally, 1, {ana: 200, bo: 210, cem: 220})
    services.close_time_control(by=olga, special_stage=stage_of(rally, 1))
    assert cars_by_run(rally, 2) == [3]


def test_a_mode_that_the_rally_cannot_drive_is_refused_with_its_field():
    rally = make_rally(stages=("1/1", "1/3"), mode="open road", options={"dice": "duplicate"})
    olga = organiser_of(rally)
    with pytest.raises(Refused) as refused:
        services.choose_stage_modes(by=olga, rally=rally, modes={2: "convoy"})
    assert refused.value.field == "mode_2"
    with pytest.raises(Refused) as refused:
        services.choose_stage_modes(by=olga, rally=rally, modes={1: "by train"})
    assert refused.value.field == "mode_1"
    with pytest.raises(Forbidden):
        services.choose_stage_modes(by=make_member(rally.club), rally=rally, modes={1: "convoy"})


def test_the_page_of_options_takes_the_modes_and_keeps_what_is_wrong():
    rally = make_rally(stages=("1/1", "1/3"))
    olga, page = signed_in(organiser_of(rally)), f"/rallies/{rally.key}/desk/options/"
    assert "How each one is driven" in olga.get(page).content.decode()
    assert olga.post(f"{page}stages/", {"mode_1": "", "mode_2": "open road"}).status_code == 302
    assert [stage_of(rally, number).driven_as for number in (1, 2)] == ["convoy", "open road"]
    assert olga.post(f"{page}stages/", {"mode_1": "by train"}).status_code == 422
    assert signed_in(make_member(rally.club)).post(f"{page}stages/", {"mode_1": ""}).status_code == 403
    assert signed_in(make_user()).post(f"{page}stages/", {"mode_1": ""}).status_code == 404
    single = make_rally(stages=("1/1",))
    shown = signed_in(organiser_of(single)).get(f"/rallies/{single.key}/desk/options/").content.decode()
    assert "How each one is driven" not in shown
