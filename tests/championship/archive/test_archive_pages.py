"""Owners create and download their club's archive; nobody else sees these pages."""

import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from championship.archive import services
from championship.archive.models import Archive, Part
from championship.archive.services.writing import write_archive
from championship.audit import services as audit
from championship.platform.refusals import Forbidden, Stale
from tests.championship.rallies.factories import make_rally
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    return make_club(name="Wiking", owner=olga)


def test_an_owner_asks_and_downloads_and_the_log_says_so(olga, club, django_capture_on_commit_callbacks):
    owner = signed_in(olga)
    assert "Make an archive" in owner.get("/clubs/wiking/archive/").text
    with django_capture_on_commit_callbacks(execute=True):
        assert owner.post("/clubs/wiking/archive/").status_code == 302
    archive = Archive.objects.get()
    page = owner.get("/clubs/wiking/archive/").text
    assert archive.sha256 in page
    assert "every 3s" not in page
    answer = owner.post(f"/clubs/wiking/archive/{archive.pk}/download/")
    content = b"".join(answer.streaming_content)
    assert answer["Content-Length"] == str(len(content)) == str(archive.size)
    assert 'filename="wiking-' in answer["Content-Disposition"]
    assert "tables/clubs.club.jsonl" in zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert [each.action for each in audit.of_club(club.pk)][:2] == ["archive downloaded", "archive asked for"]
    assert owner.get(f"/clubs/wiking/archive/{archive.pk}/download/").status_code == 405


def test_the_newest_archive_makes_the_others_room(olga, club, django_capture_on_commit_callbacks, monkeypatch):
    monkeypatch.setattr(services, "PART_BYTES", 1000)
    for _time in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            archive = services.request_archive(by=olga, club=club)
    assert list(Archive.objects.all()) == [archive]
    assert Part.objects.count() == -(-Archive.objects.get().size // 1000)
    pieces = services.download(by=olga, archive=archive)
    assert zipfile.ZipFile(io.BytesIO(b"".join(pieces))).testzip() is None


def test_while_an_archive_is_being_written_the_page_says_so_and_polls(olga, club):
    owner = signed_in(olga)
    archive = services.request_archive(by=olga, club=club)
    again = owner.post("/clubs/wiking/archive/")
    assert again.status_code == 409
    assert "being made already" in again.text
    Archive.objects.filter(pk=archive.pk).update(steps=40, done=25)
    part = owner.get("/clubs/wiking/archive/state/").text
    assert "25 of 40 runs are written" in part
    assert "every 3s" in part
    assert owner.post(f"/clubs/wiking/archive/{archive.pk}/download/").status_code == 422
    with pytest.raises(Stale):
        services.request_archive(by=olga, club=club)


@pytest.mark.slow
@pytest.mark.parametrize("roles", [["organiser"], ["steward", "driver"], ["guest"]])
def test_only_owners(olga, club, roles, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        archive = services.request_archive(by=olga, club=club)
    member = make_member(club, roles=roles)
    for path in ("", "state/"):
        assert signed_in(member).get(f"/clubs/wiking/archive/{path}").status_code == 403
        assert signed_in(make_user()).get(f"/clubs/wiking/archive/{path}").status_code == 404
    assert signed_in(member).post(f"/clubs/wiking/archive/{archive.pk}/download/").status_code == 403
    assert "archive/" not in signed_in(member).get("/clubs/wiking/").text
    for act in (services.request_archive, services.download):
        with pytest.raises(Forbidden):
            act(by=member, **({"club": club} if act is services.request_archive else {"archive": archive}))
    other = make_user("Other")
    make_club(name="Other", owner=other)
    assert signed_in(other).post(f"/clubs/other/archive/{archive.pk}/download/").status_code == 404


def test_an_archive_whose_worker_was_lost_is_taken_up_again_and_given_up_at_last(olga, club, at):
    archive = services.request_archive(by=olga, club=club)
    assert services.clean_up_archives() == []
    at("2026-11-19T12:02")
    assert services.clean_up_archives() == [archive.pk]
    for hour in (13, 14, 15):
        at(f"2026-11-19T{hour}:00")
        assert services._claimed(archive.pk) is not None
        assert services._claimed(archive.pk) is None, "one worker at a time"
        at(f"2026-11-19T{hour}:13")
        assert services.clean_up_archives() == ([] if hour == 15 else [archive.pk])
    archive.refresh_from_db()
    assert archive.failed_at is not None
    assert "could not be made" in signed_in(olga).get("/clubs/wiking/archive/").text
    services.request_archive(by=olga, club=club)


def test_what_fails_is_said_and_asked_for_again(olga, club, monkeypatch, django_capture_on_commit_callbacks):
    def no_room(*args: object) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(services, "write_archive", no_room)
        with django_capture_on_commit_callbacks(execute=True):
            services.request_archive(by=olga, club=club)
    assert "could not be made" in signed_in(olga).get("/clubs/wiking/archive/").text
    with django_capture_on_commit_callbacks(execute=True):
        services.request_archive(by=olga, club=club)
    assert Archive.objects.get().ready_at is not None


def test_after_a_week_it_is_thrown_away(olga, club, at, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        archive = services.request_archive(by=olga, club=club)
    at((archive.asked_at + timedelta(days=6)).strftime("%Y-%m-%dT%H:%M"))
    services.clean_up_archives()
    assert Archive.objects.exists()
    at((archive.asked_at + timedelta(days=8)).strftime("%Y-%m-%dT%H:%M"))
    services.clean_up_archives()
    assert not Archive.objects.exists()
    assert not Part.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_archive_is_a_snapshot_of_one_moment(olga, club):
    """A rally created while the archive is being written is in none of its tables."""
    file, made = io.BytesIO(), []

    def make_one() -> None:
        try:
            made.append(make_rally(by=olga, club=club, stages=("1/3",)))
        finally:
            connection.close()

    def meanwhile(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "rallies_specialstage" in sql and not made:
            with ThreadPoolExecutor(1) as another:
                another.submit(make_one).result()
        return execute(sql, params, many, context)

    with connection.execute_wrapper(meanwhile):
        write_archive(club, file)

    assert club.rallies.count() == len(made) == 1
    inside = zipfile.ZipFile(file)
    for table in ("rallies.rally", "rallies.specialstage", "runs.seal"):
        assert inside.read(f"tables/{table}.jsonl") == b""
    assert b"rally created" not in inside.read("tables/audit.record.jsonl")
