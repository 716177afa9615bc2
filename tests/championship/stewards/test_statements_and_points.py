"""The accused answers a protest, a protest leads to its turn, and penalty points keep drivers out of rounds."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from championship.clubs.models import Role
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.rallies.results.selectors import results_of
from championship.seasons import services as seasons
from championship.stewards import services
from championship.stewards.models import Statement
from championship.stewards.penalty_points import Given, Started, bans, points_table
from tests.championship.rallies.factories import drive, make_rally, organiser_of, stage_of, started
from tests.championship.runs.factories import on_the_road
from tests.factories import make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    """A finished rally of Ana and Bo, judged by Sten, as the first round of a season whose second round is open."""
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3",))
    drive(rally, 1, {ana: 200, bo: 210})
    rally.refresh_from_db()
    olga = organiser_of(rally)
    season = seasons.create_championship(by=olga, club=rally.club, name="Cup")
    seasons.add_round(by=olga, championship=season, rally=rally)
    following = make_rally(by=olga, club=rally.club, name="Next", stages=("1/3",))
    seasons.add_round(by=olga, championship=season, rally=following)
    sten = make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    return rally, ana, bo, sten, season, following


def test_the_driver_whom_a_protest_is_against_answers_once_and_the_others_are_told(scene, at):
    rally, ana, bo, sten, _season, _following = scene
    protest = services.file_protest(by=bo.driver, rally=rally, text="Ana blocked the road.", against=ana)
    assert services.answer_until(protest) == protest.filed_at + timedelta(hours=24)
    with pytest.raises(Forbidden):
        services.give_statement(by=bo.driver, protest=protest, text="Me too.")
    services.give_statement(by=ana.driver, protest=protest, text="I did not.")
    assert services.answer_until(protest) is None
    told = Notice.objects.filter(kind="statement given").values_list("recipient__name", flat=True)
    assert set(told) == {"Bo", "Sten"}
    with pytest.raises(Stale):
        services.give_statement(by=ana.driver, protest=protest, text="Once more.")
    shown = signed_in(sten).get(protest.get_absolute_url()).content.decode()
    assert "Statement of Ana" in shown and "I did not." in shown


def test_stewards_wait_for_a_statement_only_until_its_time_is_over(scene, at):
    rally, ana, bo, sten, _season, _following = scene
    services.set_terms(by=organiser_of(rally), rally=rally, protest_hours=48, appeal_hours=48, answer_hours=2)
    protest = services.file_protest(by=bo.driver, rally=rally, text="Ana blocked the road.", against=ana)
    assert "may answer until" in signed_in(sten).get(protest.get_absolute_url()).content.decode()
    at(clock.now() + timedelta(hours=2))
    assert services.answer_until(protest) is None
    services.give_statement(by=ana.driver, protest=protest, text="Late, but before the decision.")
    services.decide(by=sten, rally=rally, kind="no action", text="Nothing.", protest=protest)
    protest.refresh_from_db()
    assert Statement.objects.count() == 1


def test_the_page_keeps_a_statement_that_is_refused_and_shows_the_form_to_the_accused_alone(scene):
    rally, ana, bo, sten, _season, _following = scene
    protest = services.file_protest(by=bo.driver, rally=rally, text="Ana blocked the road.", against=ana)
    page, answer = protest.get_absolute_url(), f"{protest.get_absolute_url()}answer/"
    assert "Answer the protest" in signed_in(ana.driver).get(page).content.decode()
    for other in (bo.driver, sten):
        assert "Answer the protest" not in signed_in(other).get(page).content.decode()
    refused = signed_in(ana.driver).post(answer, {"text": "x" * 4001})
    assert refused.status_code == 422 and "x" * 4001 in refused.content.decode()
    assert signed_in(bo.driver).post(answer, {"text": "Me too."}).status_code == 403
    assert signed_in(make_user()).post(answer, {"text": "Hello"}).status_code == 404
    assert signed_in(ana.driver).post(answer, {"text": "No."}).status_code == 302


def test_a_protest_about_a_turn_leads_to_it_in_the_replay():
    run, _entries = on_the_road("Ana", "Bo")
    turn = run.turns.select_related("seat__entry__driver").get(ended_at=None)
    entry, stage = turn.seat.entry, run.special_stage
    by = Entry.objects.exclude(pk=entry.pk).select_related("driver").get(rally=stage.rally).driver
    with pytest.raises(Refused) as refused:
        services.file_protest(
            by=by, rally=stage.rally, text="There.", against=entry, special_stage=stage, turn=turn.number + 99
        )
    assert refused.value.field == "turn"
    protest = services.file_protest(
        by=by, rally=stage.rally, text="There.", against=entry, special_stage=stage, turn=turn.number
    )
    shown = signed_in(by).get(protest.get_absolute_url()).content.decode()
    assert f"Turn {turn.number} in the replay" in shown and f"/runs/{run.key}/replay/?at=" in shown


def test_a_driver_who_reaches_the_points_of_a_ban_cannot_enter_the_next_round(scene):
    rally, ana, bo, sten, season, following = scene
    olga = organiser_of(rally)
    services.set_points_rule(by=olga, championship=season, ban_at=3)
    services.decide(by=sten, rally=rally, kind="reprimand", text="Careful.", entry=ana, points=2)
    rallies.enter_rally(by=ana.driver, rally=following, crew="Ana")
    rallies.withdraw_entry(by=ana.driver, entry=Entry.objects.get(rally=following, driver=ana.driver))
    last = services.decide(by=sten, rally=rally, kind="penalty", text="Again.", entry=ana, amount=5, points=1)
    with pytest.raises(Refused, match="sit this round out"):
        rallies.enter_rally(by=ana.driver, rally=following, crew="Ana")
    wanted = [rallies.EntryRequest(each.driver, each.crew) for each in (ana, bo)]
    assert [each.crew for each in rallies.enter_for(by=olga, rally=following, wanted=wanted)] == ["Bo"]
    assert [(line.driver, line.points, list(line.out)) for line in points_table(season)] == [(ana.driver, 3, [2])]
    board = signed_in(bo.driver).get(f"/championships/{season.key}/decisions/").content.decode()
    assert "1.2 Penalty or bonus" in board and "round 2" in board

    services.decide(by=sten, rally=rally, kind="reversal", text="It was Bo.", undoes=last)
    assert [line.out for line in points_table(season)] == [[]]
    rallies.enter_rally(by=ana.driver, rally=following, crew="Ana")


def test_penalty_points_need_a_season_an_entry_and_a_small_number(scene):
    rally, ana, _bo, sten, season, _following = scene
    for wrong in ({"points": 13}, {"points": -1}, {"points": 2, "entry": None, "kind": "no action"}):
        with pytest.raises(Refused) as refused:
            services.decide(**{"by": sten, "rally": rally, "kind": "reprimand", "text": "X", "entry": ana, **wrong})
        assert refused.value.field == "points"
    page = f"/championships/{season.key}/decisions/"
    assert signed_in(organiser_of(rally)).post(page, {"ban_at": "0", "rounds": "1"}).status_code == 422
    assert signed_in(organiser_of(rally)).post(page, {"ban_at": "8", "rounds": "2"}).status_code == 302
    assert signed_in(sten).post(page, {"ban_at": "1", "rounds": "1"}).status_code == 403
    assert signed_in(make_user()).get(page).status_code == 404


def test_a_stage_that_is_struck_out_counts_for_nobody_until_the_decision_is_undone():
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/1", "1/3"))
    drive(rally, 1, {ana: 200, bo: 260})
    sten = make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    with pytest.raises(Refused) as early:
        services.decide(by=sten, rally=rally, kind="struck", text="Ice.", special_stage=stage_of(rally, 2))
    assert early.value.field == "special_stage"
    rallies.close_time_control(by=organiser_of(rally), special_stage=stage_of(rally, 1))
    drive(rally, 2, {ana: 220, bo: 210})

    def order():
        results = results_of(rally)
        return [(line.entry.crew, line.total) for line in results.overall], results.winners(1)

    before = order()
    assert before[0] == [("Ana", 420), ("Bo", 470)]
    decision = services.decide(by=sten, rally=rally, kind="struck", text="Ice.", special_stage=stage_of(rally, 1))
    rally.refresh_from_db()
    assert order()[0] == [("Bo", 210), ("Ana", 220)]
    assert order()[1] == [], "nobody has won the stage that is struck out"
    shown = signed_in(bo.driver).get(stage_of(rally, 1).get_absolute_url()).content.decode()
    assert "struck out" in shown and "4:20" in shown, "its results stay to read"
    with pytest.raises(Refused):
        services.decide(by=sten, rally=rally, kind="struck", text="More ice.", special_stage=stage_of(rally, 1))
    services.decide(by=sten, rally=rally, kind="reversal", text="No ice.", undoes=decision)
    assert order() == before


points = st.builds(
    Given,
    driver=st.integers(1, 3),
    points=st.integers(1, 12),
    at=st.datetimes(),
    round=st.integers(1, 5),
)


@given(given=st.lists(points, max_size=12), ban_at=st.integers(1, 12), rounds=st.integers(1, 3))
def test_a_driver_sits_out_so_many_rounds_as_multiples_were_reached_and_never_a_round_of_the_past(
    given, ban_at, rounds
):
    calendar = [Started(number, None) for number in range(1, 80)]
    out = bans(given, calendar, ban_at=ban_at, rounds=rounds)
    for driver in (1, 2, 3):
        total = sum(each.points for each in given if each.driver == driver)
        assert len(out.get(driver, ())) == total // ban_at * rounds or total // ban_at * rounds > 60
        assert all(number > min(each.round for each in given) for number in out.get(driver, ()))
    assert bans(list(reversed(given)), list(reversed(calendar)), ban_at=ban_at, rounds=rounds) == out
