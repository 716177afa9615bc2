"""Pages for everybody with the link: overview, stage, rally sheet, podium; and the preview of such a link."""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.clubs.visibility import allow_indexing_if_public, page_of_club
from championship.platform.web import polling
from championship.platform.web.previews import Shared
from championship.rallies import page_versions, selectors
from championship.rallies.entries import officials
from championship.rallies.front import front_page
from championship.rallies.knockout.event import event_in_words
from championship.rallies.models import SpecialStage
from championship.rallies.options_in_words import options_in_words
from championship.rallies.results.classification import Line, by_class, podium_steps
from championship.rallies.results.selectors import (
    COMPLETE,
    Results,
    caption_of,
    lead_in_words,
    leaders_in_words,
)
from championship.rallies.results.sheet import codes_of, letters_of, sheets_of
from championship.rallies.selectors import RallyPage
from engine import registry

TOP = 3
"""Lines of a classification at the head of the overview."""


def crumbs(page: RallyPage, *here: str) -> list[tuple[str, str | None]]:
    """The breadcrumbs of this page. The club is a link for those who may open its page."""
    club, rally = page.rally.club, page.rally
    trail: list[tuple[str, str | None]] = [
        (club.name, page_of_club(club, member=bool(page.roles))),
        (rally.name, rally.get_absolute_url() if here else None),
    ]
    return trail + [(label, None) for label in here]


def page_context(page: RallyPage, tab: str) -> dict[str, Any]:
    """The template context for the head of every page of a rally."""
    return {"page": page, "rally": page.rally, "stages": page.results.stages, "tab": tab}


@polling.polled(page_versions.of_overview)
@require_safe
def rally(request: HttpRequest, key: str) -> HttpResponse:
    """Who leads, what happened last and who drives; the stages, the classifications, the start list, the rules.

    The parts of the page are rendered once for each version of what they show: a turn on the road changes only those
    that tell of it. What they show is read when they are rendered.
    """
    page = front_page(key, request.user)
    allow_indexing_if_public(request, page.rally.club)
    rules = registry.get(page.rally.game)

    def top(lines: list[Line]) -> list[Line]:
        return [line for line in lines if line.place is not None][:TOP]

    @cache
    def so_far() -> list[Line]:
        return page.results.stage_lines(page.stage.number) if page.stage.status in selectors.OPEN else []

    context = {
        "page": page,
        "rally": page.rally,
        "stages": page.tabs,
        "courses": lambda: page.results.stages,
        "tab": "overview",
        "crumbs": crumbs(page),
        "rules": rules,
        "event": lambda: event_in_words(page.rally, page.results),
        "options": cache(lambda: options_in_words(page.rally, rules)),
        "entries": cache(lambda: list(page.results.entries.values())),
        "shared": cache(lambda: shared(request, page.results, page.rally.get_absolute_url())),
        "overall": cache(lambda: page.results.progress(page.results.complete)),
        "after": cache(lambda: page.rally.after(page.results.complete)),
        "so_far": so_far,
        "top": cache(lambda: top(page.results.overall)),
        "top_here": cache(lambda: top(so_far())),
        "in_words": lambda: lead_in_words(page.results.overall, final=page.results.finished),
        "here_in_words": lambda: lead_in_words(so_far()),
        "version": page_versions.of_overview(request, key),
        "settled": page_versions.without_road(request, key),
        "seen_as": page.seen_as,
    }
    return render(request, "rallies/rally.html", context)


@polling.polled(page_versions.of_rally)
@require_safe
def stage(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """One stage: results, car classes, acts of officials, start list, map. Its parts are rendered once for each version
    of what they show, and what they show is read then.
    """
    page = front_page(key, request.user, number=number)
    allow_indexing_if_public(request, page.rally.club)

    @cache
    def lines() -> list[Line]:
        return page.results.stage_lines(number)

    @cache
    def codes() -> list[tuple[str, Any]]:
        used = {code for line in lines() for code in line.remarks.codes}
        return [(code, says) for code, says in codes_of(page.results) if code in used]

    def own() -> Line | None:
        mine = page.mine
        return None if mine is None else next((line for line in lines() if line.entry.pk == mine.pk), None)

    context = {
        "page": page,
        "rally": page.rally,
        "stages": page.tabs,
        "tab": f"stage {number}",
        "crumbs": crumbs(page, page.rally.stage_called(number)),
        "stage": page.stage,
        "shared": cache(lambda: shared(request, page.results, request.path)),
        "lines": lines,
        "own": cache(own),
        "placed": lambda: sum(line.place is not None for line in lines()),
        "classes": cache(lambda: by_class(lines())),
        "codes": codes,
        "acts": cache(lambda: officials.on_stage(officials.acts_of(page.results), number)),
        "settled": page_versions.without_road(request, key),
        "seen_as": page.seen_as,
        "road": page_versions.hashed(page.beside.get("runs", [])),
    }
    return render(request, "rallies/stage.html", context)


@polling.polled(page_versions.of_rally)
@require_safe
def overall(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """The overall classification after a stage, with places won and lost, classes, retirements, acts of officials."""
    page = selectors.rally_page(selectors.rally_by_key(key, request.user), request.user, number=number)
    allow_indexing_if_public(request, page.rally.club)
    results, complete = page.results, page.stage.status in COMPLETE
    lines = results.progress(number) if complete else results.overall_lines(number)
    context = {
        "shared": lambda: shared(request, results, request.path),
        **page_context(page, f"stage {number}"),
        "crumbs": crumbs(page, page.rally.stage_called(number), _("Overall")),
        "stage": page.stage,
        "lines": lines,
        "classes": by_class(lines),
        "codes": codes_of(results),
        "complete": complete,
        "compared": complete and number > 1,
        "final": results.finished and number == len(results.stages),
        "retirements": results.retirements(number),
        "acts": officials.through_stage(officials.acts_of(results), number),
    }
    return render(request, "rallies/overall.html", context)


@polling.polled(page_versions.of_rally)
@require_safe
def sheet(request: HttpRequest, key: str) -> HttpResponse:
    """The rally sheet, for the screen and for paper."""
    page = selectors.rally_page(selectors.rally_by_key(key, request.user), request.user)
    allow_indexing_if_public(request, page.rally.club)
    context = {
        **page_context(page, "sheet"),
        "crumbs": crumbs(page, str(page.rally.words.sheet_head)),
        "sheets": sheets_of(page.results),
        "acts": officials.acts_of(page.results),
        "letters": letters_of(page.rally),
        "codes": codes_of(page.results),
        "yes": _("yes"),
        "no": _("no"),
    }
    return render(request, "rallies/sheet.html", context)


@polling.polled(page_versions.of_rally)
@require_safe
def podium(request: HttpRequest, key: str) -> HttpResponse:
    """The podium of the rally, or the stand so far on its steps; and the podium of every stage that is done."""
    page = selectors.rally_page(selectors.rally_by_key(key, request.user), request.user)
    allow_indexing_if_public(request, page.rally.club)
    results = page.results
    context = {
        **page_context(page, "podium"),
        "crumbs": crumbs(page, _("Podium")),
        "steps": podium_steps(results.overall),
        "final": results.finished,
        "overall": results.progress(results.complete),
        "after": page.rally.after(results.complete),
        "shared": shared(request, results, reverse("rallies:podium", args=[key])),
        "stage_podiums": [
            (stage, podium_steps(results.stage_lines(stage.number)))
            for stage in results.stages
            if stage.status == SpecialStage.Status.DONE and len(results.stages) > 1
        ],
    }
    return render(request, "rallies/podium.html", context)


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
