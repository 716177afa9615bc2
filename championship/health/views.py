"""The page that shows members the state of the service."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.health import selectors
from championship.platform import clock


@require_safe
@login_required
def status(request: HttpRequest) -> HttpResponse:
    """Show the state of the service now."""
    context = {"status": selectors.status(clock.now()), "crumbs": [(_("State of the service"), None)]}
    return render(request, "health/status.html", context)
