"""The addresses for machines: /healthz, /readyz, /readyz/web and /metrics; and the page that tells members the same.

Those for machines are answered before redirects, host checks and sessions, because a probe on the machine knows neither
the host's name nor TLS. They reveal nothing about any person. /metrics answers only the networks in METRICS_FROM; for
all other clients the page does not exist.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.health import checks, metrics, selectors
from championship.platform import clock
from championship.platform.version import __version__
from championship.platform.web import client_address

Answer = Callable[[HttpRequest], HttpResponse]


class HealthMiddleware:
    """Answers probes and passes on every other request."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        probe = PROBES.get(request.path_info) if request.method in ("GET", "HEAD") else None
        if probe is None or (probe is _metrics and not _may_read_metrics(request)):
            return self.get_response(request)
        response = probe(request)
        response.headers["Cache-Control"] = "no-store"
        return response


def _alive(_request: HttpRequest) -> HttpResponse:
    """Report that this process answers, and its release. It queries no other service."""
    return HttpResponse(f"ok\nParc Fermé {__version__}\n", content_type="text/plain; charset=utf-8")


def _ready(_request: HttpRequest) -> HttpResponse:
    return _report(checks.problems(checks.ALL))


def _web_is_ready(_request: HttpRequest) -> HttpResponse:
    """Report to a load balancer whether this process can answer pages. A problem with the broker is no reason to send
    people to another process.
    """
    return _report(checks.problems(checks.WEB))


def _report(problems: dict[str, str]) -> HttpResponse:
    status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
    return JsonResponse({"ready": not problems, "problems": problems}, status=status)


def _metrics(_request: HttpRequest) -> HttpResponse:
    """Report the metrics; 503 with the few that need no database when it does not answer. Prometheus then counts this
    process as down.
    """
    text, up = metrics.text(clock.now())
    return HttpResponse(
        text, status=HTTPStatus.OK if up else HTTPStatus.SERVICE_UNAVAILABLE, content_type=metrics.CONTENT_TYPE
    )


def _may_read_metrics(request: HttpRequest) -> bool:
    client = ipaddress.ip_address(client_address.of(request.META))
    networks = (ipaddress.ip_network(part.strip()) for part in settings.METRICS_FROM.split(",") if part.strip())
    return any(client.version == network.version and client in network for network in networks)


PROBES: dict[str, Answer] = {"/healthz": _alive, "/readyz": _ready, "/readyz/web": _web_is_ready, "/metrics": _metrics}


@require_safe
@login_required
def status(request: HttpRequest) -> HttpResponse:
    """Show the state of the service now."""
    context = {"status": selectors.status(clock.now()), "crumbs": [(_("State of the service"), None)]}
    return render(request, "health/status.html", context)
