"""The migration that adds to penalties, exclusions, times by hand and decisions whether their author drove."""

import pytest
from django.db import IntegrityError, connection, transaction

from championship.clubs.models import Role
from championship.rallies.models import Entry
from championship.runs import play as runs
from championship.stewards.models import Decision
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import on_the_road
from tests.factories import make_member
from tests.migrating import Executor

BEFORE = [("rallies", "0007_running_a_rally_goes_on"), ("stewards", "0002_decisions_stay")]
AFTER = [("rallies", "0009_who_gave_what_drove"), ("stewards", "0004_who_decided_drove")]


@pytest.fixture
def newest():
    """Afterwards, migrate to the newest tables and allow emptying them, as in all other tests."""
    yield
    executor = Executor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE rallies_penaltywithdrawal DISABLE TRIGGER rallies_penaltywithdrawal_no_truncate")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("newest")
def test_existing_acts_say_whether_their_author_drove_while_a_stage_is_on_the_road():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    rally, olga = ana.rally, organiser_of(ana.rally)
    sten, eva = make_member(rally.club, roles=[Role.STEWARD]), make_member(rally.club, name="Eva")
    runs.replace_driver(by=olga, entry=ana, driver=eva, instead_of=ana.driver_id, crew="Eva", reason="Ill")
    authors = {"stands by": sten.pk, "drives": bo.driver_id, "was replaced": ana.driver_id, "came": eva.pk}
    executor = Executor(connection)
    executor.migrate(BEFORE)
    old = executor.loader.project_state(BEFORE).apps
    penalties, exclusions = old.get_model("rallies", "Penalty"), old.get_model("rallies", "Exclusion")
    by_hand, decisions = old.get_model("rallies", "TimeByHand"), old.get_model("stewards", "Decision")
    said = {"reason": "Late", "entry_id": bo.pk}
    for number, author in enumerate(authors.values(), start=1):
        penalties.objects.create(rally_id=rally.pk, seconds=number, given_by_id=author, **said)
        decisions.objects.create(rally_id=rally.pk, number=number, kind="no action", text="No.", by_id=author)
    penalties.objects.create(rally_id=rally.pk, special_stage_id=run.special_stage_id, missed_turn=1, seconds=9, **said)
    exclusions.objects.create(given_by_id=authors["drives"], **said)
    by_hand.objects.create(special_stage_id=run.special_stage_id, seconds=1, given_by_id=authors["drives"], **said)

    executor = Executor(connection)
    executor.migrate(AFTER)

    new = executor.loader.project_state(AFTER).apps
    drives_by_seconds = dict(new.get_model("rallies", "Penalty").objects.values_list("seconds", "author_drives"))
    assert drives_by_seconds == {1: False, 2: True, 3: True, 4: True, 9: False}
    assert list(Decision.objects.order_by("number").values_list("author_drives", flat=True)) == [
        False,
        True,
        True,
        True,
    ]
    assert new.get_model("rallies", "Exclusion").objects.get().author_drives
    assert new.get_model("rallies", "TimeByHand").objects.get().author_drives
    with pytest.raises(IntegrityError), transaction.atomic():
        Decision.objects.update(text="x")
    assert Entry.objects.count() == 2, "and the stage on the road goes on"
