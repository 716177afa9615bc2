"""What somebody who has not signed in may send: a limited number of posts from one network, and no large ones."""

import pytest
from django.core.cache import cache
from django.test import Client

from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

TYPED = {"login": "ana@example.org"}
ANA, BO = "203.0.113.7", "203.0.113.8"


@pytest.fixture(autouse=True)
def three_a_minute(settings, at):
    settings.ANONYMOUS_POSTS_A_MINUTE = 3
    settings.TRUSTED_PROXIES = "127.0.0.1"
    cache.clear()
    at("2026-11-19T12:00:10")


def statuses(client, times, path="/account/login/", address=ANA):
    headers = {"X-Forwarded-For": address}
    return [client.post(path, TYPED, headers=headers).status_code for _time in range(times)]


def test_too_many_posts_of_one_network_must_wait(client, at):
    assert statuses(client, 4, "/nowhere/") == [404, 404, 404, 429]
    answer = client.post("/account/login/", TYPED, headers={"X-Forwarded-For": ANA})
    assert answer.status_code == 429
    assert answer["Retry-After"] == "50"
    assert "Try again in 50 seconds." in answer.text
    assert statuses(Client(), 1, address=BO) == [302], "another network"
    assert client.get("/account/login/", headers={"X-Forwarded-For": ANA}).status_code == 200, "reading is not limited"
    at("2026-11-19T12:01:00")
    assert statuses(client, 1) == [302]


def test_a_signed_in_person_is_not_counted():
    assert 429 not in statuses(signed_in(make_user("Ana")), 5, "/nowhere/")


def test_a_program_is_counted_by_the_api_alone(client):
    answers = [client.post("/api/v1/me/turns", {}, headers={"X-Forwarded-For": ANA}) for _time in range(5)]
    assert 429 not in [answer.status_code for answer in answers]


@pytest.mark.parametrize("length", [str(64 * 1024 * 1024), "9" * 30, "-1"])
def test_a_large_body_is_refused_before_it_is_read(client, length):
    class Body:
        def read(self, *_size):
            raise AssertionError("the body is read")

        readline = read

    told = {"CONTENT_LENGTH": length, "wsgi.input": Body(), "CONTENT_TYPE": "multipart/form-data; boundary=x"}
    answer = client.post("/operator/restore/", **told)
    assert answer.status_code == 413
    assert "Sign in first" in answer.text
