"""A club with its season, and the steps of a list in one call."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.lists.found import (
    FoundEntries,
    FoundPerson,
    FoundResult,
    FoundRound,
    FoundSeason,
    FoundTime,
    FoundTotal,
)
from championship.lists.models import ListImport
from championship.lists.services import drafts, importing, looking, resolving
from championship.seasons import services as seasons
from championship.seasons.models import Championship
from championship.seasons.selectors import table
from championship.seasons.services.registering import name_teams, register
from championship.stages.services import load_library
from tests.factories import make_club, make_member, make_user

MEMBERS = ("Zoë Virtanen", "José García", "Anna Müller", "Łukasz Żak", "Işıl İnce")


@dataclass(frozen=True)
class World:
    olga: User
    club: Club
    season: Championship
    people: dict[str, User]

    def standing(self) -> list[tuple[int, str, Any]]:
        return [(line.place, str(line.who), line.total) for line in table(self.season).drivers]

    def bring(self, found: FoundEntries | FoundSeason, kind: str = "results", **more: Any) -> ListImport:
        season = None if "rally" in more or kind == "members" else self.season
        return drafts.begin(by=self.olga, club=self.club, kind=kind, found=found, championship=season, **more)

    def answer(self, draft: ListImport, **said: str) -> ListImport:
        """Answer by name, with underscores for blanks; what is not said gets what is offered."""
        names = {name.replace("_", " "): answer for name, answer in said.items()}
        open_ones = resolving.resolved(draft).unanswered
        given = {each.key: names.get(each.match.name, each.answer) for each in open_ones}
        return resolving.say_who(by=self.olga, draft=draft, version=draft.version, said=given)

    def look(self, draft: ListImport) -> looking.Look:
        return looking.look(by=self.olga, draft=draft)

    def take(self, draft: ListImport) -> ListImport:
        return importing.take(by=self.olga, draft=draft, version=draft.version)


def make_world(**scheme: Any) -> World:
    load_library()
    olga = make_user("Olga")
    club = make_club(name="Wiking", owner=olga)
    people = {name: make_member(club, name=name) for name in MEMBERS}
    chosen = {"points": [25, 18, 15, 12], "classes": ["RC1", "RC2", "Rally4"], **scheme}
    season = seasons.create_championship(by=olga, club=club, name="2025", **chosen)
    [team] = name_teams(by=olga, championship=season, names=["Wiking Rot"])
    crew = {"crew": "Zoë Virtanen / Jürgen Groß", "car_class": "RC2", "start_number": 1, "team": team}
    register(by=olga, championship=season, driver=people["Zoë Virtanen"], **crew)
    return World(olga, club, season, people)


def results(name: str, *rows: dict[str, Any], measure: Any = "places", **more: Any) -> FoundRound:
    """A round of these rows: keyword arguments of FoundResult, with `name` and other facts of the person."""
    facts = ("mail", "number", "codriver", "team", "car_class", "crew", "also")
    found = []
    for line, row in enumerate(rows, start=2):
        person = FoundPerson(line, row["name"], **{key: row[key] for key in facts if key in row})
        rest = {key: value for key, value in row.items() if key not in (*facts, "name")}
        found.append(FoundResult(person, **rest))
    return FoundRound(name, measure, results=tuple(found), **more)


def season_of(*rounds: FoundRound, totals: dict[str, int] | None = None, named: tuple[Any, ...] = ()) -> FoundSeason:
    told = [FoundTotal(FoundPerson(1, name), points) for name, points in (totals or {}).items()]
    return FoundSeason(rounds, tuple(told), frozenset(named))


def time(thousandths: int) -> FoundTime:
    return FoundTime(thousandths, str(thousandths))


DAY = date(2025, 3, 1)
