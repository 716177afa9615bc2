"""The caption of a rally's picture. It is in its own module because most pages need the caption without the picture,
and the drawing libraries take much memory.
"""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.rallies.models import Rally
from championship.rallies.results.selectors import Results


def caption_of(results: Results) -> str:
    """One line that says what the picture shows."""
    rally = results.rally
    if results.finished:
        return _("Final classification")
    if results.complete:
        return str(rally.words.standing) % {"number": results.complete, "total": len(results.stages)}
    if rally.status == Rally.Status.CANCELLED:
        return str(rally.get_status_display())
    entered = len(results.entries)
    return ngettext("%(n)d car on the start list", "%(n)d cars on the start list", entered) % {"n": entered}


def leaders_in_words(results: Results, most: int = 3) -> str:
    """The first places in one line: "1. Ana 3:20 · 2. Bo +0:12"."""
    lines = [line for line in results.overall if line.place is not None][:most]
    return " · ".join(f"{line.place}. {line.crew_in_words} {line.gap or line.total_in_words}" for line in lines)
