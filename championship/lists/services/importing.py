"""Imports a draft: all of it or nothing, in one transaction. What it makes is kept, so that it can be undone.

A short list is imported at once, a long one by a worker.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.http import Http404
from django.utils import translation
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import refuse_if_closed
from championship.clubs.services.mail_invitations import invite_by_mail
from championship.lists.models import ListImport
from championship.lists.plans import CHANGED, NEW, Plan, PlannedLine, PlannedRound
from championship.lists.services.drafts import KEPT
from championship.lists.services.people import remember
from championship.lists.services.people_plans import Wanted, plan_entries, plan_members, plan_registrations
from championship.lists.services.resolving import INVITE, Resolved, locked_draft, persons_of, resolved, to_remember
from championship.lists.services.result_plans import WantedRound, plan_results
from championship.platform import clock, task_dispatch
from championship.platform.refusals import Refusal, Refused
from championship.rallies.entries.services.changing_entries import EntryFacts, change_entries
from championship.rallies.models import Rally
from championship.rallies.results.services.imported_snapshots import snapshot_of
from championship.rallies.services import (
    EntryRequest,
    change_imported_rally,
    enter_for,
    record_imported_rally,
)
from championship.seasons.models import Championship, Registration
from championship.seasons.services import add_round, renumber_rounds
from championship.seasons.services.registering import name_teams, register

logger = logging.getLogger(__name__)

AT_ONCE = 1500
"""The most lines that are imported while the page waits. A worker imports more."""
INVITED_FOR = 30
"""How many days an invitation from a list works."""
DRAFT, WAITING, DONE, FAILED = (
    ListImport.State.DRAFT,
    ListImport.State.WAITING,
    ListImport.State.DONE,
    ListImport.State.FAILED,
)
Made = dict[str, Any]


def rally_of(draft: ListImport) -> Rally:
    """Return the rally for which a list of entries is.

    Raises: Http404 when it is gone.
    """
    found = Rally.objects.filter(key=draft.target, club=draft.club).first()
    if found is None:
        raise Http404
    return found


def championship_of(draft: ListImport) -> Championship:
    """Return the season for which a list is.

    Raises: Http404 when it is gone.
    """
    found = Championship.objects.filter(key=draft.target, club=draft.club).select_related("club").first()
    if found is None:
        raise Http404
    return found


def plan_of(now: Resolved) -> Plan:
    """Return what a draft would do, without writing anything."""
    draft = now.draft
    if draft.purpose == "members":
        return plan_members(now)
    if draft.purpose == "entries":
        return plan_entries(now, rally_of(draft))
    plan = plan_registrations if draft.purpose == "registrations" else plan_results
    return plan(now, championship_of(draft))


@transaction.atomic
def take(*, by: User, draft: ListImport, version: int) -> ListImport:
    """Import a draft as it was looked at, or have a worker do it when it is long. Only organisers.

    Raises: Stale when it has changed since, or is imported already.
    Raises: Refused when a name is still open, or when the list changes nothing.
    """
    draft = locked_draft(by, draft, version)
    refuse_if_closed(draft.club)
    now = resolved(draft)
    if now.unanswered:
        raise Refused(_("Say first who is who."))
    lines = sum(1 for _person in persons_of(now.found))
    if lines <= AT_ONCE:
        return carry_out(by, draft, now)
    draft.state, draft.steps, draft.done, draft.begun_at, draft.by = WAITING, lines, 0, None, by
    draft.save(update_fields=["state", "steps", "done", "begun_at", "by"])
    task_dispatch.after_commit(task_dispatch.named("championship.lists.tasks.import_list"), draft.pk)
    return draft


def carry_out(by: User, draft: ListImport, now: Resolved) -> ListImport:
    """Import a locked draft. Runs inside a transaction.

    Raises: Refused when the list changes nothing, or a line cannot be stored.
    """
    if draft.purpose == "entries":
        Rally.objects.select_for_update(of=("self",)).get(pk=rally_of(draft).pk)
    elif draft.purpose != "members":
        Championship.objects.select_for_update(of=("self",)).get(pk=championship_of(draft).pk)
    plan = plan_of(now)
    if not plan.does_something:
        raise Refused(_("This list changes nothing."))
    made = _MAKE[draft.purpose](by, draft, now, plan)
    meant, mails = to_remember(now)
    draft.made = {**made, "aliases": remember(draft.club, meant, mails)}
    draft.made["invited"] = _invite(by, draft, now)
    draft.state, draft.at, draft.by, draft.found, draft.counts = DONE, clock.now(), by, {}, plan.counts
    draft.done = draft.steps
    draft.save()
    details = {"list": str(draft), "about": draft.about, **{state: n for state, n in plan.counts.items() if n}}
    audit.record(actor=by, action="list imported", subject=draft, club_id=draft.club_id, details=details)
    return draft


def import_waiting(*, pk: int) -> None:
    """Import a draft that waits for a worker, once. A refusal is kept for its organiser."""
    try:
        with transaction.atomic():
            draft = ListImport.objects.select_for_update(of=("self",), skip_locked=True).filter(pk=pk, state=WAITING)
            found = draft.select_related("club", "by").first()
            if found is None:
                return
            with translation.override(found.by.language):
                carry_out(found.by, found, resolved(found))
    except Refusal as refusal:
        _fail(pk, str(refusal))
    except Exception:
        logger.exception("list %s could not be imported", pk)
        _fail(pk, "")


def _fail(pk: int, refusal: str) -> None:
    ListImport.objects.filter(pk=pk, state=WAITING).update(state=FAILED, refusal=refusal)


def lost_imports() -> list[int]:
    """Delete old drafts, and return the ids of those that still wait for a worker."""
    ListImport.objects.filter(state=DRAFT, at__lt=clock.now() - KEPT).delete()
    return list(ListImport.objects.filter(state=WAITING).order_by("pk").values_list("pk", flat=True))


# What each purpose makes ---------------------------------------------------------------------------


def _invite(by: User, draft: ListImport, now: Resolved) -> int:
    """Invite the people whom somebody wants to invite, and return the number of letters."""
    mails = list(dict.fromkeys(match.mail for match in now.matches if match.mail and now.meant(match) == INVITE))
    if not mails:
        return 0
    return invite_by_mail(by=by, club=draft.club, roles=[Role.DRIVER], days=INVITED_FOR, text="\n".join(mails))[1]


def _members(by: User, draft: ListImport, now: Resolved, plan: Plan) -> Made:
    return {}


def _entries(by: User, draft: ListImport, now: Resolved, plan: Plan) -> Made:
    rally = rally_of(draft)
    changed: list[Wanted] = [line.do for line in plan.lines if line.state == CHANGED]
    if changed:
        facts = [
            EntryFacts(each.row or 0, each.crew, each.car_class, each.number, each.team, _names_team(each))
            for each in changed
        ]
        change_entries(by=by, rally=rally, facts=facts)
    new: list[Wanted] = [line.do for line in plan.lines if line.state == NEW]
    requests = [EntryRequest(each.driver, each.crew, each.car_class, each.number, each.team or None) for each in new]
    entered = enter_for(by=by, rally=rally, wanted=requests) if requests else []
    return {"entered": [entry.pk for entry in entered], "changed": [_change(each) for each in changed]}


def _names_team(each: Wanted) -> bool:
    """Whether an entry changes its team: what is the registration's stays so."""
    return each.before is not None and "team" in each.before and each.team != (each.before["team"] or "")


def _registrations(by: User, draft: ListImport, now: Resolved, plan: Plan) -> Made:
    championship = championship_of(draft)
    lines: list[PlannedLine] = [line for line in plan.lines if line.state in (NEW, CHANGED)]
    teams = _teams(by, championship, [line.do.team for line in lines])
    # The list may exchange numbers between drivers, so all their numbers are cleared before they are assigned again.
    championship.registrations.filter(driver__in=[line.do.driver for line in lines]).update(start_number=None)
    by_name = {team.name: team for team in championship.teams.all()}
    registered, changed = [], []
    for line in lines:
        each: Wanted = line.do
        row: Registration = register(
            by=by,
            championship=championship,
            driver=each.driver,
            crew=each.crew,
            car_class=each.car_class,
            start_number=each.number,
            team=by_name[each.team] if each.team else None,
            before=each.before,
        )
        if each.before is None:
            registered.append(row.pk)
        else:
            changed.append(_change(each))
    return {"registered": registered, "changed": changed, "teams": teams}


def _change(each: Wanted) -> dict[str, Any]:
    after = {"crew": each.crew, "car_class": each.car_class, "start_number": each.number}
    if each.before is not None and "team" in each.before and ("own_team" not in each.before or _names_team(each)):
        after["team"] = each.team
    return {"row": each.row, "before": dict(each.before or {}), "after": after}


def _teams(by: User, championship: Championship, named: Sequence[str]) -> list[str]:
    """Make the teams that do not exist yet, and return their names."""
    there = list(championship.teams.values_list("name", flat=True))
    new = [name for name in dict.fromkeys(named) if name and name not in there]
    if new:
        name_teams(by=by, championship=championship, names=[*there, *new])
    return new


def make_results(by: User, draft: ListImport, now: Resolved, plan: Plan) -> Made:
    championship = championship_of(draft)
    rounds: list[PlannedRound] = [each for each in plan.rounds if each.do is not None and each.state in (NEW, CHANGED)]
    drives = [drive for each in rounds for drive in each.do.drives]
    fresh = {id(drive.driver): drive.driver for drive in drives if drive.driver.pk is None}
    User.objects.bulk_create(fresh.values())
    teams = _teams(by, championship, [drive.team or "" for drive in drives])
    added, changed = [], []
    for each in rounds:
        wanted: WantedRound = each.do
        if wanted.round is not None:
            changed.append({"rally": wanted.round.rally_id, "kept": snapshot_of(wanted.round.rally)})
            change_imported_rally(by=by, rally=wanted.round.rally, drives=wanted.drives)
            continue
        rally = record_imported_rally(
            by=by,
            club=draft.club,
            name=each.name,
            game=wanted.game,
            designs=wanted.designs,
            driven_on=wanted.found.day,
            year=wanted.found.year,
            drives=wanted.drives,
            measure=wanted.measure,
        )
        power = len(wanted.designs) if draft.answers.get("power_stage") else 0
        added.append(
            add_round(by=by, championship=championship, rally=rally, planned_for=wanted.found.day, power_stage=power)
        )
    if added:
        renumber_rounds(championship, first=added)
    names = [person.pk for person in fresh.values()]
    return {"rounds": [each.pk for each in added], "changed": changed, "names": names, "teams": teams}


_MAKE = {"members": _members, "entries": _entries, "registrations": _registrations, "results": make_results}
