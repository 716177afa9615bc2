"""The lesson: ten minutes on a short track against two codrivers."""

from __future__ import annotations

from typing import Any

import pytest

from championship.games.formula_d import lessons
from championship.rallies.models import Entry
from championship.runs.models import Practice, Run
from championship.runs.play import begin_practice, drive_codrivers
from championship.runs.watch.practice import DONE, Seen, standings
from engine.formula_d.game import game
from tests.factories import make_user, signed_in
from tests.games.formula_d.pages.tables import best_of, page_of, playing, send

pytestmark = pytest.mark.django_db


def practising() -> tuple[Run, Entry]:
    """A person who has begun to practise. Returns the run and the person's entry."""
    ana = make_user("Ana")
    run = begin_practice(by=ana, game="formula_d")
    return run, Entry.objects.select_related("driver").get(rally=run.special_stage.rally_id, driver=ana)


def test_the_pupil_drives_against_two_codrivers_whom_nobody_can_sign_in_as() -> None:
    run, ana = practising()

    assert ana.start_number == int(lessons.PUPIL)
    others = Entry.objects.filter(rally=run.special_stage.rally_id).exclude(pk=ana.pk).select_related("driver")
    assert [other.driven_by for other in others] == ["codriver", "codriver"]
    assert not any(other.driver.is_active or other.driver.has_usable_password() for other in others)
    assert len({entry.colour for entry in (ana, *others)}) == 3


def test_lessons_are_done_as_the_race_shows_them() -> None:
    run, ana = practising()
    drive_codrivers(run_id=run.pk)
    assert playing(run) == ana
    page = page_of(ana, run)
    assert "0 of 9 lessons" in " ".join(page.split())
    assert send(ana, run, do="gear", gear="1").status_code == 302
    page = page_of(ana, run)
    assert "1 of 9 lessons" in " ".join(page.split())
    assert "Choose where it ends" in page
    run.refresh_from_db()
    assert send(ana, run, **best_of(run)).status_code == 302


def test_a_race_teaches_most_lessons_by_itself() -> None:
    state = game().setup(lessons.STAGE, [{"id": name} for name in "123"], lessons.OPTIONS)
    seen: list[dict[str, Any]] = [
        {"kind": "roll", "seat": "1"},
        {"kind": "step", "seat": "2"},
        {"kind": "gear", "seat": "1", "gear": 4},
        {"kind": "gear", "seat": "1", "gear": 2},
        {"kind": "wear", "seat": "1", "why": "shift"},
    ]
    assert state["options"]["start_roll"] is False
    done = [shown.lesson.name for shown in standings(lessons.LESSONS, Seen(seen), ()) if shown.standing == DONE]
    assert done == ["gear", "shift up", "shift down"]


def test_leaving_ends_the_race_whichever_seat_has_the_turn() -> None:
    run, ana = practising()
    drive_codrivers(run_id=run.pk)
    assert playing(run) == ana
    assert send(ana, run, do="gear", gear="1").status_code == 302
    run.refresh_from_db()
    send(ana, run, **best_of(run))
    signed_in(ana.driver).post("/practice/", {"game": "formula_d", "anew": "yes"})

    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert Practice.objects.filter(person=ana.driver, ended_at=None).count() == 1


def test_what_went_wrong_is_explained() -> None:
    assert "out" in lessons.happened([{"kind": "out", "seat": "1", "why": "corner"}])
    assert "spins" in lessons.happened([{"kind": "overshoot", "seat": "1"}, {"kind": "spin", "seat": "1"}])
    assert lessons.happened([{"kind": "out", "seat": "2", "why": "corner"}]) == ""
