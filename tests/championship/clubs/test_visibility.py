"""Public, by link, members only: the one rule for every page with a key in its address; and what only members see."""

import pytest
from django.test import Client

from championship.api.services import make_token
from championship.clubs import services
from championship.clubs.models import Ban, Club, JoinRequest, Membership, Role
from championship.clubs.services import public_profile
from championship.notices.models import Notice
from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.seasons.models import Championship
from championship.stages.models import StageDesign
from championship.stages.services import create_design
from championship.stewards import services as stewards
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import on_the_road
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    run, entries = on_the_road("Ana", "Bo")
    club = run.special_stage.rally.club
    championship = Championship.objects.create(club=club, name="Cup", points=[3, 2, 1])
    return club, run, entries, championship


def pages(run, championship):
    """Return the pages that anybody with the link may open today."""
    rally, key = run.special_stage.rally.key, run.key
    of_rally = ["", "stages/1/", "stages/1/overall/", "stages/1/gaps/", "sheet/", "podium/", "sheet.pdf", "results.csv"]
    of_rally += ["results.pdf", "stages/1/start-list.pdf"]
    of_run = ["", "log/", "gaps/", "replay/", "proof/"]
    of_season = ["", "teams/", "progress/"]
    return [
        *(f"/rallies/{rally}/{path}" for path in [*of_rally, "podium.png", "podium.png?lang=de", "start-list.pdf"]),
        *(f"/runs/{key}/{path}" for path in of_run),
        *(f"/championships/{championship.key}/{path}" for path in of_season),
        *(f"/embed/{what}/{rally}/" for what in ("rallies", "podium")),
        f"/embed/standings/{championship.key}/",
    ]


def test_a_club_that_nobody_has_touched_is_seen_by_link_and_found_by_no_search_engine(scene):
    club, run, _entries, championship = scene
    assert club.visibility == Club.Visibility.LINK
    for path in pages(run, championship):
        answer = Client().get(path)
        assert (path, answer.status_code) == (path, 200)
        assert (path, answer["X-Robots-Tag"]) == (path, "noindex, nofollow")
    assert signed_in(make_user()).get(f"/clubs/{club.slug}/").status_code == 404
    assert Client().get(f"/clubs/{club.slug}/").status_code == 302


@pytest.mark.slow
def test_members_only_is_members_only_on_every_page_paper_picture_frame_and_address(scene):
    club, run, entries, championship = scene
    Club.objects.filter(pk=club.pk).update(visibility=Club.Visibility.MEMBERS)
    Membership.objects.filter(user=entries[0].driver).delete()
    stranger, member, former = make_user(), make_member(club), entries[0].driver
    for path in pages(run, championship):
        assert (path, Client().get(path).status_code) == (path, 403)
        assert (path, Client().get(path, headers={"If-None-Match": "*"}).status_code) == (path, 403)
        if not path.startswith("/embed/"):
            assert (path, signed_in(stranger).get(path, headers={"If-None-Match": "*"}).status_code) == (path, 404)
            assert (path, signed_in(stranger).get(path).status_code) == (path, 404)
            assert (path, signed_in(member).get(path).status_code) == (path, 200)
    assert club.name not in Client().get(f"/rallies/{run.special_stage.rally.key}/").text
    assert signed_in(former).get(f"/rallies/{run.special_stage.rally.key}/").status_code == 200
    assert signed_in(former).get(f"/championships/{championship.key}/").status_code == 404

    Entry.objects.filter(pk=entries[0].pk).update(status=Entry.Status.WITHDRAWN, start_number=None)
    assert signed_in(former).get(f"/rallies/{run.special_stage.rally.key}/").status_code == 404, "a wish is no door"

    spec = StageDesign.objects.filter(game="dirt")[0].spec
    design = create_design(by=organiser_of(run.special_stage.rally), club=club, name="Ours", game="dirt", spec=spec)
    for path in ("", "stage.toml", "notes/"):
        assert (path, Client().get(f"/stages/{design.key}/{path}").status_code) == (path, 403)
        assert (path, signed_in(member).get(f"/stages/{design.key}/{path}").status_code) == (path, 200)

    _token, text = make_token(by=stranger, club=None, name="look", scopes=["read"], days=None)
    for path in (f"rallies/{run.special_stage.rally.key}", f"runs/{run.key}/events", f"runs/{run.key}"):
        answer = Client().get(f"/api/v1/{path}", headers={"authorization": f"Bearer {text}"})
        assert (path, answer.status_code) == (path, 404)


def test_a_public_club_has_a_face_and_is_listed_and_indexed(scene):
    club, run, _entries, _championship = scene
    olga = organiser_of(run.special_stage.rally)
    said = {"name": "Wiking", "visibility": "public", "about": "**We** drive", "house_rules": "- Be kind"}
    form = f"/clubs/{club.slug}/face/"
    assert signed_in(make_member(club)).post(form, said).status_code == 403
    assert signed_in(olga).post(form, said | {"visibility": "secret"}).status_code == 422
    signed_in(olga).post(form, said | {"takes_requests": "on"})
    for client in (Client(), signed_in(make_user())):
        page = client.get(f"/clubs/{club.slug}/")
        assert page.status_code == 200
        assert "<strong>We</strong>" in page.text
        assert "Be kind" in page.text
        assert f"/rallies/{run.special_stage.rally.key}/" in page.text
        assert "X-Robots-Tag" not in page
        for inside in ("members/", "log/", "reports/", "invitations/", "requests/"):
            assert client.get(f"/clubs/{club.slug}/{inside}").status_code in (302, 404)
    assert "Wiking" in Client().get("/open/").text
    assert "X-Robots-Tag" not in Client().get(f"/rallies/{run.special_stage.rally.key}/")
    assert "Disallow: /me/" in Client().get("/robots.txt").text


def test_protests_never_go_beyond_members_and_drivers(scene):
    club, run, entries, _championship = scene
    Club.objects.filter(pk=club.pk).update(visibility=Club.Visibility.PUBLIC)
    rally = run.special_stage.rally
    protest = stewards.file_protest(by=entries[0].driver, rally=rally, against=entries[1], text="He cut the bend.")
    for path in (f"/rallies/{rally.key}/stewards/", protest.get_absolute_url()):
        assert Client().get(path).status_code == 403
        assert signed_in(make_user()).get(path).status_code == 404
        assert "He cut the bend" in signed_in(make_member(club)).get(path).text
    assert "/stewards/" not in Client().get(f"/rallies/{rally.key}/").text


def test_a_stranger_asks_to_join_and_the_organiser_answers():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    ana, path = make_user("Ana"), f"/ask/{club.key}/?next=/open/"
    assert "/account/login/?next=" in Client().get(path).text
    signed_in(ana).post(path, {"words": "I drive well"})
    signed_in(ana).post(path, {"words": "Again"})
    assert JoinRequest.objects.get().words == "I drive well"
    assert Notice.objects.filter(kind="somebody asks to join", recipient=olga).exists()

    page = f"/clubs/{club.slug}/requests/"
    assert "I drive well" in signed_in(olga).get(page).text
    signed_in(olga).post(page, {"request": JoinRequest.objects.get().pk, "accept": "yes", "words": "Welcome"})
    assert services.require_role(ana, club, Role.DRIVER)
    assert Notice.objects.filter(kind="request to join answered", recipient=ana).first().link == "/open/"


def test_a_refused_or_banned_person_cannot_request_again_at_once():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    ana, bo = make_user("Ana"), make_user("Bo")
    public_profile.answer(
        by=olga, request=public_profile.request_to_join(by=ana, club=club), accept=False, words="Full"
    )
    with pytest.raises(Refused, match="Full"):
        public_profile.request_to_join(by=ana, club=club)
    Ban.objects.create(club=club, person=bo, reason="Insults", by=olga)
    with pytest.raises(Refused):
        public_profile.request_to_join(by=bo, club=club)


def test_the_rallies_of_public_clubs_that_take_entries_are_listed():
    from tests.championship.rallies.factories import make_rally

    rally = make_rally()
    assert rally.name not in Client().get("/open/").text
    Club.objects.filter(pk=rally.club_id).update(visibility=Club.Visibility.PUBLIC)
    assert rally.name in Client().get("/open/").text
    rallies.cancel_rally(by=organiser_of(rally), rally=rally, reason="Snow")
    assert rally.name not in Client().get("/open/").text
