"""Vectors, a game with a unit, nouns and pages of its own, from a new rally to the podium, in three languages."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override
from pypdf import PdfReader

from championship.audit import actions
from championship.notices.models import Notice
from championship.notices.notice_text import in_words
from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run, SentAhead
from championship.seasons import services as seasons
from championship.stages.models import StageDesign
from tests.championship.api.factories import program_of
from tests.championship.rallies.factories import enter, organiser_of, ready_made
from tests.contract.tables import hidden_on, page_of, waited_for
from tests.contract.test_making_a_rally import fill_in
from tests.contract.test_toys_after_the_run import run_printed_command
from tests.contract.test_toys_on_every_page import pages_of
from tests.contract.toys.vectors import game
from tests.factories import make_club, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys_with_pages")]

LANGUAGES = ("en", "de", "pl")
OTHER_GAMES = {
    "en": re.compile(r"\b(stages?|rall(?:y|ies)|crews?)\b", re.IGNORECASE),
    "de": re.compile(r"prüfung|\bWP\b|rallye|\bTeam\b", re.IGNORECASE),
    "pl": re.compile(r"odcin|\bOS\b|rajd|załog", re.IGNORECASE),
}
"""Words for an event, a stage and a crew that are not those of Vectors."""
PUSHED = re.compile(r'name="push" value="([^"]*)"')


def new_meeting() -> Rally:
    """Return an event that its organiser made with the form: a heat on each course of the library."""
    ready_made()
    olga = make_user("Olga")
    club = make_club(name="Paper Club", owner=olga)
    courses = StageDesign.objects.filter(club=None, game="vectors").order_by("source")
    assert [course.name or course.title for course in courses] == ["Bend", "Ring"]
    path = f"/clubs/{club.slug}/rallies/new/?game=vectors"
    heats = {f"stage_{number}": course.pk for number, course in enumerate(courses, start=1)}
    assert fill_in(signed_in(olga), path, name="Paper Cup", route="own", **heats) == 302
    return Rally.objects.get(name="Paper Cup")


def push(entry: Entry, run: Run) -> None:
    """Press the button of the autopilot's push on the page of the run."""
    page = page_of(entry, run)
    orders = game().autopilot(run.state, str(entry.start_number))
    value = f"{orders['right']} {orders['down']}"
    assert value in PUSHED.findall(page) and len(PUSHED.findall(page)) == 9
    fields = {**hidden_on(page), "push": value, "salt": "5a" * 8}
    assert signed_in(entry.driver).post(f"/runs/{run.key}/turn/", fields).status_code == 302


def drive_with_buttons(run: Run) -> None:
    for entry in waited_for(run):
        push(entry, run)


def on_the_road(rally: Rally) -> tuple[Run, list[Entry]]:
    enter(rally, "Ana", "Bo")
    rallies.start_rally(by=organiser_of(rally), rally=rally)
    run = Run.objects.get(special_stage__rally=rally, special_stage__number=1)
    return run, [seat.entry for seat in run.seats.select_related("entry__driver").order_by("position")]


def finished() -> Rally:
    """Return a meeting whose two heats were driven with the buttons."""
    rally = new_meeting()
    run, _entries = on_the_road(rally)
    drive_with_buttons(run)
    drive_with_buttons(Run.objects.get(special_stage__rally=rally, special_stage__number=2))
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    return rally


def text_of(path: str, language: str, client: Client | None = None) -> str:
    answer = (client or Client()).get(path, headers={"Accept-Language": language})
    assert answer.status_code == 200, path
    return unescape(answer.content.decode())


TURNS = {
    "en": ("4 turns", "+1 turn", "16 turns", "Turns", "Total (turns)", "Gap (turns)"),
    "de": ("4 Züge", "+1 Zug", "16 Züge", "Züge", "Gesamt (Züge)", "Abstand (Züge)"),
    "pl": ("4 ruchy", "+1 ruch", "16 ruchów", "Ruchy", "Suma (ruchy)", "Strata (ruchy)"),
}
"""The winner's first heat, the gap of the next car, the winner's total; the heads."""


def test_every_page_and_paper_counts_turns_in_the_readers_language() -> None:
    rally = finished()
    season = seasons.create_championship(by=organiser_of(rally), club=rally.club, name="Cup", points=[10, 6])
    seasons.add_round(by=organiser_of(rally), championship=season, rally=rally)
    for language, (first, gap, total, head, total_head, gap_head) in TURNS.items():
        heat = text_of(f"/rallies/{rally.key}/stages/1/", language)
        assert first in heat and gap in heat and f">{head}</th>" in heat
        after = text_of(f"/rallies/{rally.key}/stages/2/overall/", language)
        assert total in after and f">{head}</th>" in after
        assert total in text_of(f"/rallies/{rally.key}/podium/", language)
        sheet = text_of(f"/rallies/{rally.key}/sheet/", language)
        assert first in sheet and total in sheet and total_head in sheet
        written = text_of(f"/rallies/{rally.key}/results.csv?delimiter=comma", language).removeprefix("\ufeff")
        heads, winner, *_rest = list(csv.reader(io.StringIO(written)))
        row = dict(zip(heads, winner, strict=True))
        assert (row[total_head], row[gap_head]) == ("16", "0")
        standings = text_of(f"/championships/{season.key}/", language)
        table = re.search(r"<table.*?</table>", standings, re.DOTALL)
        assert table is not None and not re.search("(?i)turn|Züge|ruch", table[0]), "points of a season"
        paper = Client().get(f"/rallies/{rally.key}/results.pdf", headers={"Accept-Language": language})
        printed = "".join(page.extract_text() for page in PdfReader(io.BytesIO(paper.content)).pages)
        assert first in printed and total in printed
        with override(language):
            (told, *_others) = Notice.objects.filter(kind="rally result").order_by("pk")
            assert re.search(r"1[67] (turns|Züge|ruchów)", in_words(told).text)
            assert (
                actions.details_in_words({"turns": 4})
                == {"en": "turns: 4", "de": "Züge: 4", "pl": "ruchy: 4"}[language]
            )


def test_the_api_names_the_unit() -> None:
    rally = new_meeting()
    said = program_of(organiser_of(rally), "read", club=rally.club).get(f"rallies/{rally.key}").json()
    assert said["measure"] == {"unit": "turns", "better": "fewest"}


def test_a_penalty_is_in_turns() -> None:
    rally = finished()
    winner = results_of(rally).overall[0].entry
    rallies.give_penalty(by=organiser_of(rally), entry=winner, amount=3, reason="Late")
    assert results_of(rally).overall[0].entry != winner
    for language, amount in (("en", "+3 turns"), ("de", "+3 Züge"), ("pl", "+3 ruchy")):
        assert amount in text_of(f"/rallies/{rally.key}/podium/", language)


def test_orders_sent_ahead_on_the_games_own_panel_are_driven() -> None:
    run, entries = on_the_road(new_meeting())
    ana = next(waited_for(run))
    (bo,) = set(entries) - {ana}
    page = page_of(bo, run)
    assert 'class="squares"' in page and "ahead of your turn" in page
    (version,) = set(re.findall(r'name="version" value="([^"]*)"', page))
    url, client = f"/runs/{run.key}/ahead/", signed_in(bo.driver)
    wrong = client.post(url, {"version": version, "do": "send", "push": "2 0"})
    assert wrong.status_code == 422 and "Choose one of the nine pushes." in wrong.content.decode()
    assert client.post(url, {"version": version, "do": "send", "push": "1 0", "salt": "5a"}).status_code == 302
    assert 'value="withdraw"' in page_of(bo, run)
    push(ana, run)
    run.refresh_from_db()
    assert SentAhead.objects.get().state == SentAhead.State.DRIVEN
    assert (
        run.state["seats"][str(bo.start_number)] | {"turns": 1, "right": 1} == run.state["seats"][str(bo.start_number)]
    )


def test_gaps_are_turns_at_the_gates() -> None:
    rally = finished()
    run = Run.objects.get(special_stage__rally=rally, special_stage__number=2)
    for language, gate in (("en", "Gate 3"), ("de", "Tor 3"), ("pl", "Bramka 3")):
        assert gate in text_of(f"/runs/{run.key}/gaps/", language)


def test_the_command_on_the_proof_page_verifies_a_heat(tmp_path: Path) -> None:
    run = Run.objects.get(special_stage__rally=finished(), special_stage__number=1)
    ran = run_printed_command(run, tmp_path)
    assert "--game tests.contract.toys.vectors" in " ".join(ran.args)
    assert (ran.returncode, ran.stderr) == (0, "")


def words_on(text: str) -> list[str]:
    """Return what a page says in its main part and its title: texts, and attributes that are read out."""
    main = re.findall(r"<main.*?</main>|<title>.*?</title>", text, re.DOTALL)
    bare = re.sub(r"<script.*?</script>", "", "".join(main), flags=re.DOTALL)
    said = re.findall(r">([^<]+)<", bare) + re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', bare)
    return [" ".join(unescape(one).split()) for one in said]


def assert_own_words(rally: Rally, *people: Any) -> None:
    """Open every page of the event, its runs and its course, and check that none says a word of another game."""
    pages = [
        page
        for page in pages_of(rally, of_the_house=False)
        if (rally.key in page or page.startswith(("/runs/", "/stages/")))
        and not page.startswith("/lists/")  # it has the names of columns of a file
    ]
    assert len(pages) > 20
    for language in LANGUAGES:
        clients = [Client()]
        for person in people:
            person.language = language
            person.save()
            clients.append(signed_in(person))
        for client in clients:
            for page in pages:
                answer = client.get(page, headers={"Accept-Language": language})
                if answer.status_code != 200 or "html" not in answer["Content-Type"]:
                    continue
                for said in words_on(answer.content.decode()):
                    clean = said.replace(f"/rallies/{rally.key}", "")
                    assert not OTHER_GAMES[language].search(clean), f"{language} {page}: {said}"


@pytest.mark.slow
def test_no_page_says_a_word_of_another_game() -> None:
    rally = new_meeting()
    organiser = organiser_of(rally)
    assert_own_words(rally, organiser)
    run, entries = on_the_road(rally)
    assert_own_words(rally, organiser, entries[0].driver)
    drive_with_buttons(run)
    drive_with_buttons(Run.objects.get(special_stage__rally=rally, special_stage__number=2))
    rally.refresh_from_db()
    assert_own_words(rally, organiser, entries[0].driver)


HEATS = {
    "en": ("Heat 1", "Racer", "Enter the meeting", "Overall after heat 1"),
    "de": ("Lauf 1", "Pilot", "Nennung abgeben", "Gesamt nach Lauf 1"),
    "pl": ("Bieg 1", "Zawodnik", "Zgłoś się do zlotu", "Generalna po biegu 1"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_phrases_follow_from_the_nouns(language: str) -> None:
    rally = new_meeting()
    heat, racer, entering, overall = HEATS[language]
    olga = organiser_of(rally)
    olga.language = language
    olga.save()
    assert f"<h1>{entering}" in text_of(f"/rallies/{rally.key}/enter/", language, signed_in(olga))
    run, _entries = on_the_road(rally)
    drive_with_buttons(run)
    page = text_of(f"/rallies/{rally.key}/stages/1/overall/", language)
    assert f">{racer}</th>" in page and heat in page and overall in page
