"""The plan of a season: read from and written to the plain JSON of a draft, or copied from an earlier season."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from championship import catalogue
from championship.accounts.name_comparison import same_as
from championship.clubs.models import Club
from championship.platform.refusals import Refused
from championship.rallies import selectors as rallies
from championship.rallies.desk.game_choice import default_game
from championship.rallies.knockout.event import event_of
from championship.rallies.models import Rally
from championship.rallies.text_checks import checked_line
from championship.seasons import rally_defaults
from championship.seasons import schemes as season_schemes
from championship.seasons.models import Championship
from championship.seasons.schemes import READY_MADE, Scheme
from championship.stages.models import StageDesign

OWN_STAGES = "own"
MOST_ROUNDS = 40
MOST_STAGES = 24
MOST_CLASSES = 12
MOST_TEAMS = 60
LARGEST_FACTOR = 1000
"""The largest factor of a round, in hundredths."""
A_YEAR = timedelta(weeks=52)
"""From one season to the next, on the same day of the week."""


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """A planned round. `route`: the key of a ready-made rally (`routes`), or OWN_STAGES for the stages `designs`, ids
    in order. The game follows from the stages. `factor` in hundredths; `points` of its own, empty for the usual ones.
    `event`: heats and a final, and what a missed stage costs, as `create_rally` takes them.
    """

    name: str
    day: date | None = None
    route: str = ""
    designs: tuple[int, ...] = ()
    power_stage: int | None = None
    factor: int = 100
    points: tuple[float, ...] = ()
    event: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """What an organiser has decided about a season so far. `copied_from`: the id of the championship from which it was
    copied; `registrations`: whether that championship's drivers are registered again. `template`: the template with
    which it began, "" for none (services/templates.py).
    """

    name: str = ""
    template: str = ""
    copied_from: int | None = None
    registrations: bool = False
    scheme: Scheme = READY_MADE["power stage"].scheme
    classes: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    rounds: tuple[PlannedRound, ...] = ()
    rally_settings: Mapping[str, Any] = field(default_factory=rally_defaults.suggested_settings)

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> Plan:
        """Return the plan of a draft; a new plan for an empty draft."""
        if not said:
            return cls()
        rounds = [
            PlannedRound(
                name=each["name"],
                day=date.fromisoformat(each["day"]) if each["day"] else None,
                route=each["route"],
                designs=tuple(each["designs"]),
                power_stage=each["power_stage"],
                factor=each.get("factor", 100),
                points=tuple(each.get("points", ())),
                event=dict(each.get("event", {})),
            )
            for each in said["rounds"]
        ]
        return cls(
            name=said["name"],
            template=said.get("template", ""),
            copied_from=said["copied_from"],
            registrations=said["registrations"],
            scheme=Scheme.read(said["scheme"]),
            classes=tuple(said["classes"]),
            teams=tuple(said["teams"]),
            rounds=tuple(rounds),
            rally_settings=said["rally_settings"],
        )

    def write(self) -> dict[str, Any]:
        """Return the plan as plain JSON."""
        rounds = [
            {
                **asdict(each),
                "day": each.day.isoformat() if each.day else None,
                "designs": list(each.designs),
                "points": list(each.points),
            }
            for each in self.rounds
        ]
        scheme = {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self.scheme).items()
        }
        return {
            "name": self.name,
            "template": self.template,
            "copied_from": self.copied_from,
            "registrations": self.registrations,
            "scheme": scheme,
            "classes": list(self.classes),
            "teams": list(self.teams),
            "rounds": rounds,
            "rally_settings": dict(self.rally_settings),
        }


def game_of(plan: Plan) -> str:
    """Return the game whose words a plan uses: the game of its settings where they name one, else that of its first
    round with stages, else the first game.
    """
    if plan.rally_settings.get("game"):
        return rally_defaults.game_of(plan.rally_settings)
    for each in plan.rounds:
        named = each.route.partition("/")[0] if "/" in each.route else ""
        if each.route == OWN_STAGES and each.designs:
            named = StageDesign.objects.filter(pk=each.designs[0]).values_list("game", flat=True).first() or ""
        if named in catalogue.names() or each.route.isdecimal():
            return named or default_game()
    return default_game()


def copied_plan(plan: Plan, before: Championship) -> Plan:
    """Return the plan with classes, teams, scheme, calendar and settings of an earlier season; days are
    one year later.
    """
    existing = before.rounds.select_related("rally").prefetch_related("rally__stages").order_by("number")
    rounds = [each for each in existing if _worth_copying(each.rally)]
    ready = {tuple(design.pk for design in designs): key for key, designs in routes().items()}
    planned = []
    for each in rounds:
        stages = sorted(each.rally.stages.all(), key=lambda stage: stage.number)
        designs = tuple(stage.design_id for stage in stages if stage.design_id is not None)
        route = ready.get(designs, OWN_STAGES)
        planned.append(
            PlannedRound(
                name=each.rally.name,
                day=_a_year_later(each.planned_for),
                route=route,
                designs=designs if route == OWN_STAGES else (),
                power_stage=each.power_stage,
                factor=each.factor,
                points=tuple(each.points),
                event=event_of(each.rally),
            )
        )
    settings = before.rally_settings
    if not settings and rounds:
        last = rounds[-1].rally
        settings = {**rally_defaults.to_json(rally_defaults.of_rally(last)), "game": last.game}
    return replace(
        plan,
        copied_from=before.pk,
        scheme=before.scheme,
        classes=tuple(before.classes),
        teams=tuple(before.teams.values_list("name", flat=True)),
        rounds=tuple(planned),
        rally_settings=settings or rally_defaults.default_settings(),
    )


def _worth_copying(rally: Rally) -> bool:
    """Return False for rallies that were driven on paper or called off."""
    return not rally.on_paper and rally.status != Rally.Status.CANCELLED


def _a_year_later(day: date | None) -> date | None:
    return day + A_YEAR if day is not None and day <= date.max - A_YEAR else None


def usual_power_stage(said: int | None, stages: int) -> int | None:
    """Return the power stage of a new round: what is said; where nothing is, the last one (None), but no power stage
    (0) where there is just one stage.
    """
    return 0 if said is None and stages == 1 else said


def checked_scheme(scheme: Scheme) -> Scheme:
    """Return the scheme.

    Raises: Refused with the field that is wrong.
    """
    return season_schemes.checked(**asdict(scheme))


def checked_names(names: Iterable[str], *, field: str, longest: int, most: int) -> tuple[str, ...]:
    """Return names of classes or teams, each once.

    Raises: Refused with the field when a name is wrong or occurs twice, or there are too many.
    """
    found = [checked_line(name, longest=longest, field=field) for name in names]
    if len(found) > most:
        raise Refused(_("At most %(most)d of them.") % {"most": most}, field=field)
    twice = next((name for number, name in enumerate(found) if same_as(name, found[:number])), None)
    if twice is not None:
        raise Refused(_("“%(name)s” is named twice.") % {"name": twice}, field=field)
    return tuple(found)


def checked_rounds(rounds: Sequence[PlannedRound], club: Club) -> tuple[PlannedRound, ...]:
    """Return the rounds sorted by day; a round without a day stays behind the one before it.

    Raises: Refused with a field such as `name_3`.
    """
    if len(rounds) > MOST_ROUNDS:
        raise Refused(_("A season has at most %(most)d rounds.") % {"most": MOST_ROUNDS})
    available = available_stages(club)
    for number, each in enumerate(rounds, 1):
        checked_line(each.name, longest=80, field=f"name_{number}")
        if not 0 <= each.factor <= LARGEST_FACTOR:
            raise Refused(_("A factor goes from 0 to 10."), field=f"factor_{number}")
        if each.route not in ("", OWN_STAGES) and each.route not in available.routes:
            raise Refused(_("Choose one of these rallies."), field=f"route_{number}")
        if any(pk not in available.designs for pk in each.designs) or len(each.designs) > MOST_STAGES:
            raise Refused(_("Choose stages of the club or ready-made ones."), field=f"route_{number}")
        stages = len(available.of(each))
        if each.power_stage is not None and stages and not 0 <= each.power_stage <= stages:
            says = _("This rally has stages 1 to %(last)d; 0 for no power stage.") % {"last": stages}
            raise Refused(says, field=f"power_{number}")
    rounds_by_day, latest = [], date.min
    for each in rounds:
        latest = each.day or latest
        rounds_by_day.append((latest, each))
    return tuple(each for _day, each in sorted(rounds_by_day, key=lambda pair: pair[0]))


@dataclass(frozen=True, slots=True)
class AvailableStages:
    """The stages that a club's rounds may have: ready-made rallies by key, single designs by id."""

    routes: Mapping[str, Sequence[StageDesign]]
    designs: Mapping[int, StageDesign]

    def of(self, planned: PlannedRound) -> list[StageDesign]:
        """Return the stages of a round; empty where none are chosen, or one was deleted."""
        if planned.route == OWN_STAGES:
            found = [self.designs[pk] for pk in planned.designs if pk in self.designs]
            return found if len(found) == len(planned.designs) else []
        return list(self.routes.get(planned.route, ()))


def routes() -> dict[str, Sequence[StageDesign]]:
    """Return the ready-made rallies of all games: those of the first game by their number, those of other games by
    "game/number". For games without ready-made rallies, each ready-made course alone by "game/source". One query for
    each game, and one more.
    """
    found: dict[str, Sequence[StageDesign]] = {}
    without = []
    for place, game in enumerate(catalogue.names()):
        made = rallies.ready_made_rallies(game)
        found |= {f"{game}/{each.number}" if place else str(each.number): each.designs for each in made}
        without += [] if made else [game]
    alone = StageDesign.objects.filter(club=None, game__in=without).order_by("game", "source", "pk")
    return found | {f"{design.game}/{design.source}": [design] for design in alone}


def available_stages(club: Club) -> AvailableStages:
    """Return the stages that rounds of this club may have. One query, and one for each game."""
    return AvailableStages(routes=routes(), designs={design.pk: design for design in choices_of(club)})


def choices_of(club: Club) -> QuerySet[StageDesign]:
    """Return the designs that a club's rounds may have, of all games: its own, then the ready-made ones."""
    found = StageDesign.objects.filter(Q(club=club) | Q(club=None), game__in=catalogue.names())
    return found.order_by("game", "club", "source", "name", "pk")
