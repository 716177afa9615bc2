"""A run with shared dice that some people may not watch yet: the people by role, the addresses that they request, and a
check of what the responses say about the run.

Ana has finished her run. Bo has not started, Cem is on the road, and Dag has finished. Eve organises and has not
started.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, reverse
from django.utils.html import escape
from pypdf import PdfReader

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.evenings.selectors import secret_name
from championship.rallies.models import Rally, StageTime
from championship.rallies.services import give_penalty, start_rally
from championship.rallies.templatetags.times import stage_time
from championship.runs import run_pages
from championship.runs.models import Run
from championship.runs.watch import selectors
from championship.seasons.services import add_round, create_championship
from championship.seasons.services.adjusting import give_points
from championship.stewards.services import decide, file_protest
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.championship.runs.factories import careful_turn, driven_to_the_end, fresh_key, play
from tests.factories import make_member, make_user, signed_in

SECONDS = 86_753_097
"""Ana's stage time in seconds. No other number on a page is that long, no key and no length of the page."""
CREW = "Ana Behind-the-Door"

RUN = {
    "runs:run", "runs:changes", "runs:live", "runs:turn", "runs:draft", "runs:ahead", "runs:wheel", "runs:at",
    "runs:place", "runs:log", "runs:gaps", "runs:replay", "runs:record", "runs:stage_gaps", "runs:ledger",
    "runs:ledger_turn", "runs:stage_ledger", "runs:stage_ledger_csv", "runs:stage_ledger_xlsx", "runs:stage_ledger_pdf",
    "evenings:more", "evenings:talk", "evenings:talk_live", "runs:lines", "films:film", "films:video", "films:poster",
    "films:stage_film", "films:stage_video", "films:stage_poster",
}  # fmt: skip
"""Addresses that show what is rolled or laid. People who may not watch get nothing but a refusal there."""
FILES_OF_FILMS = {"films:video", "films:poster", "films:stage_video", "films:stage_poster"}
"""Addresses that nobody gets before the film was made."""
LEDGERS = {name for name in RUN if "ledger" in name or name.startswith("films:")}
"""Addresses of RUN that nobody gets before the stage is over for all."""
AROUND = {
    "runs:proof", "runs:mine", "runs:turns_changes", "runs:board", "runs:nudge", "runs:extend", "runs:replace",
    "runs:call_off", "runs:misses", "runs:phrase", "runs:forecast", "runs:nudge_late", "rallies:result_seen",
    "rallies:rally", "rallies:stage", "rallies:overall", "rallies:sheet", "papers:sheet_pdf", "papers:results_pdf",
    "papers:start_list_pdf", "papers:stage_start_list_pdf", "papers:results_csv", "papers:podium_png",
    "papers:results_xlsx", "rallies:podium", "rallies:enter", "rallies:time_control", "rallies:desk", "rallies:options",
    "rallies:penalty",
    "rallies:timekeeping", "rallies:pause", "rallies:start_list", "rallies:message", "rallies:act", "rallies:confirm",
    "rallies:newcomer",
    "rallies:refuse", "rallies:withdraw", "rallies:several", "rallies:stage_modes", "rallies:field",
    "rallies:driven_by",
    "rallies:withdraw_penalty", "runs:hand_over",
    "runs:desk_hand_over", "runs:desk_take_back",
    "stewards:room", "stewards:file", "stewards:decide", "stewards:terms", "stewards:protest",
    "stewards:answer", "stewards:notice_board", "stewards:decide_protest", "stewards:withdraw", "stewards:appeal",
    "stewards:appeal_points",
    "stewards:organising", "rallies:entries_csv",
    "archive:own_data",
    "seasons:championship", "seasons:progress", "seasons:decisions", "seasons:driver", "seasons:head_to_head",
    "seasons:registrations", "seasons:forecast", "seasons:rally_forecast",
    "seasons:edit", "seasons:edit_calendar", "seasons:edit_rallies", "seasons:team_table", "seasons:edit_classes",
    "seasons:edit_teams", "seasons:edit_clock", "seasons:edit_points", "seasons:act", "seasons:by_hand",
    "seasons:driver_scores", "seasons:try_scheme", "seasons:standings_csv", "seasons:register",
    "seasons:away", "seasons:standings_png", "seasons:season_xlsx", "seasons:season_pdf", "seasons:yearbook_pdf",
    "seasons:season_json", "seasons:season_calendar", "seasons:season_qr",
    "seasons:edit_divisions", "seasons:divisions", "seasons:moves", "seasons:reserves",
    "seasons:edit_tables", "seasons:save_template", "seasons:shared_cars",
    "seasons:enter_registered", "seasons:new_round", "seasons:add_round",
    "seasons:delete", "seasons:delete_rally",
    "clubs:club", "clubs:members", "clubs:member", "clubs:log", "clubs:webhook", "clubs:one_webhook", "clubs:mine",
    "clubs:holidays",
    "evenings:evening", "evenings:pace", "evenings:live", "evenings:board", "evenings:act", "evenings:stop",
    "evenings:secret_board", "evenings:secret_live", "evenings:rules", "evenings:check_in_hour", "evenings:presence",
    "papers:away", "papers:qr", "papers:calendar", "seasons:club_away", "seasons:club_calendar", "seasons:club_qr",
    "tabletop:evening", "tabletop:evening_pdf", "tabletop:wall_svg", "tabletop:table_svg", "tabletop:act",
    "tabletop:by_hand", "tabletop:my_sign_on", "lists:courses",
    "moments:all", "moments:moment", "moments:cheer", "moments:hide", "moments:take_back",
    "archive:archive", "archive:state",
    "lists:rally_entries", "lists:registrations", "lists:past", "lists:members", "lists:imports", "lists:names",
    "lists:rounds", "lists:earlier_entries", "lists:earlier_registrations", "lists:earlier_past",
    "notices:settings", "notices:calendar", "accounts:me", "accounts:sign_ins", "home",
}  # fmt: skip
"""Addresses of the rally, its club and its people. They show other things, but nothing about the hidden run."""
ELSEWHERE = re.compile(
    r"account_\w+|mfa_\w+|set_language|manifest|offline|demo:(become|index|mail)|rallies:create"
    r"|stages:(build|club|copy|design|export|import|import_course|land|list|notes|random|rate|rating|remove|rename|save|templates|toml)"
    r"|runs:(practice|skip_lesson|leave_practice|scene|scene_\w+|look|rules|rules_\w+)|seasons:(create|draft_\w+|class_table|registration|withdraw|class_scores|team_scores|withdraw_points|check_in|place_offer|nominate|delete_template)"
    r"|clubs:(new|remove|leave|invitations|revoke|my_holidays|allowance|end_holiday|join|invite_by_mail|lift_ban)"
    r"|clubs:(logo|change_logo|open|ask|close|manage|edit_face|requests|report|reports|answer_report|operator_reports)"
    r"|legal:(page|edit)|accounts:close|robots"
    r"|notices:(trust|add_browser|renew_browser|remove_browser|webhook|one_webhook|renew_calendar|off|letters|push_worker)"
    r"|archive:(download|restore|restore_state)"
    r"|lists:(columns|faulty_lines|discard|who|look|done|undo|throw_away|person|remove_round|help|help_pages|courses_look)"
    r"|health:status|dust_sets:\w+|profiles:\w+"
    r"|puzzles:\w+"  # only of finished runs, own turns only for their drivers: tests/championship/puzzles
    r"|openstage:\w+"  # tested with a stage that others may still drive: tests/championship/openstage
    # With the tokens of an evening at the table, where there are no runs: tests/championship/tabletop.
    r"|tabletop:(roll|roll_now|sign_on|worker|pad|entries|state|card|hand_in|decide|names)"
    r"|evenings:(take_back_word|hide_word)"  # of words by their ids: tests/championship/evenings/test_talk.py
    r"|api:\w+"  # tested by clients that send tokens: tests/championship/api/test_endpoint.py
)
"""Addresses that show nothing about runs on the road. Add every new address here, to RUN or to AROUND."""

IN_PLACE = {"HX-Request": "true", "HX-Target": "run"}
"""Headers of an HTMX request, whose response is put into the page."""
POSTED = ("runs:turn", "runs:draft", "runs:ahead", "runs:wheel")
POSTING = ("somebody signed in", "a steward", "the organiser who is to drive")
"""Roles that also post to the pages around the run. The others only read them."""
KEPT_OUT = (
    "a stranger", "somebody signed in", "a member", "a steward", "the organiser", "the organiser who is to drive",
    "a driver who is to drive", "a driver on the way",
)  # fmt: skip
LET_IN = ("the driver", "a driver who is in")

WAYS: tuple[tuple[str, dict[str, str]], ...] = (
    ("get", {}),
    ("get", IN_PLACE),
    ("head", {}),
    ("post", {}),
)


@dataclass
class Scene:
    """The rally, Ana's run, the words that give the run away, the people by role, and arguments of addresses."""

    rally: Rally
    hidden: Run
    words: list[str]
    people: dict[str, User | None]
    around: dict[str, dict[str, Any]]

    def client(self, person: User | None) -> Client:
        return Client() if person is None else signed_in(person)


def built() -> Scene:
    rally = make_rally(stages=("1/3", "1/2"), mode="open road", options={"dice": "duplicate"})
    olga = organiser_of(rally)
    cup = create_championship(by=olga, club=rally.club, name="Cup", classes=[], drop=0)
    add_round(by=olga, championship=cup, rally=rally)
    ana, bo, cem, dag, eve = enter(rally, CREW, "Bo", "Cem", "Dag", "Eve")
    rally.club.memberships.filter(user=eve.driver).update(roles=[Role.DRIVER, Role.ORGANISER])
    start_rally(by=olga, rally=rally)
    runs = {run.seats.get().entry_id: run for run in Run.objects.filter(special_stage__rally=rally)}
    hidden = runs[ana.pk]
    driven_to_the_end(hidden, ana)
    driven_to_the_end(runs[dag.pk], dag)
    play(runs[cem.pk], cem, **careful_turn(runs[cem.pk]))
    StageTime.objects.filter(entry=ana).update(measure=SECONDS, retired=False)
    sten = make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    penalty = give_penalty(by=olga, entry=bo, amount=7, reason="Late", special_stage=hidden.special_stage)
    protest = file_protest(by=bo.driver, rally=rally, text="Look.", against=ana, special_stage=hidden.special_stage)
    reprimand = decide(by=sten, rally=rally, kind="reprimand", text="The horn.", entry=ana)
    given = give_points(by=olga, championship=cup, driver=bo.driver, points=-100, reason="Late")
    key = {"key": rally.key}
    return Scene(
        rally=rally,
        hidden=hidden,
        words=[stage_time(SECONDS), str(SECONDS), *_long_plans(hidden), *_long_sentences(hidden, ana.driver)],
        people={
            "a stranger": None,
            "somebody signed in": make_user("Nobody Here"),
            "a member": make_member(rally.club, name="Mel"),
            "a steward": sten,
            "the organiser": olga,
            "the organiser who is to drive": eve.driver,
            "a driver who is to drive": bo.driver,
            "a driver on the way": cem.driver,
            "the driver": ana.driver,
            "a driver who is in": dag.driver,
        },
        around={
            "rallies:withdraw_penalty": {**key, "penalty_id": penalty.pk},
            "stewards:protest": {"key": protest.key},
            "stewards:decide_protest": {"key": protest.key},
            "stewards:withdraw": {"key": protest.key},
            "stewards:answer": {"key": protest.key},
            "stewards:notice_board": {"key": cup.key},
            "seasons:rally_forecast": key,
            "seasons:driver_scores": {"key": cup.key, "pk": ana.driver_id},
            "stewards:appeal": {"key": reprimand.key},
            "stewards:appeal_points": {"key": cup.key, "pk": given.pk},
            "notices:calendar": {"key": "no-such-calendar"},
            "evenings:secret_board": {"name": secret_name(rally)},
            "evenings:secret_live": {"name": secret_name(rally)},
            "moments:moment": {"slug": rally.club.slug, **key, "name": "started"},
            "moments:cheer": {"slug": rally.club.slug, **key, "name": "started"},
            "runs:at": {"key": hidden.key},
            "runs:place": {"key": hidden.key, "place": "1.2.r"},
            "runs:stage_gaps": {**key, "number": 1},
            "runs:forecast": {**key, "number": 1},
            "runs:ledger_turn": {"key": hidden.key, "seat": "1", "number": 1},
            **{name: {**key, "number": 1} for name in LEDGERS if "stage" in name},
        },
    )


def _long_plans(run: Run) -> list[str]:
    """The plans of a run that are too long to occur elsewhere by chance."""
    plans = (post.orders.get("plan", "") for post in run.posts.all())
    return [plan for plan in plans if len(plan) > 12]


def _long_sentences(run: Run, driver: User) -> list[str]:
    """The log's sentences about a run, escaped as on a page. Short ones are left out: other runs have the same."""
    told = run_pages.get(run.game).log(selectors.run_page(run, driver, posts=run.version))
    return [escape(line.text) for turn in told for line in turn.lines if len(line.text) > 40]


def routes(resolver: URLResolver, before: str = "", path: str = "") -> Iterator[tuple[str, str]]:
    """Yields the name and the pattern of every address of the site, except those of the admin site."""
    for pattern in resolver.url_patterns:
        here = path + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":
                yield from routes(pattern, before + (f"{pattern.namespace}:" if pattern.namespace else ""), here)
        elif isinstance(pattern, URLPattern):
            yield f"{before}{pattern.name or here}", here


LISTS_OF_SEASONS = (
    *("lists:registrations", "lists:past", "lists:rounds", "lists:earlier_registrations", "lists:earlier_past"),
)


def addresses(scene: Scene, names: Iterable[str]) -> list[tuple[str, str]]:
    """Names and addresses about the hidden run, its stage, rally, club and driver."""
    rally, run = scene.rally, scene.hidden
    seat = run.seats.select_related("entry").get()
    rallys, slug = {"key": rally.key}, {"slug": rally.club.slug}
    cup = {"key": rally.round.championship.key}
    tries: list[dict[str, Any]] = [
        {}, slug, {**slug, "pk": seat.entry.driver_id}, {"name": "no name"}, {**rallys, "act": "next-stage"},
        {**rallys, "turn_id": run.turns.all()[0].pk}, {**rallys, "entry_id": seat.entry_id},
    ]  # fmt: skip
    found = []
    for name in sorted(names):
        of_season = name.startswith("seasons:") and name != "seasons:delete_rally"
        of_cup = of_season or name in LISTS_OF_SEASONS
        own = {"key": run.key} if name in RUN or name == "runs:proof" else cup if of_cup else rallys
        for given in [scene.around[name]] if name in scene.around else [own, {**own, "number": 1}, *tries]:
            try:
                address = reverse(name, kwargs=given)
            except NoReverseMatch:
                continue
            found.append((name, address + ("?x=10&y=10" if name == "runs:at" else "")))
            break
        else:
            raise AssertionError(f"{name} cannot be addressed")
    return found


def form(scene: Scene, name: str, *, whole: bool) -> dict[str, str]:
    """The data of a post: as the page would send them, or malformed when not `whole`."""
    if not whole:
        return {"plan": "\x00" * 3 + "9" * 900, "version": "-1" * 40, "do": "?"}
    version = {"version": str(scene.hidden.version), "key": fresh_key(), "plan": "1:1.2.r"}
    return {
        "runs:turn": {**version, "do": "turn"},
        "runs:draft": {**version, "move": "1:1.2.r"},
        "runs:ahead": {**version, "do": "send", "roll": "one by one", "stop_at": "2"},
    }.get(name, {})


def asked(client: Client, way: str, address: str, headers: dict[str, str], data: dict[str, str]) -> Any:
    """The response. All changes of a post are rolled back."""
    with transaction.atomic():
        answer = getattr(client, way)(address, *([data] if way == "post" else []), headers=headers)
        transaction.set_rollback(True)
    return answer


@lru_cache(maxsize=64)
def _pdf_text(paper: bytes) -> str:
    """The text of a PDF. Cached, since many responses hold the same PDF."""
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(paper)).pages)


def text_of(answer: HttpResponse) -> str:
    """The headers and the text of a response, also when it is a PDF."""
    said = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
    if answer.headers.get("Content-Type", "").startswith("application/pdf"):
        return said + _pdf_text(answer.content)
    return said + (answer.content.decode(errors="replace") if not answer.streaming else "")


def leaks(scene: Scene, answer: HttpResponse) -> list[str]:
    """The excerpts of a response that give away something about the hidden run, its dice and plans included."""
    said = text_of(answer)
    found = (re.search(rf".{{0,60}}{re.escape(word)}.{{0,20}}", said) for word in scene.words if word in said)
    return [leak.group() for leak in found if leak]


def refusals(scene: Scene, name: str, address: str, client: Client) -> Iterator[tuple[str, bool, Any]]:
    """Requests an address of the run in every way. Yields the method, whether the form was whole, and the response."""
    for way, headers in [*WAYS, *([("post", IN_PLACE)] if name in POSTED else [])]:
        for whole in (True, False) if way == "post" and name in POSTED else (True,):
            yield way, whole, asked(client, way, address, headers, form(scene, name, whole=whole))
