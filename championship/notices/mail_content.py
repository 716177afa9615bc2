"""Renders one or several notices as a letter, in plain text and HTML, in the reader's language.

A picture is a part of the letter (`cid:`), not an address: Gmail and Outlook show such parts at once, while Outlook
fetches pictures only when the reader allows it. Nothing is fetched, so opening a letter tells nobody anything.

Every letter has the headers that a mail program needs to switch its kinds off by one click (RFC 8058). If all its
notices belong to one rally, it also has the headers that show the rally's letters together (RFC 5322, 3.6.4).
"""

import hashlib
import uuid
from collections.abc import Sequence
from email.mime.image import MIMEImage
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import ngettext

from championship.accounts.models import User
from championship.notices import NOTICES_HEADER, kinds, notice_text
from championship.notices.details import Picture
from championship.notices.models import Notice
from championship.notices.unsubscribing import token_for
from championship.platform import tracing

MOST_PICTURES = 3
"""The most pictures in one letter. Each has at most some ten thousand bytes."""


class _WithPictures(EmailMultiAlternatives):
    """A letter whose pictures belong to its HTML part, and are no attachments to save."""

    mixed_subtype = "related"


def message_id(notices: Sequence[Notice]) -> str:
    """The Message-ID, the same for every try with these notices, so that a copy can be told from a second message."""
    ids = sorted(str(notice.pk) for notice in notices)
    name = ids[0] if len(ids) == 1 else uuid.uuid5(uuid.NAMESPACE_OID, " ".join(ids))
    return f"<{name}@{_host()}>"


def thread_id(thread: str, reader: User) -> str:
    """The Message-ID of a letter that is never sent. All letters of a thread to this reader are replies to it."""
    digest = hashlib.sha256(f"{thread} to {reader.pk}".encode()).hexdigest()[:32]
    return f"<thread.{digest}@{_host()}>"


def write_letter(notices: Sequence[Notice]) -> EmailMultiAlternatives:
    """One letter with all of these notices to one person, the urgent ones first; ready to send.

    Raises: LookupError when no app has registered a kind. Rendering a template may raise any other error.
    """
    notices = sorted(notices, key=lambda notice: (not kinds.get(notice.kind).urgent, notice.created_at))
    reader = notices[0].recipient
    assert reader is not None  # a constraint of the table: clubs have no mailbox
    off_url = _off_url(notices, reader)
    with notice_text.for_reader(reader.language, reader.time_zone):
        items = [notice_text.in_words(notice) for notice in notices]
        pictures = _pictures(items)
        subject = _subject(items)
        context = {
            "recipient": reader,
            "subject": subject,
            "items": [(words, pictures.get(number)) for number, words in enumerate(items)],
            "several": len(items) > 1,
            "settings_url": notice_text.absolute_url(reverse("notices:settings")),
            "off_url": off_url,
        }
        body = render_to_string("notices/mail/letter.txt", context)
        html = render_to_string("notices/mail/letter.html", context)
    letter = (_WithPictures if pictures else EmailMultiAlternatives)(
        subject=subject,
        body=body.strip() + "\n",
        to=[reader.email],
        headers=_headers(notices, reader, off_url),
    )
    letter.attach_alternative(html.strip() + "\n", "text/html")
    for number, cid in pictures.items():
        picture = items[number].picture
        assert picture is not None
        letter.attach(_inline(picture, cid))
    return letter


def _pictures(items: Sequence[notice_text.NoticeText]) -> dict[int, str]:
    """The Content-ID of each picture in the letter, by the place of its notice: the first MOST_PICTURES."""
    places = [number for number, words in enumerate(items) if words.picture is not None][:MOST_PICTURES]
    return {number: f"picture{number}@{_host()}" for number in places}


def _inline(picture: Picture, cid: str) -> MIMEImage:
    """A picture as a part of the letter."""
    part = MIMEImage(picture.content, "png")
    part.add_header("Content-ID", f"<{cid}>")
    part.add_header("Content-Disposition", "inline", filename="map.png")
    return part


def _subject(items: Sequence[notice_text.NoticeText]) -> str:
    more = len(items) - 1
    if not more:
        return items[0].subject
    words = ngettext("%(first)s (and %(number)d more)", "%(first)s (and %(number)d more)", more)
    return words % {"first": items[0].subject, "number": more}


def _headers(notices: Sequence[Notice], reader: User, off_url: str) -> dict[str, str]:
    headers = {
        "Message-ID": message_id(notices),
        NOTICES_HEADER: " ".join(str(notice.pk) for notice in notices),
        "Auto-Submitted": "auto-generated",
    }
    if requests := sorted({notice.request_id for notice in notices} - {""}):
        headers[tracing.HEADER] = " ".join(requests)
    threads = {notice.thread for notice in notices}
    if len(threads) == 1 and (thread := threads.pop()):
        headers["In-Reply-To"] = headers["References"] = thread_id(thread, reader)
    if off_url:
        headers["List-Unsubscribe"] = f"<{off_url}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return headers


def _off_url(notices: Sequence[Notice], reader: User) -> str:
    """The address that switches off the kinds in this letter; "" if none of them can be switched off."""
    names = sorted({notice.kind for notice in notices if kinds.get(notice.kind).switch is not None})
    return notice_text.absolute_url(reverse("notices:off", args=[token_for(reader, names)])) if names else ""


def _host() -> str:
    return urlsplit(settings.SITE_URL).hostname or "localhost"
