"""The first page of a rally and the pages of its stages: most readers get parts of them that are rendered already, so
what these show is read only when it is needed. All else is read in one trip to the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils.functional import SimpleLazyObject

from championship.clubs.models import Membership
from championship.platform.beside import Beside
from championship.platform.prepared_queries import prepared, run_together
from championship.rallies.models import Entry, Message, Rally, SpecialStage
from championship.rallies.results.selectors import is_sealed
from championship.rallies.selectors import (
    RallyPage,
    Viewer,
    active_first,
    rally_page,
    require_may_see,
    stage_in,
)

MESSAGES_SHOWN = 20
NOBODY = 0
"""The id of a reader who has not signed in."""
BESIDE = Beside()
"""What other apps show on these pages: queries by the key of the rally, `rally`, and the id of the reader, `reader`."""
BESIDE_STAGE = Beside()
"""What they show on the page of a stage besides: queries by `rally`, `reader` and the number of the stage, `number`."""


@dataclass(frozen=True)
class FrontPage(RallyPage):
    """The page of a stage, whose results and start list are read when something asks for them. `tabs`: the
    stages without their courses. `messages`: what organisers wrote to the entrants, newest first. `beside`: the rows of
    other apps, by name.
    """

    tabs: Sequence[SpecialStage] = ()
    messages: Sequence[Message] = ()
    beside: Mapping[str, list[Any]] = field(default_factory=dict)

    @property
    def every_stage(self) -> Sequence[SpecialStage]:
        return self.tabs

    @property
    def seen_as(self) -> int:
        """The id of the viewer's entry where not everybody sees the same results, else 0. Parts of the page that show
        results are rendered once for each.
        """
        return self.mine.pk if self.mine is not None and any(map(is_sealed, self.tabs)) else 0


def front_page(key: str, viewer: Viewer, *, number: int | None = None) -> FrontPage:
    """The first page of the rally of that key, or that of its stage `number`, for a viewer who may see it. One
    trip to the database, and two more at most when the club is for members only.

    Raises: Http404 when there is no such rally or stage, or when the viewer may not see it.
    Raises: NotYet when the viewer may not see it and has not signed in.
    """
    reader = viewer.pk if viewer.is_authenticated else NOBODY
    upon = BESIDE_STAGE.bound(rally=key, reader=reader, number=number) if number is not None else []
    rallies, tabs, own, roles, written, *beside = run_together(
        _rally.bind(key=key),
        _tabs.bind(key=key),
        _own.bind(key=key, reader=reader),
        _roles.bind(key=key, reader=reader),
        _messages.bind(key=key),
        *upon,
        *BESIDE.bound(rally=key, reader=reader),
    )
    if not rallies:
        raise Http404
    rally = rallies[0]
    require_may_see(rally, viewer)
    for each in (*tabs, *own):
        each.rally = rally
    held = frozenset(roles[0][0] if roles else ())
    whole = SimpleLazyObject(lambda: rally_page(rally, viewer, number=number, roles=held))
    at_control = any(stage.status == SpecialStage.Status.TIME_CONTROL for stage in tabs)

    def later(name: str) -> Any:
        return SimpleLazyObject(lambda: getattr(whole, name))

    return FrontPage(
        rally=rally,
        results=later("results"),
        stage=stage_in(tabs, number),
        start_list=later("start_list"),
        missing=later("missing") if at_control else (),
        mine=next(iter(active_first(own)), None),
        roles=held,
        tabs=tabs,
        messages=written,
        beside={**BESIDE.by_name(beside[len(upon) :]), **(BESIDE_STAGE.by_name(beside[: len(upon)]) if upon else {})},
    )


@prepared
def _rally(key: Any) -> QuerySet[Rally]:
    return Rally.objects.filter(key=key).select_related("club")


@prepared
def _tabs(key: Any) -> QuerySet[SpecialStage]:
    return SpecialStage.objects.filter(rally__key=key).defer("spec").order_by("number")


@prepared
def _own(key: Any, reader: Any) -> QuerySet[Entry]:
    return Entry.objects.filter(rally__key=key, driver=reader).order_by("pk")


@prepared
def _roles(key: Any, reader: Any) -> QuerySet[Membership, tuple[Any, ...]]:
    return Membership.objects.filter(club__rallies__key=key, user=reader).order_by("pk").values_list("roles")


def newest(messages: QuerySet[Message]) -> QuerySet[Message]:
    """Return the MESSAGES_SHOWN newest of these messages, newest first, with their writers."""
    return messages.select_related("by").order_by("-at", "-pk")[:MESSAGES_SHOWN]


@prepared
def _messages(key: Any) -> QuerySet[Message]:
    return newest(Message.objects.filter(rally__key=key))
