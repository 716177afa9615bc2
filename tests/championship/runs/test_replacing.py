"""A driver is replaced in the middle of a rally: who drives, who sees what, and what is recorded."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from championship.audit.models import Record
from championship.clubs.models import Role
from championship.notices.models import Notice
from championship.papers import kinds as paper_kinds
from championship.platform.refusals import Forbidden, Refusal, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.entries.driver_changes import changes_of
from championship.rallies.models import CrewChange, Entry
from championship.runs import play as services
from championship.runs.models import Draft, Post, Run, SentAhead
from championship.runs.watch import my_turns, selectors
from tests.championship.rallies.factories import drive, organiser_of, stage_of, started
from tests.championship.runs.factories import careful_turn, fresh_key, on_the_road, open_turn, play
from tests.championship.runs.threads import at_once
from tests.factories import make_member, make_user, signed_in
from tests.moment import told as now

pytestmark = pytest.mark.django_db


def replaced(entry, driver, **how):
    """Replace the entry's driver, by default as an organiser who has seen `entry` as it is. Returns the entry."""
    by = how.pop("by", None) or organiser_of(entry.rally)
    said = {"instead_of": entry.driver_id, "crew": driver.name, "reason": "Ana is ill.", **how}
    return services.replace_driver(by=by, entry=entry, driver=driver, **said)


def test_the_new_driver_has_the_turn_with_all_its_time_and_the_old_one_nothing(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    before = open_turn(run)
    eva = make_member(ana.rally.club, name="Eva")
    at("2026-11-19T20:00")
    replaced(ana, eva)
    turn = open_turn(run)
    assert (turn.number, turn.seat.entry.driver, turn.seat.entry.crew) == (before.number, eva, "Eva")
    assert (turn.deadline - before.deadline).total_seconds() == 8 * 3600
    with pytest.raises(Forbidden):
        play(run, ana, **careful_turn(run))
    play(run, Entry.objects.get(pk=ana.pk), **careful_turn(run))
    assert Post.objects.get().by == eva
    assert selectors.turns_waiting_for(ana.driver).count() == 0


def test_o22_the_new_driver_has_the_extra_time_of_organisers_too(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    turn, olga = open_turn(run), organiser_of(ana.rally)
    services.extend_turn(by=olga, turn=turn, hours=30, reason="Ana is ill.", seen=turn.deadline)
    eva = make_member(ana.rally.club, name="Eva")
    at("2026-11-19T20:00")
    for driver in (eva, make_member(ana.rally.club, name="Fay")):
        replaced(Entry.objects.get(pk=ana.pk), driver)
        turn = open_turn(run)
        assert (turn.deadline - turn.since).total_seconds() == (24 + 30) * 3600
        assert "extended" in turn.reasons


def test_plans_and_drafts_of_the_old_driver_are_removed_and_not_shown_to_the_new_one():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    eva = make_member(ana.rally.club, name="Eva")
    services.keep_draft(by=ana.driver, run=run, plan=careful_turn(run)["plan"], version=run.version)
    SentAhead.objects.create(
        seat=run.seats.get(entry=ana), person=ana.driver, laid="x", orders={}, outlook={}, version=0,
        sent_at=run.opened_at,
    )  # fmt: skip
    replaced(ana, eva)
    page = selectors.run_page(Run.objects.get(pk=run.pk), eva)
    assert (page.draft, page.orders_ahead) == (None, None)
    assert page.mine is not None
    assert not Draft.objects.exists()
    assert SentAhead.objects.get().state == SentAhead.State.WITHDRAWN
    assert selectors.run_page(run, ana.driver).mine is None


def test_a_replacement_is_recorded_logged_and_brings_notices():
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    eva = make_member(ana.rally.club, name="Eva")
    replaced(ana, eva)
    change = CrewChange.objects.get()
    assert (change.before, change.driver, change.crew_before, change.crew) == (ana.driver, eva, ana.crew, "Eva")
    assert change.in_words == "from stage 1 driven by Eva"
    assert changes_of([ana.rally_id]) == {ana.pk: [change]}
    record = Record.objects.get(action="driver replaced")
    assert record.details["reason"] == change.reason == "Ana is ill."
    told = set(Notice.objects.filter(channel="mail", status="queued").values_list("kind", "recipient__name"))
    assert ("car given away", ana.crew) in told
    assert {("car taken over", "Eva"), ("turn waits", "Eva")} <= told
    assert ("turn waits", ana.crew) not in told
    with pytest.raises(DatabaseError), transaction.atomic():
        CrewChange.objects.update(reason="Something else")


def test_the_old_driver_cannot_hand_the_car_over_with_an_entry_read_before():
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    replaced(ana, make_member(ana.rally.club, name="Eva"))
    with pytest.raises(Forbidden):
        rallies.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver")
    assert Entry.objects.get(pk=ana.pk).driven_by == "person"


def test_a_replacement_under_the_same_name_changes_the_tag_of_papers():
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    before = paper_kinds.tag_of(paper_kinds.paper_request(ana.rally.key, "results"))
    replaced(ana, make_member(ana.rally.club, name="Eva"), crew=ana.crew)
    assert paper_kinds.tag_of(paper_kinds.paper_request(ana.rally.key, "results")) != before


def test_only_hand_overs_that_were_not_undone_are_shown():
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    for who in ("codriver", "person", "codriver", "person"):
        rallies.set_driven_by(by=ana.driver, entry=ana, driven_by=who)
    assert CrewChange.objects.count() == 4
    assert changes_of([ana.rally_id]) == {}
    rallies.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver")
    eva = make_member(ana.rally.club, name="Eva")
    replaced(ana, eva)
    assert [change.in_words for change in changes_of([ana.rally_id])[ana.pk]] == ["from stage 1 driven by Eva"]
    assert Entry.objects.get(pk=ana.pk).driven_by == "person"


def test_the_same_replacement_twice_counts_once_and_another_from_an_old_page_is_stale():
    _run, (ana, bo) = on_the_road("Ana", "Bo")
    eva, fin = (make_member(ana.rally.club, name=name) for name in ("Eva", "Fin"))
    assert replaced(ana, eva).driver == replaced(ana, eva).driver == eva
    assert CrewChange.objects.count() == 1
    with pytest.raises(Stale):
        replaced(ana, fin)
    olga, said = signed_in(organiser_of(ana.rally)), {"driver": "codriver", "reason": "Ana is ill."}
    path = f"/rallies/{ana.rally.key}/desk/entries/{ana.pk}/replace/"
    assert olga.post(path, {**said, "instead_of": ana.driver_id}).status_code == 409
    assert Entry.objects.get(pk=ana.pk).driven_by == "person"
    with pytest.raises(Refused) as refusal:
        replaced(bo, eva)
    assert refusal.value.field == "driver"


@pytest.mark.parametrize("field", ["driver", "crew", "reason"])
def test_an_invalid_replacement_is_refused_at_its_field_and_changes_nothing(field):
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    club = ana.rally.club
    wrong = {"driver": {}, "crew": {"crew": " "}, "reason": {"reason": "two\nlines"}}[field]
    driver = make_member(club, roles=[Role.STEWARD]) if field == "driver" else make_member(club)
    with pytest.raises(Refused) as refusal:
        replaced(ana, driver, **wrong)
    assert refusal.value.field == field
    assert Entry.objects.get(pk=ana.pk).driver == ana.driver
    assert not CrewChange.objects.exists()


def test_only_organisers_replace_and_only_under_way():
    _run, (ana, bo) = on_the_road("Ana", "Bo")
    eva = make_member(ana.rally.club, name="Eva")
    with pytest.raises(Forbidden):
        replaced(ana, eva, by=bo.driver)
    with pytest.raises(Refused):
        replaced(ana, make_user("Stranger"))
    ana.rally.stages.update(status="done", opened_at="2026-11-19T12:00Z", closed_at="2026-11-19T13:00Z")
    with pytest.raises(Refused):
        replaced(ana, eva)


def test_at_time_control_the_new_driver_hands_in_the_card(at):
    rally, (ana, bo) = started("Ana", "Bo")
    drive(rally, 1, {ana: 200, bo: 201})
    eva = make_member(rally.club, name="Eva")
    at(now() + timedelta(hours=3))
    replaced(ana, eva)
    [card] = my_turns.waiting_for(eva)
    assert (card.stage, card.since) == (stage_of(rally, 1), now()), "it waits for Eva since now"
    assert my_turns.waiting_for(ana.driver) == []
    with pytest.raises(Forbidden):
        rallies.submit_time_control(by=ana.driver, special_stage=stage_of(rally, 1), decision={"penalties": 0})
    rallies.submit_time_control(by=eva, special_stage=stage_of(rally, 1), decision={"penalties": 1})
    assert CrewChange.objects.get().special_stage.number == 2
    waits = Notice.objects.filter(kind="time control waits", channel="mail")
    assert set(waits.filter(status="queued").values_list("recipient__name", flat=True)) == {"Bo"}


def test_the_new_driver_sees_the_stage_page_and_the_old_one_only_watches():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    eva = make_member(ana.rally.club, name="Eva")
    replaced(ana, eva)
    assert 'name="key"' in signed_in(eva).get(run.get_absolute_url()).content.decode()
    assert 'name="key"' not in signed_in(ana.driver).get(run.get_absolute_url()).content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_turn_sent_at_the_moment_of_the_replacement_is_played_or_refused():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    eva = make_member(ana.rally.club, name="Eva")
    orders = careful_turn(run)
    sent, done = at_once(
        lambda: services.play_turn(by=ana.driver, run=run, orders=orders, version=run.version, key=fresh_key()),
        lambda: replaced(ana, eva),
    )
    assert done.driver == eva
    run.refresh_from_db()
    assert {post.by for post in Post.objects.all()} == (set() if isinstance(sent, Refusal) else {ana.driver})
    assert isinstance(sent, Forbidden) or run.version == 1
    turn = open_turn(run)
    assert turn.seat.entry_id != ana.pk or turn.seat.entry.driver == eva


@pytest.mark.django_db(transaction=True)
def test_of_two_replacements_at_once_one_wins():
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    eva, fin = (make_member(ana.rally.club, name=name) for name in ("Eva", "Fin"))
    outcomes = at_once(lambda: replaced(ana, eva), lambda: replaced(ana, fin))
    assert [type(outcome) for outcome in outcomes if isinstance(outcome, Stale)] == [Stale]
    assert CrewChange.objects.count() == 1


def test_misses_of_the_old_driver_are_not_the_new_ones(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping={"retire_after": 2})
    at("2026-11-20T13:00")
    services.act_on_deadlines(now=now())
    while open_turn(run).seat.entry_id != ana.pk:
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    eva = make_member(ana.rally.club, name="Eva")
    at("2026-11-20T14:00")
    replaced(ana, eva)
    page = selectors.run_page(Run.objects.get(pk=run.pk), eva)
    assert (
        selectors.turns_by_clock(page),
        my_turns.my_turns(eva, now=now(), clock_since=run.opened_at).by_clock,
    ) == ([], [])
    at("2026-11-21T15:00")
    services.act_on_deadlines(now=now())
    assert [turn.done for turn in selectors.misses_of(ana.rally)] == ["driven", "driven"]
    assert len(my_turns.my_turns(eva, now=now(), clock_since=run.opened_at).by_clock) == 1
