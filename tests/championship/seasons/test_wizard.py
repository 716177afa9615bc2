"""The season wizard: a draft stored step by step, copied from last season, previewed, and made as a whole or not."""

import re
import threading
from datetime import date

import pytest
from django.db import connections
from django.http import Http404

from championship.platform.refusals import Stale
from championship.rallies.desk.services.preparing import create_rally
from championship.rallies.knockout.plan import Cut, Division, Grid, Knockout
from championship.rallies.models import Rally
from championship.seasons import rally_defaults, services
from championship.seasons.models import Championship, SeasonDraft, Team
from championship.seasons.sample_standings import sample_table
from championship.seasons.schemes import READY_MADE, Scheme
from championship.seasons.season_plans import Plan, PlannedRound
from championship.seasons.services import registering, season_drafts
from championship.seasons.wizard_forms import RallyDefaultsForm
from tests.championship.rallies.factories import designs, make_rally
from tests.championship.seasons.scenes import people, typed
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    designs("1/1")
    return make_club(owner=olga)


def draft_of(olga, club, **said) -> SeasonDraft:
    draft = season_drafts.begin_draft(by=olga, club=club)
    return season_drafts.save_draft(by=olga, draft=draft, version=0, **{"name": "Cup 2027", **said})


def at(draft: SeasonDraft, step: str = "") -> str:
    return f"/season-drafts/{draft.key}/{step}"


def test_a_season_is_made_step_by_step(olga, club):
    client = signed_in(olga)
    first = client.post(f"/clubs/{club.slug}/championships/new/", {"name": "Cup 2027"})
    draft = SeasonDraft.objects.get()
    assert first.url == at(draft, "points/")

    def send(step: str, **changed: str):
        return client.post(at(draft, step), {**typed(client.get(at(draft, step)).content.decode()), **changed})

    send("points/", action="fill:large field")
    assert send("points/", points_1="50", drop="1").url == at(draft, "classes/")
    assert send("classes/", classes="R5\nR2", teams="North\nSouth").url == at(draft, "calendar/")
    send("calendar/", action="fill:", fill_count="3", fill_first="2027-03-06", fill_weeks="2")
    assert send("calendar/", name_2="Night of the foxes", power_1="1").url == at(draft, "rallies/")
    assert send("rallies/", turn_hours="48", quiet_from="22:00", quiet_to="07:00").url == at(draft, "preview/")
    assert "Night of the foxes" in client.get(at(draft, "preview/")).content.decode()
    draft.refresh_from_db()
    response = client.post(at(draft, "make/"), {"version": draft.version})

    made = Championship.objects.get()
    assert response.url == f"/championships/{made.key}/"
    assert (made.points[0], made.drop, made.classes) == (50, 1, ["R5", "R2"])
    assert [team.name for team in made.teams.all()] == ["North", "South"]
    rounds = list(made.rounds.select_related("rally").order_by("number"))
    assert [(each.rally.name, each.planned_for, each.power_stage) for each in rounds] == [
        ("Rally 1", date(2027, 3, 6), 1),
        ("Night of the foxes", date(2027, 3, 20), None),
        ("Rally 3", date(2027, 4, 3), None),
    ]
    rally = rounds[1].rally
    assert (rally.turn_hours, rally.quiet, rally.class_names) == (48, (22 * 60, 7 * 60), ["R5", "R2"])
    assert [stage.design.source for stage in rally.stages.order_by("number")] == ["2/1", "2/2", "2/3"]
    assert client.get(at(draft, "points/")).url == made.get_absolute_url()


def test_the_draft_is_kept_after_leaving_and_is_private(olga, club):
    draft = draft_of(olga, club)
    assert "Continue the season you have started" in signed_in(olga).get(f"/clubs/{club.slug}/").content.decode()
    again = signed_in(olga).get(f"/clubs/{club.slug}/championships/new/")
    assert again.url == at(draft)
    assert "Cup 2027" in signed_in(olga).get(at(draft)).content.decode()

    other = make_member(club, name="Other", roles=["organiser"])
    for person in (other, make_member(club), make_user("Stranger")):
        for step in ("", "points/", "preview/"):
            assert signed_in(person).get(at(draft, step)).status_code == 404
        assert signed_in(person).post(at(draft, "make/"), {"version": draft.version}).status_code == 404
        assert signed_in(person).post(at(draft, "discard/")).status_code == 404
    assert not Championship.objects.exists()

    assert signed_in(olga).post(at(draft, "discard/")).status_code == 302
    assert not SeasonDraft.objects.exists()


def test_duplicate_dice_in_a_convoy_are_refused_at_their_step(olga, club):
    kept = rally_defaults.default_settings()
    form = RallyDefaultsForm(kept=kept)
    said = {field.html_name: field.value() for field in form if field.value() not in (None, False, "")}
    assert RallyDefaultsForm(said, kept=kept).is_valid()
    refused = RallyDefaultsForm({**said, "option_dice": "duplicate"}, kept=kept)
    assert set(refused.errors) == {"option_dice"}
    assert RallyDefaultsForm({**said, "option_dice": "duplicate", "mode": "open road"}, kept=kept).is_valid()


def test_a_former_organiser_cannot_continue(olga, club):
    draft = draft_of(olga, club)
    club.memberships.filter(user=olga).update(roles=["driver"])
    assert signed_in(olga).get(at(draft)).status_code == 403
    assert signed_in(olga).post(at(draft, "make/"), {"version": draft.version}).status_code == 403
    assert not Championship.objects.exists()


def test_last_season_is_copied_with_what_is_still_valid(olga, club):
    ana, gone, light = people(club, 3)
    scheme = READY_MADE["small club"].scheme
    last = services.create_championship(
        by=olga, club=club, name="Cup 2026", classes=["R5", "R2"], points=scheme.points, tie_breaks=scheme.tie_breaks
    )
    (north,) = registering.name_teams(by=olga, championship=last, names=["North"])
    for driver, car_class in ((ana, "R5"), (gone, "R5"), (light, "R2")):
        registering.register(
            by=olga, championship=last, driver=driver, crew=driver.name, car_class=car_class, team=north
        )
    services.open_round(
        by=olga,
        championship=last,
        planned_for=date(2026, 3, 7),
        power_stage=2,
        name="Foxwood",
        game="dirt",
        designs=designs("3/1", "2/2"),
        options={},
        mode=Rally.Mode.OPEN_ROAD,
        turn_hours=72,
        reminder_hours=6,
    )
    club.memberships.filter(user=gone).delete()

    draft = draft_of(olga, club, copied_from=last.pk, registrations=True)
    plan = Plan.read(draft.said)
    assert (plan.scheme, plan.classes, plan.teams) == (scheme, ("R5", "R2"), ("North",))
    (planned,) = plan.rounds
    assert (planned.name, planned.day, planned.power_stage) == ("Foxwood", date(2027, 3, 6), 2)
    draft = season_drafts.save_draft(by=olga, draft=draft, version=draft.version, classes=["R5"])
    made = season_drafts.make_season(by=olga, draft=draft, version=draft.version)

    (registration,) = made.registrations.all()
    assert (registration.driver, registration.team.name, registration.team.championship) == (ana, "North", made)
    rally = made.rounds.get().rally
    assert (rally.mode, rally.turn_hours) == (Rally.Mode.OPEN_ROAD, 72)
    assert [stage.design.source for stage in rally.stages.order_by("number")] == ["3/1", "2/2"]


def test_heats_are_copied_with_their_round_and_proposed_for_the_next(olga, club):
    last = services.create_championship(by=olga, club=club, name="Cup 2026")
    heats = {"knockout": Knockout((Cut(4, 1),), Division.SNAKE, Grid.LIST).as_json(), "missed": "slowest"}
    usual = rally_defaults.from_json({}, "dirt")
    rally = create_rally(
        by=olga, club=club, name="Heats", game="dirt", designs=designs("1/3"), event=heats,
        **{**usual, "mode": Rally.Mode.CONVOY},
    )  # fmt: skip
    services.add_round(by=olga, championship=last, rally=rally)
    page = signed_in(olga).get(f"/championships/{last.key}/rounds/new/").text
    assert re.search(r'value="final"[^>]*(selected|checked)', page)

    draft = draft_of(olga, club, copied_from=last.pk)
    made = season_drafts.make_season(by=olga, draft=draft, version=draft.version)

    copied = made.rounds.get().rally
    assert (copied.knockout, copied.missed, copied.mode) == (rally.knockout, "slowest", Rally.Mode.CONVOY)
    assert copied.stages.count() == 2


def test_a_day_that_does_not_exist_a_year_later_is_left_open(olga, club):
    last = services.create_championship(by=olga, club=club, name="Cup 2026")
    rally = make_rally(by=olga, club=club, stages=("1/3",))
    services.add_round(by=olga, championship=last, rally=rally, planned_for=date(9999, 12, 30))
    (planned,) = Plan.read(draft_of(olga, club, copied_from=last.pk).said).rounds
    assert planned.day is None


def test_an_old_first_page_does_not_overwrite_a_season_that_was_begun_since(olga, club):
    last = services.create_championship(by=olga, club=club, name="Cup 2026")
    new, client = f"/clubs/{club.slug}/championships/new/", signed_in(olga)
    for _press in range(2):
        assert client.post(new, {"name": "Cup 2027"}).status_code == 302
    draft = SeasonDraft.objects.get()
    season_drafts.save_draft(
        by=olga, draft=draft, version=draft.version, classes=["R5"], rounds=[PlannedRound("Foxwood")]
    )

    answer = client.post(new, {"name": "Something else", "copied_from": last.pk}, follow=True)

    plan = Plan.read(SeasonDraft.objects.get().said)
    assert (plan.name, plan.classes, plan.copied_from, len(plan.rounds)) == ("Cup 2027", ("R5",), None, 1)
    assert "You have started a season before" in answer.text


def test_sending_the_name_again_does_not_copy_again(olga, club):
    last = services.create_championship(by=olga, club=club, name="Cup 2026", classes=["R5"])
    draft = draft_of(olga, club, copied_from=last.pk)
    draft = season_drafts.save_draft(by=olga, draft=draft, version=draft.version, classes=["R1"])
    draft = season_drafts.save_draft(by=olga, draft=draft, version=draft.version, name="New", copied_from=last.pk)
    assert Plan.read(draft.said).classes == ("R1",)


def test_another_clubs_season_is_not_copied(olga, club):
    stranger = make_user("Stranger")
    theirs = services.create_championship(by=stranger, club=make_club(owner=stranger, name="Other"), name="Theirs")
    response = signed_in(olga).post(f"/clubs/{club.slug}/championships/new/", {"name": "Cup", "copied_from": theirs.pk})
    assert response.status_code in (302, 422)
    assert not SeasonDraft.objects.filter(said__copied_from=theirs.pk).exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "wrong", "says"),
    [
        ("", {"name": ""}, "required"),
        ("", {"name": "two\nlines"}, "one line"),
        ("points/", {"points_1": "5", "points_2": "9"}, "No place may give more points than the one before."),
        ("points/", {"points_2": ""}, "Leave no place out."),
        ("points/", {"power_1": "many"}, "Enter a number"),
        ("points/", {"drop": "51"}, "less than or equal to 50"),
        ("points/", {"team_counts": "0"}, "greater than or equal to 1"),
        ("points/", {"places": "nonsense"}, "Something below"),
        ("classes/", {"classes": "R5\nR5"}, "named twice"),
        ("classes/", {"classes": "R" * 21}, "At most 20"),
        ("classes/", {"teams": "\n".join(map(str, range(61)))}, "At most 60"),
        ("calendar/", {"name_1": ""}, "required"),
        ("calendar/", {"day_1": "31.02.2027"}, "valid date"),
        ("calendar/", {"route_1": "99"}, "99 is not one of the available choices"),
        ("calendar/", {"power_1": "4"}, "stages 1 to 3"),
        ("calendar/", {"rows": "9999"}, "Something below"),
        ("calendar/", {"action": "fill:", "fill_count": "400"}, "less than or equal to 40"),
        ("calendar/", {"action": "fill:", "fill_count": "3", "fill_first": "9999-12-01"}, "valid date"),
        ("rallies/", {"turn_hours": "0"}, "greater than or equal to 1"),
        ("rallies/", {"reminder_hours": "30"}, "fewer hours"),
    ],
)
def test_nonsense_is_422_with_what_was_typed_kept_and_nothing_changed(olga, club, step, wrong, says):
    draft = draft_of(olga, club, rounds=[PlannedRound("Foxwood", route="1")])
    client = signed_in(olga)
    page = typed(client.get(at(draft, step)).content.decode())

    response = client.post(at(draft, step), {**page, **wrong})

    shown = response.content.decode()
    assert response.status_code == 422, shown
    assert says in shown
    kept = [text for name, text in wrong.items() if text and name not in ("route_1", "places", "rows", "action")]
    assert all(text in shown for text in kept)
    before = draft.said
    draft.refresh_from_db()
    assert draft.said == before


def test_tie_breaks_are_ordered_with_buttons(olga, club):
    draft, client = draft_of(olga, club), signed_in(olga)

    def press(action: str) -> tuple[str, ...]:
        page = typed(client.get(at(draft, "points/")).content.decode())
        assert client.post(at(draft, "points/"), {**page, "points_1": "33", "action": action}).status_code == 302
        draft.refresh_from_db()
        return Plan.read(draft.said).scheme.tie_breaks

    assert press("up:best places") == ("best places", "wins", "stage wins")
    assert press("up:best places") == ("best places", "wins", "stage wins")
    assert press("down:wins") == ("best places", "stage wins", "wins")
    assert press("remove:stage wins") == ("best places", "wins")
    assert press("add:last round") == ("best places", "wins", "last round")
    assert press("up:nonsense") == ("best places", "wins", "last round")
    assert Plan.read(draft.said).scheme.points[0] == 33, "what was typed beside it is kept"


def test_more_places_and_own_stages(olga, club):
    draft, client = draft_of(olga, club, rounds=[PlannedRound("Foxwood", route="1")]), signed_in(olga)
    page = typed(client.get(at(draft, "points/")).content.decode())
    more = client.post(at(draft, "points/"), {**page, "action": "more:"})
    assert 'name="points_20"' in client.get(more.url).content.decode()

    page = typed(client.get(at(draft, "calendar/")).content.decode())
    chosen = client.post(at(draft, "calendar/"), {**page, "action": "stages:1"})
    assert chosen.url == at(draft, "calendar/1/")
    one, two = designs("4/1", "5/2")
    assert client.post(chosen.url, {"version": draft.version, "stage_1": ""}).status_code == 422
    client.post(chosen.url, {"version": draft.version, "stage_1": one.pk, "stage_3": two.pk})
    draft.refresh_from_db()
    assert Plan.read(draft.said).rounds == (PlannedRound("Foxwood", route="own", designs=(one.pk, two.pk)),)
    assert client.get(at(draft, "calendar/9/")).status_code == 404


def test_rounds_come_in_the_order_of_their_days(olga, club):
    rounds = [
        PlannedRound("May", day=date(2027, 5, 1)),
        PlannedRound("After May"),
        PlannedRound("March", day=date(2027, 3, 1)),
    ]
    draft = draft_of(olga, club, rounds=rounds)
    assert [each.name for each in Plan.read(draft.said).rounds] == ["March", "May", "After May"]


def test_a_stale_page_gets_the_current_one_and_the_same_post_twice_counts_once(olga, club):
    draft, client = draft_of(olga, club), signed_in(olga)
    page = typed(client.get(at(draft, "classes/")).content.decode())
    for _twice in range(2):
        response = client.post(at(draft, "classes/"), {**page, "classes": "R5"})
        assert response.url == at(draft, "calendar/")
    draft.refresh_from_db()
    assert draft.version == 2

    stale = client.post(at(draft, "classes/"), {**page, "classes": "R1"})
    shown = stale.content.decode()
    assert stale.status_code == 409
    assert "changed in another window" in shown and "R5" in shown
    draft.refresh_from_db()
    assert Plan.read(draft.said).classes == ("R5",)
    assert client.post(at(draft, "make/"), {"version": 1}).status_code == 409
    assert not Championship.objects.exists()


def test_missing_values_are_named_and_nothing_is_made(olga, club):
    rounds = [PlannedRound("Foxwood", route="1"), PlannedRound("Nowhere")]
    draft, client = draft_of(olga, club, rounds=rounds), signed_in(olga)
    assert "Round 2, Nowhere, has no stages yet." in client.get(at(draft, "preview/")).content.decode()
    assert client.post(at(draft, "make/"), {"version": draft.version}).status_code == 422
    assert not Championship.objects.exists() and not Rally.objects.exists() and not Team.objects.exists()


def test_a_refused_round_leaves_nothing_of_the_season(olga, club):
    """A stage that the rules no longer accept is named with its round."""
    draft = draft_of(
        olga, club, teams=["North"], rounds=[PlannedRound("One", route="1"), PlannedRound("Two", route="2")]
    )
    (broken,) = designs("2/2")
    type(broken).objects.filter(pk=broken.pk).update(spec={"tiles": []})

    response = signed_in(olga).post(at(draft, "make/"), {"version": draft.version})

    assert response.status_code == 422
    assert "Round 2: Stage 2 cannot be driven" in response.content.decode()
    assert not Championship.objects.exists() and not Rally.objects.exists() and not Team.objects.exists()
    draft.refresh_from_db()
    assert draft.made is None


@pytest.mark.parametrize("rounds", [0, 5, 6, 12])
def test_the_preview_shows_drops_power_and_a_broken_tie(rounds):
    plan = Plan(
        name="Cup",
        scheme=Scheme(power=(3, 2, 1), drop=2, tie_breaks=("wins", "stage wins")),
        classes=("R5", "R2"),
        teams=("North", "South"),
        rounds=tuple(PlannedRound(f"Rally {number}") for number in range(rounds)),
    )
    table = sample_table(plan)
    scores = [score for line in table.drivers for score in line.scores if score]
    assert any(score.dropped for score in scores) and any(score.power for score in scores)
    assert any(line.deciding_tie_break == "stage wins" for line in table.drivers)
    assert all(table.classes.values()) and len(table.teams) == 2
    again = sample_table(plan)
    assert [line.total for line in again.drivers] == [line.total for line in table.drivers]
    level = sample_table(Plan(scheme=Scheme(), rounds=plan.rounds))
    assert len({line.place for line in level.drivers}) < len(level.drivers), "without tie-breaks two share a place"


@pytest.mark.parametrize(("rounds", "drivers"), [(4, 3), (12, 9)])
def test_every_step_takes_few_queries_whatever_its_size(olga, club, rounds, drivers, django_assert_max_num_queries):
    last = services.create_championship(by=olga, club=club, name="Cup 2026")
    for driver in people(club, drivers):
        registering.register(by=olga, championship=last, driver=driver, crew="Crew")
    planned = [PlannedRound(f"Rally {number}", route="1") for number in range(rounds)]
    draft = draft_of(olga, club, copied_from=last.pk, registrations=True)
    draft = season_drafts.save_draft(by=olga, draft=draft, version=draft.version, rounds=planned)
    client = signed_in(olga)
    for step in ("", "points/", "classes/", "calendar/", "calendar/1/", "rallies/", "preview/"):
        with django_assert_max_num_queries(20):
            assert client.get(at(draft, step)).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_pressed_twice_at_once_the_season_is_made_once():
    designs("1/1")
    olga = make_user("Olga Organiser")
    club = make_club(owner=olga)
    draft = draft_of(olga, club, rounds=[PlannedRound("Foxwood", route="1")])
    barrier, made = threading.Barrier(2), []

    def press() -> None:
        try:
            barrier.wait()
            made.append(season_drafts.make_season(by=olga, draft=draft, version=draft.version).pk)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=press) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 2 and len(set(made)) == 1
    assert Championship.objects.count() == 1 and Rally.objects.count() == 1


def test_services_do_not_find_the_draft_of_somebody_else(olga, club):
    draft, other = draft_of(olga, club), make_member(club, roles=["organiser"])
    with pytest.raises(Http404):
        season_drafts.save_draft(by=other, draft=draft, version=draft.version, name="Mine")
    with pytest.raises(Http404):
        season_drafts.discard_draft(by=other, draft=draft)
    made = season_drafts.make_season(by=olga, draft=draft, version=draft.version)
    assert season_drafts.make_season(by=olga, draft=draft, version=0) == made
    with pytest.raises(Stale):
        season_drafts.save_draft(by=olga, draft=draft, version=draft.version, name="Too late")
