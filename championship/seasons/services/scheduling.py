"""Change the calendar of an existing championship."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.platform.refusals import Refused
from championship.rallies.models import Rally
from championship.seasons.models import Championship, Round
from championship.seasons.round_numbers import save_numbers
from championship.seasons.services.championships import locked, require_stage, require_version

MOVABLE = (Rally.Status.ENTRIES, Rally.Status.CANCELLED)
"""Rounds that have not begun may move to another place in the season."""


@transaction.atomic
def change_calendar(
    *, by: User, championship: Championship, version: int | None, planned: Mapping[int, tuple[date | None, int | None]]
) -> list[Round]:
    """Change day and power stage of rounds, by round id. Rounds that have not begun are sorted by day; a round without
    a day stays behind the one before it. Only organisers.

    Raises: Refused with a field, `day_<id>` or `power_<id>`, when a round that is over is changed, or there is no such
    power stage.
    Raises: Stale when the championship has changed since `version`, unless it already has these values.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = locked(championship)
    rounds = list(championship.rounds.select_related("rally").prefetch_related("rally__stages").order_by("number"))
    before = [_logged_round(each) for each in rounds]
    for each in rounds:
        day, power_stage = planned.get(each.pk, (each.planned_for, each.power_stage))
        if each.rally.status == Rally.Status.FINISHED and (day, power_stage) != (each.planned_for, each.power_stage):
            field = f"day_{each.pk}" if day != each.planned_for else f"power_{each.pk}"
            raise Refused(_("This round is over and cannot be changed."), field=field)
        require_stage(power_stage, len(each.rally.stages.all()), field=f"power_{each.pk}")
        each.planned_for, each.power_stage = day, power_stage
    _number_by_day(rounds)
    rounds.sort(key=lambda each: each.number)
    if [_logged_round(each) for each in rounds] == before:
        return rounds
    require_version(championship, version)
    championship.version += 1
    championship.save(update_fields=["version"])
    save_numbers(rounds, "planned_for", "power_stage")
    audit.record(
        actor=by,
        action="calendar changed",
        subject=championship,
        club_id=championship.club_id,
        details={"championship": championship.name, "calendar": [" ".join(_logged_round(each)) for each in rounds]},
    )
    return rounds


def _number_by_day(rounds: list[Round]) -> None:
    """Number rounds by day; rounds that have begun keep their numbers."""
    movable, latest = [], date.min
    for each in rounds:
        latest = each.planned_for or latest
        if each.rally.status in MOVABLE:
            movable.append((latest, each))
    numbers = sorted(each.number for _day, each in movable)
    for number, (_day, each) in zip(numbers, sorted(movable, key=lambda pair: pair[0]), strict=True):
        each.number = number


def _logged_round(each: Round) -> tuple[str, ...]:
    """Return a round in the form of the audit log."""
    day, power = each.planned_for, each.power_stage
    return (f"{each.number}.", each.rally.name, day.isoformat() if day else "–", "" if power is None else f"/ {power}")
