"""Long lists in parts. The cursor is the key of the last row of a part, so that rows added in between are neither
repeated nor lost.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from rest_framework.request import Request

from championship.api.endpoint import Page, Query
from championship.api.problems import Problem
from championship.platform.bounded_input import whole_number

MOST = 100
DEFAULT_LIMIT = 50

PAGED = (
    Query("after", "The key of the last row of the part before; the header Link has the whole address."),
    Query("limit", f"Rows in a part, from 1 to {MOST}; {DEFAULT_LIMIT} where nothing is said.", "integer"),
)


def limit_of(request: Request, *, default: int = DEFAULT_LIMIT, most: int = MOST) -> int:
    """Return how many rows are requested.

    Raises: Problem (422) when it is no number from 1 to `most`.
    """
    text = request.query_params.get("limit", str(default))
    limit = whole_number(text, digits=6)
    if limit is None or not 1 <= limit <= most:
        raise Problem("invalid", field="limit", detail=f"Ask for 1 to {most} rows.")
    return limit


def newest_first(request: Request, rows: QuerySet[Any], *, moment: str = "created_at", key: str = "key") -> Page:
    """Return a part of the rows by `moment`, newest first. `key` is the column of their public keys. One query, one
    more after the first part.

    Raises: Problem (422) when the cursor belongs to another list.
    """
    after, limit = request.query_params.get("after", ""), limit_of(request)
    rows = rows.order_by(f"-{moment}", "-pk")
    if after:
        last = _row(rows, key, after)
        at = getattr(last, moment)
        rows = rows.filter(Q(**{f"{moment}__lt": at}) | Q(**{moment: at, "pk__lt": last.pk}))
    found = list(rows[: limit + 1])
    return Page(found[:limit], next_address(request, str(getattr(found[limit - 1], key))) if len(found) > limit else "")


def _row(rows: QuerySet[Any], column: str, key: str) -> Model:
    try:
        found: Model | None = rows.filter(**{column: key}).first() if key.isprintable() else None
    except ValidationError:  # not a valid UUID
        found = None
    if found is None:
        raise Problem("invalid", field="after", detail="This cursor belongs to no row of this list.")
    return found


def next_address(request: Request, after: str) -> str:
    """Return the address of the part after a cursor."""
    asked = {**request.query_params.dict(), "after": after}
    return request.build_absolute_uri(f"{request.path}?{urlencode(asked)}")
