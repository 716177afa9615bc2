"""What is taken away of a season: files that say what the pages say, for those who may see it and nobody else."""

import csv
import io
import json
from datetime import date

import icalendar
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from PIL import Image
from pypdf import PdfReader
from python_calamine import CalamineWorkbook

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.papers import big_files
from championship.papers.models import BigFile
from championship.papers.services import keeping
from championship.platform import clock
from championship.rallies.models import Rally
from championship.seasons.models import Championship, Round
from championship.seasons.scoring.season_file import tables_of
from championship.seasons.selectors import table
from championship.seasons.services import adjusting, registering
from tests.championship.rallies.factories import make_rally
from tests.championship.seasons.scenes import people, season
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db
FILES = (
    *("standings.csv", "standings.csv?teams", "standings.csv?class=1", "standings.csv?calendar", "season.xlsx"),
    *("season.pdf", "yearbook.pdf", "season.json", "calendar.ics", "qr.svg", "standings.png", "take-away/"),
    "standings.png?shape=banner&lang=de",
)


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


@pytest.fixture
def made(olga, club) -> Championship:
    """Three rounds of four drivers in two classes and two teams; the worst round is dropped, and points are taken."""
    crew = people(club, 4)
    made = season(club, olga, crew, rounds=3, name="Süd-Cup", points=[10, 6.5, 4, 3], drop=1, classes=["R5", "R2"])
    teams = registering.name_teams(by=olga, championship=made, names=["North", "South"])
    for at, driver in enumerate(crew):
        registering.register(by=olga, championship=made, driver=driver, crew="Crew", car_class="R5", team=teams[at % 2])
    adjusting.give_points(by=olga, championship=made, driver=crew[0], points=-150, reason="Late at the desk.")
    return Championship.objects.get(pk=made.pk)


def fetch(made, rest: str, client: Client | None = None, **headers: str):
    answer = (client or Client()).get(f"{made.get_absolute_url()}{rest}", headers=headers)
    assert answer.status_code == 200, (rest, answer.status_code)
    return answer


def rows_of(answer, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=delimiter))


@pytest.mark.parametrize("visibility", [Club.Visibility.LINK, Club.Visibility.MEMBERS])
def test_who_may_see_the_season_may_take_it_away(made, olga, visibility):
    Club.objects.update(visibility=visibility)
    open_to_all = visibility == Club.Visibility.LINK
    for rest in FILES:
        address = f"{made.get_absolute_url()}{rest}"
        assert (rest, Client().get(address).status_code) == (rest, 200 if open_to_all else 403)
        found = signed_in(make_user()).get(address, headers={"If-None-Match": "*"}).status_code
        assert (rest, found in (200, 304) if open_to_all else found) == (rest, True if open_to_all else 404)
        answer = signed_in(olga).get(address)
        assert (rest, answer.status_code) == (rest, 200)
        assert open_to_all or "public" not in answer.get("Cache-Control", ""), rest


def test_files_say_what_the_table_says(made):
    lines = table(made).drivers
    [head, *rows] = rows_of(fetch(made, "standings.csv"))
    assert head[:5] == ["Pos.", "Driver", "Points", "Wins", "1: Rally 1"]
    assert [(row[0], row[1], row[2]) for row in rows] == [
        (str(line.place), str(line.who), str(line.total)) for line in lines
    ]
    assert sum(cell.endswith(" dropped") for row in rows for cell in row) == 4
    [_head, *in_german] = rows_of(fetch(made, "standings.csv", **{"Accept-Language": "de"}), ";")
    assert [row[2] for row in in_german] == [str(line.total).replace(".", ",") for line in lines]
    book = CalamineWorkbook.from_filelike(io.BytesIO(fetch(made, "season.xlsx").content))
    assert book.sheet_names == ["Drivers", "Class R5", "Class R2", "Teams", "Calendar"]
    [_head, *found] = book.get_sheet_by_name("Drivers").to_python()
    assert [(row[1], row[2]) for row in found] == [(str(line.who), float(line.total)) for line in lines]
    for name in ("season.pdf", "yearbook.pdf"):
        pages = "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(fetch(made, name).content)).pages)
        assert all(str(line.who) in pages for line in lines), name
        assert "Süd-Cup" in pages
        assert ("Records of the season" in pages) == (name == "yearbook.pdf")


def test_the_season_as_a_document_gives_the_tables_of_the_pages(made, club):
    first, second = list(table(made).people.values())[:2]
    second.name = first.name.upper()
    second.save()
    shown = table(Championship.objects.get(pk=made.pk))
    found = tables_of(json.loads(fetch(made, "season.json").content))
    assert [(line["place"], line["points"]) for line in found["drivers"]] == [
        (line.place, float(line.total)) for line in shown.drivers
    ]
    assert [(line["team"], line["points"]) for line in found["teams"]] == [
        (str(line.who), float(line.total)) for line in shown.teams
    ]
    assert len({line["driver"] for line in found["drivers"]}) == 4


@pytest.mark.parametrize("rounds", [1, 4])
def test_a_yearbook_takes_as_few_queries_for_many_rounds(olga, club, rounds, django_assert_max_num_queries):
    made = season(club, olga, people(club, 2), rounds=rounds, name="Cup")
    with django_assert_max_num_queries(20):
        fetch(made, "yearbook.pdf")


def test_a_file_is_sent_once_and_made_again_when_the_season_changes(made, olga):
    for rest in ("yearbook.pdf", "season.xlsx", "standings.png?shape=square&lang=en"):
        first = fetch(made, rest)
        assert fetch(made, rest).content == first.content
        address = f"{made.get_absolute_url()}{rest}"
        assert Client().get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    before = fetch(made, "season.pdf")["ETag"]
    adjusting.give_points(
        by=olga, championship=made, driver=table(made).drivers[0].who, points=100, reason="Marshals' praise."
    )
    assert fetch(made, "season.pdf")["ETag"] != before


def test_pictures_have_the_size_that_is_asked_for_and_other_sites_may_show_them(made):
    sizes = {"": (1200, 630), "?shape=square": (1080, 1080), "?shape=tall": (1080, 1920), "?shape=banner": (468, 160)}
    for query, size in (*sizes.items(), ("?shape=%00", (1200, 630))):
        answer = fetch(made, f"standings.png{query}")
        assert Image.open(io.BytesIO(answer.content)).size == size
        assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "public" in fetch(made, "standings.png?shape=wide&lang=pl")["Cache-Control"]
    page = fetch(made, "").content.decode()
    assert '<meta property="og:image" content="http://testserver' in page
    assert "share the lead" in page.split('property="og:description" content="')[1].split('"')[0]
    for rest in ("standings.png?class=9", "standings.csv?class=0", "standings.csv?class=x"):
        assert Client().get(f"{made.get_absolute_url()}{rest}").status_code == 404


def test_the_calendar_keeps_its_entries_when_a_day_moves(made, olga, club):
    coming = make_rally(by=olga, club=club, name="Finale")
    planned = Round.objects.create(championship=made, rally=coming, number=4, planned_for=date(2027, 5, 1))
    first = icalendar.Calendar.from_ical(fetch(made, "calendar.ics").content)
    days = {str(event["UID"]): event["DTSTART"].dt for event in first.walk("VEVENT")}
    assert len(days) == 4
    Round.objects.filter(pk=planned.pk).update(planned_for=date(2027, 5, 8))
    second = icalendar.Calendar.from_ical(fetch(made, "calendar.ics").content)
    moved = {str(event["UID"]): event["DTSTART"].dt for event in second.walk("VEVENT")}
    assert moved.keys() == days.keys()
    assert [moved[uid] for uid in moved if moved[uid] != days[uid]] == [date(2027, 5, 8)]
    Rally.objects.filter(pk=coming.pk).update(status=Rally.Status.CANCELLED)
    assert b"Finale" not in fetch(made, "calendar.ics").content


def test_the_page_offers_a_frame_and_a_picture_only_where_other_sites_may_have_them(made, olga):
    shown = fetch(made, "take-away/").content.decode()
    assert "&lt;iframe" in shown
    assert "[img]http://testserver" in shown
    Club.objects.update(visibility=Club.Visibility.MEMBERS)
    shown = fetch(made, "take-away/", signed_in(olga)).content.decode()
    assert "&lt;iframe" not in shown
    assert "Only members see this, so" in shown


def test_a_season_without_a_result_can_be_taken_away_too(olga, club):
    empty = season(club, olga, [], rounds=0, name="New")
    for rest in (*FILES[:2], *FILES[3:]):
        if "class" not in rest:
            fetch(empty, rest)
    assert tables_of(json.loads(fetch(empty, "season.json").content))["drivers"] == []


def test_of_a_big_season_a_worker_makes_each_file_once(made, olga, settings):
    settings.PAPER_CELLS_AT_ONCE = 11
    assert not BigFile.objects.exists()
    for rest, kind in (
        ("yearbook.pdf", "yearbook"),
        ("season.pdf", "season tables"),
        ("season.xlsx", "season workbook"),
    ):
        address = f"{made.get_absolute_url()}{rest}"
        waits = Client().get(address)
        assert (waits.status_code, waits["Retry-After"], waits["Cache-Control"]) == (202, "3", "no-store")
        assert 'hx-trigger="every 3s"' in waits.text
        assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in waits.text, "without script too"
        part = signed_in(olga).get(address, headers={"HX-Request": "true"})
        assert part.status_code == 200
        assert "<html" not in part.text
        row = BigFile.objects.get(kind=kind)
        assert [big_files.make(file_id=row.pk) for _twice in range(2)] == [True, False]
        ready = Client().get(address, headers={"HX-Request": "true"})
        assert f'href="{address}" download' in ready.text
        answer = fetch(made, rest)
        assert answer["Content-Disposition"].startswith("attachment")
        assert Client().get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    pages = "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(fetch(made, "yearbook.pdf").content)).pages)
    assert pages.count("Final classification") == 3


def test_a_kept_file_is_made_again_after_a_minute_when_the_season_has_changed(made, olga, settings, at):
    settings.PAPER_CELLS_AT_ONCE = 11
    address = f"{made.get_absolute_url()}season.xlsx"
    at(clock.now())
    Client().get(address)
    big_files.make(file_id=BigFile.objects.get().pk)
    first = fetch(made, "season.xlsx")
    adjusting.give_points(by=olga, championship=made, driver=table(made).drivers[0].who, points=100, reason="Praise.")
    assert fetch(made, "season.xlsx")["ETag"] == first["ETag"], "within the minute"
    at(clock.now() + keeping.FRESH)
    assert Client().get(address).status_code == 202
    big_files.make(file_id=BigFile.objects.get().pk)
    assert fetch(made, "season.xlsx")["ETag"] != first["ETag"]


def test_a_kept_file_is_the_same_for_readers_of_all_zones(made, settings, at):
    """A day in Auckland is often another one than in UTC. The file must not be made again for each of them."""
    settings.PAPER_CELLS_AT_ONCE = 11
    Rally.objects.update(finished_at="2026-11-20T22:00Z")
    far = make_user("Moana")
    User.objects.filter(pk=far.pk).update(time_zone="Pacific/Auckland")
    address, now = f"{made.get_absolute_url()}yearbook.pdf", clock.now()
    at(now)
    Client().get(address)
    big_files.make(file_id=BigFile.objects.get().pk)
    at(now + 2 * keeping.FRESH)
    assert [reader.get(address).status_code for reader in (Client(), signed_in(far))] == [200, 200]


def test_a_page_that_waits_for_a_file_does_not_compute_the_season(made, settings, django_assert_max_num_queries):
    settings.PAPER_CELLS_AT_ONCE = 11
    address = f"{made.get_absolute_url()}yearbook.pdf"
    Client().get(address)
    with CaptureQueriesContext(connection) as asked:
        assert Client().get(address).status_code == 202
    assert not [query for query in asked if 'FROM "rallies_stagetime"' in query["sql"]]


def test_a_kept_file_is_for_those_who_may_see_the_season(made, olga, settings):
    settings.PAPER_CELLS_AT_ONCE = 11
    address = f"{made.get_absolute_url()}yearbook.pdf"
    signed_in(olga).get(address)
    big_files.make(file_id=BigFile.objects.get().pk)
    Club.objects.update(visibility=Club.Visibility.MEMBERS)
    assert [Client().get(address).status_code, signed_in(make_user()).get(address).status_code] == [403, 404]
    assert signed_in(olga).get(address).status_code == 200
