"""Imports are undone as long as nothing was built on them; people are joined and parted; registrations and entries."""

import pytest
from django.core import mail

from championship.accounts.models import User
from championship.accounts.services import sign_in_mail
from championship.audit import services as audit
from championship.audit.models import Record
from championship.clubs.models import Role
from championship.lists.found import FoundEntries, FoundPerson
from championship.lists.models import Alias, ListImport
from championship.lists.services import importing, people, resolving
from championship.lists.services.undoing import CannotUndo, delete_imported_round, undo
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.models import Entry, PublishedResult, Rally, StageTime, StartPlace
from championship.seasons import services as seasons
from championship.seasons.models import Registration, Team
from championship.stewards import services as stewards
from tests.championship.lists.lists import DAY, make_world, results, season_of, time
from tests.championship.lists.steps import Steps
from tests.championship.rallies.factories import make_rally
from tests.championship.runs.threads import at_once
from tests.factories import make_member, make_user, signed_in

pytestmark = pytest.mark.django_db
ZOE, JOSE, ANNA, LUKASZ, ISIL = "Zoë Virtanen", "José García", "Anna Müller", "Łukasz Żak", "Işıl İnce"
SAND = ({"name": ZOE, "place": 1}, {"name": "Zdeněk Dvořák", "place": 2, "team": "Nord"})


@pytest.fixture
def world():
    return make_world()


def everything():
    """What an import of results could have made."""
    models = (Rally, Entry, StageTime, PublishedResult, User, Alias, Team, Registration)
    return {model.__name__: list(model.objects.order_by("pk").values_list("pk", flat=True)) for model in models}


def people_list(*rows, named=("car_class",)):
    persons = [FoundPerson(line, row.pop("name"), **row) for line, row in enumerate(rows, start=2)]
    return FoundEntries(tuple(persons), frozenset(named))


def test_undone_results_leave_nothing_behind(world):
    before = everything()
    draft = world.bring(season_of(results("Sand", *SAND, day=DAY), named=("team",)))
    done = world.take(world.answer(draft))
    assert everything() != before
    undo(by=world.olga, done=done)
    assert everything() == before
    assert not world.season.rounds.exists()
    with pytest.raises(Stale):
        undo(by=world.olga, done=done)
    assert audit.of_club(world.club.pk)[0].action == "list undone"


def test_a_changed_round_is_what_it_was(world):
    world.take(world.answer(world.bring(season_of(results("Sand", *SAND)))))
    rows = lambda: (  # noqa: E731
        list(Entry.objects.order_by("pk").values_list("driver__name", "start_number", "crew")),
        list(PublishedResult.objects.order_by("entry").values_list("entry", "place", "points")),
        list(StageTime.objects.order_by("entry").values_list("entry", "measure")),
    )
    before = rows()
    done = world.take(world.bring(season_of(results("Sand", {"name": ZOE, "place": 3}, {"name": ANNA, "place": 1}))))
    assert rows() != before
    undo(by=world.olga, done=done)
    assert rows() == before


def test_undone_changes_leave_the_results_with_whom_they_were_given_to_since(world):
    world.take(world.answer(world.bring(season_of(results("Sand", *SAND)))))
    name = User.objects.get(name="Zdeněk Dvořák")
    done = world.take(world.bring(season_of(results("Sand", {"name": "Zdeněk Dvořák", "place": 1}))))
    people.give_to(by=world.olga, club=world.club, person=name, to=world.people[JOSE])
    undo(by=world.olga, done=done)
    assert Entry.objects.filter(driver=world.people[JOSE], published__place=2).exists()
    assert not Entry.objects.filter(driver=name).exists()


def test_what_was_built_on_an_import_stands_in_the_way_and_is_named(world):
    first = world.take(world.answer(world.bring(season_of(results("Sand", *SAND)))))
    world.take(world.bring(season_of(results("Sand", {"name": ZOE, "place": 2}))))
    sten = make_member(world.club, name="Sten", roles=[Role.STEWARD])
    rally = Rally.objects.get(name="Sand")
    entry = rally.entries.get(driver__name=ZOE)
    stewards.decide(by=sten, rally=rally, kind="penalty", text="Late.", entry=entry, amount=3)
    with pytest.raises(CannotUndo) as refusal:
        undo(by=world.olga, done=first)
    assert refusal.value.reasons == [
        "A penalty was given in Sand.",
        "Sand was changed by a later list, 2025: undo that one first.",
    ]
    page = signed_in(world.olga).post(f"/lists/{first.key}/undo/")
    assert page.status_code == 422
    assert "A penalty was given in Sand." in page.text
    with pytest.raises(Forbidden):
        undo(by=world.people[ZOE], done=first)


def test_a_list_of_registrations_changes_only_what_it_names_and_is_undone(world):
    found = people_list({"name": ZOE, "car_class": "rc1"}, {"name": JOSE, "car_class": "RC2"}, {"name": ANNA})
    draft = world.bring(found, kind="registrations")
    look = world.look(draft)
    assert [(line.state, line.why) for line in look.plan.lines] == [
        ("changed", ""),
        ("new", ""),
        ("left out", "Choose one of the classes: RC1, RC2, Rally4."),
    ]
    assert [(each.before, each.after) for each in look.plan.lines[0].changes] == [("RC2", "RC1")]
    done = world.take(draft)
    zoe = Registration.objects.get(driver=world.people[ZOE])
    assert (zoe.car_class, zoe.start_number, zoe.crew, zoe.team.name) == (
        "RC1",
        1,
        "Zoë Virtanen / Jürgen Groß",
        "Wiking Rot",
    )
    undo(by=world.olga, done=done)
    zoe.refresh_from_db()
    assert (zoe.car_class, zoe.start_number, Registration.objects.count()) == ("RC2", 1, 1)


def test_numbers_may_be_exchanged_and_a_taken_one_is_left_out(world):
    rows = ({"name": ZOE, "number": 2}, {"name": JOSE, "number": 1}, {"name": ANNA, "number": 1})
    world.season.classes = []
    world.season.save()
    draft = world.bring(people_list(*rows, named=("number",)), kind="registrations")
    assert [line.why for line in world.look(draft).plan.lines] == ["", "", "Line 3 has this number already."]
    world.take(draft)
    numbers = Registration.objects.order_by("start_number").values_list("driver__name", "start_number")
    assert list(numbers) == [(JOSE, 1), (ZOE, 2)]


def test_entries_are_new_changed_or_as_they_are_until_the_rally_starts(world):
    rally = make_rally(by=world.olga, club=world.club, name="Sand")
    rallies.enter_for(by=world.olga, rally=rally, wanted=[rallies.EntryRequest(world.people[ZOE], "Zoë", "", 1)])
    found = people_list({"name": ZOE, "number": 3}, {"name": JOSE, "number": 1}, named=("number",))
    draft = world.bring(found, kind="entries", rally=rally)
    assert [line.state for line in world.look(draft).plan.lines] == ["changed", "new"]
    done = world.take(draft)
    numbers = Entry.objects.order_by("start_number").values_list("driver__name", "start_number")
    assert list(numbers) == [(JOSE, 1), (ZOE, 3)]
    undo(by=world.olga, done=done)
    assert list(Entry.objects.values_list("driver__name", "start_number")) == [(ZOE, 1)]
    again = world.take(world.bring(found, kind="entries", rally=rally))
    Rally.objects.filter(pk=rally.pk).update(status="running", started_at=DAY.isoformat() + "T12:00Z")
    with pytest.raises(CannotUndo):
        undo(by=world.olga, done=again)


def test_an_answer_of_thousands_of_digits_is_refused(world):
    draft = world.bring(season_of(results("Sand", {"name": "Somebody", "place": 1})))
    [asked] = resolving.resolved(draft).unanswered
    sent = {"version": draft.version, f"other-{asked.key}": "9" * 5000}
    assert signed_in(world.olga).post(f"/lists/{draft.key}/people/", sent).status_code == 422


def test_hundreds_of_new_names_are_answered_on_one_page(world):
    rows = [{"name": f"Somebody {number}", "place": number} for number in range(1, 601)]
    draft = world.bring(season_of(results("Sand", *rows)))
    client, page = signed_in(world.olga), f"/lists/{draft.key}/people/"
    asked = client.get(page).context["asked"]
    sent = {f"{field}-{each.key}": value for each in asked for field, value in (("who", "name"), ("other", ""))}
    assert client.post(page, {"version": draft.version, **sent}).status_code == 302
    assert not resolving.resolved(ListImport.objects.get()).unanswered


def test_a_long_list_is_imported_in_the_name_of_who_pressed(world, monkeypatch):
    monkeypatch.setattr(importing, "AT_ONCE", 0)
    draft = world.answer(world.bring(season_of(results("Sand", *SAND))))
    other = make_member(world.club, name="Otto", roles=[Role.ORGANISER])
    importing.take(by=other, draft=draft, version=draft.version)
    importing.import_waiting(pk=draft.pk)
    assert ListImport.objects.get(pk=draft.pk).by == other
    assert Record.objects.get(action="list imported").actor == other


@pytest.mark.django_db(transaction=True)
def test_a_rally_starts_with_the_entries_of_a_list_or_without_but_not_with_half(world):
    rally = make_rally(by=world.olga, club=world.club, name="Sand", stages=("1/1",))
    wanted = [rallies.EntryRequest(world.people[name], name, "", None) for name in (ANNA, LUKASZ)]
    rallies.enter_for(by=world.olga, rally=rally, wanted=wanted)
    found = people_list({"name": ZOE}, {"name": JOSE}, named=())
    done = world.take(world.bring(found, kind="entries", rally=rally))
    started, undone = at_once(
        lambda: rallies.start_rally(by=world.olga, rally=rally), lambda: undo(by=world.olga, done=done)
    )
    assert isinstance(started, Rally)
    cars = 4 if isinstance(undone, CannotUndo) else 2
    assert rally.entries.count() == StartPlace.objects.filter(special_stage__rally=rally).count() == cars


def test_strangers_in_a_list_of_members_are_invited_where_somebody_wants_it(world):
    found = FoundEntries(
        (FoundPerson(1, ZOE), FoundPerson(2, "Bo Lind", mail="bo@club.example"), FoundPerson(3, "X Y"))
    )
    draft = world.answer(world.bring(found, kind="members"), Bo_Lind="invite")
    assert [line.state for line in world.look(draft).plan.lines] == ["unchanged", "new", "left out"]
    world.take(draft)
    sign_in_mail.send_due()
    assert [each.to for each in mail.outbox] == [["bo@club.example"]]
    assert list(importing.ListImport.objects.values_list("state", flat=True)) == ["done"]


def test_an_invited_name_gets_its_results_when_it_joins_with_that_address(world):
    row = {"name": "Bo Lind", "mail": "bo@club.example", "place": 1}
    world.take(world.answer(world.bring(season_of(results("Sand", row))), Bo_Lind="invite"))
    stranger = make_user("Bo Lind", email="other@club.example")
    bo = make_user("Bo L.", email="bo@club.example")
    for person in (stranger, bo):
        make_member(world.club, user=person)
        people.InvitedByList().member_joined(world.club, person)
    assert Entry.objects.get().driver == bo


def test_a_name_is_joined_with_another_name_and_the_next_list_knows(world):
    first = season_of(results("Sand", {"name": "Zdeněk Dvořák", "place": 1}))
    second = season_of(results("Snow", {"name": "Z. Dvorak Jr", "place": 1}))
    world.take(world.answer(world.bring(first)))
    world.take(world.answer(world.bring(second), **{"Z._Dvorak_Jr": "name"}))
    one, other = User.objects.filter(is_active=False).order_by("pk")
    assert people.give_to(by=world.olga, club=world.club, person=other, to=one) == 1
    assert one.entries.count() == 2
    world.take(world.bring(season_of(results("Mud", {"name": "Z. Dvorak Jr", "place": 1}))))
    assert one.entries.count() == 3


def test_two_people_in_one_are_parted_and_every_result_is_kept(world):
    for name in ("Sand", "Snow"):
        world.take(world.bring(season_of(results(name, {"name": ZOE, "place": 1}, {"name": ANNA, "place": 2}))))
    zoe, anna = world.people[ZOE], world.people[ANNA]
    snow = Entry.objects.get(rally__name="Snow", driver=zoe)
    client, page = signed_in(world.olga), f"/clubs/{world.club.slug}/names/{zoe.pk}/"
    assert client.get(page).status_code == 200
    hidden = {"entries": snow.pk, "name": "\u200b"}
    for wrong in ({}, {"entries": snow.pk}, {"entries": snow.pk, "member": anna.pk}, hidden):
        assert client.post(page, wrong).status_code == 422, wrong
    annas = Entry.objects.get(rally__name="Sand", driver=anna).pk
    assert client.post(page, {"entries": [snow.pk, annas], "name": "Zoe"}).status_code == 404
    assert client.post(page, {"entries": snow.pk, "name": "Zoe Virtanen Sr"}).status_code == 302
    assert [(entry.rally.name, entry.published.place) for entry in zoe.entries.all()] == [("Sand", 1)]
    assert User.objects.get(name="Zoe Virtanen Sr").entries.get().published.place == 1
    assert signed_in(anna).get(page).status_code == 403


def test_a_round_that_was_driven_here_is_never_parted_or_removed(world):
    driven = make_rally(by=world.olga, club=world.club, name="Here")
    here = seasons.add_round(by=world.olga, championship=world.season, rally=driven)
    with pytest.raises(Refused, match="driven here"):
        delete_imported_round(by=world.olga, round=here)


def test_pages_of_names_and_imports_cost_the_same_for_many(world, django_assert_max_num_queries):
    rows = [{"name": f"Nobody {number}", "times": (time(60_000 + number),)} for number in range(30)]
    draft = world.bring(season_of(results("Sand", *rows, measure="times")))
    client = signed_in(world.olga)
    with django_assert_max_num_queries(16):
        assert client.get(f"/lists/{draft.key}/people/").status_code == 200
    world.take(world.answer(draft))
    for page in (f"/clubs/{world.club.slug}/names/", f"/clubs/{world.club.slug}/lists/"):
        with django_assert_max_num_queries(14):
            assert client.get(page).status_code == 200
    with django_assert_max_num_queries(30):
        assert client.get(ListImport.objects.get().get_absolute_url()).status_code == 200


def test_thousands_of_lines_are_imported_by_a_worker(world):
    rows = [{"name": f"Nobody {number}", "place": number + 1} for number in range(400)]
    rounds = [results(f"Round {number}", *rows) for number in range(5)]
    draft = world.bring(season_of(*rounds))
    assert world.look(world.answer(draft)).long
    draft.refresh_from_db()
    waiting = world.take(draft)
    assert waiting.state == "waiting"
    assert "2000 lines" in signed_in(world.olga).get(f"/lists/{draft.key}/done/").text
    importing.import_waiting(pk=waiting.pk)
    importing.import_waiting(pk=waiting.pk)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.counts["new"], Entry.objects.count()) == ("done", 2000, 2000)


def test_an_entry_list_brings_teams_and_one_spelling_of_a_class():
    world = make_world()
    rally = make_rally(by=world.olga, club=world.club)
    steps = Steps(signed_in(world.olga))
    page = f"/lists/rallies/{rally.key}/entries/"
    steps.all_of(page, "Name;Class;Team\nZoë Virtanen;rc2;Red\nJosé García;RC2;\n")
    told = {entry.driver.name: (entry.car_class, entry.team) for entry in rally.entries.all()}
    assert told == {"Zoë Virtanen": ("RC2", "Red"), "José García": ("RC2", None)}
    changed = steps.all_of(page, "Name;Team\nZoë Virtanen;Blue\nJosé García;\n")
    assert [(entry.driver.name, entry.team) for entry in rally.entries.filter(team="Blue")] == [
        ("Zoë Virtanen", "Blue")
    ]
    assert steps.client.post(f"/lists/{changed.key}/undo/").status_code == 302
    assert {entry.team for entry in rally.entries.all()} == {"Red", None}
