"""Creates rows in bulk: copies rows that were really played within the database, with new keys, names and addresses."""

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
"""Fields that number the rows of a parent that is not copied."""
LONGEST_NAME = 16
"""The longest key or name, in characters, of a copied row that must be unique."""

COPY = """
    INSERT INTO {table} ({columns}) SELECT {values} FROM {table}, generate_series(1, {count}) AS copy WHERE {wanted}
"""
NEXT = """SELECT setval(pg_get_serial_sequence('"{table}"', '{key}'), max("{key}")) FROM "{table}" """


def copy(
    labels: Sequence[str], *, count: int, apart: int, of_rally: int | None = None, keeping: Collection[str] = ()
) -> None:
    """Copy all rows of these models `count` times, or only the rows of one rally.

    apart: the difference between the keys of a row and of its first copy, and between two copies. A reference to a row
    that is copied too becomes a reference to its copy. keeping: models whose rows the copies of a rally continue to
    reference.

    Constraints that PostgreSQL checks with triggers are disabled: the copies satisfy them.
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
    """Return the value of a column of a copy, as SQL."""
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
    """Return the SQL condition for the rows of a table that belong to a rally."""
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
    """Set the sequences to values after those of the copies, and let PostgreSQL analyse the tables."""
    with connection.cursor() as cursor:
        for label in OF_A_CLUB:
            table, key = apps.get_model(label)._meta.db_table, apps.get_model(label)._meta.pk
            if isinstance(key, models.AutoField):
                cursor.execute(NEXT.format(table=table, key=key.column))
        cursor.execute("VACUUM ANALYZE")
