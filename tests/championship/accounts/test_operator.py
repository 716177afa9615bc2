"""The first operator of a new installation: created on the command line, signs in with a code."""

import re

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command

from championship.accounts.models import User
from tests.factories import mailbox, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def entrance(settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    cache.clear()


def test_the_first_operator_gets_in_with_a_code(client, capsys):
    call_command("operator", "Root@Example.org", "--language", "pl")
    assert "A new account" in capsys.readouterr().out
    client.post("/account/login/", {"login": "root@example.org", "next": "/admin/"})
    code = re.search(r"^ {4}(\S+)$", mailbox().get().body, re.MULTILINE)[1]
    client.post("/account/login/code/confirm/", {"code": code})
    assert client.get("/admin/").status_code == 200
    root = User.objects.get()
    assert (root.name, root.language, root.time_zone) == ("root", "pl", "Europe/Warsaw")


def test_somebody_known_becomes_an_operator_and_an_ordinary_person_again(capsys):
    ana = make_user("Ana", email="ana@example.org")
    call_command("operator", "ana@example.org")
    ana.refresh_from_db()
    assert (ana.is_staff, ana.is_superuser, ana.name) == (True, True, "Ana")
    call_command("operator", "ana@example.org", "--dismiss")
    ana.refresh_from_db()
    assert (ana.is_staff, ana.is_superuser) == (False, False)


@pytest.mark.parametrize(
    "given", [["nobody"], ["a@b@c"], ["x@example.org", "--language", "xx"], ["x@y.z", "--dismiss"]]
)
def test_nonsense_makes_nobody_an_operator(given):
    with pytest.raises(CommandError):
        call_command("operator", *given)
    assert not User.objects.exists()
