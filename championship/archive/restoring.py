"""An archive put into an installation: every row inserted under a new number, in one transaction or not at all.

Tables that only grow are written as all others are: rows are added, none is changed afterwards. So numbers are given
out before the row that bears them comes, and nothing has to be put right when it does.
"""

from __future__ import annotations

from typing import IO, Any

import psycopg
from django.db import DatabaseError, connection, models, transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.archive import person_matching, rows
from championship.archive.reading import Damaged, OpenArchive, newer
from championship.archive.row_checks import check_rows, wrong
from championship.archive.tables import TABLES, Table
from championship.archive.writing import PEOPLE, READY_MADE
from championship.audit import services as audit
from championship.audit.models import Record
from championship.bounded_input import whole_number
from championship.clubs.models import Club, Role
from championship.clubs.services import RESERVED_SLUGS
from championship.keys import new_key
from championship.rallies.fitting import read_stage
from championship.rallies.models import Rally, SpecialStage
from championship.rallies.services.awaited_cards import await_again
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
"""The advisory lock of restoring: of two who bring the same archive one is told that the club is here."""


def restore_club(*, by: User | None, file: IO[bytes]) -> Club:
    """The club of an archive, with everything it owned, in this installation; `by` an operator, None on the server.

    People are known again by their mail address and otherwise made; keys stay as they are where nobody has them.
    Stages that were on the road are driven again; rallies under way wait, paused, for an organiser to go on.
    Refused (field file), nothing being changed: for what is no archive, damaged, or of a newer version, and for a club
    that is here already.
    """
    archive = OpenArchive(file)
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
    """The table and the rule of the database that an archive's rows break together; empty where it names none."""
    said = getattr(error.__cause__ or error, "diag", None)
    names = (getattr(said, name, None) for name in ("table_name", "column_name", "constraint_name"))
    return ", ".join(name for name in names if name)


class _Restoring:
    """One archive on its way into the database."""

    def __init__(self, archive: OpenArchive) -> None:
        self.archive = archive
        self.numbers: dict[str, dict[int, int]] = {table.name: {} for table in TABLES}
        self.written: dict[str, set[int]] = {table.name: set() for table in TABLES}
        self.free: dict[str, list[int]] = {table.name: [] for table in TABLES}
        self.begun: set[str] = set()
        self.people: dict[int, int] = {}
        self.ready_made: set[int] = set()

    def club(self) -> Club:
        """Restore everything; the club."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [ONE_AT_A_TIME])
        _refuse_if_here(self.archive)
        self.people = person_matching.find_or_make(self.archive.rows(PEOPLE))
        self._know_ready_made()
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
        self._let_go_on(found[0])
        return found[0]

    def _know_ready_made(self) -> None:
        """Which of the designs that every installation has stand for those of the archive."""
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
                raise newer()
            if row["id"] in self.written[table.name]:
                raise wrong(table.name, position, "id")
            try:
                found.append({field.attname: self._value(table, field, row) for field in fields})
            except rows.Odd as odd:
                raise wrong(table.name, position, str(odd)) from odd
            self.written[table.name].add(row["id"])
            if len(found) == AT_ONCE:
                self._add(table, found)
                found = []
        self._add(table, found)

    def _value(self, table: Table, field: models.Field[Any, Any], row: dict[str, Any]) -> Any:
        if field.primary_key:
            return self._number(table.name, row["id"])
        if table.model is Record and field.name in ("club_id", "subject_id"):
            return self._of_record(field.name, row)
        if field.attname not in row:
            return rows.default_of(field)
        to, value = rows.references(field), row[field.attname]
        if to is None:
            return rows.read(field, value)
        if value is None and field.null:
            return None
        rows.check_reference(field, value)
        if to is User:
            if value not in self.people:
                raise rows.Odd(field.name)
            return self.people[value]
        return self._number(to._meta.label_lower, value)

    def _of_record(self, name: str, row: dict[str, Any]) -> Any:
        """What a line of the log points to, which no foreign key says."""
        if name == "club_id":
            return self._number("clubs.club", row["club_id"])
        about, number = row["subject_type"], str(row["subject_id"])
        old = whole_number(number)
        if about in self.numbers and old is not None:
            known = self.numbers[about].get(old)
            return f"{number} (archive)" if known is None else str(known)
        return f"{number[:50]} (archive)"

    def _number(self, table: str, old: int) -> int:
        """The new number of an old one, given out when it is first heard of."""
        numbers = self.numbers[table]
        if table not in self.begun:  # its rows come later: they keep their order all the same
            self.begun.add(table)
            for row in self.archive.rows(table):
                self._number(table, row["id"])
        if old not in numbers:
            if not self.free[table]:
                self.free[table] = _fresh_numbers(table, max(1, self.archive.count(table) - len(numbers)))
            numbers[old] = self.free[table].pop()
        return numbers[old]

    def _add(self, table: Table, found: list[dict[str, Any]]) -> None:
        if not found:
            return
        for field in table.model._meta.concrete_fields:
            if field.name in ("key", "slug") and field.unique:
                _make_free(table.model, str(field.name), found)
        fields = table.model._meta.concrete_fields
        quote = connection.ops.quote_name
        into = f"{quote(table.model._meta.db_table)} ({', '.join(quote(str(field.column)) for field in fields)})"
        with (
            connection.wrap_database_errors,
            connection.cursor() as cursor,
            cursor.copy(f"COPY {into} FROM STDIN") as copy,
        ):
            for row in found:
                copy.write_row([field.get_db_prep_save(row[field.attname], connection) for field in fields])

    def _check_owned(self, club: Club) -> None:
        """Every row is the club's: none is for all clubs, none belongs to a stage that all clubs have."""
        for table in TABLES:
            written = self.written[table.name] - (self.ready_made if table.model is StageDesign else set())
            if table.model._default_manager.filter(**{table.club: club.pk}).count() != len(written):
                raise Damaged(table.name)

    def _let_go_on(self, club: Club) -> None:
        """Stages to come get new seals, cards that are missing are waited for again; time that nobody could
        drive in does not count.
        """
        for stage in SpecialStage.objects.filter(rally__club=club, status=SpecialStage.Status.TIME_CONTROL):
            await_again(stage)
        to_come = SpecialStage.objects.filter(rally__club=club, status=SpecialStage.Status.PLANNED)
        for stage in to_come.exclude(rally__status__in=[Rally.Status.FINISHED, Rally.Status.CANCELLED]):
            seal_for(stage)
        Rally.objects.filter(club=club, status=Rally.Status.RUNNING, paused_at=None).update(
            paused_at=self.archive.made_at, pause_reason=_("The club was restored from an archive.")
        )


def _refuse_if_here(archive: OpenArchive) -> None:
    here = Club.objects.filter(key=archive.manifest["club"]["key"]).first()
    if here is not None:
        raise Refused(_("%(club)s is here already: nothing was changed.") % {"club": here.name}, field="file")


def _check_references(when: str) -> None:
    """Whether foreign keys are looked at with every row, or (rows may come before what they point to) at the end."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET CONSTRAINTS ALL {when}")


def _check_stages(club: Club) -> None:
    """Every stage can be read by its game."""
    for stage in SpecialStage.objects.filter(rally__club=club).select_related("rally").iterator(AT_ONCE):
        if stage.design_id is None and stage.rally.on_paper and not stage.spec:
            continue  # a course that is known by its name alone
        try:
            read_stage(stage)
        except Exception as error:  # whatever reading nonsense raises
            raise Damaged(f"rallies.specialstage, {stage.rally.key}, {stage.number}, spec") from error


def _check_runs(club: Club) -> None:
    """The events of every run must give the state that stands beside them, and a record can be written of it."""
    sealed = Exists(Seal.objects.filter(special_stage=OuterRef("special_stage")))
    for run in Run.objects.filter(special_stage__rally__club=club).annotate(sealed=sealed).iterator(AT_ONCE):
        if run.record_format not in FORMATS or (run.record_format > 1 and not run.sealed):
            raise Damaged(f"runs.run, {run.key}, record_format")
        try:
            agrees = rebuild(run=run) == run.state
        except Exception as error:  # whatever folding nonsense raises
            raise Damaged(f"runs.run, {run.key}") from error
        if not agrees:
            raise Damaged(f"runs.run, {run.key}")


def _library() -> models.QuerySet[StageDesign, Any]:
    return StageDesign.objects.filter(club=None).values_list("pk", "game", "source")


def _fresh_numbers(table: str, count: int) -> list[int]:
    """So many numbers that no row of the table has or will have, the lowest last."""
    model = next(each.model for each in TABLES if each.name == table)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [model._meta.db_table, count],
        )
        return sorted((number for (number,) in cursor.fetchall()), reverse=True)


def _make_free(model: type[models.Model], name: str, found: list[dict[str, Any]]) -> None:
    """Give another key, or address, to rows whose own somebody here has."""
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
