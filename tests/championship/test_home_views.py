"""The landing page, the language switch, and the error pages."""

import re

import pytest
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.test import Client

from championship.accounts.models import User
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def switch(client: Client, language: str, next_page: str = "/") -> HttpResponse:
    return client.post("/language/", {"language": language, "next": next_page})


def test_a_stranger_sees_what_this_is_and_how_to_come_in() -> None:
    page = Client().get("/")

    assert page.status_code == 200
    assert "Rallyman: DIRT" in page.content.decode()
    assert 'href="/account/login/"' in page.content.decode()


def test_a_signed_in_person_is_redirected_to_the_turns() -> None:
    page = signed_in(make_user()).get("/")

    assert page.status_code == 302
    assert page["Location"] == "/turns/"


def test_the_landing_page_takes_a_look_only() -> None:
    assert Client().post("/").status_code == 405


def test_a_stranger_changes_the_language_and_comes_back_to_the_page() -> None:
    client = Client()

    answer = switch(client, "de", "/account/login/")

    assert answer["Location"] == "/account/login/"
    assert '<html lang="de">' in client.get("/").content.decode()


def test_a_member_changes_the_language_for_good() -> None:
    user = make_user(language="en")

    switch(signed_in(user), "pl")

    assert User.objects.get(pk=user.pk).language == "pl"


@pytest.mark.parametrize("language", ["", "xx", "klingon", "de\x00", "../../etc"])
def test_a_language_nobody_speaks_changes_nothing(language: str) -> None:
    user = make_user(language="pl")

    answer = switch(signed_in(user), language)

    assert answer.status_code == 302
    assert User.objects.get(pk=user.pk).language == "pl"


@pytest.mark.parametrize("elsewhere", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)"])
def test_the_language_switch_leads_nowhere_else(elsewhere: str) -> None:
    assert switch(Client(), "de", elsewhere)["Location"] == "/"


def test_an_address_that_leads_nowhere_says_so() -> None:
    page = Client().get("/no/road/here/")

    assert page.status_code == 404
    assert "No road here" in page.content.decode()


@pytest.mark.parametrize("name", ["400", "403", "404", "403_csrf", "500"])
def test_error_pages_work_without_a_known_user(name: str) -> None:
    assert "</html>" in render_to_string(f"{name}.html")


def test_an_expired_form_is_explained() -> None:
    client = Client(enforce_csrf_checks=True)

    page = client.post("/language/", {"language": "de"})

    assert page.status_code == 403
    assert "This form has expired" in page.content.decode()


@pytest.mark.parametrize("address", ["/", "/no/road/here/", "/account/login/"])
def test_pages_hold_nothing_that_the_content_policy_forbids(address: str) -> None:
    markup = Client().get(address).content.decode()

    assert not re.findall(r'<style|\sstyle=|\son\w+=|<script(?![^>]*\s(?:src=|type="application/json"))', markup)
