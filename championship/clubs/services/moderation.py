"""All writes about moderation: members are removed and banned with a reason, and texts are reported."""

from __future__ import annotations

from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line, shortened
from championship.audit.services import record
from championship.clubs.models import Ban, Club, Membership, Report, Role
from championship.clubs.moderation_tables import LONGEST_REASON
from championship.clubs.services import remove_member, require_role, require_role_to_read
from championship.failures.batches import by_batches
from championship.notices.services import Letter, enqueue, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Refused

JUDGES = (Role.OWNER, Role.ORGANISER, Role.STEWARD)
"""The roles that read members' reports."""
MOST_OPEN = 20
"""The most reports of one person that wait for an answer."""


@transaction.atomic
def remove_with_reason(*, by: User, membership: Membership, reason: str, ban: bool = False) -> None:
    """Remove a member and notify them of the reason. With `ban` no invitation lets them join again. Organisers and
    owners may.

    Raises: Refused when the reason is not valid (field reason), or the member cannot be removed.
    Raises: Forbidden when `by` lacks the role; only an owner may remove an owner.
    """
    reason = _line(reason, field="reason")
    club, person = membership.club, membership.user
    if person.pk == by.pk:
        raise Refused(_("To remove yourself, leave the club."))
    remove_member(by=by, membership=membership, reason=reason)
    if ban:
        made = Ban.objects.create(club=club, person=person, reason=reason, by=by, at=clock.now())
        record(actor=by, action="member banned", subject=made, club_id=club.pk, details={"reason": reason})
    enqueue(
        recipient=person,
        kind="put out of a club",
        subject_key=f"club {club.pk} out {clock.now().isoformat()}",
        context={"club": club.name, "reason": reason, "banned": ban},
        link="/clubs/",
    )


@transaction.atomic
def lift_ban(*, by: User, ban: Ban) -> None:
    """Allow a banned person to join again. Organisers and owners may. Lifting it twice changes nothing."""
    require_role(by, ban.club, Role.OWNER, Role.ORGANISER)
    locked = Ban.objects.select_for_update(of=("self",)).select_related("person").get(pk=ban.pk)
    if locked.lifted_at is None:
        locked.lifted_at, locked.lifted_by = clock.now(), by
        locked.save(update_fields=["lifted_at", "lifted_by"])
        record(actor=by, action="ban lifted", subject=locked, club_id=locked.club_id)


@transaction.atomic
def report(*, by: User, club: Club | None, page: str, text: str, reason: str) -> Report:
    """Report a text to a club's stewards and organisers, or to the operator (None).

    Raises: Refused when the text or the reason is not valid (field text or reason), or the person has too many open
    reports (no field).
    Raises: Http404 when the person is no member of the club.
    """
    if club is not None:
        require_role_to_read(by, club)
    if Report.objects.filter(by=by, settled_at=None).count() >= MOST_OPEN:
        raise Refused(_("Too many of your reports still wait for an answer. You cannot send another one yet."))
    text = text.strip()
    if not text or len(text) > 2000 or "\x00" in text:
        raise Refused(_("Copy the text, up to 2000 characters."), field="text")
    on_site = url_has_allowed_host_and_scheme(page, allowed_hosts=None)
    made = Report.objects.create(
        club=club,
        by=by,
        page=page[:300] if on_site else "",
        text=text,
        reason=_line(reason, field="reason"),
        at=clock.now(),
    )
    where = club.name if club else _("the whole service")
    link = f"/clubs/{club.slug}/reports/" if club else "/operator/reports/"
    enqueue_many(
        [
            Letter(person, "text reported", f"report {made.pk}", {"club": where, "reason": made.reason}, link)
            for person in _judges(club).exclude(pk=by.pk)
        ]
    )
    return made


@transaction.atomic
def settle(*, by: User, report: Report, answer: str) -> None:
    """Answer a report and notify its author. Stewards, organisers and owners of its club may, or an operator.

    Raises: Refused when the answer is not valid (field answer), or the report is settled already.
    Raises: Http404 when `by` may not judge it.
    """
    if not may_judge(by, report.club):
        raise Http404
    locked = Report.objects.select_for_update(of=("self",)).select_related("by", "club").get(pk=report.pk)
    if locked.settled_at is not None:
        raise Refused(_("Somebody has answered this already."))
    locked.answer = _line(answer, field="answer")
    locked.settled_at, locked.settled_by = clock.now(), by
    locked.save(update_fields=["answer", "settled_at", "settled_by"])
    enqueue(
        recipient=locked.by,
        kind="report answered",
        subject_key=f"report {locked.pk}",
        context={"answer": locked.answer, "about": shortened(locked.text, 200)},
        link=locked.page or "/clubs/",
    )


def may_judge(person: User, club: Club | None) -> bool:
    """Whether the person may read and answer the reports of a club, or the operator's (None): at most one query.

    A bot never may, even if it still has such a role.
    """
    if person.is_bot:
        return False
    if club is None:
        return person.is_staff
    return Membership.objects.filter(club=club, user=person, roles__overlap=[str(role) for role in JUDGES]).exists()


def _judges(club: Club | None) -> QuerySet[User]:
    if club is None:
        return User.objects.filter(is_staff=True, is_active=True, is_bot=False)
    overlap = [str(role) for role in JUDGES]
    ids = Membership.objects.filter(club=club, roles__overlap=overlap).values("user")
    return User.objects.filter(pk__in=ids, is_active=True, is_bot=False)


def _line(text: str, *, field: str) -> str:
    text = text.strip()
    if not text or len(text) > LONGEST_REASON:
        raise Refused(_("Say why, in up to %d characters.") % LONGEST_REASON, field=field)
    try:
        one_line(text)
    except ValidationError as error:
        raise Refused(error.messages[0], field=field) from error
    return text


def delete_settled_reports(before: datetime) -> int:
    """Delete reports that were settled before that moment. Returns their number."""
    return by_batches(Report.objects.filter(settled_at__lt=before))
