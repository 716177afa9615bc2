"""Drivers who press random buttons: every button of every form on the page works."""

import random
import re
from html import unescape

import pytest
from django.test import Client

from championship.runs.models import Run
from championship.runs.play import rebuild
from engine import registry
from tests.championship.runs.factories import desk_of, on_the_road

pytestmark = pytest.mark.django_db

STEPS = 80


def panel_of(page):
    """The part of the stage page in which the driver acts. A template in it is no part of the page."""
    panel = page.content.decode().split('id="panel"')[1].split('id="road-order"')[0]
    return re.sub(r"<template.*?</template>", "", panel, flags=re.S)


def posts_on(panel):
    """Yields the address and the data of every possible post: one per button, and another with all boxes ticked."""
    for tag, form in re.findall(r'<form( [^>]*method="post"[^>]*)>(.*?)</form>', panel, re.S):
        action = re.search(r'action="([^"]*)"', tag).group(1)
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
        typed = dict(re.findall(r'<input type="(?:text|number)" name="(\w+)"[^>]*? value="([^"]*)"', form))
        typed |= dict(re.findall(r'<input type="radio" name="(\w+)" value="([^"]*)"', form))
        ticks = re.findall(r'<input type="checkbox" name="(\w+)" value="(\w+)"', form)
        for button in re.findall(r"<button([^>]*)>", form):
            named = re.findall(r'name="(\w+)" value="([^"]*)"', button)
            target = re.search(r'formaction="([^"]*)"', button)
            pressed = {name: unescape(value) for name, value in [*hidden.items(), *typed.items(), *named]}
            if pressed.get("do") == "retire":
                continue
            yield target.group(1) if target else action, pressed
            if ticks:
                yield target.group(1) if target else action, pressed | dict(ticks)


def one_step(dice, desk, run):
    """Press random buttons until one of them posts to the turn. Every post must be accepted."""
    for _press in range(200):
        page = desk.get(run.get_absolute_url())
        assert page.status_code == 200
        posts = list(posts_on(panel_of(page)))
        assert posts, "a driver whose turn it is can do something"
        turns = [post for post in posts if post[0].endswith("/turn/")]
        path, pressed = dice.choice(turns if turns and dice.random() < 0.6 else posts)
        answer = desk.post(path, pressed)
        assert answer.status_code == 302, f"{path} {pressed}: {answer.content.decode()[:3000]}"
        if path.endswith("/turn/"):
            return pressed
    raise AssertionError("the driver lays and lays")


@pytest.mark.slow
def test_every_button_on_the_page_works():
    dice = random.Random(11)
    run, entries = on_the_road("Ana", "Bo", stages=("4/1",))
    desks = {str(entry.start_number): desk_of(entry) for entry in entries}
    looker, done = Client(), []
    for step in range(STEPS):
        (driver,) = registry.get(run.game).to_play(run.state)
        done.append(one_step(dice, desks[driver], run))
        if step % 10 == 0:
            assert looker.get(run.get_absolute_url()).status_code == 200
            assert looker.get(f"{run.get_absolute_url()}log/").status_code == 200
        run.refresh_from_db()
        if run.status == Run.Status.FINISHED:
            break
    assert rebuild(run=run) == run.state
    assert run.version >= len(done)
    assert {chosen["do"] for chosen in done} >= {"lay", "roll", "standing"}
