"""A database that was restored to an earlier state: no turn is taken before after_restore, and rolls after that are
drawn again.
"""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.audit.models import Record
from championship.deadlines.tasks import act, sweep
from championship.lineage import services as lineage
from championship.lineage.models import Lineage
from championship.notices.models import Notice
from championship.platform import clock, embedded
from championship.platform.refusals import TurnsSuspended
from championship.rallies.models import Rally
from championship.runs.models import Post, Run, Seal
from championship.runs.play import accept_without_loss, play_turn
from championship.runs.tasks import drive_codrivers
from engine import chance, registry
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import desk_of, drive_whole_turn, fresh_key, on_the_road, open_turn, send
from tests.factories import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at", "own_folder")]

ELSEWHERE = "7300000000000000000/00000001/16384/16385"
"""The identity of a database on another server."""


@pytest.fixture
def own_folder(folder, monkeypatch):
    """The file with the number of the highest post is in a separate folder for the test."""
    monkeypatch.setattr(embedded, "VAR_DIR", folder)
    yield folder
    lineage.checked[connections[DEFAULT_DB_ALIAS]] = lineage.ConnectionCheck()


@pytest.fixture
def known():
    """A run on the road in a database that the service knows."""
    run, entries = on_the_road("Ana", "Bo", stages=("1/3", "1/2"))
    lineage.remember(now=clock.now())
    return run, entries


def set_back() -> None:
    """Change the rows as a restore would: they name another server, and every connection is new."""
    Lineage.objects.update(identity=ELSEWHERE)
    lineage.checked[connections[DEFAULT_DB_ALIAS]] = lineage.ConnectionCheck(was_set_back=True)


def autopilot(run: Run) -> dict:
    rules = registry.get(run.game)
    return rules.autopilot(run.state, rules.to_play(run.state)[0])


def play(run: Run, entry, *, salt: str = "") -> Run:
    run.refresh_from_db()
    return play_turn(
        by=entry.driver, run=run, orders=autopilot(run), version=run.version, key=fresh_key(), salt=salt
    ).run


def test_a_known_database_takes_turns_and_is_not_asked_again(known, django_assert_num_queries):
    run, (ana, _bo) = known
    assert Lineage.objects.get().identity == lineage.check_database().identity
    with django_assert_num_queries(0):
        assert not lineage.was_set_back()
    version = run.version
    assert play(run, ana).version == version + 1


def test_a_new_database_is_known_from_the_first_look():
    assert not lineage.check_database().set_back
    lineage.remember(now=clock.now())
    assert not lineage.check_database().set_back


@pytest.mark.parametrize("part", range(4))
def test_another_server_timeline_database_or_table_is_noticed(known, part):
    parts = lineage.check_database().identity.split("/")
    parts[part] = "1" + parts[part][1:] if parts[part][0] != "1" else "2" + parts[part][1:]
    Lineage.objects.update(identity="/".join(parts))
    assert lineage.check_database().set_back


def test_a_disk_that_was_set_back_as_a_whole_is_noticed_by_the_highest_post(known, own_folder):
    run, (ana, _bo) = known
    play(run, ana)
    lineage.remember(now=clock.now())
    (own_folder / "highest-post").write_text(f"{lineage.check_database().identity} {Post.objects.latest('pk').pk + 1}")
    assert lineage.check_database().set_back
    lineage.remember(now=clock.now())
    assert lineage.check_database().set_back, "a sweep does not cover it up"


def test_a_post_of_another_process_during_the_check_does_not_make_the_database_look_set_back(known, own_folder):
    run, (ana, _bo) = known
    play(run, ana)
    lineage.remember(now=clock.now())
    found = lineage.check_database()

    def another_posts(execute, sql, *others):
        """Store what a process stores that commits a post right after this statement has read the highest one."""
        result = execute(sql, *others)
        if "max(id)" in sql:
            (own_folder / "highest-post").write_text(f"{found.identity} {found.highest + 1} {found.known_since}")
        return result

    with connection.execute_wrapper(another_posts):
        assert not lineage.check_database().set_back
    assert lineage.check_database().set_back, "a check that begins later misses that post"


@pytest.mark.parametrize("noted", ["", "rubbish", "7/7/7/7 99999999", "\x00"])
def test_a_file_of_another_database_or_of_nonsense_says_nothing(known, own_folder, noted):
    (own_folder / "highest-post").write_text(noted)
    assert not lineage.check_database().set_back


def test_a_refused_driver_keeps_the_typed_orders_and_nothing_changes(known):
    run, (ana, _bo) = known
    before = Post.objects.count()
    client = desk_of(ana)
    fields = autopilot(run)
    set_back()
    answer = send(client, run, **fields)
    assert answer.status_code == 409
    assert "restored from a backup" in answer.content.decode()
    assert Post.objects.count() == before
    with pytest.raises(TurnsSuspended):
        play(run, ana)


def test_the_clock_drives_nobody_and_its_sweep_grows_old(known, at):
    run, _entries = known
    sweep.delay()
    turn = open_turn(run)
    set_back()
    at(turn.deadline)
    sweep.delay()
    act.delay("turns", [turn.pk])
    drive_codrivers.delay(run.pk)
    assert open_turn(run).pk == turn.pk
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert "after_restore" in answer.json()["problems"]["database"]
    assert "parc_ferme_set_back 1" in Client().get("/metrics").content.decode()


def test_after_restore_pauses_reseals_and_notifies_then_turns_are_taken(known):
    run, (ana, bo) = known
    before = {seal.special_stage.number: seal.commitment for seal in Seal.objects.select_related("special_stage")}
    Notice.objects.all().delete()
    set_back()
    out = StringIO()
    call_command("after_restore", stdout=out)
    assert "notified: 1" in out.getvalue() and "1 open runs, 1 future stages" in out.getvalue()
    run.refresh_from_db()
    rally = run.special_stage.rally
    rally.refresh_from_db()
    assert rally.paused_at is not None
    after = {seal.special_stage.number: seal for seal in Seal.objects.select_related("special_stage")}
    assert after[1].commitment == before[1], "the record of a run on the road keeps its seal"
    assert after[2].commitment != before[2]
    assert after[2].commitment == chance.commitment(bytes(after[2].secret))
    told = Notice.objects.filter(kind="rally restored", channel="mail")
    assert {notice.recipient for notice in told} == {ana.driver, bo.driver}
    promise = chance.commitment(run.second_seal.encode())
    assert {notice.context["promise"] for notice in told} == {promise}
    assert Record.objects.get(action="rally restored").details["promise"] == promise
    assert Record.objects.get(action="stage sealed anew").details["before"] == before[2]
    version = run.version
    assert play(run, ana).version == version + 1
    assert not lineage.check_database().set_back


def test_the_letter_names_the_lost_turns_and_the_new_commitment(known):
    from championship.notices.mail_content import write_letter

    run, (ana, _bo) = known
    play(run, ana)
    set_back()
    call_command("after_restore", stdout=StringIO())
    run.refresh_from_db()
    letter = write_letter([Notice.objects.get(kind="rally restored", channel="mail", recipient=ana.driver)])
    assert "turns were lost" in letter.subject
    assert chance.commitment(run.second_seal.encode()) in letter.body
    assert "No time counts until your organisers resume it." in letter.body


def test_the_same_orders_with_the_same_salt_draw_something_else(known):
    """A driver who has seen the result sends the same orders again, with the same salt."""
    run, (_ana, _bo) = known
    first = run.second_seal
    draws = []
    for _time in range(3):
        set_back()
        call_command("after_restore", stdout=StringIO())
        run.refresh_from_db()
        moved = chance.SealChance(bytes(run.secret), phrases=run.phrases_sha256, salt=f"{run.second_seal}.mine")
        draws.append([moved.number("a die", 1000) for _draw in range(4)])
    assert first == ""
    assert len({tuple(each) for each in draws}) == 3


def test_the_record_of_a_resealed_run_verifies(known):
    from championship.runs.watch import proof

    run, entries = known
    drive_whole_turn(desk_of(entries[0]), run)
    set_back()
    call_command("after_restore", stdout=StringIO())
    own = "x" * 64
    play(run, next(e for e in entries if str(e.start_number) == registry.get(run.game).to_play(run.state)[0]), salt=own)
    run.refresh_from_db()
    last = Post.objects.filter(run=run).latest("number")
    assert last.salt == f"{run.second_seal}.{'x' * 41}"
    rules = registry.get(run.game)
    while rules.to_play(run.state):
        seat = rules.to_play(run.state)[0]
        run = play(run, next(entry for entry in entries if str(entry.start_number) == seat), salt="mine")
    run.refresh_from_db()
    document = json.loads(json.dumps(proof.record_of(run)))
    from engine import record

    assert record.verify(document, promised=Seal.objects.get(special_stage=run.special_stage).commitment) is None
    assert any(turn["salt"] == f"{run.second_seal}.mine" for turn in document["turns"])


def test_a_post_from_before_the_restore_that_is_left_plays_once_still(known):
    run, (ana, _bo) = known
    sent = {"by": ana.driver, "orders": autopilot(run), "version": run.version, "key": "a key", "salt": "mine"}
    assert play_turn(run=run, **sent).played
    set_back()
    call_command("after_restore", stdout=StringIO())
    assert not play_turn(run=run, **sent).played


def test_nothing_was_lost_pauses_nothing(known):
    run, _entries = known
    set_back()
    call_command("after_restore", "--nothing-was-lost", stdout=StringIO())
    run.refresh_from_db()
    assert run.second_seal == ""
    assert run.special_stage.rally.paused_at is None
    assert not lineage.was_set_back()


def test_accepting_a_database_without_a_loss_is_logged_and_announced_with_the_last_post(known):
    """An operator who drives could restore a backup, declare that nothing was lost, and repeat a turn."""
    from championship.notices.mail_content import write_letter

    run, (ana, bo) = known
    play(run, ana)
    last = Post.objects.latest("pk").at
    set_back()
    call_command("after_restore", "--nothing-was-lost", stdout=StringIO())
    rally = run.special_stage.rally
    row = Record.objects.get(action="database accepted")
    assert (row.club_id, row.subject_id, row.actor) == (rally.club_id, str(rally.pk), None)
    assert row.details == {"rally": rally.name, "last_post": last.isoformat()}
    told = Notice.objects.filter(kind="database accepted", channel="mail")
    assert {notice.recipient for notice in told} == {ana.driver, bo.driver}
    assert {notice.context["last_post_at"] for notice in told} == {last}
    ana.driver.language = "en"
    ana.driver.save()
    mail = write_letter([told.get(recipient=ana.driver)])
    assert "no turn was lost" in mail.body and "write to your organisers" in mail.body
    page = signed_in(organiser_of(rally)).get(f"/clubs/{rally.club.slug}/log/").text
    assert "accepted another database without a loss" in page


def test_accepting_a_database_needs_no_more_queries_for_more_entrants():
    def queries(*names: str) -> int:
        run, _entries = on_the_road(*names)
        lineage.remember(now=clock.now())
        set_back()
        Rally.objects.exclude(pk=run.special_stage.rally_id).update(status="finished", finished_at=clock.now())
        with CaptureQueriesContext(connection) as found:
            accept_without_loss(now=clock.now())
        return len(found)

    assert queries("Ana", "Bo") == queries("Cem", "Dag", "Eva", "Fay")


def test_the_letter_names_the_last_turn_between_two_stages_too(known):
    """No run is under way at that moment, and still no turn is lost."""
    run, (ana, _bo) = known
    play(run, ana)
    last = Post.objects.latest("pk").at
    Run.objects.filter(pk=run.pk).update(status=Run.Status.FINISHED, finished_at=clock.now())
    set_back()
    call_command("after_restore", stdout=StringIO())
    assert Record.objects.get(action="rally restored").details["last_post"] == last.isoformat()


def test_a_known_database_is_not_changed_without_the_option(known):
    with pytest.raises(CommandError, match="--anyway"):
        call_command("after_restore", stdout=StringIO())
    call_command("after_restore", "--anyway", stdout=StringIO())
    run, _entries = known
    run.refresh_from_db()
    assert run.second_seal


def test_organisers_resume_the_rally(known):
    from championship.rallies.services import resume_rally

    run, (_ana, _bo) = known
    set_back()
    call_command("after_restore", stdout=StringIO())
    rally = run.special_stage.rally
    resume_rally(by=organiser_of(rally), rally=rally)
    rally.refresh_from_db()
    assert rally.paused_at is None
