"""Writes by programs: through the same services as the pages, safe to repeat, and refused in the same cases."""

from datetime import timedelta

import pytest

from championship.api.models import KeptAnswer
from championship.clubs.models import Role
from championship.platform import clock
from championship.rallies import services as rally_services
from championship.rallies.models import Rally, TimeControlCard
from championship.runs.models import Post, Run, SentAhead
from tests.championship.api.factories import program_of
from tests.championship.rallies.factories import damaged, drive, make_rally, organiser_of, started
from tests.championship.runs.factories import SENT_ORDERS, SHORT, careful_turn, on_the_road, open_turn, play
from tests.contract import tables
from tests.contract.conftest import toys
from tests.factories import make_member, make_user

__all__ = ["toys"]

pytestmark = pytest.mark.django_db


def turn(run, **more):
    """Return a whole turn for the seat that is to play."""
    run.refresh_from_db()
    return {"orders": careful_turn(run), "version": run.version, **more}


def test_a_turn_is_played_and_the_response_is_the_present_run():
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program = program_of(ana.driver, "play")
    answer = program.post(f"runs/{run.key}/turns", turn(run, salt="my own luck"))
    assert answer.status_code == 200, answer.content
    told = answer.json()
    next_one = open_turn(run).seat.name
    assert told["played"] and told["my_turn"] == (next_one == str(ana.start_number))
    assert [each["seat"] for each in told["waiting"]] == [next_one]
    post = Post.objects.get(run=run, by=ana.driver)
    assert post.salt == "my own luck" and told["version"] == post.number
    same = program.get(f"runs/{run.key}").json()
    assert {**told, "played": None} == same


def test_a_post_with_an_older_version_is_refused():
    run, [ana, bo] = on_the_road("Ana", "Bo")
    old = run.version
    play(run, ana, **careful_turn(run))
    answer = program_of(bo.driver, "play").post(f"runs/{run.key}/turns", {**turn(run), "version": old})
    assert answer.status_code == 409 and answer.json()["type"].endswith("/api/problems/stale/")
    assert not Post.objects.filter(run=run, by=bo.driver).exists()


def test_if_match_names_the_run_that_was_read():
    run, [ana, bo] = on_the_road("Ana", "Bo")
    program = program_of(bo.driver, "play")
    tag = program.get(f"runs/{run.key}")["ETag"]
    while open_turn(run).seat.entry == ana:
        play(run, ana, **careful_turn(run))
    answer = program.post(f"runs/{run.key}/turns", turn(run), If_Match=tag)
    assert answer.status_code == 412 and answer.json()["type"].endswith("/api/problems/changed/")
    fresh = program.get(f"runs/{run.key}")["ETag"]
    assert program.post(f"runs/{run.key}/turns", turn(run), If_Match=fresh).status_code == 200


def test_the_same_request_under_the_same_key_is_played_once():
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program, sent = program_of(ana.driver, "play"), turn(run)
    first = program.post(f"runs/{run.key}/turns", sent, Idempotency_Key="one")
    again = program.post(f"runs/{run.key}/turns", sent, Idempotency_Key="one")
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json() and again["Idempotent-Replayed"] == "true"
    assert Post.objects.filter(run=run, by=ana.driver).count() == 1


def test_an_answer_that_was_lost_before_it_was_kept_plays_nothing_twice():
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program, sent = program_of(ana.driver, "play"), turn(run)
    program.post(f"runs/{run.key}/turns", sent, Idempotency_Key="one")
    KeptAnswer.objects.all().delete()
    again = program.post(f"runs/{run.key}/turns", sent, Idempotency_Key="one")
    assert again.status_code == 200 and again.json()["played"] is False
    assert Post.objects.filter(run=run, by=ana.driver).count() == 1


def test_a_refusal_is_kept_like_any_answer():
    run, [ana] = on_the_road("Ana")
    program, sent = program_of(ana.driver, "play"), {"orders": {"do": "nothing"}, "version": run.version}
    answers = [program.post(f"runs/{run.key}/turns", sent, Idempotency_Key="one") for _ in range(2)]
    assert [each.status_code for each in answers] == [422, 422]
    assert answers[1]["Content-Type"] == "application/problem+json" and answers[0].json() == answers[1].json()


def test_a_key_names_one_request():
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program = program_of(ana.driver, "play")
    program.post(f"runs/{run.key}/turns", turn(run), Idempotency_Key="one")
    answer = program.post(f"runs/{run.key}/turns", {"orders": {}, "version": 0}, Idempotency_Key="one")
    assert answer.status_code == 422 and answer.json()["type"].endswith("/api/problems/key-reused/")


def test_a_request_in_flight_is_not_carried_out_beside_itself(at):
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program, sent = program_of(ana.driver, "play"), turn(run)
    program.post(f"runs/{run.key}/turns", sent, Idempotency_Key="one")
    KeptAnswer.objects.update(status=None, body=None)
    answer = program.post(f"runs/{run.key}/turns", sent, Idempotency_Key="one")
    assert answer.status_code == 409 and answer.json()["type"].endswith("/api/problems/in-flight/")
    assert answer["Retry-After"] == "1"
    at(clock.now() + timedelta(minutes=1))
    assert program.post(f"runs/{run.key}/turns", sent, Idempotency_Key="one").json()["played"] is False


def test_a_key_is_kept_for_a_day(at):
    rally = make_rally()
    program = program_of(make_member(rally.club), "play")
    path = f"rallies/{rally.key}/entries/mine"
    assert program.post(path, {"crew": "Ana"}, Idempotency_Key="one").status_code == 201
    assert program.post(path, {"crew": "Ana"}, Idempotency_Key="one").status_code == 201
    at(clock.now() + timedelta(days=1))
    assert program.post(path, {"crew": "Ana"}, Idempotency_Key="one").status_code == 422, "is in already"


@pytest.mark.parametrize("key", ["x" * 101, "a\tb"])
def test_a_key_that_is_none(key):
    run, [ana] = on_the_road("Ana")
    answer = program_of(ana.driver, "play").post(f"runs/{run.key}/turns", turn(run), Idempotency_Key=key)
    assert answer.status_code == 422 and answer.json()["field"] == "Idempotency-Key"


def test_nobody_plays_for_another():
    run, [_ana, bo] = on_the_road("Ana", "Bo")
    for who in (bo.driver, make_user()):
        assert program_of(who, "play").post(f"runs/{run.key}/turns", turn(run)).status_code == 403
    assert not Post.objects.filter(run=run, by__isnull=False).exists()


def test_entering_and_withdrawing():
    rally = make_rally()
    program = program_of(make_member(rally.club, name="Ana"), "play")
    path = f"rallies/{rally.key}/entries/mine"
    made = program.post(path, {"crew": "Ana / Bea"})
    assert made.status_code == 201 and made.json()["status"] == "requested"
    assert program.post(path, {"crew": "Ana / Bea"}).status_code == 422
    assert program.post(path, {"crew": ""}).json()["field"] == "crew"
    assert program.ask("DELETE", path).json()["status"] == "withdrawn"
    assert program_of(make_user(), "play").ask("DELETE", path).status_code == 404
    assert program_of(make_user(), "play").post(path, {"crew": "Spy"}).status_code == 404


def test_an_organiser_runs_a_rally_from_entries_to_the_start():
    rally = make_rally()
    for name in ("Ana", "Bo", "Cem"):
        rally_services.enter_rally(by=make_member(rally.club, name=name), rally=rally, crew=name)
    program = program_of(organiser_of(rally), "organise")
    path = f"rallies/{rally.key}"
    ana, bo, _cem = program.get(f"{path}/entries").json()
    assert program.post(f"{path}/entries/{ana['key']}/confirm", {"start_number": 7}).json()["start_number"] == 7
    taken = program.post(f"{path}/entries/{bo['key']}/confirm", {"start_number": 7})
    assert taken.status_code == 422 and taken.json()["field"] == "start_number"
    assert program.post(f"{path}/entries/{bo['key']}/refuse").json()["status"] == "refused"
    assert program.post(f"{path}/entries/0000000000000000/refuse").status_code == 404
    for act in ("confirm-all", "draw", "start"):
        answer = program.post(f"{path}/acts/{act}")
        assert answer.status_code == 200 and answer.json()["done"] == act, answer.content
    assert Rally.objects.get(pk=rally.pk).status == Rally.Status.RUNNING
    assert Run.objects.filter(special_stage__rally=rally).exists()
    assert program.post(f"{path}/acts/start").status_code == 409
    assert program.post(f"{path}/acts/burn").status_code == 404
    assert program.post(f"{path}/acts/close-time-control").json()["field"] == "stage"


def test_only_organisers_of_the_club_organise():
    rally = make_rally()
    for who, status in ((make_member(rally.club, roles=[Role.STEWARD]), 403), (make_user(), 404)):
        assert program_of(who, "organise").post(f"rallies/{rally.key}/acts/confirm-all").status_code == status


def test_a_penalty():
    rally, [ana, *_] = started()
    sten = make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    program = program_of(sten, "steward")
    key = next(each["key"] for each in program.get(f"rallies/{rally.key}/entries").json() if each["crew"] == ana.crew)
    sent = {"entry": key, "amount": 5, "reason": "Late", "stage": 1}
    assert program.post(f"rallies/{rally.key}/penalties", sent).status_code == 201
    assert ana.penalties.get().given_by == sten
    for wrong in ({**sent, "reason": ""}, {**sent, "amount": 0}, {**sent, "amount": 99_999}):
        assert program.post(f"rallies/{rally.key}/penalties", wrong).status_code == 422
    assert program_of(ana.driver, "steward").post(f"rallies/{rally.key}/penalties", sent).status_code == 403


@pytest.mark.usefixtures("nobody_listens")
def test_a_card_at_time_control():

    rally, [ana, bo, *_] = started("Ana", "Bo")
    worn = damaged(gear=2, spare=False)
    drive(rally, 1, {ana: 100, bo: 101}, cars={ana: worn, bo: worn})
    program = program_of(ana.driver, "play")
    path = f"rallies/{rally.key}/stages/1/card"
    asked = program.post(path, {"decision": {"nonsense": 1}})
    assert asked.status_code == 422 and asked.json()["field"] == "decision"
    assert program.post(path, {"decision": {"penalties": "x"}}).status_code == 422
    answer = program.post(path, {"decision": {}})
    assert answer.status_code == 200, answer.content
    assert TimeControlCard.objects.get(entry=ana).by == ana.driver
    assert program_of(make_user(), "play").post(path, {"decision": {}}).status_code == 404


def test_a_draft_is_kept_read_and_refused_like_on_the_page():
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program, path = program_of(ana.driver, "play"), f"runs/{run.key}/draft"
    assert program.get(path).status_code == 404
    kept = program.ask("PUT", path, {"laid": SHORT, "version": run.version})
    assert kept.status_code == 200 and program.get(path).json() == kept.json()
    assert kept.json()["laid"] == SHORT
    refused = program.ask("PUT", path, {"laid": "9:9.9.r", "version": run.version})
    assert refused.status_code == 422 and refused.json()["detail"]
    assert program.get(path).json()["laid"] == SHORT
    assert program_of(ana.driver).ask("PUT", path, {"laid": SHORT, "version": run.version}).status_code == 403
    assert program_of(make_user(), "play").ask("PUT", path, {"laid": "", "version": 0}).status_code == 403


def test_orders_are_sent_ahead_and_taken_back():
    run, [_ana, bo] = on_the_road("Ana", "Bo")
    program, path = program_of(bo.driver, "bot"), f"runs/{run.key}/ahead"
    assert program.get(path).status_code == 404
    sent = {"laid": SHORT, "orders": SENT_ORDERS, "version": run.version, "salt": "5a5a"}
    ahead = [program.post(path, sent, Idempotency_Key="once") for _twice in range(2)]
    assert [answer.status_code for answer in ahead] == [201, 201] and SentAhead.objects.get().salt == "5a5a"
    assert program.get(path).json()["state"] == ahead[0].json()["state"] == "waiting"
    taken = program.ask("DELETE", path)
    assert taken.status_code == 200 and taken.json()["state"] == "withdrawn"
    assert program.ask("DELETE", path).status_code == 409
    assert program.get(f"runs/{run.key}/draft").json()["laid"] == SHORT


def test_a_game_that_takes_no_drafts_has_no_such_address(toys):
    run, [ana, _bo, _cem] = tables.on_the_road("hush", "Ana", "Bo", "Cem")
    program = program_of(ana.driver, "play")
    assert program.ask("PUT", f"runs/{run.key}/draft", {"laid": "", "version": 0}).status_code == 404
    sent = {"laid": "", "version": 0}
    assert program.post(f"runs/{run.key}/ahead", sent).status_code == 404
