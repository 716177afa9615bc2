"""Templates of whole seasons: a handful that are ready-made, and those that a club has saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship import catalogue
from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.platform.refusals import Refused
from championship.rallies.text_checks import checked_line
from championship.seasons.models import Championship, SeasonTemplate
from championship.seasons.schemes import Scheme
from championship.seasons.season_plans import Plan, PlannedRound, available_stages, copied_plan

MOST_TEMPLATES = 30
OF_CLUB = "club "


@dataclass(frozen=True, slots=True)
class ReadyMadeSeason:
    """A ready-made season. `factors` of its rounds in hundredths, one for each round; `classes`: also its divisions."""

    label: str | Promise
    scheme: Scheme
    factors: tuple[int, ...]
    classes: tuple[str, ...] = ()


USUAL = (25, 18, 15, 12, 10, 8, 6, 4, 2, 1)
READY_MADE: Mapping[str, ReadyMadeSeason] = {
    "world rally": ReadyMadeSeason(
        gettext_lazy("World rally: eight rounds, points on the power stage, teams of two"),
        Scheme(points=USUAL, power=(5, 4, 3, 2, 1), team_counts=2, tie_breaks=("wins", "best places")),
        (100,) * 8,
    ),
    "double finale": ReadyMadeSeason(
        gettext_lazy("Grand prix: ten rounds, a point for the fastest lap, double points in the last"),
        Scheme(
            points=USUAL,
            team_counts=2,
            tie_breaks=("wins", "best places"),
            further={
                "bonus": {"fastest_lap": {"points": 1, "within": 10}},
                "teams": {"members": "all", "cars": 0},
            },
        ),
        (*(100,) * 9, 200),
    ),
    "halves": ReadyMadeSeason(
        gettext_lazy("Club league in two halves: of each five rounds the best four count"),
        Scheme(
            points=(15, 12, 10, 8, 6, 5, 4, 3, 2, 1),
            tie_breaks=("wins", "best places", "last round"),
            further={
                "participation": 1,
                "drops": {"parts": [{"rounds": [1, 5], "best": 4}, {"rounds": [6, 10], "best": 4}]},
            },
        ),
        (100,) * 10,
    ),
    "divisions": ReadyMadeSeason(
        gettext_lazy("League of two divisions: six rounds, two go up and two go down"),
        Scheme(
            points=USUAL,
            tie_breaks=("wins", "best places", "last round"),
            further={"divisions": {"names": ["A", "B"], "up": 2, "down": 2}},
        ),
        (100,) * 6,
        ("A", "B"),
    ),
}


def template_choices(club: Club) -> list[tuple[str, Any]]:
    """Return the templates with which a season of a club may begin, as the choices of a field. One query."""
    saved = [(f"{OF_CLUB}{each.pk}", each.name) for each in club.season_templates.all()]
    ready = [(name, each.label) for name, each in READY_MADE.items()]
    return [
        ("", _("none")),
        *([(_("Templates of the club"), saved)] if saved else []),
        (_("Ready-made"), ready),
    ]


def begun_with(plan: Plan, club: Club, template: str) -> Plan:
    """Return a plan with everything that a template says; the name stays. A template that is no choice any more is
    refused. Two queries, and one for each game.

    Raises: Refused (field template).
    """
    ready = READY_MADE.get(template)
    if ready is not None:
        return replace(
            plan,
            template=template,
            scheme=ready.scheme,
            classes=ready.classes,
            teams=(),
            rounds=tuple(_rounds(club, ready.factors)),
        )
    pk = template.removeprefix(OF_CLUB)
    found = club.season_templates.filter(pk=pk).first() if pk.isdecimal() else None
    if found is None:
        raise Refused(_("There is no such template any more."), field="template")
    said = Plan.read(found.said)
    return replace(said, name=plan.name, template=template, copied_from=None, registrations=False)


def _rounds(club: Club, factors: tuple[int, ...]) -> list[PlannedRound]:
    """Return rounds with the ready-made rallies of the first game in turn."""
    routes = available_stages(club).routes
    game = next((designs[0].game for designs in routes.values()), None)
    keys = [key for key, designs in routes.items() if designs[0].game == game] or [""]
    words = catalogue.get(game).words if game else catalogue.Words()
    return [
        PlannedRound(name=str(words.numbered) % {"number": number}, route=keys[(number - 1) % len(keys)], factor=factor)
        for number, factor in enumerate(factors, 1)
    ]


@transaction.atomic
def save_template(*, by: User, championship: Championship, name: str) -> SeasonTemplate:
    """Keep a season as a template of the club: points, classes, teams, rounds without days, settings. A template of the
    same name is replaced. Only organisers.

    Raises: Refused with the field name; also when the club has as many templates as it may.
    """
    require_role(by, championship.club, Role.ORGANISER)
    name = checked_line(name, longest=80, field="name")
    Club.objects.select_for_update(no_key=True).get(pk=championship.club_id)
    plan = copied_plan(Plan(), championship)
    rounds = tuple(replace(each, day=None) for each in plan.rounds)
    said = replace(plan, copied_from=None, rounds=rounds).write()
    templates = championship.club.season_templates
    if not templates.filter(name=name).exists() and templates.count() >= MOST_TEMPLATES:
        raise Refused(_("A club keeps at most %(most)d templates.") % {"most": MOST_TEMPLATES}, field="name")
    saved, _made = templates.update_or_create(name=name, defaults={"said": said, "by": by})
    _log(by, championship.club, championship, "season template saved", name)
    return saved


@transaction.atomic
def delete_template(*, by: User, club: Club, pk: int) -> None:
    """Delete a template of the club. Only organisers. Does nothing when it is gone already."""
    require_role(by, club, Role.ORGANISER)
    found = club.season_templates.filter(pk=pk).first()
    if found is not None:
        found.delete()
        _log(by, club, club, "season template deleted", found.name)


def _log(by: User, club: Club, subject: Club | Championship, action: str, name: str) -> None:
    audit.record(actor=by, action=action, subject=subject, club_id=club.pk, details={"template": name})
