"""Protests, decisions and appeals: who may, until when, and what follows in the classification."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.http import Http404
from django.test import Client

from championship.accounts.models import User
from championship.audit.models import Record
from championship.clubs.models import Role
from championship.notices.models import Notice
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.models import Entry, SpecialStage
from championship.rallies.results.selectors import results_of
from championship.runs import play as runs
from championship.seasons import services as seasons
from championship.seasons.rulings_told import rulings_of
from championship.seasons.selectors import table
from championship.stewards import services
from championship.stewards.models import Decision, Protest
from tests import worlds
from tests.championship.rallies.factories import drive, organiser_of, stage_of, started
from tests.championship.runs.factories import on_the_road
from tests.factories import make_member, signed_in

pytestmark = pytest.mark.django_db


def one_stage():
    """A rally of one stage that is over: Ana before Bo before Cem; Sten and Stella judge."""
    rally, (ana, bo, cem) = started("Ana", "Bo", "Cem", stages=("1/3",))
    drive(rally, 1, {ana: 200, bo: 210, cem: 220})
    rally.refresh_from_db()
    sten = make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    stella = make_member(rally.club, name="Stella", roles=[Role.STEWARD])
    return rally, ana, bo, cem, sten, stella


@pytest.fixture
def scene():
    return worlds.scene(one_stage)


def order(rally) -> list[tuple[int | None, str, int | None]]:
    return [(line.place, line.entry.crew, line.total) for line in results_of(rally).overall]


def test_a_protest_is_decided_and_the_penalty_counts_at_once(scene):
    rally, ana, bo, _cem, sten, _stella = scene
    protest = services.file_protest(by=bo.driver, rally=rally, text="Ana blocked the road.", against=ana)

    decision = services.decide(
        by=sten, rally=rally, kind="penalty", text="So she did.", protest=protest, entry=ana, amount=15
    )

    assert order(rally) == [(1, "Bo", 210), (2, "Ana", 215), (3, "Cem", 220)]
    protest.refresh_from_db()
    assert (protest.status, protest.decision) == (Protest.Status.DECIDED, decision)
    recipients = Notice.objects.filter(kind="decision taken").values_list("recipient__name", flat=True)
    assert set(recipients) == {"Ana", "Bo"}
    assert Record.objects.filter(action="decision taken", club_id=rally.club_id).exists()


def test_a_bot_files_no_protest_and_no_appeal(scene):
    rally, ana, bo, _cem, sten, _stella = scene
    decision = services.decide(by=sten, rally=rally, kind="penalty", text="Late.", entry=bo, amount=15)
    page = f"/rallies/{rally.key}/stewards/"
    assert "stewards/protest/" in signed_in(bo.driver).get(page).text
    # bo.driver still has the old value, like a user that a request has loaded before.
    User.objects.filter(pk=bo.driver_id).update(is_bot=True)
    with pytest.raises(Forbidden):
        services.file_protest(by=bo.driver, rally=rally, text="Ana blocked the road.", against=ana)
    with pytest.raises(Forbidden):
        services.appeal(by=bo.driver, decision=decision, text="Was not.")
    assert not Protest.objects.exists()
    assert "stewards/protest/" not in signed_in(bo.driver).get(page).text


def test_stewards_and_the_accused_are_notified_of_a_protest(scene):
    rally, ana, bo, _cem, _sten, _stella = scene
    services.file_protest(by=bo.driver, rally=rally, text="Ana blocked the road.", against=ana)
    recipients = Notice.objects.filter(kind="protest filed").values_list("recipient__name", flat=True)
    assert set(recipients) == {"Ana", "Sten", "Stella"}
    threads = Notice.objects.filter(kind="protest filed").values_list("thread", flat=True)
    assert set(threads) == {f"rally {rally.key}"}, "shown with the other letters of their rally"


def test_an_excluded_entry_keeps_its_times_and_loses_its_place_and_points(scene):
    rally, ana, _bo, _cem, sten, _stella = scene
    olga = organiser_of(rally)
    season = seasons.create_championship(by=olga, club=rally.club, name="Season")
    seasons.add_round(by=olga, championship=season, rally=rally)

    services.decide(by=sten, rally=rally, kind="exclusion", text="Wrong tyres.", entry=ana)

    assert order(rally) == [(1, "Bo", 210), (2, "Cem", 220), (None, "Ana", 200)]
    assert [(line.place, line.who.name, line.total) for line in table(season).drivers] == [
        (1, "Bo", 25),
        (2, "Cem", 18),
        (3, "Ana", 0),
    ]


def test_a_stage_time_set_by_hand_replaces_the_one_driven(scene):
    rally, _ana, _bo, cem, sten, _stella = scene
    stage = stage_of(rally, 1)
    services.decide(
        by=sten, rally=rally, kind="stage time", text="He was held up.", entry=cem, special_stage=stage, amount=205
    )
    assert order(rally) == [(1, "Ana", 200), (2, "Cem", 205), (3, "Bo", 210)]
    with pytest.raises(Refused) as refusal:
        services.decide(
            by=sten, rally=rally, kind="stage time", text="Again.", entry=cem, special_stage=stage, amount=1
        )
    assert refusal.value.field == "special_stage"


@pytest.mark.parametrize(
    ("kind", "more"),
    [("penalty", {"amount": 100}), ("exclusion", {}), ("stage time", {"amount": 999})],
)
def test_only_another_decision_undoes_a_decision_and_restores_everything(scene, kind, more):
    rally, ana, _bo, _cem, sten, stella = scene
    before = order(rally)
    stage = stage_of(rally, 1) if kind == "stage time" else None
    decision = services.decide(by=sten, rally=rally, kind=kind, text="Because.", entry=ana, special_stage=stage, **more)
    assert order(rally) != before

    undoing = services.decide(by=stella, rally=rally, kind="reversal", text="We were wrong.", undoes=decision)

    assert order(rally) == before
    with pytest.raises(Stale):
        services.decide(by=stella, rally=rally, kind="reversal", text="Twice.", undoes=decision)
    with pytest.raises(Refused):
        services.decide(by=stella, rally=rally, kind="reversal", text="Back.", undoes=undoing)
    assert Decision.objects.count() == 2


@pytest.mark.parametrize("statement", ["UPDATE stewards_decision SET text = 'x'", "DELETE FROM stewards_decision"])
def test_the_database_keeps_decisions_as_they_are(scene, statement):
    rally, ana, _bo, _cem, sten, _stella = scene
    services.decide(by=sten, rally=rally, kind="reprimand", text="Careful.", entry=ana)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert order(rally)[0] == (1, "Ana", 200), "a reprimand costs nothing"


def test_nobody_judges_in_their_own_case(scene):
    rally, ana, bo, cem, sten, _stella = scene
    for driver in (ana, bo):
        rally.club.memberships.filter(user=driver.driver).update(roles=[Role.DRIVER, Role.STEWARD])
    protest = services.file_protest(by=bo.driver, rally=rally, text="Ana blocked the road.", against=ana)

    for judge in (ana.driver, bo.driver):
        with pytest.raises(Forbidden):
            services.decide(by=judge, rally=rally, kind="no action", text="Nothing.", protest=protest)
    with pytest.raises(Forbidden):
        services.decide(by=ana.driver, rally=rally, kind="penalty", text="A bonus.", entry=ana, amount=-60)
    exclusion = services.decide(by=sten, rally=rally, kind="exclusion", text="Out.", entry=ana)
    with pytest.raises(Forbidden):
        services.decide(by=ana.driver, rally=rally, kind="reversal", text="In again.", undoes=exclusion)
    with pytest.raises(Forbidden):
        services.decide(by=ana.driver, rally=rally, kind="reprimand", text="Noise.", entry=cem)
    protest.refresh_from_db()
    assert protest.status == Protest.Status.OPEN


def test_only_stewards_of_the_club_decide_and_only_its_drivers_protest(scene):
    rally, ana, bo, _cem, _sten, _stella = scene
    with pytest.raises(Forbidden):
        services.decide(by=organiser_of(rally), rally=rally, kind="exclusion", text="Out.", entry=ana)
    with pytest.raises(Forbidden):
        services.decide(by=bo.driver, rally=rally, kind="exclusion", text="Out.", entry=ana)
    with pytest.raises(Http404):
        services.decide(by=make_member(started("X")[0].club), rally=rally, kind="no action", text="Hello.")
    with pytest.raises(Http404):
        services.file_protest(by=make_member(rally.club), rally=rally, text="I only watched.")
    assert not Decision.objects.exists()


def test_protests_are_heard_within_the_window_after_the_end(scene):
    rally, _ana, bo, _cem, _sten, _stella = scene
    services.set_terms(by=organiser_of(rally), rally=rally, protest_hours=24, appeal_hours=1)
    stage = stage_of(rally, 1)
    SpecialStage.objects.filter(pk=stage.pk).update(closed_at=stage.closed_at - timedelta(hours=23))
    services.file_protest(by=bo.driver, rally=rally, text="In time.", special_stage=stage_of(rally, 1))
    SpecialStage.objects.filter(pk=stage.pk).update(closed_at=stage.closed_at - timedelta(hours=25))
    with pytest.raises(Refused):
        services.file_protest(by=bo.driver, rally=rally, text="Too late.", special_stage=stage_of(rally, 1))
    assert Protest.objects.count() == 1


def test_a_replaced_driver_still_cannot_judge_in_their_own_case():
    _run, (ana, bo) = on_the_road("Ana", "Bo")
    rally, ida = ana.rally, ana.driver
    rally.club.memberships.filter(user=ida).update(roles=[Role.DRIVER, Role.STEWARD])
    make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    protest = services.file_protest(by=ida, rally=rally, text="Bo blocked the road.", against=bo)
    eva = make_member(rally.club, name="Eva")
    runs.replace_driver(
        by=organiser_of(rally), entry=ana, driver=eva, instead_of=ida.pk, crew="Eva", reason="Ana is ill."
    )
    for said in (
        {"protest": protest, "entry": bo, "amount": 60},
        {"entry": Entry.objects.get(pk=ana.pk), "amount": -9},
    ):
        with pytest.raises(Forbidden):
            services.decide(by=ida, rally=rally, kind="penalty", text="So it was.", **said)


def test_nobody_judges_a_decision_on_their_own_protest(scene):
    rally, ana, bo, _cem, sten, _stella = scene
    rally.club.memberships.filter(user=bo.driver).update(roles=[Role.DRIVER, Role.STEWARD])
    protest = services.file_protest(by=bo.driver, rally=rally, text="Ana blocked the road.", against=ana)
    decision = services.decide(
        by=sten, rally=rally, kind="penalty", text="So she did.", protest=protest, entry=ana, amount=5
    )
    appeal = services.appeal(by=ana.driver, decision=decision, text="I did not.")
    with pytest.raises(Forbidden):
        services.decide(by=bo.driver, rally=rally, kind="no action", text="She did.", protest=appeal)
    with pytest.raises(Forbidden):
        services.decide(by=bo.driver, rally=rally, kind="reversal", text="Too little.", undoes=decision)


def test_an_appeal_is_judged_by_another_steward(scene):
    rally, ana, bo, _cem, sten, stella = scene
    decision = services.decide(by=sten, rally=rally, kind="penalty", text="Late.", entry=ana, amount=30)
    with pytest.raises(Forbidden):
        services.appeal(by=bo.driver, decision=decision, text="Not my matter.")
    appeal = services.appeal(by=ana.driver, decision=decision, text="I was in time.")
    with pytest.raises(Stale):
        services.appeal(by=ana.driver, decision=decision, text="Once more.")
    with pytest.raises(Forbidden):
        services.decide(by=sten, rally=rally, kind="no action", text="I was right.", protest=appeal)

    services.decide(by=stella, rally=rally, kind="reversal", text="She was.", protest=appeal, undoes=decision)

    assert order(rally)[0] == (1, "Ana", 200)


def test_only_its_author_withdraws_a_protest_and_then_it_cannot_be_decided(scene):
    rally, ana, bo, _cem, sten, _stella = scene
    protest = services.file_protest(by=bo.driver, rally=rally, text="Hm.", against=ana)
    with pytest.raises(Forbidden):
        services.withdraw_protest(by=ana.driver, protest=protest)
    services.withdraw_protest(by=bo.driver, protest=protest)
    with pytest.raises(Stale):
        services.decide(by=sten, rally=rally, kind="no action", text="Nothing.", protest=protest)
    with pytest.raises(Stale):
        services.withdraw_protest(by=bo.driver, protest=protest)
    assert Protest.objects.get().status == Protest.Status.WITHDRAWN


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"kind": "flogging"}, "kind"),
        ({"kind": "penalty", "amount": 0}, "amount"),
        ({"kind": "penalty", "amount": 3601}, "amount"),
        ({"kind": "penalty", "amount": 5, "entry": None}, "entry"),
        ({"kind": "stage time", "amount": 5}, "special_stage"),
        ({"kind": "reversal"}, "undoes"),
        ({"kind": "reprimand", "text": " "}, "text"),
        ({"kind": "reprimand", "text": "x" * 4001}, "text"),
    ],
)
def test_nonsense_is_refused_by_field_and_changes_nothing(scene, wrong, field):
    rally, ana, _bo, _cem, sten, _stella = scene
    before = order(rally)
    with pytest.raises(Refused) as refusal:
        services.decide(by=sten, rally=rally, **{"text": "Because.", "entry": ana, **wrong})
    assert refusal.value.field == field
    assert order(rally) == before and not Decision.objects.exists()


# What a season's table says of it --------------------------------------------------------------------


def test_a_total_names_the_decisions_behind_it(scene, django_assert_num_queries):
    rally, ana, bo, cem, sten, _stella = scene
    olga = organiser_of(rally)
    shown = seasons.create_championship(by=olga, club=rally.club, name="2026")
    seasons.add_round(by=olga, championship=shown, rally=rally)
    services.decide(by=sten, rally=rally, kind="penalty", text="She blocked the road.", entry=ana, amount=15)
    services.decide(by=sten, rally=rally, kind="exclusion", text="His car was too light.", entry=cem)
    undone = services.decide(by=sten, rally=rally, kind="penalty", text="Late to the start.", entry=ana, amount=30)
    services.decide(by=sten, rally=rally, kind="reversal", text="He was not.", undoes=undone)
    member, visitor = signed_in(bo.driver), Client()

    ana_page = member.get(f"/championships/{shown.key}/drivers/{ana.driver_id}/").text

    decision = f'<a href="/rallies/{rally.key}/stewards/#decision-1">decision 1</a>'
    assert f"<strong>Penalty +0:15</strong>: She blocked the road. ({decision})" in ana_page
    assert "Late to the start." not in ana_page
    cem_page = visitor.get(f"/championships/{shown.key}/drivers/{cem.driver_id}/").text
    assert "<strong>Excluded</strong>: His car was too light. (decision 2)" in cem_page
    found = table(shown)
    line = next(each for each in found.drivers if each.who.pk == ana.driver_id)
    with django_assert_num_queries(4):
        assert [told.number for told in rulings_of(found, line)[found.rounds[0].pk]] == [1]


def test_a_total_says_which_stage_a_decision_is_about_and_what_it_gave(scene):
    rally, ana, bo, _cem, sten, _stella = scene
    shown = seasons.create_championship(by=organiser_of(rally), club=rally.club, name="2026")
    seasons.add_round(by=organiser_of(rally), championship=shown, rally=rally)
    first = rally.stages.get(number=1)
    for kind, more in (
        ("penalty", {"entry": ana, "amount": -5}),
        ("penalty", {"entry": bo, "amount": 20, "special_stage": first}),
        ("stage time", {"entry": ana, "amount": 210, "special_stage": first}),
    ):
        services.decide(by=sten, rally=rally, kind=kind, text="Seen on film.", **more)
    services.decide(by=sten, rally=rally, kind="struck", text="A cow\non the road.", special_stage=rally.stages.last())

    def page(entry):
        return Client().get(f"/championships/{shown.key}/drivers/{entry.driver_id}/").text

    struck = f"<strong>{rally.stages.last().title} is struck out</strong>: A cow on the road. (decision 4)"
    assert "<strong>Bonus −0:05</strong>: Seen on film. (decision 1)" in page(ana)
    assert f"<strong>{first.title} set by hand: 3:30</strong>: Seen on film. (decision 3)" in page(ana)
    assert f"<strong>{first.title}: Penalty +0:20</strong>: Seen on film. (decision 2)" in page(bo)
    assert struck in page(ana) and struck in page(bo)
