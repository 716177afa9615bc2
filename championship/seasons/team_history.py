"""The drivers of a team: who drives for it now, who drove for it in which rounds, and transfers by date."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from championship.accounts.models import User
from championship.seasons.models import Round, Team, Transfer
from championship.seasons.season_tables import Table


@dataclass(frozen=True, slots=True)
class TeamDriver:
    """A driver of a team: whether the driver is registered for it now, and the rounds driven for it."""

    driver: User
    now: bool
    rounds: Sequence[Round]


@dataclass(frozen=True, slots=True)
class TeamHistory:
    """The drivers of a team, those of now first, and its transfers, the latest first."""

    team: Team
    drivers: Sequence[TeamDriver]
    transfers: Sequence[Transfer]


def history_of(table: Table, team: Team) -> TeamHistory:
    """Return the drivers and the transfers of a team. Two queries."""
    rounds: dict[int, list[Round]] = defaultdict(list)
    for each in table.over:
        for entry in table.results[each.rally_id].entries.values():
            if table.team(entry) == team.name:
                rounds[entry.driver_id].append(each)
    members = table.championship.registrations.filter(team=team, left_at=None).select_related("driver")
    now = {each.driver_id: each.driver for each in members}
    people = {**{pk: table.people[pk] for pk in rounds}, **now}
    drivers = [TeamDriver(who, pk in now, rounds.get(pk, [])) for pk, who in people.items()]
    transfers = Transfer.objects.filter(Q(before=team) | Q(after=team)).select_related("driver", "before", "after")
    return TeamHistory(
        team,
        sorted(drivers, key=lambda each: (not each.now, str(each.driver))),
        list(transfers.order_by("-at", "-pk")),
    )
