"""When the clock of a season acts in a round: pure functions over times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

OPEN, ASK, CLOSE, DRAW, START = "open", "ask", "close", "draw", "start"
ACTS = (OPEN, ASK, CLOSE, DRAW, START)
"""The acts of a round, in the order in which they happen."""


@dataclass(frozen=True, slots=True)
class Timetable:
    """The times of a season's rounds. `starts_at`: the time of day in `zone`, the name of a time zone. Entries open
    `opens_days` days before the start. Drivers are asked `asks_hours` hours before it, 0 for never. Entries close
    `closes_hours` hours before it.
    """

    zone: str
    starts_at: time
    opens_days: int
    asks_hours: int
    closes_hours: int

    def start_on(self, day: date) -> datetime:
        """Return the start of a round on that day, in UTC."""
        return datetime.combine(day, self.starts_at, tzinfo=ZoneInfo(self.zone)).astimezone(UTC)

    def start_after(self, over: datetime) -> datetime:
        """Return the start of a round without a day: `opens_days` days after the round before was over, at the hour of
        the season.
        """
        day = over.astimezone(ZoneInfo(self.zone)).date() + timedelta(days=max(1, self.opens_days))
        return self.start_on(day)

    def times(self, start: datetime) -> Mapping[str, datetime]:
        """Return the time of each act of a round with that start. A round whose drivers are not asked has no ASK."""
        closes = start - timedelta(hours=self.closes_hours)
        times = {OPEN: start - timedelta(days=self.opens_days), CLOSE: closes, DRAW: closes, START: start}
        if self.asks_hours:
            times[ASK] = start - timedelta(hours=self.asks_hours)
        return {act: min(times[act], closes) if act in (OPEN, ASK) else times[act] for act in ACTS if act in times}
