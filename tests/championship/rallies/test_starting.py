"""The draw, the start, and the start lists of later stages (O2)."""

import pytest

from championship.audit.models import Record
from championship.notices.models import Notice
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services
from championship.rallies.control import career
from championship.rallies.followers import rally_followers
from championship.rallies.models import Entry, Rally, SpecialStage, StartPlace
from tests.championship.rallies.factories import NEW_CAR, drive, enter, make_rally, organiser_of, stage_of, started
from tests.championship.rallies.followers import Heard, Refusing
from tests.factories import make_member, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]


def order(rally, number) -> list[str]:
    places = StartPlace.objects.filter(special_stage__rally=rally, special_stage__number=number)
    return [place.entry.crew for place in places.select_related("entry").order_by("position")]


@pytest.fixture
def opened(nobody_listens):
    """The stages that followers were told are ready."""
    heard = Heard()
    rally_followers.register(heard)
    return heard.ready


def test_o2_the_first_start_list_is_random_and_logged():
    rally = make_rally()
    names = [f"Driver {n}" for n in range(30)]
    enter(rally, *names)
    services.draw_start_list(by=organiser_of(rally), rally=rally)
    drawn = order(rally, 1)
    assert sorted(drawn) == sorted(names)
    assert drawn != names
    record = Record.objects.get(action="start list drawn")
    assert [crew.split(" ", 1)[1] for crew in record.details["order"]] == drawn


def test_the_draw_is_valid_until_entries_change():
    rally = make_rally()
    enter(rally, "Ana", "Bo")
    services.draw_start_list(by=organiser_of(rally), rally=rally)
    with pytest.raises(Stale):
        services.draw_start_list(by=organiser_of(rally), rally=rally)


def test_a_rally_without_entries_cannot_be_drawn_or_started():
    rally = make_rally()
    for do in (services.draw_start_list, services.start_rally):
        with pytest.raises(Refused):
            do(by=organiser_of(rally), rally=rally)
    rally.refresh_from_db()
    assert (rally.status, rally.started_at) == (Rally.Status.ENTRIES, None)
    assert not StartPlace.objects.exists()


def test_the_start_draws_prepares_cars_opens_stage_one_and_notifies_the_drivers(opened):
    rally = make_rally()
    entries = enter(rally, "Ana", "Bo")
    services.set_driven_by(by=organiser_of(rally), entry=entries[1], driven_by="codriver")
    services.start_rally(by=organiser_of(rally), rally=rally)
    rally.refresh_from_db()
    stage = stage_of(rally, 1)
    assert (rally.status, stage.status) == (Rally.Status.RUNNING, SpecialStage.Status.RUNNING)
    assert opened == [stage]
    assert sorted(order(rally, 1)) == ["Ana", "Bo"]
    assert [entry.car for entry in Entry.objects.all()] == [NEW_CAR, NEW_CAR]
    assert [notice.recipient for notice in Notice.objects.filter(kind="rally started")] == [entries[0].driver]


def test_entries_that_are_not_confirmed_at_the_start_do_not_take_part():
    rally = make_rally()
    enter(rally, "Ana")
    late = services.enter_rally(by=make_member(rally.club, name="Late"), rally=rally, crew="Late")
    services.start_rally(by=organiser_of(rally), rally=rally)
    late.refresh_from_db()
    assert late.status == Entry.Status.REFUSED
    assert Record.objects.get(action="rally started").details == {"refused because not confirmed": ["Late"]}


def test_starting_twice_is_stale_and_opens_one_stage(opened):
    rally, _entries = started("Ana")
    with pytest.raises(Stale):
        services.start_rally(by=organiser_of(rally), rally=rally)
    assert len(opened) == 1


def test_drivers_cannot_draw_or_start():
    rally = make_rally()
    (ana,) = enter(rally, "Ana")
    for do in (services.draw_start_list, services.start_rally, services.start_next_stage):
        with pytest.raises(Forbidden):
            do(by=ana.driver, rally=rally)


def test_a_refusal_by_a_follower_rolls_the_start_back():
    rally = make_rally()
    enter(rally, "Ana")
    rally_followers.register(Refusing())
    with pytest.raises(Refused, match="no road"):
        services.start_rally(by=organiser_of(rally), rally=rally)
    rally.refresh_from_db()
    assert rally.status == Rally.Status.ENTRIES
    assert not StartPlace.objects.exists()


def test_cars_that_start_one_after_another_have_different_colours():
    few, _entries = started(*[f"Driver {n}" for n in range(10)])
    assert list(few.entries.order_by("start_number").values_list("colour", flat=True)) == list(range(10))
    many, _entries = started(*[f"Driver {n}" for n in range(12)])
    places = stage_of(many, 1).start_places.select_related("entry").order_by("position")
    assert [place.entry.colour for place in places] == [*range(10), 0, 1]


def test_o2_later_start_lists_go_by_total_time_then_the_last_stage():
    rally, (ana, bo, cem, dag) = started(options={"checkpoints": False})
    drive(rally, 1, {ana: 200, bo: 190, cem: 210, dag: 300})
    assert order(rally, 2) == ["Bo", "Ana", "Cem", "Dag"]
    drive(rally, 2, {ana: 200, bo: 210, cem: 205, dag: 100})
    # Ana, Bo and Dag have 400 seconds each; on the last stage Dag was fastest, then Ana.
    assert order(rally, 3) == ["Dag", "Ana", "Bo", "Cem"]
    assert Record.objects.filter(action="start list by time").count() == 2


def test_o2_the_order_of_full_ties_is_random():
    firsts = set()
    for _again in range(12):
        rally, entries = started("Ana", "Bo", "Cem", options={"checkpoints": False})
        drive(rally, 1, dict.fromkeys(entries, 200))
        firsts.add(order(rally, 2)[0])
        if len(firsts) > 1:
            break
    assert len(firsts) > 1


def test_stages_wait_for_the_organiser_where_the_rally_says_so(opened):
    rally, (ana,) = started("Ana", options={"checkpoints": False}, auto_start=False)
    drive(rally, 1, {ana: 200})
    assert stage_of(rally, 2).status == SpecialStage.Status.PLANNED
    assert order(rally, 2) == ["Ana"]
    olga = organiser_of(rally)
    with pytest.raises(Stale):
        services.start_next_stage(by=olga, rally=rally, number=3)
    services.start_next_stage(by=olga, rally=rally, number=2)
    with pytest.raises(Stale):
        services.start_next_stage(by=olga, rally=rally, number=2)
    assert [stage.number for stage in opened] == [1, 2]


def test_no_stage_is_next_before_the_start_or_after_the_end():
    rally = make_rally(stages=("1/3",))
    (ana,) = enter(rally, "Ana")
    with pytest.raises(Refused):
        services.start_next_stage(by=organiser_of(rally), rally=rally)
    services.start_rally(by=organiser_of(rally), rally=rally)
    drive(rally, 1, {ana: 200})
    with pytest.raises(Refused):
        services.start_next_stage(by=organiser_of(rally), rally=rally)


def test_r7_only_drivers_who_have_finished_few_stages_begin_as_newcomers(django_assert_num_queries):
    earlier, (ana, bo) = started("Ana", "Bo", stages=("1/1",))
    drive(earlier, 1, {ana: 100, bo: None})
    rally = make_rally(
        by=organiser_of(earlier), club=earlier.club, options={"sisu_for": "newcomers", "newcomer_stages": 1}
    )
    for entry in (ana, bo):
        services.enter_rally(by=entry.driver, rally=rally, crew=entry.crew)
    services.confirm_all(by=organiser_of(rally), rally=rally)
    services.start_rally(by=organiser_of(rally), rally=rally)
    cars = {entry.crew: entry.car for entry in rally.entries.all()}
    assert {crew: (car["sisu"], car["newcomer"]) for crew, car in cars.items()} == {
        "Ana": (False, False),
        "Bo": (True, True),
    }
    with django_assert_num_queries(0):
        assert career.finished_stages(earlier, [ana.driver_id]) == {}, "no rally asks who is no newcomer"


def entered_for_newcomers(*names: str, **options):
    """A driver Ana who has finished a stage, and a rally for newcomers with confirmed entries of her and of these."""
    earlier, (ana,) = started("Ana", stages=("1/1",))
    drive(earlier, 1, {ana: 100})
    by, options = organiser_of(earlier), options or {"sisu_for": "newcomers", "newcomer_stages": 1}
    rally = make_rally(by=by, club=earlier.club, options=options)
    people = [ana.driver, *(make_member(earlier.club, name=name) for name in names)]
    entries = [services.enter_rally(by=person, rally=rally, crew=person.name) for person in people]
    services.confirm_all(by=by, rally=rally)
    return rally, by, entries


def test_r7_an_organiser_says_who_is_a_newcomer_and_the_count_does_not_matter():
    rally, by, (ana, bo, cem) = entered_for_newcomers("Bo", "Cem")
    services.mark_newcomer(by=by, entry=ana, newcomer="yes")
    services.mark_newcomer(by=by, entry=bo, newcomer="no")
    services.mark_newcomer(by=by, entry=bo, newcomer="no")  # the same again
    services.mark_newcomer(by=by, entry=cem, newcomer="no")
    services.mark_newcomer(by=by, entry=cem, newcomer="")
    assert Record.objects.filter(action="newcomer marked").count() == 4
    services.start_rally(by=by, rally=rally)
    cars = {entry.crew: entry.car for entry in rally.entries.all()}
    assert {crew: (car["sisu"], car["newcomer"]) for crew, car in cars.items()} == {
        "Ana": (True, True),
        "Bo": (False, False),
        "Cem": (True, True),
    }
    with pytest.raises(Stale):
        services.mark_newcomer(by=by, entry=cem, newcomer="no")


def test_only_organisers_mark_newcomers_and_only_where_the_rally_asks_for_them():
    _rally, by, (ana, _bo) = entered_for_newcomers("Bo")
    with pytest.raises(Forbidden):
        services.mark_newcomer(by=ana.driver, entry=ana, newcomer="yes")
    with pytest.raises(Refused) as refusal:
        services.mark_newcomer(by=by, entry=ana, newcomer="perhaps")
    assert refusal.value.field == "newcomer"
    other, by, (ana,) = entered_for_newcomers(sisu_for="all")
    with pytest.raises(Refused) as refusal:
        services.mark_newcomer(by=by, entry=ana, newcomer="yes")
    assert refusal.value.field == "newcomer" and Entry.objects.get(pk=ana.pk).newcomer == ""
    assert 'name="newcomer"' not in signed_in(by).get(f"/rallies/{other.key}/desk/").text


def test_the_desk_marks_a_newcomer_and_the_driver_reads_it_with_the_rule():
    rally, by, (ana, _bo) = entered_for_newcomers("Bo")
    path = f"/rallies/{rally.key}/entries/{ana.pk}/newcomer/"
    assert f'action="{path}"' in signed_in(by).get(f"/rallies/{rally.key}/desk/").text
    assert signed_in(by).post(path, {"newcomer": "yes"}).status_code == 302
    page = signed_in(by).get(f"/rallies/{rally.key}/desk/").text
    assert '<span class="badge">a newcomer</span>' in page and '<option value="yes" selected>' in page
    mine = signed_in(ana.driver).get(f"/rallies/{rally.key}/").text
    assert "The organisers call you a newcomer." in mine and '#R7"' in mine
    for sent in ({"newcomer": "x\0"}, {}):
        assert signed_in(by).post(path, sent).status_code == 422
    assert signed_in(ana.driver).post(path, {"newcomer": "no"}).status_code == 403
    assert signed_in(make_user("Strange")).post(path, {"newcomer": "no"}).status_code in (403, 404)
    assert Entry.objects.get(pk=ana.pk).newcomer == "yes"
