"""Who may watch a run whose dice others will roll too: with shared dice a roll that was seen is a roll foreseen."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from championship.runs import selectors
from championship.runs.models import Place, Run
from championship.runs.selectors import Viewer

Page = Callable[[HttpRequest, Run], HttpResponse]
View = Callable[[HttpRequest, str], HttpResponse]


def may_watch(run: Run, viewer: Viewer) -> bool:
    """Whether the viewer may see what is rolled in the run: three queries at most, none where dice are not shared.

    Who drives in it may, and who has come in from another run of the stage; all others when every run of it is over.
    """
    if run.common is None or not _under_way(run):
        return True
    if not viewer.is_authenticated:
        return False
    own = (
        Place.objects.filter(special_stage=run.special_stage_id, entry__driver=viewer.pk).select_related("run").first()
    )
    return own is not None and (own.run_id == run.pk or own.run.status == Run.Status.FINISHED)


def _under_way(run: Run) -> bool:
    return Run.objects.filter(special_stage=run.special_stage_id, status=Run.Status.RUNNING).exists()


def only_who_may_watch(page: Page) -> View:
    """A view by a run's key of a page that shows its rolls. Who may not see them yet is told why, and when."""

    @wraps(page)
    def watched(request: HttpRequest, key: str) -> HttpResponse:
        run = selectors.run_by_key(key)
        if may_watch(run, request.user):
            return page(request, run)
        context = {"run": run, "crumbs": [*selectors.crumbs(run), (_("Not yet"), None)]}
        return render(request, "runs/not_yet.html", context, status=HTTPStatus.FORBIDDEN)

    return watched
