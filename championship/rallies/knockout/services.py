"""Who drives the semi-finals and the final: drawn from the results when the stage before is over, and by organisers.

The rally is locked wherever a function takes no `by`.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from secrets import SystemRandom
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.control import career
from championship.rallies.desk import organiser_notices
from championship.rallies.entries.standings import order_of
from championship.rallies.knockout.event import HEAT_MODES, refuse_other_stages
from championship.rallies.knockout.field import field_of
from championship.rallies.knockout.plan import Division, Grid, Knockout, divide, heat_sizes
from championship.rallies.locks import locked_rally_for_organiser
from championship.rallies.models import Entry, Exclusion, Rally, SpecialStage, StartPlace
from engine import registry
from engine.contract import GameError, RuleError, Teaming, offered

BY_HAND, AGAIN = "field by hand", "field drawn again"
"""Actions of the log."""


def write_list(stage: SpecialStage, entry_ids: Sequence[int], heats: Sequence[int | None] = ()) -> list[StartPlace]:
    """Write the start list of a stage in this order; `heats`: the number of the heat of each."""
    entries = Entry.objects.in_bulk(entry_ids)
    numbered = heats or [None] * len(entry_ids)
    return StartPlace.objects.bulk_create(
        StartPlace(special_stage=stage, entry=entries[entry_id], position=position, heat=heat)
        for position, (entry_id, heat) in enumerate(zip(entry_ids, numbered, strict=True), start=1)
    )


def crews_of(places: Sequence[StartPlace]) -> list[str]:
    """The entries of a start list as the log writes them."""
    return [str(place.entry) for place in places]


def require_plan_fits(rally: Rally) -> None:
    """Check that a rally with heats has the stages of its plan, each driven at tables.

    Raises: Refused.
    """
    plan = rally.heats
    if plan is None:
        return
    stages = list(rally.stages.all())
    refuse_other_stages(plan, len(stages), rally.words)
    if any(stage.driven_as not in HEAT_MODES for stage in stages):
        raise Refused(_("With heats, all cars of a table drive together. Choose that."), field="mode")


def seat_in_heats(rally: Rally, stage: SpecialStage) -> None:
    """Divide the start list of a stage into heats, in a rally that has them, and order each heat."""
    plan = rally.heats
    if plan is None:
        return
    order = list(stage.start_places.order_by("position").values_list("entry_id", flat=True))
    _write_heats(rally, stage, plan, order)


def _write_heats(rally: Rally, stage: SpecialStage, plan: Knockout, order: Sequence[int]) -> list[StartPlace]:
    rules = registry.get(rally.game)
    sizes = heat_sizes(len(order), rules, rally.all_options, rally.table_size)
    dealt = list(order)
    if plan.division == Division.LOT:
        SystemRandom().shuffle(dealt)
    rank = {entry: number for number, entry in enumerate(order)}
    groups = [sorted(group, key=rank.__getitem__) for group in divide(dealt, sizes, plan.division)]
    in_order = [_in_grid_order(rally, plan, group) for group in groups]
    stage.start_places.all().delete()
    heats = [number for number, group in enumerate(in_order, 1) for _entry in group]
    return write_list(stage, [entry for group in in_order for entry in group], heats)


def _in_grid_order(rally: Rally, plan: Knockout, group: Sequence[int]) -> list[int]:
    """The cars of one heat in their starting order. Drivers without a place in the championship start last."""
    if plan.grid == Grid.LIST:
        return list(group)
    if plan.grid == Grid.REVERSED:
        return list(reversed(group))
    ranks = {driver: rank for rank, driver in enumerate(order_of(rally))}
    drivers = dict(Entry.objects.filter(pk__in=group).values_list("pk", "driver_id"))
    known = sorted((entry for entry in group if drivers[entry] in ranks), key=lambda entry: ranks[drivers[entry]])
    if plan.grid == Grid.STANDING_LAST:
        known.reverse()
    return [*known, *(entry for entry in group if entry not in known)]


# The field of a further stage ----------------------------------------------------------------------


def draw_field(rally: Rally, stage: SpecialStage, *, by: User | None = None, action: str = "field drawn") -> bool:
    """Write the start list of a semi-final or a final from the results before it. Chance decides between equal
    results.

    Returns False when too few cars are left for a table; then the list is empty, and the stage cannot be driven.
    """
    plan = rally.heats
    assert plan is not None
    before = list(stage.start_places.order_by("position").values_list("entry_id", flat=True))
    lots = list(rally.entries.filter(status=Entry.Status.CONFIRMED).values_list("pk", flat=True))
    SystemRandom().shuffle(lots)
    field = field_of(rally, stage, lots=[*before, *(entry for entry in lots if entry not in before)])
    chosen = [car.entry for car in field.through][: _largest(rally, stage, len(field.through))]
    if set(chosen) == set(before) and before:
        return True
    stage.start_places.all().delete()
    places = _write_heats(rally, stage, plan, chosen) if chosen else []
    _log(rally, stage, places, action, by=by, lots=[str(field.entries[entry]) for entry in field.tied])
    organiser_notices.notify_field(rally, stage)
    return bool(places)


def _largest(rally: Rally, stage: SpecialStage, wanted: int) -> int:
    """The largest number of cars up to `wanted` that the game can seat on the stage; 0 for none."""
    plan, rules = rally.heats, registry.get(rally.game)
    assert plan is not None
    for cars in range(wanted, 0, -1):
        sizes = heat_sizes(cars, rules, rally.all_options, rally.table_size)
        alone = len(sizes) == 1 or not plan.is_final(stage.number)
        if alone and min(sizes) >= rules.seats.least and all(_can_sit(rally, stage, size) for size in set(sizes)):
            return cars
    return 0


def _can_sit(rally: Rally, stage: SpecialStage, cars: int) -> bool:
    """Whether a game with teams takes this number of cars at a table."""
    rules = registry.get(rally.game)
    teaming = offered(rules, Teaming)
    if teaming is None:
        return True
    course = career.in_rally(rally, stage.spec, last=False)
    try:
        rules.setup(course, teaming.teamed([{"id": str(n)} for n in range(cars)], rally.all_options), rally.all_options)
    except (GameError, RuleError):
        return False
    return True


def draw_again_before_start(rally: Rally, stage: SpecialStage) -> None:
    """Draw the field again when a semi-final or a final opens later than it was drawn: decisions since then count.
    A list that organisers have written stays, without cars that are excluded.
    """
    if rally.heats is None or stage.number == 1:
        return
    if not stage.list_by_hand:
        drawn = draw_field(rally, stage, action=AGAIN)
    else:
        out = stage.start_places.filter(entry__exclusions__in=Exclusion.objects.filter(lifted_at=None))
        kept = list(stage.start_places.exclude(pk__in=out).order_by("position").values_list("entry_id", flat=True))
        drawn = bool(kept) and _largest(rally, stage, len(kept)) == len(kept)
        if drawn and out.exists():
            _log(rally, stage, _write_heats(rally, stage, rally.heats, kept), AGAIN, by=None)
    if not drawn:
        raise Refused(_("Too few cars are left for a table. Choose who drives."))


def call_off_rest(rally: Rally, stage: SpecialStage) -> None:
    """Call off a stage for which too few cars are left, and those after it."""
    now = clock.now()
    rest = rally.stages.filter(number__gte=stage.number)
    rest.update(status=SpecialStage.Status.CANCELLED, opened_at=now, closed_at=now)
    details = {"rally": rally.name, "stage": stage.number}
    audit.record(actor=None, action="field too small", subject=stage, club_id=rally.club_id, details=details)


@transaction.atomic
def redraw_field(*, by: User, rally: Rally, number: int) -> SpecialStage:
    """Draw who drives a semi-final or a final again, from the results as they are now. Only for organisers, before the
    stage opens.

    Raises: Stale when it has opened, or when the results say the same as the list.
    Raises: Refused when too few cars are left.
    """
    rally, stage = _planned(by, rally, number)
    before = list(stage.start_places.order_by("position").values_list("entry_id", flat=True))
    if stage.list_by_hand:
        stage.list_by_hand = False
        stage.save(update_fields=["list_by_hand"])
    if not draw_field(rally, stage, by=by, action=AGAIN):
        raise Refused(_("Too few cars are left for a table. Choose who drives."))
    if list(stage.start_places.order_by("position").values_list("entry_id", flat=True)) == before:
        raise Stale(_("The results say the same as this list."))
    return stage


@transaction.atomic
def choose_field(*, by: User, rally: Rally, number: int, entry_ids: Sequence[int], seen: str) -> SpecialStage:
    """Write by hand who drives a semi-final or a final. They start in the order of their results. Only for organisers,
    before the stage opens. The act is logged. The same choice again changes nothing. `seen`: the fingerprint of the
    list that the organiser saw.

    Raises: Stale when it has opened, or the list has changed since.
    Raises: Refused for cars that cannot drive there, for too many and for too few.
    """
    rally, stage = _planned(by, rally, number)
    plan = rally.heats
    assert plan is not None
    before = list(stage.start_places.order_by("position").values_list("entry_id", flat=True))
    wanted = set(entry_ids)
    if wanted == set(before) and stage.list_by_hand:
        return stage
    if seen != fingerprint_of(before):
        raise Stale(_("The list has changed meanwhile. This page shows it as it is now."))
    field = field_of(rally, stage, lots=before)
    if not wanted <= set(field.order):
        raise Refused(_("Choose cars that have driven before and are not excluded."), field="entry")
    if not wanted or _largest(rally, stage, len(wanted)) != len(wanted):
        raise Refused(_("This number of cars does not fit at the tables here."), field="entry")
    cut = plan.cut_before(stage.number)
    if len(wanted) > cut.cars:
        raise Refused(_("At most %(n)d cars drive here.") % {"n": cut.cars}, field="entry")
    stage.list_by_hand = True
    stage.save(update_fields=["list_by_hand"])
    places = _write_heats(rally, stage, plan, [entry for entry in field.order if entry in wanted])
    _log(rally, stage, places, BY_HAND, by=by)
    organiser_notices.notify_field(rally, stage)
    return stage


def fingerprint_of(entry_ids: Sequence[int]) -> str:
    """A hash of the list that an organiser saw."""
    return sha256(",".join(map(str, entry_ids)).encode()).hexdigest()[:16]


def _planned(by: User, rally: Rally, number: int) -> tuple[Rally, SpecialStage]:
    rally = locked_rally_for_organiser(by, rally.pk)
    stage = rally.stages.filter(number=number).first()
    if stage is None or number == 1 or rally.heats is None:
        raise Refused(_("Nobody is chosen here."))
    stage.rally = rally
    before = rally.stages.filter(number=number - 1, status=SpecialStage.Status.DONE)
    if rally.status != Rally.Status.RUNNING or stage.status != SpecialStage.Status.PLANNED or not before.exists():
        raise Stale(_("The list can be changed only between the end of what comes before and the start."))
    return rally, stage


def _log(
    rally: Rally, stage: SpecialStage, places: Sequence[StartPlace], action: str, *, by: User | None, **more: Any
) -> None:
    details = {"rally": rally.name, "stage": stage.number, "order": crews_of(places), **more}
    audit.record(actor=by, action=action, subject=stage, club_id=rally.club_id, details=details)
