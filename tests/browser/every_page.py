"""A club in the middle of its season, and every page of the service in it: who opens it, and at which address."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from championship.accounts.models import User
from championship.api.operations import OPERATIONS
from championship.clubs.models import Club, Role
from championship.clubs.services import invite
from championship.evenings.models import Circle, Phrase, Word
from championship.evenings.selectors import secret_name
from championship.games.dust.services.sets import import_set
from championship.moments import services as moments
from championship.notices import unsubscribing
from championship.platform import clock
from championship.profiles import services as profiles
from championship.rallies import services as rally_services
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run, Turn
from championship.runs.play import begin_practice, keep_missing_ledgers
from championship.runs.watch.scenes import NEW, so_far
from championship.seasons import services as season_services
from championship.seasons.clock.services.acting import token_for
from championship.seasons.models import CheckIn
from championship.stages.services import create_design, stage_drafts
from championship.stewards import services as steward_services
from engine import registry
from engine.dust.cards.card_set_reading import own_text
from tests.browser import pages_at_the_table, pages_of_lists, pages_of_open_stages, pages_of_puzzles, pages_of_seasons
from tests.championship.rallies.factories import drive, enter, make_rally
from tests.championship.runs.factories import careful_turn, driven_to_the_end, open_turn, play, starters
from tests.factories import make_club, make_member, make_user

NOBODY, DRIVER, ORGANISER, STEWARD, OPERATOR = "nobody", "driver", "organiser", "steward", "operator"
FRESH = "driver with a fresh code"
"""The same driver, just after typing a code: some pages require this."""


@dataclass(frozen=True, slots=True)
class Address:
    """A page: its title, the name of its URL, who opens it, and its address."""

    name: str
    route: str
    who: str
    path: str


@dataclass(slots=True)
class Season:
    """The people of the club and the pages."""

    people: dict[str, User]
    pages: list[Address]


NOT_PAGES = (
    pages_of_seasons.NOT_PAGES
    | pages_at_the_table.NOT_PAGES
    | {
        # Responses to a button, and URLs that only forms use.
        *(
            "set_language",
            "notices:trust",
            "notices:add_browser",
            "notices:renew_browser",
            "notices:remove_browser",
            "notices:renew_calendar",
        ),
        *("clubs:one_webhook", "notices:one_webhook"),  # checked in test_notices.py, after posts to it
        *(
            "api:embed_club",
            "clubs:logo",
            "clubs:change_logo",
            "clubs:revoke",
            "clubs:allowance",
            "clubs:end_holiday",
            "clubs:lift_ban",
            "clubs:answer_report",
        ),
        *("clubs:invite_by_mail", "archive:own_data", "robots", "rallies:entries_csv", "api:atom"),
        *("evenings:secret_live", "rallies:result_seen", "moments:take_back", "moments:cheer"),
        *("runs:stage_ledger_csv", "runs:stage_ledger_xlsx", "runs:stage_ledger_pdf"),
        *("films:video", "films:poster", "films:stage_video", "films:stage_poster"),
        *("evenings:pace", "evenings:live", "evenings:act", "evenings:more", "evenings:stop", "evenings:talk_live"),
        "evenings:take_back_word",
        "evenings:rules",
        "evenings:check_in_hour",
        "runs:nudge_late",
        "stages:import_course",  # of games without a builder, which only tests install: tests/contract
        *("stages:save", "stages:copy", "stages:rename", "stages:remove", "stages:export", "stages:toml"),
        *("dust_sets:own_text", "dust_sets:own_table", "dust_sets:text", "dust_sets:table", "dust_sets:remove"),
        "rallies:field",  # of a rally with heats: tests/championship/rallies/test_heats.py
        *("rallies:several", "rallies:stage_modes", "seasons:act", "stewards:answer"),
        "stewards:appeal_points",  # a form as that of stewards:appeal
        *(
            "stages:rate",
            "rallies:act",
            "rallies:confirm",
            "rallies:newcomer",
            "rallies:refuse",
            "rallies:withdraw",
            "rallies:driven_by",
        ),
        *("runs:desk_hand_over", "runs:desk_take_back"),
        *("rallies:pause", "runs:turn", "runs:draft", "runs:ahead", "runs:wheel", "runs:nudge", "runs:skip_lesson"),
        "runs:hand_over",
        *(
            "runs:leave_practice",
            "archive:download",
            "lists:remove_round",
            "runs:nudge",
            "stewards:decide_protest",
            "stewards:withdraw",
            "account_request_login_code",
        ),
        *("mfa_index", "demo:become", "openstage:drive"),
        *("api:revoke", "api:become_bot", "api:oembed"),
        # Parts of pages that are checked as a whole, and files.
        *("runs:scene_turn", "runs:scene_draft", "runs:scene_at", "runs:scene_place"),
        *("runs:at", "runs:changes", "runs:live", "runs:turns_changes", "stages:rating", "stages:land", "runs:record"),
        *("puzzles:puzzle_turn", "puzzles:puzzle_draft", "puzzles:puzzle_at", "puzzles:puzzle_place", "puzzles:vote"),
        *("puzzles:again_turn", "puzzles:again_draft", "puzzles:again_at", "puzzles:again_place", "puzzles:rating"),
        *("puzzles:drive_on", "puzzles:drive_turn", "puzzles:drive_draft", "puzzles:drive_at", "puzzles:drive_place"),
        "puzzles:today",
        *("archive:state", "archive:restore_state"),
        # After a post; the same pages in other states, or addresses that lead to another.
        *("lists:undo", "lists:throw_away", "lists:discard", "lists:faulty_lines"),
        *("lists:earlier_entries", "lists:earlier_registrations", "lists:earlier_past"),
        *("notices:calendar", "notices:push_worker", "manifest"),
        *("papers:sheet_pdf", "papers:results_pdf", "papers:start_list_pdf", "papers:stage_start_list_pdf"),
        *("papers:results_csv", "papers:results_xlsx", "papers:podium_png"),
        *("papers:qr", "papers:calendar", "seasons:club_qr", "seasons:club_calendar"),
        # Only during a sign-in, with a code or a key that a browser test does not have: tests/championship/accounts.
        *("account_confirm_login_code", "account_email_verification_sent", "mfa_login_webauthn", "mfa_remove_webauthn"),
        "account_fresh_passkey",
    }
)
"""Names of URLs that are not checked, and why."""


def named_addresses() -> set[str]:
    """Return the names of all URLs but those of the administration."""

    def inside(resolver: URLResolver, space: str) -> Iterator[str]:
        for found in resolver.url_patterns:
            if isinstance(found, URLPattern):
                yield f"{space}{found.name}"
            elif found.namespace != "admin":
                yield from inside(found, f"{space}{found.namespace}:" if found.namespace else space)

    names = set(inside(get_resolver(), ""))
    api = {f"api:{pattern.name}" for pattern in OPERATIONS} | {"api:schema", "api:nowhere"}  # JSON for programs
    return names - api


def season() -> Season:
    """Rallies with open entries, on the road, at time control, finished; a protest, a practice stage, a season."""
    olga, ana = make_user("Olga Organiser"), make_user("Ana")
    club = make_club(owner=olga)
    make_member(club, user=ana)
    sten = make_member(club, name="Sten", roles=[Role.STEWARD, Role.DRIVER])
    operator = _operator()
    _invitation, token = invite(by=olga, club=club, roles=[Role.DRIVER], days=7, max_uses=5)
    example = registry.get("dirt").library()["4/1"]
    design = create_design(by=olga, club=club, name="Behind the mill", game="dirt", spec=example)
    _begin_a_stage(olga, club)
    championship = season_services.create_championship(by=olga, club=club, name="Cup", classes=["R5"])
    pages_of_seasons.set_up(olga, ana, championship)
    entries, under_way, control, finished = (
        _entries_open(olga, club),
        _under_way(olga, club, ana),
        _at_time_control(olga, club, ana),
        _finished(olga, club, ana),
    )
    season_services.add_round(by=olga, championship=championship, rally=finished)
    season_services.add_round(by=olga, championship=championship, rally=entries)
    asked = CheckIn.objects.create(entry=entries.entries.filter(status="confirmed")[0]).entry
    mine = finished.entries.get(driver=ana)
    rally_services.give_penalty(by=sten, entry=mine, amount=-3, reason="Waited for a crew in need of help")
    protest = steward_services.file_protest(by=ana, rally=finished, text="The start was given too early.")
    decision = steward_services.decide(by=sten, rally=finished, kind="penalty", entry=mine, amount=5, text="Too early.")
    people = {DRIVER: ana, FRESH: ana, ORGANISER: olga, STEWARD: sten, OPERATOR: operator}
    run, over = (Run.objects.get(special_stage__rally=rally) for rally in (under_way, finished))
    practice = begin_practice(by=ana)
    open_weeks = pages_of_open_stages.set_up(ana)
    member = club.memberships.get(user=ana)
    pages = [
        *_of_the_house(token, ana),
        *(_page(who, name) for name in ("openstage:now", "openstage:weeks") for who in (NOBODY, DRIVER)),
        _page(ORGANISER, "openstage:now", named="still to drive"),
        _page(DRIVER, "profiles:mine"),
        *(_page(who, "profiles:driver", profiles.show(by=ana).key) for who in (NOBODY, DRIVER)),
        *(_page(who, "openstage:week", str(week)) for week in open_weeks for who in (NOBODY, DRIVER)),
        *(_page(DRIVER, *address) for address in pages_of_puzzles.addresses(over, ana)),
        _page(NOBODY, "api:embed_standings", championship.key),
        *_of_the_club(club.slug, member.pk),
        *(_page(who, "clubs:ask", club.key) for who in (NOBODY, OPERATOR)),
        *_of_moments(club, finished, ana, sten),
        *_of_evenings(under_way),
        *_of_card_sets(club.slug, import_set(by=olga, club=club, name="The box", text=own_text()).card_set.key),
        *_of_rallies({"entries": entries, "under way": under_way, "time control": control, "finished": finished}),
        *_of_runs(run, over, practice),
        *(_page(NOBODY, f"stages:{name}", design.key) for name in ("design", "notes")),
        _page(ORGANISER, "stages:design", design.key),
        *(
            _page(who, name, *parts, query=query)
            for who, name, parts, query in pages_of_seasons.pages(championship, club, ana, olga)
        ),
        *_at_the_table(club, olga),
        _page(NOBODY, "seasons:check_in", token_for(asked)),
        *_of_stewards(championship.key, finished.key, protest.key, decision.key),
        *(_page(ORGANISER, *address, **more) for address, more in pages_of_lists.addresses(entries.key, championship)),
    ]
    return Season(people, pages)


def _page(who: str, route: str, *args: Any, query: str = "", named: str = "") -> Address:
    return Address(f"{who}: {route} {named}".strip(), route, who, reverse(route, args=args) + query)


def _begin_a_stage(olga: User, club: Club) -> None:
    half = "202a\n217b\n210a\n207b"
    stage_drafts.put(by=olga, club=club, game="dirt", version=0, text=half, settings={}, toml=False)


def _of_evenings(rally: Rally) -> list[Address]:
    run = Run.objects.filter(special_stage__rally=rally).order_by("pk")[0]
    author = run.seats.select_related("entry__driver")[0].entry.driver
    said = {"circle": Circle.DRIVERS, "turn": 1, "phrase": Phrase.WELL_DRIVEN, "at": clock.now()}
    word = Word.objects.create(run=run, author=author, **said)
    return [
        *(_page(who, "evenings:evening", rally.key) for who in (NOBODY, DRIVER, ORGANISER)),
        _page(DRIVER, "evenings:presence"),
        _page(NOBODY, "evenings:board", rally.key),
        _page(NOBODY, "evenings:secret_board", secret_name(rally)),
        *(_page(who, "evenings:talk", run.key) for who in (NOBODY, DRIVER, ORGANISER)),
        _page(ORGANISER, "evenings:hide_word", word.pk),
    ]


def _at_the_table(club: Club, olga: User) -> list[Address]:
    return [
        _page(ORGANISER if route in ("tabletop:evening", "tabletop:my_sign_on") else NOBODY, route, *parts, named=named)
        for named, route, parts in pages_at_the_table.pages(club, olga)
    ]


def _of_stewards(championship: str, rally: str, protest: str, decision: str) -> list[Address]:
    return [
        *(_page(who, "stewards:notice_board", championship) for who in (DRIVER, ORGANISER)),
        _page(STEWARD, "stewards:decide", rally),
        _page(DRIVER, "stewards:file", rally),
        _page(ORGANISER, "stewards:terms", rally),
        *(_page(who, "stewards:protest", protest) for who in (STEWARD, DRIVER)),
        _page(DRIVER, "stewards:appeal", decision),
    ]


def _of_the_house(token: str, ana: User) -> list[Address]:
    """Return the pages outside clubs: landing page, sign-in, profile, notices, demo."""
    off = unsubscribing.token_for(ana, ["turn waits"])
    return [
        *(_page(NOBODY, name) for name in ("home", "offline", "account_login", "account_signup", "account_inactive")),
        *(_page(NOBODY, name) for name in ("demo:index", "demo:mail", "runs:practice", "api:guide")),
        _page(NOBODY, "api:problem", "stale"),
        *(_page(who, "api:programs") for who in (DRIVER, FRESH)),
        *(_page(NOBODY, "runs:scene", game, "win", NEW) for game in ("dirt", "formula_d", "dust")),
        _page(NOBODY, "runs:scene", "dirt", "order", so_far([("key", {"answer": "far"})]), named="over"),
        *(_page(NOBODY, name, "dirt") for name in ("runs:rules", "runs:rules_first", "runs:rules_reference")),
        _page(NOBODY, "runs:rules_shelf"),
        _page(NOBODY, "runs:rules_about", "dirt", "warning"),
        _page(NOBODY, "clubs:join", token),
        _page(OPERATOR, "clubs:join", token),
        *(_page(DRIVER, name) for name in ("home", "runs:mine", "accounts:me", "notices:settings", "notices:webhook")),
        *(
            _page(DRIVER, name)
            for name in ("clubs:mine", "clubs:new", "clubs:my_holidays", "runs:practice", "health:status")
        ),
        *(_page(DRIVER, name) for name in ("account_logout", "mfa_list_webauthn")),
        *(_page(DRIVER, name) for name in ("account_fresh_code", "accounts:sign_ins")),
        *(_page(DRIVER, name) for name in ("runs:look", "demo:index")),
        *(_page(FRESH, name) for name in ("account_email", "mfa_add_webauthn")),
        _page(OPERATOR, "notices:letters"),
        *(_page(NOBODY, "legal:page", topic) for topic in ("privacy", "imprint", "terms", "contact")),
        _page(OPERATOR, "legal:edit", "imprint"),
        _page(OPERATOR, "clubs:operator_reports"),
        _page(NOBODY, "clubs:open"),
        _page(DRIVER, "clubs:report", query="?page=/clubs/"),
        _page(FRESH, "accounts:close"),
        _page(OPERATOR, "runs:mine", named="with nothing to do"),
        _page(OPERATOR, "archive:restore"),
        _page(NOBODY, "notices:off", off),
        Address("a page that is not there", "", NOBODY, "/nowhere/"),
        Address("a page that is for others", "", DRIVER, reverse("notices:letters")),
    ]


def _of_the_club(slug: str, member: int) -> list[Address]:
    driver = ("club", "members", "leave", "holidays")
    organiser = ("club", "members", "invitations", "holidays", "webhook", "log")
    return [
        *(_page(DRIVER, f"clubs:{name}", slug) for name in driver),
        *(_page(ORGANISER, f"clubs:{name}", slug) for name in organiser),
        _page(ORGANISER, "clubs:member", slug, member),
        *(_page(ORGANISER, f"clubs:{name}", slug) for name in ("manage", "edit_face", "requests", "reports", "close")),
        _page(ORGANISER, "clubs:remove", slug, member),
        _page(ORGANISER, "stewards:organising"),
        _page(ORGANISER, "seasons:club_away", slug),
        _page(ORGANISER, "archive:archive", slug),
        *(_page(who, "stages:club", slug) for who in (DRIVER, ORGANISER)),
        *(_page(ORGANISER, f"stages:{name}", slug) for name in ("build", "list", "random", "templates", "import")),
        _page(ORGANISER, "stages:build", slug, query="?tile=2", named="looking at a tile"),
        _page(ORGANISER, "rallies:create", slug),
    ]


def _of_moments(club: Club, finished: Rally, ana: User, sten: User) -> list[Address]:
    hidden = moments.write(by=ana, club=club, key=finished.key, name="1", text="You all cheat.")
    moments.hide(by=sten, comment=hidden, reason="No proof")
    comment = moments.write(by=ana, club=club, key=finished.key, name="1", text="What a stage!\nOnce more?")
    return [
        *(_page(who, "moments:all", club.slug) for who in (DRIVER, ORGANISER)),
        *(_page(who, "moments:moment", club.slug, finished.key, "1") for who in (DRIVER, STEWARD)),
        _page(STEWARD, "moments:hide", club.slug, comment.pk),
    ]


def _of_card_sets(slug: str, box: str) -> list[Address]:
    return [
        *(_page(who, f"dust_sets:{name}", slug) for name in ("all", "own") for who in (DRIVER, ORGANISER)),
        _page(ORGANISER, "dust_sets:new", slug),
        *(_page(ORGANISER, f"dust_sets:{name}", slug, box) for name in ("set", "change")),
        _page(DRIVER, "dust_sets:version", slug, box, 1),
    ]


def _operator() -> User:
    root = make_user("Root")
    root.is_staff = root.is_superuser = True
    root.save()
    return root


def _of_rallies(rallies: dict[str, Rally]) -> list[Address]:
    pages = []
    for named, rally in rallies.items():
        pages += [
            *(_page(who, "rallies:rally", rally.key, named=named) for who in (NOBODY, DRIVER)),
            _page(DRIVER, "rallies:stage", rally.key, 1, named=named),
            _page(NOBODY, "rallies:overall", rally.key, 1, named=named),
            _page(NOBODY, "rallies:sheet", rally.key, named=named),
            _page(ORGANISER, "rallies:desk", rally.key, named=named),
            _page(DRIVER, "stewards:room", rally.key, named=named),
            _page(NOBODY, "runs:phrase", rally.key, 1, named=named),
        ]
    finished, under_way, entries = rallies["finished"].key, rallies["under way"].key, rallies["entries"].key
    return [
        *pages,
        _page(NOBODY, "rallies:podium", finished),
        *(_page(NOBODY, f"api:{name}", finished) for name in ("embed_rally", "embed_podium")),
        _page(NOBODY, "papers:away", finished),
        _page(NOBODY, "rallies:podium", under_way, named="not yet"),
        _page(DRIVER, "rallies:enter", entries),
        _page(DRIVER, "rallies:time_control", rallies["time control"].key, 1),
        *(_page(ORGANISER, f"rallies:{name}", entries) for name in ("options", "timekeeping")),
        _page(STEWARD, "rallies:penalty", finished),
        _page(STEWARD, "rallies:withdraw_penalty", finished, rallies["finished"].penalties.get(decision=None).pk),
        _page(ORGANISER, "runs:misses", under_way),
        *(_page(ORGANISER, f"rallies:{name}", entries) for name in ("start_list", "message")),
        *(_page(ORGANISER, "runs:board", rallies[named].key, named=named) for named in ("under way", "time control")),
        _page(ORGANISER, "runs:call_off", under_way),
        *(_page(ORGANISER, "seasons:delete_rally", rallies[each].key, named=each) for each in ("entries", "finished")),
        _page(ORGANISER, "runs:extend", under_way, _waiting_in(rallies["under way"]).pk),
        _page(ORGANISER, "runs:replace", under_way, _waiting_in(rallies["under way"]).seat.entry_id),
        _page(NOBODY, "runs:stage_gaps", finished, 1),
        _page(NOBODY, "runs:stage_ledger", finished, 1),
        _page(NOBODY, "films:stage_film", finished, 1),
        _page(NOBODY, "runs:forecast", finished, 1),
        _page(NOBODY, "seasons:rally_forecast", finished),
    ]


def _waiting_in(rally: Rally) -> Turn:
    return open_turn(Run.objects.get(special_stage__rally=rally))


def _of_runs(run: Run, over: Run, practice: Run) -> list[Address]:
    plan = "?plan=" + careful_turn(run)["plan"].replace(" ", "+")
    return [
        *(_page(who, "runs:run", run.key, named="under way") for who in (NOBODY, DRIVER, STEWARD)),
        _page(DRIVER, "runs:run", run.key, query=plan, named="with a plan"),
        _page(NOBODY, "runs:run", over.key, named="over"),
        _page(DRIVER, "runs:run", practice.key, named="of practice"),
        *(_page(NOBODY, f"runs:{name}", over.key) for name in ("log", "gaps", "replay", "lines", "ledger", "proof")),
        _page(NOBODY, "films:film", over.key),
        _page(NOBODY, "runs:ledger_turn", over.key, over.seats.get(position=1).name, 1),
        *(_page(NOBODY, f"runs:{name}", run.key, named="under way") for name in ("log", "gaps", "replay", "proof")),
        _page(NOBODY, "runs:place", run.key, "2"),
    ]


def _entries_open(olga: User, club: Any) -> Rally:
    """Create a rally with two confirmed entries, one request, and one entry on the waiting list, because the rally is
    full.
    """
    classes = [{"name": "RC2", "limit": 2}, {"name": "RC4", "limit": None}]
    rally = make_rally(by=olga, club=club, name="Entries are open")
    enter(rally, "Cem", "Dag")
    rally_services.enter_rally(by=make_member(club, name="Eva"), rally=rally, crew="Eva / Fin")
    Rally.objects.filter(pk=rally.pk).update(entry_limit=3, classes=classes)
    rally_services.enter_rally(by=make_member(club, name="Gus"), rally=rally, crew="Gus", car_class="RC4")
    rally_services.write_to_entrants(by=olga, rally=rally, text="Mind the ford.\n\nTake care.")
    return rally


def _under_way(olga: User, club: Any, ana: User) -> Rally:
    """Create a rally with three drivers in a convoy and a few turns driven. It is Ana's turn."""
    rally = make_rally(by=olga, club=club, name="Under way", options={"leader_dice": True})
    rally_services.enter_rally(by=ana, rally=rally, crew="Ana")
    rally_services.confirm_all(by=olga, rally=rally)
    enter(rally, "Bo", "Cem")
    rally_services.start_rally(by=olga, rally=rally)
    run = Run.objects.get(special_stage__rally=rally)
    for _turn in range(4):
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    while open_turn(run).seat.entry.driver != ana:
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    return rally


def _at_time_control(olga: User, club: Any, ana: User) -> Rally:
    rally = make_rally(by=olga, club=club, name="At time control", options={"checkpoints": True})
    mine = rally_services.enter_rally(by=ana, rally=rally, crew="Ana")
    rally_services.confirm_all(by=olga, rally=rally)
    (other,) = enter(rally, "Bo")
    rally_services.start_rally(by=olga, rally=rally)
    drive(rally, 1, {Entry.objects.get(pk=mine.pk): 200, other: None})
    return rally


def _finished(olga: User, club: Any, ana: User) -> Rally:
    rally = make_rally(by=olga, club=club, name="Finished", stages=("4/1",))
    rally_services.enter_rally(by=ana, rally=rally, crew="Ana")
    rally_services.confirm_all(by=olga, rally=rally)
    enter(rally, "Bo")
    rally_services.start_rally(by=olga, rally=rally)
    run = Run.objects.get(special_stage__rally=rally)
    driven_to_the_end(run, *starters(run))
    keep_missing_ledgers()
    rally.refresh_from_db()
    return rally
