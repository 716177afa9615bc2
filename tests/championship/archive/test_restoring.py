"""A club leaves as one file and comes back: all its pages show the same as before."""

from datetime import timedelta
from io import BytesIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from championship.accounts.models import User
from championship.accounts.names_only import is_name_only
from championship.archive.services.restoring import restore_club
from championship.clubs.models import Club, Role
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.rallies.models import Rally, SpecialStage, TimeControlCard
from championship.rallies.services import record_stage_time
from championship.runs.models import Run, Seal
from championship.seasons import services as seasons
from championship.seasons.scoring.season_file import tables_of
from championship.seasons.services import adjusting, nominating, registering
from championship.seasons.services.adjusting import RoundScoring
from championship.stages.services import load_library
from engine import record
from tests.championship.archive.scenes import a_club_with_a_past, archived, emptied, read_of, rows_of
from tests.championship.rallies.factories import hand_in, make_rally, organiser_of, started
from tests.championship.runs.factories import careful_turn, on_the_road, play
from tests.championship.runs.proofs import brought_home, downloaded, of_format_1, runs_of, salted_turn, short_rally
from tests.championship.runs.threads import at_once
from tests.championship.seasons.scenes import finished_rally, people
from tests.factories import make_club, make_member, make_user

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_everything_is_as_it_was_in_an_installation_that_was_empty(capsys):
    past = a_club_with_a_past()
    before, rows = read_of(past.club), rows_of(past.club)
    assert [name for name, found in rows.items() if not found] == [], "the scene has something in every table"
    assert len(before["Finished"]["decisions"]) == 5
    assert before["Cup"][0]
    file = archived(past.club)
    emptied()
    assert not Club.objects.exists()

    club = restore_club(by=None, owner=None, file=file)

    after, rows_after = read_of(club), rows_of(club)
    # Secrets are not in archives: each stage to come gets a new one, and its promise is written into the log.
    sealed = Seal.objects.filter(special_stage__rally__club=club, special_stage__opened_at=None).count()
    own = rows_after["audit.record"][len(rows["audit.record"]) :]
    assert [record["action"] for record in own] == [*["stages sealed"] * sealed, "club restored"]
    del rows_after["audit.record"][len(rows["audit.record"]) :]
    assert rows_after == rows
    assert [line[2] for line in after["log"][: len(own)]] == [record["action"] for record in reversed(own)]
    after["log"] = after["log"][len(own) :]
    left = [person for person in before["members"] if person[1] == "Bo"]
    assert (left, after) == ([], before)
    assert (club.key, club.slug) == (past.club.key, past.club.slug)
    keys = list(Run.objects.values_list("key", flat=True))
    for key in keys:
        call_command("rebuild", "--", key)
    assert capsys.readouterr().out.count("The events match the snapshot.") == len(keys) == 1


NEWEST = {
    "bonus": {"pole": {"points": 2, "shared": "divide"}, "fastest_lap": {"points": 3, "within": 3, "shared": "divide"}},
    "start": 0.5,
    "equal_places": "divide",
    "two_cars": "best",
    "drops": {"worst": 1, "never": [3], "together": [[1, 2]]},
    "nominated": 1,
    "joker": 2,
    "least_starts": 3,
    "sizes": [{"cars": 3, "points": [12, 9, 4]}],
    "shared": "each",
    "tie_breaks_without": [1],
}


def test_a_season_with_every_word_of_the_book_has_the_same_tables_and_the_same_file():
    olga = make_user("Olga", email="olga@example.org")
    club = make_club(owner=olga)
    ana, bo, cem = people(club, 3)
    cup = seasons.create_championship(
        by=olga, club=club, name="Cup", points=[10, 6], tie_breaks=["latest best", "starts"], further=NEWEST
    )
    for times in ({ana: 200, bo: 200, cem: 230}, {ana: 210, bo: 200}, {ana: 200, bo: 210, cem: 205}):
        rally = finished_rally(club, olga, {driver: (seconds,) for driver, seconds in times.items()})
        seasons.add_round(by=olga, championship=cup, rally=rally)
    first, second, third = cup.rounds.order_by("number")
    scoring = {first.pk: RoundScoring(pole_by=cem.pk), third.pk: RoundScoring(factor=150, fastest_lap_by=bo.pk)}
    adjusting.change_round_scoring(by=olga, championship=cup, version=None, scoring=scoring)
    mine = registering.register(by=olga, championship=cup, driver=ana, crew="Ana")
    nominating.nominate(by=olga, registration=mine, rounds=[third.pk])
    entry = second.rally.entries.get(driver=bo)
    nominating.share_cars(by=olga, round=second, shares={entry.pk: cem.pk}, version=None)
    cup.refresh_from_db()
    table, page = read_of(club)["Cup"], f"/championships/{cup.key}/"
    written = Client().get(f"{page}season.json").json()
    lines = {line["driver"]: (line["rounds"], line["dropped"]) for line in tables_of(written)["drivers"]}
    # 12 and 9 divided, 4 with the pole; 10 of a shared car; 12, 9 and 4 with the lap, one and a half times, and a joker
    assert lines == {
        ana.name: ([11, 6.5, 37.5], [1, 2]),
        bo.name: ([11, 10.5, 11.25], [1, 2]),
        cem.name: ([6.5, 10.5, 14.25], [1, 2]),
    }
    file = archived(club)
    emptied()

    club = restore_club(by=None, owner=None, file=file)

    assert read_of(club)["Cup"] == table
    again = club.championships.get()
    assert (again.further, again.tie_breaks) == (cup.further, cup.tie_breaks)
    assert Client().get(f"{page}season.json").json() == written


def test_a_run_keeps_format_salts_and_draws_so_that_its_proof_holds_again():
    new, old = (short_rally("Ana", mode="open road") for _each in range(2))
    (run,), (before,) = runs_of(new), runs_of(old)
    of_format_1(before)
    salted_turn(run, "6b" * 16)
    told = {each.key: downloaded(brought_home(each)) for each in (run, before)}
    assert {document["record"] for document in told.values()} == {1, 2}
    files = [archived(rally.club) for rally in (new, old)]
    emptied()
    for file in files:
        restore_club(by=None, owner=None, file=file)
    for key, document in told.items():
        again = Run.objects.select_related("special_stage").get(key=key)
        assert downloaded(again) == document
        assert record.verify(document) is None


def test_a_rally_under_way_is_paused_and_continues_where_it_was():
    past = a_club_with_a_past()
    file = archived(past.club)
    emptied()
    club = restore_club(by=None, owner=None, file=file)

    rally = club.rallies.get(name="Control")
    assert rally.paused_at is not None
    assert not TimeControlCard.objects.filter(entry__rally=rally).exists(), (
        "sealed cards stay in the house: they are handed in again"
    )
    rallies.resume_rally(by=User.objects.get(email=past.owner.email), rally=rally)
    hand_in(rally, 1, *rally.entries.select_related("driver"))
    assert rally.stages.get(number=2).status == SpecialStage.Status.RUNNING
    assert Run.objects.filter(special_stage__rally=rally, special_stage__number=2).exists()


def test_a_time_control_that_was_restored_closes_at_its_deadline_later_by_the_pause():
    past = a_club_with_a_past()
    before, made = past.control.stages.get(number=1), clock.now()
    file = archived(past.club)
    emptied()
    club = restore_club(by=None, owner=None, file=file)

    rally = club.rallies.get(name="Control")
    rallies.resume_rally(by=User.objects.get(email=past.owner.email), rally=rally)
    stage = rally.stages.get(number=1)
    waited = stage.control_deadline - before.control_deadline
    assert timedelta() < waited < clock.now() - made + timedelta(minutes=1)
    late = stage.control_deadline + timedelta(seconds=1)
    assert rallies.close_overdue_time_controls(now=stage.control_deadline - timedelta(seconds=1)) == 0
    assert rallies.close_overdue_time_controls(now=late) == 1
    assert rally.stages.get(number=1).status == SpecialStage.Status.DONE


def test_a_stage_on_the_road_is_driven_again_with_other_dice():
    run, entries = on_the_road("Ana", "Bo")
    rally = run.special_stage.rally
    play(run, entries[0], **careful_turn(run))
    promised = Seal.objects.get(special_stage=run.special_stage).commitment
    olga = organiser_of(rally).email
    file = archived(rally.club)
    emptied()
    club = restore_club(by=None, owner=None, file=file)

    rally = club.rallies.get()
    stage = rally.stages.get(number=1)
    assert (stage.status, stage.opened_at) == (SpecialStage.Status.PLANNED, None)
    assert [place.entry.crew for place in stage.start_places.order_by("position")] == [e.crew for e in entries]
    assert not Run.objects.exists()
    assert Seal.objects.get(special_stage=stage).commitment != promised
    owner = User.objects.get(email=olga)
    rallies.resume_rally(by=owner, rally=rally)
    rallies.start_next_stage(by=owner, rally=rally)
    assert Run.objects.get().seats.count() == 2


def test_people_are_matched_by_address_and_former_members_become_names():
    olga, ana = make_user("Olga", email="olga@example.org"), make_user("Ana", email="ana@example.org")
    club = make_club(owner=olga)
    make_member(club, user=ana)
    rally = make_rally(by=olga, club=club)
    rallies.enter_rally(by=ana, rally=rally, crew="Ana / Ann")
    club.memberships.get(user=ana).delete()
    file = archived(club)
    emptied()
    stays = make_user("Olga by another name", email="olga@example.org")

    restore_club(by=None, owner=None, file=file)

    assert User.objects.get(email="olga@example.org") == stays
    stays.refresh_from_db()
    assert stays.name == "Olga by another name"
    assert not User.objects.filter(email="ana@example.org").exists()
    entry = Rally.objects.get().entries.get()
    assert (entry.crew, entry.driver.name, is_name_only(entry.driver)) == ("Ana / Ann", "Ana", True)
    assert entry.driver.takes_no_mail
    assert not Notice.objects.exists()


def test_keys_in_use_here_are_replaced_and_a_club_is_restored_only_once():
    rally, _entries = started("Ana", stages=("1/3",))
    file = archived(rally.club)
    key, slug = rally.key, rally.club.slug
    with pytest.raises(Refused, match="is here already"):
        restore_club(by=None, owner=None, file=file)
    emptied()
    other = make_club(name=rally.club.name)
    assert other.slug == slug
    theirs = make_rally(club=other, by=other.memberships.get().user)
    Rally.objects.filter(pk=theirs.pk).update(key=key)

    club = restore_club(by=None, owner=None, file=file)

    assert club.slug == f"{slug}-2"
    assert club.rallies.get().key != key
    with pytest.raises(Refused, match="is here already"):
        restore_club(by=None, owner=None, file=file)


def test_the_same_archive_brought_twice_at_once_is_taken_once(transactional_db):
    rally, _entries = started("Ana", stages=("1/3",))
    content = archived(rally.club).getvalue()
    emptied()
    load_library()

    def bring() -> Club:
        return restore_club(by=None, owner=None, file=BytesIO(content))

    answers = at_once(bring, bring, before="pg_advisory_xact_lock")

    (refusal,) = [str(each) for each in answers if isinstance(each, Refused)]
    assert "is here already" in refusal
    assert Club.objects.count() == Rally.objects.count() == 1


def test_a_restored_stage_continues_its_numbers():
    rally, _entries = started("Ana", "Bo", stages=("1/3",))
    file = archived(rally.club)
    emptied()
    club = restore_club(by=None, owner=None, file=file)
    rally = club.rallies.get()
    owner = club.memberships.get(roles__contains=[Role.OWNER]).user
    rallies.start_next_stage(by=owner, rally=rally)
    for entry, seconds in zip(rally.entries.order_by("start_number"), (200, 190), strict=True):
        record_stage_time(
            special_stage=rally.stages.get(), entry=entry, measure=seconds, retired=False, detail={"cards_seconds": 0},
            car=entry.car or {},
        )  # fmt: skip
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    assert rally.created_at < rally.finished_at < rally.created_at + timedelta(hours=1)


def test_by_command_there_and_back(tmp_path, capsys):
    rally, _entries = started("Ana", stages=("1/3",))
    path = str(tmp_path / "club.zip")
    call_command("archive_club", rally.club.slug, path)
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("archive_club", rally.club.slug, path)
    with pytest.raises(CommandError, match="is here already"):
        call_command("restore_club", path, "--as-it-was")
    emptied()
    with pytest.raises(CommandError, match="--owner --as-it-was is required"):
        call_command("restore_club", path)
    call_command("restore_club", path, "--as-it-was")
    assert f"/clubs/{rally.club.slug}/" in capsys.readouterr().out
    assert Club.objects.get().memberships.count() == 2
    emptied()
    with pytest.raises(CommandError, match="Nobody here has the address"):
        call_command("restore_club", path, "--owner", "vera@example.org")
    vera = make_user("Vera", email="vera@example.org")
    call_command("restore_club", path, "--owner", "vera@example.org")
    assert [each.user for each in Club.objects.get().memberships.all()] == [vera]
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("restore_club", str(tmp_path / "nowhere.zip"), "--as-it-was")
