"""Simultaneous play: before the phase closes, nobody can read what, when or how many others have sent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from championship.archive.own_data import own_data
from championship.clubs.models import Role
from championship.platform import clock
from championship.platform.refusals import Forbidden, Stale
from championship.rallies import page_versions as rally_versions
from championship.runs.models import Event, Post, Run, Turn
from championship.runs.pages.glances import glances
from championship.runs.play import act_on_deadlines, call_off, extend_turn, nudge, rebuild
from championship.runs.watch import live, page_versions, proof, selectors, watching
from championship.runs.watch.board import board_of, news_of_board
from championship.runs.watch.history import history_of
from championship.runs.watch.my_turns import my_turns
from championship.stewards.organiser_home import overview_of
from engine import registry
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs import sealed_toy
from tests.championship.runs.factories import fresh_key, on_the_road, play
from tests.championship.runs.sealed_toy import pick, table
from tests.championship.runs.threads import at_once

HOUR = timedelta(hours=1)
NOBODY: Any = AnonymousUser()

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def toy() -> Iterator[None]:
    registry.add(sealed_toy.SealedToy())
    yield
    registry.remove(sealed_toy.NAME)


def desk_of_person(person):
    """The turns of others on the page of my turns, and what its cards tell."""
    mine = my_turns(person, now=clock.now(), clock_since=clock.now() - timedelta(days=1))
    cards = [(each.turn.run_id, each.turn.run.version, each.turn.seat_id) for each in mine.waiting if each.turn]
    return [turn.pk for place in mine.under_way for turn in place.open_turns], glances(cards, person)


def request_of(viewer: Any) -> Any:
    request = RequestFactory().get("/")
    request.user = viewer
    return request


def seen_by(run: Run, viewer: Any) -> dict[str, Any]:
    """Everything that a viewer can read about a run, from every source."""
    run = Run.objects.select_related("special_stage__rally__club").get(pk=run.pk)
    page = selectors.run_page(run, viewer, posts=run.version)
    told = history_of(run, page.seat)
    person = viewer if viewer.is_authenticated else None
    return {
        "version": page.version,
        "turns": [(turn.pk, turn.deadline) for turn in page.turns],
        "log": [
            (
                post.number,
                post.turn and post.turn.number,
                post.at,
                [(event.number, event.data) for event in post.events.all()],
            )
            for post in page.posts
        ],
        "replay": told.events,
        "moments": [watching.view_of(run, page.seat)]
        + [registry.get(run.game).view(told.state_after(at), page.seat) for at in range(len(told.events) + 1)],
        "tag": page_versions.of_run(request_of(viewer), run.key),
        "page's tag": page_versions.of_page(page),
        "desk": person and page_versions.tag_of_waiting_turns(page_versions.waiting_turns_of(person.pk)),
        "my turns": person and desk_of_person(person),
        "proof": proof.proof_of(run),
        "misses": list(selectors.misses_of(run.special_stage.rally)),
        "overview": overview_page(run),
        "stream": live.stream_versions([f"run {run.key}"]),
        "missed": [entry.misses for entry in selectors.misses_by_entry(run.special_stage.rally)],
    }


def overview_page(run: Run) -> Any:
    """What the first page of the run's rally shows of the road, and its version: the same for every reader."""
    shown = live.of_stage(run.special_stage)
    tables = [(table.driving, table.arrived, table.border) for table in shown.tables]
    told = [(each.entry, each.text, each.at) for each in shown.told]
    return tables, told, rally_versions.of_overview(request_of(NOBODY), run.special_stage.rally.key)


def readers(run: Run, entry: Any) -> list[str]:
    """Kinds of the events that an entry may read."""
    run = Run.objects.get(pk=run.pk)
    return [event.data["kind"] for event in history_of(run, watching.seat_of(run, entry.driver)).events]


# Several to play -----------------------------------------------------------------------------------


def test_every_seat_that_is_to_play_has_a_turn_and_a_deadline_of_its_own():
    run, crew = table("Ana", "Bo", "Cem")
    assert Turn.objects.filter(run=run, ended_at=None).count() == 3
    turn = Turn.objects.get(seat__entry=crew["Bo"], run=run)
    Turn.objects.filter(pk=turn.pk).update(deadline=turn.deadline - HOUR, terms={})
    assert act_on_deadlines(now=turn.deadline - HOUR) == 1
    assert list(Turn.objects.filter(run=run, missed=True).values_list("seat__entry", flat=True)) == [crew["Bo"].pk]
    assert Turn.objects.filter(run=run, ended_at=None).count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_post_at_the_same_moment_and_both_are_played():
    run, crew = table("Ana", "Bo", "Cem")
    answers = at_once(lambda: pick(run, crew["Ana"], version=0), lambda: pick(run, crew["Bo"], version=0))
    assert [answer.played for answer in answers] == [True, True]
    run.refresh_from_db()
    assert (run.version, run.hidden) == (2, True)
    assert rebuild(run=run) == run.state
    assert run.events_told == Event.objects.filter(run=run).count()


@pytest.mark.django_db(transaction=True)
def test_two_who_close_the_phase_at_the_same_moment_close_it_once():
    run, crew = table("Ana", "Bo")
    answers = at_once(lambda: pick(run, crew["Ana"], version=0), lambda: pick(run, crew["Bo"], version=0))
    assert [answer.played for answer in answers] == [True, True]
    assert run.events.filter(kind="reveal").count() == 1
    assert Run.objects.get(pk=run.pk).open_up_to == run.events.count()


def test_the_same_post_twice_plays_once_and_other_orders_with_its_key_are_stale():
    run, crew = table("Ana", "Bo", "Cem")
    assert pick(run, crew["Ana"], 4, version=0, key="one").played
    assert not pick(run, crew["Ana"], 4, version=0, key="one").played
    with pytest.raises(Stale):
        pick(run, crew["Ana"], 6, version=0, key="one")
    with pytest.raises(Stale):
        pick(run, crew["Ana"], 6, version=0)
    assert run.posts.count() == 1


def test_a_change_that_the_seat_may_read_makes_its_post_stale():
    run, crew = table("Ana", "Bo")
    pick(run, crew["Ana"])
    pick(run, crew["Bo"])
    with pytest.raises(Stale):
        pick(run, crew["Ana"], version=1)
    assert pick(run, crew["Ana"], version=2).played, "two posts are open, all of them"


class SaysWhoHasPicked(sealed_toy.SealedToy):
    """A pick is hidden, but the fact that a seat has picked is public. Each seat draws a face before anybody plays."""

    def begin(self, state: Any, chance: Any) -> Any:
        faces = {seat: chance.number(f"{seat} draws", 6) for seat in state["seats"]}
        events = [
            {"kind": "draw", "seat": seat, "only": [seat], "until": "over", "face": faces[seat]} for seat in faces
        ]
        for event in events:
            state = self.apply(state, event)
        return state, tuple(events)

    def play(self, state: Any, seat: str, orders: Any, chance: Any) -> Any:
        state, (first, *events) = super().play(state, seat, orders, chance)
        return state, (first, {"kind": "picked", "seat": seat}, *events)

    def apply(self, state: Any, event: Any) -> Any:
        return state if event["kind"] == "picked" else super().apply(state, event)


@pytest.fixture
def open_hands() -> Iterator[None]:
    registry.remove(sealed_toy.NAME)
    registry.add(SaysWhoHasPicked())
    yield


@pytest.mark.usefixtures("open_hands")
def test_a_public_event_of_another_seat_is_news_but_makes_no_post_stale():
    run, crew = table("Ana", "Bo", "Cem")
    seat = Run.objects.get(pk=run.pk).seats.get(entry=crew["Bo"]).name
    seen, tag = watching.version_for(run, seat), seen_by(run, crew["Bo"].driver)["tag"]
    pick(run, crew["Ana"])
    assert readers(run, crew["Bo"])[-1] == "picked"
    assert seen_by(run, crew["Bo"].driver)["tag"] != tag
    assert pick(run, crew["Bo"], version=seen).played


@pytest.mark.usefixtures("open_hands")
def test_events_before_anybody_plays_are_in_the_first_post():
    run, crew = table("Ana", "Bo")
    first = run.posts.get()
    assert (first.number, first.turn, first.by, first.orders) == (1, None, None, {})
    assert len(first.draws) == 2
    assert (readers(run, crew["Ana"]), len(history_of(run, None).events)) == (["draw"], 0)
    assert seen_by(run, NOBODY)["log"] == []
    assert rebuild(run=run) == run.state
    for _round in range(sealed_toy.ROUNDS):
        for entry in crew.values():
            pick(run, entry)
    told = history_of(Run.objects.get(pk=run.pk), None).events
    assert [(event.turn, event.driver) for event in told[:2]] == [(0, None), (0, None)]


def test_where_play_is_not_simultaneous_another_post_makes_mine_stale():
    run, entries = on_the_road("Ana", "Bo")
    seat = registry.get(run.game).to_play(run.state)[0]
    first = next(entry for entry in entries if str(entry.start_number) == seat)
    play(run, first, do="retire")
    (other,) = (entry for entry in entries if entry != first)
    with pytest.raises(Stale):
        sealed_toy.play_turn(by=other.driver, run=run, orders={"do": "retire"}, version=0, key=fresh_key())


# Hidden --------------------------------------------------------------------------------------------


def test_a_hidden_post_changes_nothing_for_anybody_else():
    run, crew = table("Ana", "Bo", "Cem")
    olga = organiser_of(run.special_stage.rally)
    others = [crew["Bo"].driver, crew["Cem"].driver, olga, NOBODY]
    before = [seen_by(run, viewer) for viewer in others]
    pick(run, crew["Ana"], 7)
    assert [seen_by(run, viewer) for viewer in others] == before
    own = seen_by(run, crew["Ana"].driver)
    assert [post[0] for post in own["log"]] == [1]
    assert (own["version"], len(own["turns"])) == (1, 2), "the driver's own turn is over"
    assert [event.data["kind"] for event in own["replay"]] == ["draw", "pick"]


def test_own_posts_are_counted_without_those_of_others():
    run, crew = table("Ana", "Bo", "Cem")
    pick(run, crew["Ana"])
    pick(run, crew["Bo"])
    seen = seen_by(run, crew["Bo"].driver)
    assert seen["version"] == 1
    [(number, turn, _at, events)] = seen["log"]
    assert (number, turn, [count for count, _data in events]) == (1, 1, [1, 2])
    assert [(event.number, event.post, event.turn) for event in seen["replay"]] == [(1, 1, 1), (2, 1, 1)]


def test_the_tag_of_a_page_is_the_one_that_polling_computes():
    run, crew = table("Ana", "Bo", "Cem")
    pick(run, crew["Ana"])
    for viewer in (crew["Ana"].driver, crew["Bo"].driver, NOBODY):
        seen = seen_by(run, viewer)
        assert seen["tag"] == seen["page's tag"]


def test_when_the_phase_closes_everybody_reads_everything_that_was_hidden_until_then():
    run, crew = table("Ana", "Bo")
    pick(run, crew["Ana"])
    assert readers(run, crew["Bo"]) == []
    pick(run, crew["Bo"])
    run.refresh_from_db()
    assert readers(run, crew["Bo"]) == ["pick", "draw", "pick", "reveal"], "but what is drawn, until the stage is over"
    assert [post["kind"] for post in run.events.order_by("number").values("kind")] == [
        "draw", "pick", "draw", "pick", "reveal",
    ]  # fmt: skip
    assert run.hidden
    assert len(seen_by(run, NOBODY)["turns"]) == 2, "the next turns are open"


def test_when_the_run_is_over_nothing_is_hidden_any_more():
    run, crew = table("Ana", "Bo")
    for _round in range(sealed_toy.ROUNDS):
        for entry in crew.values():
            pick(run, entry)
    run.refresh_from_db()
    assert (run.status, run.hidden) == (Run.Status.FINISHED, False)
    assert len(history_of(run, None).events) == run.events_told
    assert all(event.data.get("only") for event in run.events.filter(kind="pick")), "what was written stays as it was"


def test_when_the_rally_is_called_off_nothing_is_hidden_any_more():
    run, crew = table("Ana", "Bo")
    pick(run, crew["Ana"])
    rally = run.special_stage.rally
    call_off(by=organiser_of(rally), rally=rally, reason="Snow.")
    run.refresh_from_db()
    assert (run.hidden, len(history_of(run, None).events)) == (False, 2)


def test_a_turn_that_the_clock_made_is_hidden_like_one_that_its_driver_made():
    run, crew = table("Ana", "Bo", "Cem")
    turn = Turn.objects.get(run=run, seat__entry=crew["Ana"])
    Turn.objects.filter(pk=turn.pk).update(deadline=turn.deadline - HOUR, terms={})
    before = seen_by(run, crew["Bo"].driver)["misses"]
    assert act_on_deadlines(now=turn.deadline - HOUR) == 1
    after = seen_by(run, crew["Bo"].driver)
    assert (after["misses"], after["missed"], after["log"]) == (before, [], [])
    for name in ("Bo", "Cem"):
        pick(run, crew[name])
    assert len(seen_by(run, crew["Bo"].driver)["misses"]) == 1


def own_posts(entry: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = own_data(entry.driver)["runs.post, by"]
    return found


def test_ones_own_data_do_not_tell_how_many_others_have_sent_something():
    run, crew = table("Ana", "Bo", "Cem")
    pick(run, crew["Ana"])
    pick(run, crew["Bo"], 3)
    [row] = own_posts(crew["Bo"])
    assert row["orders"] == {"do": "pick", "number": 3}
    assert not {"id", "number"} & set(row)
    for _round in range(sealed_toy.ROUNDS):
        for entry in crew.values():
            if str(entry.start_number) in registry.get(run.game).to_play(Run.objects.get(pk=run.pk).state):
                pick(run, entry)
    assert [row["number"] for row in own_posts(crew["Bo"])] == [2, 5], "the run is over: its log says so too"


# Officials -----------------------------------------------------------------------------------------


@pytest.fixture
def organised() -> tuple[Run, dict[str, Any]]:
    """A run and its crew, in which Bo drives and is an organiser."""
    run, crew = table("Ana", "Bo", "Cem")
    memberships = run.special_stage.rally.club.memberships
    memberships.filter(user=crew["Bo"].driver).update(roles=[Role.DRIVER, Role.ORGANISER])
    return run, crew


def board_seen_by(run: Run, viewer: Any) -> Any:
    stage = run.special_stage
    board = board_of(stage.rally, stage, run.opened_at + HOUR, viewer=viewer)
    waiting = [(w.turn.pk, w.behind, w.nudges) for each in board.on_the_road for w in each.waiting]
    return waiting, news_of_board(request_of(viewer), stage.rally.key)


def test_an_organiser_who_drives_does_not_learn_who_has_moved(organised):
    run, crew = organised
    pick(run, crew["Cem"])
    before = board_seen_by(run, crew["Bo"].driver)
    pick(run, crew["Ana"])
    assert board_seen_by(run, crew["Bo"].driver) == before
    made = Turn.objects.get(run=run, seat__entry=crew["Ana"])
    with pytest.raises(Forbidden):
        nudge(by=crew["Bo"].driver, turn=made)
    with pytest.raises(Forbidden):
        extend_turn(by=crew["Bo"].driver, turn=made, hours=1, reason="Snow", seen=made.deadline)


def test_an_organiser_who_drives_does_not_learn_that_somebody_was_the_first_to_move(organised):
    run, crew = organised
    bo, turn = crew["Bo"].driver, Turn.objects.get(run=run, seat__entry=crew["Ana"])
    before = board_seen_by(run, bo)
    for act in (lambda: nudge(by=bo, turn=turn), lambda: extend_turn(by=bo, turn=turn, hours=0, reason="", seen=None)):
        with pytest.raises(Forbidden, match="another organiser"):
            act()
    pick(run, crew["Cem"])
    assert board_seen_by(run, bo) == before
    assert [behind for _turn, behind, _nudges in before[0]] == [None] * 3
    assert before[1]["turns_now"] == []


def test_the_first_page_of_an_organiser_who_drives_does_not_list_late_turns(organised):
    run, crew = organised
    bo, olga = crew["Bo"].driver, organiser_of(run.special_stage.rally)
    Turn.objects.filter(run=run).update(deadline=clock.now() + HOUR)
    assert len(overview_of(olga).late) == 3
    assert overview_of(bo).late == []
    pick(run, crew["Cem"])
    assert overview_of(bo).late == []


def test_an_organiser_who_drives_sees_all_of_a_run_in_which_nothing_is_ever_hidden():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    memberships = run.special_stage.rally.club.memberships
    memberships.filter(user=bo.driver).update(roles=[Role.DRIVER, Role.ORGANISER])
    waiting, news = board_seen_by(run, bo.driver)
    assert [behind for _turn, behind, _nudges in waiting] == [0]
    assert [turn["driver"] for turn in news["turns_now"]] == [ana.driver_id]


def test_an_organiser_who_does_not_drive_sees_whom_the_run_waits_for(organised):
    run, crew = organised
    olga = organiser_of(run.special_stage.rally)
    pick(run, crew["Ana"])
    waiting, _news = board_seen_by(run, olga)
    assert len(waiting) == 2


def test_the_administration_does_not_tell_that_a_run_moves(organised):
    run, crew = organised
    pick(run, crew["Ana"])
    run.refresh_from_db()
    request = request_of(crew["Bo"].driver)
    assert {"version", "events_told", "drawn", "state"} <= set(site.get_model_admin(Run).get_exclude(request, run))
    assert not site.get_model_admin(Turn).get_queryset(request).filter(run=run).exists()


def test_a_run_under_way_has_no_record():
    run, crew = table("Ana", "Bo")
    pick(run, crew["Ana"])
    with pytest.raises(Forbidden):
        proof.record_of(Run.objects.get(pk=run.pk))
    assert Post.objects.filter(run=run).count() == 1
