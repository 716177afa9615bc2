"""Heats, semi-finals and a final: who goes on, who wins, and what late decisions change."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from django.urls import reverse

from championship.audit.models import Record
from championship.notices import kinds
from championship.notices.models import Notice
from championship.notices.notice_text import in_words as letter_of
from championship.platform.refusals import Refused, Stale
from championship.rallies import services
from championship.rallies.knockout.plan import Cut, Driven, Knockout, divide, goes_on, heat_sizes, in_words
from championship.rallies.knockout.services import choose_field, fingerprint_of, redraw_field
from championship.rallies.models import Entry, Exclusion, Rally, SpecialStage, TimeByHand
from championship.rallies.results.classification import by_class
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run
from championship.stages.models import StageDesign
from engine import registry
from tests.championship.rallies.factories import designs, drive, enter, make_rally, organiser_of, stage_of
from tests.championship.rallies.test_desk_pages import settings_typed
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db
FINAL = Knockout((Cut(4, 1),))


def with_heats(cars: int, plan: Knockout = FINAL, *, auto_start: bool = True, start: bool = True) -> Rally:
    """A rally with tables of four in which so many cars have started the heats."""
    rally = make_rally(stages=("6/1",), auto_start=auto_start, timekeeping={"table_size": 4})
    settings: dict[str, Any] = {
        **{name: getattr(rally, name) for name in ("name", "options", "mode", "turn_hours", "reminder_hours")},
        "auto_start": auto_start,
        "timekeeping": {"table_size": 4},
    }
    by = organiser_of(rally)
    services.change_options(by=by, rally=rally, event={"knockout": plan.as_json()}, **settings)
    enter(rally, *(f"Car {number:02}" for number in range(1, cars + 1)))
    if start:
        rally.refresh_from_db()
        services.start_rally(by=by, rally=rally)
    return Rally.objects.get(pk=rally.pk)


def heats_of(rally: Rally, number: int) -> dict[int, list[Entry]]:
    found: dict[int, list[Entry]] = {}
    for place in stage_of(rally, number).start_places.select_related("entry__driver").order_by("position"):
        found.setdefault(place.heat or 0, []).append(place.entry)
    return found


def starters(rally: Rally, number: int) -> list[str]:
    return [entry.crew for table in heats_of(rally, number).values() for entry in table]


def crews(entries: list[Entry]) -> list[str]:
    return [entry.crew for entry in entries]


def drive_heats(rally: Rally) -> list[list[Entry]]:
    """Drive the heats: heat 1 in 100, 110, 120, 130 seconds, heat 2 in 101, 111, ..., in starting order."""
    tables = list(heats_of(rally, 1).values())
    times = {car: 100 + 10 * at + heat for heat, table in enumerate(tables) for at, car in enumerate(table)}
    drove(rally, 1, times)
    return tables


def drove(rally: Rally, number: int, times: Mapping[Entry, int | None]) -> None:
    """Record results, and close time control when all are in."""
    drive(rally, number, times)
    stage = stage_of(rally, number)
    if stage.status == SpecialStage.Status.TIME_CONTROL:
        services.close_time_control(by=organiser_of(rally), special_stage=stage)


def overall(rally: Rally) -> list[tuple[int | None, str]]:
    rally = Rally.objects.get(pk=rally.pk)
    return [(line.place, line.entry.crew) for line in results_of(rally).overall]


# Without a database ----------------------------------------------------------------------------------


def test_the_plan_in_words_and_the_sizes_of_heats() -> None:
    rules = registry.get("formula_d")
    plan = Knockout((Cut(10, 1),))
    assert heat_sizes(60, rules, {}) == [10] * 6
    assert in_words(plan, 60, rules, {}) == (
        "60 cars: 6 heats of 10. The best one of each and 4 more by result drive the final."
    )
    semi = Knockout((Cut(20, 2), Cut(10, 3)))
    assert in_words(semi, 57, rules, {}) == (
        "57 cars: 6 heats of 9 or 10. The best 2 of each and 8 more by result drive the semi-finals. "
        "The best 3 of each and 4 more by result drive the final."
    )


def test_a_snake_and_a_deal() -> None:
    assert divide(range(1, 9), [3, 3, 2], "snake") == [[1, 6, 7], [2, 5, 8], [3, 4]]
    assert divide(range(1, 9), [3, 3, 2], "deal") == [[1, 4, 7], [2, 5, 8], [3, 6]]


def test_who_goes_on_is_right_for_any_results() -> None:
    for seed in range(60):
        check_who_goes_on(seed)


def check_who_goes_on(seed: int) -> None:
    """The field is as large as it can be, holds the best of each heat, and nobody outside beats a lucky loser."""
    draw = Random(seed)
    cars = [
        Driven(entry, draw.randint(1, 4), (draw.randint(1, 9),) if draw.random() > 0.1 else None, draw.random() < 0.2)
        for entry in range(1, draw.randint(3, 30))
    ]
    cut, lots = Cut(draw.randint(2, 8), draw.randint(0, 3)), [car.entry for car in cars]
    draw.shuffle(lots)
    found = goes_on(cars, cut, lots)
    again = goes_on(draw.sample(cars, len(cars)), cut, lots)
    assert found == again, "the order in which results came in does not matter"
    fit = {car.entry: car for car in cars if not car.retired and car.key is not None}
    gone = [one.entry for one in found]
    assert len(gone) == len(set(gone)) == min(cut.cars, len(fit) or min(1, sum(car.key is not None for car in cars)))
    if not fit:
        return
    assert set(gone) <= set(fit)
    inside = [fit[one.entry].key for one in found if not one.direct]
    outside = [car.key for entry, car in fit.items() if entry not in gone]
    assert not inside or all(max(inside) <= key for key in outside)
    for heat in {car.heat for car in fit.values()}:
        here = sorted(
            (car for car in fit.values() if car.heat == heat), key=lambda car: (car.key, lots.index(car.entry))
        )
        if cut.each and len(gone) >= cut.each * len({car.heat for car in fit.values()}):
            assert {car.entry for car in here[: cut.each]} <= set(gone)


# A rally -----------------------------------------------------------------------------------------------


def test_one_course_is_driven_as_often_as_the_plan_needs() -> None:
    rally = with_heats(3, start=False)
    assert [stage.called for stage in rally.stages.all()] == ["Stage 1 (heats)", "Stage 2 (final)"]
    settings = {name: getattr(rally, name) for name in ("name", "options", "mode", "turn_hours", "reminder_hours")}
    by = organiser_of(rally)
    services.change_options(by=by, rally=rally, auto_start=True, event={}, **settings)
    assert rally.stages.count() == 1
    with pytest.raises(Refused) as refused:
        services.change_options(
            by=by, rally=rally, auto_start=True, event={"knockout": Knockout((Cut(99, 1),)).as_json()}, **settings
        )
    assert refused.value.field == "final_cars"
    assert rally.stages.count() == 1


def test_the_form_takes_a_plan_and_keeps_what_was_typed() -> None:
    olga = make_user("Olga")
    club = make_club(owner=olga)
    designs("6/1")
    client, address = signed_in(olga), f"/clubs/{club.slug}/rallies/new/"
    course = str(StageDesign.objects.get(club=None, game="dirt", source="6/1").pk)
    typed = settings_typed(
        route="own", stage_1=course, knockout="final", final_cars="40", final_each="1", grid="reversed"
    )
    refused = client.post(address, typed)
    assert refused.status_code == 422 and 'value="40"' in refused.content.decode()
    assert not Rally.objects.exists()
    refused = client.post(address, {**typed, "final_cars": "9" * 5000})
    assert refused.status_code == 422 and "9" * 5000 not in " ".join(refused.context["form"].comes_of_it()[0][2])
    missed = {"missed": "slowest", "missed_added": "300"}
    assert client.post(address, {**typed, **missed, "final_cars": "4"}).status_code == 302
    rally = Rally.objects.get()
    assert rally.heats == Knockout((Cut(4, 1),), grid="reversed") and (rally.missed, rally.missed_added) == (
        "slowest",
        300,
    )
    assert rally.stages.count() == 2
    options = reverse("rallies:options", args=[rally.key])
    assert 'value="final" selected' in client.get(options).content.decode()
    semi = {**typed, **missed, "final_cars": "4", "knockout": "semi", "semi_cars": "8", "semi_each": "2"}
    assert client.post(options, semi).status_code == 302
    assert rally.stages.count() == 3
    assert client.post(options, {**semi, "mode": "open road"}).status_code == 422
    assert client.post(options, {**semi, "knockout": ""}).status_code == 302
    assert rally.stages.count() == 1


def test_the_final_is_drawn_and_the_others_keep_the_places_behind() -> None:
    """Heats of four, four and three. The winners and the fastest loser drive the final; the fastest of the heats wins
    nothing by that.
    """
    rally = with_heats(11)
    assert Run.objects.filter(special_stage__rally=rally).count() == 3
    one, two, three = drive_heats(rally)
    assert [len(one), len(two), len(three)] == [4, 4, 3]
    assert starters(rally, 2) == crews([one[0], two[0], three[0], one[1]]), "the best result starts first"
    run = Run.objects.get(special_stage__rally=rally, special_stage__number=2)
    assert run.seats.count() == 4
    before = overall(rally)
    assert [place for place, _crew in before] == list(range(1, 12))
    drove(rally, 2, {one[0]: 300, two[0]: 250, three[0]: None, one[1]: 200})
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    final = crews([one[1], two[0], one[0], three[0]])
    assert overall(rally) == list(enumerate([*final, *(crew for _place, crew in before if crew not in final)], 1))
    lines = results_of(rally).overall
    assert [line.remarks.part for line in lines[:5]] == ["final"] * 4 + [f"heat {heat_of(rally, lines[4].entry)}"]
    assert lines[4].to_leader is None and lines[5].to_leader == abs(lines[5].total - lines[4].total)
    [(_name, in_class)] = by_class([*_with_class(lines)])
    assert [line.place for line in in_class] == list(range(1, 12))


def heat_of(rally: Rally, entry: Entry) -> int:
    return next(heat for heat, table in heats_of(rally, 1).items() if entry in table)


def _with_class(lines: Any) -> Any:
    for line in lines:
        line.entry.car_class = "RC1"
        yield line


def test_semi_finals_and_a_final_with_one_winner() -> None:
    rally = with_heats(16, Knockout((Cut(8, 1), Cut(4, 2)), grid="reversed"))
    tables = drive_heats(rally)
    assert [len(table) for table in tables] == [4] * 4
    semi = heats_of(rally, 2)
    assert sorted(crews([*semi[1], *semi[2]])) == sorted(crews([each for table in tables for each in table[:2]]))
    assert crews(semi[1])[-1] == tables[0][0].crew, "the best starts last in a heat"
    drove(rally, 2, {car: 200 + at for at, car in enumerate([*semi[1], *semi[2]])})
    final = heats_of(rally, 3)[1]
    assert sorted(crews(final)) == sorted(crews([*semi[1][:2], *semi[2][:2]]))
    drove(rally, 3, dict(zip(final, (50, 40, 60, 40), strict=True)))
    standing = overall(rally)
    level = sorted((final[1], final[3]), key=lambda car: [*semi[1], *semi[2]].index(car))
    assert standing[:4] == list(enumerate(crews([*level, final[0], final[2]]), 1)), (
        "the semi-final decides between equals"
    )
    assert [crew for _place, crew in standing[4:8]] == [car.crew for car in [*semi[1], *semi[2]] if car not in final], (
        "semi-finalists before the others"
    )


def test_a_retired_car_and_an_excluded_one_do_not_go_on() -> None:
    rally = with_heats(8)
    one, two = heats_of(rally, 1).values()
    drove(rally, 1, {car: 100 + at for at, car in enumerate([*one[1:], *two[1:]])})
    exclude(one[1])
    drove(rally, 1, {one[0]: None, two[0]: 500})
    assert starters(rally, 2) == crews([one[2], one[3], two[1], two[2]])


def exclude(entry: Entry) -> None:
    by = organiser_of(entry.rally)
    Exclusion.objects.create(entry=entry, reason="Illegal car", given_by=by)


def test_decisions_count_until_the_final_starts_and_then_nobody_moves_up() -> None:
    rally = with_heats(8, auto_start=False)
    by = organiser_of(rally)
    one, two = drive_heats(rally)
    assert starters(rally, 2) == crews([one[0], two[0], one[1], two[1]])
    exclude(one[0])
    services.start_next_stage(by=by, rally=rally, number=2)
    assert starters(rally, 2) == crews([two[0], one[1], two[1], one[2]]), "the next one has moved up"
    exclude(two[0])
    TimeByHand.objects.create(special_stage=stage_of(rally, 1), entry=two[3], measure=1, reason="Lost", given_by=by)
    drove(rally, 2, {two[0]: 10, one[1]: 20, two[1]: 30, one[2]: 40})
    standing = overall(rally)
    assert standing[:4] == list(enumerate(crews([one[1], two[1], one[2], two[3]]), 1))
    assert [place for place, _crew in standing[-2:]] == [None, None], "the excluded cars have no place"


def test_equal_results_are_drawn_by_lot_and_the_log_says_so() -> None:
    rally = with_heats(8)
    tables = heats_of(rally, 1)
    drove(rally, 1, dict.fromkeys([*tables[1], *tables[2]], 100))
    here = starters(rally, 2)
    assert len(here) == 4
    assert {sum(entry.crew in here for entry in table) for table in tables.values()} <= {1, 2, 3}
    record = Record.objects.get(action="field drawn")
    assert len(record.details["lots"]) == 8


def test_organisers_choose_by_hand_and_draw_again() -> None:
    rally = with_heats(8, auto_start=False)
    by, (one, two) = organiser_of(rally), drive_heats(rally)
    seen = fingerprint_of([entry.pk for entry in heats_of(rally, 2)[1]])
    page = signed_in(by).get(reverse("rallies:field", args=[rally.key, 2]))
    assert page.status_code == 200 and f'value="{seen}"' in page.content.decode()
    wanted = [one[3].pk, two[3].pk, one[0].pk]
    answer = signed_in(by).post(
        reverse("rallies:field", args=[rally.key, 2]), {"do": "choose", "seen": seen, "entry": wanted}
    )
    assert answer.status_code == 302
    assert starters(rally, 2) == crews([one[0], one[3], two[3]])
    stage = choose_field(by=by, rally=rally, number=2, entry_ids=wanted, seen="old")
    assert stage.list_by_hand, "the same again changes nothing"
    with pytest.raises(Stale):
        choose_field(by=by, rally=rally, number=2, entry_ids=wanted[:2], seen=seen)
    now = fingerprint_of([entry.pk for entry in heats_of(rally, 2)[1]])
    for bad in ([], [one[0].pk, 10**6], [entry.pk for entry in [*one, *two][:5]]):
        with pytest.raises(Refused) as refused:
            choose_field(by=by, rally=rally, number=2, entry_ids=bad, seen=now)
        assert refused.value.field == "entry"
    redraw_field(by=by, rally=rally, number=2)
    assert starters(rally, 2) == crews([one[0], two[0], one[1], two[1]])
    with pytest.raises(Stale):
        redraw_field(by=by, rally=rally, number=2)
    services.start_next_stage(by=by, rally=rally, number=2)
    with pytest.raises(Stale):
        redraw_field(by=by, rally=rally, number=2)
    stranger = signed_in(make_member(rally.club, name="Somebody"))
    assert stranger.get(reverse("rallies:field", args=[rally.key, 2])).status_code == 403


def test_one_table_still_drives_heats_and_final_and_too_few_end_the_rally() -> None:
    rally = with_heats(3)
    [table] = heats_of(rally, 1).values()
    for car in table:
        exclude(car)
    drove(rally, 1, dict.fromkeys(table, 100))
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    assert stage_of(rally, 2).status == SpecialStage.Status.CANCELLED
    assert Record.objects.filter(action="field too small").exists()
    for page in ("rally", "sheet", "podium"):
        assert signed_in(organiser_of(rally)).get(reverse(f"rallies:{page}", args=[rally.key])).status_code == 200


def test_pages_file_and_api_show_the_parts(client: Any) -> None:
    rally = with_heats(8)
    one, two = drive_heats(rally)
    drove(rally, 2, dict.fromkeys(heats_of(rally, 2)[1], 70))
    rally.refresh_from_db()
    home = client.get(rally.get_absolute_url()).content.decode()
    assert "8 cars: 2 heats of 4. The best one of each and 2 more by result drive the final." in home
    assert "Stage 2 (final)" in home
    for number in (1, 2):
        assert "heat 2" in client.get(reverse("rallies:stage", args=[rally.key, 1])).content.decode()
        assert client.get(reverse("rallies:overall", args=[rally.key, number])).status_code == 200
    text = client.get(reverse("papers:results_csv", args=[rally.key])).content.decode()
    rows = list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))
    assert [row["Last part driven"] for row in rows].count("final") == 4
    assert [row["Place"] for row in rows] == ["1", "2", "3", "4", "5", "6", "7", "8"]
    for paper in ("results_pdf", "sheet_pdf", "start_list_pdf"):
        assert client.get(reverse(f"papers:{paper}", args=[rally.key])).status_code == 200
    lines = results_of(rally).overall
    assert [line.place for line in lines] == list(range(1, 9)), "equal in the final: the heats decide"
    assert {line.entry.crew for line in lines[4:]} == {entry.crew for entry in (*one[2:], *two[2:])}


# Told to those who go on -----------------------------------------------------------------------------


def told(kind: str) -> list[str]:
    return sorted(Notice.objects.filter(kind=kind, channel="mail").values_list("recipient__name", flat=True))


def names(entries: list[Entry]) -> list[str]:
    return sorted(entry.driver.name for entry in entries)


def test_who_reaches_semi_finals_and_the_final_is_told_once_and_sees_it_among_my_turns() -> None:
    rally = with_heats(16, Knockout((Cut(8, 1), Cut(4, 2))), auto_start=False)
    tables, by = drive_heats(rally), organiser_of(rally)
    semi = [entry for table in heats_of(rally, 2).values() for entry in table]
    assert told("in the semi-finals") == names(semi) and told("in the final") == []
    says = f"{rally.name}: you are in the semi-finals"
    page = signed_in(semi[0].driver).get("/turns/").text
    assert says in page and "It begins when the organisers open it; then you are told again." in page
    assert "you are in the" not in signed_in(tables[0][3].driver).get("/turns/").text
    services.start_next_stage(by=by, rally=rally, number=2)
    assert says in signed_in(semi[0].driver).get("/turns/").text
    drove(rally, 2, {car: 200 + at for at, car in enumerate(semi)})
    assert told("in the semi-finals") == names(semi), "no second time"
    final = heats_of(rally, 3)[1]
    assert told("in the final") == names(final)
    assert f"{rally.name}: you are in the final" in signed_in(final[0].driver).get("/turns/").text
    services.start_next_stage(by=by, rally=rally, number=3)
    drove(rally, 3, dict(zip(final, (50, 40, 60, 45), strict=True)))
    assert "you are in the" not in signed_in(final[0].driver).get("/turns/").text, "it is over"
    assert len(told("in the final")) == 4


def test_a_list_that_changes_tells_only_who_comes_onto_it_and_no_mail_goes_to_who_has_left_it() -> None:
    rally = with_heats(8, auto_start=False)
    by, (one, two) = organiser_of(rally), drive_heats(rally)
    first = [one[0], two[0], one[1], two[1]]
    assert told("in the final") == names(first)
    seen = fingerprint_of([entry.pk for entry in heats_of(rally, 2)[1]])
    choose_field(by=by, rally=rally, number=2, entry_ids=[one[0].pk, two[0].pk, one[3].pk], seen=seen)
    redraw_field(by=by, rally=rally, number=2)
    exclude(one[0])
    services.start_next_stage(by=by, rally=rally, number=2)
    assert told("in the final") == names([*first, one[3], one[2]]), "each once"
    wanted = {
        notice.recipient.name: kinds.get(notice.kind).still_wanted(notice)  # type: ignore[misc]
        for notice in Notice.objects.filter(kind="in the final", channel="mail").select_related("recipient")
    }
    assert sorted(name for name, still in wanted.items() if still) == names([two[0], one[1], two[1], one[2]])
    assert "you are in the final" not in signed_in(one[0].driver).get("/turns/").text
    mail = letter_of(Notice.objects.filter(kind="in the final", channel="mail", recipient=two[0].driver).get())
    assert mail.subject == f"{rally.name}: you are in the final"
    assert mail.text.startswith(f"{rally.name}: you have gone on, and drive in the final.")


def test_the_computer_and_practice_are_not_told() -> None:
    rally = with_heats(8, auto_start=False)
    one, two = heats_of(rally, 1).values()
    services.set_driven_by(by=one[0].driver, entry=one[0], driven_by=Entry.DrivenBy.CODRIVER)
    drive_heats(rally)
    assert starters(rally, 2) == crews([one[0], two[0], one[1], two[1]])
    assert told("in the final") == names([two[0], one[1], two[1]])


# Late-comers -----------------------------------------------------------------------------------------


def without_the_last(cars: int) -> tuple[Rally, Entry]:
    """A rally in which the last of so many cars was left out before the heats, and its driver comes now."""
    rally = with_heats(cars, start=False, auto_start=False)
    last = rally.entries.order_by("-start_number")[0]
    services.leave_out(rally, last)
    services.start_rally(by=organiser_of(rally), rally=rally)
    return Rally.objects.get(pk=rally.pk), Entry.objects.select_related("driver").get(pk=last.pk)


@pytest.mark.parametrize("drawn", [False, True], ids=["before the draw", "after the draw"])
def test_a_late_comer_drives_the_final_where_it_has_a_seat_left(drawn: bool) -> None:
    rally, late = without_the_last(4)
    if drawn:
        drive_heats(rally)
        assert len(starters(rally, 2)) == 3
    services.join_late(rally, late, added=30)
    if not drawn:
        drive_heats(rally)
    assert starters(rally, 2)[-1] == late.crew
    assert len(starters(rally, 2)) == 4
    given = results_of(Rally.objects.get(pk=rally.pk)).by_stage[1][late.pk]
    assert (given.result, given.code) == (120 + 30, "LC"), "the worst of the heat, and what is added"
    page = signed_in(organiser_of(rally)).get(reverse("rallies:field", args=[rally.key, 2])).content.decode()
    assert "joins late" in page
    services.start_next_stage(by=organiser_of(rally), rally=rally)
    times = {entry: 100 + at for at, entry in enumerate(heats_of(rally, 2)[1])}
    drove(rally, 2, times | {late: 90})
    assert overall(rally)[0] == (1, late.crew)


def test_no_late_comer_takes_a_seat_that_others_drive_for() -> None:
    rally, late = without_the_last(5)
    with pytest.raises(Refused, match="seats"):
        services.join_late(rally, late, added=None)
    assert Entry.objects.get(pk=late.pk).status == Entry.Status.WITHDRAWN
