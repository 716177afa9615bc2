"""The interface between a game and the pages of ledgers: decisions and draws in words, and the best way in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from championship.catalogue import Part
from championship.runs.models import Run
from championship.runs.watch.luck.ledgers import Booked


class BookingWords(Protocol):
    """What a game provides. Without it pages tell the event of a booking, and the best way as the engine writes it."""

    def told(self, run: Run, booked: Booked, event: Mapping[str, Any], drivers: Mapping[str, str]) -> str:
        """Return what was decided or drawn. `event`: the first event of the booking; `drivers`: names by seat. No
        queries.
        """

    def better(self, run: Run, booked: Booked) -> str:
        """Return the best way of a decision that gave something up; "" where it is not known. No queries."""


BOOKING_WORDS: Part[BookingWords] = Part("decisions and draws of a ledger in words")
