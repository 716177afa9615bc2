"""Tokens: created on a page, shown once, stored as a digest, limited, revocable at once, and named in the log."""

from datetime import timedelta

import pytest
from django.http import Http404

from championship.api.models import Token
from championship.api.services import MOST_TOKENS, make_token, revoke_token
from championship.audit.models import Record
from championship.clubs.models import Role
from championship.notices.models import SentMail
from championship.notices.services import deliver_due
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.models import Entry
from tests.championship.api.factories import Program, program_of
from tests.championship.rallies.factories import make_rally, organiser_of
from tests.factories import freshly_signed_in, make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

FORM = {"name": "Overlay", "scopes": ["read", "play"], "club": "", "days": "30"}


def test_a_token_is_created_on_a_page_shown_once_and_stored_as_a_digest():
    ana = make_user("Ana")
    page = freshly_signed_in(ana).post("/me/programs/", FORM)
    assert page.status_code == 201
    text = page.context["text"]
    assert text.startswith("pf_") and text in page.content.decode()
    token = Token.objects.get()
    assert text not in str(Token.objects.values().get()) and token.prefix == text[:8]
    assert page["Cache-Control"] == "no-store"
    assert text not in signed_in(ana).get("/me/programs/").content.decode()
    assert Program(text).get("me").json()["person"]["name"] == "Ana"


def test_a_session_that_may_be_stolen_makes_no_token():
    answer = signed_in(make_user()).post("/me/programs/", FORM)
    assert answer.status_code == 302 and "/account/" in answer["Location"]
    assert not Token.objects.exists()


@pytest.mark.parametrize(
    ("field", "typed"), [("name", ""), ("name", "a\u202eb"), ("scopes", []), ("scopes", ["all"]), ("days", "367")]
)
def test_a_form_that_makes_no_sense_makes_no_token(field, typed):
    page = freshly_signed_in(make_user()).post("/me/programs/", {**FORM, field: typed})
    assert page.status_code == 422 and field in page.context["form"].errors
    assert not Token.objects.exists()


def test_a_token_for_a_club_is_for_its_members():
    club = make_club()
    with pytest.raises(Http404):
        make_token(by=make_user(), name="Spy", scopes=["read"], club=club)


def test_there_are_not_tokens_without_end():
    ana = make_user()
    for number in range(MOST_TOKENS):
        make_token(by=ana, name=f"Program {number}", scopes=["read"])
    with pytest.raises(Refused):
        make_token(by=ana, name="One more", scopes=["read"])


def test_a_revoked_token_opens_nothing_at_once():
    ana = make_user()
    program = program_of(ana)
    assert program.get("me").status_code == 200
    page = signed_in(ana).post(f"/me/programs/{Token.objects.get().pk}/revoke/")
    assert page.status_code == 302
    assert program.get("me").status_code == 401
    assert [row.action for row in Record.objects.order_by("pk")] == ["token made", "token revoked"]


def test_nobody_revokes_the_token_of_another():
    program_of(make_user())
    with pytest.raises(Http404):
        revoke_token(by=make_user(), pk=Token.objects.get().pk)


def test_a_token_ends_on_its_day(at):
    program = program_of(make_user())
    at(clock.now() + timedelta(days=29, hours=23))
    assert program.get("me").status_code == 200
    at(clock.now() + timedelta(hours=1))
    assert program.get("me").status_code == 401


def test_when_it_was_used_last_is_noted_once_a_minute(at, django_assert_num_queries):
    program = program_of(make_user())
    program.get("me")
    first = Token.objects.get().last_used_at
    assert first == clock.now()
    with django_assert_num_queries(1):
        program.get("me")
    at(clock.now() + timedelta(minutes=1))
    program.get("me")
    assert Token.objects.get().last_used_at > first


def test_the_token_of_a_person_who_may_not_sign_in_does_not_work():
    ana = make_user()
    program = program_of(ana)
    ana.is_active = False
    ana.save()
    assert program.get("me").status_code == 401


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer x y", "Basic YTpi", "Bearer pf_unknown", "Bearer " + "x" * 900, "Bearer \xff"]
)
def test_without_a_good_token_nobody_comes_in(client, header):
    answer = client.get("/api/v1/me", headers={"Authorization": header} if header else {})
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert answer["Content-Type"] == "application/problem+json"


def test_a_session_opens_nothing():
    assert signed_in(make_user()).get("/api/v1/me").status_code == 401


def test_the_log_says_by_which_token_something_was_done():
    rally = make_rally()
    olga = organiser_of(rally)
    ana = make_member(rally.club, name="Ana", roles=[Role.DRIVER])
    program_of(ana, "play").post(f"rallies/{rally.key}/entries/mine", {"crew": "Ana"})
    key = program_of(olga, "organise").get(f"rallies/{rally.key}/entries").json()[0]["key"]
    done = program_of(olga, "organise", name="League desk").post(f"rallies/{rally.key}/entries/{key}/confirm")
    assert done.status_code == 200, done.content
    assert Entry.objects.get().status == Entry.Status.CONFIRMED
    assert Record.objects.get(action="entry confirmed").details["token"] == "League desk"
    log = signed_in(olga).get(f"/clubs/{rally.club.slug}/log/").content.decode()
    assert "by token: League desk" in log
    assert "token" not in Record.objects.filter(action="rally created").values_list("details", flat=True).first()


def test_the_database_refuses_a_scope_that_it_does_not_know():
    from django.db import IntegrityError

    ana = make_user()
    with pytest.raises(IntegrityError):
        Token.objects.create(person=ana, name="x", prefix="pf_", digest="d", scopes=["everything"])


def test_its_person_gets_a_letter(settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    ana = make_user("Ana")
    _token, text = make_token(by=ana, name='Over"lay', scopes=["play"], club=make_club(owner=ana))
    deliver_due()
    letter = SentMail.objects.get(to=ana.email)
    assert letter.subject == "A token was made for your account"
    assert 'the token "Over"lay"' in letter.body and text[:8] in letter.body
    assert text not in letter.body and "/me/programs/" in letter.body
