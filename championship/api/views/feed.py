"""The events in a person's runs, from a cursor on."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from championship.api import feed
from championship.api.endpoint import ApiView, Query, operation, person_of, token_of
from championship.api.paging import PAGED, limit_of
from championship.api.problems import Problem
from championship.api.run_shapes import NewsShape
from championship.platform.bounded_input import whole_number

QUERY = (
    Query("after", "The cursor of the answer before; without one reading begins now."),
    Query("wait", f"Seconds to wait where nothing has happened, at most {feed.LONGEST_WAIT}.", "integer"),
    PAGED[1],
)


class News(ApiView):
    @operation("readNews", "What happens in the runs of your clubs, from a cursor on", answer=NewsShape, query=QUERY)
    def get(self, request: Request) -> Any:
        person, club, cursor = person_of(request), token_of(request).club_id, request.query_params.get("after", "")
        seconds, limit = whole_number(request.query_params.get("wait", "0"), digits=6), limit_of(request)
        if seconds is None or seconds > feed.LONGEST_WAIT:
            raise Problem("invalid", field="wait", detail=f"Wait 0 to {feed.LONGEST_WAIT} seconds.")
        after = feed.row_of_cursor(cursor) if cursor else feed.start_row(person, club)
        posts = feed.wait_for_posts(person, club, after, limit, seconds)
        events = [_event(each) for each in posts]
        return {"events": events, "cursor": feed.cursor_of(posts[-1].pk if posts else after)}


def _event(each: feed.VisiblePost) -> dict[str, Any]:
    stage = each.run.special_stage
    return {
        "run": each.run.key,
        "rally": stage.rally.key,
        "stage": stage.number,
        "seat": each.seat,
        "at": each.at,
        "status": each.run.status,
    }
