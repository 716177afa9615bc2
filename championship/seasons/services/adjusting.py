"""Points given or taken by hand, and what a round counts: its factor, points of its own, and who gets its bonuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.models import Entry
from championship.rallies.text_checks import checked_line
from championship.seasons.impartial_points import OFFICIALS, drivers_of_team, require_impartial
from championship.seasons.models import Adjustment, Championship, Round, Team
from championship.seasons.schemes import MOST_POINTS, checked_points
from championship.seasons.scoring.values import POINT, Points, as_number
from championship.seasons.season_plans import LARGEST_FACTOR
from championship.seasons.services import locked, require_version


@transaction.atomic
def give_points(
    *,
    by: User,
    championship: Championship,
    points: Points,
    reason: str,
    driver: User | None = None,
    team: Team | None = None,
    round: Round | None = None,
    version: int | None = None,
) -> Adjustment:
    """Give points in hundredths to a driver or a team, or take them (below 0). Organisers and stewards who are
    impartial (impartial_points.py). The driver, or the drivers of the team, are told.

    Raises: Forbidden (field who) for an official who is not impartial.
    Raises: Refused with the field: points, reason, who or round.
    Raises: Stale when the championship has changed since `version`, where one is given: the same points are not given
    twice.
    """
    require_role(by, championship.club, *OFFICIALS)
    championship = locked(championship)
    require_version(championship, version)
    if not 0 < abs(points) <= MOST_POINTS * POINT:
        raise Refused(_("Give or take some points, at most 1000."), field="points")
    reason = checked_line(reason, longest=500, field="reason")
    if (driver is None) == (team is None):
        raise Refused(_("Choose a driver or a team."), field="who")
    if driver is not None and not takes_part(championship, driver):
        raise Refused(_("%(name)s has no part in this season.") % {"name": driver}, field="who")
    if team is not None and team.championship_id != championship.pk:
        raise Refused(_("Choose a team of this championship."), field="who")
    if round is not None and round.championship_id != championship.pk:
        raise Refused(_("Choose a round of this championship."), field="round")
    drives = require_impartial(by, championship, driver=driver, team=team)
    made = Adjustment.objects.create(
        championship=championship, driver=driver, team=team, round=round, points=points, reason=reason, by=by
    )
    _changed(championship)
    _log(by, championship, "points given by hand", made, drives)
    _tell(made, by, "given")
    return made


@transaction.atomic
def withdraw_points(*, by: User, adjustment: Adjustment) -> None:
    """Withdraw points that were given or taken by hand: they count no longer, and stay on record. Organisers and
    stewards who are impartial. Those concerned are told. Does nothing when they were withdrawn already.

    Raises: Forbidden for an official who is not impartial.
    """
    require_role(by, adjustment.championship.club, *OFFICIALS)
    championship = locked(adjustment.championship)
    if not Adjustment.objects.filter(pk=adjustment.pk, lifted_at=None).exists():
        return
    drives = require_impartial(by, championship, driver=adjustment.driver, team=adjustment.team)
    Adjustment.objects.filter(pk=adjustment.pk).update(lifted_at=clock.now(), lifted_by=by)
    _changed(championship)
    _log(by, championship, "points by hand withdrawn", adjustment, drives)
    _tell(adjustment, by, "withdrawn")


def _tell(adjustment: Adjustment, by: User, what: str) -> None:
    """Tell the driver, or the drivers of the team, without the official. `what`: "given" or "withdrawn"."""
    team = adjustment.team
    drivers = drivers_of_team(team) if team is not None else {adjustment.driver_id or 0}
    championship = adjustment.championship
    context = {
        "season": championship.name,
        "points": str(as_number(adjustment.points)),
        "team": team.name if team is not None else "",
        "reason": adjustment.reason,
        "what": what,
    }
    enqueue_many(
        [
            Letter(
                recipient=person,
                kind="points by hand",
                subject_key=f"adjustment {adjustment.pk} {what}",
                context=context,
                link=reverse("seasons:by_hand", args=[championship.key]),
                thread=f"championship {championship.key}",
            )
            for person in User.objects.filter(pk__in=drivers).exclude(pk=by.pk)
        ]
    )


def takes_part(championship: Championship, driver: User) -> bool:
    """Return whether the driver is registered for the season, or has an entry in one of its rounds."""
    entries = Entry.objects.filter(rally__round__championship=championship, driver=driver)
    return championship.registrations.filter(driver=driver).exists() or entries.exists()


@dataclass(frozen=True, slots=True)
class RoundScoring:
    """What a round counts. `factor` in hundredths; `points` are empty for those of the scheme; ids of the drivers who
    get the bonuses, or None.
    """

    factor: int = 100
    points: Sequence[float] = ()
    fastest_lap_by: int | None = None
    pole_by: int | None = None


@transaction.atomic
def change_round_scoring(
    *, by: User, championship: Championship, version: int | None, scoring: Mapping[int, RoundScoring]
) -> list[Round]:
    """Change what rounds count, by round id, also of rounds that are over. Only organisers.

    Raises: Refused with a field such as `factor_<id>` or `points_<id>`.
    Raises: Stale when the championship has changed since `version`, unless it already has these values.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = locked(championship)
    rounds = list(championship.rounds.select_related("rally").order_by("number"))
    before = {each.pk: _scoring_of(each) for each in rounds}
    for each in rounds:
        said = scoring.get(each.pk, before[each.pk])
        if not 0 <= said.factor <= LARGEST_FACTOR:
            raise Refused(_("A factor goes from 0 to 10."), field=f"factor_{each.pk}")
        each.factor = said.factor
        each.points = checked_points(said.points, field=f"points_{each.pk}") if said.points else []
        drove = set(
            Entry.objects.filter(rally=each.rally_id, status=Entry.Status.CONFIRMED).values_list("driver_id", flat=True)
        )
        for name in ("fastest_lap_by", "pole_by"):
            driver = getattr(said, name)
            if driver is not None and driver not in drove:
                raise Refused(_("Choose a driver of this round."), field=f"{name}_{each.pk}")
            setattr(each, f"{name}_id", driver)
    changed = [each for each in rounds if _scoring_of(each) != before[each.pk]]
    if not changed:
        return rounds
    require_version(championship, version)
    _changed(championship)
    Round.objects.bulk_update(changed, ["factor", "points", "fastest_lap_by", "pole_by"])
    audit.record(
        actor=by,
        action="points of rounds changed",
        subject=championship,
        club_id=championship.club_id,
        details={"championship": championship.name, "calendar": [_in_log(each) for each in changed]},
    )
    return rounds


def _scoring_of(each: Round) -> RoundScoring:
    return RoundScoring(each.factor, tuple(each.points), each.fastest_lap_by_id, each.pole_by_id)


def _in_log(each: Round) -> str:
    points = ", ".join(map(str, each.points))
    return f"{each.number}. {each.rally.name} × {each.factor / 100:g}" + (f": {points}" if points else "")


def _changed(championship: Championship) -> None:
    championship.version += 1
    championship.save(update_fields=["version"])


def _log(by: User, championship: Championship, action: str, adjustment: Adjustment, drives: bool) -> None:
    audit.record(
        actor=by,
        action=action,
        subject=championship,
        club_id=championship.club_id,
        details={
            "championship": championship.name,
            "driver" if adjustment.driver_id else "team": str(adjustment.driver or adjustment.team),
            "given_points": str(as_number(adjustment.points)),
            "reason": adjustment.reason,
            **({"author_takes_part": "yes"} if drives else {}),
        },
    )
