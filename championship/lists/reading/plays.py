"""Plays of board games, as score keepers write them to JSON: who played, and who won."""

from __future__ import annotations

from collections import Counter
from typing import Any

from championship.lists.reading.bounds import MOST_LINES, too_large

Record = dict[str, str]


def plain(value: Any) -> str:
    """Return a value of JSON as the text of a cell."""
    if value is None or isinstance(value, bool):
        return {None: "", True: "1", False: "0"}[value]
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)


def plays_of(data: Any) -> list[Record]:
    """Return a record for each player of each play that a score keeper has written; [] when it is no such file.

    It has lists of players, games and plays, which refer to each other by numbers. A play without ranks has the places
    that its scores or its winner give, once any play of the file has ranks or a winner.
    """
    if not isinstance(data, dict) or not isinstance(data.get("plays"), list):
        return []
    names = {kind: _names(data.get(kind)) for kind in ("players", "games")}
    low = {plain(each.get("id")) for each in _dicts(data.get("games")) if each.get("highestWins") is False}
    found: list[list[Record]] = []
    called: Counter[tuple[str, str]] = Counter()
    for play in _dicts(data["plays"]):
        game, day = plain(play.get("gameRefId")), plain(play.get("playDate"))[:10]
        scores = _dicts(play.get("playerScores"))[:200]
        if not scores or play.get("ignored") is True:
            continue
        board = plain(play.get("board")).strip() if isinstance(play.get("board"), str) else ""
        rally = " – ".join(each for each in (names["games"].get(game, ""), board) if each)
        called[rally, day] += 1
        if called[rally, day] > 1:
            rally = f"{rally} ({called[rally, day]})"
        found.append([_player(each, rally, day, names["players"]) for each in scores])
        _give_places(found[-1], scores, lowest=game in low)
        if sum(map(len, found)) > MOST_LINES:
            raise too_large()
    every = [each for play in found for each in play]
    # The score of a game is no point of a championship where there are places.
    return [
        {("game points" if placed and name == "score" else name): cell for name, cell in each.items()}
        for placed in [any(each["place"] for each in every)]
        for each in every
    ]


def _player(score: dict[str, Any], rally: str, day: str, players: dict[str, str]) -> Record:
    rank, said = score.get("rank"), plain(score.get("score"))
    out = said if any(map(str.isalpha, said)) else ""
    name = players.get(plain(score.get("playerRefId")), "")
    return {"rally": rally, "date": day, "name": name, "place": plain(rank or None) or out, "score": said}


def _give_places(records: list[Record], scores: list[dict[str, Any]], *, lowest: bool) -> None:
    """Give places by the scores to a play whose program has not ranked it, but has named a winner."""
    if any(score.get("rank") for score in scores) or not any(score.get("winner") is True for score in scores):
        return
    worth = [_sum(plain(score.get("score"))) for score in scores]
    for at, (record, score) in enumerate(zip(records, scores, strict=True)):
        mine = worth[at]
        if score.get("winner") is True:
            record["place"] = "1"
        elif mine is not None:
            better = sum(
                scores[other].get("winner") is True
                or (value is not None and (value < mine if lowest else value > mine))
                for other, value in enumerate(worth)
                if other != at
            )
            record["place"] = str(1 + better)


def _sum(score: str) -> float | None:
    """Return the number that a score says, also as a sum: "12+9+4"."""
    parts = score.replace(",", ".").replace("-", "+-").lstrip("+").split("+")
    try:
        return sum(float(part) for part in parts) if score and len(score) < 60 else None
    except ValueError:
        return None


def _dicts(listed: Any) -> list[dict[str, Any]]:
    return [each for each in listed[:MOST_LINES] if isinstance(each, dict)] if isinstance(listed, list) else []


def _names(listed: Any) -> dict[str, str]:
    return {plain(each.get("id")): plain(each.get("name")) for each in _dicts(listed)}
