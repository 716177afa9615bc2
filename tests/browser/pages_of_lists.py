"""Pages of lists, in the states that have pages of their own: columns, people to settle, a look, an import."""

from __future__ import annotations

from typing import Any

from championship.accounts.models import User
from championship.lists.models import ListImport
from championship.lists.services import courses, drafts, importing, resolving, uploads
from championship.seasons.models import Championship
from tests.championship.lists.lists import results, season_of

COURSES = b"Name;Seed;Number of tiles\nForest;7;12\nSand;;\n"
SCORES = b"Pos;Name;Pts\n1;Zed Nobody;25\n2;Yan Nobody;18,5\n"


def addresses(entries: str, season: Championship) -> list[tuple[tuple[Any, ...], dict[str, str]]]:
    """Return the name of each page with its arguments, and what is told of it. `entries`: the key of a rally whose
    entries are open.
    """
    club, key = season.club, season.key
    olga = club.memberships.filter(roles__contains=["owner"]).select_related("user")[0].user
    columns = uploads.bring(by=olga, club=club, purpose="results", target=key, content=SCORES, file_name="2019.csv")
    asked, done, settled = (_imported(olga, season, take=take) for take in (False, True, None))
    name = User.objects.get(name="Sid Somebody")
    pages = [
        ("lists:rally_entries", entries),
        *((f"lists:{each}", key) for each in ("registrations", "past", "rounds")),
        *((f"lists:{each}", club.slug) for each in ("members", "imports", "names", "courses")),
        ("lists:courses_look", courses.bring(by=olga, club=club, game="dirt", content=COURSES).key),
        ("lists:person", club.slug, name.pk),
        ("lists:columns", columns.key),
        ("lists:who", asked.key),
        ("lists:look", settled.key),
        ("lists:done", done.key),
        ("lists:help_pages",),
        ("lists:help", "forum"),
    ]
    all_names = ("lists:who", settled.key), {"query": "?all=1", "named": "all of them"}
    return [*((page, {}) for page in pages), all_names]


def _imported(by: User, season: Championship, *, take: bool | None) -> ListImport:
    """Return a list whose people are asked about (`take` is False), settled (None), or that is imported."""
    people = ("Somebody", "Else") if take is not False else ("Anybody", "Nobody")
    rows = ({"name": f"Sid {each}", "place": at} for at, each in enumerate(people, start=1))
    found = season_of(results(f"On paper {take}", *rows))
    made = drafts.begin(by=by, club=season.club, kind="results", championship=season, found=found, source="2018.csv")
    if take is False:
        other = season.club.memberships.exclude(user=by)[0].user
        ListImport.objects.filter(pk=made.pk).update(by=other)  # else the next draft takes its place
        return made
    said = {each.key: each.answer for each in resolving.resolved(made).unanswered}
    made = resolving.say_who(by=by, draft=made, version=made.version, said=said)
    return importing.take(by=by, draft=made, version=made.version) if take else made
