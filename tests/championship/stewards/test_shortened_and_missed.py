"""Shortened stages, notional results, and what a missed stage costs: what counts, what the sheet says, and back."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from championship.clubs.models import Role
from championship.notices.models import Notice
from championship.platform.refusals import Refused
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run, Turn
from championship.runs.play import drive_codrivers
from championship.runs.watch.gaps import splits_of_each
from championship.stewards import services
from championship.stewards.models import Decision
from tests.championship.rallies.factories import drive, measured, organiser_of, retirement_second, stage_of, started
from tests.championship.runs.factories import driven, on_the_road, rally_services
from tests.factories import make_member, signed_in

pytestmark = pytest.mark.django_db
THREE = ("Ana", "Bo", "Cem")


def steward(rally: Rally) -> Any:
    return make_member(rally.club, name="Sten", roles=[Role.STEWARD])


def shortened(rally: Rally, sten: Any, number: int = 1, **more: Any) -> Decision:
    stage = stage_of(rally, number)
    return services.decide(by=sten, rally=rally, kind="shortened", text="A tree.", special_stage=stage, **more)


def codes(rally: Rally) -> dict[str, tuple[str, ...]]:
    results = results_of(Rally.objects.get(pk=rally.pk))
    return {line.entry.crew: line.remarks.codes for line in results.overall}


def splits(run: Run) -> dict[str, Any]:
    seats = splits_of_each([run])[run.pk].seats
    return {seat.entry.crew: seats[seat.name] for seat in run.seats.select_related("entry")}


def times(rally: Rally, number: int = 1) -> dict[str, int | None]:
    results = results_of(Rally.objects.get(pk=rally.pk))
    return {results.entries[entry].crew: one.result for entry, one in results.by_stage[number].items()}


def test_a_stage_on_the_road_is_stopped_at_the_last_split_that_all_have_passed() -> None:
    run, entries = on_the_road(*THREE, stages=("1/3", "1/2"))
    rally = run.special_stage.rally
    for entry in entries:
        rally_services.set_driven_by(by=entry.driver, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    while not all(each.at[0] is not None for each in splits(run).values()):
        assert drive_codrivers(run_id=run.pk, most=1)
        run.refresh_from_db()
    assert run.status == Run.Status.RUNNING
    told = splits(run)
    last = max(
        at for at in range(len(next(iter(told.values())).at)) if all(s.at[at] is not None for s in told.values())
    )
    sten = steward(rally)
    with pytest.raises(Refused) as refused:
        shortened(rally, sten, amount=last + 2)
    assert refused.value.field == "amount"
    assert Turn.objects.filter(run=run, ended_at=None).exists(), "nothing has changed"

    decision = shortened(rally, sten)

    assert decision.amount == last + 1
    assert times(rally) == {crew: each.at[last] for crew, each in told.items()}
    assert not Turn.objects.filter(run=run, ended_at=None).exists()
    assert stage_of(rally, 1).status in (SpecialStage.Status.DONE, SpecialStage.Status.TIME_CONTROL)
    assert set(codes(rally).values()) == {("SH",)}
    assert Notice.objects.filter(kind="decision taken").count() >= 3, "all who drive are told"
    page = signed_in(sten).get(reverse("rallies:stage", args=[rally.key, 1])).content.decode()
    assert f"the results are those at split {last + 1}" in page and "SH" in page
    assert "SH:" in signed_in(sten).get(reverse("rallies:sheet", args=[rally.key])).content.decode().replace("</b>", "")
    with pytest.raises(Refused) as refused:
        services.decide(by=sten, rally=rally, kind="reversal", text="No tree.", undoes=decision)
    assert refused.value.field == "undoes", "the cars have no other result"


def test_a_stage_that_is_over_is_shortened_and_back_again() -> None:
    run, _entries = driven(*THREE, stages=("1/3",))
    rally, sten = run.special_stage.rally, None
    sten, before, told = steward(rally), times(rally), splits(run)
    decision = shortened(rally, sten, amount=1)
    finished = {crew: each.at[0] for crew, each in told.items() if each.at[0] is not None}
    assert times(rally) | finished == times(rally) != before
    assert shortened(rally, sten, amount=1) == decision, "the same again is a double press"
    with pytest.raises(Refused):
        shortened(rally, sten, amount=2)
    services.decide(by=sten, rally=rally, kind="reversal", text="No tree.", undoes=decision)
    assert times(rally) == before
    assert set(codes(rally).values()) == {()}


def test_a_stage_struck_out_after_it_was_shortened_stays_so_when_the_shortening_is_undone() -> None:
    run, _entries = driven(*THREE, stages=("1/3",))
    rally = run.special_stage.rally
    sten = steward(rally)
    decision = shortened(rally, sten, amount=1)
    services.decide(by=sten, rally=rally, kind="struck", text="Ice.", special_stage=stage_of(rally, 1))
    services.decide(by=sten, rally=rally, kind="reversal", text="No tree.", undoes=decision)
    stage = stage_of(rally, 1)
    assert stage.shortened_to is None and stage.struck_at is not None


def test_without_a_common_split_it_is_struck_out_and_back_again() -> None:
    rally, entries = started(*THREE, stages=("1/3",))
    drive(rally, 1, {entry: 200 + at for at, entry in enumerate(entries)})
    Run.objects.filter(special_stage__rally=rally).update(special_stage=stage_of(rally, 1))
    sten, before = steward(rally), [line.total for line in results_of(rally).overall]
    decision = shortened(rally, sten)
    assert decision.amount is None and stage_of(rally, 1).struck_at is not None
    assert all(line.total is None for line in results_of(Rally.objects.get(pk=rally.pk)).overall)
    services.decide(by=sten, rally=rally, kind="reversal", text="No.", undoes=decision)
    assert [line.total for line in results_of(Rally.objects.get(pk=rally.pk)).overall] == before


def test_a_car_that_never_started_gets_a_notional_result() -> None:
    rally = measured("seconds", "fewest", {"Ana": 100, "Bo": 110}, {"Ana": 100, "Bo": 120})
    StageTime.objects.filter(special_stage=stage_of(rally, 2), entry__crew="Bo").delete()
    sten, bo = steward(rally), rally.entries.get(crew="Bo")
    assert [line.total for line in results_of(rally).overall] == [200]
    with_it = {"by": sten, "rally": rally, "kind": "stage time", "text": "Held up.", "entry": bo}
    decision = services.decide(**with_it, special_stage=stage_of(rally, 2), amount=130)
    assert [(line.entry.crew, line.total) for line in results_of(rally).overall] == [("Ana", 200), ("Bo", 240)]
    assert codes(rally)["Bo"] == ("NT",)
    with pytest.raises(Refused):
        services.decide(**with_it, special_stage=stage_of(rally, 2), amount=131)
    services.decide(by=sten, rally=rally, kind="reversal", text="Was not.", undoes=decision)
    assert [line.total for line in results_of(rally).overall] == [200]


def test_a_car_on_the_road_gets_no_notional_result() -> None:
    rally, (ana, *_others) = started(*THREE, stages=("1/3", "1/2"))
    for number in (1, 2):
        with pytest.raises(Refused) as refused:
            services.decide(
                by=steward_of(rally), rally=rally, kind="stage time", text="x", entry=ana, amount=9,
                special_stage=stage_of(rally, number),
            )  # fmt: skip
        assert refused.value.field == "special_stage"


def steward_of(rally: Rally) -> Any:
    found = rally.club.memberships.filter(user__name="Sten").first()
    return found.user if found else steward(rally)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({}, {"Ana": 100, "Bo": 150, "Cem": 150 + retirement_second(), "Dag": 120}),
        ({"missed": "slowest", "missed_added": 7}, {"Ana": 100, "Bo": 150, "Cem": 157, "Dag": 120}),
        ({"missed": "class", "missed_added": 7}, {"Ana": 100, "Bo": 150, "Cem": 127, "Dag": 120}),
    ],
)
def test_what_a_missed_stage_costs(rule: dict[str, Any], expected: dict[str, int]) -> None:
    """Bo is the slowest of all, Dag of Cem's class. The car that retired drives on."""
    rally, (ana, bo, cem, dag) = started("Ana", "Bo", "Cem", "Dag", stages=("1/3", "1/2"))
    Rally.objects.filter(pk=rally.pk).update(**rule)
    Entry.objects.filter(pk__in=[cem.pk, dag.pk]).update(car_class="RC2")
    drive(rally, 1, {ana: 100, bo: 150, cem: None, dag: 120})
    assert times(rally) == expected
    assert codes(rally)["Cem"] == (("SR",) if rule else ())
    rally_services.close_time_control(by=organiser_of(rally), special_stage=stage_of(rally, 1))
    assert stage_of(rally, 2).start_places.filter(entry=cem).exists()
    line = next(line for line in results_of(Rally.objects.get(pk=rally.pk)).overall if line.entry == cem)
    assert line.total == expected["Cem"] and line.retired_on == (1,)


def test_a_missed_stage_costs_points_where_the_most_win_and_is_behind_equals() -> None:
    rally = measured("points", "most", {"Ana": 10, "Bo": 4, "Cem": (0, [], "wrecked")})
    Rally.objects.filter(pk=rally.pk).update(missed="slowest", missed_added=0)
    rally.refresh_from_db()
    assert [(line.place, line.entry.crew, line.total) for line in results_of(rally).overall] == [
        (1, "Ana", 10),
        (2, "Bo", 4),
        (3, "Cem", 4),
    ]
