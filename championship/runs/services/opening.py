"""A special stage goes on the road: its start list becomes runs, with a committed secret each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from championship import clock
from championship.rallies.models import Rally, SpecialStage, StartPlace
from championship.runs.models import Place, Run
from championship.runs.services.sealing import Luck, luck_of
from championship.runs.services.waiting import call_codriver, wait_for_next
from engine import chance, ruleset

if TYPE_CHECKING:
    from collections.abc import Sequence


@transaction.atomic
def open_runs(*, special_stage: SpecialStage) -> list[Run]:
    """The runs of a stage whose start list stands: in a convoy as many cars as the game takes each, else one
    car each.
    """
    rally = special_stage.rally
    rules = ruleset.get(rally.game)
    places = list(special_stage.start_places.select_related("entry__driver").order_by("position"))
    size = rules.most_on_a_stage if rally.mode == Rally.Mode.CONVOY else 1
    last = not rally.stages.filter(number__gt=special_stage.number).exists()
    groups = [places[first : first + size] for first in range(0, len(places), size)]
    stage = {**special_stage.spec, "last": last}
    luck = luck_of(special_stage)
    return [_open(special_stage, number, group, stage, luck) for number, group in enumerate(groups, 1)]


def _open(
    special_stage: SpecialStage, number: int, group: Sequence[StartPlace], stage: dict[str, object], luck: Luck
) -> Run:
    rally = special_stage.rally
    rules = ruleset.get(rally.game)
    options = rally.options if rally.mode == Rally.Mode.CONVOY else rules.alone(rally.options)
    now = clock.now()
    secret = luck.secret_of_run(number)
    entrants = [{"id": str(place.entry.start_number), "car": place.entry.car} for place in group]
    run = Run.objects.create(
        special_stage=special_stage,
        number=number,
        game=rally.game,
        ruleset_version=rules.version,
        stage=stage,
        entrants=entrants,
        options=options,
        state=rules.setup(stage, entrants, options),
        secret=secret,
        common=luck.common if rules.shares_dice(rally.options) else None,
        phrases=[luck.phrases[place.entry_id] for place in group if place.entry_id in luck.phrases],
        commitment=chance.commitment(secret),
        opened_at=now,
    )
    Place.objects.bulk_create(
        Place(
            run=run,
            special_stage=special_stage,
            entry=place.entry,
            driver=str(place.entry.start_number),
            position=position,
        )
        for position, place in enumerate(group, 1)
    )
    wait_for_next(run, now=now)
    call_codriver(run, now=now)
    return run
