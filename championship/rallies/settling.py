"""What a game settles when everybody's result of a stage is in, such as the time of a retired car (E7)."""

from __future__ import annotations

from collections.abc import Sequence

from championship.rallies.models import Rally, StageTime
from engine import registry
from engine.contract import SeatResult, Settling, offered


def settled(rally: Rally, times: Sequence[StageTime]) -> tuple[SeatResult, ...]:
    """Return the results of a stage, all runs of which are over, in the same order: the game is asked once."""
    results = tuple(_result(time) for time in times)
    settling = offered(registry.get(rally.game), Settling)
    return results if settling is None else settling.settle(results)


def _result(time: StageTime) -> SeatResult:
    """A result as its game told it."""
    return SeatResult(
        seat=str(time.entry_id),
        measure=time.measure,
        rank=tuple(time.rank),
        status="retired" if time.retired else "finished",
        reason=time.reason,
        luggage=time.car,
        detail=time.detail,
    )
