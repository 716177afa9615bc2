"""A season that fits its calendar: earlier runs improve the estimate of rallies, and an overlap brings a warning."""

from datetime import date, timedelta

import pytest
from django.db.models import F

from championship.rallies.models import Entry
from championship.runs.models import Post, Run, Turn
from championship.runs.watch.lengths import RunAverages, estimate_of, run_averages
from championship.seasons import rally_defaults
from championship.seasons.calendar_fit import fit_of, fits_of_plan
from championship.seasons.season_plans import Plan, PlannedRound, available_stages
from championship.seasons.services import season_drafts
from tests.championship.rallies.factories import designs, make_rally
from tests.championship.runs.factories import driven
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_the_estimate_learns_from_runs_of_that_size_and_from_how_fast_the_club_answers():
    run, (ana, _bo) = driven("Ana", "Bo", stages=("4/1",))
    club = run.special_stage.rally.club
    for number in (2, 3):
        again, _cars = driven("Ana", "Bo", stages=("4/1",), turn_hours=24 + number)
        assert again.special_stage.rally.club_id != club.pk, "runs of other clubs count, their answers do not"
    assert run_averages(club, "dirt", 2) == RunAverages(), "codrivers teach nothing"
    Entry.objects.update(driven_by="person")
    known = run_averages(club, "dirt", 2)
    assert known.turns is not None and 4 <= known.turns <= 12
    assert run_averages(club, "dirt", 6).turns is None
    Turn.objects.filter(run=run).update(ended_at=F("since") + timedelta(hours=6))
    assert run_averages(club, "dirt", 2).answer is None, "nobody has sent these turns"
    Post.objects.filter(run=run).update(by=ana.driver)
    assert run_averages(club, "dirt", 2).answer == 6 * 3600
    Run.objects.exclude(pk=run.pk).update(status=Run.Status.CANCELLED)
    assert run_averages(club, "dirt", 2).turns is None, "one run is not enough"


def test_rounds_together_and_small_tables_let_a_rally_of_twelve_fit_four_weeks():
    olga = make_user("Olga Organiser")
    club = make_club(owner=olga)
    rally = make_rally(by=olga, club=club)
    courses = [stage.spec for stage in rally.stages.all()]
    apart = estimate_of(rally, courses=courses, cars=12, known=RunAverages())
    rally.rounds_together, rally.table_size = True, rally_defaults.LEAGUE_TABLE
    together = estimate_of(rally, courses=courses, cars=12, known=RunAverages())
    assert apart.days > 60
    assert together.days <= 28
    assert rally_defaults.from_json(Plan().rally_settings, rally.game)["timekeeping"]["rounds_together"]
    assert not rally_defaults.from_json({}, rally.game)["timekeeping"]["rounds_together"], "seasons that stand stay"


def test_the_wizard_and_the_desk_warn_where_a_rally_meets_the_next_round():
    olga = make_user("Olga Organiser")
    club = make_club(owner=olga)
    designs("1/1")
    plan = Plan(rounds=(PlannedRound("One", date(2027, 3, 6), "1"), PlannedRound("Two", date(2027, 3, 9), "2")))
    first, last = fits_of_plan(plan, club, available_stages(club))
    assert (first.name, first.next_day, first.overlaps_next) == ("One", date(2027, 3, 9), True)
    assert (last.name, last.next_day, last.overlaps_next) == ("Two", None, False)
    draft = season_drafts.begin_draft(by=olga, club=club)
    draft = season_drafts.save_draft(by=olga, draft=draft, version=0, name="Cup", rounds=plan.rounds)
    client = signed_in(olga)
    for step in ("calendar/", "preview/"):
        assert "too long" in client.get(f"/season-drafts/{draft.key}/{step}").content.decode()
    made = season_drafts.make_season(by=olga, draft=draft, version=draft.version)
    rally = made.rounds.get(number=1).rally
    assert rally.together
    assert fit_of(rally, date(2027, 3, 6)).until == first.until
    desk = client.get(f"/rallies/{rally.key}/desk/").content.decode()
    assert "before this one is likely to be over" in desk
    rally.round.delete()
    assert "How long it takes" in (desk := client.get(f"/rallies/{rally.key}/desk/").content.decode())
    assert "before this one is likely to be over" not in desk
