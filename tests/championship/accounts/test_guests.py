"""Guests: made within limits, user of the pages on a list and of no other, taken along once."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.urls import URLPattern, get_resolver

from championship.accounts import guests
from championship.accounts.middleware import GuestMiddleware, as_chosen
from championship.accounts.models import User
from championship.accounts.services import guests as services
from championship.runs.models import Practice, Run
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

PAGES = {
    *("runs:practice", "runs:skip_lesson", "runs:leave_practice", "openstage:drive"),
    *("runs:run", "runs:changes", "runs:turn", "runs:draft", "runs:ahead", "runs:at", "runs:place"),
    *("runs:log", "runs:gaps", "runs:replay", "runs:proof", "runs:record"),
    *("runs:ledger", "runs:ledger_turn", "runs:lines"),
}


def view_names(patterns=None, space: str = "") -> set[str]:
    """Return the names of all views of the project, with their namespaces."""
    found: set[str] = set()
    for each in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(each, URLPattern):
            found.add(f"{space}{each.name or each.lookup_str}")
        else:
            found |= view_names(each.url_patterns, f"{space}{each.namespace}:" if each.namespace else space)
    return found


def seen_by(name: str, session: dict[str, object], arguments: dict[str, str] | None = None):
    """Return the user whom the view of that name sees, for a visitor with this session."""
    request = RequestFactory().get("/")
    request.session, request.user = session, AnonymousUser()
    request.resolver_match = SimpleNamespace(view_name=name)
    GuestMiddleware(lambda _request: None).process_view(request, None, (), arguments or {})
    return request.user


def guest_on_the_road() -> tuple[Client, User, Run]:
    """Return a browser of a stranger who has begun to practise, the guest and the run."""
    client = Client()
    client.post("/practice/", {"game": "dirt"})
    guest = User.objects.filter(is_guest=True).latest("pk")
    return client, guest, Run.objects.get(special_stage__rally__practised__person=guest)


def test_a_view_sees_a_guest_only_when_it_is_on_the_list():
    _client, guest, run = guest_on_the_road()
    everything = view_names()
    assert len(everything) > 150 and everything >= PAGES == guests.pages()
    seen = {name for name in everything if seen_by(name, {guests.KEPT: guest.pk}, {"key": run.key}) == guest}
    assert seen == PAGES
    others = [seen_by(name, {guests.KEPT: guest.pk}, {"key": run.key}) for name in everything - PAGES]
    assert all(user.is_anonymous for user in others)


def test_every_page_that_a_guest_is_offered_after_a_stage_opens():
    client, _guest, run = guest_on_the_road()
    client.post("/practice/leave/")
    here = f"/runs/{run.key}/"
    offered = set(re.findall(rf'href="({here}[a-z]*/?)"', client.get(f"{here}replay/").text))
    assert offered >= {here, f"{here}ledger/", f"{here}lines/"}
    assert [page for page in offered if client.get(page).status_code != 200] == []


def test_a_guest_is_nobody_in_a_run_of_somebody_else():
    _client, guest, _run = guest_on_the_road()
    _other_client, _other, elsewhere = guest_on_the_road()
    on_runs = {name for name in PAGES if name.startswith("runs:") and "practice" not in name and "lesson" not in name}
    assert all(seen_by(name, {guests.KEPT: guest.pk}, {"key": elsewhere.key}).is_anonymous for name in on_runs)


def test_nothing_but_a_living_guest_is_a_guest():
    ana = make_user("Ana")
    for kept in (ana.pk, 0, -1):
        assert seen_by("runs:practice", {guests.KEPT: kept}).is_anonymous
    assert seen_by("runs:practice", {}).is_anonymous


def test_pages_without_arguments_treat_a_guest_as_a_visitor():
    client, _guest, _run = guest_on_the_road()
    for path in ("/turns/", "/me/", "/me/sign-ins/", "/clubs/", "/clubs/new/", "/account/email/", "/admin/"):
        answer, visitors = client.get(path), Client().get(path)
        assert (answer.status_code, answer.headers.get("Location")) == (
            visitors.status_code,
            visitors.headers.get("Location"),
        ), path
    for path in ("/", "/clubs/open/", "/open-stage/", "/account/login/", "/account/signup/"):
        page = client.get(path).content.decode()
        assert "Sign out" not in page and "My turns" not in page, path


def test_looking_makes_no_guest_and_a_post_with_a_wrong_game_neither():
    client = Client()
    for path in ("/", "/practice/", "/open-stage/"):
        assert client.get(path).status_code == 200
    assert client.post("/practice/", {"game": "chess"}).status_code == 422
    assert client.post("/open-stage/drive/").status_code == 302  # no stage is open
    assert not User.objects.filter(is_guest=True).exists()


def test_a_guest_has_no_address_no_password_and_cannot_sign_in():
    _client, guest, _run = guest_on_the_road()
    assert guest.email.endswith("@guest.invalid") and guest.takes_no_mail
    assert not guest.is_active and not guest.has_usable_password() and str(guest) == "Guest"
    assert not guest.emailaddress_set.exists()


def test_a_guest_reads_pages_in_the_language_of_the_browser_not_of_the_row():
    client, guest, run = guest_on_the_road()
    User.objects.filter(pk=guest.pk).update(language="pl")
    page = client.get(run.get_absolute_url(), headers={"Accept-Language": "de"}).content.decode()
    assert 'lang="de"' in page
    request = RequestFactory().get("/")
    request.user = guest
    with as_chosen(request):
        assert not hasattr(request, "LANGUAGE_CODE")


def test_the_header_says_who_drives_and_offers_to_sign_in():
    client, _guest, run = guest_on_the_road()
    page = client.get(run.get_absolute_url()).content.decode()
    header = page[page.index("<header") : page.index("</header>")]
    assert "You drive as a guest" in header and "Sign in" in header
    assert "My turns" not in header and "Sign out" not in header
    assert "Report a text" not in page and "State of the service" not in page


# Limits ----------------------------------------------------------------------------------------------------


def test_the_service_takes_so_many_guests_and_says_so_plainly(settings):
    settings.GUESTS_AT_ONCE = 1
    first, _guest, run = guest_on_the_road()
    answer = Client().post("/practice/", {"game": "dirt"})
    assert answer.status_code == 503
    assert "All cars for guests are on the road." in answer.content.decode()
    assert User.objects.filter(is_guest=True).count() == 1
    assert first.post("/practice/")["Location"] == run.get_absolute_url(), "those on the road drive on"
    member = signed_in(make_user("Ana"))
    assert member.post("/practice/").status_code == 302, "the limit is for guests"


def test_one_network_makes_so_many_guests_in_a_minute(monkeypatch):
    monkeypatch.setattr(services, "MOST_FROM_A_NETWORK", ((2, 60),))
    cache.clear()
    answers = [Client().post("/practice/", {"game": "dirt"}) for _guest in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert 0 < int(answers[2]["Retry-After"]) <= 60
    elsewhere = Client(REMOTE_ADDR="203.0.113.7")
    assert elsewhere.post("/practice/", {"game": "dirt"}).status_code == 302


def test_a_guest_starts_again_only_so_often(monkeypatch):
    monkeypatch.setattr("championship.runs.play.practice_runs.MOST_AN_HOUR", 2)
    client, _guest, _run = guest_on_the_road()
    assert client.post("/practice/", {"anew": "yes"}).status_code == 302
    answer = client.post("/practice/", {"anew": "yes"})
    assert answer.status_code == 422 and "many times within an hour" in answer.content.decode()


def test_a_guest_is_made_only_by_a_form_of_ours():
    client = Client(enforce_csrf_checks=True)
    assert client.post("/practice/", {"game": "dirt"}).status_code == 403
    page = client.get("/").content.decode()
    token = page.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    assert client.post("/practice/", {"game": "dirt", "csrfmiddlewaretoken": token}).status_code == 302
    assert Practice.objects.count() == 1


def test_administrators_do_not_see_guests_among_people():
    _client, guest, _run = guest_on_the_road()
    boss = make_user("Boss")
    User.objects.filter(pk=boss.pk).update(is_staff=True, is_superuser=True)
    boss.refresh_from_db()
    page = signed_in(boss).get("/admin/accounts/user/").content.decode()
    assert boss.email in page and guest.email not in page
