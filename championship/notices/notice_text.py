"""What a notice says, whatever way it goes: in its reader's language, with times in its reader's zone."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from championship import games
from championship.accounts.zones import zone
from championship.notices import kinds
from championship.notices.models import Notice


@dataclass(frozen=True, slots=True)
class Words:
    """subject: one line. text: plain paragraphs, as they follow a greeting. action: what the link is called.

    link: a whole address, or "".
    """

    subject: str
    text: str
    action: str
    link: str

    @property
    def sentence(self) -> str:
        """The text where it follows no greeting."""
        return self.text[:1].upper() + self.text[1:]

    @property
    def paragraphs(self) -> list[str]:
        return [paragraph for paragraph in self.text.split("\n\n") if paragraph.strip()]


@contextmanager
def read_by(language: str, time_zone: str) -> Iterator[None]:
    """What is rendered inside is for a reader of that language in that zone."""
    with translation.override(language), timezone.override(zone(time_zone)):
        yield


def in_words(notice: Notice) -> Words:
    """The notice in the active language and zone; raises whatever rendering its template raises."""
    kind = kinds.get(notice.kind)
    context: dict[str, Any] = {**_said(notice.context), "recipient": notice.recipient, "site_url": settings.SITE_URL}
    subject = " ".join((str(kind.subject) % context).split())
    text = render_to_string(kind.body_template, context).strip()
    before, _break, last = text.rpartition("\n")
    action = _("Open")
    if last.endswith(":"):
        text, action = before.strip(), last.rstrip(":").strip()
    return Words(subject, text, action, whole(notice.link) if notice.link else "")


def subject_of(notice: Notice) -> str:
    """What a notice is called in the active language; its kind where no app knows that any more."""
    try:
        return " ".join((str(kinds.get(notice.kind).subject) % _said(notice.context)).split())
    except (LookupError, ValueError, TypeError):
        return notice.kind


def _said(context: Mapping[str, Any]) -> dict[str, Any]:
    """The context as texts get it: `stage`, kept as a number, is what the game calls it ("Stage 2", "Race 2"), and
    `game_words` are all of them. Where no game is named or installed they are the words of none.
    """
    name = context.get("game")
    words = games.get(name).words if name in games.names() else games.Words()
    stage = context.get("stage")
    called = str(words.stage) % {"number": stage} if isinstance(stage, int) else stage or ""
    return {**context, "game_words": words, "stage": called}


def whole(path: str) -> str:
    """The address of a page of ours, for use outside it."""
    return urljoin(settings.SITE_URL, path)
