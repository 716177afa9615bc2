"""The club of a rehearsal: twelve drivers at two tables, four short stages, the pace of an evening."""

from __future__ import annotations

from dataclasses import dataclass

from tests.load.world import _signed_in

DRIVERS, TABLE = 12, 6
TILES = ("202a\n204a\n205a\n203a", "202a\n205a\n204a\n203a", "202a\n206a\n204a\n203a", "202a\n204a\n206a\n203a")
TURN = 60
"""Seconds of a turn."""
REASON = "Until all are here"
NOTES_COMMITS = """
CREATE TABLE rehearsal_commits (post bigint, at timestamptz);
CREATE FUNCTION rehearsal_commit() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO rehearsal_commits VALUES (NEW.id, clock_timestamp()); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER rehearsal_commit AFTER INSERT ON runs_post
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION rehearsal_commit();
"""
"""A deferred trigger is the last thing that a transaction does."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a browser, with the cookies of a session; none for a stranger."""

    name: str
    cookies: dict[str, str]


def seed(*, drivers: int = DRIVERS, after_miss: str = "stage", turn: int = TURN) -> tuple[str, Person, list[Person]]:
    """Create the club, and start its rally at the pace of an evening, paused. Returns the rally's key, the organiser
    and the drivers. `after_miss`: how long the codriver keeps the wheel of a driver who has missed a deadline. `turn`:
    seconds of a turn. Django must be set up and the database empty.
    """
    from championship.accounts.services import create_user
    from championship.clubs.models import Role
    from championship.clubs.services import accept_invitation, create_club, invite
    from championship.rallies import services
    from championship.rallies.clock.evening_pace import EveningPace
    from championship.stages.services import create_design

    olga = create_user(email="olga@evening.example", name="Olga")
    club = create_club(by=olga, name="Thursday")
    _invitation, token = invite(by=olga, club=club, roles=[Role.DRIVER], days=1, max_uses=drivers)
    people = [create_user(email=f"driver{n}@evening.example", name=f"Driver {n}") for n in range(1, drivers + 1)]
    designs = [
        create_design(by=olga, club=club, name=f"Bends {n}", game="dirt", text=tiles)
        for n, tiles in enumerate(TILES, start=1)
    ]
    rally = services.create_rally(
        by=olga,
        club=club,
        name="Thursday at eight",
        game="dirt",
        designs=designs,
        options={},
        mode="convoy",
        turn_hours=24,
        reminder_hours=4,
        auto_start=True,
        timekeeping={"table_size": TABLE, "after_miss": after_miss},
    )
    for person in people:
        accept_invitation(by=person, token=token)
        services.enter_rally(by=person, rally=rally, crew=person.name)
    services.confirm_all(by=olga, rally=rally)
    services.set_evening_pace(by=olga, rally=rally, pace=EveningPace(turn=turn))
    services.move_to_seconds(rally_id=rally.pk, by=olga)
    services.start_rally(by=olga, rally=rally)
    rally.refresh_from_db()
    services.pause_rally(by=olga, rally=rally, reason=REASON)
    return rally.key, Person("Olga", _signed_in(olga)), [Person(each.name, _signed_in(each)) for each in people]


def go(rally_key: str) -> None:
    """End the pause: everybody is here."""
    from championship.rallies.models import Rally
    from championship.rallies.services import resume_rally

    rally = Rally.objects.select_related("club").get(key=rally_key)
    resume_rally(by=rally.club.memberships.order_by("pk")[0].user, rally=rally)


def note_commits() -> None:
    """Have the database note when the transaction of each post is committed."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(NOTES_COMMITS)


def commits() -> dict[int, float]:
    """When each post was committed, by its id, in milliseconds."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT post, extract(epoch FROM at) * 1000 FROM rehearsal_commits")
        return {post: float(at) for post, at in cursor.fetchall()}
