"""The pages of a championship for every_page: who opens them, and their addresses."""

from __future__ import annotations

from collections.abc import Iterator

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.seasons import services
from championship.seasons.clock import services as clocks
from championship.seasons.divisions import services as divisions
from championship.seasons.divisions.services import offers, reserves
from championship.seasons.models import Championship
from championship.seasons.season_plans import PlannedRound
from championship.seasons.services import adjusting, registering, season_drafts

NOBODY, DRIVER, ORGANISER = "nobody", "driver", "organiser"
NOT_PAGES = {
    *("seasons:draft_make", "seasons:draft_discard", "seasons:withdraw", "seasons:enter_registered"),
    *("seasons:withdraw_points", "seasons:standings_csv", "seasons:standings_png", "seasons:season_xlsx"),
    *("seasons:season_pdf", "seasons:yearbook_pdf", "seasons:season_json", "seasons:season_calendar"),
    *("seasons:season_qr", "seasons:delete_template"),
    "seasons:class_scores",  # as seasons:driver_scores; nobody here has driven in a class
}
"""Responses to a button, and files."""

Shown = tuple[str, str, tuple[object, ...], str]
"""Who opens the page, the name of its URL, the arguments of the URL, and the query."""


def set_up(olga: User, ana: User, championship: Championship) -> None:
    """Create a team and a registration."""
    (team,) = registering.name_teams(by=olga, championship=championship, names=["North"])
    registering.register(
        by=olga, championship=championship, driver=ana, crew="Ana", car_class=championship.classes[0], team=team
    )
    clocks.set_clock(by=olga, championship=championship, running=True)
    adjusting.give_points(by=olga, championship=championship, driver=ana, points=-150, reason="Late at the desk.")
    league = services.create_championship(by=olga, club=championship.club, name="League")
    divisions.set_rules(by=olga, championship=league, names=["Gold", "Silver"], up=1, down=1, places=2)
    services.change_championship(
        by=olga,
        championship=championship,
        name=championship.name,
        points=championship.points,
        further={"nominated": 3, "shared": "divide"},
    )
    reserves.join(by=ana, championship=league, driver=ana, crew="Ana")
    offers.offer_now(by=olga, championship=league)
    draft = season_drafts.begin_draft(by=olga, club=championship.club)
    rounds = [PlannedRound("Foxwood", route="1")]
    season_drafts.save_draft(by=olga, draft=draft, version=0, name="Cup 2027", classes=["R5"], rounds=rounds)


def pages(championship: Championship, club: Club, ana: User, olga: User) -> Iterator[Shown]:
    """Return all pages. `ana` has finished a rally."""
    key = championship.key
    for who in (NOBODY, DRIVER, ORGANISER):
        yield who, "seasons:championship", (key,), ""
    yield NOBODY, "seasons:class_table", (key, 1), ""
    yield NOBODY, "seasons:team_table", (key,), ""
    yield NOBODY, "seasons:driver_scores", (key, ana.pk), ""
    yield NOBODY, "seasons:team_scores", (key, championship.teams.get().pk), ""
    for who in (NOBODY, ORGANISER):
        yield who, "seasons:by_hand", (key,), ""
    yield NOBODY, "seasons:away", (key,), ""
    yield DRIVER, "seasons:try_scheme", (key,), "?as=small+club"
    yield DRIVER, "seasons:progress", (key,), ""
    yield DRIVER, "seasons:decisions", (key,), ""
    yield NOBODY, "seasons:forecast", (key,), ""
    for who in (DRIVER, ORGANISER):
        yield who, "seasons:registrations", (key,), ""
    yield ORGANISER, "seasons:registration", (key, championship.registrations.get().pk), ""
    yield DRIVER, "seasons:nominate", (key, championship.registrations.get().pk), ""
    yield ORGANISER, "seasons:shared_cars", (key, championship.rounds.order_by("number").first().number), ""
    changes = (
        "delete",
        "edit",
        "edit_classes",
        "edit_teams",
        "edit_calendar",
        "edit_points",
        "edit_tables",
        "save_template",
        "edit_clock",
        "edit_rallies",
    )
    for name in (*changes, "register", "new_round", "add_round"):
        yield ORGANISER, f"seasons:{name}", (key,), ""
    league = Championship.objects.get(club=club, name="League")
    yield ORGANISER, "seasons:edit_divisions", (league.key,), ""
    for name in ("divisions", "moves"):
        yield NOBODY, f"seasons:{name}", (league.key,), ""
    for who in (DRIVER, ORGANISER):
        yield who, "seasons:reserves", (league.key,), ""
    yield NOBODY, "seasons:place_offer", (offers.token_for(league.place_offers.get()),), ""
    yield ORGANISER, "seasons:create", (club.slug,), ""
    draft = season_drafts.begin_draft(by=olga, club=club)
    for name in ("start", "points", "classes", "calendar", "rallies", "preview"):
        yield ORGANISER, f"seasons:draft_{name}", (draft.key,), ""
    yield ORGANISER, "seasons:draft_stages", (draft.key, 1), ""
    yield DRIVER, "seasons:driver", (club.slug, ana.pk), ""
    yield DRIVER, "seasons:head_to_head", (club.slug, ana.pk), f"?driver={olga.pk}"
