"""Rolls of a phone in place of the pieces of the printed game. Nobody can choose what comes, and anyone can check it
when the stage is over (docs/at-the-table.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from championship.catalogue.pads import pad_of
from championship.platform.refusals import Refused
from championship.rallies.locks import locked_rally_in_open_club
from championship.rallies.models import SpecialStage
from championship.runs.play.sealing import checked_salt
from championship.runs.play.table_draws import draw_at_table
from championship.tabletop.links import Pass, require_working
from championship.tabletop.models import Roll
from championship.tabletop.services.limits import limit
from championship.tabletop.services.scoring import car_of
from championship.tabletop.written import KEY

MOST_A_MINUTE = 60
MOST_ON_A_STAGE = 2_000


@transaction.atomic
def roll(*, by: Pass, entry_id: int, thrown: Sequence[str], asked: str, salt: str = "") -> Roll:
    """Roll for a car on the stage that is on the road. `thrown`: the names of what is thrown, in order. `asked`: a key
    made by the phone; the same roll asked twice is rolled once.

    Raises: Refused when the game has no such thing to throw, when no stage is on the road, or for another car.
    Raises: TooOften.
    """
    limit(f"roll-{by.counted_as}", MOST_A_MINUTE)
    rally = locked_rally_in_open_club(by.evening.rally_id)
    require_working(by)
    stage = rally.stages.filter(status=SpecialStage.Status.RUNNING).first()
    if stage is None:
        raise Refused(_("This stage is not on the road."))
    stage.rally = rally
    entry = car_of(by, stage, entry_id)
    pad = pad_of(rally.game, rally.all_options)
    throws = [pad.throw(name) for name in thrown[: pad.most_throws + 1]]
    if not throws or None in throws or len(throws) > pad.most_throws or not KEY.fullmatch(asked):
        says = _("Choose what to throw: at least one, at most %(most)d.") % {"most": pad.most_throws}
        raise Refused(says, field="throw")
    known = stage.rolls.filter(entry=entry, asked=asked).first()
    if known is not None:
        return known
    number = stage.rolls.filter(entry=entry).count() + 1
    if number > MOST_ON_A_STAGE or stage.times.filter(entry=entry).exists():
        raise Refused(_("This car has finished the stage."))
    made = Roll(
        special_stage=stage,
        entry=entry,
        number=number,
        asked=asked,
        thrown=list(thrown),
        salt=checked_salt(salt),
    )
    wanted = [(made.words_of(place), len(each.faces)) for place, each in enumerate(throws) if each is not None]
    made.shown = draw_at_table(stage, entry.start_number or 0, wanted, salt=made.salt)
    made.save(force_insert=True)
    return made
