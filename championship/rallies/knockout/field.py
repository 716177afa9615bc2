"""Who goes on from a stage of a rally with heats, read from the results: three reads of results, and one of heats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from championship.rallies.knockout.plan import Driven, Through, goes_on
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results import measures
from championship.rallies.results.selectors import Results, results_of
from engine import registry


@dataclass(frozen=True, slots=True)
class Field:
    """The field of a semi-final or a final.

    `through`: the cars that go on by the results, in starting order. `order`: the ids of all cars that might drive, the
    best first. `tied`: those among which a lot may decide. `late`: those among `order` who join here late, without a
    heat. `entries` are the rally's, by id.
    """

    through: tuple[Through, ...]
    order: tuple[int, ...]
    tied: tuple[int, ...]
    entries: Mapping[int, Entry]
    heats: Mapping[int, int]
    totals: Mapping[int, int | None]
    late: tuple[int, ...] = ()


def field_of(rally: Rally, stage: SpecialStage, *, lots: Sequence[int] = (), results: Results | None = None) -> Field:
    """Return the field of a stage by the results of the one before it. Excluded cars do not go on. Behind them drive
    late-comers who join here, as far as the cut has seats. `lots`: entries in the order that decides between equal
    results.
    """
    plan = rally.heats
    assert plan is not None
    results = results or results_of(rally)
    number = stage.number - 1
    here = results.by_stage.get(number, {})
    cars, totals = [], {}
    for entry, driven in here.items():
        if entry in results.excluded or results.entries[entry].starts_from == stage.number:
            continue  # what a late-comer is given for this is no result of a heat
        total = results.total_on(number, entry)
        totals[entry] = total
        key = None if total is None else measures.key_of(total, driven.rank, results.measure)
        cars.append(Driven(entry, results.heats.get((number, entry), 0), key, driven.retired))
    least = registry.get(rally.game).seats.least
    rank = {entry: at for at, entry in enumerate(lots)}
    ordered = sorted(
        cars, key=lambda car: (car.key is None, car.retired, car.key or (), rank.get(car.entry, len(rank)), car.entry)
    )
    equal = Counter(car.key for car in cars if car.key is not None)
    cut = plan.cut_before(stage.number)
    through = goes_on(cars, cut, lots, least=least)
    late = [entry for entry in _late(rally, stage) if entry not in results.excluded]
    joining = [Through(entry, 0, 0, direct=False) for entry in late[: max(0, cut.cars - len(through))]]
    return Field(
        through=(*through, *joining),
        order=(*(car.entry for car in ordered), *late),
        tied=tuple(car.entry for car in ordered if car.key is not None and equal[car.key] > 1),
        entries=results.entries,
        heats={car.entry: car.heat for car in cars} | dict.fromkeys(late, 0),
        totals=totals | dict.fromkeys(late),
        late=tuple(late),
    )


def _late(rally: Rally, stage: SpecialStage) -> list[int]:
    """The late-comers who start from this stage on. One query."""
    found = rally.entries.filter(status=Entry.Status.CONFIRMED, starts_from=stage.number)
    return list(found.order_by("start_number").values_list("pk", flat=True))
