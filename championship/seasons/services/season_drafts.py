"""The draft of a season: saved step by step, continued another day, discarded, or turned into a season in one
transaction.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from django.db import IntegrityError, transaction
from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.platform.refusals import Refused, Stale
from championship.rallies.models import Rally
from championship.rallies.text_checks import checked_line
from championship.seasons import rally_defaults, services
from championship.seasons.models import Championship, SeasonDraft
from championship.seasons.season_plans import (
    MOST_CLASSES,
    MOST_TEAMS,
    Plan,
    PlannedRound,
    available_stages,
    checked_names,
    checked_rounds,
    checked_scheme,
    copied_plan,
)
from championship.seasons.services import registering
from championship.seasons.services.templates import begun_with


def begin_draft(*, by: User, club: Club) -> SeasonDraft:
    """Return the organiser's draft of the club's next season: the open one, or a new one. Only organisers."""
    require_role(by, club, Role.ORGANISER)
    found = SeasonDraft.objects.filter(club=club, by=by, made=None).first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            return SeasonDraft.objects.create(club=club, by=by, said=Plan().write())
    except IntegrityError:  # begun in another window at the same time
        return SeasonDraft.objects.get(club=club, by=by, made=None)


@transaction.atomic
def save_draft(*, by: User, draft: SeasonDraft, version: int, **changes: Any) -> SeasonDraft:
    """Change fields of the plan (season_plans.Plan). Only the person who began the draft.

    `copied_from` another championship of the club takes over everything from it that is not in these changes.

    Raises: Stale when the draft has changed since `version`, unless it already has these values.
    Raises: Refused with the field that is wrong.
    """
    draft = _locked(by, draft)
    plan = Plan.read(draft.said)
    changed = _checked(plan, draft.club, changes)
    if changed == plan:
        return draft
    if version != draft.version:
        raise Stale(_("This draft was changed in another window meanwhile. This page shows it as it is now."))
    draft.said = changed.write()
    draft.version += 1
    draft.save()
    return draft


@transaction.atomic
def discard_draft(*, by: User, draft: SeasonDraft) -> None:
    """Delete the draft. Only the person who began it."""
    _locked(by, draft).delete()


@transaction.atomic
def make_season(*, by: User, draft: SeasonDraft, version: int) -> Championship:
    """Create the championship with its teams, registrations and rounds, each round a rally with open entries, in one
    transaction. If it was created already, the same championship is returned. Only the person who began the draft, as
    an organiser.

    Raises: Http404 when somebody else began the draft.
    Raises: Refused when something is missing, with what it is.
    Raises: Stale when the draft has changed since `version`.
    """
    # `made` must not be joined here: a transaction that waited for the lock would read its old value.
    draft = SeasonDraft.objects.select_for_update(of=("self",)).select_related("club").get(pk=draft.pk)
    if draft.by_id != by.pk:
        raise Http404
    require_role(by, draft.club, Role.ORGANISER)
    if draft.made is not None:
        return draft.made
    if version != draft.version:
        raise Stale(_("This draft was changed in another window meanwhile. This page shows it as it is now."))
    plan = Plan.read(draft.said)
    missing = missing_parts(plan, draft.club)
    if missing:
        raise Refused(" ".join(missing))
    made = services.create_championship(
        by=by,
        club=draft.club,
        name=plan.name,
        classes=plan.classes,
        rally_settings=plan.rally_settings,
        **asdict(plan.scheme),
    )
    if plan.teams:
        registering.name_teams(by=by, championship=made, names=plan.teams)
    before = championship_of(draft.club, plan.copied_from)
    if before is not None and plan.registrations:
        registering.register_again(by=by, championship=made, before=before)
    make_rounds(by, made, plan)
    draft.made = made
    draft.save()
    return made


def missing_parts(plan: Plan, club: Club) -> list[str]:
    """Return what is still missing before the season can be created, in sentences."""
    missing = [] if plan.name else [_("The season has no name yet.")]
    available = available_stages(club)
    for number, each in enumerate(plan.rounds, 1):
        if not available.of(each):
            missing.append(_("Round %(number)d, %(name)s, has no stages yet.") % {"number": number, "name": each.name})
    return missing


def make_rounds(by: User, made: Championship, plan: Plan) -> None:
    """Create the rounds of a plan, each a rally with open entries.

    Raises: Refused with the number of the round.
    """
    available = available_stages(made.club)
    for number, each in enumerate(plan.rounds, 1):
        designs = available.of(each)
        game = designs[0].game
        try:
            opened = services.open_round(
                by=by,
                championship=made,
                planned_for=each.day,
                power_stage=each.power_stage,
                name=each.name,
                game=game,
                designs=designs,
                event=each.event,
                **_settings(plan, each, game),
            )
            if each.factor != opened.factor or each.points:
                opened.factor, opened.points = each.factor, list(each.points)
                opened.save(update_fields=["factor", "points"])
        except (Refused, Stale) as refusal:
            says = _("Round %(number)d: %(why)s") % {"number": number, "why": refusal.message}
            raise Refused(says, rule=refusal.rule, game=refusal.game) from refusal


def _settings(plan: Plan, each: PlannedRound, game: str) -> dict[str, Any]:
    """Return the settings of a round: the season's. With heats the cars of a table drive together."""
    said = rally_defaults.from_json(plan.rally_settings, game)
    return {**said, "mode": Rally.Mode.CONVOY} if each.event.get("knockout") else said


def _checked(plan: Plan, club: Club, changes: dict[str, Any]) -> Plan:
    changed = dict(changes)
    if "copied_from" in changed and changed["copied_from"] != plan.copied_from:
        before = championship_of(club, changed["copied_from"])
        if changed["copied_from"] is not None and before is None:
            raise Refused(_("Choose a championship of this club."), field="copied_from")
        plan = copied_plan(plan, before) if before is not None else replace(plan, copied_from=None)
    if "template" in changed and changed["template"] not in ("", plan.template):
        plan = begun_with(plan, club, changed["template"])
    if "name" in changed:
        changed["name"] = checked_line(changed["name"], longest=80, field="name")
    if "scheme" in changed:
        changed["scheme"] = checked_scheme(changed["scheme"])
    if "classes" in changed:
        changed["classes"] = checked_names(changed["classes"], field="classes", longest=20, most=MOST_CLASSES)
    if "teams" in changed:
        changed["teams"] = checked_names(changed["teams"], field="teams", longest=60, most=MOST_TEAMS)
    if "rounds" in changed:
        changed["rounds"] = checked_rounds(changed["rounds"], club)
    return replace(plan, **changed)


def championship_of(club: Club, pk: int | None) -> Championship | None:
    """Return the club's championship of that id, or None."""
    return club.championships.filter(pk=pk).first() if pk is not None else None


def _locked(by: User, draft: SeasonDraft) -> SeasonDraft:
    """Return the draft of the person who began it, read again and locked.

    Raises: Http404 when it is somebody else's or was deleted.
    Raises: Stale when the season was created already.
    """
    found = (
        SeasonDraft.objects.select_for_update(of=("self",)).select_related("club").filter(pk=draft.pk, by=by).first()
    )
    if found is None:
        raise Http404
    require_role(by, found.club, Role.ORGANISER)
    if found.made_id is not None:
        raise Stale(_("This season exists already."))
    return found
