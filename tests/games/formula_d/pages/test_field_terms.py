"""The words of Formula D in letters and on pages: a race is never called a stage, an event never a rally."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.functional import Promise
from pypdf import PdfReader

from championship.catalogue.words import Words
from championship.games.formula_d.words import WORDS
from championship.notices import kinds, notice_text
from championship.notices.models import Notice
from championship.platform.refusals import Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.clock.calendar_entries import rally_dates
from championship.rallies.models import Rally
from championship.runs.models import Run
from championship.runs.watch.my_turns import calendar_dates
from championship.seasons import services as seasons
from championship.seasons.models import SeasonDraft
from championship.seasons.rally_defaults import suggested_settings
from championship.seasons.season_plans import Plan, PlannedRound, game_of
from championship.seasons.services import season_drafts
from championship.stages.services import create_design
from tests.championship.rallies.factories import enter, organiser_of
from tests.championship.runs.factories import play
from tests.factories import make_club, make_user, signed_in
from tests.games.formula_d.engine import pond
from tests.games.formula_d.pages.tables import playing

ADDRESS = re.compile(r"https?://\S+")
STAGE = re.compile(r"\b(?:special )?stages?\b|\brall(?:y|ies)\b", re.IGNORECASE)
SAID_OTHERWISE = frozenset(
    str(getattr(Words(), name))
    for name in (field.name for field in dataclasses.fields(Words))
    if isinstance(getattr(WORDS, name), str | Promise) and str(getattr(WORDS, name)) != str(getattr(Words(), name))
) - {""}
"""Texts of other games for which Formula D has texts of its own."""
SAID_ALOUD = ("alt", "aria-label", "title", "placeholder", "data-news", "data-whole", "data-label")

SEVERAL_GAMES = (
    "Stages",  # the stages of a club, for all games
    "The open stage of the week",  # its name for every game
    "To the open stage",
    "One stage for everybody: the same luck for all, one attempt, alone against the clock. You do not need a club.",
    "Rally championships of board-game clubs, driven turn by turn.",
    "Rallies",  # the rallies of a club or a person, of all games
    "New rally",
    "My rallies",
    "No rally is under way or open for entries.",
    "You have no rally under way. Enter the next one on the page of a club.",
    "You are not in a rally yet. Enter one on the page of a club.",
    "Outside a season: 1 rally that is over",
)
"""The texts with stage or rally on pages about several games."""
NEXT_ONE = "No stage is open now. "
"""The first words on pages between two open stages."""
ADDRESS = re.compile(r"https?://\S+")
OF_OPEN_STAGES = {"open stage result"}
"""Letters about the open stage, for every game."""

TOLD: Mapping[str, Any] = {
    "rally": "Grand Prix",
    "game": "formula_d",
    "stage": 2,
    "championship": "Cup",
    "season": "Cup",
    "division": "A",
    "points": 2,
    "club": "Wisła",
    "name": "Ana",
    "crew": "Ana",
    "entry": "1 Ana",
    "number": 3,
    "start_number": 1,
    "reason": "rain",
    "place": 1,
    "of": 4,
    "amount": 2,
    "measure": {"unit": "places", "better": "fewer"},
    "lines": ["1. Ana"],
    "starters": 4,
    "failures": 3,
    "invited": 1,
}
VARIANTS: tuple[Mapping[str, Any], ...] = (
    {},
    {"place": None, "waits": True, "author_drives": True, "take_back_until": timezone.now()},
    *({"done": done} for done in ("stood in", "closed", "retired", "penalised")),
    *({"decided": decided} for decided in ("no action", "penalty", "reprimand", "exclusion", "stage time")),
    {"stage": None, "last_post_at": timezone.now(), "not_sealed": ["Race 2"]},
)


class Visible(HTMLParser):
    """The texts of a page that can be read or heard: text nodes, and attributes that screen readers say."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style"):
            self.within.append(tag)
        self.texts += [said for name, said in attrs if name in SAID_ALOUD and said]

    def handle_endtag(self, tag: str) -> None:
        if self.within and self.within[-1] == tag:
            self.within.pop()

    def handle_data(self, data: str) -> None:
        if not self.within:
            self.texts.append(" ".join(data.split()))


def stages_told(page: str) -> list[str]:
    """Return the texts of a page that mention a stage or use words of other games, without the pages about several
    games.
    """
    read = Visible()
    read.feed(page)
    texts = [text for text in read.texts if text not in SEVERAL_GAMES and not text.startswith(NEXT_ONE)]
    return [text for text in texts if STAGE.search(ADDRESS.sub("", text)) or text in SAID_OTHERWISE]


# Letters ----------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("kind", sorted({*kinds._kinds} - OF_OPEN_STAGES))
def test_no_letter_about_a_race_mentions_a_stage(kind: str) -> None:
    for variant in VARIANTS:
        told = {**TOLD, "deadline": timezone.now() + timedelta(hours=1), **variant}
        words = notice_text.in_words(Notice(kind=kind, context=told, link="/runs/abc/"))
        said = f"{words.subject}\n{words.text}\n{words.action}"
        assert not STAGE.search(said), said


@pytest.mark.parametrize(("game", "called"), [("formula_d", "Race 2"), ("dirt", "Stage 2"), ("gone", "Stage 2")])
def test_a_letter_calls_it_what_its_game_does(game: str, called: str) -> None:
    notice = Notice(kind="turn waits", context={**TOLD, "game": game})
    assert notice_text.subject_of(notice) == f"Grand Prix, {called}: your turn"


@pytest.mark.django_db
def test_a_letter_of_before_that_names_no_game_is_still_read() -> None:
    notice = Notice(kind="turn waits", context={"rally": "Rajd Wisły", "stage": 1, "deadline": timezone.now()})
    words = notice_text.in_words(notice)
    assert (words.subject, words.action) == ("Rajd Wisły, Stage 1: your turn", "To the stage")


# Pages ------------------------------------------------------------------------------------------------


def two_races() -> Rally:
    """Two races on the pond with three drivers, not started yet."""
    by = make_user("Olga Organiser")
    club = make_club(owner=by)
    design = create_design(by=by, club=club, name="Round the pond", game="formula_d", spec={"csv": pond.track()})
    rally = rallies.create_rally(
        by=by,
        club=club,
        name="Grand Prix",
        game="formula_d",
        designs=[design, design],
        options={},
        mode="convoy",
        turn_hours=24,
        reminder_hours=4,
        auto_start=True,
    )
    enter(rally, "Ana", "Bo", "Cem")
    return rally


def all_give_up(run: Run) -> None:
    """Let the cars of a race retire, one after the other, until it is over."""
    while run.status == Run.Status.RUNNING:
        play(run, playing(run), do="resign", sure=True)
        run.refresh_from_db()


def pages_of(rally: Rally) -> Iterator[str]:
    """Return the addresses of the pages about an event that a driver and an organiser see."""
    rally_page = rally.get_absolute_url()
    yield from ("/turns/", rally.club.get_absolute_url(), f"{rally.club.get_absolute_url()}moments/")
    yield f"{rally.club.get_absolute_url()}rallies/new/?game=formula_d"
    for path in ("", "sheet/", "podium/", "stewards/", "misses/", "results.csv"):
        yield f"{rally_page}{path}"
    for path in ("", "runs/", "penalty/", "time/", "start-list/", "options/", "message/"):
        yield f"{rally_page}desk/{path}"
    for stage in rally.stages.all():
        for path in ("", "overall/", "chance/", "gaps/", "control/"):
            yield f"{rally_page}stages/{stage.number}/{path}"
    for run in Run.objects.filter(special_stage__rally=rally):
        for path in ("", "log/", "replay/", "proof/"):
            yield f"{run.get_absolute_url()}{path}"


def told_on_pages(rally: Rally) -> dict[str, list[str]]:
    """Return the texts that mention a stage, by page. Each page is opened by a person who may see it."""
    found: dict[str, list[str]] = {}
    people: tuple[Client, ...] = (
        signed_in(organiser_of(rally)),
        signed_in(rally.entries.get(crew="Ana").driver),
        Client(),
    )
    for path in pages_of(rally):
        answers = [client.get(path) for client in people]
        for answer in answers:
            if answer.status_code == 200 and (told := stages_told(answer.content.decode())):
                found[path] = told
    return found


@pytest.mark.slow
@pytest.mark.django_db
def test_no_page_of_a_race_mentions_a_stage() -> None:
    rally = two_races()
    assert told_on_pages(rally) == {}, "while entries are open"
    rallies.start_rally(by=organiser_of(rally), rally=rally)
    assert told_on_pages(rally) == {}, "on the grid of the first race"
    all_give_up(Run.objects.get(special_stage__rally=rally))
    assert told_on_pages(rally) == {}, "after the first race"
    page = Client().get(f"{rally.get_absolute_url()}stages/1/overall/").content.decode()
    assert "retired in race 1: gave up" in page
    all_give_up(Run.objects.get(special_stage__rally=rally, special_stage__number=2))
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    assert told_on_pages(rally) == {}, "when all is over"


@pytest.mark.django_db
def test_messages_and_papers_of_an_event_mention_no_stage() -> None:
    rally = two_races()
    ana = rally.entries.get(crew="Ana").driver
    rallies.start_rally(by=organiser_of(rally), rally=rally)
    titles = [date.title for date in (*rally_dates(ana), *calendar_dates(ana))]
    all_give_up(Run.objects.get(special_stage__rally=rally))
    written = [notice_text.in_words(notice) for notice in Notice.objects.all()]
    assert any("Race 1" in words.subject for words in written)
    page = rally.get_absolute_url()
    papers = [Client().get(f"{page}{paper}.pdf").content for paper in ("sheet", "results", "start-list")]
    said = [*titles, *(f"{words.subject}\n{words.text}\n{words.action}" for words in written)]
    said += [page.extract_text() for paper in papers for page in PdfReader(io.BytesIO(paper)).pages]
    assert [text for text in said if STAGE.search(ADDRESS.sub("", text))] == []


@pytest.mark.django_db
def test_a_narrow_table_of_points_says_the_word_in_its_head_alone() -> None:
    rally = two_races()
    rallies.start_rally(by=organiser_of(rally), rally=rally)
    all_give_up(Run.objects.get(special_stage__rally=rally))
    page = Client().get(f"{rally.get_absolute_url()}stages/1/overall/").content.decode()
    cells = re.findall(r'<t[dh] role="[a-z]+"(?: scope="col")? class="num">(?:<abbr[^>]*>)?([^<]*)', page)
    assert cells[:8] == ["Pos.", "Points", "Leader", "Ahead", "1", "0", "", ""]
    assert cells[8:12] == ["2", "0", "0", "0"]


# Refusals, and the steps of a season -------------------------------------------------------------------


@pytest.mark.django_db
def test_what_cannot_be_done_is_refused_in_the_words_of_the_game() -> None:
    rally = two_races()
    by, entry = organiser_of(rally), rally.entries.get(crew="Ana")
    other = two_races().stages.get(number=1)
    with pytest.raises(Refused, match=r"This event is not under way\."):
        rallies.pause_rally(by=by, rally=rally, reason="rain")
    with pytest.raises(Refused, match=r"This event is not under way\."):
        rallies.start_next_stage(by=by, rally=rally)
    rallies.start_rally(by=by, rally=rally)
    with pytest.raises(Refused, match=r"That does not belong to this event\."):
        rallies.give_penalty(by=by, entry=entry, amount=1, reason="late", special_stage=other)
    rallies.cancel_rally(by=by, rally=rally, reason="rain")
    with pytest.raises(Refused, match=r"This event was cancelled\."):
        rallies.draw_start_list(by=by, rally=rally)
    rally.refresh_from_db()
    with pytest.raises(Stale, match=r"This event is over\."):
        rallies.change_timekeeping(by=by, rally=rally, turn_hours=24, reminder_hours=4, settings={})


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("said", "called"),
    [
        ({"rounds": [PlannedRound("Spring", route="formula_d/suzuka"), PlannedRound("Autumn", route="1")]}, "Events"),
        ({"rounds": [PlannedRound("Autumn", route="1"), PlannedRound("Spring", route="formula_d/suzuka")]}, "Rallies"),
        ({"rally_settings": {**suggested_settings(), "game": "formula_d"}}, "Events"),
        ({}, "Rallies"),
    ],
)
def test_a_step_of_a_season_is_called_as_its_game_says(said: dict[str, Any], called: str) -> None:
    olga = make_user("Olga Organiser")
    draft = season_drafts.begin_draft(by=olga, club=make_club(owner=olga))
    SeasonDraft.objects.filter(pk=draft.pk).update(said=replace(Plan(name="Cup"), **said).write())
    page = signed_in(olga).get(f"/season-drafts/{draft.key}/rallies/")
    assert page.context["title"] == called
    assert (page.context["form"].game == "formula_d") is (called == "Events")


@pytest.mark.django_db
def test_own_tracks_of_a_round_decide_the_game_of_the_season() -> None:
    rally = two_races()
    by, track = organiser_of(rally), rally.stages.get(number=1).design_id
    own = Plan(name="Cup", rounds=(PlannedRound("Spring"), PlannedRound("Pond", route="own", designs=(track,))))
    assert game_of(own) == "formula_d"
    season = seasons.create_championship(by=by, club=rally.club, name="Cup")
    address = f"/championships/{season.key}/edit/rallies/"
    assert signed_in(by).get(address).context["title"] == "Rallies"
    seasons.add_round(by=by, championship=season, rally=rally)
    assert signed_in(by).get(address).context["title"] == "Events"
