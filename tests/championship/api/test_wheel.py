"""The wheel of the person's own car by the API: who has it, handing it over and taking it back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from championship.api.services import become_bot
from championship.audit.models import Record
from championship.clubs.models import Club
from championship.platform import clock
from championship.rallies import services as rallies
from championship.rallies.models import CrewChange, Entry
from championship.runs.models import Run, Seat
from championship.runs.play import act_on_deadlines, drive_codrivers
from tests.championship.api.factories import Program, program_of
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.factories import make_club, make_member, make_user

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def path_of(entry: Entry) -> str:
    return f"rallies/{entry.rally.key}/entries/mine/wheel"


def wheel_of(program: Program, entry: Entry) -> dict[str, Any]:
    answer = program.get(path_of(entry))
    assert answer.status_code == 200, answer.content
    told: dict[str, Any] = answer.json()
    return told


def codriven(run: Run) -> None:
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()


def test_the_wheel_tells_what_a_hand_over_needs() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    told = wheel_of(program_of(ana.driver), ana)
    assert told["entry"]["crew"] == ana.crew and told["manners"][0] == "cautious"
    told = {name: value for name, value in told.items() if name not in ("entry", "manners")}
    nothing = {"codriver": False, "how_long": None, "take_back_until": None}
    assert told == {**nothing, "run": run.key, "my_turn": True, "turns_made": 0}
    play(run, ana, **careful_turn(run))
    assert wheel_of(program_of(ana.driver), ana)["turns_made"] == 1
    assert wheel_of(program_of(bo.driver), bo)["my_turn"] is False


@pytest.mark.parametrize("how_long", ["turn", "stage", "rally"])
def test_a_car_is_handed_over_and_taken_back(how_long: str) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    program, path = program_of(ana.driver, "play"), path_of(ana)
    answer = program.post(path, {"how_long": how_long, "turns_made": 0, "manner": "bold"})
    assert answer.status_code == 200, answer.content
    assert (answer.json()["codriver"], answer.json()["how_long"]) == (True, how_long)
    ana.refresh_from_db()
    assert ana.manner == "bold" and (ana.driven_by == "codriver") == (how_long == "rally")
    assert wheel_of(program, ana) == answer.json()
    back = program.ask("DELETE", path)
    assert back.status_code == 200 and (back.json()["codriver"], back.json()["how_long"]) == (False, None)
    ana.refresh_from_db()
    assert ana.driven_by == "person" and not Seat.objects.get(run=run, entry=ana).codriver_drives
    again = program.ask("DELETE", path)
    assert again.status_code == 409 and again.json()["detail"] == "You have the wheel."


def test_one_turn_is_one_turn_however_often_it_is_asked_for() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    program, sent = program_of(ana.driver, "play"), {"how_long": "turn", "turns_made": 0}
    for _twice in range(2):
        assert program.post(path_of(ana), sent).json()["how_long"] == "turn"
    codriven(run)
    late = program.post(path_of(ana), sent)
    assert late.status_code == 200 and (late.json()["how_long"], late.json()["turns_made"]) == (None, 1)
    play(run, ana, **careful_turn(run))
    stale = program.post(path_of(ana), {**sent, "turns_made": 1})
    assert stale.status_code == 409 and stale.json()["type"].endswith("/api/problems/stale/")
    assert "driven on" in stale.json()["detail"] and not Seat.objects.get(entry=ana).codriver_drives


def test_a_key_makes_a_request_safe_to_repeat() -> None:
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    program, path = program_of(ana.driver, "play"), path_of(ana)
    for method, sent, key in (("POST", {"how_long": "stage"}, "one"), ("DELETE", None, "two")):
        first = program.ask(method, path, sent, Idempotency_Key=key)
        again = program.ask(method, path, sent, Idempotency_Key=key)
        assert first.status_code == again.status_code == 200 and first.json() == again.json()
        assert again["Idempotent-Replayed"] == "true"
    assert CrewChange.objects.count() == 2, "handed over once, taken back once"
    record = Record.objects.filter(action="entry driven by").latest("pk")
    assert record.details["token"] == "Overlay"
    reused = program.post(path, {"how_long": "rally"}, Idempotency_Key="one")
    assert reused.status_code == 422 and reused.json()["type"].endswith("/api/problems/key-reused/")


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"how_long": "week"}, "how_long"),
        ({}, "how_long"),
        ({"how_long": "turn"}, "turns_made"),
        ({"how_long": "turn", "turns_made": -1}, "turns_made"),
        ({"how_long": "turn", "turns_made": 2**31}, "turns_made"),
        ({"how_long": "turn", "turns_made": 0, "manner": "reckless"}, "manner"),
        ({"how_long": "rally", "manner": "reckless"}, "manner"),
        ({"how_long": "stage", "manner": "x" * 21}, "manner"),
        ({"how_long": "stage", "nonsense": 1}, "nonsense"),
    ],
)
def test_a_wrong_value_is_refused_with_its_field(sent: dict[str, Any], field: str) -> None:
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    answer = program_of(ana.driver, "play").post(path_of(ana), sent)
    assert (answer.status_code, answer.json()["field"]) == (422, field), answer.content
    ana.refresh_from_db()
    assert ana.driven_by == "person" and not Seat.objects.exclude(handed_over="").exists()


def test_what_is_stale_is_a_409() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    program = program_of(ana.driver, "play")
    rallies.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver")
    answer = program.post(path_of(ana), {"how_long": "stage"})
    assert answer.status_code == 409 and "has the wheel already" in answer.json()["detail"]
    rally = make_rally()
    (cem,) = enter(rally, "Cem")
    program = program_of(cem.driver, "play")
    answer = program.post(path_of(cem), {"how_long": "stage"})
    assert answer.status_code == 409 and "not on the road" in answer.json()["detail"]
    assert wheel_of(program, cem)["run"] is None
    assert program.post(path_of(cem), {"how_long": "rally"}).json()["how_long"] == "rally"
    assert program.ask("DELETE", path_of(cem)).json()["how_long"] is None
    assert run.status == Run.Status.RUNNING


def test_after_a_missed_deadline_the_wheel_is_taken_back_in_time(at: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping={"after_miss": "stage", "hand_back_hours": 12})
    program = program_of(ana.driver, "play")
    for hours, status in ((1, 200), (13, 422)):
        at(open_turn(run).deadline)
        act_on_deadlines(now=clock.now())
        told = wheel_of(program, ana)
        until = (clock.now() + 12 * HOUR).isoformat().replace("+00:00", "Z")
        assert (told["codriver"], told["how_long"], told["take_back_until"]) == (True, None, until)
        at(clock.now() + hours * HOUR)
        assert program.ask("DELETE", path_of(ana)).status_code == status


def test_only_the_own_car_and_only_where_the_person_may_look() -> None:
    _run, (ana, bo) = on_the_road("Ana", "Bo")
    entries = program_of(ana.driver).get(f"rallies/{ana.rally.key}/entries").json()
    bos = next(each["key"] for each in entries if each["crew"] == "Bo")
    sent = {"how_long": "stage"}
    olga, guest, stranger = organiser_of(ana.rally), make_member(ana.rally.club), make_user()
    for who in (olga, guest, stranger):
        program = program_of(who, "play")
        for method, body in (("GET", None), ("POST", sent), ("DELETE", None)):
            assert program.ask(method, path_of(ana), body).status_code == 404, (who, method)
    program = program_of(ana.driver, "play")
    assert program.post(f"rallies/{ana.rally.key}/entries/{bos}/wheel", sent).status_code == 404
    elsewhere = program_of(ana.driver, "play", club=make_club(owner=ana.driver))
    assert elsewhere.post(path_of(ana), sent).status_code == 404
    assert not Seat.objects.exclude(handed_over="").exists()
    Club.objects.filter(pk=ana.rally.club_id).update(visibility=Club.Visibility.MEMBERS)
    assert program_of(stranger, "play").post(path_of(bo), {"how_long": "week"}).status_code == 404


@pytest.mark.parametrize("scope", ["read", "bot", "organise", "steward"])
def test_only_a_token_that_drives_hands_over(scope: str) -> None:
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    program = program_of(ana.driver, scope)
    assert program.get(path_of(ana)).status_code == 200
    for method, sent in (("POST", {"how_long": "stage"}), ("DELETE", None)):
        answer = program.ask(method, path_of(ana), sent)
        assert answer.status_code == 403 and answer.json()["type"].endswith("/api/problems/scope/")
    assert not Seat.objects.exclude(handed_over="").exists()


def test_a_bot_drives_itself() -> None:
    rally = make_rally(stages=("1/1",))
    bot = become_bot(by=make_member(rally.club, name="Robo"))
    entry = rallies.enter_rally(by=bot, rally=rally, crew="Robo")
    rallies.confirm_entry(by=organiser_of(rally), entry=entry)
    rallies.start_rally(by=organiser_of(rally), rally=rally)
    program = program_of(bot, "bot")
    assert program.get(path_of(entry)).json()["my_turn"] is True
    assert program.post(path_of(entry), {"how_long": "turn", "turns_made": 0}).status_code == 403
