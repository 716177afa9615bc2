"""The schema describes what the API does: it is committed, complete, and rendered by a page."""

import json
from pathlib import Path

import pytest
from django.conf import settings

from championship.api import schema
from championship.api.scopes import Scope
from tests.championship.api.factories import program_of
from tests.championship.runs.factories import on_the_road

COMMITTED = Path(settings.BASE_DIR) / "docs" / "openapi.json"


def test_the_committed_schema_is_the_schema():
    same = COMMITTED.read_text("utf-8") == schema.as_text()
    assert same, "manage.py api_schema writes it"


def test_every_operation_says_who_may_and_has_a_name_of_its_own():
    names = [told.name for _address, _parameters, _method, told, _key in schema.operations()]
    assert len(names) == len(set(names)) >= 40
    for _address, _parameters, method, told, takes_key in schema.operations():
        assert told.says and set(told.scopes) <= set(Scope.values)
        assert (Scope.READ in told.scopes) == (not takes_key), told.name
        assert method == "get" or takes_key or told.name == "askOdds"


def test_every_reference_leads_somewhere():
    document = schema.document()
    known = document["components"]["schemas"]

    def references(value):
        if isinstance(value, dict):
            yield from ([value["$ref"]] if "$ref" in value else [])
            for part in value.values():
                yield from references(part)
        elif isinstance(value, list):
            for part in value:
                yield from references(part)

    found = set(references(document))
    assert found == {f"#/components/schemas/{name}" for name in known}


def fits(value, told, known):
    """Return the parts of a value that the schema does not describe, or nothing when it fits."""
    if "$ref" in told:
        return fits(value, known[told["$ref"].rpartition("/")[2]], known)
    if "anyOf" in told:
        return [] if any(not fits(value, each, known) for each in told["anyOf"]) else [value]
    kinds = {"string": str, "integer": int, "boolean": bool, "object": dict, "array": list, "null": type(None)}
    wanted = told.get("type")
    if wanted is None:
        return []
    if not any(type(value) is kinds[each] for each in (wanted if isinstance(wanted, list) else [wanted])):
        return [(value, wanted)]
    if "enum" in told and value not in told["enum"]:
        return [(value, told["enum"])]
    if isinstance(value, list):
        return [wrong for each in value for wrong in fits(each, told["items"], known)]
    if isinstance(value, dict) and "properties" in told:
        missing = [name for name in told.get("required", ()) if name not in value]
        more = [name for name in value if name not in told["properties"]]
        parts = [wrong for name, part in value.items() if name in told["properties"]
                 for wrong in fits(part, told["properties"][name], known)]  # fmt: skip
        return missing + more + parts
    return []


@pytest.mark.django_db
def test_answers_are_as_the_schema_says():
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    rally = run.special_stage.rally
    parts = {"key": run.key, "number": 1, "slug": rally.club.slug}
    program, document, seen = program_of(ana.driver, "play"), schema.document(), 0
    for address, methods in document["paths"].items():
        if "get" not in methods or address.startswith(("/championships", "/courses/{")):
            continue
        path = address.format(**parts).lstrip("/")
        path = path.replace(f"rallies/{run.key}", f"rallies/{rally.key}")
        answer = program.get(path)
        told = methods["get"]["responses"]
        assert str(answer.status_code) in told, (address, answer.status_code)
        media = next(iter(told[str(answer.status_code)]["content"].values()))
        assert fits(answer.json(), media["schema"], document["components"]["schemas"]) == [], address
        seen += answer.status_code == 200
    assert seen > 20


@pytest.mark.django_db
def test_the_schema_needs_no_token_and_has_a_page(client):
    answer = client.get("/api/v1/openapi.json")
    assert json.loads(answer.content)["openapi"] == "3.1.0" and answer["Access-Control-Allow-Origin"] == "*"
    page = client.get("/api/").content.decode()
    for address in schema.document()["paths"]:
        assert address in page
