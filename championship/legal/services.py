"""Legal texts: the operator writes them, or restores the defaults, and pages read them."""

from __future__ import annotations

from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit.services import record
from championship.legal.models import LONGEST, Text, Topic
from championship.platform import clock
from championship.platform.refusals import Refused


def text_for(topic: str, language: str) -> Text | None:
    """The operator's text in the reader's language, else in English, else in any; None where the default is shown.
    One query.
    """
    found = {text.language: text for text in Text.objects.filter(topic=topic).order_by("language")}
    return found.get(language) or found.get("en") or next(iter(found.values()), None)


def own_text(topic: str, language: str) -> str:
    """The operator's text in exactly that language; empty where there is none."""
    return Text.objects.filter(topic=topic, language=language).values_list("body", flat=True).first() or ""


@transaction.atomic
def write(*, by: User, topic: str, language: str, body: str) -> Text | None:
    """Set the operator's own text. An empty one restores the default and returns None.

    Raises: Http404 when the user is no operator, or there is no such topic.
    Raises: Refused when the text or the language is not valid (field body or language).
    """
    if not by.is_staff or topic not in Topic.values:
        raise Http404
    if language not in User.Language.values:
        raise Refused(_("Choose a language from the list."), field="language")
    body = body.strip()
    if len(body) > LONGEST or "\x00" in body:
        raise Refused(_("Write at most %d characters, and no control characters.") % LONGEST, field="body")
    if not body:
        _remove(by, topic, language)
        return None
    said = {"body": body, "changed_at": clock.now(), "changed_by": by}
    text, _made = Text.objects.update_or_create(topic=topic, language=language, defaults=said)
    record(actor=by, action="legal text written", subject=text, club_id=None)
    return text


def _remove(by: User, topic: str, language: str) -> None:
    text = Text.objects.filter(topic=topic, language=language).first()
    if text is not None:
        record(actor=by, action="legal text removed", subject=text, club_id=None)
        text.delete()
