"""Ordering and making films. A worker makes each once for each state of what it shows (papers/services/keeping.py)."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from championship.clubs.models import Club
from championship.films.cuts import Cut, cut_named, runs_of
from championship.papers import big_files
from championship.papers.big_files import FileRequest
from championship.papers.models import BigFile
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.models import SpecialStage
from championship.runs.models import Run

if TYPE_CHECKING:
    from championship.films.pictures import Titles

FILM, POSTER = "film", "film poster"
"""The kinds under which films and the pictures that stand for them are kept."""
FORM = 2
"""The version of the drawing. Increase it when a film looks different for the same stage."""
MOST_KEPT = 30
"""How many films of a club are kept. The oldest ones give way, and can be ordered again."""
MOST_QUEUED = 4
"""How many films of a club may wait for a worker."""
POSTER_INKS = 128


def request_of(stage: SpecialStage, cut: Cut, kind: str = FILM, language: str = "") -> FileRequest:
    """Return the description of a film or its poster in a language, the active one if none is named."""
    return FileRequest(stage.rally.club_id, kind, cut.subject, language or get_language() or "en")


def tag_of(stage: SpecialStage, runs: Sequence[Run], cut: Cut, language: str = "") -> str:
    """Return a hash of what the film shows, in the active language or the named one. No query."""
    cars = [
        (seat.name, seat.entry.start_number, seat.entry.crew, seat.entry.colour)
        for run in runs
        for seat in run.seats.all()
    ]
    shown = [FORM, language or get_language(), cut.subject, stage.rally.name, stage.title, cars]
    shown += [(run.pk, run.version, run.status) for run in runs]
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:32]


@transaction.atomic
def order(*, stage: SpecialStage, cut: Cut, tag: str) -> bool:
    """Queue a film for a worker, unless it is queued already. Returns False when it failed lately.

    Raises: Refused when too many films of the club wait.
    """
    Club.objects.select_for_update(no_key=True).get(pk=stage.rally.club_id)  # so that two orders count each other
    requested = request_of(stage, cut)
    films = BigFile.objects.filter(club=stage.rally.club_id, kind=FILM)
    waiting = films.exclude(asked_for="").filter(failed_at=None)
    if not big_files.is_queued(requested) and waiting.count() >= MOST_QUEUED:
        raise Refused(_("Other films are being made just now. Try again in a minute."))
    done = big_files.enqueue(requested, tag)
    for pk, subject, language in films.order_by("-asked_at").values_list("pk", "subject", "language")[MOST_KEPT:]:
        BigFile.objects.filter(kind=POSTER, subject=subject, language=language).delete()
        BigFile.objects.filter(pk=pk).delete()
    return done


def make(subject: str) -> tuple[str, bytes]:
    """Make a queued film and the picture that stands for it, in the active language. Returns the tag of its state, and
    the film.

    Raises: Forbidden, Http404 where it may not be shown.
    """
    from championship.films import encoding, pictures
    from championship.films.script import script_of

    cut = cut_named(subject)
    stage = SpecialStage.objects.select_related("rally__club").get(pk=cut.stage)
    runs = runs_of(stage, cut.run)
    tag, script, titles = tag_of(stage, runs, cut), script_of(stage, runs, cut), titles_of(stage)
    board, length, content = pictures.Board(script), pictures.length_of(script), b""
    for quality in encoding.QUALITIES:
        content = encoding.film(pictures.pictures(board, titles), length, quality)
        if len(content) <= encoding.MOST_BYTES:
            break
    drawn = io.BytesIO()
    pictures.poster(board, titles).quantize(POSTER_INKS, method=2).save(drawn, "PNG", optimize=True)  # octree
    _keep_poster(stage, cut, tag, drawn.getvalue())
    return tag, content


def titles_of(stage: SpecialStage) -> Titles:
    """Return what the first picture says, in the active language."""
    from championship.films.pictures import Titles

    about = f"{stage.rally.club.name} · Parc Fermé"
    return Titles(stage.rally.name, stage.title, about, _("Turn %(number)d"))


def _keep_poster(stage: SpecialStage, cut: Cut, tag: str, content: bytes) -> None:
    requested = request_of(stage, cut, POSTER)
    BigFile.objects.update_or_create(
        kind=POSTER,
        subject=requested.subject,
        language=requested.language,
        defaults={"club_id": requested.club, "content": content, "made_of": tag, "made_at": clock.now()},
    )
