"""Files in parts: players of films ask for some bytes of a file, and some play nothing else."""

from __future__ import annotations

import re
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response

ASKED = re.compile(r"bytes=(\d{0,12})-(\d{0,12})", re.ASCII)


def file_answer(request: HttpRequest, content: bytes, content_type: str, etag: str) -> HttpResponse:
    """Return the file; the range of it that the request asks for (206), 416 for a range outside of it, 304 where the
    client has it already. `etag`: with its quotation marks. Of several ranges, and of one that is no range, the whole
    file is returned.
    """
    part = None if request.headers.get("If-Range", etag) != etag else _range_of(request, len(content))
    if part is None:
        answer = HttpResponse(content, content_type=content_type)
    elif not part:
        answer = HttpResponse(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
        answer["Content-Range"] = f"bytes */{len(content)}"
    else:
        answer = HttpResponse(content[part.start : part.stop], content_type=content_type, status=206)
        answer["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{len(content)}"
    answer["Accept-Ranges"], answer["ETag"] = "bytes", etag
    if part is not None:
        return answer
    return get_conditional_response(request, etag=etag, response=answer) or answer


def _range_of(request: HttpRequest, size: int) -> range | None:
    """Return the bytes that the request asks for: an empty range where the file has none of them; None for all."""
    found = ASKED.fullmatch(request.headers.get("Range", "").strip())
    if found is None or found.group(1) == found.group(2) == "":
        return None
    first, last = (int(text) if text else None for text in found.groups())
    if first is None:  # the last bytes
        return range(max(0, size - (last or 0)), size) if last else range(0)
    if last is not None and last < first:
        return None
    return range(first, size if last is None else min(size, last + 1)) if first < size else range(0)
