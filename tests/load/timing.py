"""Server-Timing: wall time and processor time of a request in the thread of the server."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class ServerTiming:
    """`app` is the wall time in milliseconds, waiting for the database included. `cpu` is the processor time of the
    thread in milliseconds, which other programs on the machine do not lengthen.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began, worked = time.perf_counter(), time.thread_time()
        response = self.get_response(request)
        passed, worked = time.perf_counter() - began, time.thread_time() - worked
        response.headers["Server-Timing"] = f"app;dur={passed * 1000:.1f}, cpu;dur={worked * 1000:.1f}"
        return response
