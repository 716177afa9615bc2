"""The addresses that no reader asks for: /healthz, /readyz, /readyz/web and /metrics.

They are answered before redirects, host checks and sessions: a probe on the machine knows neither the host's name nor
TLS. They tell nothing about anybody. /metrics answers only whom METRICS_FROM names, and for all others there is no such
page.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse

from championship import client_address, clock
from championship.health import checks, metrics

Answer = Callable[[HttpRequest], HttpResponse]


class HealthMiddleware:
    """Answers a probe; lets every other request pass."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        door = DOORS.get(request.path_info) if request.method in ("GET", "HEAD") else None
        if door is None or (door is _metrics and not _may_measure(request)):
            return self.get_response(request)
        response = door(request)
        response.headers["Cache-Control"] = "no-store"
        return response


def _alive(_request: HttpRequest) -> HttpResponse:
    """This process answers. It asks nobody."""
    return HttpResponse("ok\n", content_type="text/plain")


def _ready(_request: HttpRequest) -> HttpResponse:
    return _told(checks.problems(checks.ALL))


def _web_is_ready(_request: HttpRequest) -> HttpResponse:
    """For a load balancer: whether this process can answer pages. The broker's trouble is no reason to send people to
    another one.
    """
    return _told(checks.problems(checks.WEB))


def _told(problems: dict[str, str]) -> HttpResponse:
    status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
    return JsonResponse({"ready": not problems, "problems": problems}, status=status)


def _metrics(_request: HttpRequest) -> HttpResponse:
    return HttpResponse(metrics.text(clock.now()), content_type=metrics.CONTENT_TYPE)


def _may_measure(request: HttpRequest) -> bool:
    client = ipaddress.ip_address(client_address.of(request.META))
    networks = (ipaddress.ip_network(part.strip()) for part in settings.METRICS_FROM.split(",") if part.strip())
    return any(client.version == network.version and client in network for network in networks)


DOORS: dict[str, Answer] = {"/healthz": _alive, "/readyz": _ready, "/readyz/web": _web_is_ready, "/metrics": _metrics}
