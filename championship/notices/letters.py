"""A notice as a mail: in its reader's language, with times in its reader's zone."""

from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import timezone, translation

from championship.accounts.zones import zone
from championship.notices import kinds
from championship.notices.models import Notice


def message_id(notice: Notice) -> str:
    """The same for every try of one notice, so that a second copy can be told from a second message."""
    return f"<{notice.pk}@{urlsplit(settings.SITE_URL).hostname or 'localhost'}>"


def write_mail(notice: Notice) -> EmailMessage:
    """The message, ready to send; raises whatever rendering its templates raises."""
    kind = kinds.get(notice.kind)
    reader = notice.recipient
    with translation.override(reader.language), timezone.override(zone(reader.time_zone)):
        context = {
            **notice.context,
            "recipient": reader,
            "link": urljoin(settings.SITE_URL, notice.link) if notice.link else "",
            "site_url": settings.SITE_URL,
        }
        subject = " ".join((str(kind.subject) % context).split())
        body = render_to_string(kind.body_template, context)
    return EmailMessage(
        subject=subject,
        body=body.strip() + "\n",
        to=[reader.email],
        headers={"Message-ID": message_id(notice)},
    )
