"""The text of a notice, for every channel: in its reader's language, with times in its reader's zone."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from championship import catalogue
from championship.accounts.zones import zone
from championship.notices import kinds
from championship.notices.details import Board, Details, Picture
from championship.notices.models import Notice

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NoticeText:
    """subject: one line. text: plain paragraphs, as they follow a greeting. action: the label of the link.

    link: an absolute address, or "". board, picture: for mails.
    """

    subject: str
    text: str
    action: str
    link: str
    board: Board | None = None
    picture: Picture | None = None

    @property
    def sentence(self) -> str:
        """The text for use without a greeting: it begins with a capital."""
        return self.text[:1].upper() + self.text[1:]

    @property
    def paragraphs(self) -> list[str]:
        return [paragraph for paragraph in self.text.split("\n\n") if paragraph.strip()]


@contextmanager
def for_reader(language: str, time_zone: str) -> Iterator[None]:
    """Context manager: render inside for a reader with that language and zone."""
    with translation.override(language), timezone.override(zone(time_zone)):
        yield


def in_words(notice: Notice) -> NoticeText:
    """The notice in the active language and zone. Rendering its template may raise any error."""
    kind = kinds.get(notice.kind)
    details = _details_of(kind, notice)
    context: dict[str, Any] = {
        **_with_game_words(notice.context),
        **details.context,
        "recipient": notice.recipient,
        "site_url": settings.SITE_URL,
    }
    subject = " ".join((str(kind.subject) % context).split())
    text = render_to_string(kind.body_template, context).strip()
    before, _break, last = text.rpartition("\n")
    action = _("Open")
    if last.endswith(":"):
        text, action = before.strip(), last.rstrip(":").strip()
    link = absolute_url(notice.link) if notice.link else ""
    return NoticeText(subject, text, action, link, details.board, details.picture)


def _details_of(kind: kinds.Kind, notice: Notice) -> Details:
    """The details of a notice; none where reading them fails. A notice without them is better than no notice."""
    if kind.details is None:
        return Details()
    savepoint = transaction.savepoint()  # a failing query must not break the transaction of the delivery
    try:
        found = kind.details(notice)
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        logger.exception("the details of notice %s could not be read", notice.pk)
        transaction.savepoint_rollback(savepoint)
        return Details()
    transaction.savepoint_commit(savepoint)
    return found


def subject_of(notice: Notice) -> str:
    """The subject of a notice in the active language; the kind's name if no app registers the kind any more."""
    try:
        return " ".join((str(kinds.get(notice.kind).subject) % _with_game_words(notice.context)).split())
    except (LookupError, ValueError, TypeError):
        return notice.kind


def _with_game_words(context: Mapping[str, Any]) -> dict[str, Any]:
    """The context for texts: `stage`, stored as a number, becomes the game's term ("Stage 2", "Race 2"), and
    `game_words` are all terms of the game. Where no game is named or installed, they are the default terms.
    """
    name = context.get("game")
    words = catalogue.get(name).words if name in catalogue.names() else catalogue.Words()
    stage = context.get("stage")
    called = str(words.stage) % {"number": stage} if isinstance(stage, int) else stage or ""
    return {**context, "game_words": words, "stage": called}


def absolute_url(path: str) -> str:
    """The absolute address of a page of ours, for use outside the site."""
    return urljoin(settings.SITE_URL, path)
