"""Read functions for the pages of divisions: who stands where, who moves and why, proposals, reserves and offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.accounts.models import User
from championship.platform.prepared_queries import BoundQuery, prepared
from championship.seasons import selectors
from championship.seasons.divisions.services.offers import free_places, token_for
from championship.seasons.models import Championship, DivisionRules, PlaceOffer, Registration, Reserve
from championship.seasons.scoring import divisions as scoring
from championship.seasons.scoring.values import Divisions, Move
from championship.seasons.season_tables import Line, Table


@dataclass(frozen=True, slots=True)
class Standing:
    """A driver in a division: the registration, and the line in its table, None before a result."""

    member: Registration
    line: Line | None


@dataclass(frozen=True, slots=True)
class Board:
    """A division: its name, its number from 1, its drivers in the order of its table, and how many places are free and
    not offered (None: it takes any number).
    """

    name: str
    number: int
    drivers: Sequence[Standing]
    free: int | None


def members_of(championship: Championship) -> list[Registration]:
    """Return the registrations of the drivers who have not left the season, in their order. One query."""
    return list(championship.registrations.filter(left_at=None).select_related("driver", "team"))


def boards(table: Table, members: Sequence[Registration], rules: DivisionRules) -> list[Board]:
    """Return the divisions of a season, the highest first. Two queries at most."""
    free = free_places(table.championship, rules)
    by_driver = {each.driver_id: each for each in members}
    found = []
    for number, name in enumerate(table.championship.divisions, 1):
        lines = {line.who.pk: line for line in table.in_class(name)}
        order = [int(driver) for driver, _place in scoring.order_in(table.season, name)]
        drivers = [Standing(by_driver[pk], lines.get(pk)) for pk in order if pk in by_driver]
        found.append(Board(name, number, drivers, free.get(name)))
    return found


@dataclass(frozen=True, slots=True)
class MoveTold:
    """A driver who changes the division after the season, why, and with whom the driver is level ("" for nobody)."""

    driver: User
    before: str
    after: str
    up: bool
    why: str
    level_with: str


def moves_told(table: Table, members: Sequence[Registration]) -> list[MoveTold]:
    """Return who moves by the tables as they are. No query."""
    rules = table.season.scheme.divisions
    if rules is None:
        return []
    people = {str(each.driver_id): each.driver for each in members}
    found = []
    for move in scoring.moves(table.season):
        size = len(scoring.order_in(table.season, move.before))
        level = ", ".join(str(people[driver]) for driver in move.level_with if driver in people)
        up = rules.names.index(move.after) < rules.names.index(move.before)
        found.append(MoveTold(people[move.driver], move.before, move.after, up, _why(move, rules, size, up), level))
    return found


def _why(move: Move, rules: Divisions, size: int, up: bool) -> str:
    said = {"rank": move.rank, "size": size, "before": move.before, "after": move.after}
    where = _("Number %(rank)d of %(size)d in %(before)s.") % said
    if up:
        rule = ngettext("The first goes up to %(after)s.", "The first %(n)d go up to %(after)s.", rules.up)
        return f"{where} {rule % {'n': rules.up, **said}}"
    rule = ngettext("The last goes down to %(after)s.", "The last %(n)d go down to %(after)s.", rules.down)
    return f"{where} {rule % {'n': rules.down, **said}}"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Divisions proposed for the drivers of a season, by registration id, and from which season they follow ("" where
    there is none before: then by the order of registration).
    """

    divisions: Mapping[int, str]
    source: str


def proposal_for(championship: Championship, members: Sequence[Registration], rules: DivisionRules) -> Proposal:
    """Return the divisions that a season's drivers are proposed for: by the tables of the season before. Drivers who
    had no part in it come last, in the order of registration. As many queries as a table of a season, and three more.
    """
    names = list(championship.divisions)
    if not names:
        return Proposal({}, "")
    sizes = dict.fromkeys(names, rules.places)
    joined = [each.driver_id for each in sorted(members, key=lambda each: each.pk)]
    before = _before(championship)
    order: list[int] = []
    if before is not None:
        table = selectors.table(before)
        after = {int(driver): name for driver, name in scoring.after(table.season).items()}
        if list(before.divisions) == names and not rules.places:
            found = {pk: after.get(pk, names[-1]) for pk in joined}
            return Proposal({each.pk: found[each.driver_id] for each in members}, before.name)
        order = list(after) or [line.who.pk for line in table.drivers]
    ranked = [pk for pk in order if pk in joined]
    placed = scoring.seeded([*map(str, ranked), *(str(pk) for pk in joined if pk not in ranked)], sizes)
    return Proposal({each.pk: placed.get(str(each.driver_id), "") for each in members}, before.name if before else "")


def _before(championship: Championship) -> Championship | None:
    """Return the season that this one follows: the one that it was made from, else the club's season before it."""
    made_from = Championship.objects.filter(renewal__made=championship).select_related("club").first()
    if made_from is not None:
        return made_from
    earlier = Championship.objects.filter(club=championship.club_id, pk__lt=championship.pk)
    return earlier.select_related("club").order_by("-pk").first()


@dataclass(frozen=True, slots=True)
class ReserveListed:
    """A reserve with the open offer, if there is one, and what became of the last one (its label, "" for none)."""

    reserve: Reserve
    offer: PlaceOffer | None
    last: str


def reserves_of(championship: Championship) -> list[ReserveListed]:
    """Return the reserves of a season in their order. Two queries."""
    offers: dict[int, PlaceOffer] = {}
    for offer in championship.place_offers.order_by("offered_at", "pk"):
        offers[offer.driver_id] = offer
    found = []
    for reserve in championship.reserves.select_related("driver").order_by("position", "pk"):
        last = offers.get(reserve.driver_id)
        open_now = last if last is not None and last.state == PlaceOffer.State.OPEN else None
        told = last is not None and open_now is None and last.offered_at >= reserve.created_at
        found.append(ReserveListed(reserve, open_now, str(last.get_state_display()) if last and told else ""))
    return found


@dataclass(frozen=True, slots=True)
class OfferShown:
    """A place that is offered to a driver, and the token of the page that takes the answer."""

    offer: PlaceOffer
    token: str


def offers_for(driver: User) -> list[OfferShown]:
    """Return the places that wait for an answer of a driver, the first to end first. One query."""
    return offers(_offers(driver=driver.pk))


def offers_of_page(reader: int, **_known: Any) -> BoundQuery[PlaceOffer]:
    """Return the query of `offers_for`, for a page that reads it with all else."""
    return _offers.bind(driver=reader)


def offers(waiting: Sequence[PlaceOffer]) -> list[OfferShown]:
    """Return the places of these rows. No query."""
    return [OfferShown(each, token_for(each)) for each in waiting]


@prepared
def _offers(driver: Any) -> QuerySet[PlaceOffer]:
    waiting = PlaceOffer.objects.filter(driver=driver, state=PlaceOffer.State.OPEN, championship__club__closed_at=None)
    return waiting.select_related("championship").order_by("answer_by", "pk")
