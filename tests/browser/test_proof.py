"""Proofs in a real browser: it creates the salts, stores them, and checks records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from championship.runs.models import Post, Run, SentAhead
from tests.browser.desk import serious_faults
from tests.browser.test_first_turn import sign_in
from tests.championship.runs.factories import careful_turn, on_the_road, play
from tests.championship.runs.proofs import (
    brought_home,
    downloaded,
    of_format_1,
    open_road,
    runs_of,
    salted_turn,
    short_rally,
    with_another_phrase,
    with_another_salt,
    with_another_secret,
)
from tests.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


def one_run(salt: str = "typed: zażółć 🏁") -> Run:
    (run,) = runs_of(short_rally("Ana", mode="open road"))
    salted_turn(run, salt)
    return brought_home(run)


def check_here(page: Page, run: Run) -> str:
    """Return the browser's verdict on the record of a run, on its proof page."""
    page.goto(f"/runs/{run.key}/proof/")
    return pressed(page)


def pressed(page: Page) -> str:
    page.get_by_role("button", name="Check the record here").click()
    expect(page.locator("#checked .notice")).to_be_visible()
    return page.locator("#checked").inner_text()


def test_the_browser_agrees_with_records_of_all_kinds(page: Page, live_server) -> None:
    (shared,) = open_road(1, dice="duplicate")
    for run in (one_run(), one_run(salt=""), shared):
        drawn = sum(len(post.draws) for post in run.posts.all())
        said = check_here(page, run)
        assert f"all {drawn} draws follow" in said
        assert "The fingerprint of the seal is the one given above." in said
        assert page.locator("#checked .notice.good").count() == 1
    assert serious_faults(page) == []


def test_an_old_record_is_recognised(page: Page, live_server) -> None:
    (run,) = runs_of(short_rally("Ana", mode="open road"))
    of_format_1(run)
    assert "This record has the first format" in check_here(page, brought_home(run))


@pytest.mark.parametrize(
    ("does", "while_open", "said"),
    [
        (with_another_secret, True, "Wrong: the secret of run 1 does not follow from the seal."),
        (with_another_phrase, False, "Wrong: the phrases are not those that were published."),
        (with_another_salt, False, "Wrong: turn 1, draw 1 ("),
    ],
)
def test_the_browser_names_what_an_operator_has_done(page: Page, live_server, does, while_open, said) -> None:
    (run,) = runs_of(short_rally("Ana", mode="open road"))
    if while_open:
        does(run)
    salted_turn(run, "6b" * 16)
    run = brought_home(run)
    if not while_open:
        does(run)
    assert check_here(page, run).startswith(said)
    assert page.locator("#checked .notice.bad").count() == 1


def test_a_commitment_noted_elsewhere_counts_and_a_record_can_be_uploaded(
    browser_window: BrowserContext, page: Page, live_server, folder: Path
) -> None:
    run = one_run()
    check_here(page, run)
    page.get_by_label("Fingerprint of the seal").fill("0" * 64)
    assert pressed(page) == "Wrong: the promise in the record is not the one given."
    page.get_by_label("Fingerprint of the seal").fill("mine")
    assert pressed(page) == "A fingerprint has 64 hexadecimal digits."
    sign_in(browser_window, make_user("Stranger"), live_server.url)
    page.goto("/records/")
    assert pressed(page) == "Choose the file of a record first."
    path, document = folder / "record.json", downloaded(run)
    path.write_text(json.dumps(document), encoding="utf-8")
    page.get_by_label("Record").set_input_files(path)
    said = pressed(page)
    assert "You gave no fingerprint" in said
    page.get_by_label("Fingerprint of the seal").fill(run.special_stage.seal.commitment.upper())
    assert "no fingerprint" not in pressed(page)
    for changed, words in (("[1", "cannot be read"), ('{"record": 2}', "cannot be read"), ("null", "cannot be read")):
        path.write_text(changed, encoding="utf-8")
        page.get_by_label("Record").set_input_files(path)
        assert words in pressed(page)


def test_the_browser_makes_salts_and_finds_them_in_the_record(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    (run,) = runs_of(short_rally("Ana", mode="open road"))
    sign_in(browser_window, run.seats.get().entry.driver, live_server.url)
    page.goto(run.get_absolute_url())
    for gear in (1, 2):
        page.get_by_role("button", name=f"Gear {gear}").first.click()
        expect(page.locator(".plan li")).to_have_count(gear)
    page.get_by_text("Salt", exact=True).click()
    page.get_by_label("Your own salt for these orders").fill("  my own  ")
    page.get_by_role("button", name="One by one").click()
    expect(page.get_by_role("button", name="Stop here")).to_be_visible()
    expect(page.locator("html.unseen")).to_have_count(0)  # a tap on what is not shown yet chooses nothing
    page.get_by_role("button", name="Stop here").click()
    expect(page.get_by_role("heading", name="Your plan")).to_be_visible()
    salts = list(Post.objects.filter(run=run).order_by("number").values_list("salt", flat=True))
    assert salts[0] == "my own"
    assert all(len(salt) == 32 and int(salt, 16) for salt in salts[1:])
    assert len(set(salts)) == len(salts) == 2
    run = brought_home(run)
    assert "It contains all 2 salts that this browser remembers" in check_here(page, run)
    assert len(Post.objects.get(run=run, salt="my own").draws) == 1, "the first die is rolled with it"
    Post.objects.filter(run=run, salt="my own").update(salt="another")
    assert check_here(page, run).startswith("Wrong: this browser sent the salt my own, and no turn")


def test_the_browser_finds_salts_of_plans_that_it_sent_ahead(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    """Bo sends a plan ahead, then another one instead. Ana plays. The second plan is driven."""
    run, (ana, bo) = on_the_road("Ana", "Bo")
    sign_in(browser_window, bo.driver, live_server.url)
    page.goto(run.get_absolute_url())
    for summary in ("Lay your next plan now", "Lay another plan in its place"):
        page.get_by_text(summary).click()
        page.get_by_role("button", name="Gear 1").first.click()
        expect(page.locator("#ahead .plan li")).to_have_count(1)
        page.get_by_role("button", name="Send ahead").click()
        expect(page.locator("#ahead .plan li")).to_have_count(0)
        expect(page.get_by_text("driven as soon as your turn comes, unless")).to_be_visible()
    while SentAhead.objects.filter(state=SentAhead.State.WAITING).exists():
        play(run, ana, **careful_turn(run))
    driven = Post.objects.get(turn__seat__entry=bo)
    assert len(driven.salt) == 32
    run = brought_home(run)
    assert "remembers 2 plans sent ahead: 1 were driven with their salts" in check_here(page, run)


def test_a_salt_is_typed_or_left_out_with_script_off(browser: Browser, live_server) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    sign_in(window, ana.driver, live_server.url)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    for name in ("Gear 1", "Gear 2", "Gear 3"):
        page.get_by_role("button", name=name).first.click()
    page.get_by_text("Salt", exact=True).click()
    page.get_by_label("Your own salt for these orders").fill("by hand")
    page.get_by_role("button", name="One by one").click()
    page.get_by_role("button", name="Roll").first.click()
    expect(page.locator(".die-rolled[data-post]")).to_have_count(2)
    window.close()
    assert list(Post.objects.filter(run=run).order_by("number").values_list("salt", flat=True)) == ["by hand", ""]
