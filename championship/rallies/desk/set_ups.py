"""Whether the stages of a rally can be set up with its options: asked before anybody has entered, not at the start."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from championship.platform.refusals import Refused
from championship.rallies.control import career
from championship.rallies.models import Rally, SpecialStage
from engine import registry
from engine.contract import Alone, GameError, Json, Teaming, offered


def require_set_ups(rally: Rally, stages: Iterable[SpecialStage], *, field: str = "") -> None:
    """Set up each course once with the fewest cars that drive it. Stages that are driven at the table are left out.

    A course and an option may each be right, and not go together: in Dirt & Dust a training stage has no ghost (O4).

    Raises: Refused with `field`, for the first stage that the game does not set up.
    """
    rules, tried = registry.get(rally.game), list[tuple[str, Json]]()
    alone, teaming, car = offered(rules, Alone), offered(rules, Teaming), career.new_car(rally)
    luggage = {} if car is None else {"luggage": car}
    for stage in stages:
        if stage.at_table or (stage.driven_as, stage.spec) in tried:
            continue
        tried.append((stage.driven_as, stage.spec))
        options, seats = rally.all_options, rules.seats.least
        if alone is not None and stage.driven_as != Rally.Mode.CONVOY:
            options, seats = dict(alone.alone(options)), 1
        entrants: list[dict[str, Json]] = [{"id": str(number), **luggage} for number in range(1, seats + 1)]
        try:
            if teaming is not None:
                entrants = teaming.teamed(entrants, options)
            rules.setup(career.in_rally(rally, stage.spec, last=True), entrants, options)
        except GameError as error:
            rule = getattr(error, "rule", "")
            why = error.words(_).removeprefix(f"{rule}: ")
            message = _("Stage %(n)d cannot be driven with these options: %(why)s") % {"n": stage.number, "why": why}
            raise Refused(message, field=field, rule=rule, game=rally.game) from error
