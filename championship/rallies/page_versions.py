"""The version of a rally's pages: all that they depend on, in one cheap query, for pages that poll for changes, and for
the parts of pages that are rendered once for each version.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Count, F, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import JSONObject
from django.http import HttpRequest

from championship.platform.prepared_queries import BoundQuery, prepared, run_together
from championship.platform.web.request_values import RequestValue
from championship.rallies.models import (
    CrewChange,
    Entry,
    Exclusion,
    Message,
    Penalty,
    Rally,
    SpecialStage,
    StageTime,
    TimeByHand,
    TimeControlCard,
)

STAGE = "special_stage__rally"
_BY_HAND = StageTime.objects.filter(special_stage__rally=OuterRef("pk"), at_table=True)
"""Results at the table, which are corrected in place."""
_ON_THE_ROAD: list[Callable[[str], BoundQuery[Any]]] = []
_OVERVIEW: RequestValue[tuple[str, str]] = RequestValue("overview_version")
_RALLY: RequestValue[tuple[Any, ...]] = RequestValue("rally_version")


def register_on_the_road(query: Callable[[str], BoundQuery[Any]]) -> None:
    """Add a query of what happens on the stages of a rally, by the rally's key. Its rows must tell nothing that a
    spectator may not know: the version of the overview, which everybody can compare, is computed from them.
    """
    _ON_THE_ROAD.append(query)


def of_overview(request: HttpRequest, key: str) -> str | None:
    """The version of the rally's overview, with what happens on the road; None when there is no such rally."""
    found = _versions_of_overview(request, key)
    return found and found[0]


def without_road(request: HttpRequest, key: str) -> str | None:
    """The version of the parts of a rally's pages that show nothing of what happens on the road: it does not change
    with each turn. None when there is no such rally. No query where the page is polled.
    """
    known = _RALLY.of(request)
    if known is not None:
        return hashed([known])
    found = _versions_of_overview(request, key)
    return found and found[1]


def _versions_of_overview(request: HttpRequest, key: str) -> tuple[str, str] | None:
    """Both versions. One trip to the database for each request."""
    known = _OVERVIEW.of(request)
    if known is None:
        rally, *road = run_together(_rally_now.bind(key=key), *(query(key) for query in _ON_THE_ROAD))
        if not rally:
            return None
        known = hashed([rally, road]), hashed(rally)
        _OVERVIEW.put(request, known)
    return known


def hashed(seen: Any) -> str:
    """A short text for a JSON value, as a part of a version."""
    return sha256(json.dumps(seen, cls=DjangoJSONEncoder).encode()).hexdigest()[:32]


def of_rally(request: HttpRequest | None, key: str, **where: Any) -> Any:
    """The version of the rally's pages; None when there is no such rally. One query.

    It contains the rally's row (its id first), the state of its stages and entries, and the numbers of times, cards,
    changes of crew, messages and acts of officials.
    """
    found = _rally_now.first(key=key)
    if request is not None and found is not None:
        _RALLY.put(request, found)
    return found


def query_of_rally(key: str) -> BoundQuery[tuple[Any, ...]]:
    """The query of `of_rally`, to run together with others; its first row is the version."""
    return _rally_now.bind(key=key)


@prepared
def _rally_now(key: Any) -> QuerySet[Rally, tuple[Any, ...]]:
    stages = SpecialStage.objects.filter(rally=OuterRef("pk")).order_by("number")
    entries = Entry.objects.filter(rally=OuterRef("pk")).order_by("pk")
    return (
        Rally.objects.filter(key=key)
        .annotate(
            club_name=F("club__name"),
            club_logo=F("club__logo_tag"),
            club_closed=F("club__closed_at"),
            stages_now=ArraySubquery(
                stages.values(
                    json=JSONObject(
                        pk="pk",
                        status="status",
                        name="name",
                        until="control_deadline",
                        closes="closes_at",
                        struck="struck_at",
                        shortened="shortened_to",
                    )
                )
            ),
            entries_now=ArraySubquery(
                entries.values(
                    json=JSONObject(
                        status="status",
                        number="start_number",
                        crew="crew",
                        by="driven_by",
                        car="car_class",
                        colour="colour",
                        starts="starts_from",
                        late="late_added",
                    )
                )
            ),
            places_now=_count(SpecialStage.objects.filter(rally=OuterRef("pk")), "rally", "start_places"),
            list_now=_newest(SpecialStage.objects.filter(rally=OuterRef("pk")), "rally", "start_places"),
            times_now=_count(StageTime.objects.filter(special_stage__rally=OuterRef("pk")), STAGE),
            corrected_now=_newest(_BY_HAND, STAGE, "recorded_at"),
            cards_now=_count(TimeControlCard.objects.filter(special_stage__rally=OuterRef("pk")), STAGE),
            changes_now=_count(CrewChange.objects.filter(entry__rally=OuterRef("pk")), "entry__rally"),
            messages_now=_count(Message.objects.filter(rally=OuterRef("pk")), "rally"),
            penalties_now=_acts(Penalty.objects.filter(rally=OuterRef("pk")), "rally"),
            excluded_now=_acts(Exclusion.objects.filter(entry__rally=OuterRef("pk")), "entry__rally"),
            by_hand_now=_acts(TimeByHand.objects.filter(special_stage__rally=OuterRef("pk")), STAGE),
        )
        .values_list()
    )


def _count(rows: Any, by: str, of: str = "pk") -> Subquery:
    """The number of rows, grouped by the column `by`."""
    return Subquery(rows.order_by().values(by).annotate(n=Count(of)).values("n"))


def _newest(rows: Any, by: str, of: str) -> Subquery:
    """The id of the newest row. Start lists are written again as a whole, so it changes with each of them."""
    return Subquery(rows.order_by().values(by).annotate(n=Max(of)).values("n"))


def _acts(rows: Any, by: str) -> Subquery:
    """The number of acts, plus one for each lifted one. It changes with every act, because it only grows."""
    return Subquery(rows.order_by().values(by).annotate(n=Count("pk") + Count("lifted_at")).values("n"))
