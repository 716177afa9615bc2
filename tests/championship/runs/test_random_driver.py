"""Drivers who press whatever the page offers them: every link and button of the turn form works."""

import random
import re
from html import unescape

import pytest
from django.test import Client

from championship.runs.models import Run
from championship.runs.services import rebuild
from engine import ruleset
from tests.championship.runs.factories import desk_of, on_the_road

pytestmark = pytest.mark.django_db

STEPS = 40


def panel_of(page):
    """The part of the stage page in which the driver acts."""
    return page.content.decode().split('id="panel"')[1].split('id="road-order"')[0]


def posts_on(panel):
    """What may be posted from here, one for each button, ticked where there is a box to tick, and not."""
    for form in re.findall(r'<form method="post".*?</form>', panel, re.S):
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
        ticks = re.findall(r'<input type="checkbox" name="(\w+)" value="(\w+)"', form)
        for button in re.findall(r'<button[^>]*name="(\w+)" value="([^"]*)"', form):
            pressed = {name: unescape(value) for name, value in [*hidden.items(), button]}
            yield pressed
            if ticks:
                yield pressed | dict(ticks)


def links_on(panel):
    """The plans that one more move leads to, or one less."""
    return [unescape(href) for href in re.findall(r'href="([^"]*\?plan=[^"]*)"', panel)]


def one_step(dice, desk, run):
    """The driver follows links until a button is pressed; that must be taken."""
    path = run.get_absolute_url()
    while True:
        page = desk.get(path)
        assert page.status_code == 200, path
        panel = panel_of(page)
        posts, links = list(posts_on(panel)), links_on(panel)
        assert posts or links, "a driver whose turn it is can do something"
        if posts and (not links or dice.random() < 0.6):
            chosen = dice.choice(posts)
            answer = desk.post(f"/runs/{run.key}/turn/", chosen)
            assert answer.status_code == 302, f"{chosen}: {answer.content.decode()[:3000]}"
            return chosen
        path = run.get_absolute_url() + re.sub(r"^[^?]*", "", dice.choice(links)).partition("#")[0]


def test_whatever_the_page_offers_may_be_done():
    dice = random.Random(7)
    run, entries = on_the_road("Ana", "Bo", stages=("4/1",))
    desks = {str(entry.start_number): desk_of(entry) for entry in entries}
    looker, done = Client(), []
    for step in range(STEPS):
        (driver,) = ruleset.get(run.game).to_play(run.state)
        done.append(one_step(dice, desks[driver], run))
        if step % 10 == 0:
            assert looker.get(run.get_absolute_url()).status_code == 200
            assert looker.get(f"{run.get_absolute_url()}log/").status_code == 200
        run.refresh_from_db()
        if run.status == Run.Status.FINISHED:
            break
    assert rebuild(run=run) == run.state
    assert run.version >= len(done)
    assert {chosen["do"] for chosen in done} >= {"lay", "roll", "stop"}
