"""One-click logins: only for the people of the demo, and only in the demo."""

import pytest
from django.core import signing
from django.test import Client, override_settings
from django.urls import reverse

from championship.accounts.models import User
from championship.accounts.services import create_user
from championship.demo import persons
from championship.demo.persons import DRIVER, ORGANISER, PERSONS

pytestmark = pytest.mark.django_db


@pytest.fixture
def driver() -> User:
    return create_user(email=DRIVER.email, name=DRIVER.name)


def signed_in(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


def test_the_link_signs_in_and_goes_home(client: Client, driver: User) -> None:
    response = client.get(reverse("demo:become", args=[persons.token_for(DRIVER.email)]))

    assert response.status_code == 302
    assert response.url == "/"
    assert signed_in(client) == str(driver.pk)


@pytest.mark.parametrize(
    ("asked", "to"), [("/open/", "/open/"), ("//elsewhere.example/", "/"), ("https://elsewhere.example/", "/")]
)
def test_the_link_may_lead_to_a_page_of_the_demo_and_nowhere_else(
    client: Client, driver: User, asked: str, to: str
) -> None:
    response = client.get(reverse("demo:become", args=[persons.token_for(DRIVER.email)]), {"next": asked})

    assert response.url == to


def test_one_person_after_the_other(client: Client, driver: User) -> None:
    organiser = create_user(email=ORGANISER.email, name=ORGANISER.name)

    client.get(reverse("demo:become", args=[persons.token_for(DRIVER.email)]))
    client.get(reverse("demo:become", args=[persons.token_for(ORGANISER.email)]))

    assert signed_in(client) == str(organiser.pk)


@pytest.mark.parametrize(
    "token",
    [
        "nonsense",
        signing.Signer(sep=".").sign("nico"),
        signing.Signer(sep=".", salt=persons.SALT, key="another secret").sign("nico"),
        signing.Signer(sep=".", salt=persons.SALT).sign("somebody"),
    ],
    ids=["nonsense", "signed for something else", "signed elsewhere", "nobody of the demo"],
)
def test_other_tokens_lead_nowhere(client: Client, driver: User, token: str) -> None:
    create_user(email="somebody@demo.example", name="Somebody")

    response = client.get(reverse("demo:become", args=[token]))

    assert response.status_code == 404
    assert signed_in(client) is None


@override_settings(DEMO=False)
def test_without_a_demo_no_token_works(client: Client, driver: User) -> None:
    response = client.get(reverse("demo:become", args=[persons.token_for(DRIVER.email)]))

    assert response.status_code == 404
    assert signed_in(client) is None


def test_the_page_offers_everybody(client: Client) -> None:
    page = client.get(reverse("demo:index")).content.decode()

    for person in PERSONS:
        assert person.name in page
        assert f"/demo/as/{persons.token_for(person.email)}/" in page
