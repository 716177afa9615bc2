"""The puzzle of the day on a phone, without an account: tap a plan together, choose the roll, see what it is worth."""

from __future__ import annotations

from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Page, expect

from championship.puzzles.models import Answer, Puzzle
from tests.browser import pages_of_puzzles
from tests.championship.runs.factories import driven

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
BUTTONS = {"one by one": "first", "flat out": "flat out"}
"""The button of each way to roll."""


def test_a_puzzle_is_solved_on_a_phone_without_an_account(page: Page) -> None:
    run, _entries = driven("Ana", "Bo")
    pages_of_puzzles.for_everybody(run)
    best = Puzzle.objects.exclude(day=None).get().best["orders"]
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/puzzles/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Which way is the fastest?")
    page.wait_for_load_state("load")
    for move in best["plan"].split():
        laid = page.locator(".plan li").count()
        page.locator(f'#moves button[name="move"][value="{move}"]').click()
        expect(page.locator(".plan li")).to_have_count(laid + 1)
    assert quote_plus(best["plan"]) in page.url, "the plan is kept in the address"
    page.locator(f'#roll button[value="{BUTTONS[best["roll"]]}"]').click()
    expect(page.get_by_role("heading", name="Solved.")).to_be_visible()
    expect(page.locator(".answers-compared a")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".answers-compared a", has_text="The obvious").click()
    expect(page.locator(".answers-compared a[aria-current]")).to_contain_text("The obvious")
    assert not Answer.objects.exists(), "nothing is stored of somebody without an account"
