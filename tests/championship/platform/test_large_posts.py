"""Posts that are larger than Django reads are refused with words; the form of lists takes more."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.wsgi import WSGIRequest
from django.test import Client, RequestFactory
from django.test.client import FakePayload

from championship.lists.models import ListDraft
from championship.platform.web.large_posts import LargePostsMiddleware
from championship.seasons.services import create_championship
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    return signed_in(olga), create_championship(by=olga, club=club, name="Cup", classes=[])


def a_list(size: int) -> str:
    """A list of 500 lines of about that many bytes."""
    note = "x" * (size // 500 - 30)
    return "Platz;Name;Datum;Rallye;Bemerkung\n" + "".join(
        f"{n};Ana Berg {n};2024-01-01;Lauf;{note}\n" for n in range(1, 501)
    )


@pytest.mark.parametrize("at_once", [True, False], ids=["checked", "unchecked"])
def test_pasted_lines_of_more_than_a_megabyte_are_read(scene, at_once):
    client, cup = scene
    client.handler.enforce_csrf_checks = at_once
    where = f"/lists/championships/{cup.key}/results/"
    token = client.get(where).context["csrf_token"]
    text = a_list(1_500_000)
    assert len(text) > 1024**2
    answer = client.post(where, {"csrfmiddlewaretoken": str(token), "text": text, "other": "ł"})
    assert answer.status_code == 302, answer.content.decode()[:500]
    assert bytes(ListDraft.objects.get().content).decode() == text


def test_pasted_lines_above_the_bound_come_back_with_the_field_and_what_to_do(scene):
    client, cup = scene
    where = f"/lists/championships/{cup.key}/results/"
    text = a_list(2_600_000)
    answer = client.post(where, {"text": text})
    assert answer.status_code == 422
    assert "at most 2 MB" in answer.context["form"].errors["text"][0]
    assert "Ana Berg 500;" in answer.content.decode(), "the lines are not lost"
    beyond = client.post(where, {"text": a_list(5_000_000)})
    assert beyond.status_code == 413
    assert "at most 4 MB of text" in beyond.content.decode()
    assert not ListDraft.objects.exists()


def test_a_file_beside_a_long_text_stays_as_it_is(scene):
    client, cup = scene
    where = f"/lists/championships/{cup.key}/results/"
    tricky = b'Platz;Name\r\n1;Ana\r\nContent-Disposition: form-data; name="text"\r\n'
    client.post(where, {"file": SimpleUploadedFile("a.csv", tricky), "text": "x" * 1_200_000})
    assert bytes(ListDraft.objects.get().content) == tricky


def test_a_broken_connection_is_left_to_the_check_of_the_token():
    class Broken(FakePayload):
        def read(self, *_size):
            raise OSError("gone")

    request = RequestFactory().post("/", {"name": "x"})
    request = WSGIRequest({**request.environ, "wsgi.input": Broken(b"x")})
    answered = LargePostsMiddleware(lambda _request: None).process_view(request, lambda: None, (), {})
    assert answered is None


def test_other_forms_say_what_is_too_large(scene, settings):
    client, cup = scene
    answer = client.post(f"{cup.get_absolute_url()}edit/", {"name": "x" * 1_100_000})
    assert answer.status_code == 413
    assert "at most 1 MB together" in answer.content.decode()
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 5
    answer = client.post(f"{cup.get_absolute_url()}edit/", {f"f{n}": "x" for n in range(9)})
    assert answer.status_code == 413
    assert "at most 5." in answer.content.decode()
    assert Client().post("/", {"name": "x" * 1_100_000}).status_code == 413


@pytest.mark.parametrize("charset", ["hex", "zlib", "rot13", "idna", "undefined", "punycode", "utf-7", "none such"])
def test_an_encoding_that_reads_no_text_is_no_fault_of_ours(scene, charset):
    client, cup = scene
    kind = f"multipart/form-data; boundary=b; charset={charset}"
    body = b'--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nPuchar \xc5\x82\xff\r\n--b--\r\n'
    for where in (f"{cup.get_absolute_url()}edit/", f"/lists/championships/{cup.key}/results/"):
        assert client.generic("POST", where, body, content_type=kind).status_code < 500
    text = f"text/plain; charset={charset}"
    answer = Client().generic("GET", "/puzzles/all/", content_type=text, QUERY_STRING="page=%c5%82")
    assert answer.status_code == 200
