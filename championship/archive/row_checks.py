"""Checks of an archive's rows before anything is written: the type, range and choices of every column, and what the
rows mean together. Courses, runs and their events must be what pages can read.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import models
from django.db.models import Exists, Model, OuterRef
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line, without_hidden
from championship.archive import rows
from championship.archive.bounds import Size
from championship.archive.reading import Damaged, VerifiedArchive, newer_version_error
from championship.archive.services.writing import PEOPLE, READY_MADE, table_file
from championship.archive.tables import TABLES, Table
from championship.clubs.models import Club
from championship.platform.refusals import Refused
from championship.rallies.models import ON_PAPER, Entry, Rally, SpecialStage, StageTime, TimeControlCard
from championship.rallies.results.services.imported_rallies import fits_luggage, invalid_column, read_course, read_stage
from championship.runs.models import Event, Run, Seal
from championship.runs.play.rebuilding import rebuild
from championship.runs.watch.proof import FORMATS
from championship.seasons import rally_defaults
from championship.seasons.models import Championship
from championship.seasons.schemes import TIE_BREAKS, checked_further
from championship.stages import stage_pages
from championship.stages.models import Rating, StageDesign

PERSON: Mapping[str, tuple[type, ...]] = {
    "name": (str,),
    "language": (str,),
    "time_zone": (str,),
    "email": (str, type(None)),
}
NO_CLUBS = ("practice", "for_everybody")
"""Columns that are true only for rallies without a club."""
DESIGN: Mapping[str, tuple[type, ...]] = {"game": (str,), "source": (str,)}


def check_rows(archive: VerifiedArchive) -> dict[str, array[int]]:
    """Check every row of an archive, without writing anything. Returns the ids of its rows, ascending, by table.

    Raises: Refused (field file) when a row is wrong; it names the first file, row and column.
    """
    for position, row in enumerate(archive.rows(PEOPLE), start=1):
        _check_person(row, position)
    for position, row in enumerate(archive.rows(READY_MADE), start=1):
        _check_kinds(READY_MADE, row, position, DESIGN)
    luggage, ids = _Luggage(), {table.name: array("q") for table in TABLES}
    told: dict[int, Size] = {}
    for table in TABLES:
        for position, (row, size) in enumerate(archive.rows_with_sizes(table.name), start=1):
            _check_row(table, row, position)
            luggage.check(table, row, position)
            ids[table.name].append(row["id"])
            if table.model is Event and archive.bounds.run is not None:
                told[row["run_id"]] = told.get(row["run_id"], Size()) + size
                if told[row["run_id"]].exceeds(archive.bounds.run):
                    raise row_error(table.name, position)
    return ids


class _Luggage:
    """Checks that each game can read the luggage of its cars. The luggage of a rally on paper is not checked."""

    COLUMNS: ClassVar[Mapping[type[Model], str]] = {Entry: "car", StageTime: "car", TimeControlCard: "car_after"}

    def __init__(self) -> None:
        self.games: dict[int, str] = {}
        self.rallies: dict[int, int] = {}

    def check(self, table: Table, row: Mapping[str, Any], position: int) -> None:
        """Check a row whose columns are valid. Rallies must come before their stages, and stages before the rows that
        refer to them.
        """
        if table.model is Rally and row["ruleset_version"] != ON_PAPER:
            self.games[row["id"]] = row["game"]
        elif table.model is SpecialStage:
            self.rallies[row["id"]] = row["rally_id"]
        column = self.COLUMNS.get(table.model)
        if column is None:
            return
        rally = row["rally_id"] if table.model is Entry else self.rallies.get(row["special_stage_id"])
        game, carried = self.games.get(rally or 0), row.get(column)
        not_yet = table.model is Entry and carried is None
        if game is not None and not not_yet and not fits_luggage(game, carried):
            raise row_error(table.name, position, column)


def row_error(table: str, position: int, column: str = "") -> Damaged:
    """Return the error for a row; `position` counts from 1."""
    where = _("%(file)s, row %(row)d") % {"file": table_file(table), "row": position}
    if column:
        where = _("%(where)s, column %(column)s") % {"where": where, "column": column}
    return Damaged(where)


def _check_row(table: Table, row: Mapping[str, Any], position: int) -> None:
    fields = table.model._meta.concrete_fields
    if not {field.attname for field in fields} >= set(row):
        raise newer_version_error()
    try:
        for field in fields:
            if field.primary_key:
                continue
            if field.attname not in row:
                rows.default_of(field)
            elif rows.references(field) is None:
                rows.from_json(field, row[field.attname])
            else:
                rows.check_reference(field, row[field.attname])
        if table.model is Rally:
            _check_options(row)
            _check_classes(row.get("classes", []))
        elif table.model is Championship:
            _check_scheme(row)
    except rows.InvalidValue as invalid:
        raise row_error(table.name, position, str(invalid)) from invalid


def _check_options(row: Mapping[str, Any]) -> None:
    """Check that the game is known and that its options accept the values. An option that no longer exists is ignored.
    Practice stages and stages open to everybody belong to no club, so no archive may contain them.
    """
    for column in NO_CLUBS:
        if row.get(column):
            raise rows.InvalidValue(column)
    odd = invalid_column(row["game"], row.get("options", {}))
    if odd:
        raise rows.InvalidValue(odd)


def _check_classes(classes: list[dict[str, Any]]) -> None:
    """Check that each class of a rally has a name and a limit or None."""
    for each in classes:
        limit = each.get("limit", "")
        if not isinstance(each.get("name"), str) or not (limit is None or type(limit) is int):
            raise rows.InvalidValue("classes")


def _check_scheme(row: Mapping[str, Any]) -> None:
    """Check that a championship knows its tie-breaks, and that forms can show the settings of its rallies."""
    if not set(row.get("tie_breaks", ())) <= set(TIE_BREAKS):
        raise rows.InvalidValue("tie_breaks")
    try:
        checked_further(row.get("further", {}))
    except Refused as refused:
        raise rows.InvalidValue("further") from refused
    settings = row.get("rally_settings", {})
    try:
        game = rally_defaults.game_of(settings)
        rally_defaults.as_initial(settings, game)
        rally_defaults.from_json(settings, game)
    except Exception as error:  # reading invalid data may raise anything
        raise rows.InvalidValue("rally_settings") from error


def _check_person(row: Mapping[str, Any], position: int) -> None:
    _check_kinds(PEOPLE, row, position, PERSON)
    if row["language"] not in User.Language.values:
        raise row_error(PEOPLE, position, "language")
    try:
        one_line(without_hidden(row["name"]))
    except ValidationError as error:
        raise row_error(PEOPLE, position, "name") from error
    if row["email"] is not None:
        try:
            validate_email(row["email"])
        except ValidationError as error:
            raise row_error(PEOPLE, position, "email") from error


def _check_kinds(table: str, row: Mapping[str, Any], position: int, kinds: Mapping[str, tuple[type, ...]]) -> None:
    for column, kind in kinds.items():
        if column not in row or not isinstance(row[column], kind) or not rows.is_text(row[column] or ""):
            raise row_error(table, position, column)


Found = TypeVar("Found", bound=models.Model)


def each(found: models.QuerySet[Found]) -> Iterator[Found]:
    """Yield the rows one by one, in order: each may be as large as a line of the archive."""
    for pk in list(found.order_by("pk").values_list("pk", flat=True)):
        yield found.get(pk=pk)


def check_designs(club: Club) -> None:
    """Check that its game can read every course in the club's library.

    Raises: Damaged when it cannot.
    """
    for design in each(StageDesign.objects.filter(club=club)):
        try:
            read_course(design.game, design.spec)
        except Exception as error:  # reading invalid data may raise anything
            raise Damaged(f"stages.stagedesign, {design.key}, spec") from error


def drop_unreadable_ratings(club: Club) -> None:
    """Delete ratings that their game cannot show: the library then offers to rate these courses again."""
    for rating in each(Rating.objects.filter(design__club=club).select_related("design")):
        result = rating.result or {}
        try:
            stage_pages.get(rating.design.game).rating(result)
            readable = type(result.get("runs")) is int
        except Exception:  # reading invalid data may raise anything
            readable = False
        if not readable:
            rating.delete()


def check_stages(club: Club) -> None:
    """Check that its game can read every stage.

    Raises: Damaged when it cannot.
    """
    for stage in each(SpecialStage.objects.filter(rally__club=club).select_related("rally")):
        if stage.design_id is None and stage.rally.on_paper and not stage.spec:
            continue  # on paper a course may be known by its name alone
        try:
            read_stage(stage)
        except Exception as error:  # reading invalid data may raise anything
            raise Damaged(f"rallies.specialstage, {stage.rally.key}, {stage.number}, spec") from error


def check_runs(club: Club) -> None:
    """Check that the events of every run give its stored state, that its seats are those of the state, and that a
    record of it can be written.

    Raises: Damaged when they do not.
    """
    sealed = Exists(Seal.objects.filter(special_stage=OuterRef("special_stage")))
    runs: models.QuerySet[Any] = Run.objects.filter(special_stage__rally__club=club).annotate(sealed=sealed)
    for run in each(runs):
        if run.record_format not in FORMATS or (run.record_format > 1 and not run.sealed):
            raise Damaged(f"runs.run, {run.key}, record_format")
        try:
            agrees = rebuild(run=run) == run.state
            seats = sorted(str(entrant["id"]) for entrant in run.entrants)
        except Exception as error:  # folding invalid events may raise anything
            raise Damaged(f"runs.run, {run.key}") from error
        if not agrees:
            raise Damaged(f"runs.run, {run.key}")
        if sorted(run.seats.values_list("name", flat=True)) != seats:
            raise Damaged(f"runs.seat, {run.key}, name")
