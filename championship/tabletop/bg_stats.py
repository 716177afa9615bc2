"""The link that hands the result of a rally over to the app BG Stats: the play as JSON in an address. The app asks the
reader before it stores anything. Nothing is sent by this service.
"""

from __future__ import annotations

import json
from datetime import UTC
from urllib.parse import quote

from django.utils.translation import override

from championship import catalogue
from championship.catalogue.pads import pad_of
from championship.rallies.results.selectors import Results

ADDRESS = "https://app.bgstatsapp.com/createPlay.html?data="
SOURCE = "Parc Fermé"
DAY = "%Y-%m-%d %H:%M:%S"
"""The app reads moments in UTC in this form only."""
LONGEST = 7_000
"""Longer addresses are cut by phones."""


def bg_stats_link(results: Results) -> str:
    """The address for the final classification of a rally; "" before its end, and for too many cars."""
    rally = results.rally
    if not results.finished or rally.finished_at is None or rally.game not in catalogue.names():
        return ""
    with override("en"):
        title = str(catalogue.get(rally.game))
    pad = pad_of(rally.game, rally.all_options)
    game = {
        "name": title,
        "sourceGameId": rally.game,
        "highestWins": rally.measure.better == "most",
        "noPoints": False,
        **({"bggId": pad.bgg_id} if pad.bgg_id else {}),
    }
    players = [
        {
            "name": line.entry.crew,
            "sourcePlayerId": str(line.entry.driver_id),
            "startPlayer": False,
            "winner": line.place == 1,
            **({} if line.place is None else {"rank": line.place}),
            **({} if line.total is None else {"score": line.total}),
        }
        for line in results.overall
    ]
    play = {
        "sourceName": SOURCE,
        "sourcePlayId": rally.key,
        "playDate": rally.finished_at.astimezone(UTC).strftime(DAY),
        "comments": rally.name,
        "game": game,
        "players": players,
    }
    link = ADDRESS + quote(json.dumps(play, ensure_ascii=False, separators=(",", ":")), safe="")
    return link if len(link) <= LONGEST else ""
