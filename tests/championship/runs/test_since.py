"""What the others did since one's last turn stands above the turn, and can be watched."""

import re

import pytest

from tests.championship.runs.factories import desk_of, on_the_road, play

pytestmark = pytest.mark.django_db


def since_on(desk, run):
    """Return the part of the page, "" where there is none."""
    html = desk.get(run.get_absolute_url()).content.decode()
    found = re.search(r'<section class="card since".*?</section>', html, re.S)
    return found[0] if found else ""


def played_by_the_first():
    """Let the first car drive until the other one is to play. Returns the run, the first entry and the other one."""
    run, (ana, bo) = on_the_road("Ana", "Bo")
    first, other = (ana, bo) if run.state["queue"][0] == str(ana.start_number) else (bo, ana)
    for plan in ("1:1.2.l", "2:1.3.l"):
        play(run, first, do="standing", plan=plan, roll="one by one")
        run.refresh_from_db()
    assert run.state["queue"][0] == str(other.start_number)
    return run, first, other


def test_nothing_is_told_before_anybody_has_driven():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    assert since_on(desk_of(ana), run) == since_on(desk_of(bo), run) == ""


def test_the_turns_of_the_others_are_told_above_ones_turn():
    run, first, other = played_by_the_first()
    told = since_on(desk_of(other), run)
    assert first.crew in told and other.crew not in told
    assert since_on(desk_of(first), run) == "", "it is not their turn"
    watch = re.search(r'href="([^"]*/replay/[^"]*)"', told)
    assert watch is not None and "play=1" in watch[1]
    page = desk_of(other).get(watch[1].replace("&amp;", "&")).content.decode()
    assert 'data-starts="true"' in page and "To your turn" in page


def test_after_the_own_turn_it_is_gone():
    run, _first, other = played_by_the_first()
    play(run, other, do="lay", plan="1:1.2.r", roll="one by one")
    assert since_on(desk_of(other), run) == ""


def test_a_change_of_the_draft_keeps_it():
    run, _first, other = played_by_the_first()
    desk = desk_of(other)
    page = desk.get(run.get_absolute_url())
    shows = re.search(r'"Keeps-Rest": "([^"]*)"', page.content.decode())
    answer = desk.post(
        f"{run.get_absolute_url()}draft/",
        {"version": page.context["page"].version, "plan": "", "move": page.context["moves"][0].text},
        headers={"HX-Request": "true", "HX-Target": "run", "Keeps-Rest": shows[1] if shows else ""},
    )
    assert answer.status_code == 200 and '<div id="since" hx-preserve="true"></div>' in answer.content.decode()
