"""The files of the pages, kept in memory and in the browser: thirty come with each page, and Django looks for each on
the disk each time."""

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
def _kept(path: str) -> tuple[list[tuple[str, str]], bytes] | None:
    """Headers and content of the file at that path below STATIC_URL; None where there is none."""
    found = finders.find(path)
    if not found:
        return None
    content = Path(found).read_bytes()
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    # In production the names of files change with their content, and browsers keep them as long as they like.
    headers = [("Content-Type", kind), ("Content-Length", str(len(content))), ("Cache-Control", "max-age=3600")]
    return headers, content


@contextmanager
def kept_files() -> Iterator[None]:
    """Live servers give out files from memory while the block runs."""
    looked_for = StaticFilesHandler.__call__

    def given_out(handler: StaticFilesHandler, environ: Environ, start_response: Start) -> Iterable[bytes]:
        path, place = environ["PATH_INFO"], handler.base_url.path
        kept = _kept(path.removeprefix(place)) if path.startswith(place) else None
        if kept is None or environ["REQUEST_METHOD"] != "GET":
            return looked_for(handler, environ, start_response)
        headers, content = kept
        start_response("200 OK", headers)
        return [content]

    StaticFilesHandler.__call__ = given_out  # type: ignore[method-assign]
    try:
        yield
    finally:
        StaticFilesHandler.__call__ = looked_for  # type: ignore[method-assign]
