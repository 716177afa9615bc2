"""A user's own profile, and pages in the user's language and time zone."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError
from django.http import HttpResponse
from django.template import Context, Template
from django.test import Client, RequestFactory
from django.utils import timezone, translation

from championship.accounts import services, zones
from championship.accounts.middleware import ReaderMiddleware
from championship.accounts.models import User
from championship.platform.refusals import Refused
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

ME = {"name": "Ana", "language": "de", "time_zone": "Europe/Berlin"}


def test_a_visitor_is_redirected_to_sign_in():
    answer = Client().get("/me/")
    assert (answer.status_code, answer["Location"]) == (302, "/account/login/?next=/me/")


def test_a_person_changes_name_language_and_zone():
    ana = make_user("Anna")
    answer = signed_in(ana).post("/me/", ME)
    assert (answer.status_code, answer["Location"]) == (302, "/me/")
    ana.refresh_from_db()
    assert (ana.name, ana.language, ana.time_zone) == ("Ana", "de", "Europe/Berlin")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "   "),
        ("name", "x" * 10_000),
        ("name", "null\x00byte"),
        ("name", "line\u2028break"),
        ("language", "tlh"),
        ("time_zone", "Europe/Atlantis"),
        ("time_zone", ""),
    ],
)
def test_nonsense_names_the_field_keeps_what_was_typed_and_changes_nothing(field, value):
    ana = make_user("Anna")
    answer = signed_in(ana).post("/me/", {**ME, field: value})
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.text
    if field != "name":
        assert 'value="Ana"' in answer.text
    ana.refresh_from_db()
    assert (ana.name, ana.language, ana.time_zone) == ("Anna", "en", "UTC")


def test_the_service_itself_refuses_what_the_form_would():
    ana = make_user("Anna")
    for field, value in (("name", "x" * 61), ("name", "a\nb"), ("language", "tlh"), ("time_zone", "Mars")):
        with pytest.raises(Refused) as refusal:
            services.update_profile(user=ana, **{**ME, field: value})
        assert refusal.value.field == field


def test_one_address_is_one_account_whatever_its_case():
    make_user("Ana", email="Ana@Example.org")
    with pytest.raises(Refused) as refusal:
        services.create_user(email="ana@EXAMPLE.org", name="Another")
    assert refusal.value.field == "email"
    assert User.objects.get(email="ANA@example.org").name == "Ana"
    with pytest.raises(IntegrityError):
        User.objects.create(email="ANA@example.org", name="Another")


def seen_by(user):
    """Return how a page shows a time, and its language, to that user."""
    request = RequestFactory().get("/")
    request.user = user
    seen = {}

    def page(_request):
        moment = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
        seen["time"] = Template('{{ moment|date:"Y-m-d H:i" }}').render(Context({"moment": moment}))
        seen["language"] = translation.get_language()
        return HttpResponse()

    seen["said"] = ReaderMiddleware(page)(request)["Content-Language"]
    return seen


def test_a_page_is_in_the_readers_language_and_zone_and_leaves_no_trace():
    jan = make_user("Jan", language="de", time_zone="Europe/Warsaw")
    assert seen_by(jan) == {"time": "2026-11-21 00:30", "language": "de", "said": "de"}
    assert translation.get_language() == "en"
    assert timezone.get_current_timezone_name() == "UTC"


def test_a_zone_this_machine_does_not_know_is_shown_as_utc():
    jan = make_user("Jan")
    jan.time_zone = "Mars/Olympus"
    assert seen_by(jan)["time"] == "2026-11-20 23:30"


def test_zones_on_offer_begin_with_utc_and_europe():
    assert zones.names()[0] == "UTC"
    assert zones.names()[1].startswith("Europe/")
    assert "Europe/Warsaw" in zones.names()


def test_the_profile_page_asks_little_of_the_database(django_assert_max_num_queries):
    client = signed_in(make_user("Ana"))
    with django_assert_max_num_queries(5):
        assert client.get("/me/").status_code == 200
