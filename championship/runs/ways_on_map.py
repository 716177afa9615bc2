"""The interface between a game and the pages of ledgers: the way that was chosen and the best one, on the map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from django.utils.safestring import SafeString

from championship.catalogue import Part
from championship.runs.models import Run, Seat


class WaysOnMap(Protocol):
    """What a game provides."""

    def ways(
        self, run: Run, state: Mapping[str, Any], seat: Seat, facts: Mapping[str, Any]
    ) -> tuple[SafeString, SafeString] | None:
        """Return two pictures of the same part of the map: the chosen way and the best one. `state`: the state before
        the decision; `facts`: those of its booking. None where the decision is no way on the map. One query at most.
        """


WAYS_ON_MAP: Part[WaysOnMap] = Part("ways of a ledger on the map")
