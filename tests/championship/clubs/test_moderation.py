"""Removing and banning with a reason; reports of texts; the pages that the law requires."""

import pytest
from django.test import Client

from championship.accounts.models import User
from championship.clubs import services
from championship.clubs.models import Ban, Membership, Report, Role
from championship.clubs.services import moderation
from championship.legal.services import write
from championship.notices.models import Notice
from championship.platform.refusals import Refused
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


def test_the_banned_do_not_come_back_by_the_same_link_until_the_ban_is_lifted(club, olga):
    _invitation, token = services.invite(by=olga, club=club, roles=[Role.DRIVER], days=7, max_uses=5)
    ana = make_user("Ana")
    services.accept_invitation(by=ana, token=token)
    page = f"/clubs/{club.slug}/members/{Membership.objects.get(user=ana).pk}/remove/"
    signed_in(olga).post(page, {"reason": "Insults", "ban": "on"})

    assert not Membership.objects.filter(user=ana).exists()
    assert "Insults" in Notice.objects.filter(recipient=ana, kind="put out of a club").first().context["reason"]
    with pytest.raises(Refused, match="Insults"):
        services.accept_invitation(by=ana, token=token)
    ban = Ban.objects.get()
    assert signed_in(make_member(club)).post(f"/clubs/{club.slug}/bans/{ban.pk}/lift/").status_code == 403
    signed_in(olga).post(f"/clubs/{club.slug}/bans/{ban.pk}/lift/")
    assert services.accept_invitation(by=ana, token=token).user == ana


def test_a_report_goes_to_the_stewards_and_its_author_learns_the_decision(club, olga):
    ana, steward = make_member(club, name="Ana"), make_member(club, name="Stu", roles=[Role.STEWARD])
    said = {"to": club.slug, "text": "You fool", "reason": "An insult", "page": "/clubs/"}
    assert signed_in(ana).post("/report/", said).status_code == 302
    assert set(Notice.objects.filter(kind="text reported").values_list("recipient__name", flat=True)) == {"Olga", "Stu"}

    report = Report.objects.get()
    page = f"/clubs/{club.slug}/reports/"
    assert signed_in(ana).get(page).status_code == 403
    assert "You fool" in signed_in(steward).get(page).text
    assert signed_in(ana).post(f"/reports/{report.pk}/answer/", {"answer": "No"}).status_code == 404
    signed_in(steward).post(f"/reports/{report.pk}/answer/", {"answer": "Taken out"})
    assert Notice.objects.get(kind="report answered").recipient == ana
    with pytest.raises(Refused):
        moderation.settle(by=steward, report=report, answer="Twice")


def test_reports_to_the_operator_are_seen_by_no_club(club, olga):
    moderation.report(by=olga, club=None, page="//evil.example/", text="Spam", reason="Spam")
    assert Report.objects.get().page == ""
    assert signed_in(olga).get("/operator/reports/").status_code == 404
    operator = make_user("Op")
    operator.is_staff = True
    operator.save()
    assert "Spam" in signed_in(operator).get("/operator/reports/").text
    assert "Spam" not in signed_in(olga).get(f"/clubs/{club.slug}/reports/").text


@pytest.mark.parametrize("topic", ["privacy", "imprint", "terms", "contact"])
def test_each_text_has_a_default_and_the_operator_may_write_it(topic, settings):
    settings.OPERATOR_NAME = "Wiking e. V."
    assert Client().get(f"/legal/{topic}/").status_code == 200
    ana = make_user("Ana")
    assert signed_in(ana).get(f"/operator/legal/{topic}/").status_code == 404
    ana.is_staff = True
    ana.save()
    body = "# Who\n\nWe, **all**.\n\n- one\n- [two](https://example.org/)\n\n<script>x</script>"
    signed_in(ana).post(f"/operator/legal/{topic}/", {"language": "de", "body": body})
    page = Client().get(f"/legal/{topic}/", headers={"accept-language": "pl"}).text
    assert "<strong>all</strong>" in page
    assert '<a href="https://example.org/"' in page
    assert "<script>x" not in page
    write(by=ana, topic=topic, language="de", body="")
    assert "<strong>all</strong>" not in Client().get(f"/legal/{topic}/").text


def test_the_texts_are_linked_in_the_footer_and_at_sign_up():
    page = Client().get("/account/signup/").text
    assert page.count("/legal/terms/") == 2
    assert page.count("/legal/imprint/") == 1


def test_a_bot_judges_no_report_whatever_roles_it_was_left_with(club, olga):
    bot = make_member(club, name="Robo")
    Membership.objects.filter(club=club, user=bot).update(roles=[Role.STEWARD])
    assert moderation.may_judge(bot, club)
    User.objects.filter(pk=bot.pk).update(is_bot=True, is_staff=True)
    bot.refresh_from_db()
    assert not moderation.may_judge(bot, club)
    assert not moderation.may_judge(bot, None)
    assert signed_in(bot).get("/operator/reports/").status_code == 404
    moderation.report(by=make_user("Ana"), club=None, page="", text="Rude", reason="No")
    assert not Notice.objects.filter(recipient=bot).exists()
