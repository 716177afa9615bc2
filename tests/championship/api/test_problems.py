"""Every error is a problem document that says what to do, and links to a page that explains it."""

import pytest

from championship.api.problems import KINDS
from championship.platform.database_timeouts import server_error
from championship.runs.models import Post
from tests.championship.api.factories import Program, program_of
from tests.championship.runs.factories import on_the_road
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def check_problem(answer, status, kind):
    """Return the problem in the response, and check its status and kind."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status and problem["type"].endswith(f"/api/problems/{kind}/") and problem["do"]
    return problem


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_page(client, kind):
    page = client.get(f"/api/problems/{kind}/")
    assert page.status_code == 200 and KINDS[kind].title in page.content.decode().replace("&#x27;", "'")


def test_there_is_no_page_for_other_words(client):
    assert client.get("/api/problems/nonsense/").status_code == 404


def test_an_address_that_is_none():
    program = program_of(make_user())
    check_problem(program.get("nothing"), 404, "not-found")
    check_problem(program.post("nothing/at/all"), 404, "not-found")
    check_problem(program.get("rallies/nothing"), 404, "not-found")
    check_problem(program.get("runs/" + "x" * 200), 404, "not-found")
    check_problem(Program().get("nothing"), 401, "no-token")


def test_a_server_error_is_a_problem_document_too(rf):
    answer = server_error(rf.get("/api/v1/me"))
    assert answer.status_code == 500 and answer["Content-Type"] == "application/problem+json"
    assert "html" in server_error(rf.get("/me/"))["Content-Type"]


def test_a_method_that_the_address_does_not_take():
    answer = program_of(make_user()).ask("DELETE", "me")
    check_problem(answer, 405, "method")
    assert "GET" in answer["Allow"]


def test_a_form_that_there_is_not():
    check_problem(program_of(make_user()).get("me", Accept="text/html"), 406, "not-acceptable")


def test_a_scope_that_the_token_lacks():
    run, [ana] = on_the_road("Ana")
    problem = check_problem(program_of(ana.driver).post(f"runs/{run.key}/turns", {}), 403, "scope")
    assert "play or bot" in problem["detail"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "invalid", 422),
        (b"{", "no-json", 400),
        (b"\xff\xfe", "no-json", 400),
        (b"[]", "invalid", 422),
        (b"[" * 5000, "no-json", 400),
        (b'{"version": NaN}', "no-json", 400),
        (b'{"orders": ' + b'{"a":' * 30 + b"1" + b"}" * 31, "invalid", 422),
        (b'{"orders": {"plan": "\\u0000"}, "version": 1}', "invalid", 422),
        (b'{"orders": {"plan": "\\ud800"}, "version": 1}', "invalid", 422),
        (b'{"orders": {"n": 1.5}, "version": 1}', "invalid", 422),
        (b'{"orders": {"n": 1' + b"0" * 400 + b'}, "version": 1}', "invalid", 422),
        (b'{"orders": {}, "version": "x"}', "invalid", 422),
        (b'{"orders": {}, "version": -1}', "invalid", 422),
        (b'{"orders": 3, "version": 1}', "invalid", 422),
        (b'{"orders": {}, "version": 1, "verison": 2}', "invalid", 422),
        (b'{"orders": {}, "version": 1, "salt": "' + b"x" * 200 + b'"}', "invalid", 422),
        (b'{"orders": "' + b"x" * 70_000 + b'"}', "too-large", 413),
    ],
)
def test_a_body_that_makes_no_sense_changes_nothing(body, kind, status):
    run, [ana] = on_the_road("Ana")
    program = program_of(ana.driver, "play")
    before = Post.objects.count()
    headers = {"Authorization": f"Bearer {program.token}"}
    address = f"/api/v1/runs/{run.key}/turns"
    answer = program.client.generic("POST", address, body, content_type="application/json", headers=headers)
    problem = check_problem(answer, status, kind)
    assert problem.get("detail") or status in (413, 400)
    assert Post.objects.count() == before


def test_a_body_of_another_type():
    run, [ana] = on_the_road("Ana")
    program = program_of(ana.driver, "play")
    headers = {"Authorization": f"Bearer {program.token}"}
    address = f"/api/v1/runs/{run.key}/turns"
    answer = program.client.post(address, {"orders": "{}"}, headers=headers)
    check_problem(answer, 415, "media-type")


def test_a_rule_that_refuses_names_itself_the_move_and_where_it_is_read(client):
    run, [ana] = on_the_road("Ana")
    sent = {"orders": {"do": "lay", "plan": "1:9.9.l"}, "version": run.version}
    answer = program_of(ana.driver, "play").post(f"runs/{run.key}/turns", sent)
    problem = check_problem(answer, 422, "refused")
    assert problem["rule"] and problem["detail"] and problem["field"] == "plan"
    page = client.get(problem["rule_address"].partition("localhost:8000")[2].partition("#")[0])
    assert f'id="{problem["rule"]}"' in page.content.decode()


@pytest.mark.parametrize(
    "orders", [{}, {"do": []}, {"do": {"a": []}}, {"do": "lay", "plan": ["x"]}, {"do": "roll", "dice": -1}]
)
def test_hostile_orders_are_refused_in_words(orders):
    run, [ana] = on_the_road("Ana")
    answer = program_of(ana.driver, "play").post(f"runs/{run.key}/turns", {"orders": orders, "version": run.version})
    assert check_problem(answer, 422, "refused")["detail"]
