"""Penalties that a list has beside the times of stages: read, stored, shown, changed, undone."""

import pytest

from championship.lists.reading import choices_of, read
from championship.lists.services import undoing
from championship.rallies.models import Penalty, Rally
from championship.rallies.results.selectors import results_of
from championship.rallies.results.sheet import sheets_of
from tests.championship.lists.lists import make_world
from tests.championship.lists.steps import Steps
from tests.factories import signed_in

ON_TOP = (
    "Pos;Driver;SS1;SS2;Penalty;Total\n1;Zoë Virtanen;3:05;3:25.5;;6:30.5\n"
    "2;Anna Müller;3:00;3:20;0:20;6:40\n3;Łukasz Żak;3:30;3:30;0:10;7:10\n"
)
INSIDE = "Pos;Driver;SS1;SS2;Penalty;Total\n1;Zoë Virtanen;3:05;3:25;;6:30\n2;Anna Müller;3:10;3:30;0:20;6:40\n"
UNSAID = "Pos;Driver;SS1;SS2;Penalty\n1;Zoë Virtanen;3:05;3:25;\n2;Anna Müller;3:10;3:30;0:20\n"


@pytest.fixture
def world(db):
    return make_world()


def penalties(text, **answers):
    (one,) = read(text.encode(), results=True, choices=choices_of({"answers": answers})).found.rounds
    return [result.penalty.thousandths if result.penalty else None for result in one.results]


def asked(text):
    return [note.about for note in read(text.encode(), results=True).found.notes if note.kind == "ask"]


def test_the_totals_say_whether_penalties_come_on_top():
    assert penalties(ON_TOP) == [None, 20_000, 10_000]
    assert penalties(INSIDE) == [None, None]
    assert "penalty" not in asked(ON_TOP) + asked(INSIDE)


def test_without_totals_it_is_asked():
    assert "penalty" in asked(UNSAID)
    assert penalties(UNSAID) == [None, 20_000]
    assert penalties(UNSAID, penalty="included") == [None, None]


def where(world):
    return f"/lists/championships/{world.season.key}/results/"


def test_penalties_are_stored_in_the_unit_of_the_rally_and_shown_on_the_sheet(world):
    steps = Steps(signed_in(world.olga))
    made = steps.bring(where(world), ON_TOP)
    steps.say(made)
    assert "3:00.0 · 3:20.0 + 0:20.0 = 6:40.0" in steps.look(made).content.decode()
    steps.take(made)
    rally = Rally.objects.get()
    results = results_of(rally)
    assert rally.unit == "tenths"
    assert [(line.entry.driver.name, line.total_in_words, line.remarks.penalties) for line in results.overall] == [
        ("Zoë Virtanen", "6:30.5", 0),
        ("Anna Müller", "6:40.0", 200),
        ("Łukasz Żak", "7:10.0", 100),
    ]
    [sheet] = sheets_of(results)
    at = [entry.driver.name for entry in sheet.entries].index("Anna Müller")
    assert any(row.cells[at].amount == 200 for row in sheet.rows if row.cells)
    table = signed_in(world.olga).get(f"/rallies/{rally.key}/results.csv").content.decode()
    [line] = [line for line in table.splitlines() if "Anna Müller" in line]
    assert "Penalty, as published" in line


def test_the_same_list_again_changes_nothing_and_a_corrected_one_changes_the_penalty(world):
    steps = Steps(signed_in(world.olga))
    steps.all_of(where(world), ON_TOP)
    again = steps.look(steps.bring(where(world), ON_TOP, **{"answer-round-name": Rally.objects.get().name}))
    assert {line.state for one in again.context["look"].plan.rounds for line in one.lines} == {"unchanged"}
    corrected = ON_TOP.replace("0:20;6:40", "0:30;6:50")
    changed = steps.bring(where(world), corrected, **{"answer-round-name": Rally.objects.get().name})
    steps.say(changed)
    assert "6:50.0" in steps.look(changed).content.decode()
    changed = steps.take(changed)
    rally = Rally.objects.get()
    assert sorted(Penalty.objects.values_list("amount", flat=True)) == [100, 300]
    undoing.undo(by=world.olga, done=changed)
    assert sorted(Penalty.objects.values_list("amount", flat=True)) == [100, 200]
    name = {"answer-round-name": rally.name}
    without = "Pos;Driver;SS1;SS2\n1;Zoë Virtanen;3:05;3:25.5\n2;Anna Müller;3:00;3:19\n3;Łukasz Żak;3:30;3:30\n"
    steps.take(steps.bring(where(world), without, **name))
    assert results_of(rally).overall[1].remarks.penalties == 200


def test_a_whole_import_with_penalties_is_undone(world):
    steps = Steps(signed_in(world.olga))
    done = steps.all_of(where(world), ON_TOP)
    undoing.undo(by=world.olga, done=done)
    assert not Rally.objects.exists()
    assert not Penalty.objects.exists()
