"""Rally 1 of the rulebook, over HTTP, with four signed-in drivers: from the club to the championship table."""

import re

import pytest
from django.test import Client

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.notices.models import Notice
from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Run
from championship.runs.play import rebuild
from championship.seasons.models import Championship, SeasonDraft
from championship.stages.services import load_library
from tests.championship.runs.factories import drive_stage
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

PENALTIES = {"1": 0, "2": 1, "3": 2, "4": 0}


def follow(client: Client, path: str, data: dict[str, object] | None = None, status: int = 200) -> str:
    """Open or post, follow redirects, and return the page. The status must be as given."""
    answer = client.get(path) if data is None else client.post(path, data, follow=True)
    assert answer.status_code == status, f"{path}: {answer.status_code}\n{answer.content.decode()[:3000]}"
    return answer.content.decode()


def fill_in(client: Client, path: str, **typed: object) -> str:
    """Open a page, change its form, send it, and return the page that follows."""
    form = client.get(path).context["form"]
    data = {field.html_name: field.value() for field in form if field.value() not in (None, False)}
    return follow(client, path, {**data, **typed})


@pytest.fixture
def olga() -> Client:
    return signed_in(make_user("Olga"))


def a_club(olga: Client) -> Club:
    follow(olga, "/clubs/new/", {"name": "Rallyeclub Nordschleife"})
    return Club.objects.get(name="Rallyeclub Nordschleife")


def four_members(olga: Client, club: Club) -> dict[str, Client]:
    answer = olga.post(f"/clubs/{club.slug}/invitations/", {"roles": ["driver"], "days": 7, "max_uses": 4})
    assert answer.status_code == 201
    page = answer.content.decode()
    link = re.search(r"/join/[\w-]+/", page)
    assert link, "the organiser is shown the link that invites"
    drivers = {}
    for name in ("Ana", "Bo", "Cy", "Dee"):
        drivers[name] = signed_in(make_user(name))
        follow(drivers[name], link.group())
        follow(drivers[name], link.group(), {})
    return drivers


def a_season(olga: Client, club: Club) -> Championship:
    """Create a season in the wizard with only a name given: the suggestions suit most clubs."""
    follow(olga, f"/clubs/{club.slug}/championships/new/", {"name": "Cup 2026"})
    draft = SeasonDraft.objects.get()
    follow(olga, f"/season-drafts/{draft.key}/make/", {"version": draft.version})
    return Championship.objects.get(name="Cup 2026")


def a_rally(olga: Client, club: Club) -> Rally:
    fill_in(olga, f"/clubs/{club.slug}/rallies/new/", name="Rallye Eins", route="1")
    return Rally.objects.get(name="Rallye Eins")


@pytest.mark.slow
def test_four_drivers_drive_rally_1_to_podium_and_table(olga: Client) -> None:
    """F3 to F6, O2: three stages with service and time control. Sheet, podium and table agree with the stage times."""
    load_library()
    club = a_club(olga)
    drivers = four_members(olga, club)
    cup = a_season(olga, club)
    rally = a_rally(olga, club)
    fill_in(olga, f"/championships/{cup.key}/rounds/add/", rally=rally.pk)
    for name, client in drivers.items():
        follow(client, f"/rallies/{rally.key}/enter/", {"crew": f"{name} / Kim", "car_class": "RC2"})
    follow(olga, f"/rallies/{rally.key}/desk/confirm-all/", {})
    follow(olga, f"/rallies/{rally.key}/desk/draw/", {})
    follow(olga, f"/rallies/{rally.key}/desk/start/", {})

    numbers = dict(rally.entries.values_list("driver__name", "start_number"))
    clients = {str(numbers[name]): client for name, client in drivers.items()}
    for stage in (1, 2, 3):
        drive_stage(rally, stage, clients)
        if stage < 3:
            for number, client in clients.items():
                follow(
                    client,
                    f"/rallies/{rally.key}/stages/{stage}/control/",
                    {"penalties": PENALTIES[number]},
                )

    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    assert set(rally.stages.values_list("status", flat=True)) == {SpecialStage.Status.DONE}
    totals = seconds_of(rally)
    assert_sheet_podium_and_table(rally, cup, totals)
    for run in Run.objects.filter(special_stage__rally=rally):
        assert rebuild(run=run) == run.state
    waits = Notice.objects.filter(kind="turn waits")
    assert waits.exclude(status=Notice.Status.QUEUED).count() == waits.count(), "every notice was sent or dropped"


def seconds_of(rally: Rally) -> dict[str, int]:
    """Return each crew's total of stages 1 and 2, computed here from stage times and penalties."""
    totals = {}
    for entry in rally.entries.all():
        driven = [time.measure for time in entry.times.all()]
        assert len(driven) == 3
        totals[entry.crew] = sum(driven) + 2 * 5 * PENALTIES[str(entry.start_number)]
    return totals


def clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"


def assert_sheet_podium_and_table(rally: Rally, cup: Championship, totals: dict[str, int]) -> None:
    reader = Client()
    order = sorted(totals, key=totals.__getitem__)
    sheet = follow(reader, f"/rallies/{rally.key}/sheet/")
    for crew, seconds in totals.items():
        assert crew in sheet
        assert clock(seconds) in sheet
    podium = follow(reader, f"/rallies/{rally.key}/podium/")
    steps = podium[podium.index('class="podium"') :]
    assert clock(totals[order[0]]) in steps[: steps.index("</ol>")]
    table = follow(reader, f"/championships/{cup.key}/")
    winner = User.objects.get(name=order[0].split(" / ")[0])
    assert winner.name in table
    assert "25" in table
