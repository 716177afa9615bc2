"""Converts rows of archives that an earlier version wrote to the current columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]
FIRST = 1
PLACES = 2
"""The last version in which a seat at a table was called a place."""
DRIVERS = 3
"""The last version in which the name of a seat was called its driver."""
RETIRED = "retired"
"""The key in the car under which the first version kept the reason of a retirement."""


def upgrade_row(version: int, table: str, row: Row) -> Row:
    """Return a row from an archive of that version with the columns that its table has now."""
    row = {name: value for name, value in row.items() if name not in GONE.get(table, ())}
    if version <= PLACES:
        row = _renamed(row, SEATS.get(table, {}))
    if version <= DRIVERS:
        row = _renamed(row, NAMES.get(table, {}))
    if version > FIRST:
        return row
    row = _renamed(row, RENAMED.get(table, {}))
    return CHANGED[table](row) if table in CHANGED else row


def table_name_in(version: int, table: str) -> str:
    """Return the name of the table in an archive of that version."""
    return OTHER_TABLES.get(table, table) if version <= PLACES else table


def _renamed(row: Row, names: Mapping[str, str]) -> Row:
    return {names.get(name, name): value for name, value in row.items()}


def _stage_time(row: Row) -> Row:
    """Move the reason of the retirement out of the car, and `cards_seconds` into the column `detail`."""
    row, car = dict(row), row.get("car")
    if "cards_seconds" in row:
        row["detail"] = {"cards_seconds": row.pop("cards_seconds")}
    if isinstance(car, dict) and RETIRED in car:
        reason = car[RETIRED]
        row["car"] = {name: value for name, value in car.items() if name != RETIRED}
        row["reason"] = reason[:40] if row.get("retired") is True and isinstance(reason, str) else ""
    return row


def _championship(row: Row) -> Row:
    """Rename the penalty for a missed deadline in the settings of a championship's rallies."""
    settings = row.get("rally_settings")
    if not isinstance(settings, dict) or not isinstance(settings.get("timekeeping"), dict):
        return row
    timekeeping = settings["timekeeping"]
    return {**row, "rally_settings": {**settings, "timekeeping": _renamed(timekeeping, MISSED)}}


MISSED = {"miss_seconds": "miss_penalty"}
RENAMED: Mapping[str, Mapping[str, str]] = {
    "rallies.rally": MISSED,
    "rallies.stagetime": {"seconds": "measure"},
    "rallies.timecontrolcard": {"seconds": "amount"},
    "rallies.penalty": {"seconds": "amount"},
    "runs.sentahead": {"plan": "laid"},
    "rallies.timebyhand": {"seconds": "measure"},
    "stewards.decision": {"seconds": "amount"},
}
"""New names of columns of the first version, by table and old name."""
SEATS = {table: {"place_id": "seat_id"} for table in ("runs.turn", "runs.sentahead")}
"""New names of columns that versions up to PLACES had."""
NAMES = {"runs.seat": {"driver": "name"}}
"""New names of columns that versions up to DRIVERS had."""
OTHER_TABLES = {"runs.seat": "runs.place"}
"""The names of tables in versions up to PLACES."""
GONE: Mapping[str, frozenset[str]] = {"rallies.startplace": frozenset({"reminded_of"})}
"""Columns that no longer exist, by table."""
CHANGED: Mapping[str, Callable[[Row], Row]] = {
    "rallies.stagetime": _stage_time,
    "seasons.championship": _championship,
}
