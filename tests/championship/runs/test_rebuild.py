"""The events are the source of truth: they give the state and repair a damaged snapshot, and no event ever changes."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, connection, transaction

from championship.runs.models import Event, Run
from championship.runs.play import check_snapshot, rebuild
from engine import chance, registry
from tests.championship.runs.factories import all_of, careful_turn, driven, on_the_road, open_turn, play

pytestmark = pytest.mark.django_db


@pytest.fixture(name="driven")
def driven_by_two():
    """A stage that two codrivers have driven from start to finish."""
    run, _entries = driven("Ana", "Bo", stages=("4/1",))
    return run


def rebuilt(run, *options):
    """The output of the command."""
    out = StringIO()
    call_command("rebuild", run.key, *options, stdout=out)
    return out.getvalue()


def test_folding_the_events_of_a_stage_gives_its_state(driven):
    assert driven.events.count() == driven.events_told > 20
    before = all_of(driven)
    assert rebuild(run=driven) == driven.state
    assert rebuilt(driven) == "The events match the snapshot.\n"
    assert all_of(driven) == before


def test_with_the_secret_all_draws_of_a_stage_can_be_repeated(driven):
    """The counter of draws continues from post to post."""
    rules = registry.get(driven.game)
    state = rules.setup(driven.stage, driven.entrants, driven.options)
    luck = chance.SealChance(bytes(driven.secret), phrases=driven.phrases_sha256)
    for post in driven.posts.order_by("number").select_related("turn__seat"):
        luck.salt, drawn = post.salt, len(luck.draws)
        state, events = rules.play(state, post.turn.seat.name, post.orders, luck)
        assert luck.draws[drawn:] == post.draws
        assert list(events) == [event.data for event in post.events.order_by("number")]
    assert state == driven.state
    assert luck.drawn == driven.drawn > 0


def test_before_the_first_move_the_events_give_the_setup():
    run, _entries = on_the_road("Ana", "Bo")
    assert rebuild(run=run) == run.state


def test_in_the_middle_of_a_turn_the_events_give_the_state_too():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    play(run, ana, do="roll")
    assert run.state["turn"]["made"] == 1
    assert rebuild(run=run) == run.state


def test_a_damaged_snapshot_is_reported_and_repaired_on_request(driven):
    whole = driven.state
    first = next(iter(whole["drivers"]))
    damaged = {**whole, "drivers": {**whole["drivers"], first: {**whole["drivers"][first], "tokens": 99}}}
    Run.objects.filter(pk=driven.pk).update(state=damaged)
    with pytest.raises(CommandError, match="do not match"):
        rebuilt(driven)
    assert Run.objects.get(pk=driven.pk).state == damaged, "nothing is written unasked"
    assert rebuilt(driven, "--write") == "The snapshot was replaced from the events.\n"
    assert Run.objects.get(pk=driven.pk).state == whole
    assert rebuilt(driven, "--write") == "The events match the snapshot.\n"


def test_even_a_missing_snapshot_is_rebuilt():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, **careful_turn(run))
    whole = run.state
    Run.objects.filter(pk=run.pk).update(state={})
    assert check_snapshot(run=run, write=True) is False
    run.refresh_from_db()
    assert run.state == whole
    play(run, open_turn(run).seat.entry, **careful_turn(run))


def test_a_run_that_does_not_exist_is_named():
    with pytest.raises(CommandError, match="no run nobody"):
        call_command("rebuild", "nobody")


# The table of events ----------------------------------------------------------------------------------


def test_an_event_is_never_changed_nor_deleted(driven):
    event = driven.events.first()
    with pytest.raises(IntegrityError, match="only ever added: UPDATE refused"), transaction.atomic():
        Event.objects.filter(pk=event.pk).update(kind="move")
    event.kind = "move"
    with pytest.raises(IntegrityError, match="UPDATE refused"), transaction.atomic():
        event.save()
    with pytest.raises(IntegrityError, match="DELETE refused"), transaction.atomic():
        Event.objects.filter(pk=event.pk).delete()
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM runs_event")
    assert driven.events.count() == driven.events_told


def test_the_table_of_events_is_never_emptied(driven):
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE runs_event ENABLE TRIGGER runs_event_no_truncate")
        with pytest.raises(IntegrityError, match="TRUNCATE refused"), transaction.atomic():
            cursor.execute("TRUNCATE runs_event")
    assert driven.events.exists()


def test_no_number_is_given_twice(driven):
    event = driven.events.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Event.objects.create(run=driven, number=event.number, post=event.post, kind="move", data={})
    with pytest.raises(IntegrityError), transaction.atomic():
        driven.posts.create(number=1, turn=driven.turns.first(), orders={}, at=driven.opened_at)
    with pytest.raises(IntegrityError), transaction.atomic():
        driven.turns.create(
            number=1, seat=driven.seats.first(), made_before=0, since=driven.opened_at, deadline=driven.opened_at
        )


def test_a_car_has_one_open_turn_at_most():
    run, _entries = on_the_road("Ana", "Bo")
    turn = open_turn(run)
    with pytest.raises(IntegrityError), transaction.atomic():
        run.turns.create(number=2, seat=turn.seat, made_before=1, since=turn.since, deadline=turn.deadline)
