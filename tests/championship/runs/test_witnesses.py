"""Witnesses of the promise about random draws: letters, webhooks, the feed and the log contain it as it was made, so a
seal that an operator replaces later is noticed.
"""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.api.atom_feed import key_of
from championship.audit.models import Record
from championship.clubs.models import Club
from championship.notices.mail_content import write_letter
from championship.notices.models import Notice, Webhook
from championship.notices.services.webhook_transport import WebhookTransport
from championship.platform import clock
from championship.rallies import services as rally_services
from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Run, Seal, new_secret
from championship.runs.play import after_restore, begin_practice
from championship.runs.watch.logged_promises import NO_WITNESS, witness_of
from championship.runs.watch.proof import proof_of
from engine import chance, record
from tests.championship.rallies.factories import enter, make_rally, organiser_of, stage_of
from tests.championship.runs.proofs import brought_home, downloaded, runs_of, salted_turn, short_rally
from tests.factories import make_member, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at", "own_folder")]


@pytest.fixture
def own_folder(folder, monkeypatch):
    """The file with the number of the highest post is in a separate folder for the test."""
    monkeypatch.setattr("championship.platform.embedded.VAR_DIR", folder)


def promise(rally: Rally, number: int) -> str:
    return Seal.objects.get(special_stage__rally=rally, special_stage__number=number).commitment


def replace_seal(rally: Rally, number: int) -> None:
    """Do what a person with access to the database can do: replace a seal together with its promise."""
    secret = new_secret()
    seals = Seal.objects.filter(special_stage__rally=rally, special_stage__number=number)
    assert seals.update(secret=secret, commitment=chance.commitment(secret)) == 1


def letter(kind: str, reader: object) -> tuple[str, str]:
    """The plain and the HTML part of the letter with the notice of that kind."""
    mail = write_letter([Notice.objects.get(kind=kind, recipient=reader, channel="mail")])
    return str(mail.body), str(mail.alternatives[0][0])


def posted(kind: str) -> dict[str, object]:
    """The body of the post to a webhook about a notice of that kind."""
    notice = Notice.objects.get(kind=kind, channel="webhook")
    body: dict[str, object] = json.loads(WebhookTransport().pack([notice]).body)
    return body


def feed_of(rally: Rally) -> str:
    return Client().get(f"/feeds/{key_of(rally.club)}.atom").text


# Where a promise goes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "de", "pl"])
def test_the_letter_about_a_confirmed_entry_contains_the_promises_of_all_stages(language: str) -> None:
    rally = make_rally(stages=("1/1", "1/2"))
    (entry,) = enter(rally, "Ana")
    entry.driver.language = language
    entry.driver.save()
    for part in letter("entry confirmed", entry.driver):
        assert promise(rally, 1) in part and promise(rally, 2) in part
        assert f"/rallies/{rally.key}/stages/1/chance/" in part


def test_a_driver_on_the_waiting_list_gets_no_promise_yet() -> None:
    rally = make_rally()
    ana, bo = (entry.driver for entry in enter(rally, "Ana", "Bo"))
    context = Notice.objects.get(kind="entry confirmed", recipient=ana, channel="mail").context
    assert len(context["promises"]) == 3
    rally_services.refuse_entry(by=organiser_of(rally), entry=rally.entries.get(driver=bo))
    assert Notice.objects.get(kind="entry refused", recipient=bo, channel="mail").context["promises"] == []


def test_letters_at_the_start_contain_promise_and_phrases_and_so_do_those_of_later_stages() -> None:
    rally = make_rally(stages=("1/3", "1/3"))
    ana, _bo = (entry.driver for entry in enter(rally, "Ana", "Bo"))
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    seal = Seal.objects.get(special_stage=stage_of(rally, 1))
    for part in letter("rally started", ana):
        assert seal.commitment in part and seal.phrases_sha256 in part
    assert not Notice.objects.filter(kind="stage opened").exists(), "the letter about the start has it"
    drive_first_stage(rally)
    second = Seal.objects.get(special_stage=stage_of(rally, 2))
    assert second.phrases is not None
    for part in letter("stage opened", ana):
        assert second.commitment in part and second.phrases_sha256 in part


def drive_first_stage(rally: Rally) -> None:
    """Make every turn of a rally's first stage, with a salt, and close the time control after it, if there is one."""
    for run in runs_of(rally):
        while run.status == Run.Status.RUNNING:
            salted_turn(run, "6b" * 16)
    stage = stage_of(rally, 1)
    if stage.status == SpecialStage.Status.TIME_CONTROL:
        rally_services.close_time_control(by=organiser_of(rally), special_stage=stage)


def test_webhooks_get_the_promises_as_text_and_as_a_field() -> None:
    rally = make_rally(stages=("1/3", "1/3"))
    Webhook.objects.create(club=rally.club, url="https://club.example/hook", shape="json", language="en")
    enter(rally, "Ana")
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    body = posted("club: rally started")
    seal = Seal.objects.get(special_stage=stage_of(rally, 1))
    page = f"http://localhost:8000/rallies/{rally.key}/stages/1/chance/"
    assert isinstance(body["promises"], list)
    assert body["promises"][0] == {
        "stage": 1,
        "promise": seal.commitment,
        "phrases": seal.phrases_sha256,
        "page": page,
    }
    assert seal.commitment in str(body["text"]) and promise(rally, 2) in str(body["text"])
    drive_first_stage(rally)
    assert promise(rally, 2) in str(posted("club: stage opened")["text"])


def test_a_notice_without_a_promise_has_no_such_field() -> None:
    rally = make_rally(stages=("1/3",))
    Webhook.objects.create(club=rally.club, url="https://club.example/hook", shape="json", language="en")
    enter(rally, "Ana")
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    drive_first_stage(rally)
    assert "promises" not in posted("club: rally over")


def test_log_and_feed_name_the_promise_from_the_day_of_the_rally_on() -> None:
    rally = make_rally(stages=("1/1", "1/2"))
    row = Record.objects.get(action="stages sealed", subject_id=str(rally.pk))
    assert row.details["promises"] == {"1": promise(rally, 1), "2": promise(rally, 2)}
    assert promise(rally, 1) in feed_of(rally) and promise(rally, 2) in feed_of(rally)
    enter(rally, "Ana")
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    opened = Record.objects.get(action="stage opened").details
    seal = Seal.objects.get(special_stage=stage_of(rally, 1))
    assert (opened["seal_sha256"], opened["phrases_sha256"]) == (seal.commitment, seal.phrases_sha256)
    assert seal.phrases_sha256 in feed_of(rally)


@pytest.mark.parametrize("act", ["confirm", "start", "take over"])
def test_more_drivers_need_no_more_queries(act: str) -> None:
    def queries(cars: int) -> int:
        rally = make_rally(stages=("1/3",), timekeeping={"pace": "closing", "stage_hours": 48})
        olga, names = organiser_of(rally), [f"Driver {number}" for number in range(cars)]
        if act == "confirm":
            for name in names:
                rally_services.enter_rally(by=make_member(rally.club, name=name), rally=rally, crew=name)
        else:
            enter(rally, *names)
        with CaptureQueriesContext(connection) as found:
            if act == "confirm":
                rally_services.confirm_all(by=olga, rally=rally)
            else:
                rally_services.start_rally(by=olga, rally=rally)
        return sum("runs_seal" in each["sql"] or "notices_notice" in each["sql"] for each in found)

    assert 0 < queries(2) == queries(5)


def test_practice_is_not_logged() -> None:
    begin_practice(by=make_user("Ana"), game="dirt")
    assert not Record.objects.exists()


# A replaced seal ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", ["before the start", "under way"])
def test_a_seal_that_was_replaced_is_noticed_by_letter_log_feed_and_page(moment: str) -> None:
    """An operator replaces seal and promise together. The record is consistent in itself."""
    rally = make_rally(stages=("1/3",), mode="open road")
    (entry,) = enter(rally, "Ana")
    noted = promise(rally, 1)
    if moment == "before the start":
        rally_services.draw_start_list(by=organiser_of(rally), rally=rally)
        replace_seal(rally, 1)
    visible(rally)
    page = Client().get(f"/rallies/{rally.key}/stages/1/chance/").text
    assert ("The seal or the phrases were replaced" in page) == (moment == "before the start")
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    if moment == "under way":
        replace_seal(rally, 1)
        follow_seal(rally)
    (run,) = runs_of(rally)
    run = brought_home(run)
    now = promise(rally, 1)
    assert now != noted
    assert noted in letter("entry confirmed", entry.driver)[0]
    assert now not in letter("entry confirmed", entry.driver)[0]
    assert noted in feed_of(rally)
    document = downloaded(run)
    assert record.verify(document) is None, "the record agrees with itself"
    assert "not the one given" in str(record.verify(document, promised=noted))
    told = proof_of(run)
    assert (told.promised, told.logged) == (now, noted)
    assert "not the one given" in told.wrong
    page = Client().get(f"/runs/{run.key}/proof/").text
    assert "The seal or the phrases were replaced" in page and noted in page
    assert "The record is not valid" in page


def test_an_honest_rally_has_no_such_warning() -> None:
    run = brought_home(runs_of(short_rally("Ana", mode="open road"))[0])
    told = proof_of(run)
    assert (told.logged, told.wrong, told.witness.differs) == (told.promised, "", False)
    page = Client().get(f"/runs/{run.key}/proof/").text
    assert "The seal or the phrases were replaced" not in page and "when it opened" in page


def test_phrases_that_were_replaced_are_noticed_as_well() -> None:
    run = brought_home(runs_of(short_rally("Ana", mode="open road"))[0])
    seal = Seal.objects.get(special_stage=run.special_stage_id)
    seal.phrases = ["mine"]
    seal.save()
    assert proof_of(run).witness.differs


def test_a_stage_from_before_the_log_named_promises_has_no_warning() -> None:
    """Its rows were never written. The page says that the log names no fingerprint."""
    rally = make_rally(stages=("1/3",))
    first = stage_of(rally, 1)
    stage = SpecialStage.objects.create(rally=rally, number=2, design=first.design, spec=first.spec)
    secret = new_secret()
    seal = Seal.objects.create(special_stage=stage, secret=secret, commitment=chance.commitment(secret))
    assert witness_of(stage, seal) == NO_WITNESS
    visible(rally)
    assert "The log names no fingerprint" in Client().get(f"/rallies/{rally.key}/stages/2/chance/").text


# Seals made again after a restore -----------------------------------------------------------------------


def test_after_a_restore_all_witnesses_get_the_new_promise() -> None:
    rally = make_rally(stages=("1/3", "1/2"))
    (entry,) = enter(rally, "Ana")
    under_way = make_rally(stages=("1/3", "1/2"), name="Under way")
    (other,) = enter(under_way, "Bo")
    rally_services.start_rally(by=organiser_of(under_way), rally=under_way)
    before = promise(rally, 1)
    after_restore(now=clock.now())
    now = promise(rally, 1)
    assert now != before
    for part in letter("draws sealed again", entry.driver):
        assert now in part and before not in part
    for part in letter("rally restored", other.driver):
        assert promise(under_way, 2) in part
        assert promise(under_way, 1) not in part, "a stage under way keeps its seal"
    assert not Notice.objects.filter(kind="draws sealed again", recipient=other.driver).exists()
    assert now in feed_of(rally)
    stage = stage_of(rally, 1)
    told = witness_of(stage, Seal.objects.get(special_stage=stage))
    assert (told.promise, told.differs) == (now, False)
    assert [row.promise for row in told.rows] == [before, now]
    replace_seal(rally, 1)
    assert witness_of(stage, Seal.objects.get(special_stage=stage)).differs


def test_a_seal_replaced_before_a_restore_is_still_noticed_after_it() -> None:
    rally = make_rally(stages=("1/3",))
    replace_seal(rally, 1)
    after_restore(now=clock.now())
    stage = stage_of(rally, 1)
    assert witness_of(stage, Seal.objects.get(special_stage=stage)).differs


def visible(rally: Rally) -> None:
    """Let everybody see the club of the rally."""
    Club.objects.filter(pk=rally.club_id).update(visibility="public")


def follow_seal(rally: Rally) -> None:
    """Let the runs draw from the replaced seal, so that everything agrees with it."""
    seal = Seal.objects.get(special_stage__rally=rally, special_stage__number=1)
    for run in runs_of(rally):
        secret = chance.secret_of_run(bytes(seal.secret), run.number)
        run.secret, run.commitment = secret, chance.commitment(secret)
        run.save(update_fields=["secret", "commitment"])
