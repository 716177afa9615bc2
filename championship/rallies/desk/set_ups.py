"""Whether the stages of a rally can be set up with its options: asked before anybody has entered, not at the start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.utils.translation import gettext as _

from championship.platform.refusals import Refused
from championship.rallies.control import career
from championship.rallies.models import Rally, SpecialStage
from engine import registry
from engine.contract import Alone, GameError, Json, Teaming, offered


def require_set_ups(rally: Rally, stages: Iterable[SpecialStage], *, field: str = "") -> None:
    """Set up each course once, with the fewest new cars that the game takes. Stages that are driven at the table are
    left out.

    A course and an option may each be right, and not go together.

    Raises: Refused with `field`, for the first stage that the game does not set up with any number of cars.
    """
    tried = list[tuple[str, Json]]()
    for stage in stages:
        if stage.at_table or (stage.driven_as, stage.spec) in tried:
            continue
        tried.append((stage.driven_as, stage.spec))
        error = _why_not(rally, stage)
        if error is not None:
            rule, why = _told(error)
            message = _("Stage %(n)d cannot be driven with these options: %(why)s") % {"n": stage.number, "why": why}
            raise Refused(message, field=field, rule=rule, game=rally.game) from error


@contextmanager
def refused_by_the_game(rally: Rally) -> Iterator[None]:
    """Around what sets up a stage with the cars that have entered: what the game does not set up is refused.

    Raises: Refused with the game's words, for example for a third car where two drive in each team.
    """
    try:
        yield
    except GameError as error:
        rule, why = _told(error)
        raise Refused(why, rule=rule, game=rally.game) from error


def _told(error: GameError) -> tuple[str, str]:
    """The rule of an error, "" without one, and its words without the rule."""
    rule = getattr(error, "rule", "")
    return rule, error.words(_).removeprefix(f"{rule}: ")


def _why_not(rally: Rally, stage: SpecialStage) -> GameError | None:
    """Why no number of cars can drive the stage: what is wrong with the fewest. None where some number can."""
    rules, car = registry.get(rally.game), career.new_car(rally)
    alone, teaming = offered(rules, Alone), offered(rules, Teaming)
    options, numbers = rally.all_options, range(rules.seats.least, rules.seats.most + 1)
    if alone is not None and stage.driven_as != Rally.Mode.CONVOY:
        options, numbers = dict(alone.alone(options)), range(1, 2)
    course, first = career.in_rally(rally, stage.spec, last=True), None
    for number in numbers:
        entrants = [{"id": str(one)} | ({} if car is None else {"luggage": car}) for one in range(1, number + 1)]
        try:
            rules.setup(course, entrants if teaming is None else teaming.teamed(entrants, options), options)
        except GameError as error:
            first = first or error
        else:
            return None
    return first
