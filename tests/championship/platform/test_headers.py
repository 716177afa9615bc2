"""Who may cache a response, and which browser features its page may use."""

import pytest
from django.test import Client

from tests.championship.rallies.factories import make_rally, organiser_of
from tests.championship.runs.factories import on_the_road
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def cache_control(answer) -> set[str]:
    return set(filter(None, answer.headers.get("Cache-Control", "").split(", ")))


@pytest.mark.parametrize("address", ["/turns/", "/clubs/", "/clubs/new/", "/", "/records/", "/nowhere/"])
def test_responses_for_a_session_are_revalidated_and_not_cached_by_proxies(address):
    answer = signed_in(make_user()).get(address)
    assert {"private", "no-cache"} <= cache_control(answer)
    assert "Cookie" in answer.headers["Vary"]


@pytest.mark.parametrize("address", ["/me/", "/me/notices/", "/account/email/", "/operator/letters/", "/admin/"])
def test_pages_about_an_account_are_never_kept(address):
    assert {"private", "no-store"} <= cache_control(signed_in(make_user()).get(address))


@pytest.mark.parametrize("address", ["/account/login/", "/account/signup/"])
def test_sign_in_pages_are_not_cached_either(client, address):
    assert cache_control(client.get(address)) & {"no-store", "no-cache"}


def test_the_response_to_a_form_is_always_private(client):
    assert {"private", "no-cache"} <= cache_control(client.post("/language/", {"language": "de", "next": "/"}))


@pytest.mark.parametrize("page", ["", "stages/1/", "podium/", "sheet/", "stewards/"])
def test_a_members_page_of_a_rally_is_private_and_a_strangers_is_as_it_was(page):
    rally = make_rally(stages=("1/3",))
    address = f"/rallies/{rally.key}/{page}"
    assert {"private", "no-cache"} <= cache_control(signed_in(organiser_of(rally)).get(address))
    assert not cache_control(Client().get(address))


def test_the_picture_for_previews_stays_public():
    rally = make_rally(stages=("1/3",))
    for client in (Client(), signed_in(organiser_of(rally))):
        picture = client.get(f"/rallies/{rally.key}/podium.png?lang=pl")
        assert "public" in cache_control(picture)
        assert picture.headers["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_a_polling_page_still_gets_304():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    client = signed_in(ana.driver)
    page = client.get(run.get_absolute_url())
    assert {"private", "no-cache"} <= cache_control(page)
    answer = client.get(f"/runs/{run.key}/changes/", headers={"If-None-Match": page.context["news_tag"]})
    assert answer.status_code == 304
    assert {"private", "no-cache"} <= cache_control(answer)


def test_papers_are_still_sent_once():
    rally = make_rally(stages=("1/3",))
    client = signed_in(organiser_of(rally))
    first = client.get(f"/rallies/{rally.key}/results.csv")
    again = client.get(f"/rallies/{rally.key}/results.csv", headers={"If-None-Match": first.headers["ETag"]})
    assert (first.status_code, again.status_code) == (200, 304)


@pytest.mark.parametrize("address", ["/", "/nowhere/", "/account/login/", "/practice/", "/push-worker.js", "/turns/"])
def test_no_page_uses_camera_place_or_payment_and_no_other_site_takes_it_in(client, address):
    answer = client.get(address)
    allowed = answer.headers["Permissions-Policy"]
    for feature in ("camera", "geolocation", "microphone", "payment", "usb"):
        assert f"{feature}=()" in allowed
    assert "publickey-credentials" not in allowed, "passkeys work"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
