"""Bots: accounts marked as such, admitted one by one, that may only play turns; and the two example bots, over real
HTTP.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings as django_settings
from django.http import Http404

from championship.api.models import Token
from championship.api.services import become_bot, make_token
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.platform.refusals import Forbidden, Refused
from championship.rallies import services as rally_services
from championship.rallies.models import Entry, SpecialStage
from championship.runs.models import Post, Run
from championship.stages.services import create_design
from engine.dirt.course import random_stages
from tests.championship.api.factories import program_of
from tests.championship.rallies.factories import damaged, drive, enter, make_rally, organiser_of
from tests.contract import tables
from tests.contract.conftest import toys
from tests.factories import freshly_signed_in, make_club, make_member, make_user, signed_in
from tests.games.dust.pages.scenes import make_rally as make_dusty_rally
from tests.games.formula_d.pages.tables import POND, make_race

__all__ = ["toys"]

pytestmark = pytest.mark.django_db
EXAMPLES = Path(django_settings.BASE_DIR) / "examples"


def make_bot(club, name="Robo"):
    """Create a bot that drives for a club."""
    return become_bot(by=make_member(club, name=name))


def test_an_account_becomes_a_bots_by_a_button_and_fresh_proof():
    ana = make_user("Robo")
    _token, text = make_token(by=ana, name="Before", scopes=["play"])
    assert signed_in(ana).post("/me/programs/bot/").status_code == 302
    ana.refresh_from_db()
    assert not ana.is_bot, "a stolen session changes nothing"
    freshly_signed_in(ana).post("/me/programs/bot/")
    ana.refresh_from_db()
    assert ana.is_bot and text and Token.objects.get().revoked_at is not None
    page = signed_in(ana).get("/me/programs/").content.decode()
    assert "only makes turns" in page and 'value="play"' not in page


def test_a_person_with_duties_or_results_cannot_become_a_bot():
    rally = make_rally()
    [entry] = enter(rally, "Ana")
    for person in (organiser_of(rally), entry.driver):
        with pytest.raises(Refused):
            become_bot(by=person)


def test_a_bot_gives_no_token_but_for_turns():
    bot = make_bot(make_club())
    with pytest.raises(Refused):
        make_token(by=bot, name="More", scopes=["play"])
    assert make_token(by=bot, name="Turns", scopes=["bot"])


def test_a_person_who_becomes_a_bot_meanwhile_gets_no_token_with_more_scopes():
    asks = make_member(make_club(), name="Robo")
    become_bot(by=asks)
    assert not asks.is_bot, "the request knows the account as it was"
    with pytest.raises(Refused) as refusal:
        make_token(by=asks, name="More", scopes=["play"])
    assert refusal.value.field == "scopes" and not Token.objects.exists()


def test_a_bot_drives_and_nothing_else_whatever_roles_it_is_given():
    club = make_club()
    bot = make_bot(club)
    club.memberships.filter(user=bot).update(roles=[Role.ORGANISER, Role.STEWARD, Role.DRIVER])
    assert require_role(bot, club, Role.DRIVER) == {Role.DRIVER}
    with pytest.raises(Forbidden):
        require_role(bot, club, Role.ORGANISER)
    with pytest.raises(Http404):
        require_role(bot, make_club(name="Other"))


def test_a_bot_is_admitted_by_confirming_it_and_named_in_results():
    rally = make_rally()
    bot = make_bot(rally.club)
    entry = rally_services.enter_rally(by=bot, rally=rally, crew="R" * 80)
    assert entry.crew.endswith("R (bot)") and len(entry.crew) == 80
    assert rally_services.confirm_all(by=organiser_of(rally), rally=rally) == []
    rally_services.confirm_entry(by=organiser_of(rally), entry=entry)
    told = program_of(make_user()).get(f"rallies/{rally.key}/entries").json()
    assert [(each["crew"][-5:], each["bot"]) for each in told] == [("(bot)", True)]


@pytest.mark.usefixtures("nobody_listens")
def test_time_control_does_not_wait_for_a_bot():
    rally = make_rally()
    olga = organiser_of(rally)
    bot = rally_services.enter_rally(by=make_bot(rally.club), rally=rally, crew="Robo")
    rally_services.confirm_entry(by=olga, entry=bot)
    rally_services.start_rally(by=olga, rally=rally)
    drive(rally, 1, {Entry.objects.get(pk=bot.pk): 100}, cars={bot: damaged(gear=2, spare=False)})
    assert rally.stages.get(number=1).status == SpecialStage.Status.DONE


def run_bot(command, live_server, token, *runs):
    """Run an example bot until the runs are over."""
    environment = {"PATH": os.environ["PATH"], "PARC_FERME": live_server.url, "TOKEN": token, "PAUSE": "0.1"}
    bot = subprocess.run([*command, *runs], env=environment, capture_output=True, text=True, timeout=480, check=False)
    assert bot.returncode == 0, bot.stdout + bot.stderr
    return bot.stdout


def commands():
    """The commands that start the example bots."""
    node = shutil.which("node") or shutil.which("nodejs")
    javascript = pytest.param([node or "node", str(EXAMPLES / "bot.mjs")], id="javascript",
        marks=[] if node else pytest.mark.skip("there is no Node here"))  # fmt: skip
    return [pytest.param([sys.executable, str(EXAMPLES / "bot.py")], id="python"), javascript]


WORLDS = {  # a whole rally of DIRT is in another test below
    "dash": lambda: tables.make_rally("dash"),
    "hush": lambda: tables.make_rally("hush"),
    "formula_d": lambda: make_race(POND),
    "dust": lambda: make_dusty_rally(options={"cards": "5"}),
}
BOTS = {"hush": 2, "formula_d": 2}
"""The number of bots that drive each game. One drives alone if the game is not listed."""


def stage_for_bots(game, bots):
    """Return a run of a stage on the road that only bots drive."""
    rally = WORLDS[game]()
    olga = organiser_of(rally)
    for bot in (make_bot(rally.club, name=f"Robo {number}") for number in range(bots)):
        entry = rally_services.enter_rally(by=bot, rally=rally, crew=bot.name)
        rally_services.confirm_entry(by=olga, entry=entry)
    rally_services.start_rally(by=olga, rally=rally)
    return Run.objects.get(special_stage__rally=rally)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("command", commands())
@pytest.mark.parametrize("game", WORLDS)
def test_an_example_drives_a_whole_stage_over_http(live_server, toys, settings, command, game):
    settings.API_LIMITS = {"read": 100_000, "write": 100_000, "address": 100_000}
    run = stage_for_bots(game, bots=BOTS.get(game, 1))
    seats = list(run.seats.select_related("entry__driver"))
    tokens = [make_token(by=seat.entry.driver, name="Bot", scopes=["bot"])[1] for seat in seats]
    others = [
        subprocess.Popen(
            [*command, run.key],
            env={"PATH": os.environ["PATH"], "PARC_FERME": live_server.url, "TOKEN": token, "PAUSE": "0.1"},
        )
        for token in tokens[1:]
    ]
    try:
        said = run_bot(command, live_server, tokens[0], run.key)
    finally:
        for other in others:
            other.terminate()
            other.wait()
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED and "finished" in said
    assert Post.objects.filter(run=run, by=seats[0].entry.driver).exclude(salt="").exists()


def four_tiles(by, club, seed):
    """Return a short stage of the club, with a service park at its end."""
    spec = random_stages.build(tiles=4, seed=seed, service=True)
    return create_design(by=by, club=club, name=f"Four tiles {seed}", game="dirt", spec=spec)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(not (shutil.which("node") or shutil.which("nodejs")), reason="there is no Node here")
def test_both_examples_drive_a_rally_from_start_to_finish_over_http(live_server, settings):
    """One example uses a bot account, the other a person's token with permission to drive: this one also hands in cards
    at time control.
    """
    settings.API_LIMITS = {"read": 100_000, "write": 100_000, "address": 100_000}
    olga = make_user("Olga")
    club = make_club(owner=olga)
    rally = make_rally(by=olga, club=club, own_designs=[four_tiles(olga, club, seed) for seed in (1, 2)])
    bot, ana = make_bot(club), make_member(club, name="Ana")
    for driver in (bot, ana):
        entry = rally_services.enter_rally(by=driver, rally=rally, crew=driver.name)
        rally_services.confirm_entry(by=olga, entry=entry)
    rally_services.start_rally(by=olga, rally=rally)
    commands_by_name = {each.id: each.values[0] for each in commands()}
    tokens = {
        "python": make_token(by=bot, name="Bot", scopes=["bot"])[1],
        "javascript": make_token(by=ana, name="At the wheel", scopes=["play"])[1],
    }
    with ThreadPoolExecutor() as at_work:
        at_wheel = [
            at_work.submit(run_bot, commands_by_name[name], live_server, token, f"rallies/{rally.key}")
            for name, token in tokens.items()
        ]
        assert all("finished" in each.result() for each in at_wheel)
    assert set(rally.stages.values_list("status", flat=True)) == {SpecialStage.Status.DONE}
    assert rally.stages.get(number=1).cards.filter(entry__driver=ana, by=ana).exists()
    for stage in rally.stages.all():
        assert set(stage.times.values_list("entry__driver", flat=True)) == {bot.pk, ana.pk}


PRINTED_WAITS = {
    "python": """
import http.client, runpy, sys, time
def request(*sent, **more): raise OSError
http.client.HTTPConnection.request = request
time.sleep = lambda seconds: print("waits", int(seconds))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
""",
    "javascript": """
globalThis.fetch = async () => { throw new Error("no answer"); };
globalThis.setTimeout = (then, milliseconds) => { console.log("waits", milliseconds / 1000); queueMicrotask(then); };
""",
}
"""Code for each language that lets all requests fail and prints the waits instead of waiting."""


@pytest.mark.parametrize("command", commands())
def test_the_examples_wait_equally_long_before_they_send_again(command):
    program, example = command
    code = PRINTED_WAITS["python" if example.endswith(".py") else "javascript"]
    start = ["-c", code] if example.endswith(".py") else ["--import", f"data:text/javascript,{quote(code)}"]
    bot = subprocess.run([program, *start, example, "RUN"], capture_output=True, text=True, timeout=60, check=False)
    assert bot.returncode != 0 and "no answer" in bot.stderr
    assert bot.stdout.split() == [word for seconds in (0, 1, 3, 7, 15, 31) for word in ("waits", str(seconds))]


@pytest.mark.parametrize("name", ["bot.py", "bot.mjs"])
def test_an_example_is_short(name):
    assert len((EXAMPLES / name).read_text("utf-8").splitlines()) < 150
