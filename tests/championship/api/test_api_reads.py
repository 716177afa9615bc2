"""Reads by programs: the same data as on the pages, from the same selectors, in a fixed number of queries."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.notices.models import Notice
from championship.rallies import services as rally_services
from championship.rallies.models import Rally
from championship.runs.models import Run
from championship.seasons.services import add_round, create_championship
from championship.stages.services import create_design
from championship.stewards.services import decide
from tests.championship.api.factories import every_page, program_of
from tests.championship.rallies.factories import designs, enter, make_rally, measured, organiser_of
from tests.championship.runs.factories import careful_turn, driven_to_the_end, on_the_road, play
from tests.factories import make_club, make_member, make_user

pytestmark = pytest.mark.django_db


def queries(program, path):
    """Return the number of queries of an address, after the last use of the token was recorded."""
    program.get("me")
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert program.get(path).status_code == 200
    return len(asked)


def test_me():
    club = make_club()
    ana = make_member(club, name="Ana")
    told = program_of(ana, "play", club=club).get("me").json()
    assert told["person"] == {"key": told["person"]["key"], "name": "Ana", "bot": False}
    assert told["token"]["scopes"] == ["play"] and told["token"]["club"]["key"] == club.slug
    assert "@" not in json.dumps(told)


def test_a_club_and_what_belongs_to_it():
    rally = make_rally()
    olga, slug = organiser_of(rally), rally.club.slug
    cup = create_championship(by=olga, club=rally.club, name="Cup", classes=[], drop=0)
    create_design(by=olga, club=rally.club, name="Mill", game="dirt", spec=designs("1/1")[0].spec)
    program = program_of(olga)
    assert [each["club"]["key"] for each in program.get("clubs").json()] == [slug]
    assert Role.ORGANISER in program.get(f"clubs/{slug}").json()["roles"]
    assert [each["key"] for each in program.get(f"clubs/{slug}/rallies").json()] == [rally.key]
    assert [each["key"] for each in program.get(f"clubs/{slug}/championships").json()] == [cup.key]
    course = program.get(f"clubs/{slug}/courses").json()[0]
    assert course["title"] == "Mill" and "course" not in course
    assert program.get(f"courses/{course['key']}").json()["course"] == designs("1/1")[0].spec


def test_strangers_find_no_club():
    club = make_club()
    for path in ("", "/rallies", "/championships", "/courses"):
        assert program_of(make_user()).get(f"clubs/{club.slug}{path}").status_code == 404


def test_a_rally_from_its_entries_to_its_document():
    rally = measured(
        "seconds",
        "fewest",
        {"Ana": 200, "Bo": 190, "Cem": (None, [], "wrecked")},
        {"Ana": 100, "Bo": 150, "Cem": (None, [], "wrecked")},
    )
    olga, sten = organiser_of(rally), make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    bo = rally.entries.get(crew="Bo")
    rally_services.give_penalty(by=olga, entry=bo, amount=7, reason="Late")
    decide(by=sten, rally=rally, kind="reprimand", text="The horn.", entry=bo)
    program = program_of(make_user())
    told = program.get(f"rallies/{rally.key}").json()
    assert told["measure"] == {"unit": "seconds", "better": "fewest"} and told["started_at"].endswith("Z")
    assert [each["crew"] for each in program.get(f"rallies/{rally.key}/entries").json()] == ["Ana", "Bo", "Cem"]
    assert [each["number"] for each in program.get(f"rallies/{rally.key}/stages").json()] == [1, 2]
    assert program.get(f"rallies/{rally.key}/stages/1").json()["course"]
    assert len(program.get(f"rallies/{rally.key}/stages/1/start-list").json()) == 3
    first = program.get(f"rallies/{rally.key}/stages/1/results").json()
    assert [(each["place"], each["entry"]["crew"], each["total"]) for each in first["lines"]][:2] == [
        (1, "Bo", 190),
        (2, "Ana", 200),
    ]
    assert first["lines"][2]["retired"] == [{"stage": 1, "why": "wrecked"}]
    overall = program.get(f"rallies/{rally.key}/stages/2/overall").json()
    assert [(each["entry"]["crew"], each["total"]) for each in overall["lines"]][:2] == [("Ana", 300), ("Bo", 347)]
    podium = program.get(f"rallies/{rally.key}/podium").json()
    assert podium["final"] and podium["overall"][0]["entry"]["crew"] == "Ana"
    rulings = program.get(f"rallies/{rally.key}/rulings").json()
    assert rulings["acts"][0]["reason"] == "Late" and rulings["decisions"][0]["text"] == "The horn."
    document = program.get(f"rallies/{rally.key}/document").json()
    assert document["overall"] == overall["lines"] or document["overall"][0]["total"] == 300
    assert [len(stage["results"]) for stage in document["stages"]] == [3, 3]


def test_a_rally_that_is_not_over_has_no_document_yet():
    rally = make_rally()
    answer = program_of(make_user()).get(f"rallies/{rally.key}/document")
    assert answer.status_code == 409 and answer.json()["type"].endswith("/api/problems/stale/")


def test_requested_entries_are_for_organisers_and_their_own_driver():
    rally = make_rally()
    ana = make_member(rally.club, name="Ana")
    rally_services.enter_rally(by=ana, rally=rally, crew="Ana")
    seen = {who: len(program_of(who).get(f"rallies/{rally.key}/entries").json()) for who in (ana, organiser_of(rally))}
    assert list(seen.values()) == [1, 1]
    assert program_of(make_user()).get(f"rallies/{rally.key}/entries").json() == []


def test_a_season_as_json_and_as_csv():
    rally = measured("points", "most", {"Ana": 20, "Bo": 10})
    olga = organiser_of(rally)
    cup = create_championship(by=olga, club=rally.club, name="Cup", classes=[], drop=0)
    add_round(by=olga, championship=cup, rally=rally)
    User.objects.filter(entries__crew="Bo").update(name="=1+1")
    program = program_of(make_user())
    assert program.get(f"championships/{cup.key}").json()["rounds"][0]["rally"] == rally.key
    standings = program.get(f"championships/{cup.key}/standings").json()
    assert [line["who"]["name"] for line in standings["drivers"]] == ["Ana", "=1+1"]
    assert standings["drivers"][0]["scores"][0]["points"] == standings["drivers"][0]["total"] > 0
    table = program.get(f"championships/{cup.key}/standings.csv")
    assert table["Content-Type"] == "text/csv; charset=utf-8"
    assert "'=1+1" in table.content.decode() and table.content.decode().count("\n") == 3


def test_a_run_its_choices_odds_events_record_and_proof():
    run, [ana, bo] = on_the_road("Ana", "Bo")
    program = program_of(ana.driver)
    told = program.get(f"runs/{run.key}").json()
    assert told["mine"] == str(ana.start_number) and told["my_turn"] and told["version"] == run.version
    assert [seat["entry"]["crew"] for seat in told["seats"]] == [ana.crew, bo.crew]
    assert told["view"] and told["waiting"][0]["seat"] == told["mine"]
    choices = program.get(f"runs/{run.key}/choices").json()
    assert choices["ways"] and choices["ways"][0]["orders"] and choices["autopilot"]
    behind = program.ask("GET", f"runs/{run.key}/choices?draft={json.dumps(choices['ways'][0]['draft'])}").json()
    assert behind["ways"] != choices["ways"]
    odds = program.post(f"runs/{run.key}/odds", {"draft": choices["autopilot"]["plan"]})
    assert odds.status_code == 200 and odds.json()
    play(run, ana, **careful_turn(run))
    events = program.get(f"runs/{run.key}/events").json()
    assert events and [each["number"] for each in events] == list(range(1, len(events) + 1))
    assert every_page(program, f"runs/{run.key}/events?limit=2") == events
    assert program.get(f"runs/{run.key}/record").status_code == 403
    assert program.get(f"runs/{run.key}/proof").json()["secret"] == ""
    driven_to_the_end(run, ana, bo)
    assert program.get(f"runs/{run.key}/record").json()["game"] == run.game
    assert program.get(f"runs/{run.key}/proof").json()["wrong"] == ""


@pytest.mark.parametrize("draft", ["{", '{"a": 1}', "[]", "3", '"9:9.9.l"', '"\\u0000"', "[" * 50 + "]" * 50])
def test_a_draft_that_makes_no_sense_is_refused_in_words(draft):
    run, [ana] = on_the_road("Ana")
    answer = program_of(ana.driver).get(f"runs/{run.key}/choices?draft={draft}")
    assert answer.status_code == 422 and answer.json()["field"] == "draft"


def test_choices_are_only_for_the_seat_that_is_to_play():
    run, [ana, bo] = on_the_road("Ana", "Bo")
    for who in (bo.driver, make_user()):
        answer = program_of(who).get(f"runs/{run.key}/choices")
        assert answer.status_code == 403 and answer.json()["detail"]
    assert ana


def test_my_turns_and_my_notices():
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program = program_of(ana.driver)
    [waits] = program.get("me/turns").json()
    assert waits["run"] == run.key and waits["seat"] == str(ana.start_number)
    assert [each["kind"] for each in every_page(program, "me/notices?limit=1")] == list(
        Notice.objects.filter(recipient=ana.driver).order_by("-created_at", "-pk").values_list("kind", flat=True)
    )
    assert program_of(ana.driver, club=run.special_stage.rally.club).get("me/notices").status_code == 403


def test_gaps_of_a_stage():
    run, entries = on_the_road("Ana", "Bo")
    rally = run.special_stage.rally
    told = program_of(make_user()).get(f"rallies/{rally.key}/stages/1/gaps").json()
    assert {car["entry"]["crew"] for car in told["cars"]} == {"Ana", "Bo"} and told["borders"] > 0
    assert [each["key"] for each in program_of(make_user()).get(f"rallies/{rally.key}/stages/1/runs").json()] == [
        run.key
    ]
    assert entries


def test_a_token_of_one_club_sees_nothing_of_another():
    rally, other = make_rally(), make_club(name="Other")
    olga = organiser_of(rally)
    make_member(other, user=olga)
    program = program_of(olga, club=other)
    run, _ = on_the_road("Ana", club=rally.club, by=olga)
    for path in (
        f"clubs/{rally.club.slug}", f"rallies/{rally.key}", f"rallies/{rally.key}/podium", f"runs/{run.key}",
        f"runs/{run.key}/proof", f"rallies/{rally.key}/stages/1",
    ):  # fmt: skip
        assert program.get(path).status_code == 404, path
    assert [each["club"]["key"] for each in program.get("clubs").json()] == [other.slug]
    assert program_of(olga, club=rally.club).get(f"rallies/{rally.key}").status_code == 200


def test_lists_cost_as_much_at_three_times_the_size():
    rally = make_rally()
    olga, slug = organiser_of(rally), rally.club.slug
    program = program_of(olga)
    enter(rally, "Ana", "Bo")
    lists = (
        f"clubs/{slug}/rallies", f"clubs/{slug}/championships", f"clubs/{slug}/courses", "clubs", "me/turns",
        "me/notices", f"rallies/{rally.key}/entries", f"rallies/{rally.key}/stages",
    )  # fmt: skip
    few = {path: queries(program, path) for path in lists}
    for number in range(4):
        make_rally(by=olga, club=rally.club, name=f"Rally {number}")
        create_championship(by=olga, club=rally.club, name=f"Cup {number}", classes=[], drop=0)
        spec = designs("1/1")[0].spec
        create_design(by=olga, club=rally.club, name=f"Course {number}", game="dirt", spec=spec)
        make_member(make_club(name=f"Club {number}"), user=olga)
    enter(rally, "Cem", "Dag", "Eve", "Fay")
    assert {path: queries(program, path) for path in lists} == few
    assert max(few.values()) <= 10


def test_results_cost_as_much_with_three_times_the_cars():
    def cost(crews):
        rally = measured("points", "most", {f"Crew {number}": number for number in range(crews)})
        program = program_of(make_user())
        paths = ("stages/1/results", "stages/1/overall", "podium", "rulings", "document", "stages/1/start-list")
        return [queries(program, f"rallies/{rally.key}/{path}") for path in paths]

    assert cost(2) == cost(6)
    assert Rally.objects.count() == 2 and Run.objects.exists()


def test_a_list_is_read_in_parts_without_a_gap():
    rally = make_rally()
    for number in range(4):
        make_rally(by=organiser_of(rally), club=rally.club, name=f"Rally {number}")
    program = program_of(organiser_of(rally))
    path = f"clubs/{rally.club.slug}/rallies"
    assert every_page(program, f"{path}?limit=2") == program.get(path).json()


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=x", "limit=101", "after=nothing", "after=%00", "limit=" + "9" * 400]
)
def test_a_cursor_that_makes_no_sense_is_refused(query):
    rally = make_rally()
    program = program_of(organiser_of(rally))
    for path in (f"clubs/{rally.club.slug}/rallies", "me/notices", "courses"):
        answer = program.get(f"{path}?{query}")
        assert answer.status_code == 422, (path, answer.content)
