"""The preview of a link to a rally: title, text, and the picture's URL."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from championship.rallies.results.captions import caption_of, leaders_in_words
from championship.rallies.results.selectors import Results


@dataclass(frozen=True, slots=True)
class Shared:
    """A preview: plain text, and absolute URLs."""

    title: str
    text: str
    address: str
    picture: str


def shared(request: HttpRequest, results: Results, address: str) -> Shared:
    """The preview of the page at `address`. The picture's URL changes with every stage, because sites that show
    previews cache pictures for a long time.
    """
    rally = results.rally
    caption = caption_of(results)
    known = urlencode({"lang": get_language() or "en", "after": "end" if results.finished else results.complete})
    picture = f"{reverse('papers:podium_png', args=[rally.key])}?{known}"
    leaders = leaders_in_words(results)
    return Shared(
        title=_("%(rally)s: %(caption)s") % {"rally": rally.name, "caption": caption},
        text=leaders or f"{rally.club.name} · {caption}",
        address=request.build_absolute_uri(address),
        picture=request.build_absolute_uri(picture),
    )
