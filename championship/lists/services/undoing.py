"""Undoes an import of a list: as long as nothing was built on it. Says what stands in the way. Removes one round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.names_only import NAMES_ONLY
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.lists.models import Alias, ListImport
from championship.lists.services import courses
from championship.lists.services.importing import championship_of, rally_of
from championship.moments.models import Comment
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.entries.services.changing_entries import EntryFacts, change_entries
from championship.rallies.models import Entry, Exclusion, Penalty, Rally, TimeByHand
from championship.rallies.results.services.imported_snapshots import restore_snapshot
from championship.rallies.services import remove_imported_rallies
from championship.seasons.models import Adjustment, Championship, Registration, Round
from championship.seasons.services import renumber_rounds
from championship.seasons.services.registering import name_teams, register
from championship.stewards.models import Protest


class CannotUndo(Refused):
    """What was built on an import. `reasons`: one sentence each."""

    def __init__(self, reasons: Iterable[str]) -> None:
        self.reasons = list(reasons)
        super().__init__(_("This import can no longer be undone."))


@transaction.atomic
def undo(*, by: User, done: ListImport) -> ListImport:
    """Undo an import: what it made is deleted, what it changed is as it was. Only organisers.

    Raises: Stale when it is undone already.
    Raises: CannotUndo when something was built on it; it names all of it.
    """
    require_role(by, done.club, Role.ORGANISER)
    refuse_if_closed(done.club)
    done = ListImport.objects.select_for_update(of=("self",)).select_related("club").get(pk=done.pk)
    if done.state != ListImport.State.DONE:
        raise Stale(_("This import is undone already."))
    if done.purpose in ("registrations", "results"):
        Championship.objects.select_for_update(of=("self",)).get(pk=championship_of(done).pk)
    elif done.purpose == "entries":
        Rally.objects.select_for_update(of=("self",)).get(pk=rally_of(done).pk)  # it may be about to start
    reasons = list(in_the_way(done))
    if reasons:
        raise CannotUndo(reasons)
    try:
        with transaction.atomic():
            _UNDO[done.purpose](by, done)
    except ProtectedError as error:
        raise CannotUndo([_("Something else refers to what it made.")]) from error
    Alias.objects.filter(pk__in=done.made.get("aliases", ())).delete()
    done.state, done.undone_at, done.undone_by = ListImport.State.UNDONE, clock.now(), by
    done.save(update_fields=["state", "undone_at", "undone_by"])
    details = {"list": str(done), "about": done.about}
    audit.record(actor=by, action="list undone", subject=done, club_id=done.club_id, details=details)
    return done


def in_the_way(done: ListImport) -> Iterator[str]:
    """Yield what was built on an import, one sentence each. As many queries for many rows as for few."""
    yield from _IN_THE_WAY[done.purpose](done)


# Members -------------------------------------------------------------------------------------------


def _members_in_the_way(done: ListImport) -> Iterator[str]:
    if done.made.get("invited"):
        yield _("The invitations are sent. Withdraw the link on the page of members.")


def _undo_nothing(by: User, done: ListImport) -> None:
    pass


# Entries -------------------------------------------------------------------------------------------


def _entries_in_the_way(done: ListImport) -> Iterator[str]:
    rally = rally_of(done)
    if rally.status != Rally.Status.ENTRIES:
        yield _("%(rally)s has started.") % {"rally": rally}
        return
    rows = rally.entries.in_bulk([each["row"] for each in done.made["changed"]])
    for each in done.made["changed"]:
        entry = rows.get(each["row"])
        if entry is None or any(getattr(entry, name) != value for name, value in each["after"].items() if value):
            yield _("%(name)s was changed since.") % {"name": entry or each["after"]["crew"]}


def _undo_entries(by: User, done: ListImport) -> None:
    rally = rally_of(done)
    rally.entries.filter(pk__in=done.made["entered"]).delete()
    before = [(each["row"], each["before"]) for each in done.made["changed"]]
    facts = [
        EntryFacts(row, was["crew"], was["car_class"], was["start_number"], was.get("own_team"), "own_team" in was)
        for row, was in before
    ]
    if facts:
        change_entries(by=by, rally=rally, facts=facts)


# Registrations -------------------------------------------------------------------------------------


def _registrations_in_the_way(done: ListImport) -> Iterator[str]:
    made = done.made
    rows = Registration.objects.filter(pk__in=[*made["registered"], *(each["row"] for each in made["changed"])])
    by_id = {row.pk: row for row in rows.select_related("driver", "team")}
    entered = Entry.objects.filter(
        rally__round__championship__key=done.target,
        driver__in=[by_id[pk].driver_id for pk in made["registered"] if pk in by_id],
        created_at__gt=done.at,
    )
    for entry in entered.select_related("driver", "rally"):
        yield _("%(name)s is entered in %(rally)s.") % {"name": entry.driver, "rally": entry.rally}
    for each in made["changed"]:
        row = by_id.get(each["row"])
        now = _values(row) if row is not None else None
        if now != each["after"]:
            yield _("%(name)s was changed since.") % {"name": row.driver if row else each["after"]["crew"]}


def _values(row: Registration) -> dict[str, Any]:
    return {
        "crew": row.crew,
        "car_class": row.car_class,
        "start_number": row.start_number,
        "team": row.team.name if row.team else "",
    }


def _undo_registrations(by: User, done: ListImport) -> None:
    championship, made = championship_of(done), done.made
    championship.registrations.filter(pk__in=made["registered"]).delete()
    rows = championship.registrations.in_bulk([each["row"] for each in made["changed"]])
    championship.registrations.filter(pk__in=rows).update(start_number=None)
    teams = {team.name: team for team in championship.teams.all()}
    for each in made["changed"]:
        row, was = rows[each["row"]], each["before"]
        register(
            by=by,
            championship=championship,
            driver=row.driver,
            crew=was["crew"],
            car_class=was["car_class"],
            start_number=was["start_number"],
            team=teams.get(was["team"]),
            before=each["after"],
        )
    _take_out_teams(by, championship, made["teams"])


def _take_out_teams(by: User, championship: Championship, names: list[str]) -> None:
    """Remove the teams that the import made and nobody drives for any more."""
    empty = championship.teams.filter(name__in=names, registrations=None, adjustments=None)
    used = set(Entry.objects.filter(rally__round__championship=championship).values_list("team", flat=True))
    gone = {team.name for team in empty} - used
    if gone:
        there = championship.teams.values_list("name", flat=True)
        name_teams(by=by, championship=championship, names=[name for name in there if name not in gone])


# Results -------------------------------------------------------------------------------------------


def _results_in_the_way(done: ListImport) -> Iterator[str]:
    made = done.made
    rounds = Round.objects.filter(pk__in=made["rounds"]).select_related("rally")
    rallies = {each.rally_id: each.rally for each in rounds}
    rallies |= Rally.objects.in_bulk([each["rally"] for each in made["changed"]])
    since = {"at__gt": done.at}
    built: tuple[tuple[Any, str, dict[str, Any]], ...] = (
        (Penalty, _("A penalty was given in %(rally)s."), since),
        (TimeByHand, _("A result was set by hand in %(rally)s."), since),
        (Protest, _("There is a protest in %(rally)s."), {}),
        (Comment, _("There are comments about %(rally)s."), {}),
    )
    lookups = {Penalty: "rally", TimeByHand: "special_stage__rally", Protest: "rally", Comment: "rally"}
    for model, says, only in built:
        where = lookups[model]
        for pk in model.objects.filter(**{f"{where}__in": rallies}, **only).values_list(where, flat=True).distinct():
            yield says % {"rally": rallies[pk]}
    excluded = Exclusion.objects.filter(entry__rally__in=rallies, at__gt=done.at)
    for pk in excluded.values_list("entry__rally", flat=True).distinct():
        yield _("A car was excluded in %(rally)s.") % {"rally": rallies[pk]}
    for given in Adjustment.objects.filter(round__in=rounds, lifted_at=None).select_related("round__rally"):
        yield _("Points were given by hand in %(rally)s.") % {"rally": given.round.rally if given.round else ""}
    yield from _changed_again(done, rallies)


def _changed_again(done: ListImport, rallies: dict[int, Rally]) -> Iterator[str]:
    """Yield the rounds that a later import has changed."""
    later = ListImport.objects.filter(
        club=done.club, target=done.target, purpose=done.purpose, state=ListImport.State.DONE, at__gt=done.at
    )
    for other in later:
        for each in other.made["changed"]:
            if each["rally"] in rallies:
                words = {"rally": rallies[each["rally"]], "list": other}
                yield _("%(rally)s was changed by a later list, %(list)s: undo that one first.") % words


def _undo_results(by: User, done: ListImport) -> None:
    championship, made = championship_of(done), done.made
    rounds = list(championship.rounds.filter(pk__in=made["rounds"]).select_related("rally"))
    Round.objects.filter(pk__in=[each.pk for each in rounds]).delete()
    remove_imported_rallies(by=by, rallies=[each.rally for each in rounds])
    for changed in made["changed"]:
        rally = Rally.objects.filter(pk=changed["rally"]).first()
        if rally is not None:
            restore_snapshot(by=by, rally=rally, kept=changed["kept"])
    renumber_rounds(championship)
    User.objects.filter(NAMES_ONLY, pk__in=made["names"], entries=None, registrations=None).delete()
    _take_out_teams(by, championship, made["teams"])


_UNDO = {
    "courses": courses.undo,
    "members": _undo_nothing,
    "entries": _undo_entries,
    "registrations": _undo_registrations,
    "results": _undo_results,
}
_IN_THE_WAY = {
    "courses": courses.in_the_way,
    "members": _members_in_the_way,
    "entries": _entries_in_the_way,
    "registrations": _registrations_in_the_way,
    "results": _results_in_the_way,
}


# One round ---------------------------------------------------------------------------------------


@transaction.atomic
def delete_imported_round(*, by: User, round: Round) -> None:
    """Delete an imported round with its rally; later rounds move up. Only organisers.

    Raises: Refused when the round was driven here, or when officials have dealt with it.
    Raises: Stale when the round was deleted already.
    """
    championship = Championship.objects.select_for_update(of=("self",)).get(pk=round.championship_id)
    require_role(by, championship.club, Role.ORGANISER)
    found = championship.rounds.select_related("rally").filter(pk=round.pk).first()
    if found is None:
        raise Stale(_("This round is removed already."))
    found.delete()
    remove_imported_rallies(by=by, rallies=[found.rally])
    renumber_rounds(championship)
