"""A league moves in: from an empty site to a public club with an old season, a running one, and a rally driven by many.

People act through the pages. Only the turns are played through the services, as a page would call them.
"""

import re
from datetime import date, timedelta
from random import Random

import pytest
from django.core.cache import cache
from django.test import Client

from championship.accounts.models import User
from championship.clubs.models import Club, JoinRequest
from championship.platform import clock
from championship.rallies.models import Entry, Rally
from championship.runs.models import Turn
from championship.seasons.calendar_fit import fit_of
from championship.seasons.models import Championship, SeasonDraft
from championship.stages.models import StageDesign
from championship.stages.services import load_library
from tests.championship.lists.steps import Steps
from tests.championship.runs.test_a_rally_in_four_weeks import weeks_of
from tests.championship.seasons.scenes import typed
from tests.factories import mailbox

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("at")]
COME, DRIVE = 30, 12
OLD = """\
rally;date;name;place
Monte Carlo;2025-01-20;Olga;1
Monte Carlo;;Ana of Old;2
Ypres;2025-06-20;Ana of Old;1
Ypres;;Olga;ret
"""


@pytest.fixture(autouse=True)
def entrance(settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    cache.clear()


def newcomer(name: str, *, next_page: str = "") -> Client:
    """Return a client after signing up with the code from the mail, and returning to `next_page`."""
    client, address = Client(), f"{name.replace(' ', '.').lower()}@example.org"
    form = {"email": address, "name": name, "language": "en", "time_zone": "Europe/Warsaw", "next": next_page}
    assert client.post("/account/signup/", form).status_code == 302
    code = re.search(r"^ {4}(\S+)$", mailbox().filter(to=address).latest("pk").body, re.MULTILINE)
    assert code is not None
    answer = client.post("/account/confirm-email/", {"code": code[1]})
    assert answer.status_code == 302
    if next_page:
        assert answer["Location"] == next_page
    return client


def season_made(client: Client, club: Club, name: str, *, rounds: int = 0, stage: StageDesign | None = None) -> None:
    """Create a season in the wizard, step by step: so many rounds four weeks apart, each with one stage. Everything
    else is as the wizard suggests.
    """
    client.post(f"/clubs/{club.slug}/championships/new/", {"name": name})
    draft = SeasonDraft.objects.get(made=None)
    page = f"/season-drafts/{draft.key}/"

    def send(step: str, **changed: str) -> None:
        said = typed(client.get(page + step).content.decode())
        assert client.post(page + step, {**said, **changed}).status_code == 302, step

    send("points/")
    send("classes/")
    if rounds:
        first = clock.now().date() + timedelta(days=1)
        send("calendar/", action="fill:", fill_count=str(rounds), fill_first=str(first), fill_weeks="4")
        for number in range(1, rounds + 1):
            send(f"calendar/{number}/", **{f"stage_{each}": "" for each in range(2, 4)}, stage_1=str(stage.pk))
    send("rallies/")
    assert client.get(page + "preview/").status_code == 200
    draft.refresh_from_db()
    made = client.post(page + "make/", {"version": draft.version})
    assert made.status_code == 302, made.content.decode()


def test_a_league_moves_in(at) -> None:
    load_library()
    assert not User.objects.exists() and not Club.objects.exists()

    olga = newcomer("Olga")
    olga.post("/clubs/new/", {"name": "Rallyeclub Wiking"})
    club = Club.objects.get()
    home = f"/clubs/{club.slug}/"
    face = {"name": club.name, "visibility": "public", "about": "We drive by mail.", "takes_requests": "on"}
    assert olga.post(f"{home}face/", face).status_code == 302
    assert home in Client().get("/open/").text

    season_made(olga, club, "2025")
    old = Championship.objects.get(name="2025")
    Steps(olga).all_of(f"/lists/championships/{old.key}/results/", OLD)
    assert list(old.rounds.order_by("number").values_list("rally__name", "planned_for")) == [
        ("Monte Carlo", date(2025, 1, 20)),
        ("Ypres", date(2025, 6, 20)),
    ]
    shown = Client().get(old.get_absolute_url()).text
    assert shown.index("Ana of Old") < shown.index("Olga"), "second and first stand before first alone"

    season_made(olga, club, "2026", rounds=2, stage=StageDesign.objects.get(club=None, source="1/3"))
    cup = Championship.objects.get(name="2026")
    rally = cup.rounds.select_related("rally").get(number=1).rally
    assert rally.together and rally.table_size == 3, "what the wizard suggests to a league"
    page = rally.get_absolute_url()
    assert page in Client().get("/open/").text

    crews = [f"Crew {number:02}" for number in range(1, COME + 1)]
    drivers = come_by_the_link(olga, club, rally, crews)
    desk = f"{page}desk/"
    assert olga.post(f"{desk}confirm-all/").status_code == 302
    assert rally.entries.filter(status=Entry.Status.CONFIRMED).count() == COME
    for crew in crews[DRIVE:]:
        entry = rally.entries.get(crew=crew)
        assert drivers[crew].post(f"/rallies/{rally.key}/entries/{entry.pk}/withdraw/").status_code == 302
    reckoned = fit_of(rally, clock.now().date())
    assert not reckoned.overlaps_next, "it is over before the next round"
    assert olga.post(f"{desk}start/").status_code == 302

    took = weeks_of(rally, at, Random("a league"))
    assert 0.7 < took / timedelta(seconds=reckoned.takes.likely) < 1.3, (took, reckoned)
    assert took < timedelta(seconds=reckoned.takes.most)
    assert Turn.objects.filter(missed=True).count() <= 3
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED

    stranger = Client()
    winner = re.search(r"Crew \d\d", stranger.get(f"{page}podium/").text)
    assert winner is not None
    standings = stranger.get(cup.get_absolute_url()).text
    assert winner[0] in standings and crews[-1] not in standings
    assert "2026" in stranger.get(page).text, "the rally's page names its season"
    assert stranger.get(f"{page}podium.png").status_code == 200
    assert stranger.get(desk).status_code in (302, 403, 404)


def come_by_the_link(olga: Client, club: Club, rally: Rally, crews: list[str]) -> dict[str, Client]:
    """Strangers open the rally, sign up, request to join and, when the organiser has accepted them, enter. Return their
    clients.
    """
    enter, drivers = f"{rally.get_absolute_url()}enter/", {}
    assert f"/account/signup/?next={enter}" in Client().get(rally.get_absolute_url()).text
    for crew in crews:
        drivers[crew] = client = newcomer(crew, next_page=enter)
        ask = client.get(enter)["Location"]
        assert ask == f"/ask/{club.key}/?next={enter}"
        client.post(ask, {"words": "I drove with you on paper"})
    requests = f"/clubs/{club.slug}/requests/"
    for asked in JoinRequest.objects.all():
        assert olga.post(requests, {"request": asked.pk, "accept": "yes"}).status_code == 302
    for crew, client in drivers.items():
        assert client.get(enter).status_code == 200
        assert client.post(enter, {"crew": crew}).status_code == 302
    return drivers
