"""The log can only grow: PostgreSQL itself refuses to change or delete rows."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError

from championship.audit import actions, services
from championship.audit.models import Record
from championship.audit.services import record
from tests.factories import make_club, make_user


@pytest.fixture
def kept(db) -> Record:
    club = make_club(name="Automobilklub Wisła")
    return record(
        actor=make_user("Ola"), action="rally made", subject=club, club_id=club.pk, details={"mode": "convoy"}
    )


def execute(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE audit_record SET action = 'nothing at all'",
        "DELETE FROM audit_record",
    ],
)
def test_nobody_changes_or_deletes_a_record(kept, sql):
    with pytest.raises(IntegrityError, match="only ever added"):
        execute(sql)
    kept.refresh_from_db()
    assert kept.action == "rally made"


def test_nobody_empties_the_log(kept):
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    execute("ALTER TABLE audit_record ENABLE TRIGGER audit_record_no_truncate")
    with pytest.raises(IntegrityError, match="TRUNCATE refused"):
        execute("TRUNCATE audit_record")
    assert Record.objects.filter(pk=kept.pk).exists()


def test_a_person_who_has_acted_stays_in_the_log(kept):
    with pytest.raises(ProtectedError):
        kept.actor.delete()


@pytest.mark.django_db(transaction=True)
def test_an_act_is_recorded_only_in_the_transaction_that_does_it():
    club = make_club()
    with pytest.raises(transaction.TransactionManagementError):
        record(actor=None, action="swept", subject=club, club_id=club.pk)


@pytest.mark.django_db(transaction=True)
def test_a_record_falls_with_the_act_it_is_about():
    club = make_club()
    before = Record.objects.count()
    with pytest.raises(RuntimeError), transaction.atomic():
        record(actor=None, action="swept", subject=club, club_id=club.pk)
        raise RuntimeError("the act itself fails")
    assert Record.objects.count() == before


def test_a_club_sees_its_own_records_only_newest_first(kept, django_assert_num_queries):
    other = make_club(name="Another club")
    with django_assert_num_queries(1):
        seen = [(entry.action, entry.actor.name) for entry in services.of_club(kept.club_id)]
    assert seen == [("rally made", "Ola"), ("club founded", "Olga Organiser")]
    assert [entry.action for entry in services.of_club(other.pk)] == ["club founded"]


def test_an_act_without_registered_words_reads_as_itself():
    actions.register("car washed", "washed the car")
    assert actions.label_of("car washed") == "washed the car"
    assert actions.label_of("car waxed") == "car waxed"
