"""The pages of films: one chooses what it shows, has it made, watches it, and takes it along. The film itself, and the
picture that stands for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from championship.clubs import visibility
from championship.films import services
from championship.films.cuts import Cut, cut_asked, runs_of
from championship.films.script import told_of
from championship.papers import big_files
from championship.papers.limits import over_limit, too_many_requests
from championship.papers.models import BigFile
from championship.papers.waiting import POLL_SECONDS
from championship.platform.refusals import Refused
from championship.platform.web import htmx
from championship.platform.web.byte_ranges import file_answer
from championship.platform.web.previews import Shared
from championship.rallies import selectors as rallies
from championship.rallies.models import SpecialStage
from championship.runs.models import Run, Seat
from championship.runs.watch import selectors, watching

PREVIEW_FRESH = 300
"""The seconds for which a poster may be cached without revalidation."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a film may show: a stage with its runs, of which `run` may be the only one."""

    stage: SpecialStage
    runs: Sequence[Run]
    run: Run | None

    @property
    def seats(self) -> list[Seat]:
        """The seats of the cars that may have a film of their own, by start number: none where all play at once."""
        if watching.game_hides_events(self.stage.rally.game):
            return []
        found = [seat for run in self.runs for seat in run.seats.all()]
        return sorted(found, key=lambda seat: (seat.entry.start_number or 0, seat.name))

    def address(self, name: str) -> str:
        """Return the address of the page, of the film or of the poster."""
        if self.run is not None:
            return reverse(f"films:{name}", args=[self.run.key])
        return reverse(f"films:stage_{name}", args=[self.stage.rally.key, self.stage.number])


def _of_run(request: HttpRequest, key: str) -> Subject:
    run = selectors.run_by_key(key, request.user)
    [shown] = runs_of(run.special_stage, run.pk)
    return Subject(run.special_stage, [shown], shown)


def _of_stage(request: HttpRequest, key: str, number: int) -> Subject:
    stage = rallies.stage_of(rallies.rally_by_key(key, request.user), number)
    if not watching.may_watch_all(stage, list(stage.runs.all()), request.user):
        raise watching.not_yet(stage)
    return Subject(stage, runs_of(stage), None)


@require_http_methods(["GET", "HEAD", "POST"])
def film(request: HttpRequest, key: str) -> HttpResponse:
    """Show the film of a run; a post has it made."""
    return _page(request, _of_run(request, key))


@require_http_methods(["GET", "HEAD", "POST"])
def stage_film(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Show the film of all runs of a stage; a post has it made."""
    return _page(request, _of_stage(request, key, number))


def _page(request: HttpRequest, subject: Subject) -> HttpResponse:
    asked, problem = (request.POST if request.method == "POST" else request.GET), None
    try:
        cut = cut_asked(subject.stage, subject.run, asked.dict(), subject.seats)
        tag = services.tag_of(subject.stage, subject.runs, cut)
        requested = services.request_of(subject.stage, cut)
        found = big_files.kept(requested, tag)
        if request.method == "POST":
            if found is None and not big_files.is_queued(requested) and over_limit(request):
                return too_many_requests(request)
            failed = found is None and not services.order(stage=subject.stage, cut=cut, tag=tag)
            if not failed:
                return redirect(_with(subject.address("film"), cut.query))
        else:
            failed = False
    except Refused as refusal:
        cut, found, failed, problem = Cut(subject.stage.pk, subject.run.pk if subject.run else 0), None, False, refusal
    context = _context(request, subject, cut, found, failed=failed, asked=asked.dict(), problem=problem)
    part = htmx.asks_for_part(request)
    status = problem.status if problem else HTTPStatus.OK
    answer = render(request, "films/state.html" if part else "films/film.html", context, status=status)
    answer["Cache-Control"] = "no-store"
    patch_vary_headers(answer, ("HX-Request",))
    return answer


def _with(address: str, query: dict[str, str]) -> str:
    return f"{address}?{urlencode(query)}" if query else address


def _context(
    request: HttpRequest,
    subject: Subject,
    cut: Cut,
    found: BigFile | None,
    *,
    failed: bool,
    asked: dict[str, str],
    problem: Refused | None,
) -> dict[str, Any]:
    stage, language = subject.stage, get_language() or "en"
    state = {"v": found.made_of[:8]} if found else {}
    address = request.build_absolute_uri(_with(subject.address("film"), cut.query))
    poster = _with(subject.address("poster"), cut.query | {"lang": language} | state) if found else ""
    crumbs: list[tuple[str, str | None]] = [
        (stage.rally.title, stage.rally.get_absolute_url()),
        (stage.title, stage.get_absolute_url()),
        (_("Film"), None),
    ]
    return {
        "stage": stage,
        "rally": stage.rally,
        "run": subject.run,
        "seats": subject.seats,
        "cut": cut,
        "asked": asked,
        "problem": problem,
        "film": found,
        "failed": failed,
        "queued": found is None and big_files.is_queued(services.request_of(stage, cut)),
        "poll_seconds": POLL_SECONDS,
        "page_url": subject.address("film"),
        "part_url": _with(subject.address("film"), cut.query),
        "video_url": _with(subject.address("video"), cut.query | state),
        "poster_url": poster,
        "told": told_of(stage, subject.runs, cut),
        "crumbs": [*selectors.crumbs(subject.run, linked=True), (_("Film"), None)] if subject.run else crumbs,
        "shared": Shared(
            title=_("Film: %(rally)s, %(stage)s") % {"rally": stage.rally.name, "stage": stage.called},
            text=_("A silent film of what the cars did, with captions."),
            address=address,
            picture=request.build_absolute_uri(poster) if poster else "",
            width=720,
            height=720,
        ),
    }


@require_safe
def video(request: HttpRequest, key: str) -> HttpResponse:
    """The film of a run as a file, or the part of it that a player asks for."""
    return _video(request, _of_run(request, key))


@require_safe
def stage_video(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """The film of a stage as a file, or the part of it that a player asks for."""
    return _video(request, _of_stage(request, key, number))


def _video(request: HttpRequest, subject: Subject) -> HttpResponse:
    found = _kept(request, subject, services.FILM, get_language() or "en")
    answer = file_answer(request, bytes(found.content or b""), "video/mp4", f'"{found.made_of}"')
    name = slugify(f"{subject.stage.rally.name} {subject.stage.called}", allow_unicode=True)[:80] or "film"
    answer["Content-Disposition"] = content_disposition_header("save" in request.GET, f"{name}.mp4") or "inline"
    patch_cache_control(answer, private=True, no_cache=True)
    patch_vary_headers(answer, ("Cookie", "Accept-Language"))
    return answer


@require_safe
def poster(request: HttpRequest, key: str) -> HttpResponse:
    """The picture that stands for the film of a run."""
    return _poster(request, _of_run(request, key))


@require_safe
def stage_poster(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """The picture that stands for the film of a stage."""
    return _poster(request, _of_stage(request, key, number))


def _poster(request: HttpRequest, subject: Subject) -> HttpResponse:
    asked = request.GET.get("lang", "")
    named = asked if asked in dict(settings.LANGUAGES) else ""
    found = _kept(request, subject, services.POSTER, named or get_language() or "en")
    answer = file_answer(request, bytes(found.content or b""), "image/png", f'"{found.made_of}"')
    answer["Cross-Origin-Resource-Policy"] = "cross-origin"  # previews of links show it on other sites
    if named and visibility.may_see(subject.stage.rally.club, AnonymousUser()):
        patch_cache_control(answer, public=True, max_age=PREVIEW_FRESH)
    else:
        patch_cache_control(answer, private=True, no_cache=True)
        patch_vary_headers(answer, ("Cookie", "Accept-Language"))
    return answer


def _kept(request: HttpRequest, subject: Subject, kind: str, language: str) -> BigFile:
    """Return the kept file.

    Raises: Http404 when it has not been made, or shows an older state.
    """
    try:
        cut = cut_asked(subject.stage, subject.run, request.GET.dict(), subject.seats)
    except Refused as refusal:
        raise Http404 from refusal
    tag = services.tag_of(subject.stage, subject.runs, cut, language)
    found = big_files.kept(services.request_of(subject.stage, cut, kind, language), tag)
    if found is None:
        raise Http404(_("This film has not been made yet."))
    return found
