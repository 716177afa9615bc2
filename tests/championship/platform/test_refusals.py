"""A refusal that no view catches becomes a page with its message."""

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import include, path

from championship.platform.refusals import Forbidden, Refused, Stale


def too_fast(request: HttpRequest) -> HttpResponse:
    raise Refused("Third gear is too much <here>.", field="plan", rule="M4", move=2)


def not_yours(request: HttpRequest) -> HttpResponse:
    raise Forbidden("Only an organiser may do this.")


def too_late(request: HttpRequest) -> HttpResponse:
    raise Stale("Somebody was quicker.")


def broken(request: HttpRequest) -> HttpResponse:
    raise ValueError("not a refusal")


urlpatterns = [
    path("too-fast/", too_fast),
    path("not-yours/", not_yours),
    path("too-late/", too_late),
    path("broken/", broken),
    path("", include("championship.urls")),
]


@pytest.mark.django_db
@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/too-fast/", 422, "Third gear is too much &lt;here&gt;."),
        ("/not-yours/", 403, "Only an organiser may do this."),
        ("/too-late/", 409, "Somebody was quicker."),
    ],
)
def test_a_refusal_becomes_a_page(client: Client, address: str, status: int, said: str) -> None:
    response = client.get(address)

    assert response.status_code == status
    assert said in response.content.decode()


@pytest.mark.django_db
@override_settings(ROOT_URLCONF=__name__)
def test_the_page_names_the_rule(client: Client) -> None:
    assert "M4" in client.get("/too-fast/").content.decode()


@override_settings(ROOT_URLCONF=__name__)
def test_other_errors_stay_errors(client: Client) -> None:
    with pytest.raises(ValueError, match="not a refusal"):
        client.get("/broken/")


def test_a_refusal_keeps_what_it_is_about() -> None:
    refusal = Refused("No.", field="plan", rule="M4", move=2)

    assert (str(refusal), refusal.field, refusal.rule, refusal.move) == ("No.", "plan", "M4", 2)
