"""The stewards' room over HTTP: everybody reads it, drivers file protests, stewards decide."""

import threading

import pytest
from django.db import connections

from championship.clubs.models import Club, Role
from championship.notices.services import deliver_due
from championship.platform.refusals import Refused, Stale
from championship.stewards import services
from championship.stewards.models import Decision, Protest
from tests import worlds
from tests.championship.rallies.factories import drive, organiser_of, started
from tests.factories import mailbox, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


def one_stage():
    """A rally of one stage that is over: Ana before Bo; Sten judges."""
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3",))
    drive(rally, 1, {ana: 200, bo: 210})
    rally.refresh_from_db()
    sten = make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    return rally, ana, bo, sten


@pytest.fixture
def scene():
    return worlds.scene(one_stage)


def test_a_protest_goes_from_filing_to_decision_by_forms(scene, client):
    rally, ana, bo, sten = scene
    filed = signed_in(bo.driver).post(
        f"/rallies/{rally.key}/stewards/protest/", {"against": ana.pk, "text": "She blocked <b>the</b> road."}
    )
    protest = Protest.objects.get()
    assert filed.headers["Location"] == protest.get_absolute_url()

    desk = signed_in(sten)
    assert "Announce the decision" in desk.get(protest.get_absolute_url()).content.decode()
    decided = desk.post(
        f"/protests/{protest.key}/decide/",
        {"kind": "penalty", "entry": ana.pk, "amount": "15", "text": "Seen by all."},
    )
    assert decided.status_code == 302

    for address in (f"/rallies/{rally.key}/stewards/", protest.get_absolute_url()):
        assert client.get(address).status_code == 403
        page = signed_in(bo.driver).get(address).content.decode()
        assert "Seen by all." in page and "She blocked &lt;b&gt;the&lt;/b&gt; road." in page
    assert "Announce the decision" not in desk.get(protest.get_absolute_url()).content.decode()


def test_forms_say_truly_who_can_read_what_is_typed(scene):
    rally, _ana, bo, sten = scene
    room = "The members of the club and all drivers who take part can read this."
    link = "Everyone with the link can read this."
    protest = signed_in(bo.driver).get(f"/rallies/{rally.key}/stewards/protest/").text
    assert room in protest and link not in protest
    decision = signed_in(sten).get(f"/rallies/{rally.key}/stewards/decide/").text
    assert room in decision and "stands beside the results of the rally. Everyone with the link" in decision
    Club.objects.update(visibility=Club.Visibility.MEMBERS)
    assert link not in signed_in(sten).get(f"/rallies/{rally.key}/stewards/decide/").text


def test_a_letter_about_an_appeal_says_that_it_is_one(scene, settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    rally, ana, bo, sten = scene
    decision = services.decide(by=sten, rally=rally, kind="reprimand", text="Too fast.", entry=ana)
    services.file_protest(by=bo.driver, rally=rally, text="Hm.")
    services.appeal(by=ana.driver, decision=decision, text="I was not.")
    deliver_due()
    read = " ".join(mail.body for mail in mailbox().filter(to=sten.email))
    assert (read.count("has appealed against a decision in"), read.count("has filed a protest in")) == (1, 1)


def test_an_error_is_named_and_what_was_typed_is_kept(scene):
    rally, ana, _bo, sten = scene
    page = signed_in(sten).post(
        f"/rallies/{rally.key}/stewards/decide/", {"kind": "penalty", "entry": ana.pk, "text": "Typed at length."}
    )
    assert page.status_code == 422
    assert "Typed at length." in page.content.decode()
    assert not Decision.objects.exists()


@pytest.mark.parametrize("address", ["protest/", "decide/", "terms/"])
def test_strangers_get_404_and_visitors_the_sign_in_page(scene, client, address):
    rally, *_ = scene
    assert client.get(f"/rallies/{rally.key}/stewards/{address}").status_code == 302
    assert signed_in(make_user("Stranger")).get(f"/rallies/{rally.key}/stewards/{address}").status_code == 404


def test_drivers_do_not_decide_and_stewards_do_not_set_terms(scene):
    rally, _ana, bo, sten = scene
    protest = services.file_protest(by=bo.driver, rally=rally, text="Hm.")
    answer = signed_in(bo.driver).post(f"/protests/{protest.key}/decide/", {"kind": "no action", "text": "Fine."})
    assert answer.status_code == 403
    assert signed_in(sten).get(f"/rallies/{rally.key}/stewards/terms/").status_code == 403
    saved = signed_in(organiser_of(rally)).post(
        f"/rallies/{rally.key}/stewards/terms/", {"protest_hours": "12", "appeal_hours": "0"}
    )
    assert saved.status_code == 302
    assert services.terms_of(rally).protest_hours == 12


def test_an_appeal_by_form_and_a_withdrawal(scene):
    rally, ana, bo, sten = scene
    decision = services.decide(by=sten, rally=rally, kind="reprimand", text="Noise.", entry=ana)
    appealed = signed_in(ana.driver).post(f"/decisions/{decision.key}/appeal/", {"text": "I was quiet."})
    appeal = Protest.objects.get()
    assert appealed.headers["Location"] == appeal.get_absolute_url()
    assert signed_in(bo.driver).post(f"/decisions/{decision.key}/appeal/", {"text": "Me too."}).status_code == 403
    assert signed_in(make_user("Stranger")).get(f"/decisions/{decision.key}/appeal/").status_code == 404
    assert signed_in(ana.driver).post(f"/protests/{appeal.key}/withdraw/").status_code == 302
    assert signed_in(ana.driver).post(f"/protests/{appeal.key}/withdraw/").status_code == 409


def test_the_room_takes_as_few_queries_with_many_decisions(scene, django_assert_max_num_queries):
    rally, ana, bo, sten = scene
    for number in range(12):
        protest = services.file_protest(by=bo.driver, rally=rally, text=f"Number {number}", against=ana)
        services.decide(by=sten, rally=rally, kind="reprimand", text="Again.", entry=ana, protest=protest)
    visitor = signed_in(bo.driver)
    with django_assert_max_num_queries(17):
        assert visitor.get(f"/rallies/{rally.key}/stewards/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_of_two_stewards_who_decide_at_once_one_is_refused():
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3",))
    stewards = [make_member(rally.club, roles=[Role.STEWARD]) for _ in range(2)]
    protest = services.file_protest(by=bo.driver, rally=rally, text="Hm.", against=ana)
    together, refusals = threading.Barrier(2, timeout=60), []

    def judge(steward) -> None:
        try:
            together.wait()
            services.decide(
                by=steward, rally=rally, kind="penalty", text="So it is.", protest=protest, entry=ana, amount=10
            )
        except (Refused, Stale) as refusal:
            refusals.append(refusal)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=judge, args=(steward,)) for steward in stewards]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(refusals) == 1 and refusals[0].status == 409
    assert Decision.objects.count() == 1 and rally.penalties.count() == 1


def client_of_a_driving_steward(rally, ana):
    """Ana drives and is a steward like Sten."""
    rally.club.memberships.filter(user=ana.driver).update(roles=[Role.DRIVER, Role.STEWARD])
    return signed_in(ana.driver)


def test_a_steward_who_may_not_decide_sees_why_and_who_may_but_no_form(scene):
    rally, ana, bo, _sten = scene
    protest = services.file_protest(by=bo.driver, rally=rally, text="Hm.")
    desk = client_of_a_driving_steward(rally, ana)
    for address in (protest.get_absolute_url(), f"/rallies/{rally.key}/stewards/decide/"):
        page = desk.get(address).content.decode()
        assert "You drive in this rally" in page and "Sten" in page, address
        assert "Announce the decision" not in page, address
    page = desk.get(f"/rallies/{rally.key}/desk/penalty/").content.decode()
    assert "You drive in this rally" in page and "Give the penalty" not in page


@pytest.mark.parametrize("address", ["protest", "decide"])
def test_a_refused_decision_keeps_the_text_typed(scene, address):
    rally, ana, bo, _sten = scene
    protest = services.file_protest(by=bo.driver, rally=rally, text="Hm.")
    where = f"/protests/{protest.key}/decide/" if address == "protest" else f"/rallies/{rally.key}/stewards/decide/"
    answer = client_of_a_driving_steward(rally, ana).post(where, {"kind": "no action", "text": "Typed at length."})
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "Typed at length." in page and "This is for" in page and "Announce the decision" not in page
    assert not Decision.objects.exists()


def test_a_decision_on_a_protest_that_another_has_decided_keeps_the_text_typed(scene):
    rally, _ana, bo, sten = scene
    protest = services.file_protest(by=bo.driver, rally=rally, text="Hm.")
    services.decide(by=sten, rally=rally, kind="no action", text="No.", protest=protest)
    stella = make_member(rally.club, name="Stella", roles=[Role.STEWARD])
    answer = signed_in(stella).post(
        f"/protests/{protest.key}/decide/", {"kind": "no action", "text": "Typed at length."}
    )
    assert answer.status_code == 409 and "Typed at length." in answer.content.decode()


def test_a_former_steward_keeps_the_text_typed(scene):
    rally, _ana, _bo, sten = scene
    rally.club.memberships.filter(user=sten).update(roles=[Role.DRIVER])
    answer = signed_in(sten).post(
        f"/rallies/{rally.key}/stewards/decide/", {"kind": "no action", "text": "Typed at length."}
    )
    assert answer.status_code == 403 and "Typed at length." in answer.content.decode()


def test_the_only_steward_judges_the_appeal_and_the_page_says_so(scene):
    rally, ana, _bo, sten = scene
    decision = services.decide(by=sten, rally=rally, kind="reprimand", text="Noise.", entry=ana)
    appeal = services.appeal(by=ana.driver, decision=decision, text="I was quiet.")
    desk = signed_in(sten)
    assert "Announce the decision" in desk.get(appeal.get_absolute_url()).content.decode()
    assert desk.post(f"/protests/{appeal.key}/decide/", {"kind": "no action", "text": "It stands."}).status_code == 302
    room = desk.get(f"/rallies/{rally.key}/stewards/").content.decode()
    assert "by the steward whose decision was appealed against" in room


def test_a_club_without_a_steward_tells_its_organisers_what_to_do(scene):
    rally, _ana, bo, sten = scene
    protest = services.file_protest(by=bo.driver, rally=rally, text="Hm.")
    rally.club.memberships.filter(user=sten).delete()
    page = signed_in(organiser_of(rally)).get(protest.get_absolute_url()).content.decode()
    assert "Make somebody a steward" in page
    assert "Make somebody a steward" not in signed_in(bo.driver).get(protest.get_absolute_url()).content.decode()


def test_acts_of_an_official_who_drives_say_so_wherever_they_are_shown(scene, client):
    rally, ana, bo, sten = scene
    rally.club.memberships.filter(user__in=[sten, organiser_of(rally)]).update(roles=[Role.OWNER])
    rally.club.memberships.filter(user=ana.driver).update(roles=[Role.DRIVER, Role.STEWARD])
    desk = signed_in(ana.driver)
    assert "is marked with that" in desk.get(f"/rallies/{rally.key}/desk/penalty/").content.decode()
    given = desk.post(f"/rallies/{rally.key}/desk/penalty/", {"entry": bo.pk, "amount": "30", "reason": "Late"})
    assert given.status_code == 302
    services.decide(by=ana.driver, rally=rally, kind="reprimand", text="Noise.", entry=bo)
    openly = "its author drives in this rally"
    for page in ("sheet/", "stages/1/overall/", "stewards/", "results.csv"):
        reader = desk if page == "stewards/" else client
        assert openly in reader.get(f"/rallies/{rally.key}/{page}").content.decode(), page
    assert openly in desk.get(f"/rallies/{rally.key}/desk/penalty/").content.decode()
    assert "/appeal/" in signed_in(bo.driver).get(f"/rallies/{rally.key}/stewards/").content.decode()


def test_pressing_twice_takes_one_decision(scene):
    rally, ana, _bo, sten = scene
    for _ in range(2):
        answer = signed_in(sten).post(
            f"/rallies/{rally.key}/stewards/decide/",
            {"kind": "penalty", "entry": ana.pk, "amount": "5", "text": "Jump start."},
        )
        assert answer.status_code == 302
    assert Decision.objects.count() == 1 and rally.penalties.count() == 1
