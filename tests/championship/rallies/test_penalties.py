"""Seconds of officials: given once, withdrawn with a reason, with notices, and on separate lines of the sheet."""

import threading
from html import unescape

import pytest
from django.db import IntegrityError, connection, connections, transaction

from championship.audit.models import Record
from championship.clubs.models import Role
from championship.notices.models import Notice
from championship.papers.csv_export import results_grid
from championship.papers.grids import csv_text
from championship.platform.refusals import Refused, Stale
from championship.rallies import services
from championship.rallies.entries.officials import acts_of
from championship.rallies.models import Penalty, PenaltyWithdrawal
from championship.rallies.results.selectors import results_of
from championship.rallies.results.sheet import sheets_of
from championship.stewards import services as stewards
from tests import worlds
from tests.championship.rallies.factories import drive, hand_in, organiser_of, stage_of, started
from tests.factories import make_member, signed_in

pytestmark = pytest.mark.django_db


def one_stage():
    """One stage is over: Ana before Bo. Olga organises; Sten is a steward."""
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3",))
    drive(rally, 1, {ana: 200, bo: 210})
    rally.refresh_from_db()
    return rally, ana, bo, organiser_of(rally), make_member(rally.club, name="Sten", roles=[Role.STEWARD])


@pytest.fixture
def scene():
    return worlds.scene(one_stage)


def order(rally) -> list[tuple[str, int | None]]:
    return [(line.entry.crew, line.total) for line in results_of(rally).overall]


@pytest.mark.parametrize("seconds", [15, -15])
def test_withdrawing_seconds_changes_results_and_the_driver_is_notified_of_both_acts(scene, seconds):
    rally, ana, _bo, olga, sten = scene
    before = order(rally)
    penalty = services.give_penalty(by=olga, entry=ana, amount=seconds, reason="Jump start")
    assert order(rally) != before

    withdrawal = services.withdraw_penalty(by=sten, penalty=penalty, reason="The clock was wrong")

    assert order(rally) == before
    assert (withdrawal.by, withdrawal.penalty) == (sten, penalty)
    assert [record.details["reason"] for record in Record.objects.filter(action="penalty withdrawn")] == [
        "The clock was wrong"
    ]
    told = Notice.objects.filter(recipient=ana.driver, channel="mail", kind__startswith="penalty")
    assert {each.kind: each.context["reason"] for each in told} == {
        "penalty given": "Jump start",
        "penalty withdrawn": "The clock was wrong",
    }


def test_the_same_press_again_changes_nothing_and_another_official_gets_a_refusal(scene, at):
    _rally, ana, _bo, olga, sten = scene
    penalty = services.give_penalty(by=olga, entry=ana, amount=15, reason="Late")
    assert services.give_penalty(by=olga, entry=ana, amount=15, reason="Late") == penalty
    first = services.withdraw_penalty(by=olga, penalty=penalty, reason="It was not")
    assert services.withdraw_penalty(by=olga, penalty=penalty, reason="It was not") == first
    for by, reason in ((sten, "It was not"), (olga, "For another reason")):
        with pytest.raises(Stale):
            services.withdraw_penalty(by=by, penalty=penalty, reason=reason)
    again = services.give_penalty(by=olga, entry=ana, amount=15, reason="Late")
    assert again != penalty, "what was withdrawn can be given again"
    at("2026-11-19T12:02")
    assert services.give_penalty(by=olga, entry=ana, amount=15, reason="Late") != again, "later it is another one"


def test_an_official_is_first_shown_what_another_official_has_given(scene):
    rally, ana, bo, olga, sten = scene
    services.give_penalty(by=olga, entry=ana, amount=15, reason="Jump start")
    services.give_penalty(by=sten, entry=bo, amount=5, reason="Late", seen=0)
    with pytest.raises(Stale):
        services.give_penalty(by=sten, entry=ana, amount=10, reason="Started early", seen=0)
    page = signed_in(sten).post(
        f"/rallies/{rally.key}/desk/penalty/",
        {"entry": ana.pk, "amount": "10", "reason": "Started early", "seen": "0"},
    )
    shown = page.content.decode()
    assert page.status_code == 409 and "Started early" in shown and "Jump start" in shown
    seen = max(Penalty.objects.values_list("pk", flat=True))
    assert f'name="seen" value="{seen}"' in shown, "pressed again, it is given"


def test_only_stewards_undo_what_stewards_decided(scene):
    rally, ana, _bo, olga, sten = scene
    decision = stewards.decide(by=sten, rally=rally, kind="penalty", text="So be it.", entry=ana, amount=30)
    with pytest.raises(Refused) as refusal:
        services.withdraw_penalty(by=olga, penalty=decision.penalty, reason="No")
    assert "decision 1" in str(refusal.value)
    page = signed_in(olga).get(f"/rallies/{rally.key}/desk/penalty/").content.decode()
    assert "Decision 1 of the stewards" in page and "/withdraw/" not in page


def test_seconds_of_the_clock_are_withdrawn_too_and_not_given_again(scene):
    rally, ana, _bo, olga, _sten = scene
    penalty = services.penalise_miss(special_stage=stage_of(rally, 1), entry=ana, amount=40, turn=3)
    services.withdraw_penalty(by=olga, penalty=penalty, reason="The site was down")
    assert services.penalise_miss(special_stage=stage_of(rally, 1), entry=ana, amount=40, turn=3) == penalty
    assert order(rally)[0] == ("Ana", 200)


@pytest.mark.parametrize("reason", ["", " ", "x" * 201, "two\nlines"])
def test_a_withdrawal_has_a_reason_of_one_line(scene, reason):
    rally, ana, _bo, olga, _sten = scene
    penalty = services.give_penalty(by=olga, entry=ana, amount=15, reason="Late")
    with pytest.raises(Refused) as refusal:
        services.withdraw_penalty(by=olga, penalty=penalty, reason=reason)
    assert refusal.value.field == "reason"
    assert not PenaltyWithdrawal.objects.exists() and order(rally)[-1] == ("Ana", 215)


@pytest.mark.parametrize(
    "statement", ["UPDATE rallies_penaltywithdrawal SET reason = 'x'", "DELETE FROM rallies_penaltywithdrawal"]
)
def test_the_database_keeps_withdrawals_as_they_are(scene, statement):
    _rally, ana, _bo, olga, _sten = scene
    penalty = services.give_penalty(by=olga, entry=ana, amount=15, reason="Late")
    services.withdraw_penalty(by=olga, penalty=penalty, reason="It was not")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_a_withdrawal_by_form_strikes_the_penalty_through_everywhere_with_the_reason(scene, client):
    rally, ana, _bo, olga, _sten = scene
    penalty = services.give_penalty(by=olga, entry=ana, amount=15, reason="Jump start")
    desk, address = signed_in(olga), f"/rallies/{rally.key}/desk/penalty/{penalty.pk}/withdraw/"
    assert address in desk.get(f"/rallies/{rally.key}/desk/penalty/").content.decode()
    assert "Jump start" in desk.get(address).content.decode()
    assert desk.post(address, {"reason": ""}).status_code == 422
    assert desk.post(address, {"reason": "Wrong <i>clock</i>"}).status_code == 302
    stale = desk.post(address, {"reason": "Once more"})
    assert stale.status_code == 409 and "withdrawn already" in stale.content.decode()
    for page in ("sheet/", "stages/1/overall/"):
        shown = client.get(f"/rallies/{rally.key}/{page}").content.decode()
        assert "<del>Penalty +0:15</del>" in shown and "Wrong &lt;i&gt;clock&lt;/i&gt;" in shown, page
    assert "withdrawn: Wrong" in csv_text(results_grid(results_of(rally), acts_of(results_of(rally))))
    for person, status in ((ana.driver, 403), (make_member(started("X", "Y")[0].club), 404)):
        assert signed_in(person).get(address).status_code == status
    assert desk.get(f"/rallies/{started('V', 'W')[0].key}/desk/penalty/{penalty.pk}/withdraw/").status_code == 404


def test_o30_officials_have_separate_lines_on_the_sheet_and_its_rows_add_up():
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/1", "1/3"), options={"checkpoints": True})
    olga = organiser_of(rally)
    drive(rally, 1, {ana: 200, bo: 210})
    hand_in(rally, 1, ana, penalties=1)
    hand_in(rally, 1, bo)
    plain = [row.kind for row in sheets_of(results_of(rally))[0].rows]
    assert "officials" not in plain
    services.give_penalty(by=olga, entry=ana, amount=20, reason="Jump start", special_stage=stage_of(rally, 1))
    services.give_penalty(by=olga, entry=bo, amount=-5, reason="Helped")

    rows = sheets_of(results_of(rally))[0].rows

    lines = [(row.kind, row.label, [cell.amount for cell in row.cells]) for row in rows]
    time = next(row for row in rows if row.kind == "time")
    assert lines[0] == ("officials", "Officials, rally", [None, -5])
    assert lines[2] == ("officials", "Officials", [20, None])
    assert [cell.amount - cell.added for cell in time.cells] == [200, 210], "the time driven, with time control"
    running = next(row for row in rows if row.kind == "running")
    for column in range(2):
        told = sum(row.cells[column].amount or 0 for row in rows[: rows.index(running)] if row.kind != "counts")
        assert told == running.cells[column].amount
    page = unescape(signed_in(olga).get(f"/rallies/{rally.key}/sheet/").content.decode())
    assert "Officials, rally" in page and "+0:20" in page and "−0:05" in page
    assert signed_in(olga).get(f"/rallies/{rally.key}/sheet.pdf").content.startswith(b"%PDF")


@pytest.mark.django_db(transaction=True)
def test_of_two_officials_who_withdraw_at_once_one_is_refused():
    rally, (ana, _bo) = started("Ana", "Bo", stages=("1/3",))
    penalty = services.give_penalty(by=organiser_of(rally), entry=ana, amount=15, reason="Late")
    officials = [organiser_of(rally), make_member(rally.club, roles=[Role.STEWARD])]
    together, refusals = threading.Barrier(2, timeout=60), []

    def withdraw(official) -> None:
        try:
            together.wait()
            services.withdraw_penalty(by=official, penalty=penalty, reason="It was not")
        except (Refused, Stale) as refusal:
            refusals.append(refusal)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=withdraw, args=(official,)) for official in officials]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [refusal.status for refusal in refusals] == [409]
    assert PenaltyWithdrawal.objects.count() == 1
    assert Notice.objects.filter(kind="penalty withdrawn", channel="mail").count() == 1
