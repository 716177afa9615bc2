"""Evenings for tests: a rally that is driven with the printed game, its tables, and what phones send."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.tabletop import links
from championship.tabletop.links import Pass
from championship.tabletop.models import Evening, Score, Table
from championship.tabletop.services import handing_in, opening, scoring
from championship.tabletop.services.signing_on import sign_on
from championship.tabletop.written import Written
from tests.championship.rallies.factories import make_rally, organiser_of

_keys = itertools.count(1)


def an_evening(*, tables: int = 2, stages: Sequence[str] = ("1/1", "1/3"), mode: str = "at the table") -> Evening:
    """An evening that is open, of a rally that takes entries."""
    rally = make_rally(stages=stages, mode=mode)
    return opening.open_evening(by=organiser_of(rally), rally=rally, tables=tables)


def guests(evening: Evening, *names: str) -> list[Entry]:
    """Guests who have signed on with the link on the wall."""
    return [sign_on(evening=evening, guest=name).entry for name in names]


def under_way(*names: str, tables: int = 1, stages: Sequence[str] = ("1/1", "1/3")) -> tuple[Evening, list[Entry]]:
    """An evening whose first stage is on the road, with guests at its tables."""
    evening = an_evening(tables=tables, stages=stages)
    entries = guests(evening, *(names or ("Ana", "Bo")))
    rallies.start_rally(by=organiser_of(evening.rally), rally=evening.rally)
    return fresh(evening), entries


def fresh(evening: Evening) -> Evening:
    """The evening as it is now."""
    return Evening.objects.select_related("rally__club").get(pk=evening.pk)


def table_pass(evening: Evening, number: int = 1) -> Pass:
    """The pass of a table's marshal."""
    evening = fresh(evening)
    return links.pass_of(
        token_of(links.table_path(Table.objects.select_related("evening").get(evening=evening, number=number)))
    )


def car_pass(evening: Evening, entry: Entry) -> Pass:
    """The pass of the phone of a car."""
    return links.pass_of(token_of(car_path(evening, entry)))


def car_path(evening: Evening, entry: Entry) -> str:
    """The address of the pad of a car."""
    return links.car_path(fresh(evening), entry, evening.sign_ons.get(entry=entry).serial)


def table_path(evening: Evening, number: int = 1) -> str:
    """The address of the pads of a table."""
    return links.table_path(evening.tables.select_related("evening__rally__club").get(number=number))


def token_of(path: str) -> str:
    """The signed part of an address."""
    return path.strip("/").split("/")[-1]


def writes(
    by: Pass, entry: Entry, result: int | None = None, *, stage: int = 1, seen: str = "", key: str = "", **more: Any
) -> Score:
    """Enter a result on a pad."""
    written = Written(key=key or f"key-{next(_keys):08}", entry=entry.pk, stage=stage, seen=seen, result=result, **more)
    return scoring.enter_score(by=by, written=written)


def drives(evening: Evening, seconds: Mapping[Entry, int], *, stage: int = 1) -> None:
    """Enter and hand in the results of all tables."""
    by = organiser_of(evening.rally)
    for entry, result in seconds.items():
        writes(car_pass(evening, entry), entry, result, stage=stage)
    handing_in.hand_in(by=Pass(fresh(evening)), number=stage, person=by)


def rally_now(evening: Evening) -> Rally:
    """The rally as it is now."""
    return Rally.objects.get(pk=evening.rally_id)
