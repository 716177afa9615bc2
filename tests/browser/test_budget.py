"""The cost of the stage page for a phone with a poor connection: bytes and round trips."""

from __future__ import annotations

import gzip

import pytest
from playwright.sync_api import Browser, Request, Response, expect

from engine import registry
from tests.browser.desk import PHONE, window_of
from tests.championship.runs.factories import careful_turn, on_the_road, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BIGGEST = "3/1"  # of the ready-made stages, 14 tiles
PAGE = 200_000  # bytes sent, everything compressed as in production
STEP = 25_000
TURNS = 9


def test_the_stage_page_is_light_and_a_step_takes_one_round(browser: Browser, live_server) -> None:
    run, entries = on_the_road("Ana", "Bo", "Cem", stages=(BIGGEST,))
    by_number = {str(entry.start_number): entry for entry in entries}
    rules = registry.get(run.game)
    for _turn in range(TURNS):
        play(run, by_number[rules.to_play(run.state)[0]], **careful_turn(run))
    me = by_number[rules.to_play(run.state)[0]]
    window = window_of(browser, live_server.url, me, viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = window.new_page()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(run.get_absolute_url(), wait_until="networkidle")
    sizes = {answer.url: len(gzip.compress(answer.body())) for answer in answers}
    assert any("/land/" in url for url in sizes), "the land is fetched"
    assert sum(sizes.values()) < PAGE, sizes

    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))
    page.locator("#panel button[name=move]").first.click()
    expect(page.locator("#draft")).to_be_visible()
    page.wait_for_load_state("networkidle")
    steps = [request for request in asked if "/changes/" not in request.url]
    assert [request.method for request in steps] == ["POST"], "one round, and the land is not fetched again"
    answer = steps[0].response()
    assert answer is not None
    assert len(gzip.compress(answer.body())) < STEP
    window.close()
