"""Compares the cost of a 304 response of the API with that of the page: `python -m tests.benchmarks.not_modified`.

Measures processor time of 304 for a rally and for a run. Page and API are requested alternately, and the cheapest
requests of each round are compared: other programs on the machine make a request dearer, never cheaper. The round with
the median ratio is printed. Uses the PostgreSQL of DATABASE_URL or that of the tests. Exits with 1 when the API takes
more than BOUND times as long as the page.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "championship.settings.test"

BOUND = 1.3
ROUNDS, ASKED = 15, 20


def main() -> int:
    import django

    django.setup()
    logging.disable(logging.WARNING)
    from tests.benchmarks.expensive_requests import _database

    with _database():
        measured = _measured()
    too_much = 0
    for what, page, program in measured:
        print(f"{what:<6} page {page * 1000:6.2f} ms, API {program * 1000:6.2f} ms, {program / page:4.2f} times")
        too_much += program / page > BOUND
    return 1 if too_much else 0


def _measured() -> list[tuple[str, float, float]]:
    from django.conf import settings

    from tests.championship.api.factories import program_of
    from tests.championship.runs.factories import on_the_road
    from tests.factories import signed_in

    settings.API_LIMITS = {"read": 10**9, "write": 10**9, "address": 10**9}
    run, [ana, _bo] = on_the_road("Ana", "Bo")
    rally, program, desk = run.special_stage.rally, program_of(ana.driver), signed_in(ana.driver)
    found = []
    for what, page, path in (
        ("rally", rally.get_absolute_url(), f"/api/v1/rallies/{rally.key}"),
        ("run", run.get_absolute_url(), f"/api/v1/runs/{run.key}"),
    ):
        by_page, by_program = _not_modified(desk.get, page), _not_modified(program.get, path)
        rounds = sorted((_round(by_page, by_program) for _number in range(ROUNDS)), key=lambda each: each[1] / each[0])
        found.append((what, *rounds[ROUNDS // 2]))
    return found


def _not_modified(get: Callable[..., Any], path: str) -> Callable[[], None]:
    """Return a function that polls the address with its current entity tag, as the page itself does, not the badge in
    its header.
    """
    first = get(path)
    tag = first.headers.get("ETag", "")
    if not tag:
        polls = re.findall(r'data-poll="([^"]*)" data-tag="W/&quot;([0-9a-f]{32})&quot;"', first.text)
        path, tag = next((f"{where}", f'W/"{said}"') for where, said in polls if where.startswith(path))

    def ask() -> None:
        headers = {"If_None_Match": tag} if "/api/" in path else {"headers": {"If-None-Match": tag}}
        answer = get(path, **headers)
        assert answer.status_code == 304, (path, answer.status_code)

    return ask


def _round(by_page: Callable[[], None], by_program: Callable[[], None]) -> tuple[float, float]:
    """Return the processor seconds of the cheapest request of each kind."""
    pairs = [(_seconds(by_page), _seconds(by_program)) for _time in range(ASKED)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def _seconds(ask: Callable[[], None]) -> float:
    begun = time.thread_time()
    ask()
    return time.thread_time() - begun


if __name__ == "__main__":
    sys.exit(main())
