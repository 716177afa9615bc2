"""Every write of the talk beside a run: somebody says something or takes it back, a steward hides it."""

from __future__ import annotations

from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.models import Club
from championship.clubs.moderation_tables import LONGEST_REASON
from championship.clubs.services import refuse_if_closed
from championship.clubs.services.moderation import may_judge
from championship.evenings.models import LONGEST_WORD, Phrase, Word
from championship.evenings.talk.selectors import part_of
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused
from championship.runs.models import Run
from championship.runs.watch import watching

MOST_A_MINUTE = 6
"""How often a person may say something in a minute."""
MOST_A_DAY = 200
"""How often a person may say something in a day."""
MOST = 500
"""How much may be said beside a run."""


@transaction.atomic
def say(*, by: User, run: Run, text: str = "", phrase: str = "") -> Word:
    """Say something beside a run: a text, or a phrase by its key. Who says the same twice in a turn has said it once.

    Raises: NotYet when the person may not watch the run yet, Http404 when they may not see the rally.
    Raises: Forbidden when the person may not talk, or results are sealed.
    Raises: Refused (field text) when the text is empty, too long or not one plain line, or there are too many words.
    """
    watching.require_may_watch(run, by)
    # Words of a club are written one after another, so that a double press gives one, and limits hold.
    club = Club.objects.select_for_update(no_key=True).get(pk=run.special_stage.rally.club_id)
    refuse_if_closed(club)
    run = Run.objects.select_related("special_stage__rally__club").get(pk=run.pk)
    part = part_of(run, by)
    if part.sealed:
        raise Forbidden(_("Results are sealed: the talk opens when it is over for all."))
    if not part.says:
        raise Forbidden(_("In an evening its drivers and the club's members talk here, as long as the run goes on."))
    if phrase and phrase not in Phrase.values:
        raise Refused(_("Choose one of the phrases."), field="text")
    text = "" if phrase else _checked(text)
    turn = run.turns.filter(watching.publicly_made(), ended_at__isnull=False).count()
    here, now = Word.objects.filter(run=run, circle=part.says), clock.now()
    same = here.filter(author=by, text=text, phrase=phrase, turn=turn).first()
    if same is not None:
        return same
    _refuse_too_many(by, run)
    return Word.objects.create(run=run, circle=part.says, turn=turn, author=by, text=text, phrase=phrase, at=now)


def _refuse_too_many(by: User, run: Run) -> None:
    own, now = Word.objects.filter(author=by), clock.now()
    if own.filter(at__gt=now - timedelta(minutes=1)).count() >= MOST_A_MINUTE:
        raise Refused(_("At most %(n)d times a minute. Wait a moment.") % {"n": MOST_A_MINUTE}, field="text")
    if own.filter(at__gt=now - timedelta(days=1)).count() >= MOST_A_DAY:
        raise Refused(_("At most %(n)d times a day. Continue tomorrow.") % {"n": MOST_A_DAY}, field="text")
    if run.words.count() >= MOST:
        raise Refused(_("There is no room for more: %(n)d words were said here.") % {"n": MOST}, field="text")


@transaction.atomic
def take_back(*, by: User, word: int) -> None:
    """Delete the person's own words, by their id. Does nothing when they were deleted already.

    Raises: Http404 when they are somebody else's.
    Raises: Refused when a steward has hidden them.
    """
    found = Word.objects.select_for_update(of=("self",)).filter(pk=word).first()
    if found is None:
        return
    if found.author_id != by.pk:
        raise Http404
    if found.hidden_at is not None:
        raise Refused(_("A steward has hidden this: it stays as it is."))
    found.delete()


@transaction.atomic
def hide(*, by: User, word: Word, reason: str) -> None:
    """Hide words from everybody but their author, who sees the reason. Hidden ones stay as they are, with their first
    reason.

    Raises: Http404 when the person may not judge in the club, or the words were taken back.
    Raises: Refused (field reason) when the reason is empty, too long or not plain text.
    """
    club = word.run.special_stage.rally.club
    if not may_judge(by, club):
        raise Http404
    found = Word.objects.select_for_update(of=("self",)).select_related("author").filter(pk=word.pk).first()
    if found is None:
        raise Http404
    if found.hidden_at is not None:
        return
    found.hidden_reason = _line(reason, LONGEST_REASON, "reason")
    found.hidden_at, found.hidden_by = clock.now(), by
    found.save(update_fields=["hidden_reason", "hidden_at", "hidden_by"])
    details = {"reason": found.hidden_reason}
    record(actor=by, action="words hidden", subject=found, club_id=club.pk, details=details)


def _checked(text: str) -> str:
    return _line(text, LONGEST_WORD, "text")


def _line(text: str, longest: int, field: str) -> str:
    text = text.strip()
    if not text:
        raise Refused(_("This cannot be empty."), field=field)
    if len(text) > longest:
        raise Refused(_("At most %(n)d characters, please.") % {"n": longest}, field=field)
    try:
        one_line(text)
    except ValidationError as error:
        raise Refused(error.messages[0], field=field) from error
    return text
