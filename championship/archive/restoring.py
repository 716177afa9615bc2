"""Restores an archive into an installation: every row is inserted with a new id, all in one transaction.

Rows are only inserted and never changed afterwards, because some tables are append-only. So a row may refer to an id
that is reserved before its row is inserted, and nothing has to be corrected later.
"""

from __future__ import annotations

from typing import IO, Any

import psycopg
from django.db import DatabaseError, connection, models, transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.archive import person_matching, rows
from championship.archive.reading import Damaged, VerifiedArchive, newer_version_error
from championship.archive.row_checks import check_rows, row_error
from championship.archive.tables import TABLES, Table
from championship.archive.writing import PEOPLE, READY_MADE
from championship.audit import services as audit
from championship.audit.models import Record
from championship.bounded_input import whole_number
from championship.clubs.models import Club, Role
from championship.clubs.services import RESERVED_SLUGS
from championship.keys import new_key
from championship.rallies.import_checks import read_stage
from championship.rallies.models import Rally, SpecialStage
from championship.rallies.services.awaited_cards import restore_awaited_cards
from championship.refusals import Refused
from championship.runs.models import Run, Seal
from championship.runs.proof import FORMATS
from championship.runs.services.rebuilding import rebuild
from championship.runs.services.seals import seal_for
from championship.stages.models import StageDesign
from championship.stages.services import load_library

AT_ONCE = 2000
WRONG_DATA = (DatabaseError, psycopg.Error, TypeError, ValueError, OverflowError, KeyError)
MOST_SLUGS = 100
ONE_AT_A_TIME = 0x5061726346
"""The advisory lock of restoring. When two people restore the same archive, the second is refused because the club
exists.
"""


def restore_club(*, by: User | None, file: IO[bytes]) -> Club:
    """Restore the club of an archive, with everything it owned. `by` is an operator, None for the command on the
    server.

    People are matched by their mail address and otherwise created. Keys stay the same unless they are taken here.
    Stages that were being driven start again. Running rallies are paused until an organiser resumes them.

    Raises: Refused (field file), without any change, when the file is no archive, is damaged or is of a newer version,
        or when the club exists already.
    """
    archive = VerifiedArchive(file)
    check_rows(archive)
    try:
        with transaction.atomic():
            club = _Restoring(archive).club()
            details = {"made_at": archive.manifest["made_at"]}
            audit.record(actor=by, action="club restored", subject=club, club_id=club.pk, details=details)
            return club
    except WRONG_DATA as error:
        raise Damaged(_constraint(error) or type(error).__name__) from error


def _constraint(error: Exception) -> str:
    """Return the table, column and constraint that rows of the archive violate; "" when the error names none."""
    said = getattr(error.__cause__ or error, "diag", None)
    names = (getattr(said, name, None) for name in ("table_name", "column_name", "constraint_name"))
    return ", ".join(name for name in names if name)


class _Restoring:
    """The state of restoring one archive."""

    def __init__(self, archive: VerifiedArchive) -> None:
        self.archive = archive
        self.numbers: dict[str, dict[int, int]] = {table.name: {} for table in TABLES}
        self.written: dict[str, set[int]] = {table.name: set() for table in TABLES}
        self.free: dict[str, list[int]] = {table.name: [] for table in TABLES}
        self.begun: set[str] = set()
        self.people: dict[int, int] = {}
        self.ready_made: set[int] = set()

    def club(self) -> Club:
        """Restore everything and return the club."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [ONE_AT_A_TIME])
        _refuse_if_here(self.archive)
        self.people = person_matching.find_or_create(self.archive.rows(PEOPLE))
        self._map_ready_made()
        _check_references("DEFERRED")
        for table in TABLES:
            self._restore(table)
        for name, numbers in self.numbers.items():
            if set(numbers) - self.written[name]:
                raise Damaged(name)
        _check_references("IMMEDIATE")
        found = list(Club.objects.filter(pk__in=self.numbers["clubs.club"].values()))
        owned = len(found) == 1 and found[0].memberships.filter(roles__contains=[Role.OWNER]).exists()
        if not owned or found[0].slug.startswith("-") or found[0].slug in RESERVED_SLUGS:
            raise Damaged("clubs.club")
        self._check_owned(found[0])
        _check_stages(found[0])
        _check_runs(found[0])
        self._prepare_rallies(found[0])
        return found[0]

    def _map_ready_made(self) -> None:
        """Map the archive's ready-made designs to those of this installation."""
        load_library()
        here = {(game, source): pk for pk, game, source in _library()}
        for row in self.archive.rows(READY_MADE):
            if (row["game"], row["source"]) in here:
                pk = here[row["game"], row["source"]]
                self.numbers["stages.stagedesign"][row["id"]] = pk
                self.ready_made.add(row["id"])
        self.written["stages.stagedesign"] |= self.ready_made

    def _restore(self, table: Table) -> None:
        fields = table.model._meta.concrete_fields
        columns = {field.attname for field in fields}
        self.begun.add(table.name)
        found: list[dict[str, Any]] = []
        for position, row in enumerate(self.archive.rows(table.name), start=1):
            if not columns >= set(row):
                raise newer_version_error()
            if row["id"] in self.written[table.name]:
                raise row_error(table.name, position, "id")
            try:
                found.append({field.attname: self._value(table, field, row) for field in fields})
            except rows.InvalidValue as invalid:
                raise row_error(table.name, position, str(invalid)) from invalid
            self.written[table.name].add(row["id"])
            if len(found) == AT_ONCE:
                self._add(table, found)
                found = []
        self._add(table, found)

    def _value(self, table: Table, field: models.Field[Any, Any], row: dict[str, Any]) -> Any:
        if field.primary_key:
            return self._new_id(table.name, row["id"])
        if table.model is Record and field.name in ("club_id", "subject_id"):
            return self._record_reference(field.name, row)
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
        return self._new_id(to._meta.label_lower, value)

    def _record_reference(self, name: str, row: dict[str, Any]) -> Any:
        """Return the new value of a reference in a log record, which is no foreign key."""
        if name == "club_id":
            return self._new_id("clubs.club", row["club_id"])
        about, number = row["subject_type"], str(row["subject_id"])
        old = whole_number(number)
        if about in self.numbers and old is not None:
            known = self.numbers[about].get(old)
            return f"{number} (archive)" if known is None else str(known)
        return f"{number[:50]} (archive)"

    def _new_id(self, table: str, old: int) -> int:
        """Return the new id for an old one. It is reserved at the first reference."""
        numbers = self.numbers[table]
        if table not in self.begun:  # its rows are inserted later; reserve their ids now, so that they keep their order
            self.begun.add(table)
            for row in self.archive.rows(table):
                self._new_id(table, row["id"])
        if old not in numbers:
            if not self.free[table]:
                self.free[table] = _reserve_ids(table, max(1, self.archive.count(table) - len(numbers)))
            numbers[old] = self.free[table].pop()
        return numbers[old]

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
        """Check that every restored row belongs to the club: none belongs to all clubs or to a stage that all clubs
        have.
        """
        for table in TABLES:
            written = self.written[table.name] - (self.ready_made if table.model is StageDesign else set())
            if table.model._default_manager.filter(**{table.club: club.pk}).count() != len(written):
                raise Damaged(table.name)

    def _prepare_rallies(self, club: Club) -> None:
        """Prepare rallies under way. Future stages get new seals, and missing cards are awaited again. Running rallies
        are paused from the moment of the archive, so that the time until now does not count.
        """
        for stage in SpecialStage.objects.filter(rally__club=club, status=SpecialStage.Status.TIME_CONTROL):
            restore_awaited_cards(stage)
        to_come = SpecialStage.objects.filter(rally__club=club, status=SpecialStage.Status.PLANNED)
        for stage in to_come.exclude(rally__status__in=[Rally.Status.FINISHED, Rally.Status.CANCELLED]):
            seal_for(stage)
        Rally.objects.filter(club=club, status=Rally.Status.RUNNING, paused_at=None).update(
            paused_at=self.archive.made_at, pause_reason=_("The club was restored from an archive.")
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


def _check_stages(club: Club) -> None:
    """Check that its game can read every stage."""
    for stage in SpecialStage.objects.filter(rally__club=club).select_related("rally").iterator(AT_ONCE):
        if stage.design_id is None and stage.rally.on_paper and not stage.spec:
            continue  # on paper a course may be known by its name alone
        try:
            read_stage(stage)
        except Exception as error:  # reading invalid data may raise anything
            raise Damaged(f"rallies.specialstage, {stage.rally.key}, {stage.number}, spec") from error


def _check_runs(club: Club) -> None:
    """Check that the events of every run give its stored state, and that a record of it can be written."""
    sealed = Exists(Seal.objects.filter(special_stage=OuterRef("special_stage")))
    for run in Run.objects.filter(special_stage__rally__club=club).annotate(sealed=sealed).iterator(AT_ONCE):
        if run.record_format not in FORMATS or (run.record_format > 1 and not run.sealed):
            raise Damaged(f"runs.run, {run.key}, record_format")
        try:
            agrees = rebuild(run=run) == run.state
        except Exception as error:  # folding invalid events may raise anything
            raise Damaged(f"runs.run, {run.key}") from error
        if not agrees:
            raise Damaged(f"runs.run, {run.key}")


def _library() -> models.QuerySet[StageDesign, Any]:
    return StageDesign.objects.filter(club=None).values_list("pk", "game", "source")


def _reserve_ids(table: str, count: int) -> list[int]:
    """Reserve `count` ids that no row of the table has or will get. Returns them with the lowest last."""
    model = next(each.model for each in TABLES if each.name == table)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [model._meta.db_table, count],
        )
        return sorted((number for (number,) in cursor.fetchall()), reverse=True)


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
