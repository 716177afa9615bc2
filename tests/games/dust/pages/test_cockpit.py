"""The cockpit over HTTP: steps are added, undone, sent, and refused with their rule (P, S8, S9)."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from engine import registry
from tests.factories import signed_in
from tests.games.dust.pages.scenes import (
    ended,
    fields_of,
    lay,
    offers_on,
    on_the_road,
    page_of,
    post,
    rich_set,
    seat_of,
)

pytestmark = pytest.mark.django_db
RULES = registry.get("dust")


def test_a_turn_begins_with_prepare_and_then_all_legal_steps_are_lit() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    page = page_of(ana, run)
    assert 'name="do" value="prepare"' in page and offers_on(page) == []
    assert "What it can bring" in page
    assert post(ana, run, "", do="prepare").status_code == 302
    page, seat = page_of(ana, run), str(ana.start_number)
    run.refresh_from_db()
    legal = {way.text for way in RULES.choices(run.state, seat).ways}
    offered = offers_on(page)
    lit = {step.split("; ")[0] for step in offered}
    assert lit <= legal
    far = {way for way in legal if way.startswith("tune") and abs(int(way[-1]) - int(way[-3])) > 1}
    assert legal - lit <= {"end", *far}, "every way has a button; dice are turned pip by pip"
    assert 'name="do" value="end"' in page and "3 dice are not used" in page


def test_cars_on_the_position_track_have_numbers_and_crews() -> None:
    run, entries = on_the_road("Ana", "Bo")
    cars = re.findall(r'<span class="caron"[^>]*>(.*?)</span></span>', page_of(entries[0], run), re.S)
    assert len(cars) == 2
    for entry in entries:
        assert any(f">{entry.start_number}<" in car and entry.crew in car for car in cars)


def test_what_cannot_be_done_says_why_with_its_rule() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    post(ana, run, "prepare")
    page = page_of(ana, run)
    assert "/rules/dust/#N1" in page and "there is not enough traction" in page
    assert "/rules/dust/#B1" in page and "there are not enough keys" in page


def test_steps_are_laid_taken_back_and_sent() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    post(ana, run, "prepare")
    play = next(step for step in offers_on(page_of(ana, run)) if step.startswith("play") and ";" not in step)
    assert lay(ana, run, move=play).status_code == 302
    assert seat_of(run, ana)["board"] == {}, "nothing is played before it is sent"
    page = page_of(ana, run)
    assert f'value="{play}"' in page and "on slot" in page
    before = fields_of(page, "draft")["plan"]
    assert before == "", "one tap is taken back at once"
    lay(ana, run, page, plan=before)
    assert 'name="plan" value=""' in page_of(ana, run)
    lay(ana, run, move=play)
    lay(ana, run, move="end")
    page = page_of(ana, run)
    assert "Send and end" in page and offers_on(page) == []
    assert post(ana, run, f"{play}; end", page).status_code == 302
    assert seat_of(run, ana)["phase"] == "done"
    assert "Your turn of this round is made" in page_of(ana, run)


def test_s9_a_post_runs_up_to_the_first_roll_and_the_rest_comes_back() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    post(ana, run, "prepare")
    assert lay(ana, run, move="risk").status_code == 302
    page = page_of(ana, run)
    assert "Send and roll" in page and "1 risk die" in page, "what the roll can bring stands there before it"
    assert post(ana, run, "risk; end", page).status_code == 302
    mine = seat_of(run, ana)
    assert (mine["phase"], mine["draft"]) == ("drive", ["end"])
    assert 'name="plan" value="end"' in page_of(ana, run)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "rule"),
    [("place 9", "N1"), ("zzqx", "S8"), ("", "S8"), ("prepare", "Q2"), ("risk; " * 80, ""), ("buy nothing", "B1")],
)
def test_bad_orders_are_refused_with_their_rule_and_kept(plan: str, rule: str) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    post(ana, run, "prepare")
    before = seat_of(run, ana)
    answer = post(ana, run, plan)
    page = answer.content.decode()
    if plan.startswith("risk"):
        assert answer.status_code == 302, "eighty rolls are one roll and a draft"
        return
    assert answer.status_code == 422
    assert f"<strong>{rule}</strong>" in page
    assert seat_of(run, ana) == before
    if plan.isprintable() and plan:
        assert f'value="{plan}"' in page, "what was typed is kept"


def test_nobody_retires_by_one_press() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    assert post(ana, run, "", do="resign").status_code == 422
    assert post(ana, run, "", do="resign", sure="yes").status_code == 302
    assert seat_of(run, ana)["phase"] == "out"


def test_q3_cards_are_given_up_by_ticks() -> None:
    run, entries = on_the_road("Ana", "Bo")
    for entry in entries:
        ended(entry, run)
    ana = entries[0]
    card = seat_of(run, ana)["hand"][0]
    page = page_of(ana, run)
    assert f'name="give" value="{card}"' in page
    assert post(ana, run, "", page, do="prepare", give=[card]).status_code == 302
    assert card in seat_of(run, ana)["discard"]


def test_the_page_asks_the_same_queries_for_two_and_four() -> None:
    asked = []
    for crews in (("Ana", "Bo"), ("Ana", "Bo", "Cem", "Dag")):
        run, (ana, *others) = on_the_road(*crews)
        for entry in others:
            post(entry, run, "prepare")
        post(ana, run, "prepare")
        client = signed_in(ana.driver)
        client.get(run.get_absolute_url())
        with CaptureQueriesContext(connection) as queries:
            assert client.get(run.get_absolute_url()).status_code == 200
        asked.append([re.sub(r"[0-9]+|'[^']*'", "?", query["sql"]) for query in queries])
    assert asked[0] == asked[1]
    assert len(asked[0]) <= 22


def test_b4_a_contested_pile_is_explained_when_the_round_closes() -> None:
    """Three people and the codriver, with one copy in each pile. Ana has the most popularity when the round is
    settled.
    """
    run, (ana, bo, cem) = on_the_road("Ana", "Bo", "Cem", spec=rich_set())
    for entry in (ana, bo, cem):
        post(entry, run, "prepare")
        mine = seat_of(run, entry)
        slot = mine["dice"][0][1]
        famous = "do 2; " if entry == ana else "done; "
        plan = f"play {mine['hand'][0]} {slot}; use {slot} p; do 1; {famous}buy {run.state['pool'][0]}; end"
        answer = post(entry, run, plan)
        assert answer.status_code == 302, answer.content.decode()[:3000]
    assert seat_of(run, ana)["aside"] == [] and run.state["round"] == 2
    for viewer in (ana, bo, None):
        page = page_of(viewer, run)
        assert "How round 1 ended" in page and "Contested" in page
        assert "popularity 1, speed points 0; gets 1 of 1" in page
        assert page.count("gets 0 of 1") == 2


def test_a_draft_keeps_what_stands_on_the_page_and_shows_what_is_new() -> None:
    """The page reports who ended the round although the driver's own steps are still there. The way a round ended stays
    on the page.
    """
    run, (ana, bo) = on_the_road("Ana", "Bo")
    for entry in (ana, bo):
        post(entry, run, "", do="prepare")
    client, address = signed_in(ana.driver), f"{run.get_absolute_url()}draft/"

    def laid(page: str, plan: str) -> str:
        shown = re.search(r'"Keeps-Rest": "([0-9a-f]+)"', page)
        version = re.search(r'name="version" value="(\d+)"', page)
        assert shown and version
        headers = {"HX-Request": "true", "HX-Target": "run", "Keeps-Rest": shown[1]}
        answer = client.post(address, {"version": version[1], "plan": plan}, headers=headers)
        assert answer.status_code == 200
        return answer.content.decode()

    page = client.get(run.get_absolute_url()).content.decode()
    assert "hx-preserve" in laid(page, "")
    post(bo, run, "end", do="steps")
    assert "hx-preserve" not in laid(page, "")
    post(ana, run, "end", do="steps")
    page = client.get(run.get_absolute_url()).content.decode()
    assert page.count('id="closed"') == 1, "above the next turn until that begins"
    post(ana, run, "", do="prepare")
    page = client.get(run.get_absolute_url()).content.decode()
    assert page.count('id="closed"') == 1
    short = laid(page, "")
    assert 'id="rest" class="rest" hx-preserve' in short and 'id="closed"' not in short, "it stays with the rest"


def test_the_button_that_ends_the_turn_sends_what_is_laid() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    post(ana, run, "prepare")
    card = seat_of(run, ana)["hand"][0]
    assert post(ana, run, f"play {card} 1", do="end").status_code == 302
    mine = seat_of(run, ana)
    assert mine["phase"] == "done" and mine["board"]["1"]["card"] == card


def test_only_slots_with_a_die_are_lit() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    post(ana, run, "prepare")
    page, shown = page_of(ana, run), {die[1] for die in seat_of(run, ana)["dice"]}
    lit = set(re.findall(r'class="slot lit" id="slot-(\d)"', page))
    closed = set(re.findall(r'class="slot closed" id="slot-(\d)"', page))
    assert lit == shown and closed == set("123456") - shown
    assert set(re.findall(r'data-slot="(\d)" data-lit', page)) == shown


def test_an_answer_leaves_out_the_parts_that_the_page_has() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    post(ana, run, "prepare")
    client, address = signed_in(ana.driver), f"{run.get_absolute_url()}draft/"
    page = client.get(run.get_absolute_url()).content.decode()
    parts = dict(re.findall(r'id="([\w-]+)" data-part="([0-9a-f]+)"', page))
    fields = {"version": fields_of(page, "lay")["version"], "plan": "", "move": "risk"}
    headers = {"HX-Request": "true", "HX-Target": "run"}
    whole = client.post(address, fields, headers=headers).content.decode()
    names = " ".join(f"{name}={shown}" for name, shown in parts.items())
    short = client.post(address, fields, headers={**headers, "Keeps-Parts": names}).content.decode()
    assert "hx-preserve" not in whole
    for name in parts:
        assert f'<div id="{name}" hx-preserve="true"></div>' in short, name
    stale = client.post(address, fields, headers={**headers, "Keeps-Parts": "strip-road=0000000000"}).content.decode()
    assert 'id="strip-road" data-part=' in stale
