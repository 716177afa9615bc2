"""Restores an archive into an installation: every row is inserted with a new id, all in one transaction.

Rows are only inserted and never changed afterwards, because some tables are append-only. So a row may refer to an id
that is reserved before its row is inserted, and nothing has to be corrected later.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping
from typing import IO, Any

import psycopg
from django.db import DatabaseError, connection, models, transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.archive import row_checks, rows
from championship.archive.bounds import BATCH, FROM_ANYBODY, OF_THE_OPERATOR, Size
from championship.archive.reading import Damaged, VerifiedArchive
from championship.archive.row_checks import check_rows, row_error
from championship.archive.services import person_matching
from championship.archive.services.archived_members import Member, invite_members
from championship.archive.services.writing import PEOPLE, READY_MADE
from championship.archive.tables import TABLES, Table
from championship.audit import services as audit
from championship.audit.models import Record
from championship.clubs.models import Club, Membership, Role
from championship.clubs.services import RESERVED_SLUGS
from championship.platform.bounded_input import whole_number
from championship.platform.keys import new_key
from championship.platform.refusals import Refused
from championship.rallies.control.services.awaited_cards import restore_awaited_cards
from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Turn
from championship.runs.play.sealing import seal_for
from championship.stages.models import StageDesign
from championship.stages.services import load_library

AT_ONCE = 2000
"""Ids reserved at a time."""
OWNERS_ROLES = [Role.OWNER.value, Role.ORGANISER.value, Role.DRIVER.value]
"""Those of a founder."""
WRONG_DATA = (DatabaseError, psycopg.Error, TypeError, ValueError, OverflowError, KeyError)
MOST_SLUGS = 100
ONE_AT_A_TIME = 0x5061726346
"""The advisory lock of restoring. When two people restore the same archive, the second is refused because the club
exists.
"""


def restore_club(*, by: User | None, file: IO[bytes], owner: User | None) -> Club:
    """Restore the club of an archive, with everything it owned. `by` is an operator, None for the command on the
    server.

    `owner`: the account that becomes owner of the club, and its only member. Everybody else in the archive becomes a
    name without an account, and its members are invited by mail: an archive is a stranger's text, and makes nobody a
    member. None when the operator vouches for the archive: then its people are matched by their mail address or
    created, and are members as they were.

    Keys stay the same unless they are taken here. Stages that were being driven start again. Running rallies are paused
    until an organiser resumes them. Records of the log are marked as from an archive.

    Raises: Refused (field file), without any change, when the file is no archive, is damaged or is of a newer version,
        or when the club exists already. Refused (field owner) when that account cannot own a club.
    """
    if owner is not None:
        check_owner(owner)
    archive = VerifiedArchive(file, FROM_ANYBODY if owner else OF_THE_OPERATOR)
    ids = check_rows(archive)
    try:
        with transaction.atomic():
            restoring = _Restoring(archive, ids, owner)
            club = restoring.club()
            details = {"made_at": archive.made_at}
            audit.record(actor=by, action="club restored", subject=club, club_id=club.pk, details=details)
            if owner is not None:
                invite_members(by=by, owner=owner, club=club, members=restoring.members)
            return club
    except WRONG_DATA as error:
        raise Damaged(_constraint(error) or type(error).__name__) from error


def check_owner(person: User) -> None:
    """Check that a restored club can be given to this account.

    Raises: Refused (field owner) when it is closed, a bot's, or a name without an account.
    """
    if not person.is_active or person.closed_at is not None or person.is_bot:
        raise Refused(_("This account cannot own a club."), field="owner")


def _constraint(error: Exception) -> str:
    """Return the table, column and constraint that rows of the archive violate; "" when the error names none."""
    said = getattr(error.__cause__ or error, "diag", None)
    names = (getattr(said, name, None) for name in ("table_name", "column_name", "constraint_name"))
    return ", ".join(name for name in names if name)


class _Restoring:
    """The state of restoring one archive. `ids`: the ids in the archive, ascending, by table."""

    def __init__(self, archive: VerifiedArchive, ids: Mapping[str, array[int]], owner: User | None) -> None:
        self.archive, self.ids, self.owner = archive, ids, owner
        self.new_ids: dict[str, array[int]] = {}
        self.people: dict[int, int] = {}
        self.ready_made: dict[int, int] = {}
        self.members: list[Member] = []

    def club(self) -> Club:
        """Restore everything and return the club."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [ONE_AT_A_TIME])
        _refuse_if_here(self.archive)
        if self.owner is None:
            self.people = person_matching.find_or_create(self.archive.rows(PEOPLE))
        else:
            self.people = person_matching.names_of_people(self.archive.rows(PEOPLE), owner=self.owner)
        self._map_ready_made()
        for table in TABLES:
            self.new_ids[table.name] = _reserve_ids(table, len(self.ids[table.name]))
        _check_references("DEFERRED")
        for table in TABLES:
            if table.model is Membership and self.owner is not None:
                self._note_members()
            else:
                self._restore(table)
        _check_references("IMMEDIATE")
        found = list(Club.objects.filter(pk__in=self.new_ids["clubs.club"]))
        if self.owner is not None and len(found) == 1:
            Membership.objects.create(club=found[0], user=self.owner, roles=OWNERS_ROLES)
        owned = len(found) == 1 and found[0].memberships.filter(roles__contains=[Role.OWNER]).exists()
        if not owned or found[0].slug.startswith("-") or found[0].slug in RESERVED_SLUGS:
            raise Damaged("clubs.club")
        self._check_owned(found[0])
        row_checks.check_designs(found[0])
        row_checks.drop_unreadable_ratings(found[0])
        row_checks.check_stages(found[0])
        row_checks.check_runs(found[0])
        self._prepare_rallies(found[0])
        return found[0]

    def _map_ready_made(self) -> None:
        """Map the archive's ready-made designs to those of this installation."""
        load_library()
        here = {(game, source): pk for pk, game, source in _library()}
        for row in self.archive.rows(READY_MADE):
            if (row["game"], row["source"]) in here:
                self.ready_made[row["id"]] = here[row["game"], row["source"]]

    def _note_members(self) -> None:
        """Collect the members in the archive, to invite them. No membership is restored."""
        held = {row["user_id"]: row["roles"] for row in self.archive.rows(Membership._meta.label_lower)}
        for row in self.archive.rows(PEOPLE):
            if (
                row["id"] in held
                and row["email"] is not None
                and self.people[row["id"]] != getattr(self.owner, "pk", 0)
            ):
                person = self.people[row["id"]]
                self.members.append(Member(person, row["email"].lower(), row["language"], tuple(held[row["id"]])))

    def _restore(self, table: Table) -> None:
        fields = table.model._meta.concrete_fields
        found: list[dict[str, Any]] = []
        held = Size()
        for position, (row, size) in enumerate(self.archive.rows_with_sizes(table.name), start=1):
            if table.model is StageDesign and row["id"] in self.ready_made:
                raise row_error(table.name, position, "id")
            if table.adjust:  # as the archive should have it: nothing in it is under way
                row = table.adjust(row)
            try:
                found.append({field.attname: self._value(table, field, row) for field in fields})
            except rows.InvalidValue as invalid:
                raise row_error(table.name, position, str(invalid)) from invalid
            held += size
            if held.exceeds(BATCH):
                self._add(table, found)
                found, held = [], Size()
        self._add(table, found)

    def _value(self, table: Table, field: models.Field[Any, Any], row: dict[str, Any]) -> Any:
        if field.primary_key:
            return self._new_id(table.name, row["id"])
        if table.model is Record and field.name in ("club_id", "subject_id"):
            return self._record_reference(field.name, row)
        if table.model is Record and field.name == "from_archive":
            return True
        if field.attname not in row:
            return rows.default_of(field)
        to, value = rows.references(field), row[field.attname]
        if to is None:
            return rows.from_json(field, value)
        if value is None and field.null:
            return None
        rows.check_reference(field, value)
        if to is User:
            if value not in self.people:
                raise rows.InvalidValue(field.name)
            return self.people[value]
        new = self._new_id(to._meta.label_lower, value)
        if new is None:
            raise rows.InvalidValue(field.name)
        return new

    def _record_reference(self, name: str, row: dict[str, Any]) -> Any:
        """Return the new value of a reference in a log record, which is no foreign key."""
        if name == "club_id":
            found = self._new_id("clubs.club", row["club_id"])
            if found is None:
                raise rows.InvalidValue(name)
            return found
        about, number = row["subject_type"], str(row["subject_id"])
        old = whole_number(number)
        if about in self.new_ids and old is not None:
            known = self._new_id(about, old)
            return f"{number} (archive)" if known is None else str(known)
        return f"{number[:50]} (archive)"

    def _new_id(self, table: str, old: int) -> int | None:
        """Return the new id for an old one; None when the archive has no such row."""
        if table == StageDesign._meta.label_lower and old in self.ready_made:
            return self.ready_made[old]
        ids = self.ids[table]
        place = bisect_left(ids, old)
        return self.new_ids[table][place] if place < len(ids) and ids[place] == old else None

    def _add(self, table: Table, found: list[dict[str, Any]]) -> None:
        if not found:
            return
        for field in table.model._meta.concrete_fields:
            if field.name in ("key", "slug") and field.unique:
                _replace_taken(table.model, str(field.name), found)
        fields = table.model._meta.concrete_fields
        quote = connection.ops.quote_name
        target = f"{quote(table.model._meta.db_table)} ({', '.join(quote(str(field.column)) for field in fields)})"
        with (
            connection.wrap_database_errors,
            connection.cursor() as cursor,
            cursor.copy(f"COPY {target} FROM STDIN") as copy,
        ):
            for row in found:
                copy.write_row([field.get_db_prep_save(row[field.attname], connection) for field in fields])

    def _check_owned(self, club: Club) -> None:
        """Check that every restored row belongs to the club, and would be in an archive of it: none belongs to all
        clubs or to a stage that all clubs have, and none to a run that is under way.
        """
        for table in TABLES:
            only_the_owner = table.model is Membership and self.owner is not None
            written = 1 if only_the_owner else len(self.ids[table.name])
            if table.rows_of(club).count() != written:
                raise Damaged(table.name)

    def _prepare_rallies(self, club: Club) -> None:
        """Prepare rallies under way. Future stages get new seals, and missing cards are awaited again. Running rallies
        are paused from the moment of the archive, so that the time until now does not count. No turn waits, because all
        runs are over.
        """
        for stage in row_checks.each(
            SpecialStage.objects.filter(rally__club=club, status=SpecialStage.Status.TIME_CONTROL)
        ):
            restore_awaited_cards(stage)
        to_come = SpecialStage.objects.filter(rally__club=club, status=SpecialStage.Status.PLANNED)
        for stage in row_checks.each(
            to_come.exclude(rally__status__in=[Rally.Status.FINISHED, Rally.Status.CANCELLED])
        ):
            seal_for(stage)
        made_at = self.archive.made_at
        Turn.objects.filter(run__special_stage__rally__club=club, ended_at=None).update(ended_at=made_at)
        Rally.objects.filter(club=club, paused_at__gt=made_at).update(paused_at=made_at)
        Rally.objects.filter(club=club, status=Rally.Status.RUNNING, paused_at=None).update(
            paused_at=made_at, pause_reason=_("The club was restored from an archive.")
        )


def _refuse_if_here(archive: VerifiedArchive) -> None:
    here = Club.objects.filter(key=archive.manifest["club"]["key"]).first()
    if here is not None:
        raise Refused(_("%(club)s is here already: nothing was changed.") % {"club": here.name}, field="file")


def _check_references(when: str) -> None:
    """Set whether foreign keys are checked with every row, or at the end so that rows may come before the rows to which
    they point.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SET CONSTRAINTS ALL {when}")


def _library() -> models.QuerySet[StageDesign, Any]:
    return StageDesign.objects.filter(club=None).values_list("pk", "game", "source")


def _reserve_ids(table: Table, count: int) -> array[int]:
    """Reserve `count` ids that no row of the table has or will get, and return them in ascending order."""
    found = array("q")
    with connection.cursor() as cursor:
        while len(found) < count:
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
                [table.model._meta.db_table, min(AT_ONCE, count - len(found))],
            )
            found.extend(sorted(number for (number,) in cursor.fetchall()))
    return found


def _replace_taken(model: type[models.Model], name: str, found: list[dict[str, Any]]) -> None:
    """Replace a key or slug that a row here already has."""
    wanted = [row[name] for row in found]
    taken = set(model._default_manager.filter(**{f"{name}__in": wanted}).values_list(name, flat=True))
    for row in found:
        if row[name] in taken and name == "key":
            row[name] = new_key()
        elif row[name] in taken:
            row[name] = _free_slug(model, row[name])


def _free_slug(model: type[models.Model], stem: str) -> str:
    for number in range(2, MOST_SLUGS):
        slug = f"{stem[:50]}-{number}"
        if not model._default_manager.filter(slug=slug).exists():
            return slug
    return f"{stem[:40]}-{new_key().lower().strip('-_')}"
