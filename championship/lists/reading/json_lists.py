"""Results that programs write as JSON, such as simulations and score keepers: a list of records becomes a sheet.

Each list of records is one sheet, its keys are the headings. What lies one level deeper gets both names:
{"driver": {"name": "Ana"}} is the column "driver name".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from championship.lists.reading.bounds import MOST_COLUMNS, MOST_LINES, MOST_SHEETS, Unreadable, too_large
from championship.lists.reading.plays import plain, plays_of
from championship.lists.reading.season_documents import is_season, lines_of
from championship.lists.reading.sources import Source, sheet_of
from championship.lists.reading.words import ROLE_OF, folded

DEEPEST = 4
MOST_COMMAS = 600_000
BEFORE = frozenset({"practice", "qualify", "qualifying", "open practice", "lone qualifying", "warmup", "warm up"})
"""Sessions before the race."""
TRACKS = ("track name", "trackname", "event name", "rally name", "track", "name")
DAYS = ("start time", "date", "start date", "started at")
ROUND_NAMES = (
    "race name",
    "rally name",
    "round name",
    "event name",
    "name",
    "round",
    "rally",
    "race",
    "event",
    "track",
    "title",
)
OF_ROUNDS = frozenset({"results", "rounds", "races", "points", "scores", "rallies", "events", "by round"})
"""Keys of objects that have the names of rounds as keys."""
PERSONS = frozenset({"name", "first", "last"})
OF_A_PERSON = PERSONS | {"number", "team", "class", "codriver"}
NAMES = ("name", "Name", "track", "TrackName", "title", "simsession_name")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
PLACES = ("finish position", "position", "place", "rank")


def looks_like_json(text: str) -> bool:
    """Whether a text is JSON and no forum's table."""
    start = text.lstrip("\ufeff \n\r\t")[:200].replace("\n", "").replace(" ", "")
    return start.startswith(('{"', "[{", "[["))


def json_list(text: str) -> Source:
    """Return the lists of records in a JSON text as sheets, the one with most known headings first.

    Raises: Unreadable when it is no JSON, or has no list of records.
    """
    if text.count(",") > MOST_COMMAS:
        raise too_large()
    return records_list(_loaded(text))


def records_list(data: Any) -> Source:
    """Return the lists of records in plain values as sheets, as `json_list` does.

    Raises: Unreadable when there is none.
    """
    if is_season(data):
        lines, told = lines_of(data)
        return Source((sheet_of("season", enumerate(lines, 1)),), told)
    plays = plays_of(data)
    if plays:
        return Source((sheet_of("plays", _rows(plays)),))
    rounds = _rounds_of(data)
    if rounds:
        return Source((sheet_of("rounds", _rows(rounds)),))
    found = sorted(_record_lists(data, "", 0), key=lambda each: (-_worth(each[1]), folded(each[0]) in BEFORE))
    title = _title(data)
    sheets = tuple(sheet_of(name, _rows(_counted_from_one(records), title)) for name, records in found[:MOST_SHEETS])
    if not sheets:
        raise Unreadable(_("There is no list of records in this JSON."))
    return Source(sheets)


def _loaded(text: str) -> Any:
    """Return the values of a JSON text, or of JSON lines: a record on each line."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = [line.strip().rstrip(",") for line in text.lstrip("\ufeff").split("\n") if line.strip()]
        if len(lines) < 2 or not all(line.startswith("{") for line in lines):
            raise Unreadable(_("This begins like JSON, but it cannot be read as such.")) from error
    try:
        return [json.loads(line) for line in lines]
    except (ValueError, RecursionError) as error:
        raise Unreadable(_("This begins like JSON, but it cannot be read as such.")) from error


def _record_lists(data: Any, name: str, depth: int) -> Iterator[tuple[str, list[dict[str, str]]]]:
    if depth > DEEPEST:
        return
    if isinstance(data, list):
        if len(data) > MOST_LINES:
            raise too_large()
        records = [_record(each) for each in data if isinstance(each, dict)]
        if records:
            yield name, records
        elif data and all(isinstance(each, list) for each in data):
            yield name, [{str(at): plain(cell) for at, cell in enumerate(each)} for each in data]
        for each in data[:50]:
            if isinstance(each, dict):
                for key, value in list(each.items())[:MOST_COLUMNS]:
                    if isinstance(value, list):
                        label = next(
                            (plain(each[word]) for word in NAMES if isinstance(each.get(word), str)),
                            str(key),
                        )
                        yield from _record_lists(value, label, depth + 1)
    elif isinstance(data, dict):
        for key, value in list(data.items())[: MOST_COLUMNS * 2]:
            if isinstance(value, list | dict):
                yield from _record_lists(value, str(key), depth + 1)


def _rounds_of(data: Any) -> list[dict[str, str]]:
    """Return the results of all rounds as one list, with the name and the day of the round in each; [] where the
    document has no list of named rounds that hold results of persons.
    """
    level = [data]
    for _depth in range(DEEPEST + 1):
        for each in level:
            if isinstance(each, list) and (found := _results_of_rounds(each)):
                return found
        level = [value for each in level if isinstance(each, dict) for value in list(each.values())[:MOST_COLUMNS]]
    return []


def _results_of_rounds(outer: list[Any]) -> list[dict[str, str]]:
    """Return the results in a list of rounds that hold drivers, or of drivers that hold rounds."""
    found: list[dict[str, str]] = []
    for each in outer[:MOST_LINES]:
        if not isinstance(each, dict):
            return []
        own = _record(each)
        inside = [_records(value) for value in each.values() if isinstance(value, list)]
        results = [records for records in inside if _of_persons(records)]
        said = _said_of_round(own)
        if not results and _roles([own]) & PERSONS:
            results = [records for records in inside if _of_persons([{**own, **one} for one in records], rounds=True)]
            said = {key: value for key, value in own.items() if ROLE_OF.get(folded(_words(key))) in OF_A_PERSON}
        if len(results) != 1 or not said or folded(said.get("rally", "")) in BEFORE:
            return []  # sessions of one event are no rounds
        found += [{**said, **record} for record in results[0]]
        if len(found) > MOST_LINES:
            raise too_large()
    names = [record["rally"] for record in found if "rally" in record]
    return found if not names or len(set(names)) == len(outer) else []


def _said_of_round(own: dict[str, str]) -> dict[str, str]:
    """Return the name and the day of a round, {} for a record that is none."""
    said = {folded(_words(key)): value for key, value in own.items()}
    name = next((said[key] for key in ROUND_NAMES if any(map(str.isalpha, said.get(key, "")))), "")
    day = next((said[key][:10] for key in DAYS if DAY.match(said.get(key, ""))), "")
    return {"rally": name, **({"date": day} if day else {})} if name else {}


def _records(value: list[Any]) -> list[dict[str, str]]:
    return [_record(one) for one in value[:MOST_LINES] if isinstance(one, dict)]


def _roles(records: list[dict[str, str]]) -> set[str]:
    return {ROLE_OF.get(folded(_words(key)), "") for record in records[:20] for key in record}


def _of_persons(records: list[dict[str, str]], *, rounds: bool = False) -> bool:
    """Whether records name a person and say a result, and the round where `rounds`."""
    roles = _roles(records)
    return bool(roles & PERSONS) and bool(roles & {"place", "points", "time"}) and ("rally" in roles or not rounds)


def _title(data: Any) -> str:
    """Return the name of the track or the event, and its day, as a file of results says them outside its records."""
    said: dict[str, str] = {}
    level = [data] if isinstance(data, dict) else []
    for _depth in range(3):
        below = []
        for each in level:
            for key, value in list(each.items())[:MOST_COLUMNS]:
                if isinstance(value, str) and value.strip():
                    said.setdefault(folded(_words(str(key))), value.strip()[:80])
                elif isinstance(value, dict):
                    below.append(value)
        level = below
    track = next((said[key] for key in TRACKS if key in said and any(map(str.isalpha, said[key]))), "")
    day = next((said[key][:10] for key in DAYS if key in said and DAY.match(said[key])), "")
    return f"{track} ({day})" if track and day else track


def _counted_from_one(records: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the records; places that a program counts from 0 are counted from 1."""
    for key in {key for record in records[:20] for key in record if folded(_words(key)) in PLACES}:
        cells = [record.get(key, "") for record in records]
        if len(cells) > 1 and sorted(cells) == sorted(map(str, range(len(cells)))):
            records = [{**record, key: str(int(record[key]) + 1)} for record in records]
    return records


def _record(each: dict[str, Any]) -> dict[str, str]:
    """Return a record with plain values. Those one level deeper get the names of both levels."""
    said: dict[str, str] = {}
    for key, value in list(each.items())[:MOST_COLUMNS]:
        if isinstance(value, dict):
            for inner, deep in list(value.items())[:20]:
                if not isinstance(deep, dict | list):
                    joined = _joined(str(key), str(inner))
                    said[f"{key} {inner}" if joined in said else joined] = plain(deep)
        elif not isinstance(value, list):
            said[str(key)] = plain(value)
    if "positionText" in said and "position" in said:
        del said["position"]  # it counts cars on that have retired
    return said


def _joined(key: str, inner: str) -> str:
    """Return the name of a value one level deeper: the key where the value is its name, the inner name where that alone
    is a known heading, else both.
    """
    if folded(key) in OF_ROUNDS and folded(_words(inner)) not in ROLE_OF:
        return inner
    if folded(key) in ROLE_OF and folded(inner) in ("name", "fullname", "full name", "value", "text"):
        return key
    return inner if ROLE_OF.get(folded(_words(inner)), "name") != "name" else f"{key} {inner}"


def _worth(records: list[dict[str, str]]) -> int:
    """Return how many headings are known, so that a list of drivers comes before one of settings."""
    keys = {folded(_words(key)) for record in records[:20] for key in record}
    roles = {ROLE_OF[key] for key in keys if key in ROLE_OF and ROLE_OF[key] != "ignore"}
    return len(roles) * 10 + ("name" in roles) * 50 + min(len(records), 9)


def _words(key: str) -> str:
    """Return a key such as bestTime or best_time as words."""
    spaced = "".join(
        f" {letter}" if letter.isupper() and at and key[at - 1].islower() else letter for at, letter in enumerate(key)
    )
    return spaced.replace("_", " ")


def _rows(records: list[dict[str, str]], title: str = "") -> Iterator[tuple[int, list[str]]]:
    if title:
        yield 1, [title]
    keys = list(dict.fromkeys(key for record in records for key in record))[:MOST_COLUMNS]
    yield 1, [_words(key) for key in keys]
    for line, record in enumerate(records, 2):  # a title has no line of its own
        yield line, [record.get(key, "") for key in keys]
