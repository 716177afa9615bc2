"""Results that programs write as JSON, such as simulations and score keepers: a list of records becomes a sheet.

Each list of records is one sheet, its keys are the headings. What lies one level deeper gets both names:
{"driver": {"name": "Ana"}} is the column "driver name".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from championship.lists.reading.bounds import MOST_COLUMNS, MOST_LINES, MOST_SHEETS, Unreadable, too_large
from championship.lists.reading.sources import Source, sheet_of
from championship.lists.reading.words import ROLE_OF, folded

DEEPEST = 4
MOST_COMMAS = 600_000


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
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(_("This begins like JSON, but it cannot be read as such.")) from error
    plays = _plays(data)
    if plays:
        return Source((sheet_of("plays", _rows(plays)),))
    found = sorted(_record_lists(data, "", 0), key=lambda each: -_worth(each[1]))[:MOST_SHEETS]
    sheets = tuple(sheet_of(name, _rows(records)) for name, records in found)
    if not sheets:
        raise Unreadable(_("There is no list of records in this JSON."))
    return Source(sheets)


def _plays(data: Any) -> list[dict[str, str]]:
    """Return a record for each player of each play that a score keeper has written; [] when it is no such file.

    It has lists of players, games and plays, which refer to each other by numbers.
    """
    if not isinstance(data, dict) or not isinstance(data.get("plays"), list):
        return []
    names = {kind: _names(data.get(kind)) for kind in ("players", "games", "locations")}
    found = []
    for play in data["plays"][:MOST_LINES]:
        scores = play.get("playerScores") if isinstance(play, dict) else None
        for score in scores[:200] if isinstance(scores, list) else ():
            if isinstance(score, dict):
                found.append(
                    {
                        "rally": names["games"].get(_plain(play.get("gameRefId")), ""),
                        "date": _plain(play.get("playDate"))[:10],
                        "name": names["players"].get(_plain(score.get("playerRefId")), ""),
                        "place": _plain(score.get("rank") or None),
                        "score": _plain(score.get("score")),
                    }
                )
        if len(found) > MOST_LINES:
            raise too_large()
    if any(each["place"] for each in found):  # the score of a game is then no point of a championship
        found = [{("game points" if name == "score" else name): cell for name, cell in each.items()} for each in found]
    return found


def _names(listed: Any) -> dict[str, str]:
    records = listed[:MOST_LINES] if isinstance(listed, list) else []
    return {_plain(each.get("id")): _plain(each.get("name")) for each in records if isinstance(each, dict)}


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
            yield name, [{str(at): _plain(cell) for at, cell in enumerate(each)} for each in data]
        for each in data[:50]:
            if isinstance(each, dict):
                for key, value in list(each.items())[:MOST_COLUMNS]:
                    if isinstance(value, list):
                        label = next(
                            (
                                _plain(each[word])
                                for word in ("name", "Name", "track", "TrackName", "title")
                                if isinstance(each.get(word), str)
                            ),
                            str(key),
                        )
                        yield from _record_lists(value, label, depth + 1)
    elif isinstance(data, dict):
        for key, value in list(data.items())[: MOST_COLUMNS * 2]:
            if isinstance(value, list | dict):
                yield from _record_lists(value, str(key), depth + 1)


def _record(each: dict[str, Any]) -> dict[str, str]:
    """Return a record with plain values. Those one level deeper get the names of both levels."""
    plain: dict[str, str] = {}
    for key, value in list(each.items())[:MOST_COLUMNS]:
        if isinstance(value, dict):
            for inner, deep in list(value.items())[:20]:
                if not isinstance(deep, dict | list):
                    joined = _joined(str(key), str(inner))
                    plain[f"{key} {inner}" if joined in plain else joined] = _plain(deep)
        elif not isinstance(value, list):
            plain[str(key)] = _plain(value)
    return plain


def _joined(key: str, inner: str) -> str:
    """Return the name of a value one level deeper: the key where the value is its name, the inner name where that alone
    is a known heading, else both.
    """
    if folded(key) in ROLE_OF and folded(inner) in ("name", "fullname", "full name", "value", "text"):
        return key
    return inner if ROLE_OF.get(folded(_words(inner)), "name") != "name" else f"{key} {inner}"


def _plain(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "", True: "1", False: "0"}[value]
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)


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


def _rows(records: list[dict[str, str]]) -> Iterator[tuple[int, list[str]]]:
    keys = list(dict.fromkeys(key for record in records for key in record))[:MOST_COLUMNS]
    yield 1, [_words(key) for key in keys]
    for line, record in enumerate(records, 2):
        yield line, [record.get(key, "") for key in keys]
