"""What organisers set for the stewards: how long drivers may protest, answer and appeal; what penalty points mean."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.platform.refusals import Refused
from championship.rallies.locks import locked_rally_in_open_club
from championship.rallies.models import Rally
from championship.seasons.models import Championship
from championship.stewards.models import DEFAULT_ANSWER, PointsRule, Terms


@transaction.atomic
def set_terms(
    *, by: User, rally: Rally, protest_hours: int, appeal_hours: int, answer_hours: int = DEFAULT_ANSWER
) -> Terms:
    """Set for how long drivers may protest, appeal, and answer a protest. Only organisers, at any time; protests that
    are already filed are not affected.

    Raises: Refused with the field when the hours are not between 0 and 720.
    """
    rally = locked_rally_in_open_club(rally.pk)
    require_role(by, rally.club, Role.ORGANISER)
    for field, hours in (
        ("protest_hours", protest_hours),
        ("appeal_hours", appeal_hours),
        ("answer_hours", answer_hours),
    ):
        if not 0 <= hours <= 720:
            raise Refused(_("Give between 0 and 720 hours."), field=field)
    terms, _made = Terms.objects.update_or_create(
        rally=rally,
        defaults={"protest_hours": protest_hours, "appeal_hours": appeal_hours, "answer_hours": answer_hours},
    )
    audit.record(
        actor=by,
        action="terms set",
        subject=rally,
        club_id=rally.club_id,
        details={
            "rally": rally.name,
            "protest_hours": protest_hours,
            "appeal_hours": appeal_hours,
            "answer_hours": answer_hours,
        },
    )
    return terms


def terms_of(rally: Rally) -> Terms:
    """Return the rally's terms, the default ones where none were set. One query."""
    return Terms.objects.filter(rally=rally).first() or Terms(rally=rally)


@transaction.atomic
def set_points_rule(*, by: User, championship: Championship, ban_at: int | None, rounds: int = 1) -> PointsRule | None:
    """Set at how many penalty points a driver of a season sits out how many rounds; without `ban_at` nobody does. Only
    organisers.

    Raises: Refused with the field when a number is out of range.
    """
    require_role(by, championship.club, Role.ORGANISER)
    if ban_at is not None and not 1 <= ban_at <= 100:
        raise Refused(_("Give a number from 1 to %(most)d.") % {"most": 100}, field="ban_at")
    if not 1 <= rounds <= 20:
        raise Refused(_("Give a number from 1 to %(most)d.") % {"most": 20}, field="rounds")
    rule = None
    if ban_at is None:
        PointsRule.objects.filter(championship=championship).delete()
    else:
        values = {"ban_at": ban_at, "rounds": rounds}
        rule, _made = PointsRule.objects.update_or_create(championship=championship, defaults=values)
    audit.record(
        actor=by,
        action="points rule set",
        subject=championship,
        club_id=championship.club_id,
        details={"championship": championship.name, "ban_at": ban_at or 0, "rounds": rounds},
    )
    return rule
