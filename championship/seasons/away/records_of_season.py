"""The records of a season: who won most, who stood on most podiums, the closest and the clearest win."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.rallies.results import measures
from championship.rallies.results.classification import on_podium
from championship.seasons.selectors import Table, stage_wins


@dataclass(frozen=True, slots=True)
class SeasonRecord:
    """A record in words: what it is, who holds it, and how much."""

    what: str
    who: str
    how_much: str


def records_of(table: Table) -> list[SeasonRecord]:
    """Return the records of the rounds that are over, in the reader's language; none before the first. No query."""
    return [*_counted(table), *_margins(table)]


def _counted(table: Table) -> Iterator[SeasonRecord]:
    wins: Counter[int] = Counter()
    podiums: Counter[int] = Counter()
    parts: Counter[int] = Counter()
    starts: Counter[int] = Counter()
    for each in table.over:
        results = table.results[each.rally_id]
        drivers = {pk: entry.driver_id for pk, entry in results.entries.items()}
        for line in on_podium(results.overall):
            podiums[line.entry.driver_id] += 1
            wins[line.entry.driver_id] += line.place == 1
        for entry_id, won in stage_wins(results).items():
            if entry_id in drivers:
                parts[drivers[entry_id]] += won
        starts.update(line.entry.driver_id for line in results.overall)
    names = {pk: str(person) for pk, person in table.people.items()}
    for what, found in (
        (_("Most rounds won"), wins),
        (_("Most podiums"), podiums),
        (_("Most stage wins"), parts),
        (_("Most starts"), starts),
    ):
        yield from _best(what, found, names)


def _best(what: str, found: Mapping[int, int], names: Mapping[int, str]) -> Iterator[SeasonRecord]:
    most = max(found.values(), default=0)
    if most:
        holders = sorted(names[pk] for pk, number in found.items() if number == most and pk in names)
        shown = holders[:3]
        others = len(holders) - len(shown)
        more = [ngettext("%(n)d other", "%(n)d others", others) % {"n": others}] if others else []
        yield SeasonRecord(what, ", ".join([*shown, *more]), str(most))


def _margins(table: Table) -> Iterator[SeasonRecord]:
    """The closest and the clearest win, among rounds with the same measure; the measure of most rounds counts."""
    measured: dict[str, list[tuple[int, str, str]]] = {}
    for each in table.over:
        results = table.results[each.rally_id]
        placed = [line for line in results.overall if line.place is not None]
        if len(placed) > 1 and placed[1].to_leader is not None:
            gap = placed[1].to_leader
            told = measures.distance(gap, results.measure)
            who = f"{placed[0].crew_in_words}, {each.rally.name}"
            measured.setdefault(results.measure.unit, []).append((gap, told, who))
    found = max(measured.values(), key=len, default=[])
    if len(found) > 1:
        yield SeasonRecord(_("Closest win"), min(found)[2], min(found)[1])
        yield SeasonRecord(_("Clearest win"), max(found)[2], max(found)[1])
