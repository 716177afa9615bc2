"""Rallies won by points or by places have the same classification, classes, penalties and papers, in their unit."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils.translation import override

from championship.clubs.models import Role
from championship.notices.models import Notice
from championship.papers.csv_export import results_grid
from championship.papers.grids import csv_text
from championship.papers.pdf_papers import results_pdf, sheet_pdf
from championship.papers.podium_picture import podium_png
from championship.platform.refusals import Refused
from championship.rallies import services
from championship.rallies.entries.officials import acts_of
from championship.rallies.models import Entry, Penalty, Rally
from championship.rallies.results.classification import by_class, classify, on_podium
from championship.rallies.results.measures import (
    PLACES,
    POINTS,
    SECONDS,
    amount,
    gap,
    gap_figure,
    result,
    total,
)
from championship.rallies.results.selectors import Results, leaders_in_words, results_of
from championship.rallies.results.sheet import sheets_of
from championship.stewards import services as stewards
from engine.contract import Measure
from tests.championship.rallies.factories import measured, organiser_of, stage_of
from tests.factories import make_member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]

FEWEST_POINTS = Measure("points", "fewest")


def lines_of(results: Results, number: int | None = None) -> list[tuple[Any, ...]]:
    """Places, crews, totals and gaps, overall or of a stage."""
    lines = results.overall if number is None else results.stage_lines(number)
    return [(line.place, line.entry.crew, line.total, line.to_leader, line.to_ahead) for line in lines]


def cars_of(rally: Rally) -> dict[str, Entry]:
    return {entry.crew: entry for entry in rally.entries.select_related("driver", "rally")}


@pytest.mark.parametrize(
    ("measure", "written"),
    [
        (SECONDS, ("3:52", "3:52", "+3:52", "−3:52", "232 seconds")),
        (POINTS, ("232 points", "232 points", "−232 points", "+232 points", "232 points")),
        (FEWEST_POINTS, ("232 points", "232 points", "+232 points", "−232 points", "232 points")),
        (PLACES, ("place 232", "232 places", "+232 places", "−232 places", "232 places")),
    ],
)
def test_each_unit_has_words_of_its_own(measure, written):
    assert written == (
        result(232, measure),
        total(232, measure),
        gap(232, measure),
        gap(-232, measure),
        amount(232, measure),
    )
    assert (result(None, measure), gap(None, measure)) == ("–", "")


def test_one_point_is_singular_and_a_gap_of_no_points_has_no_sign():
    assert (result(1, POINTS), gap(1, POINTS), gap(0, POINTS), gap(0, SECONDS)) == (
        "1 point",
        "−1 point",
        "0 points",
        "+0:00",
    )
    assert (result(-3, POINTS), total(1, PLACES)) == ("−3 points", "1 place")


def test_below_a_heading_that_names_points_a_gap_is_only_a_number():
    assert [gap_figure(value, POINTS) for value in (None, 0, 240)] == ["", "0", "−240"]
    assert (gap_figure(12, SECONDS), gap_figure(2, PLACES)) == ("+0:12", "+2 places")


def test_the_most_points_win_and_gaps_are_never_below_zero():
    rally = measured("points", "most", {"Ana": 10, "Bo": 25, "Cem": 25}, {"Ana": 18, "Bo": 4, "Cem": 0})
    results = results_of(rally)
    assert lines_of(results, 1) == [
        (1, "Bo", 25, None, None),
        (1, "Cem", 25, 0, 0),
        (3, "Ana", 10, 15, 15),
    ]
    assert lines_of(results) == [(1, "Bo", 29, None, None), (2, "Ana", 28, 1, 1), (3, "Cem", 25, 4, 3)]
    assert [line.total_in_words for line in results.overall] == ["29 points", "28 points", "25 points"]
    assert [line.gap for line in results.overall] == ["", "−1 point", "−4 points"]
    assert [line.won for line in results.progress(2)] == [0, 1, -2]
    assert (results.winners(1), results.winners(2)) == (
        [entry.pk for crew, entry in cars_of(rally).items() if crew != "Ana"],
        [cars_of(rally)["Ana"].pk],
    )


def test_a_rank_orders_equal_results_and_equal_ranks_share_a_place():
    rally = measured("points", "most", {"Ana": (9, [2], ""), "Bo": (9, [1, 5], ""), "Cem": (9, [2], ""), "Dag": 12})
    results = results_of(rally)
    expected = [(1, "Dag", 12), (2, "Bo", 9), (3, "Ana", 9), (3, "Cem", 9)]
    assert [line[:3] for line in lines_of(results, 1)] == expected
    assert [line[:3] for line in lines_of(results)] == expected, "the rally of one stage ends as its stage"


@pytest.mark.parametrize("nothing", [0, None])
def test_a_driver_who_retires_without_points_comes_last_and_continues(nothing):
    rally = measured(
        "points", "most", {"Ana": (nothing, [], "wrecked"), "Bo": 3, "Cem": 7}, {"Ana": 20, "Bo": 3, "Cem": 1}
    )
    results = results_of(rally)
    first = [(line.place, line.entry.crew, line.total_in_words) for line in results.stage_lines(1)]
    assert first == [
        (1, "Cem", "7 points"),
        (2, "Bo", "3 points"),
        (3, "Ana", "0 points") if nothing == 0 else (None, "Ana", "–"),
    ]
    assert [line[:3] for line in lines_of(results)] == [(1, "Ana", 20), (2, "Cem", 8), (3, "Bo", 6)]
    assert results.overall[0].retired_on == (1,)


def test_drivers_without_a_result_come_last_in_the_order_of_how_the_stage_ended():
    rally = measured("points", "most", {"Ana": (None, [], "capsized"), "Bo": (None, [], ""), "Cem": 7})
    results = results_of(rally)
    for lines in (results.stage_lines(1), results.overall):
        assert [(line.place, line.entry.crew) for line in lines] == [(1, "Cem"), (None, "Bo"), (None, "Ana")]
        assert str(lines[2].remarks.retired[0]) == "retired on stage 1: capsized"


def test_places_are_summed_and_the_fewest_win():
    rally = measured(
        "places", "fewest",
        {"Ana": 1, "Bo": 2, "Cem": 3, "Dag": (None, [], "wrecked")}, {"Ana": 3, "Bo": 1, "Cem": 2, "Dag": 4},
    )  # fmt: skip
    results = results_of(rally)
    assert lines_of(results, 1)[0] == (1, "Ana", 1, None, None)
    assert [line.total_in_words for line in results.stage_lines(1)] == ["place 1", "place 2", "place 3", "–"]
    assert lines_of(results) == [
        (1, "Bo", 3, None, None),
        (2, "Ana", 4, 1, 1),
        (3, "Cem", 5, 2, 1),
        (None, "Dag", None, None, None),
    ]
    assert [line.total_in_words for line in results.overall] == ["3 places", "4 places", "5 places", "–"]
    assert len(on_podium(results.overall)) == 3


def test_classes_have_places_and_gaps_of_their_own_in_any_unit():
    classes = {"Ana": "R2", "Bo": "R5", "Cem": "R2"}
    rally = measured("points", "most", {"Ana": (9, [2], ""), "Bo": 12, "Cem": (9, [1], "")}, by_class=classes)
    found = dict(by_class(results_of(rally).overall))
    assert [(line.place, line.entry.crew, line.to_leader) for line in found["R2"]] == [(1, "Cem", None), (2, "Ana", 0)]


@pytest.mark.parametrize(
    ("unit", "better", "after", "then"), [("points", "most", 25, 32), ("points", "fewest", 35, 28)]
)
def test_a_penalty_worsens_and_a_bonus_improves_the_result(unit, better, after, then):
    rally = measured(unit, better, {"Ana": 30, "Bo": 20})
    cars, olga = cars_of(rally), organiser_of(rally)
    services.give_penalty(by=olga, entry=cars["Ana"], amount=5, reason="Late", special_stage=stage_of(rally, 1))
    assert next(line.total for line in results_of(rally).overall if line.entry.crew == "Ana") == after
    bonus = services.give_penalty(by=olga, entry=cars["Ana"], amount=-7, reason="Helped")
    assert next(line.total for line in results_of(rally).overall if line.entry.crew == "Ana") == then
    sign = "−" if better == "most" else "+"
    assert next(act.what for act in acts_of(results_of(rally))) == f"Penalty {sign}5 points"
    assert bonus.amount == -7
    letter = Notice.objects.filter(recipient=cars["Ana"].driver, kind="penalty given").order_by("pk")[0]
    assert letter.context["measure"] == {"unit": unit, "better": better}


def test_pages_of_officials_use_the_unit_of_the_rally():
    rally = measured("points", "most", {"Ana": 30, "Bo": 20})
    cars, olga = cars_of(rally), organiser_of(rally)
    with pytest.raises(Refused, match="between 1 and 3600 points"):
        services.give_penalty(by=olga, entry=cars["Ana"], amount=0, reason="Late")
    desk = signed_in(olga).get(f"/rallies/{rally.key}/desk/penalty/").content.decode()
    assert ">Points" in desk
    assert "econds" not in desk.split("<main")[1]
    sten = make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    stewards.decide(
        by=sten, rally=rally, kind="stage time", text="Counted anew.", entry=cars["Bo"],
        special_stage=stage_of(rally, 1), amount=-4,
    )  # fmt: skip
    stewards.decide(by=sten, rally=rally, kind="penalty", text="Late.", entry=cars["Ana"], amount=3)
    assert [(line.entry.crew, line.total_in_words) for line in results_of(rally).overall] == [
        ("Ana", "27 points"),
        ("Bo", "−4 points"),
    ]
    room = signed_in(sten).get(f"/rallies/{rally.key}/stewards/").content.decode()
    assert "<strong>−4 points</strong>" in room
    assert "<strong>−3 points</strong>" in room


def test_no_time_and_no_place_is_set_below_the_least():
    for unit, wrong in (("seconds", -1), ("places", 0)):
        rally = measured(unit, "fewest", {"Ana": 3})
        sten = make_member(rally.club, name="Sten", roles=[Role.STEWARD])
        with pytest.raises(Refused, match=unit) as refusal:
            stewards.decide(
                by=sten, rally=rally, kind="stage time", text="No.", entry=cars_of(rally)["Ana"],
                special_stage=stage_of(rally, 1), amount=wrong,
            )  # fmt: skip
        assert refusal.value.field == "amount"


@pytest.mark.parametrize(
    ("unit", "better", "words", "gone"),
    [
        ("points", "most", ("Points", "40 points", "−5 points"), "0:40"),
        ("places", "fewest", ("Sum of places", "40 places", "+5 places"), "0:40"),
    ],
)
def test_pages_and_papers_show_the_unit(unit, better, words, gone):
    first, second = (20, 25) if better == "fewest" else (25, 20)
    stages = [{"Ana": first, "Bo": second}, {"Ana": 20, "Bo": 20}]
    rally = measured(unit, better, *stages)
    key, results = rally.key, results_of(rally)
    pages = [f"/rallies/{key}/", f"/rallies/{key}/stages/1/", f"/rallies/{key}/podium/", f"/rallies/{key}/sheet/"]
    shown = [Client().get(page).content.decode() for page in pages]
    assert any(words[1] in page for page in shown)
    assert any(words[2] in page for page in shown)
    assert not any(re.search(rf"(?<!\d){gone}", page) for page in shown)  # the time of day may be 10:40
    rows = [row for sheet in sheets_of(results) for row in sheet.rows]
    assert [cell.amount for row in rows if row.kind == "final" for cell in row.cells] == [first + 20, second + 20]
    table = list(csv.reader(io.StringIO(csv_text(results_grid(results, [])).removeprefix("\ufeff"))))
    assert unit.removesuffix("s") in table[0][7].lower()
    assert {row[7] for row in table[1:]} == {"40", "45"}
    assert not any(", s" in head for head in table[0])
    assert results_pdf(results, []).startswith(b"%PDF")
    assert sheet_pdf(results, sheets_of(results)).startswith(b"%PDF")
    assert podium_png(results)[1:4] == b"PNG"
    assert words[2] in leaders_in_words(results)


def test_words_are_in_the_language_of_the_reader():
    rally = measured("points", "most", {"Ana": 2, "Bo": 1})
    with override("de"):
        assert results_of(rally).overall[0].total_in_words


def test_a_rally_of_dirt_is_measured_in_seconds():
    rally = measured("seconds", "fewest", {"Ana": 2})
    assert (rally.measure, Rally().measure) == (SECONDS, SECONDS)
    assert not Penalty.objects.exists()


def test_lines_without_a_rally_are_classified_too():
    entries = {n: Entry(pk=n, start_number=n, crew=f"Crew {n}") for n in (1, 2, 3)}
    lines = classify({1: 5, 2: 9, 3: 5}, entries, {}, measure=POINTS, ranks={3: (1,), 1: (2,)})
    assert [(line.entry.pk, line.place, line.to_leader) for line in lines] == [(2, 1, None), (3, 2, 4), (1, 3, 4)]


@pytest.mark.parametrize("kind", ["given", "withdrawn"])
def test_old_notices_with_seconds_are_still_rendered(kind):
    old = {"rally": "Rajd", "stage": None, "seconds": 15, "reason": "Late", "author_drives": False}
    new = {**old, "amount": 5, "measure": {"unit": "points", "better": "most"}}
    new.pop("seconds")
    assert "+0:15" in render_to_string(f"notices/mail/penalty_{kind}.txt", old)
    assert "−5 points" in render_to_string(f"notices/mail/penalty_{kind}.txt", new)


def test_a_mail_says_what_a_missed_deadline_costs():
    told = {"rally": "Rajd", "stage": 1, "done": "penalised", "deadline": None, "take_back_until": None}
    assert "costs 40 seconds" in render_to_string("notices/mail/turn_driven.txt", {**told, "seconds": 40})
    now = {**told, "amount": 2, "measure": {"unit": "places", "better": "fewest"}}
    assert "costs 2 places" in render_to_string("notices/mail/turn_driven.txt", now)
