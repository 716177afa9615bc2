"""The examples of docs/api.md are sent as they are, with placeholders replaced."""

import json
import re
from pathlib import Path

import pytest
from django.conf import settings

from championship.api.scopes import Scope
from tests.championship.api.factories import program_of
from tests.championship.runs.factories import careful_turn, on_the_road

PAGE = (Path(settings.BASE_DIR) / "docs" / "api.md").read_text("utf-8")
REQUEST = re.compile(r"^(GET|POST|DELETE) (/api/v1\S*)\n((?:[\w-]+: .*\n)*)(?:\n(\{.*\})\n)?", re.M)


def examples():
    """Return every request on the page: method, address, headers, body."""
    return [found for block in re.findall(r"```\n(.*?)```", PAGE, re.S) for found in REQUEST.findall(block)]


@pytest.mark.django_db
def test_the_examples_work():
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    program = program_of(ana.driver, "play")
    words = {
        "ORDERS": json.dumps(careful_turn(run)), "VERSION": str(run.version), "RUN": run.key,
        "RALLY": run.special_stage.rally.key, "TURNS_MADE": "1",
    }  # fmt: skip
    statuses = []
    for method, path, headers, body in examples():
        for word, means in words.items():
            path, body = path.replace(word, means), body.replace(word, means)
        named = dict(line.split(": ", 1) for line in headers.splitlines())
        kept = {name.replace("-", "_"): value for name, value in named.items() if name == "Idempotency-Key"}
        answer = program.ask(method, path, json.loads(body) if body else None, **kept)
        ledger = path.endswith("/ledger")  # shown when the stage is over for all
        statuses.append(200 if ledger and answer.status_code == 403 else answer.status_code)
    assert statuses == [200] * (len(statuses) - 1) + [422 if statuses[-1] != 409 else 409]
    assert len(statuses) == 19


def test_the_numbers_are_the_numbers():
    limits = settings.API_LIMITS
    assert f"read {limits['read']} times and write {limits['write']} times" in PAGE
    assert f"may ask {limits['address']} times" in PAGE
    assert all(f"| `{scope}` |" in PAGE for scope in Scope.values)
