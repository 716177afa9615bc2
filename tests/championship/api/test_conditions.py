"""Conditional requests, headers and limits, which a polite program needs."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache
from django.test import RequestFactory

from championship.api.endpoint import ApiView, Removal, operation
from championship.api.services import make_token, revoke_token
from championship.api.shapes import MeShape
from championship.rallies import services as rally_services
from tests.championship.api.factories import Program, program_of
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.championship.runs.factories import careful_turn, on_the_road, play
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_nothing_new_costs_one_query(django_assert_num_queries):
    rally = make_rally()
    program = program_of(make_user())
    path = f"rallies/{rally.key}"
    tag = program.get(path)["ETag"]
    assert tag.startswith('"')
    with django_assert_num_queries(1):  # one query for the token and everything that the rally's entity tag depends on
        answer = program.get(path, If_None_Match=tag)
    assert answer.status_code == 304 and not answer.content and answer["ETag"] == tag


def test_nothing_new_of_a_run_costs_one_query(django_assert_num_queries):
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program = program_of(ana.driver)
    tag = program.get(f"runs/{run.key}")["ETag"]
    with django_assert_num_queries(1):
        answer = program.get(f"runs/{run.key}", If_None_Match=tag)
    assert answer.status_code == 304 and answer["ETag"] == tag


@pytest.mark.parametrize("ending", ["", "?x=1"], ids=["fast path", "slow path"])
def test_a_compressed_answer_has_a_weak_tag_and_both_forms_are_accepted(ending):
    """docs/api.md says so: a client compares what is between the quotes."""
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program, path = program_of(ana.driver, "play"), f"runs/{run.key}{ending}"
    plain, compressed = program.get(path), program.get(path, Accept_Encoding="gzip")
    assert compressed["Content-Encoding"] == "gzip" and "Content-Encoding" not in plain
    assert compressed["ETag"] == f"W/{plain['ETag']}"
    for tag in (plain["ETag"], compressed["ETag"]):
        for encoding in ("gzip", "identity"):
            assert program.get(path, If_None_Match=tag, Accept_Encoding=encoding).status_code == 304
    orders = {"orders": careful_turn(run), "version": run.version}
    assert program.post(f"runs/{run.key}/turns", orders, If_Match='W/"another"').status_code == 412
    assert program.post(f"runs/{run.key}/turns", orders, If_Match=compressed["ETag"]).status_code == 200


def test_the_fast_path_to_304_sends_the_same_headers_as_the_slow_one():
    """A query parameter that nobody reads makes the same request use the slow path."""
    rally = make_rally()
    program = program_of(make_user())
    short, long = (f"rallies/{rally.key}", f"rallies/{rally.key}?x=1")
    tag = program.get(short)["ETag"]
    told = [program.get(path, If_None_Match=tag) for path in (short, long)]
    assert [answer.status_code for answer in told] == [304, 304]
    first, second = ({**answer.headers} for answer in told)
    assert int(first.pop("RateLimit-Remaining")) == int(second.pop("RateLimit-Remaining")) + 1, "each is counted once"
    assert first.pop("X-Request-ID") != second.pop("X-Request-ID")
    assert second.pop("Allow") == "GET, HEAD, OPTIONS", "what REST framework adds and 304 need not say"
    assert first == second


def test_the_short_way_to_304_is_counted_and_closed_like_the_long_one(settings, at, django_assert_num_queries):
    settings.API_LIMITS = {"read": 3, "write": 2, "address": 9}
    rally = make_rally()
    olga = make_user()
    token, text = make_token(by=olga, name="Table", scopes=["read"])
    program = Program(text)
    path = f"rallies/{rally.key}"
    tag = program.get(path)["ETag"]
    assert program.ask("HEAD", path, If_None_Match=tag).status_code == 304
    later = at("2026-11-19T12:02")
    assert program.get(path, If_None_Match=tag).status_code == 304
    token.refresh_from_db()
    assert token.last_used_at == later, "it notes that the token was used"
    asked = [program.get(path, If_None_Match=tag) for _time in range(3)]
    assert [answer.status_code for answer in asked] == [304, 304, 429]
    assert asked[-1].json()["type"].endswith("/too-many/") and "ETag" not in asked[-1].headers
    cache.clear()
    revoke_token(by=olga, pk=token.pk)
    with django_assert_num_queries(1):
        assert program.get(path, If_None_Match=tag).status_code == 401


@pytest.mark.parametrize("end", ["", "/entries", "/stages", "/stages/1/results", "/podium", "/rulings"])
def test_news_change_the_tag(end):
    rally = make_rally()
    program = program_of(organiser_of(rally))
    path = f"rallies/{rally.key}{end}"
    tag = program.get(path)["ETag"]
    assert program.get(path, If_None_Match=tag).status_code == 304
    ana, _bo = enter(rally, "Ana", "Bo")
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    rally_services.give_penalty(by=organiser_of(rally), entry=ana, amount=5, reason="Late")
    fresh = program.get(path, If_None_Match=tag)
    assert fresh.status_code == (200 if end != "/podium" or fresh["ETag"] != tag else 304)


def test_a_turn_changes_the_tag_of_the_run_and_compression_does_not_hurt_it():
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program = program_of(make_user())
    tag = program.get(f"runs/{run.key}")["ETag"]
    assert program.get(f"runs/{run.key}", If_None_Match=f"W/{tag}").status_code == 304
    play(run, ana, **careful_turn(run))
    assert program.get(f"runs/{run.key}", If_None_Match=tag).status_code == 200


def test_a_tag_is_worth_nothing_to_another_token():
    rally = make_rally()
    tag = program_of(make_user()).get(f"rallies/{rally.key}")["ETag"]
    assert program_of(make_user()).get(f"rallies/{rally.key}", If_None_Match=tag).status_code == 200


def test_a_response_without_validators_gets_a_tag_from_its_content():
    program = program_of(make_user())
    tag = program.get("me/turns")["ETag"]
    answer = program.get("me/turns", If_None_Match=tag)
    assert answer.status_code == 304 and not answer.content


def test_other_sites_may_read_with_a_token_and_never_write():
    rally = make_rally()
    program = program_of(make_user(), "play")
    read = program.get(f"rallies/{rally.key}", Origin="https://overlay.example")
    assert read["Access-Control-Allow-Origin"] == "*" and "ETag" in read["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in read.headers
    asked = program.client.options(f"/api/v1/rallies/{rally.key}", headers={"Origin": "https://overlay.example"})
    assert asked.status_code == 204 and asked["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert "Authorization" in asked["Access-Control-Allow-Headers"]
    written = program.post(f"rallies/{rally.key}/entries/mine", {"crew": "Ana"})
    assert "Access-Control-Allow-Origin" not in written.headers


def test_answers_are_private_and_say_by_what_they_vary():
    answer = program_of(make_user()).get("me")
    assert "private" in answer["Cache-Control"]
    assert {"Authorization", "Accept-Language"} <= {part.strip() for part in answer["Vary"].split(",")}
    assert "sessionid" not in answer.cookies


def test_a_token_has_a_limit_and_learns_how_long_to_wait(settings):
    settings.API_LIMITS = {"read": 3, "write": 2, "address": 2}
    program = program_of(make_user(), "play")
    left = [program.get("me")["RateLimit-Remaining"] for _ in range(3)]
    assert left == ["2", "1", "0"]
    answer = program.get("me")
    assert answer.status_code == 429 and answer.json()["type"].endswith("/api/problems/too-many/")
    assert 1 <= int(answer["Retry-After"]) <= 60
    assert program_of(make_user()).get("me").status_code == 200, "another token has its own"
    assert program.post("runs/nothing/turns").status_code != 429, "writes are counted apart"
    cache.clear()
    assert program.get("me").status_code == 200


def test_guessing_tokens_is_limited_by_address(settings, client):
    settings.API_LIMITS = {"read": 300, "write": 60, "address": 2}
    tries = [client.get("/api/v1/me", headers={"Authorization": "Bearer pf_x"}).status_code for _ in range(4)]
    assert tries == [401, 401, 429, 429]


def test_head_is_get_without_a_body():
    program = program_of(make_user())
    answer = program.ask("HEAD", "me")
    assert answer.status_code == 200 and not answer.content


SINCE, UNTIL = datetime(2026, 12, 1, tzinfo=UTC), datetime(2027, 6, 1, tzinfo=UTC)


class Old(ApiView):
    """An operation that will be removed."""

    @operation("readOld", "Something old", answer=MeShape, removal=Removal(SINCE, UNTIL, "/api/problems/stale/"))
    def get(self, request):
        return {"person": request.user, "token": request.auth}


def test_a_deprecated_operation_says_since_when_and_until_when():
    request = RequestFactory().get("/", headers={"Authorization": f"Bearer {program_of(make_user()).token}"})
    answer = Old.as_view()(request)
    assert answer.status_code == 200
    assert (answer["Deprecation"], answer["Sunset"]) == (f"@{int(SINCE.timestamp())}", "Tue, 01 Jun 2027 00:00:00 GMT")
    assert answer["Link"] == '</api/problems/stale/>; rel="deprecation"'
    refused = Old.as_view()(RequestFactory().get("/"))
    assert refused.status_code == 401 and refused["Sunset"] == answer["Sunset"]
    with pytest.raises(ValueError, match="180 days"):
        Removal(SINCE, SINCE + timedelta(days=179))
