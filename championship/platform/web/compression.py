"""Compresses pages, maps and other texts. Streams of events stay as they are."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

STREAM = "text/event-stream"


class CompressionMiddleware(GZipMiddleware):
    """Compress answers for browsers that understand it. Random padding protects secrets in them.

    A stream of events is left alone: what follows its head is written to the socket as it is (`live_streams`), and a
    browser that was promised compressed bytes would hear nothing of it.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.headers.get("Content-Type", "").startswith(STREAM):
            return response
        return super().process_response(request, response)
