"""A club's moments come from results that are final, the same on the page and in the feed. Members comment on them."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.accounts.models import User
from championship.accounts.services import closing
from championship.api.atom_feed import key_of
from championship.archive.own_data import own_data
from championship.audit.models import Record
from championship.clubs.models import Club, Membership, Role
from championship.moments import services
from championship.moments.club_moments import in_words, moment_rows
from championship.moments.models import LONGEST, Comment
from championship.platform.refusals import Forbidden, Refused
from championship.rallies.models import Rally, SpecialStage, StageTime
from championship.seasons.services import add_round, create_championship
from tests.championship.rallies.factories import measured, organiser_of
from tests.championship.seasons.scenes import finished_rally, people, season
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

STAGES = ({"Ana": 30, "Bo": 20, "Cem": 10}, {"Ana": (None, [], "wrecked"), "Bo": 20, "Cem": 60})
"""Ana leads, and crashes on the second stage; Cem takes the lead."""


@pytest.fixture
def rally():
    return measured("points", "most", *STAGES)


@pytest.fixture
def ana(rally):
    return rally.entries.get(crew="Ana").driver


def page_of(rally, name=""):
    return f"/clubs/{rally.club.slug}/moments/" + (f"{rally.key}/{name}/" if name else "")


def test_only_what_is_over_is_a_moment(rally):
    olga = organiser_of(rally)
    cup = create_championship(by=olga, club=rally.club, name="Cup", classes=[])
    add_round(by=olga, championship=cup, rally=rally)
    moments = {moment.name: moment for moment in in_words(rally.club, moment_rows(rally.club))}
    assert list(moments) == ["won", "over", "2", "1", "2-out-1", "started"]
    assert moments["1"].lines == ("Won by Ana.",)
    assert moments["2"].lines == ("Won by Cem.", "Cem takes the lead from Ana.", "Cem: 2 places won.")
    assert (moments["2-out-1"].title, moments["2-out-1"].lines) == (
        f"{rally.name}, Stage 2: Ana is out",
        ("retired: wrecked",),
    )
    assert moments["over"].lines == moments["won"].lines == ("Won by Cem.",)

    feed = Client().get(f"/feeds/{key_of(rally.club)}.atom").text
    page = signed_in(olga).get(page_of(rally)).text
    for moment in moments.values():
        assert moment.title in page
        assert (moment.title in feed) == ("out" not in moment.name), "its address may be with who was put out"
        assert moment.address in page
        assert signed_in(olga).get(moment.address).status_code == 200
    assert "Cem" not in feed
    Club.objects.filter(pk=rally.club_id).update(visibility="public")
    feed = Client().get(f"/feeds/{rally.club.key}.atom").text
    assert "Ana is out" in feed and "Won by Cem." in feed

    StageTime.objects.filter(retired=True).update(reason="gave_up")
    assert "2-out-1" not in {each.name for each in in_words(rally.club, moment_rows(rally.club))}, (
        "giving up is no crash"
    )
    StageTime.objects.filter(retired=True).update(reason="wrecked")
    Rally.objects.filter(pk=rally.pk).update(status=Rally.Status.RUNNING)
    SpecialStage.objects.filter(rally=rally, number=2).update(status=SpecialStage.Status.RUNNING)
    assert [each.name for each in in_words(rally.club, moment_rows(rally.club))] == ["1", "started"]
    for name in ("2", "2-out-1", "over", "1-out-1", "3", "nothing", "1-out-99"):
        assert (name, signed_in(olga).get(page_of(rally, name)).status_code) == (name, 404)
        assert (name, signed_in(olga).post(page_of(rally, name), {"text": "x"}).status_code) == (name, 404)
    Rally.objects.filter(pk=rally.pk).update(practice=True)
    assert not moment_rows(rally.club)


def test_who_sees_moments_and_who_writes(rally, ana):
    club, stranger, guest = rally.club, make_user(), make_member(rally.club, roles=[Role.GUEST])
    bot = make_member(club)
    User.objects.filter(pk=bot.pk).update(is_bot=True)
    services.write(by=ana, club=club, key=rally.key, name="1", text="Mine!")
    for path in (page_of(rally), page_of(rally, "1")):
        for visibility, anybody in (("members", (302, 404)), ("link", (302, 404)), ("public", (200, 200))):
            Club.objects.filter(pk=club.pk).update(visibility=visibility)
            seen = Client().get(path).status_code, signed_in(stranger).get(path).status_code
            assert (path, visibility, seen) == (path, visibility, anybody)
            assert "Mine!" in signed_in(guest).get(path).text
        assert signed_in(stranger).get(path)["X-Robots-Tag"] == "noindex, nofollow"
    assert page_of(rally) in Client().get(f"/clubs/{club.slug}/").text
    assert page_of(rally) in signed_in(ana).get(f"/clubs/{club.slug}/").text

    path = page_of(rally, "1")
    assert "<textarea" not in signed_in(guest).get(path).text + Client().get(path).text
    assert Client().post(path, {"text": "x"}).status_code == 302
    assert signed_in(stranger).post(path, {"text": "x"}).status_code == 404
    assert signed_in(guest).post(path, {"text": "x"}).status_code == 403
    assert Comment.objects.count() == 1
    with pytest.raises(Forbidden):
        services.write(by=User.objects.get(pk=bot.pk), club=club, key=rally.key, name="1", text="beep")
    other = make_club(owner=make_user("Other"), name="Other")
    assert signed_in(ana).get(f"/clubs/{other.slug}/moments/{rally.key}/1/").status_code == 404
    Membership.objects.filter(user=ana).delete()
    Club.objects.filter(pk=club.pk).update(visibility="link")
    assert signed_in(ana).post(path, {"text": "once more"}).status_code == 404, "who was put out writes no more"


def test_an_invalid_comment_is_refused_and_kept_in_the_form(rally, ana):
    client = signed_in(ana)
    for text in ("", " \n ", "x" * (LONGEST + 1), "a\x00b", "a\x07b", "a\u202eb", "\n".join("123456789")):
        answer = client.post(page_of(rally, "1"), {"text": text})
        assert (text, answer.status_code) == (text, 422)
        assert 'aria-invalid="true"' in answer.text and answer.context["form"].errors["text"]
        assert answer.context["form"]["text"].value() == text
    assert not Comment.objects.exists()


def test_the_same_press_twice_is_one_comment_and_the_number_of_comments_is_limited(rally, ana, monkeypatch):
    client, path = signed_in(ana), page_of(rally, "1")
    first, again = (client.post(path, {"text": "<b>Well</b>  \r\n\r\n\r\n driven"}) for _press in range(2))
    comment = Comment.objects.get()
    assert first["Location"] == again["Location"] == f"{path}#comment-{comment.pk}"
    assert comment.text == "<b>Well</b>\n\n driven"
    assert "&lt;b&gt;Well" in client.get(path).text and "&lt;b&gt;Well" in client.get(page_of(rally)).text

    monkeypatch.setattr(services, "MOST_A_DAY", 2)
    assert client.post(path, {"text": "two"}).status_code == 302
    assert client.post(path, {"text": "three"}).status_code == 422
    Comment.objects.update(at=comment.at - timedelta(days=1))
    assert client.post(path, {"text": "three"}).status_code == 302
    monkeypatch.setattr(services, "MOST", 3)
    with pytest.raises(Refused) as refused:
        services.write(by=organiser_of(rally), club=rally.club, key=rally.key, name="1", text="four")
    assert refused.value.field == "text"
    assert "All 3 comments" not in client.get(page_of(rally)).text, "all three are under it"
    monkeypatch.setattr(services, "MOST", 9)
    services.write(by=organiser_of(rally), club=rally.club, key=rally.key, name="1", text="four")
    assert "All 4 comments" in client.get(page_of(rally)).text


def test_the_author_takes_it_back_and_a_steward_hides_it_with_a_reason(rally, ana):
    club, bo = rally.club, rally.entries.get(crew="Bo").driver
    sten = make_member(club, name="Sten", roles=[Role.STEWARD])
    comment = services.write(by=ana, club=club, key=rally.key, name="2-out-1", text="It was Bo who pushed")
    path, base = page_of(rally, "2-out-1"), f"/clubs/{club.slug}/comments/{comment.pk}"
    seen = signed_in(bo).get(path).text
    assert "It was Bo" in seen and f"{base}/hide/" not in seen and f"{base}/take-back/" not in seen
    assert f"/report/?page={path}&amp;text=It%20was%20Bo%20who%20pushed" in seen
    report = signed_in(bo).get("/report/", {"page": path, "text": comment.text}).text
    assert comment.text in report and path in report

    for act in ("hide", "take-back"):
        assert signed_in(bo).post(f"{base}/{act}/", {"reason": "x"}).status_code == 404
    assert signed_in(sten).get(f"{base}/hide/").status_code == 200
    for reason in ("", "x" * 501, "a\x00"):
        answer = signed_in(sten).post(f"{base}/hide/", {"reason": reason})
        assert answer.status_code == 422 and answer.context["form"]["reason"].value() == reason
    for reason in ("Blames others", "A second reason"):
        services.hide(by=sten, comment=comment, reason=reason)
    assert "It was Bo" not in "".join(signed_in(each).get(path).text for each in (bo, sten))
    mine = signed_in(ana).get(path).text
    assert "It was Bo" in mine and "Blames others" in mine and "A second reason" not in mine
    line = Record.objects.get(action="comment hidden")
    assert (line.actor, line.details, line.subject_label) == (sten, {"reason": "Blames others"}, "Ana")
    assert services.write(by=ana, club=club, key=rally.key, name="2-out-1", text=comment.text) == comment
    assert signed_in(sten).post(f"{base}/hide/", {"reason": "Once more"}).status_code == 404

    assert signed_in(ana).post(f"{base}/take-back/").status_code == 422, "hidden words are not written anew"
    assert f"{base}/take-back/" not in mine
    other = services.write(by=bo, club=club, key=rally.key, name="1", text="Well driven")
    club.memberships.filter(user=bo).delete()
    for _press in range(2):
        answer = signed_in(bo).post(f"/clubs/{club.slug}/comments/{other.pk}/take-back/")
        assert answer.status_code == 302, "who has left takes back what they said"
    assert Comment.objects.get() == comment


@pytest.mark.slow
def test_queries_do_not_grow_with_moments_and_comments():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    drivers = people(club, 2)

    def asked(path):
        cache.clear()
        client = signed_in(drivers[0])
        client.get(path)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        return len(queries)

    def more(count, name):
        cup = season(club, olga, drivers, rounds=count, name=name)
        for key, moment in ((cup.key, "won"), *((each.rally.key, "1") for each in cup.rounds.all())):
            for driver in drivers:
                services.write(by=driver, club=club, key=key, name=moment, text=name)

    page, atom = f"/clubs/{club.slug}/moments/", f"/feeds/{key_of(club)}.atom"
    more(1, "One")
    before = asked(page), asked(atom)
    more(2, "Two")
    assert (asked(page), asked(atom)) == before
    assert before[0] <= 30, before
    finished_rally(club, olga, {drivers[0]: (200, 200, 200), drivers[1]: (300, 300, 300)})
    finished_rally(club, olga, {drivers[0]: (200, 200, 200), drivers[1]: (300, 300, 300)})
    shown = signed_in(drivers[0]).get(page, {"page": "2"})
    assert shown.context["page_obj"].number == 2 and shown.context["moments"]


def test_own_data_include_comments_and_closing_an_account_replaces_its_name_in_comments(rally, ana):
    bo = rally.entries.get(crew="Bo").driver
    User.objects.filter(pk=bo.pk).update(name="Bohumil Quast")
    bo.refresh_from_db()
    services.write(by=bo, club=rally.club, key=rally.key, name="1", text="I am fast")
    about = services.write(by=ana, club=rally.club, key=rally.key, name="1", text="Bohumil Quast blocked me")
    assert [row["text"] for row in own_data(bo)["moments.comment, author"]] == ["I am fast"]
    olga = organiser_of(rally)
    services.hide(by=olga, comment=about, reason="rude")
    [hidden], data = own_data(ana)["moments.comment, author"], own_data(olga)
    assert hidden["hidden_reason"] == "rude" and "hidden_by_id" not in hidden, "the id of another person"
    assert not [name for name in data if name.startswith("moments.comment")], "words of another person"
    closing.close(person=bo)
    bo.refresh_from_db()
    about.refresh_from_db()
    assert about.text == f"{bo.name} blocked me"
    shown = signed_in(ana).get(page_of(rally, "1")).text
    assert "Quast" not in shown and bo.name in shown and "I am fast" in shown
