"""An archive is a stranger's text: it makes nobody a member, and nothing that it says was done here."""

from __future__ import annotations

import io
import json
import re
import zipfile
from datetime import timedelta

import pytest
from django.db import transaction

from championship.accounts.models import EntranceLetter, User
from championship.accounts.names_only import is_name_only
from championship.archive.models import ArchivedMember
from championship.archive.services.archived_members import digest_of
from championship.archive.services.restoring import restore_club
from championship.audit import services as audit
from championship.audit.models import Record
from championship.clubs.models import Club, Invitation, Role
from championship.clubs.services import accept_invitation, invite, mail_invitations
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.seasons.models import Registration
from tests.championship.archive.scenes import a_club_with_a_past, archived, emptied
from tests.championship.archive.test_damaged import changed, packed
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def inside(django_db_setup, django_db_blocker) -> dict[str, bytes]:
    """The files of an archive of a club with a past. The creation of the club is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        with zipfile.ZipFile(archived(a_club_with_a_past().club)) as found:
            files = {name: found.read(name) for name in found.namelist()}
        transaction.set_rollback(True)
    return files


def people_in(files: dict[str, bytes]) -> dict[str, dict[str, object]]:
    """Return the people of the archive, by name."""
    return {row["name"]: row for row in map(json.loads, files["tables/people.jsonl"].splitlines())}


def with_everything_for(files: dict[str, bytes], person: User) -> io.BytesIO:
    """Return an archive in which this person holds every office, and gave a penalty."""
    stella = people_in(files)["Stella"]["id"]
    renamed = []
    for name, column, value in (("people", "id", "email"), ("clubs.membership", "user_id", "roles")):
        lines = files[f"tables/{name}.jsonl"]
        for number, line in enumerate(lines.splitlines()):
            if json.loads(line)[column] == stella:
                given = person.email if value == "email" else ["owner", "organiser", "steward", "driver"]
                lines = changed(lines, number, **{value: given})
        renamed.append((f"tables/{name}.jsonl", lines))
    log = files["tables/audit.record.jsonl"]
    last = len(log.splitlines()) - 1
    renamed.append(("tables/audit.record.jsonl", changed(log, last, actor_id=stella, action="penalty given")))
    return packed({**files, **dict(renamed)})


def letter_to(person: User) -> EntranceLetter:
    return EntranceLetter.objects.get(to=person.email)


def token_in(letter: EntranceLetter) -> str:
    found = re.search(r"/join/([\w-]+)/", letter.body)
    assert found is not None, letter.body
    return found[1]


def test_only_the_chosen_account_is_a_member(inside):
    opal, vera = make_user("Opal", email="opal@example.org"), make_user("Vera")
    accounts = User.objects.exclude(is_active=False).count()
    club = restore_club(by=None, file=with_everything_for(inside, opal), owner=vera)
    assert [(each.user, each.roles) for each in club.memberships.all()] == [(vera, ["owner", "organiser", "driver"])]
    assert User.objects.exclude(is_active=False).count() == accounts, "no account is made from a stranger's list"
    assert "Rallyeclub" not in signed_in(opal).get("/clubs/").text
    for path in ("", "log/", "members/"):
        assert signed_in(opal).get(f"/clubs/{club.slug}/{path}").status_code == 404
    assert not Notice.objects.exists()


def test_the_invitation_is_for_a_driver_at_most_and_the_letter_says_what_it_is(inside):
    opal, vera = make_user("Opal", email="opal@example.org", language="de"), make_user("Vera")
    club = restore_club(by=None, file=with_everything_for(inside, opal), owner=vera)
    offered = {role for each in Invitation.objects.filter(club=club) for role in each.roles}
    assert offered <= {"driver", "guest"}
    letter = letter_to(opal)
    assert club.name in letter.subject and "/join/" in letter.body
    joined = accept_invitation(by=opal, token=token_in(letter))
    assert joined.roles == ["driver"]
    assert not ArchivedMember.objects.filter(club=club, digest=digest_of(opal.email)).exists()


def test_who_joins_with_the_address_gets_the_results_and_nobody_else_does(inside):
    ana, vera, eve = make_user("Ana B"), make_user("Vera"), make_user("Eve")
    lines = inside["tables/people.jsonl"]
    number = next(n for n, line in enumerate(lines.splitlines()) if json.loads(line)["name"] == "Ana")
    file = packed({**inside, "tables/people.jsonl": changed(lines, number, email=ana.email.upper())})
    club = restore_club(by=None, file=file, owner=vera)
    mine = Entry.objects.filter(rally__club=club, crew="Ana")
    name = mine[0].driver
    assert is_name_only(name) and str(name) == "Ana"
    accept_invitation(by=eve, token=token_in(letter_to(ana)))
    assert mine[0].driver == name, "a letter that was passed on gives nobody the results"
    _invitation, token = invite(by=vera, club=club, roles=["driver"], days=7)
    accept_invitation(by=ana, token=token)
    assert {each.driver for each in mine.all()} == {ana}
    assert Registration.objects.filter(championship__club=club, driver=ana).exists()
    taken = audit.of_club(club.pk).get(action="results taken over")
    assert (taken.actor, taken.from_archive) == (ana, False)
    assert taken.details["archived_roles"] == ["driver"]


def test_the_owner_sees_who_has_not_joined_and_with_which_roles(inside):
    opal, vera = make_user("Opal", email="opal@example.org"), make_user("Vera")
    club = restore_club(by=None, file=with_everything_for(inside, opal), owner=vera)
    page = signed_in(vera).get(f"/clubs/{club.slug}/names/").text
    assert "in the archive: owner, organiser, steward, driver" in page
    accept_invitation(by=opal, token=token_in(letter_to(opal)))
    assert "in the archive: owner, organiser, steward" not in signed_in(vera).get(f"/clubs/{club.slug}/names/").text


@pytest.mark.parametrize("as_it_was", [True, False])
def test_the_log_marks_what_comes_from_an_archive(inside, as_it_was):
    opal, vera = make_user("Opal", email="opal@example.org"), make_user("Vera")
    club = restore_club(by=None, file=with_everything_for(inside, opal), owner=None if as_it_was else vera)
    log = audit.of_club(club.pk)
    here = set(log.filter(from_archive=False).values_list("action", flat=True))
    assert here == {"club restored", "stages sealed"} | (set() if as_it_was else {"people invited by mail"})
    assert Record.objects.filter(actor=opal, from_archive=False).count() == 0
    assert log.filter(actor=opal).exists() == as_it_was
    reader = club.memberships.filter(roles__contains=[Role.OWNER])[0].user
    User.objects.update(language="en")
    page = signed_in(reader).get(f"/clubs/{club.slug}/log/?page=99").text
    assert page.count("from an archive</span>") >= 1 and "was not done here" in page
    with zipfile.ZipFile(archived(club)) as again:
        rows = [json.loads(line) for line in again.read("tables/audit.record.jsonl").splitlines()]
    assert {row["action"] for row in rows if not row["from_archive"]} == here


def test_a_log_from_an_archive_counts_no_letters(inside):
    vera, log = make_user("Vera"), inside["tables/audit.record.jsonl"]
    for number, told in enumerate(({"people": 200}, {"people": "many"})):
        log = changed(log, number, action=mail_invitations.TOLD, details=told, at=clock.now().isoformat())
    club = restore_club(by=None, file=packed({**inside, "tables/audit.record.jsonl": log}), owner=vera)
    _invitation, sent = mail_invitations.invite_by_mail(
        by=vera, club=club, roles=["driver"], days=7, text="new@example.org"
    )
    assert sent == 1


def test_a_club_sends_as_many_letters_as_in_a_day_and_people_with_an_account_come_first(inside, monkeypatch):
    monkeypatch.setattr(mail_invitations, "MOST_A_DAY", 1)
    opal, vera = make_user("Opal", email="opal@example.org"), make_user("Vera")
    club = restore_club(by=None, file=with_everything_for(inside, opal), owner=vera)
    assert [each.to for each in EntranceLetter.objects.all()] == [opal.email]
    assert ArchivedMember.objects.filter(club=club).count() > 1, "the others are remembered all the same"
    with pytest.raises(Refused, match="in a day"):
        mail_invitations.invite_by_mail(by=vera, club=club, roles=["driver"], days=7, text="new@example.org")


def test_the_owner_in_the_archive_by_the_chosen_address_has_the_results_at_once(inside):
    row = people_in(inside)["Ana"]
    ana = make_user("Ana here", email=str(row["email"]))
    club = restore_club(by=None, file=packed(dict(inside)), owner=ana)
    assert Entry.objects.filter(rally__club=club, driver=ana).exists()
    assert not EntranceLetter.objects.filter(to=ana.email).exists()


def test_nobody_is_invited_to_a_closed_club(inside):
    closed = changed(inside["tables/clubs.club.jsonl"], closed_at=(clock.now() - timedelta(days=9)).isoformat())
    restore_club(by=None, file=packed({**inside, "tables/clubs.club.jsonl": closed}), owner=make_user("Vera"))
    assert not EntranceLetter.objects.exists() and not Invitation.objects.exists()


def test_a_rally_under_way_goes_on_and_its_deadline_follows_the_driver_who_joins(inside):
    vera, row = make_user("Vera"), people_in(inside)["Dag"]
    dag = make_user("Dag", email=str(row["email"]))
    club = restore_club(by=None, file=packed(dict(inside)), owner=vera)
    rally = Rally.objects.get(club=club, name="Control")
    accept_invitation(by=dag, token=token_in(letter_to(dag)))
    rallies.resume_rally(by=vera, rally=rally)
    waits = rally.stages.get(number=1).awaited_cards.get(entry__driver=dag)
    assert waits.person == dag
    assert rally.name in signed_in(dag).get("/turns/").text


@pytest.mark.parametrize("change", ["closed", "bot", "name"])
def test_an_account_that_cannot_own_a_club(inside, change):
    vera = make_user("Vera")
    changes = {"closed": {"closed_at": clock.now()}, "bot": {"is_bot": True}, "name": {"is_active": False}}[change]
    User.objects.filter(pk=vera.pk).update(**changes)
    with pytest.raises(Refused, match="cannot own a club") as refusal:
        restore_club(by=None, file=packed(dict(inside)), owner=User.objects.get(pk=vera.pk))
    assert refusal.value.field == "owner" and not Club.objects.exists()


def test_a_fresh_installation_of_ones_own_is_as_it_was():
    before = a_club_with_a_past()
    roles = sorted((each.user.email, each.roles) for each in before.club.memberships.all())
    file = archived(before.club)
    emptied()
    club = restore_club(by=None, file=file, owner=None)
    assert sorted((each.user.email, each.roles) for each in club.memberships.all()) == roles
    assert not EntranceLetter.objects.exists() and not ArchivedMember.objects.exists()
