"""Start lists (O2), the start of a rally, and the opening of a stage."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from secrets import SystemRandom
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.clock.services.timekeeping import closing_of
from championship.rallies.control import career
from championship.rallies.desk import announcements, organiser_notices
from championship.rallies.desk.promises import promises_of
from championship.rallies.desk.set_ups import refused_by_the_game, require_set_ups
from championship.rallies.entries.start_groups import in_groups, tables_of
from championship.rallies.followers import rally_followers
from championship.rallies.knockout.services import (
    crews_of,
    draw_again_before_start,
    require_plan_fits,
    seat_in_heats,
    write_list,
)
from championship.rallies.locks import locked_rally_for_organiser, require_open_entries
from championship.rallies.models import COLOURS, CrewChange, Entry, Rally, SpecialStage, StartPlace
from championship.rallies.results.selectors import results_of
from engine import registry


@transaction.atomic
def draw_start_list(*, by: User, rally: Rally) -> list[StartPlace]:
    """Write the first stage's start list in random order (O2). The act is logged. Only for organisers, before the
    start. It replaces a list that was written by hand or by the standings (seeding.py).

    Raises: Refused when no entry is confirmed.
    Raises: Stale when the list is already random and no entry has come or gone since then.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    require_open_entries(rally)
    first = rally.stages.get(number=1)
    if rally.seeded_by == Rally.Seeding.DRAW and first.start_places.exists():
        raise Stale(_("The start list is drawn. It is drawn again only when an entry is added or withdrawn."))
    return seed_at_random(rally, first, by=by)


@transaction.atomic
def start_rally(*, by: User, rally: Rally) -> Rally:
    """Start the rally: entries close, every car is new, and the first stage opens. Only for organisers.

    When there is no start list, it is written in random order. Entries that are not confirmed are refused.

    Raises: Refused when no entry is confirmed, when there are fewer entries than a table of the game needs, or when the
    game does not set up a stage with these options.
    Raises: Stale when the rally has started. The second of two concurrent calls gets this.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    require_open_entries(rally)
    with refused_by_the_game(rally):
        start_locked_rally(rally, by=by)
    return rally


def start_locked_rally(rally: Rally, *, by: User | None) -> None:
    """Start a rally that takes entries, as `start_rally` does. The rally is locked. `by`: None for the sweep."""
    first = rally.stages.get(number=1)
    if not first.start_places.exists():
        seed_at_random(rally, first, by=by)
    _require_enough(rally, first)
    require_plan_fits(rally)
    require_set_ups(rally, rally.stages.select_related("rally").order_by("number"))
    seat_in_heats(rally, first)
    _prepare_cars(rally)
    rally.status, rally.started_at = Rally.Status.RUNNING, (now := clock.now())
    rally.save(update_fields=["status", "started_at"])
    late = rally.entries.filter(status__in=[Entry.Status.REQUESTED, Entry.Status.WAITING])
    refused = list(late)
    details = {"refused because not confirmed": [str(entry) for entry in refused]}
    late.update(status=Entry.Status.REFUSED)
    organiser_notices.notify_entry_decisions(rally, "entry refused", refused, by=by, reason=_("The start is given."))
    _save_codriver_changes(by, rally, first, now)
    audit.record(actor=by, action="rally started", subject=rally, club_id=rally.club_id, details=details)
    open_special_stage(first)  # before the notices: it publishes the phrases, whose SHA-256 they contain
    _notify_drivers(rally)
    announcements.announce_rally_started(rally, starters=first.start_places.count())


def _save_codriver_changes(by: User | None, rally: Rally, first: SpecialStage, started_at: datetime) -> None:
    """Store a crew change for every car that the codriver drives from the start, so that results show it."""
    given = rally.entries.filter(status=Entry.Status.CONFIRMED, driven_by=Entry.DrivenBy.CODRIVER)
    if not rally.practice:
        CrewChange.objects.bulk_create(
            CrewChange(
                entry=entry,
                special_stage=first,
                before=entry.driver,
                crew_before=entry.crew,
                crew=entry.crew,
                by=by or entry.driver,
                at=started_at,  # `from_the_start` in driver_changes.py compares this moment
            )
            for entry in given.select_related("driver")
        )


@transaction.atomic
def start_next_stage(*, by: User, rally: Rally, number: int | None = None) -> SpecialStage:
    """Open the next planned stage, in a rally whose stages do not open automatically. Only for organisers.

    `number`: the stage that the organiser means; None for any.

    Raises: Stale when another stage is next, or when a stage is open.
    Raises: Refused when the rally is not under way.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    if rally.status != Rally.Status.RUNNING:
        raise Refused(str(rally.words.not_under_way))
    stages = list(rally.stages.all())
    if any(stage.status in (SpecialStage.Status.RUNNING, SpecialStage.Status.TIME_CONTROL) for stage in stages):
        raise Stale(_("One is open already."))
    stage = next(stage for stage in stages if stage.status == SpecialStage.Status.PLANNED)
    if number not in (None, stage.number):
        raise Stale(_("%(stage)s is next.") % {"stage": rally.stage_called(stage.number)})
    audit.record(actor=by, action="stage started", subject=stage, club_id=rally.club_id, details={"rally": rally.name})
    stage.rally = rally
    with refused_by_the_game(rally):
        draw_again_before_start(rally, stage)
        open_special_stage(stage)
    return stage


def open_special_stage(stage: SpecialStage) -> None:
    """Open a stage. Receivers of `stage_ready` open its runs. The rally is locked."""
    _assign_colours(stage)
    stage.status, stage.opened_at = SpecialStage.Status.RUNNING, clock.now()
    stage.closes_at = closing_of(stage.rally, stage)
    stage.save(update_fields=["status", "opened_at", "closes_at"])
    if stage.rally.bank_per == Rally.BankPer.STAGE or stage.number == 1:
        stage.rally.entries.exclude(bank_seconds=None).update(bank_seconds=None)
    for follower in rally_followers:
        follower.stage_ready(stage)


def write_list_by_results(rally: Rally, stage: SpecialStage) -> list[StartPlace]:
    """Write the start list of a later stage: by total, then by the last stage's result, then at random (O2).

    Entries that drove the last stage and have no total start behind the others, by start number. Late-comers who join
    here start last. Who has dropped out does not start. The rally is locked.
    """
    results = results_of(rally)
    drives = {pk: entry.starts_from for pk, entry in results.entries.items()}
    late = [pk for pk, first in drives.items() if first == stage.number]
    earlier = {pk for pk, first in drives.items() if first is not None and first < stage.number}
    totals = {pk: total for pk, total in results.totals(through=stage.number - 1).items() if pk in earlier}
    last = results.stage_totals(number=stage.number - 1)
    lots = [str(entry_id) for entry_id in totals]
    SystemRandom().shuffle(lots)
    order = career.starting_order(rally, _with_text_keys(totals), {str(pk): last.get(pk, 0) for pk in totals}, lots)
    driven = results.by_stage[stage.number - 1]
    behind = [pk for pk in results.entries if pk in earlier and pk in driven and pk not in totals]
    in_order = in_groups(rally, [*(int(entry_id) for entry_id in order), *behind])
    places = write_list(stage, [*in_order, *late])
    audit.record(
        actor=None,
        action="start list by time",
        subject=stage,
        club_id=rally.club_id,
        details={
            "rally": rally.name,
            "stage": stage.number,
            "order": crews_of(places),
            "lots": [str(results.entries[int(entry_id)]) for entry_id in lots],
        },
    )
    return places


def _with_text_keys(times: dict[int, int]) -> dict[str, int]:
    return {str(entry_id): seconds for entry_id, seconds in times.items()}


def seed_at_random(rally: Rally, first: SpecialStage, *, by: User | None) -> list[StartPlace]:
    """Write the first stage's start list in random order (O2). The rally is locked. `by`: None for the sweep.

    Raises: Refused when no entry is confirmed.
    """
    ids = list(rally.entries.filter(status=Entry.Status.CONFIRMED).values_list("pk", flat=True))
    if not ids:
        raise Refused(_("At least one confirmed entry is needed."))
    SystemRandom().shuffle(ids)
    return seed(by, rally, first, ids, Rally.Seeding.DRAW)


SEEDED = {
    Rally.Seeding.DRAW: "start list drawn",
    Rally.Seeding.STANDING: "start list by standing",
    Rally.Seeding.HAND: "start list by hand",
}
"""The log's action for each way to write the first start list."""


def seed(
    by: User | None, rally: Rally, first: SpecialStage, entry_ids: Sequence[int], way: Rally.Seeding, **details: Any
) -> list[StartPlace]:
    """Write the first stage's start list in this order, replace an existing one, and log it. A list that is not written
    by hand goes group by group (start_groups.py). The rally is locked.
    """
    first.start_places.all().delete()
    places = write_list(first, entry_ids if way == Rally.Seeding.HAND else in_groups(rally, entry_ids))
    rally.seeded_by = way
    rally.save(update_fields=["seeded_by"])
    audit.record(
        actor=by,
        action=SEEDED[way],
        subject=rally,
        club_id=rally.club_id,
        details={"order": crews_of(places), **details},
    )
    return places


def void_start_list(rally: Rally) -> None:
    """Delete the start list, because an entry has come or gone. The rally is locked."""
    if rally.seeded_by:
        StartPlace.objects.filter(special_stage__rally=rally).delete()
        rally.seeded_by = ""
        rally.save(update_fields=["seeded_by"])


def _prepare_cars(rally: Rally) -> None:
    """Give every entry a new car, and colours in the order of start numbers."""
    entries = list(rally.entries.filter(status=Entry.Status.CONFIRMED).order_by("start_number"))
    finished = career.finished_stages(rally, [entry.driver_id for entry in entries])
    for rank, entry in enumerate(entries):
        entry.car = career.new_car(rally, finished=finished.get(entry.driver_id, 0), newcomer=entry.newcomer)
        entry.colour = rank % COLOURS
    Entry.objects.bulk_update(entries, ["car", "colour"])


def _assign_colours(stage: SpecialStage) -> None:
    """When there are more cars than colours, assign colours in starting order, so that neighbours differ."""
    entries = [place.entry for place in stage.start_places.select_related("entry").order_by("position")]
    if len(entries) > COLOURS:
        for index, entry in enumerate(entries):
            entry.colour = index % COLOURS
        Entry.objects.bulk_update(entries, ["colour"])


def _require_enough(rally: Rally, first: SpecialStage) -> None:
    """Check that every table has enough entries.

    Raises: Refused when the entries cannot be divided into tables that are large enough for the game.
    """
    rules = registry.get(rally.game)
    seats, found = rules.seats, tables_of(rally, list(first.start_places.order_by("position")), rules)
    convoy = any(stage.driven_as == Rally.Mode.CONVOY for stage in rally.stages.all())
    if convoy and any(len(table) < seats.least for table in found):
        said = {"least": seats.least, "most": seats.most}
        raise Refused(_("This game needs at least %(least)d and at most %(most)d entries at each table.") % said)


def _notify_drivers(rally: Rally) -> None:
    """Notify every person who drives, with the promises about the random draws: a constant number of queries."""
    entries = rally.entries.filter(status=Entry.Status.CONFIRMED, driven_by=Entry.DrivenBy.PERSON)
    context = {"rally": rally.name, "game": rally.game, "promises": promises_of(rally)}
    enqueue_many(
        [
            Letter(
                recipient=entry.driver,
                kind="rally started",
                subject_key=f"rally {rally.pk}",
                context={**context, "start_number": entry.start_number},
                link=rally.get_absolute_url(),
                thread=f"rally {rally.key}",
            )
            for entry in entries.select_related("driver")
        ]
    )
