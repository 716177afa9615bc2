"""A club's webhook: who may set it, what its log contains, and what its rallies post there."""

from collections import Counter

import pytest

from championship.audit.models import Record
from championship.clubs import views
from championship.clubs.models import Role
from championship.notices.models import Webhook
from championship.notices.services import deliver_due, webhook_tests
from championship.notices.services.webhooks import add
from championship.platform.refusals import Forbidden
from championship.rallies.desk.announcements import OVER
from championship.rallies.models import Rally
from championship.rallies.services import start_rally
from tests.championship.notices.receiver import receiver
from tests.championship.rallies.factories import drive, enter, hand_in, make_rally, organiser_of
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def place(settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    settings.SITE_URL = "https://rally.example"
    with receiver() as place:
        settings.WEBHOOK_ALLOWED_ADDRESSES = place.allowed
        yield place


def driven_to_the_end(rally, times):
    start_rally(by=organiser_of(rally), rally=rally)
    drive(rally, 1, times)
    rally.refresh_from_db()
    if rally.status != Rally.Status.FINISHED:
        hand_in(rally, 1, *times)


def page_of(club):
    return f"/clubs/{club.slug}/webhook/"


def test_an_organiser_adds_one_tries_it_and_takes_it_away(place):
    olga = make_user("Olga")
    club = make_club(owner=olga)
    client = signed_in(olga)
    client.post(page_of(club), {"url": place.url, "shape": "slack"})
    webhook = Webhook.objects.get(club=club)
    page = f"{page_of(club)}{webhook.pk}/"
    assert page in client.get(page_of(club)).text
    client.post(page, {"do": "test"})
    assert "The test is on its way." in client.get(page).text
    webhook_tests.send_requested()
    assert "A test of your webhook" in place.posts[0].told["text"]
    assert webhook.secret in client.get(page).text
    client.post(page, {"do": "rotate"})
    assert client.post(page, {"do": "remove"})["Location"] == page_of(club)
    assert client.post(page, {"do": "remove"}).status_code == 404
    acts = Record.objects.filter(action__startswith="webhook").order_by("pk")
    assert [act.action for act in acts] == ["webhook set", "webhook secret changed", "webhook removed"]
    assert place.url not in str([act.details for act in acts]), "the address is as good as a password"


def test_a_private_address_is_refused_at_its_field(place):
    olga = make_user("Olga")
    club = make_club(owner=olga)
    answer = signed_in(olga).post(page_of(club), {"url": "http://192.168.1.1/", "shape": "json"})
    assert answer.status_code == 422
    assert 'id="id_url_error"' in answer.text


def test_drivers_and_stewards_do_not_and_to_strangers_it_is_not_there(place):
    club = make_club()
    driver = make_member(club, roles=[Role.DRIVER, Role.STEWARD])
    for do in ({}, {"url": place.url, "shape": "json"}):
        assert signed_in(driver).post(page_of(club), do).status_code == 403
        assert signed_in(make_user()).post(page_of(club), do).status_code == 404
    with pytest.raises(Forbidden):
        views.managed(by=driver, club=club)
    assert "Webhook" not in signed_in(driver).get(f"/clubs/{club.slug}/").text


def test_a_rally_tells_its_club_that_it_started_of_its_times_and_of_its_end(place):
    rally = make_rally(stages=("1/1",))
    ana, bo = enter(rally, "Ana", "Bo")
    owner = views.managed(by=organiser_of(rally), club=rally.club)
    for number, chosen in enumerate(([], [], [OVER])):
        add(owner, url=f"{place.url}{number}", shape="json", kinds=chosen)
    driven_to_the_end(rally, {ana: 200, bo: 185})
    deliver_due()
    count = Counter(post.told["title"] for post in place.posts)
    titles = ["Rajd Wisły has started", "Rajd Wisły, Stage 1: results", "Rajd Wisły is over"]
    assert count == dict(zip(titles, (2, 2, 3), strict=True))
    started, times, over = ({post.told["title"]: post.told for post in place.posts}[title] for title in titles)
    assert started["text"].startswith("Rajd Wisły has started with 2 cars.\n\nKeep this message:")
    assert times["link"] == f"https://rally.example/rallies/{rally.key}/stages/1/"
    assert times["text"] == "Rajd Wisły, Stage 1: all results are in.\n\n1. #2 Bo 3:05\n2. #1 Ana 3:20"
    assert over["text"] == "Rajd Wisły is over. On the podium:\n\n1. #2 Bo 3:05\n2. #1 Ana 3:20"


def test_a_club_without_a_webhook_costs_nothing(place):
    rally = make_rally(stages=("1/1",))
    [ana] = enter(rally, "Ana")
    driven_to_the_end(rally, {ana: 200})
    deliver_due()
    assert place.posts == []
