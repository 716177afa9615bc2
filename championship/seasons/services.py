"""Every write of a season: a championship is made, its rounds are added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.rallies import services as rallies
from championship.rallies.models import Rally
from championship.rallies.services.wording import checked_line
from championship.refusals import Refused
from championship.seasons import points as schemes
from championship.seasons.models import Championship, Round
from championship.seasons.schemes import Scheme, checked


@transaction.atomic
def create_championship(
    *,
    by: User,
    club: Club,
    name: str,
    classes: Sequence[str] = (),
    points: Sequence[int] = schemes.DEFAULT,
    **scheme: Any,
) -> Championship:
    """A new championship of the club. Only organisers. `scheme`: what schemes.checked takes besides points.

    Refused names the field: name, classes, or one of the scheme's.
    """
    require_role(by, club, Role.ORGANISER)
    championship = Championship(club=club)
    _set_up(championship, name, classes, points, scheme)
    championship.save()
    audit.record(
        actor=by,
        action="championship made",
        subject=championship,
        club_id=club.pk,
        details=_told(championship),
    )
    return championship


@transaction.atomic
def change_championship(
    *, by: User, championship: Championship, name: str, points: Sequence[int], **changes: Any
) -> Championship:
    """Name and points scheme set anew, and `classes` and the scheme's other fields where they are given; the table
    follows at once, also for rounds driven. Only organisers.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = Championship.objects.select_for_update().get(pk=championship.pk)
    before = _told(championship)
    kept = {field.name: getattr(championship.scheme, field.name) for field in fields(Scheme) if field.name != "points"}
    classes = changes.pop("classes", championship.classes)
    _set_up(championship, name, classes, points, kept | changes)
    championship.save()
    audit.record(
        actor=by,
        action="championship changed",
        subject=championship,
        club_id=championship.club_id,
        details={"before": before, "after": _told(championship)},
    )
    return championship


def _set_up(
    championship: Championship, name: str, classes: Sequence[str], points: Sequence[int], scheme: Mapping[str, Any]
) -> None:
    championship.name = checked_line(name, longest=80, field="name")
    for field, value in asdict(checked(points=points, **scheme)).items():
        setattr(championship, field, list(value) if isinstance(value, tuple) else value)
    named = [checked_line(each, longest=20, field="classes") for each in classes]
    if len(set(named)) < len(named):
        raise Refused(_("Name each class once."), field="classes")
    championship.classes = named


def _told(championship: Championship) -> dict[str, Any]:
    """What the log keeps of a championship's settings."""
    return {"name": championship.name, "points": championship.points, "drop": championship.drop}


@transaction.atomic
def add_round(*, by: User, championship: Championship, rally: Rally) -> Round:
    """The rally becomes the championship's next round.

    Only organisers. Refused for a rally of another club, a cancelled one, or one that is a round already.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = Championship.objects.select_for_update().get(pk=championship.pk)
    rally = Rally.objects.select_for_update().get(pk=rally.pk)
    if rally.club_id != championship.club_id:
        raise Refused(_("Choose a rally of this club."), field="rally")
    if rally.status == Rally.Status.CANCELLED:
        raise Refused(_("This rally was cancelled."), field="rally")
    if Round.objects.filter(rally=rally).exists():
        raise Refused(_("%(rally)s is a round of a championship already.") % {"rally": rally}, field="rally")
    last = championship.rounds.aggregate(last=Max("number"))["last"] or 0
    added = Round.objects.create(championship=championship, rally=rally, number=last + 1)
    audit.record(
        actor=by,
        action="round added",
        subject=championship,
        club_id=championship.club_id,
        details={"rally": rally.name, "number": added.number},
    )
    return added


@transaction.atomic
def open_round(*, by: User, championship: Championship, **rally: Any) -> Round:
    """A new rally, made of what `rallies.services.create_rally` takes, as the championship's next round."""
    made = rallies.create_rally(by=by, club=championship.club, **rally)
    return add_round(by=by, championship=championship, rally=made)
