"""Serves static files from memory and lets browsers cache them.

Each page loads about thirty, and Django would search the disk for each at every request.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.handlers import StaticFilesHandler

Environ = dict[str, Any]
Start = Callable[[str, list[tuple[str, str]]], Any]


@cache
def _file(path: str) -> tuple[list[tuple[str, str]], bytes] | None:
    """Return headers and content of the file at `path` below STATIC_URL. Return None when there is none."""
    found = finders.find(path)
    if not found:
        return None
    content = Path(found).read_bytes()
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    # In production the name of a file contains a hash of its content, so browsers may cache it.
    headers = [("Content-Type", kind), ("Content-Length", str(len(content))), ("Cache-Control", "max-age=3600")]
    return headers, content


@contextmanager
def static_file_cache() -> Iterator[None]:
    """Let live servers serve static files from memory while the block runs."""
    serve_from_disk = StaticFilesHandler.__call__

    def serve_from_memory(handler: StaticFilesHandler, environ: Environ, start_response: Start) -> Iterable[bytes]:
        path, place = environ["PATH_INFO"], handler.base_url.path
        kept = _file(path.removeprefix(place)) if path.startswith(place) else None
        if kept is None or environ["REQUEST_METHOD"] != "GET":
            return serve_from_disk(handler, environ, start_response)
        headers, content = kept
        start_response("200 OK", headers)
        return [content]

    StaticFilesHandler.__call__ = serve_from_memory  # type: ignore[method-assign]
    try:
        yield
    finally:
        StaticFilesHandler.__call__ = serve_from_disk  # type: ignore[method-assign]
