"""The season's own clock: from the day when entries open to the start of each round, and organisers who hold it."""

from datetime import timedelta

import pytest

from championship.audit.models import Record
from championship.deadlines.tasks import sweep
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.models import Entry, Rally
from championship.seasons import services
from championship.seasons.clock import services as clocks
from championship.seasons.clock.selectors import questions_for, rounds_by_clock
from championship.seasons.clock.services.acting import answer, token_for
from championship.seasons.models import CheckIn, Round, RoundAct, SeasonClock
from championship.seasons.services import registering
from tests.championship.rallies.factories import drive, make_rally
from tests.championship.seasons.scenes import people
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
RUNS = {"running": True, "zone": "UTC", "opens_days": 10, "asks_hours": 48, "closes_hours": 24}


@pytest.fixture
def season():
    """A season of two rounds in a club of four registered drivers: the first in twenty days, the second without a day.
    Three cars fit in.
    """
    olga = make_user("Olga Organiser")
    club = make_club(owner=olga)
    made = services.create_championship(by=olga, club=club, name="Cup")
    for driver in people(club, 4):
        registering.register(by=olga, championship=made, driver=driver, crew=driver.name)
    day = (clock.now() + 20 * DAY).date()
    for number, planned in ((1, day), (2, None)):
        rally = make_rally(by=olga, club=club, name=f"Round {number}", stages=["1/1"])
        Rally.objects.filter(pk=rally.pk).update(entry_limit=3)
        services.add_round(by=olga, championship=made, rally=rally, planned_for=planned)
    return made


def organiser(season):
    return season.club.memberships.order_by("pk").first().user


def run(season, **changes):
    return clocks.set_clock(by=organiser(season), championship=season, **{**RUNS, **changes})


def round_of(season, number=1):
    return Round.objects.select_related("rally", "championship").get(championship=season, number=number)


def acts_of(season, number=1):
    return dict(RoundAct.objects.filter(round=round_of(season, number)).values_list("act", "state"))


def come(at, moment):
    """The clock of the world is at that moment, and the sweep has run twice."""
    at(moment)
    sweep()
    sweep()


def test_a_season_runs_by_itself_from_the_entries_of_one_round_to_the_next(at, season):
    run(season, draws="reversed")
    first = round_of(season).rally
    start = first.starts_at
    assert start.time().hour == 20
    assert not first.takes_entries(clock.now())

    come(at, start - 10 * DAY)
    assert acts_of(season) == {"open": "done"}
    assert Entry.objects.filter(rally=first, status="confirmed").count() == 3
    reserve = Entry.objects.get(rally=first, status="waiting")

    come(at, start - 2 * DAY)
    asked = list(CheckIn.objects.order_by("pk"))
    assert Notice.objects.filter(kind="do you come").count() == len(asked) == 3
    answer(entry=asked[0].entry, coming=True)
    answer(entry=asked[1].entry, coming=False)
    reserve.refresh_from_db()
    assert reserve.status == "requested", "the next on the waiting list has the place"

    come(at, start - DAY)
    assert acts_of(season) == {"open": "done", "ask": "done", "close": "done", "draw": "done"}
    first.refresh_from_db()
    assert first.seeded_by == "draw", "nobody has a standing before the first round"
    assert Entry.objects.filter(rally=first, status="confirmed").count() == 3

    come(at, start)
    first.refresh_from_db()
    assert first.status == Rally.Status.RUNNING
    cars = Entry.objects.filter(rally=first, status="confirmed").order_by("pk")
    drive(first, 1, {entry: 200 + 10 * place for place, entry in enumerate(cars)})
    first.refresh_from_db()
    assert first.status == Rally.Status.FINISHED

    come(at, clock.now() + 2 * HOUR)
    second = round_of(season, 2).rally
    assert second.starts_at == start + 10 * DAY
    assert acts_of(season, 2) == {"open": "done"}, "ten days before: at once"
    come(at, second.starts_at)
    second.refresh_from_db()
    assert (second.status, second.seeded_by) == (Rally.Status.RUNNING, "standing")
    places = second.stages.get(number=1).start_places.order_by("position").values_list("entry__driver", flat=True)
    with_a_standing = [driver for driver in places if driver in {entry.driver_id for entry in cars}]
    assert with_a_standing[-1] == cars[0].driver_id, "the leader starts last of those with a standing"


def test_after_an_outage_everything_before_the_start_happens_before_the_start(at, season):
    run(season)
    first = round_of(season).rally
    come(at, first.starts_at + 5 * HOUR)
    first.refresh_from_db()
    assert first.status == Rally.Status.RUNNING
    assert acts_of(season) == {"open": "done", "ask": "done", "close": "done", "draw": "done"}
    assert first.stages.get(number=1).start_places.count() == 3


def test_an_organiser_holds_a_step_and_lets_it_go_and_the_log_says_so(at, season):
    olga = organiser(season)
    run(season)
    first = round_of(season)
    clocks.hold(by=olga, round=first, act="draw")
    come(at, first.rally.starts_at + HOUR)
    first.rally.refresh_from_db()
    assert first.rally.status == Rally.Status.ENTRIES
    assert acts_of(season) == {"open": "done", "ask": "done", "close": "done", "draw": "held"}
    with pytest.raises(Refused):
        clocks.do_now(by=olga, round=first, act="start")
    with pytest.raises(Stale):
        clocks.hold(by=olga, round=first, act="close")
    with pytest.raises(Forbidden):
        clocks.release(by=make_member(season.club), round=first, act="draw")
    clocks.release(by=olga, round=first, act="draw")
    come(at, clock.now() + HOUR)
    first.rally.refresh_from_db()
    assert first.rally.status == Rally.Status.RUNNING
    logged = Record.objects.filter(action__startswith="season act", actor__isnull=False).order_by("pk")
    assert [each.action for each in logged] == ["season act held", "season act released"]


def test_a_step_that_cannot_be_done_stops_alone_and_its_organisers_are_told(at, season):
    season.registrations.all().delete()
    other = services.create_championship(by=organiser(season), club=season.club, name="Other cup")
    rally = make_rally(by=organiser(season), club=season.club, name="Elsewhere", stages=["1/1"])
    services.add_round(by=organiser(season), championship=other, rally=rally, planned_for=round_of(season).planned_for)
    for driver in people(season.club, 2):
        registering.register(by=organiser(season), championship=other, driver=driver, crew=driver.name)
    run(season)
    run(other)
    come(at, round_of(season).rally.starts_at - DAY)
    assert acts_of(season) == {"open": "done", "ask": "done", "close": "done", "draw": "stopped"}
    assert "confirmed entry" in Notice.objects.get(kind="season act stopped").context["why"]
    assert acts_of(other)["draw"] == "done"
    come(at, clock.now() + 2 * HOUR)
    assert Notice.objects.filter(kind="season act stopped").count() == 1, "told once"


def test_silent_drivers_lose_their_places_where_the_season_says_so(at, season):
    run(season, silent="leaves")
    first = round_of(season).rally
    come(at, first.starts_at - 2 * DAY)
    keen = CheckIn.objects.order_by("pk")[0].entry
    answer(entry=keen, coming=True)
    come(at, first.starts_at - DAY)
    confirmed = Entry.objects.filter(rally=first, status="confirmed")
    assert keen in confirmed
    assert Entry.objects.filter(rally=first, status="withdrawn").count() == 2
    assert confirmed.count() == 2, "the one who answered, and the reserve who moved up"


def test_dates_set_by_hand_stay_until_the_calendar_gives_the_round_another_day(at, season):
    run(season)
    first = round_of(season)
    by_hand = first.rally.starts_at + 3 * HOUR
    Rally.objects.filter(pk=first.rally_id).update(starts_at=by_hand)
    come(at, clock.now() + 2 * HOUR)
    assert round_of(season).rally.starts_at == by_hand
    day = first.planned_for + 7 * DAY
    services.change_calendar(by=organiser(season), championship=season, version=None, planned={first.pk: (day, None)})
    come(at, clock.now() + 2 * HOUR)
    assert round_of(season).rally.starts_at.date() == day


def test_a_round_waits_until_the_round_before_is_over_unless_the_season_says_otherwise(at, season):
    second = round_of(season, 2)
    Round.objects.filter(pk=second.pk).update(planned_for=round_of(season).planned_for + DAY)
    run(season)
    come(at, round_of(season, 2).rally.starts_at)
    assert round_of(season, 1).rally.status == Rally.Status.RUNNING
    assert round_of(season, 2).rally.status == Rally.Status.ENTRIES
    run(season, waits=False)
    come(at, clock.now() + HOUR)
    assert round_of(season, 2).rally.status == Rally.Status.RUNNING


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("zone", {"zone": "Mars/Olympus"}),
        ("opens_days", {"opens_days": 91}),
        ("asks_hours", {"asks_hours": -1}),
        ("closes_hours", {"closes_hours": 48, "opens_days": 1}),
        ("asks_hours", {"asks_hours": 12, "closes_hours": 24}),
    ],
)
def test_settings_that_make_no_sense_are_refused_with_their_field(season, field, given):
    with pytest.raises(Refused) as refused:
        run(season, **given)
    assert refused.value.field == field
    assert not SeasonClock.objects.exists()


def test_the_page_of_the_clock_shows_what_comes_and_takes_what_organisers_do(at, season):
    olga = signed_in(organiser(season))
    page = f"/championships/{season.key}/edit/clock/"
    posted = {
        "running": "on",
        "start_time": "19:30",
        "zone": "Europe/Warsaw",
        "opens_days": "10",
        "asks_hours": "48",
        "closes_hours": "24",
        "silent": "stays",
        "draws": "random",
        "version": "0",
    }
    assert olga.post(page, {**posted, "closes_hours": "x"}).status_code == 422
    said = olga.post(page, posted, follow=True).content.decode()
    assert "The season runs by itself from now on." in said
    assert olga.post(page, {**posted, "opens_days": "11"}).status_code == 409
    shown = olga.get(page).content.decode()
    assert "Entries open, registered drivers are entered" in shown and "when the round before is over" in shown
    act = f"/championships/{season.key}/rounds/1/act/"
    said = olga.post(act, {"act": "open", "do": "now"}, follow=True).content.decode()
    assert "entries are open, and registered drivers are entered." in said
    assert acts_of(season) == {"open": "done"}
    olga.post(act, {"act": "ask", "do": "skip"})
    said = olga.post(act, {"act": "close", "do": "hold"}, follow=True).content.decode()
    assert "is held, and all that follows it." in said and "The championship is saved." not in said
    assert acts_of(season) == {"open": "done", "ask": "skipped", "close": "held"}
    for hostile in ({"act": "start\0", "do": "now"}, {"act": "draw", "do": "fly"}, {}, {"act": "start", "do": "skip"}):
        assert olga.post(act, hostile).status_code == 302
    assert acts_of(season) == {"open": "done", "ask": "skipped", "close": "held"}
    member = signed_in(make_member(season.club))
    assert member.get(page).status_code == member.post(act, {"act": "draw", "do": "now"}).status_code == 403
    stranger = signed_in(make_user())
    assert stranger.get(page).status_code == stranger.post(act, {"act": "draw", "do": "now"}).status_code == 404


def test_the_link_of_the_mail_takes_the_answer_without_signing_in_and_looking_answers_nothing(client, at, season):
    run(season)
    come(at, round_of(season).rally.starts_at - 2 * DAY)
    asked = CheckIn.objects.select_related("entry__driver").order_by("pk")[0]
    (question,) = questions_for(asked.entry.driver)
    page = f"/coming/{question.token}/"
    turns = signed_in(asked.entry.driver)
    assert "/coming/" in turns.get("/turns/").content.decode()
    assert "do you come?" in client.get(page).content.decode()
    asked.refresh_from_db()
    assert asked.coming is None
    assert client.post(page, {"coming": "perhaps"}).status_code == 200
    assert client.post(page, {"coming": "yes"}).status_code == 302
    assert "/coming/" not in turns.get("/turns/").content.decode()
    (ahead, _second) = rounds_by_clock(season, SeasonClock.objects.get())
    assert (ahead.coming, ahead.staying_away, ahead.silent) == (1, 0, 2)
    assert client.post(page, {"coming": "no"}).status_code == 302
    asked.entry.refresh_from_db()
    assert asked.entry.status == "withdrawn"
    assert client.post(page, {"coming": "yes"}).status_code == 422, "the place is somebody else's now"
    assert client.get(f"/coming/{token_for(asked.entry)[:-2]}xx/").status_code == 404


def test_the_number_of_queries_does_not_depend_on_the_number_of_rounds(season, django_assert_num_queries):
    run(season)
    with django_assert_num_queries(4):
        assert len(rounds_by_clock(season, SeasonClock.objects.select_related("championship").get())) == 2
