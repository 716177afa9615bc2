"""An operator uploads an archive; the page stores it, and a worker restores it once."""

from __future__ import annotations

from io import BytesIO

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from championship.accounts.models import User
from championship.archive.models import Upload, UploadPart
from championship.archive.services import uploads
from championship.audit import services as audit
from championship.clubs.models import Club
from championship.notices.models import Notice
from championship.platform.refusals import Refused, Stale
from tests.championship.archive.scenes import archived, emptied
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/operator/restore/"


@pytest.fixture
def content() -> bytes:
    """The archive of a club that is not here."""
    found = archived(make_club(name="Wiking", owner=make_user("Olga"))).getvalue()
    emptied()
    return found


@pytest.fixture
def root() -> User:
    operator = make_user("Root")
    operator.is_staff = True
    operator.save()
    return operator


def sent(content: bytes, owner: User) -> dict[str, object]:
    return {"file": SimpleUploadedFile("a.zip", content), "owner": owner.email}


def test_only_operators_see_the_page(content):
    for client in (Client(), signed_in(make_user())):
        assert client.get(PAGE).status_code == client.get(f"{PAGE}state/").status_code == 404
        assert client.post(PAGE, sent(content, make_user())).status_code == 404
    assert not Upload.objects.exists()


def test_the_page_stores_and_a_worker_restores(content, root, django_capture_on_commit_callbacks):
    vera, operator = make_user("Vera"), signed_in(root)
    with django_capture_on_commit_callbacks() as later:
        assert operator.post(PAGE, sent(content, vera)).status_code == 302
    assert not Club.objects.exists(), "the page does not restore it"
    page = operator.get(PAGE).text
    assert "A worker restores it" in page and "every 3s" in page
    for callback in later:
        callback()
    club = Club.objects.get()
    assert audit.of_club(club.pk).get(action="club restored").actor == root
    assert [each.user for each in club.memberships.all()] == [vera]
    state = operator.get(f"{PAGE}state/").text
    assert "Wiking is restored" in state and "every 3s" not in state
    assert not UploadPart.objects.exists(), "the bytes are not kept"
    assert set(Notice.objects.filter(kind="archive restored").values_list("recipient", flat=True)) == {root.pk, vera.pk}


def test_what_is_wrong_with_an_archive_is_on_the_page_and_in_a_notice(
    content, root, django_capture_on_commit_callbacks
):
    operator = signed_in(root)
    with django_capture_on_commit_callbacks(execute=True):
        operator.post(PAGE, sent(content[:500], root))
    assert "not a complete zip file" in operator.get(PAGE).text
    assert Notice.objects.filter(kind="archive refused", recipient=root).exists()
    assert not UploadPart.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        operator.post(PAGE, sent(content, root))
    assert Club.objects.count() == 1, "the next one is taken"
    with django_capture_on_commit_callbacks(execute=True):
        operator.post(PAGE, sent(content, root))
    assert "Wiking is here already" in operator.get(PAGE).text


def test_the_form_keeps_the_address_and_names_the_field(content, root):
    operator = signed_in(root)
    page = operator.post(PAGE, {"file": SimpleUploadedFile("a.zip", content), "owner": "nobody@example.org"})
    assert page.status_code == 422
    assert "Nobody here has this address" in page.text and 'value="nobody@example.org"' in page.text
    assert operator.post(PAGE, {"owner": root.email}).status_code == 422
    bot = make_user("Bot")
    User.objects.filter(pk=bot.pk).update(is_bot=True)
    assert "cannot own a club" in operator.post(PAGE, sent(content, bot)).text
    assert not Upload.objects.exists()


def test_one_archive_at_a_time(content, root):
    uploads.upload(by=root, file=BytesIO(content), owner=root.email)
    with pytest.raises(Stale):
        uploads.upload(by=root, file=BytesIO(content), owner=root.email)
    page = signed_in(root).post(PAGE, sent(content, root))
    assert page.status_code == 409 and "Another archive is being restored" in page.text
    assert Upload.objects.count() == 1


def test_a_task_that_arrives_twice_restores_once(content, root):
    stored = uploads.upload(by=root, file=BytesIO(content), owner=root.email)
    for _time in range(2):
        uploads.restore_upload(upload_id=stored.pk)
    stored.refresh_from_db()
    assert (stored.tries, stored.refusal, Club.objects.count()) == (1, "", 1)


def test_an_upload_whose_worker_was_lost_is_taken_up_again_and_given_up_at_last(content, root, at):
    stored = uploads.upload(by=root, file=BytesIO(content), owner=root.email)
    assert uploads.clean_up_uploads() == []
    at("2026-11-19T12:02")
    assert uploads.clean_up_uploads() == [stored.pk]
    for hour in (13, 14, 15):
        at(f"2026-11-19T{hour}:00")
        assert uploads._claimed(stored.pk) is not None
        assert uploads._claimed(stored.pk) is None, "one worker at a time"
        at(f"2026-11-19T{hour}:13")
        assert uploads.clean_up_uploads() == ([] if hour == 15 else [stored.pk])
    assert "could not be restored" in signed_in(root).get(PAGE).text
    uploads.upload(by=root, file=BytesIO(content), owner=root.email)
    at("2026-11-30T12:00")
    uploads.clean_up_uploads()
    assert not Upload.objects.filter(pk=stored.pk).exists(), "after a week nobody needs the row"


def test_a_restore_that_takes_too_long_says_so(content, root, monkeypatch):
    def slow(**arguments: object) -> None:
        raise SoftTimeLimitExceeded

    stored = uploads.upload(by=root, file=BytesIO(content), owner=root.email)
    with monkeypatch.context() as broken:
        broken.setattr(uploads, "restore_club", slow)
        uploads.restore_upload(upload_id=stored.pk)
    assert "longer than a worker may" in signed_in(root).get(PAGE).text
    with pytest.raises(Refused, match="Nobody here"):
        uploads.upload(by=root, file=BytesIO(content), owner="x@example.org")
