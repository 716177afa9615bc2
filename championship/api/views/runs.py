"""A run: its state as the reader may see it, the legal ways to go on, its events, its record, its proof; turns; and the
events in all of a person's runs, from a cursor on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework.request import Request

from championship.api import endpoint, feed, lookup, parsing
from championship.api import run_shapes as shapes
from championship.api.endpoint import ApiView, Page, Query, Validators, operation, person_of, token_of
from championship.api.paging import PAGED, limit_of, next_address
from championship.api.problems import Problem
from championship.api.run_shapes import NewsShape
from championship.api.scopes import Scope
from championship.platform.bounded_input import plain_json, whole_number
from championship.platform.prepared_queries import BoundQuery
from championship.runs import play as services
from championship.runs.models import KeptAccounts
from championship.runs.play.playing import KEY_LENGTH
from championship.runs.watch import history, legal_orders, page_versions, proof, selectors, watching
from championship.runs.watch.luck import ledgers
from championship.runs.watch.selectors import RunPage

WATCHED = ("not-yet",)
DRAFT = Query("draft", "What is laid already, as the way before said under draft: JSON.")


def _queries(path: Mapping[str, Any]) -> list[BoundQuery[Any]]:
    return [page_versions.run_query_with_wheels(path["key"])]


def _depends_on(request: Request, path: Mapping[str, Any], rows: Sequence[tuple[Any, ...]]) -> tuple[str, Any] | None:
    depends = page_versions.of_rows(request, path["key"], [row[:-1] for row in rows])
    if depends is None:
        return None
    return f"run {path['key']}", [depends, page_versions.wheels_visible_to(rows[0][-1], request.user)]


run_validators = Validators(_queries, _depends_on)
"""What a run depends on, as for its page, and who drives its cars, as far as the reader may know. One trip when nothing
is hidden and no draws are shared.
"""


class Run(ApiView):
    @operation(
        "readRun", "A run as you may see it", answer=shapes.RunShape, validators=run_validators, problems=WATCHED
    )
    def get(self, request: Request, key: str) -> Any:
        return run_document(lookup.run_page(self, request, key))


def run_document(page: RunPage, *, played: bool | None = None) -> dict[str, Any]:
    """Return a run as its reader may see it, without a query. `played`: whether the reader's post was played; False
    when the same post had come before, None when there was none.
    """
    run, stage = page.run, page.run.special_stage
    seats = {seat.pk: seat.name for seat in page.seats}
    waiting = [{"seat": seats[turn.seat_id], "since": turn.since, "deadline": turn.deadline} for turn in page.turns]
    fields = ("key", "number", "status", "game", "opened_at", "finished_at", "get_absolute_url")
    return {
        **{name: getattr(run, name) for name in fields},
        "rules_version": run.ruleset_version,
        "rally": stage.rally.key,
        "stage": stage.number,
        "version": page.version,
        "told": page.post_count,
        "mine": page.seat,
        "my_turn": page.my_turn is not None,
        "seats": page.seats,
        "waiting": waiting,
        "view": watching.view_of(run, page.seat),
        "played": played,
    }


class Choices(ApiView):
    @operation(
        "readChoices", "Every legal way to go on in your turn", answer=shapes.ChoicesShape, query=(DRAFT,),
        problems=("forbidden", "refused", *WATCHED),
    )  # fmt: skip
    def get(self, request: Request, key: str) -> Any:
        page = lookup.run_page(self, request, key)
        found = legal_orders.ways_of(page, _draft(request))
        ways = [
            {"text": way.text, "orders": way.orders, "does": way.does, "draft": draft}
            for way, draft in zip(found.ways.ways, found.drafts, strict=True)
        ]
        fields = {name: getattr(found.ways, name) for name in ("phase", "forced", "why", "facts")}
        return {**fields, "version": page.version, "ways": ways, "autopilot": found.autopilot}


def _draft(request: Request) -> Any:
    """Return the draft in the query string.

    Raises: Problem (422) when it is no JSON.
    """
    text = request.query_params.get("draft")
    if text is None:
        return None
    if len(text) > parsing.MOST_BYTES:
        raise Problem("invalid", field="draft", detail="That is longer than any draft.")
    try:
        draft = plain_json(text)
    except ValueError:
        raise Problem("invalid", field="draft", detail="Write the draft as JSON.") from None
    parsing.check_plain(draft, field="draft")
    return draft


class Odds(ApiView):
    @operation(
        "askOdds", "The exact chances of orders in your turn, for games that tell them; nothing changes",
        body=shapes.OddsAskedShape, problems=("forbidden", "refused", *WATCHED),
    )  # fmt: skip
    def post(self, request: Request, key: str, sent: dict[str, Any]) -> Any:
        return legal_orders.odds_of(lookup.run_page(self, request, key), sent["orders"], sent["draft"])


class Events(ApiView):
    @operation(
        "listEvents", "What has happened in a run, as far as you may read it", answer=shapes.EventShape, many=True,
        query=(Query("after", "The number of the last event of the part before.", "integer"), PAGED[1]),
        problems=WATCHED,
    )  # fmt: skip
    def get(self, request: Request, key: str) -> Any:
        run = lookup.run(self, request, key)
        after, limit = whole_number(request.query_params.get("after", "0"), digits=9), limit_of(request)
        if after is None:
            raise Problem("invalid", field="after", detail="Write the number of an event.")
        events = history.history_of(run, watching.seat_of(run, request.user)).events[after:]
        part = events[:limit]
        return Page(part, next_address(request, str(part[-1].number)) if len(events) > limit else "")


class Record(ApiView):
    @operation(
        "readRecord", "The whole run as one document, once its secrets may be shown", problems=("forbidden", *WATCHED)
    )
    def get(self, request: Request, key: str) -> Any:
        return proof.record_for(lookup.run(self, request, key), person_of(request))


class Proof(ApiView):
    @operation("readProof", "What was promised, and what is shown once all is over", answer=shapes.ProofShape)
    def get(self, request: Request, key: str) -> Any:
        return proof.proof_of(lookup.run_without_watch_check(self, request, key))


class Ledger(ApiView):
    @operation(
        "readLedger", "What drivers decided and what chance gave, once all is over", answer=shapes.LedgerShape,
        problems=("forbidden", *WATCHED),
    )  # fmt: skip
    def get(self, request: Request, key: str) -> Any:
        run = lookup.run(self, request, key)
        kept, cars = ledgers.kept_of(run, person_of(request))
        for car in cars:
            car.seat.run = run
        of_results = run.special_stage.rally.measure
        measure = kept.counted_in(of_results) if kept else of_results
        return {
            "version": kept.version if kept else None,
            "unit": measure.unit,
            "better": measure.better,
            "error": kept.error if kept else 0,
            "too_long": bool(kept and kept.too_long),
            "cars": [_car(car) for car in cars],
        }


def _car(car: KeptAccounts) -> dict[str, Any]:
    """Return a car of a ledger with its bookings as objects."""
    names = ("seat", "start", "driving", "chance", "traffic", "result")
    bookings = [
        {"turn": turn, "event": event + 1, "account": account, "amount": amount, "kind": kind, "facts": facts}
        for turn, event, account, amount, kind, facts in car.bookings
    ]
    return {**{name: getattr(car, name) for name in names}, "bookings": bookings}


class Turns(ApiView):
    @endpoint.once
    @operation(
        "playTurn", "Send orders: a step of your turn, or all of it. The answer is the run as it stands then",
        body=shapes.TurnShape, answer=shapes.RunShape, scopes=(Scope.PLAY, Scope.BOT),
        problems=(
            "forbidden", "stale", "held", "changed", "refused", "in-flight", "key-reused", "not-carried-out", *WATCHED,
        ),
    )  # fmt: skip
    def post(self, request: Request, key: str, sent: dict[str, Any]) -> Any:
        run = lookup.run(self, request, key)
        if depends := run_validators(request, {"key": key}):
            endpoint.require_match(request, *depends)
        posted = services.play_turn(by=person_of(request), run=run, key=_post_key(request), **sent)
        page = selectors.run_page(selectors.run_by_key(key, request.user), request.user, posts=0)
        return run_document(page, played=posted.played)


def _post_key(request: Request) -> str:
    """Return the key of a post, made of token, address and Idempotency-Key, so that orders are played once even when
    the answer was lost.
    """
    key = request.headers.get("Idempotency-Key", "")
    if not key:
        return ""
    said = json.dumps([token_of(request).pk, request.path, key])
    return hashlib.sha256(said.encode()).hexdigest()[:KEY_LENGTH]


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
