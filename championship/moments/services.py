"""Every service that writes comments and cheers: a member writes a comment, cheers, or takes it back; a steward hides a
comment.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.models import Club, Role
from championship.clubs.moderation_tables import LONGEST_REASON
from championship.clubs.services import refuse_if_closed, require_role
from championship.clubs.services.moderation import may_judge
from championship.moments.club_moments import moment_row_by_name
from championship.moments.highlights import chosen, stories_of, untold
from championship.moments.models import LONGEST, Cheer, Comment, Highlight, StageTold, plain_words
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused
from championship.rallies.models import Rally, SpecialStage
from championship.seasons.models import Championship

WRITERS = (Role.OWNER, Role.ORGANISER, Role.STEWARD, Role.DRIVER)
"""Roles that may write; a guest only reads."""
MOST_A_DAY = 20
"""How many comments a member may write in a day."""
MOST = 200
"""How many comments a moment may have."""
AT_ONCE = 20
"""The most stages whose highlights one sweep chooses."""
MOST_CHEERS_A_DAY = 200
"""For how many moments a member may cheer in a day."""


@transaction.atomic
def write(*, by: User, club: Club, key: str, name: str, text: str) -> Comment:
    """Add a comment to the moment of that name of the rally or championship of that key.

    The same text by the same author on the same moment is the same comment, hidden or not.

    Raises: Http404 when the person is not a member, or there is no such moment.
    Raises: Forbidden when the member is a guest or a bot.
    Raises: Refused (field text) when the text is empty, too long or not plain text, or there are too many comments.
    """
    require_role(by, club, *WRITERS)
    if by.is_bot:
        raise Forbidden(_("Bots write no comments."))
    # Comments of a club are written one after another, so that a double press gives one comment and limits hold.
    club = Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    refuse_if_closed(club)
    if moment_row_by_name(club, key, name) is None:
        raise Http404
    text, now = _checked(text), clock.now()
    rally, championship = _subject(club, key, name)
    here = Comment.objects.filter(club=club, rally=rally, championship=championship, moment=name)
    same = here.filter(author=by, text=text).first()
    if same is not None:
        return same
    if here.count() >= MOST:
        raise Refused(_("This moment has %(n)d comments; there is no room for more.") % {"n": MOST}, field="text")
    if Comment.objects.filter(author=by, at__gt=now - timedelta(days=1)).count() >= MOST_A_DAY:
        raise Refused(_("At most %(n)d comments a day. Continue tomorrow.") % {"n": MOST_A_DAY}, field="text")
    return Comment.objects.create(
        club=club, rally=rally, championship=championship, moment=name, author=by, text=text, at=now
    )


def _subject(club: Club, key: str, name: str) -> tuple[Rally | None, Championship | None]:
    """Return the rally or the championship that a moment belongs to."""
    if name == "won":
        return None, Championship.objects.filter(club=club, key=key).first()
    return Rally.objects.filter(club=club, key=key).first(), None


@transaction.atomic
def cheer(*, by: User, club: Club, key: str, name: str, take_back: bool = False) -> None:
    """Cheer for the moment of that name, or take the cheer back. Cheering twice is one cheer; taking back what is not
    there does nothing.

    Raises: Http404 when the person is not a member, or there is no such moment.
    Raises: Forbidden when the member is a guest or a bot.
    Raises: Refused when the club is closed, or there are too many cheers in a day.
    """
    require_role(by, club, *WRITERS)
    if by.is_bot:
        raise Forbidden(_("Bots do not cheer."))
    club = Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    rally, championship = _subject(club, key, name)
    own = Cheer.objects.filter(author=by, club=club, rally=rally, championship=championship, moment=name)
    if take_back:
        own.delete()
        return
    refuse_if_closed(club)
    if moment_row_by_name(club, key, name) is None:
        raise Http404
    now = clock.now()
    if own.exists():
        return
    if Cheer.objects.filter(author=by, at__gt=now - timedelta(days=1)).count() >= MOST_CHEERS_A_DAY:
        raise Refused(_("At most %(n)d cheers a day. Continue tomorrow.") % {"n": MOST_CHEERS_A_DAY})
    Cheer.objects.create(club=club, rally=rally, championship=championship, moment=name, author=by, at=now)


@transaction.atomic
def take_back(*, by: User, comment: int) -> None:
    """Delete the person's own comment, by its id. Does nothing when it was deleted already.

    Raises: Http404 when it is somebody else's comment.
    Raises: Refused when a steward has hidden it: otherwise its author could write the same again.
    """
    found = Comment.objects.select_for_update(of=("self",)).filter(pk=comment).first()
    if found is None:
        return
    if found.author_id != by.pk:
        raise Http404
    if found.hidden_at is not None:
        raise Refused(_("A steward has hidden this comment: it stays as it is."))
    found.delete()


@transaction.atomic
def hide(*, by: User, comment: Comment, reason: str) -> None:
    """Hide a comment from everybody but its author, who sees the reason. A hidden comment stays as it is, with its
    first reason.

    Raises: Http404 when the person may not judge in the club, or the comment was taken back.
    Raises: Refused (field reason) when the reason is empty, too long or not plain text.
    """
    if not may_judge(by, comment.club):
        raise Http404
    found = _locked(Comment.objects.filter(pk=comment.pk))
    if found.hidden_at is not None:
        return
    found.hidden_reason = _reason(reason)
    found.hidden_at, found.hidden_by = clock.now(), by
    found.save(update_fields=["hidden_reason", "hidden_at", "hidden_by"])
    details = {"reason": found.hidden_reason}
    record(actor=by, action="comment hidden", subject=found, club_id=found.club_id, details=details)


@transaction.atomic
def choose_highlights(*, special_stage: int, now: datetime) -> bool:
    """Store the highlights of a stage, by its id. Returns whether it had none before and is over."""
    stage = (
        SpecialStage.objects.select_for_update(of=("self",)).select_related("rally").filter(pk=special_stage).first()
    )
    if stage is None or not untold().filter(pk=stage.pk).exists():
        return False
    StageTold.objects.create(special_stage=stage, at=now)
    Highlight.objects.bulk_create(
        Highlight(special_stage=stage, number=number, run=one.run, event=one.number, beat=one.kind, happened_at=one.at)
        for number, one in enumerate(chosen(stories_of([stage])[stage.pk]), 1)
    )
    return True


class Highlights:
    """The scheduled action that chooses highlights. Its ids are stages."""

    name = "highlights of stages"

    def due(self, now: datetime) -> Sequence[int]:
        """Return stages that are over and have no highlights yet."""
        return list(untold().order_by("-closed_at").values_list("pk", flat=True)[:AT_ONCE])

    def act(self, row_id: int, now: datetime) -> bool:
        """Choose the highlights of one stage."""
        return choose_highlights(special_stage=row_id, now=now)


def _locked(rows: QuerySet[Comment, Any]) -> Comment:
    found: Comment | None = rows.select_for_update(of=("self",)).select_related("author").first()
    if found is None:
        raise Http404
    return found


def _checked(text: str) -> str:
    """Return the text as it is stored: without blanks at the ends of lines, with at most one empty line in a row."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").strip().split("\n")]
    kept = "\n".join(line for at, line in enumerate(lines) if line or lines[at - 1])
    if not kept:
        raise Refused(_("This cannot be empty."), field="text")
    if len(kept) > LONGEST:
        raise Refused(_("At most %(n)d characters, please.") % {"n": LONGEST}, field="text")
    return _shown(plain_words, kept, "text")


def _reason(text: str) -> str:
    text = text.strip()
    if not text or len(text) > LONGEST_REASON:
        raise Refused(_("Say why, in up to %d characters.") % LONGEST_REASON, field="reason")
    return _shown(one_line, text, "reason")


def _shown(check: Any, text: str, field: str) -> str:
    try:
        check(text)
    except ValidationError as error:
        raise Refused(error.messages[0], field=field) from error
    return text
