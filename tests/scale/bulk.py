"""Rows in bulk: what was really played is copied within the database, with keys, names and addresses of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.apps import apps
from django.db import connection, models

OF_A_RALLY = (
    *("rallies.Rally", "rallies.SpecialStage", "rallies.Entry", "rallies.StartPlace", "rallies.StageTime"),
    *("seasons.Round", "runs.Seal", "runs.Run", "runs.Seat", "runs.Turn", "runs.Post", "runs.Event"),
)
OF_A_CLUB = (
    *("accounts.User", "clubs.Club", "clubs.Membership", "seasons.Championship", "seasons.Registration"),
    *(*OF_A_RALLY, "runs.Draft", "notices.Notice", "audit.Record"),
)
NUMBERED = {"seasons.Round": "number"}
"""What is counted within something that is not copied with it."""
LONGEST_NAME = 16
"""Letters of a copy's key or name, where no two rows may have the same."""

COPY = """
    INSERT INTO {table} ({columns}) SELECT {values} FROM {table}, generate_series(1, {count}) AS copy WHERE {wanted}
"""
NEXT = """SELECT setval(pg_get_serial_sequence('"{table}"', '{key}'), max("{key}")) FROM "{table}" """


def copy(
    labels: Sequence[str], *, count: int, apart: int, of_rally: int | None = None, keeping: Collection[str] = ()
) -> None:
    """Copy all rows of these models so many times, or those of one rally. The keys of copies lie `apart`. What points
    to a row that is copied too points to its copy. `keeping`: models that rows of a rally's copy go on to point to.

    Constraints that PostgreSQL checks by triggers are not asked: what is copied keeps them.
    """
    copied = {apps.get_model(label) for label in labels}
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        for label in labels:
            model = apps.get_model(label)
            columns = {field.column: _copied(field, model, copied, label, apart) for field in _columns(model)}
            sql = COPY.format(
                table=f'"{model._meta.db_table}"',
                columns=", ".join(f'"{name}"' for name in columns),
                values=", ".join(columns.values()),
                count=count,
                wanted="true" if of_rally is None else _of_rally(label, of_rally),
            )
            cursor.execute(sql)
        cursor.execute("SET session_replication_role = DEFAULT")


def _columns(model: type[models.Model]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if not getattr(field, "generated", False)]


def _copied(field: Any, model: type[models.Model], copied: set[Any], label: str, apart: int) -> str:
    """What stands in a column of a copy, as SQL."""
    column = f'"{model._meta.db_table}"."{field.column}"'
    if isinstance(field, models.UUIDField) and field.primary_key:
        return "gen_random_uuid()"
    if field.primary_key or (field.is_relation and field.related_model in copied):
        return f"{column} + copy * {apart}::bigint"
    if NUMBERED.get(label) == field.name and apps.get_model("seasons.Championship") not in copied:
        return f"{column} + copy"
    if field.unique and isinstance(field, models.EmailField):
        return f"copy || '.{apart}.' || {column}"
    if field.unique and isinstance(field, models.CharField):
        return f"left(md5({column} || ' {apart} ' || copy), {min(field.max_length or LONGEST_NAME, LONGEST_NAME)})"
    return column


def _of_rally(label: str, rally: int) -> str:
    """Which rows of a table belong to a rally."""
    entries = f"(SELECT id FROM rallies_entry WHERE rally_id = {rally})"
    stages = f"(SELECT id FROM rallies_specialstage WHERE rally_id = {rally})"
    runs = f"(SELECT id FROM runs_run WHERE special_stage_id IN {stages})"
    names = {field.column for field in apps.get_model(label)._meta.concrete_fields}
    if label == "rallies.Rally":
        return f"id = {rally}"
    for column, rows in (
        ("rally_id", f"({rally})"),
        ("special_stage_id", stages),
        ("run_id", runs),
        ("entry_id", entries),
    ):
        if column in names:
            return f"{column} IN {rows}"
    raise LookupError(f"{label} belongs to no rally")


def settle_down() -> None:
    """Let sequences go on behind the copies, and PostgreSQL know what the tables hold."""
    with connection.cursor() as cursor:
        for label in OF_A_CLUB:
            table, key = apps.get_model(label)._meta.db_table, apps.get_model(label)._meta.pk
            if isinstance(key, models.AutoField):
                cursor.execute(NEXT.format(table=table, key=key.column))
        cursor.execute("VACUUM ANALYZE")
