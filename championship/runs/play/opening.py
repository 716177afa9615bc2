"""A special stage opens: the cars of its start list are seated in runs, each with a committed secret."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.db import transaction

from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.rallies.control import career
from championship.rallies.desk import announcements
from championship.rallies.entries.start_groups import tables_of
from championship.rallies.models import Entry, Rally, SpecialStage, StartPlace
from championship.runs.models import Run, Seal, Seat
from championship.runs.play.advancing import advance
from championship.runs.play.advancing_run import load_runs
from championship.runs.play.sealing import PublishedSeal, publish_phrases, published_seal
from championship.runs.watch.logged_promises import promised
from engine import chance, record, registry
from engine.contract import Alone, Teaming, offered

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


@transaction.atomic
def open_runs(*, special_stage: SpecialStage) -> list[Run]:
    """Create and return the runs of a stage whose start list is complete. On a stage driven in convoy each run has as
    many cars as the game takes, otherwise one car. Entries that drive at the table have none: people enter their
    results.
    """
    rally = special_stage.rally
    places = list(special_stage.start_places.select_related("entry__driver").order_by("position"))
    if special_stage.at_table:
        publish_phrases(special_stage)  # draws at the table follow from them too
        _notify_opened(special_stage, places)
        return []
    everybody, places = places, [place for place in places if not place.entry.at_table]
    last = not rally.stages.filter(number__gt=special_stage.number).exists()
    convoy = special_stage.driven_as == Rally.Mode.CONVOY
    groups = _tables(rally, places) if convoy else [[place] for place in places]
    stage = career.in_rally(rally, special_stage.spec, last=last)
    seal = publish_phrases(special_stage)
    now = clock.now()
    runs = [_create_run(special_stage, number, group, stage, seal, now) for number, group in enumerate(groups, 1)]
    for run, group in zip(runs, groups, strict=True):
        _add_seats(run, group)
    begun = load_runs(runs)
    for each in begun:
        each.begin(now=now)
    _notify_opened(special_stage, everybody)
    advance(begun, now=now)
    return runs


def _tables(rally: Rally, places: Sequence[StartPlace]) -> list[list[StartPlace]]:
    """Return the tables of a convoy: the heats of the start list where it has them."""
    if all(place.heat is not None for place in places):
        return [list(table) for _heat, table in groupby(places, key=lambda place: place.heat)]
    return tables_of(rally, places, registry.get(rally.game))


def _notify_opened(special_stage: SpecialStage, places: Sequence[StartPlace]) -> None:
    """Send the promise about the stage's draws to the people who drive it, and to the club's webhooks. Letters about
    the start of the rally contain that of the first stage. Three queries, and one more for each webhook.
    """
    rally = special_stage.rally
    if special_stage.number == 1 or rally.practice:
        return
    promise = promised(rally, Seal.objects.select_related("special_stage").get(special_stage=special_stage))
    context = {"rally": rally.name, "game": rally.game, "stage": special_stage.number, "promises": [promise]}
    enqueue_many(
        [
            Letter(
                recipient=place.entry.driver,
                kind="stage opened",
                subject_key=f"stage {special_stage.pk}",
                context=context,
                link=special_stage.get_absolute_url(),
                thread=f"rally {rally.key}",
            )
            for place in places
            if place.entry.driven_by == Entry.DrivenBy.PERSON
        ]
    )
    announcements.announce_stage_opened(rally, special_stage, promise)


@transaction.atomic
def open_own_run(*, entry: Entry) -> Run:
    """Return the run of an entry on an open stage, where each entry drives alone. Creates it when there is none yet.
    The rally must be locked, so that no two runs get the same number.

    The seal and the phrases are those that were published when the stage opened.
    """
    stage = entry.rally.stages.get(number=1)
    seat = Seat.objects.filter(special_stage=stage, entry=entry).select_related("run").first()
    if seat is not None:
        return seat.run
    number = stage.runs.count() + 1
    course = career.in_rally(entry.rally, stage.spec, last=True)
    now, group = clock.now(), list(stage.start_places.filter(entry=entry).select_related("entry"))
    run = _create_run(stage, number, group, course, published_seal(stage), now)
    _add_seats(run, group)
    [begun] = load_runs([run])
    begun.begin(now=now)
    advance([begun], now=now)
    return run


def _create_run(
    special_stage: SpecialStage,
    number: int,
    group: Sequence[StartPlace],
    stage: dict[str, object],
    seal: PublishedSeal,
    now: datetime,
) -> Run:
    rally = special_stage.rally
    rules = registry.get(rally.game)
    alone = offered(rules, Alone)
    options = rally.all_options
    if alone is not None and special_stage.driven_as != Rally.Mode.CONVOY:
        options = dict(alone.alone(options))
    secret = seal.secret_of_run(number)
    entrants = [_entrant(place.entry) for place in group]
    teaming = offered(rules, Teaming)
    if teaming is not None:
        entrants = teaming.teamed(entrants, options)
    return Run.objects.create(
        special_stage=special_stage,
        number=number,
        game=rally.game,
        ruleset_version=rules.version,
        stage=stage,
        entrants=entrants,
        options=options,
        state=rules.setup(stage, entrants, options),
        secret=secret,
        common=seal.common if alone is not None and alone.shares_draws(rally.all_options) else None,
        phrases_sha256=seal.phrases_sha256,
        record_format=record.FORMAT,
        commitment=chance.commitment(secret),
        opened_at=now,
    )


def _add_seats(run: Run, group: Sequence[StartPlace]) -> None:
    Seat.objects.bulk_create(
        Seat(
            run=run,
            special_stage=run.special_stage,
            entry=place.entry,
            name=str(place.entry.start_number),
            position=position,
        )
        for position, place in enumerate(group, 1)
    )


def _entrant(entry: Entry) -> dict[str, Any]:
    """Return an entry in the engine's form: its start number, and its car where it brings one."""
    luggage = {} if entry.car is None else {"luggage": entry.car}
    return {"id": str(entry.start_number), **luggage}
