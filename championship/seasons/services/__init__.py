"""Writes about championships: create and change one, add its rounds, and change their dates and numbers. No two rounds
of a championship may have the same number at any time.

Modules beside this one: drafts of seasons, registrations, deleting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.name_comparison import all_differ, stored_form
from championship.audit import services as audit
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.platform.refusals import Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.rallies.text_checks import checked_line
from championship.seasons import schemes as schemes
from championship.seasons.models import Championship, Round
from championship.seasons.schemes import Scheme, checked
from championship.seasons.season_plans import usual_power_stage

MOVABLE = (Rally.Status.ENTRIES, Rally.Status.CANCELLED)
"""Rounds that have not begun may move to another place in the season."""
ASIDE = 1000
"""Added to the numbers of rounds in the first of two steps."""


@transaction.atomic
def create_championship(
    *,
    by: User,
    club: Club,
    name: str,
    classes: Sequence[str] = (),
    points: Sequence[float] = schemes.DEFAULT_POINTS,
    rally_settings: Mapping[str, Any] | None = None,
    **scheme: Any,
) -> Championship:
    """Create a championship of the club. Only organisers. `scheme`: the arguments of schemes.checked besides points.
    `rally_settings`: the initial settings of its rallies (rally_defaults.py).

    Raises: Refused with the field: name, classes, or one of the scheme's.
    """
    require_role(by, club, Role.ORGANISER)
    championship = Championship(club=club, rally_settings=dict(rally_settings or {}))
    _set_up(championship, name, classes, points, scheme)
    championship.save()
    audit.record(
        actor=by,
        action="championship made",
        subject=championship,
        club_id=club.pk,
        details=_logged_settings(championship),
    )
    return championship


@transaction.atomic
def change_championship(
    *,
    by: User,
    championship: Championship,
    name: str,
    points: Sequence[float],
    version: int | None = None,
    **changes: Any,
) -> Championship:
    """Change name and points scheme; also `classes`, `rally_settings` and other fields of the scheme where they are
    given. The table changes at once, also for rounds already driven. Only organisers.

    Raises: Refused (field classes) when a class is removed in which somebody has driven; also with any other field that
    is wrong.
    Raises: Stale when the championship has changed since `version`, where one is given, unless it already has these
    values.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = locked(championship)
    before, was = _logged_settings(championship), _all_settings(championship)
    kept = {field.name: getattr(championship.scheme, field.name) for field in fields(Scheme) if field.name != "points"}
    classes = changes.pop("classes", championship.classes)
    championship.rally_settings = dict(changes.pop("rally_settings", championship.rally_settings))
    _require_driven_classes(championship, classes)
    _set_up(championship, name, classes, points, kept | changes)
    if _all_settings(championship) == was:
        return championship
    require_version(championship, version)
    championship.version += 1
    championship.save()
    audit.record(
        actor=by,
        action="championship changed",
        subject=championship,
        club_id=championship.club_id,
        details={"before": before, "after": _logged_settings(championship)},
    )
    return championship


def locked(championship: Championship) -> Championship:
    """Return the championship, read again with its club, its row locked until the transaction ends."""
    return Championship.objects.select_for_update(of=("self",)).select_related("club").get(pk=championship.pk)


def require_version(championship: Championship, version: int | None) -> None:
    """Check that the championship has this version; None checks nothing.

    Raises: Stale when it has another version.
    """
    if version is not None and version != championship.version:
        raise Stale(_("Somebody has changed the championship meanwhile. This page shows it as it is now."))


def _require_driven_classes(championship: Championship, classes: Sequence[str]) -> None:
    removed = [name for name in championship.classes if name not in {stored_form(each.strip()) for each in classes}]
    if not removed:
        return
    driven = set(
        Entry.objects.filter(
            rally__round__championship=championship,
            rally__status__in=[Rally.Status.RUNNING, Rally.Status.FINISHED],
            status=Entry.Status.CONFIRMED,
            car_class__in=removed,
        ).values_list("car_class", flat=True)
    )
    for name in removed:
        if name in driven:
            says = _("Somebody has driven in class %(name)s already; it has to stay.") % {"name": name}
            raise Refused(says, field="classes")


def _set_up(
    championship: Championship, name: str, classes: Sequence[str], points: Sequence[float], scheme: Mapping[str, Any]
) -> None:
    championship.name = checked_line(name, longest=80, field="name")
    for field, value in asdict(checked(points=points, **scheme)).items():
        setattr(championship, field, list(value) if isinstance(value, tuple) else value)
    named = [checked_line(each, longest=20, field="classes") for each in classes]
    if not all_differ(named):
        raise Refused(_("Name each class once."), field="classes")
    championship.classes = named
    if named and "divisions" in championship.further:  # the divisions of a season are its classes
        divisions = {**championship.further["divisions"], "names": named}
        championship.further = {**championship.further, "divisions": divisions}


def _logged_settings(championship: Championship) -> dict[str, Any]:
    """Return a championship's settings for the audit log."""
    return {name: getattr(championship, name) for name in ("name", *(each.name for each in fields(Scheme)), "classes")}


def _all_settings(championship: Championship) -> dict[str, Any]:
    return {**_logged_settings(championship), "rally_settings": championship.rally_settings}


@transaction.atomic
def add_round(
    *,
    by: User,
    championship: Championship,
    rally: Rally,
    planned_for: date | None = None,
    power_stage: int | None = None,
) -> Round:
    """Make the rally the championship's next round. Only organisers. Without a `power_stage` it is the last one; a
    rally of one stage has none.

    Raises: Refused for a rally of another club, a cancelled one, one that is a round already, and for a power stage (by
    number) that it does not have.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = locked(championship)
    rally = Rally.objects.select_for_update().get(pk=rally.pk)
    if rally.club_id != championship.club_id:
        raise Refused(_("Choose a rally of this club."), field="rally")
    if rally.status == Rally.Status.CANCELLED:
        raise Refused(str(rally.words.cancelled), field="rally")
    if Round.objects.filter(rally=rally).exists():
        raise Refused(_("%(rally)s is a round of a championship already.") % {"rally": rally}, field="rally")
    stages = rally.stages.count()
    require_stage(power_stage, stages)
    last = championship.rounds.aggregate(last=Max("number"))["last"] or 0
    added = Round.objects.create(
        championship=championship,
        rally=rally,
        number=last + 1,
        planned_for=planned_for,
        power_stage=usual_power_stage(power_stage, 1 if rally.heats else stages),
    )
    audit.record(
        actor=by,
        action="round added",
        subject=championship,
        club_id=championship.club_id,
        details={"rally": rally.name, "number": added.number},
    )
    return added


def require_stage(number: int | None, stages: int, *, field: str = "power_stage") -> None:
    """Check the number of a power stage of a rally with `stages` stages; None is the last one, 0 none.

    Raises: Refused when there is no stage of that number.
    """
    if number is not None and not 0 <= number <= stages:
        raise Refused(_("This rally has stages 1 to %(last)d; 0 for no power stage.") % {"last": stages}, field=field)


@transaction.atomic
def open_round(
    *,
    by: User,
    championship: Championship,
    planned_for: date | None = None,
    power_stage: int | None = None,
    **rally: Any,
) -> Round:
    """Create a rally, with the arguments of `rallies.services.create_rally`, as the championship's next round. It gets
    the championship's classes where the arguments name none.
    """
    places = dict(rally.pop("places", None) or {})
    if not places.get("classes"):
        places["classes"] = [{"name": name} for name in championship.classes]
    made = rallies.create_rally(by=by, club=championship.club, places=places, **rally)
    return add_round(by=by, championship=championship, rally=made, planned_for=planned_for, power_stage=power_stage)


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


def save_numbers(rounds: Sequence[Round], *fields: str) -> None:
    """Write the numbers of these rounds, and other `fields`. Two queries. The championship must be locked."""
    numbers = [each.number for each in rounds]
    for each in rounds:
        each.number += ASIDE
    Round.objects.bulk_update(rounds, ["number", *fields])
    for each, number in zip(rounds, numbers, strict=True):
        each.number = number
    Round.objects.bulk_update(rounds, ["number"])


def renumber_rounds(championship: Championship, *, first: Sequence[Round] = ()) -> None:
    """Number the rounds from 1 without gaps, in their present order. `first`: rounds that were driven before the coming
    rounds; they are put in front of the first round that is not over. The championship must be locked.
    """
    rounds = list(championship.rounds.select_related("rally").order_by("number"))
    if first:
        before = {each.pk for each in first}
        rest = [each for each in rounds if each.pk not in before]
        over = Rally.Status.FINISHED
        at = next((at for at, each in enumerate(rest) if each.rally.status != over), len(rest))
        rounds = [*rest[:at], *(each for each in rounds if each.pk in before), *rest[at:]]
    if [each.number for each in rounds] == list(range(1, len(rounds) + 1)):
        return
    for number, each in enumerate(rounds, 1):
        each.number = number
    save_numbers(rounds)
