"""A closed account: the name is found nowhere, results stay, and for two weeks everything can be restored."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.db import connection, transaction
from django.db.models import JSONField, TextField
from django.db.models.functions import Cast
from django.db.utils import IntegrityError
from django.test import Client

from championship.accounts.models import Closing, EntranceLetter, FormerName, User
from championship.accounts.name_history import UsedName
from championship.accounts.services import closing, update_profile
from championship.accounts.services.renaming import Renaming, texts_of
from championship.archive.forgetting import NOT_WORDS, UNTOUCHED, WHOLE, WORDS
from championship.archive.own_data import LEFT_OUT, OF_ENTRIES, SECRETS, links_to_people, own_data
from championship.archive.tables import TABLES
from championship.audit.models import Record
from championship.clubs.models import Membership, Role
from championship.clubs.services import leave, require_role, set_roles
from championship.platform import clock, retention
from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.stewards import services as stewards
from tests import worlds
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import on_the_road
from tests.factories import freshly_signed_in, make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

NAME = "Wilhelmina Quast"
FORMER = "Billie Quast"


def columns_with(*words):
    """Return every column of every table that contains one of these words."""
    found = []
    for model in apps.get_models():
        for field in model._meta.local_fields:
            if isinstance(field, JSONField) or field.get_internal_type() in ("CharField", "TextField", "EmailField"):
                rows = model._base_manager.annotate(found_here=Cast(field.attname, TextField()))
                if any(rows.filter(found_here__icontains=word).exists() for word in words):
                    found.append(f"{model._meta.label_lower}.{field.attname}")
    return found


def on_record():
    """A driver with a former name on the road, named in the log, in a penalty and in a protest."""
    run, entries = on_the_road(FORMER, "Bo Berg")
    entry, other = sorted(entries, key=lambda each: each.crew)
    person = entry.driver
    update_profile(user=person, name=NAME, language="en", time_zone="UTC")
    person.refresh_from_db()
    organiser = organiser_of(run.special_stage.rally)
    mine = Membership.objects.get(user=person)
    set_roles(by=organiser, membership=mine, roles=[Role.DRIVER, Role.GUEST])
    rallies.give_penalty(by=organiser, entry=other, amount=5, reason=f"{NAME} was blocked")
    stewards.file_protest(by=other.driver, rally=entry.rally, against=entry, text=f"I saw {NAME.upper()} cut the bend.")
    return person, entry, other


@pytest.fixture
def scene():
    return worlds.scene(on_record)


def test_the_name_gives_way_everywhere_and_comes_back_with_a_sign_in(scene):
    person, entry, other = scene
    assert len(columns_with("quast")) > 4
    answer = freshly_signed_in(person).post("/me/close/", {"sure": "on"})
    assert (answer.status_code, answer["Location"]) == (302, "/")

    person.refresh_from_db()
    entry.refresh_from_db()
    assert entry.crew == person.name != NAME
    assert entry.driven_by == Entry.DrivenBy.CODRIVER
    assert person.takes_no_mail
    kept = {"accounts.closing.name", "accounts.closing.replaced", "accounts.formername.name"}
    mail = {"accounts.user.email", "account.emailaddress.email", "accounts.closing.replaced"}
    assert set(columns_with("quast")) <= kept | mail
    assert other.crew == "Bo Berg"

    signed_in(person).get("/me/")
    person.refresh_from_db()
    assert (person.name, person.closed_at) == (NAME, None)
    assert Closing.objects.count() == 0
    assert set(columns_with(NAME)) >= {"accounts.user.name", "stewards.protest.text", "rallies.penalty.reason"}
    assert Entry.objects.get(pk=entry.pk).crew == FORMER


def test_after_two_weeks_nothing_is_left_but_the_results(scene):
    person, entry, _other = scene
    address, records = person.email, Record.objects.count()
    closing.close(person=person)
    later = Record.objects.count()
    retention.delete_expired(now=clock.now() + timedelta(days=13))
    assert Closing.objects.get().finished_at is None
    retention.delete_expired(now=clock.now() + timedelta(days=15))

    assert Closing.objects.get().finished_at is not None
    assert columns_with("quast", address) == []
    person.refresh_from_db()
    assert not person.is_active
    assert not Membership.objects.filter(user=person).exists()
    assert Entry.objects.get(pk=entry.pk).driver == person
    assert records <= later == Record.objects.count()
    assert closing.open_again(person=person) is False


def test_the_log_still_refuses_every_other_change(scene):
    row = Record.objects.order_by("pk").first()
    with pytest.raises(IntegrityError, match="only ever added"), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('championship.renamed', 'subject_label', true)")
        Record.objects.filter(pk=row.pk).update(subject_label="Nobody", action="another act")


def test_others_keep_names_that_contain_the_one_that_goes():
    renaming = Renaming([UsedName("Max Muster")], "Driver AB", others=["Max Muster Junior", "Maxine"])
    said = "MAX MUSTER, Max Muster Junior und Maxine; Max Muster!"
    assert renaming.text(said) == "Driver AB, Max Muster Junior und Maxine; Driver AB!"


@pytest.mark.parametrize("names", [["not", "speeding", "not upheld", "is", "deadline missed"], ["Was Not", "Not"]])
def test_a_name_made_of_ordinary_words_changes_no_texts_of_others(scene, names):
    person, entry, other = scene
    rally = Rally.objects.get(pk=entry.rally_id)
    Rally.objects.filter(pk=rally.pk).update(name="Rally of speeding Monte")
    for name in names:
        update_profile(user=person, name=name, language="en", time_zone="UTC")
    organiser = organiser_of(rally)
    said = "Cem was not disqualified for speeding. Not upheld: deadline missed."
    penalty = rallies.give_penalty(by=organiser, entry=other, amount=5, reason=said)
    record = Record.objects.order_by("-pk").first()
    assert record.details["reason"] == said
    closing.close(person=person)
    penalty.refresh_from_db()
    kept = Record.objects.get(pk=record.pk)
    assert (penalty.reason, kept.details, kept.subject_label) == (said, record.details, record.subject_label)
    assert Rally.objects.get(pk=rally.pk).name == "Rally of speeding Monte"


def test_a_crew_called_as_somebody_else_takes_nothing_from_them(scene):
    person, entry, other = scene
    Entry.objects.filter(pk=entry.pk).update(crew="Bo Berg")
    organiser = organiser_of(Rally.objects.get(pk=entry.rally_id))
    penalty = rallies.give_penalty(by=organiser, entry=other, amount=5, reason="Bo Berg cut the bend")
    closing.close(person=person)
    penalty.refresh_from_db()
    other.refresh_from_db()
    assert (penalty.reason, other.crew) == ("Bo Berg cut the bend", "Bo Berg")


def test_cars_with_the_same_name_are_distinguished_in_the_log(scene):
    person, entry, other = scene
    Entry.objects.filter(pk__in=[entry.pk, other.pk]).update(crew="Team Tempest")
    organiser = organiser_of(Rally.objects.get(pk=entry.rally_id))
    other.refresh_from_db()
    rallies.give_penalty(by=organiser, entry=other, amount=5, reason="Team Tempest cut the bend")
    record = Record.objects.order_by("-pk").first()
    closing.close(person=person)
    kept = Record.objects.get(pk=record.pk)
    assert (kept.details, kept.subject_label) == (record.details, record.subject_label)
    assert Entry.objects.get(pk=entry.pk).crew != "Team Tempest" == Entry.objects.get(pk=other.pk).crew


def test_a_name_counts_in_texts_from_when_it_was_borne():
    noon = clock.now()
    hour, day = timedelta(hours=1), timedelta(days=1)
    short = Renaming([UsedName("Not Upheld", noon, noon + hour)], "Driver AB")
    assert [short.text("Not Upheld", noon + each) for each in (-hour, hour / 2, day)] == [
        "Not Upheld",
        "Driver AB",
        "Not Upheld",
    ]


def test_in_a_letter_the_name_of_a_person_is_replaced_but_not_that_of_a_club():
    renaming = Renaming([UsedName("Max Muster"), UsedName("days")], "Driver AB")
    assert renaming.value({"rally": "Max Muster", "table": [{"crew": "#1 days"}, "Max Muster"]}, letters=True) == {
        "rally": "Max Muster",
        "table": [{"crew": "#1 Driver AB"}, "Driver AB"],
    }
    log = {"before": {"days": 3}, "rally": "Max Muster", "classes": ["days"], "stage": "days"}
    assert renaming.value(log) == log


def test_a_name_alone_gives_way_in_a_letter_whatever_it_is_and_under_whatever_key():
    renaming = Renaming([UsedName("Anna")], "Driver AB")
    told = {"name": "Anna", "by": "#3 Anna", "championship": "Anna", "reason": "Ask Anna"}
    assert renaming.value(told, letters=True) == {**told, "name": "Driver AB", "by": "#3 Driver AB"}


def test_an_address_gives_way_and_not_a_piece_of_anothers():
    renaming = Renaming([UsedName("anna@x.de")], "Driver AB")
    others = "jo.anna@x.de, jo-anna@x.de, anna@x.de.example, anna@x.de-y.org"
    assert renaming.text(others) == others
    assert renaming.text("Write to <Anna@X.de>. Or anna@x.de.") == "Write to <Driver AB>. Or Driver AB."


def test_former_names_are_kept_with_their_times():
    person = make_user("Ana Bell")
    for name in ("Bea Cord", "Cleo Dorn"):
        update_profile(user=person, name=name, language="en", time_zone="UTC")
    first, second = person.former_names.order_by("pk")
    assert (first.name, first.since) == ("Ana Bell", person.date_joined)
    assert first.until == second.since < second.until
    FormerName.objects.filter(pk=first.pk).update(since=first.since - timedelta(days=2))
    borne = {each.name: each for each in closing.names_of(User.objects.get(pk=person.pk))}
    assert (borne["Ana Bell"].until, borne["Bea Cord"].until) == (None, second.until)
    FormerName.objects.filter(pk=second.pk).update(since=None, until=None)  # a row from before the times were stored
    assert UsedName("Bea Cord") in closing.names_of(person)


def test_the_last_owner_hands_the_club_over_first():
    owner = make_user("Olga")
    club = make_club(owner=owner)
    make_member(club)
    with pytest.raises(Refused, match="last"):
        closing.close(person=owner)
    assert require_role(owner, club, Role.OWNER)


def test_making_final_deletes_letters_to_the_persons_own_addresses_only():
    person = make_user("Ana", email="a@example.org")
    EmailAddress.objects.create(user=person, email="other@example.org", verified=True)
    for to in ("maria@example.org", "A@example.org", "Other@Example.org"):
        EntranceLetter.objects.create(message_id=to, to=to, expires_at=clock.now() + timedelta(days=90))
    closing.close(person=person)
    assert closing.finish_due(before=clock.now() + timedelta(days=1)) == 1
    assert list(EntranceLetter.objects.values_list("to", flat=True)) == ["maria@example.org"]


def test_closing_asks_for_a_tick_and_for_proof(scene):
    person = scene[0]
    assert signed_in(person).post("/me/close/", {"sure": "on"})["Location"].startswith("/account/fresh-code/")
    assert freshly_signed_in(person).post("/me/close/").status_code == 422
    assert Client().get("/me/close/").status_code == 302
    assert User.objects.get(pk=person.pk).closed_at is None


def test_ones_own_data_is_a_file_without_secrets(scene):
    person = scene[0]
    answer = signed_in(person).post("/me/data/")
    assert answer.status_code == 200
    assert "attachment" in answer["Content-Disposition"]
    told = answer.json()
    assert told["person"]["name"] == NAME
    assert "password" not in told["person"]
    assert [row["crew"] for row in told["rallies.entry, driver"]] == [FORMER]
    assert own_data(scene[2].driver)["person"]["name"] == "Bo Berg"


def test_every_table_that_is_left_out_is_there():
    labels = {model._meta.label_lower for model in apps.get_models()}
    assert labels >= {*UNTOUCHED, *LEFT_OUT, *OF_ENTRIES}


def test_every_column_of_texts_is_known_to_hold_words_or_not():
    for table in TABLES:
        known = {*WORDS.get(table.name, ()), *WHOLE.get(table.name, ()), *NOT_WORDS.get(table.name, ())}
        assert (table.name, known) == (table.name, set() if table.name in UNTOUCHED else set(texts_of(table.model)))


def test_a_crew_that_is_called_as_a_game_changes_words_only():
    run, (entry, _other) = on_the_road("dirt", "driver")
    closing.close(person=entry.driver)
    rally = Rally.objects.get(pk=run.special_stage.rally_id)
    entry.refresh_from_db()
    assert (rally.game, entry.crew) == ("dirt", entry.driver.name)
    assert Renaming([UsedName("driver")], "Driver AB").value(
        {"roles": ["driver"], "entries": {"driver": 1}, "order": ["#2 driver"], "reason": "driver"}
    ) == {"roles": ["driver"], "entries": {"Driver AB": 1}, "order": ["#2 Driver AB"], "reason": "driver"}


def test_a_closed_account_does_not_count_as_an_owner():
    owner, second = make_user("Olga"), make_user("Otto")
    club = make_club(owner=owner)
    make_member(club, user=second, roles=[Role.OWNER, Role.ORGANISER])
    closing.close(person=second)
    with pytest.raises(Refused, match="last"):
        leave(by=owner, club=club)


def test_no_column_of_secrets_is_in_ones_own_data():
    for model in apps.get_models():
        if model._meta.label_lower not in LEFT_OUT and links_to_people(model):
            told = {
                field.name
                for field in model._meta.local_fields
                if field.name not in SECRETS and "_until" not in field.name
            }
            assert not [name for name in told if any(part in name for part in ("secret", "token", "password"))], model


@pytest.mark.django_db(transaction=True)
def test_making_final_takes_its_locks_in_the_order_of_a_sign_in():
    """A sign-in locks the user, then the closing. In the opposite order each would wait for the other."""
    person, waits = make_user(NAME), Event()
    closing.close(person=person)

    def before_the_person(execute, sql, params, many, context):
        if "UPDATE" in sql and '"accounts_user"' in sql:
            waits.set()
        return execute(sql, params, many, context)

    def finish():
        try:
            with connection.execute_wrapper(before_the_person):
                return closing.finish_due(before=clock.now() + timedelta(days=1))
        finally:
            connection.close()

    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            User.objects.select_for_update(no_key=True).get(pk=person.pk)
            final = pool.submit(finish)
            assert waits.wait(timeout=30)
            assert Closing.objects.select_for_update(nowait=True).get(person=person).finished_at is None
            assert closing.open_again(person=person)
        assert final.result(timeout=60) == 0
    person.refresh_from_db()
    assert (person.name, person.closed_at, person.is_active) == (NAME, None, True)
