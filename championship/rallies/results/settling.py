"""Results that a game settles when all results of a stage are in, such as the time of a retired car (E7)."""

from __future__ import annotations

from collections.abc import Sequence

from championship.rallies.models import Rally, StageTime
from engine import registry
from engine.contract import SeatResult, Settling, offered


def settled(rally: Rally, times: Sequence[StageTime]) -> tuple[SeatResult, ...]:
    """The settled results of a stage whose runs are all over, in the same order. Calls the game once."""
    results = tuple(_result(time) for time in times)
    settling = offered(registry.get(rally.game), Settling)
    return results if settling is None else settling.settle(results)


def _result(time: StageTime) -> SeatResult:
    """A recorded result as the engine's type."""
    return SeatResult(
        seat=str(time.entry_id),
        measure=time.measure,
        rank=tuple(time.rank),
        status="retired" if time.retired else "finished",
        reason=time.reason,
        luggage=time.car,
        detail=time.detail,
    )
