"""Creating a club, and changing roles in it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import IntegrityError, connection, transaction
from django.http import Http404

from championship.accounts.services import closing
from championship.audit import services as audit
from championship.clubs import selectors, services
from championship.clubs.models import Membership
from championship.platform.refusals import Forbidden, Refused
from tests.factories import make_club, make_member, make_user

pytestmark = pytest.mark.django_db


def membership(user, club):
    return Membership.objects.get(user=user, club=club)


def test_the_founder_of_a_club_is_owner_organiser_and_driver():
    olga = make_user("Olga")
    club = services.create_club(by=olga, name="  Automobilklub Wisła ")
    assert (club.name, club.slug) == ("Automobilklub Wisła", "automobilklub-wisa")
    assert selectors.roles_of(olga, club) == {"owner", "organiser", "driver"}
    assert [entry.action for entry in audit.of_club(club.pk)] == ["club founded"]


@pytest.mark.parametrize("name", ["Wiking", "New", "ラリー", "-", "x" * 80])
def test_clubs_of_the_same_name_get_addresses_of_their_own(name):
    olga = make_user("Olga")
    slugs = {services.create_club(by=olga, name=name).slug for _club in range(12)}
    assert len(slugs) == 12
    assert "new" not in slugs, "that is the page to found one"


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "two\nlines", "a\x00b"])
def test_a_club_needs_a_name_of_one_line(name):
    with pytest.raises(Refused) as refusal:
        services.create_club(by=make_user(), name=name)
    assert refusal.value.field == "name"


def test_a_stranger_finds_no_club_and_a_member_without_the_role_is_refused():
    club = make_club()
    with pytest.raises(Http404):
        services.require_role(make_user(), club)
    driver = make_member(club, roles=["driver"])
    assert services.require_role(driver, club) == {"driver"}
    with pytest.raises(Forbidden, match="organiser, steward"):
        services.require_role(driver, club, "steward", "organiser")


def test_an_organiser_gives_and_takes_roles():
    club = make_club()
    organiser = make_member(club, roles=["organiser"])
    ana = make_member(club, name="Ana", roles=["driver"])
    services.set_roles(by=organiser, membership=membership(ana, club), roles=["steward", "driver", "driver"])
    assert membership(ana, club).roles == ["steward", "driver"]
    entry = audit.of_club(club.pk).first()
    assert (entry.action, entry.actor, entry.subject_label) == ("roles changed", organiser, "Ana")
    assert entry.details == {"before": ["driver"], "after": ["steward", "driver"]}


def test_roles_that_stay_the_same_are_not_in_the_log():
    club = make_club(owner=make_user("Olga"))
    olga = selectors.members(club).get(roles__contains=["organiser"]).user
    before = audit.of_club(club.pk).count()
    services.set_roles(by=olga, membership=membership(olga, club), roles=["driver", "organiser", "owner"])
    assert audit.of_club(club.pk).count() == before


@pytest.mark.parametrize("roles", [[], ["emperor"], ["driver", "emperor"]])
def test_a_member_has_at_least_one_role_and_none_that_does_not_exist(roles):
    club = make_club(owner=(olga := make_user("Olga")))
    ana = make_member(club)
    with pytest.raises(Refused) as refusal:
        services.set_roles(by=olga, membership=membership(ana, club), roles=roles)
    assert refusal.value.field == "roles"
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.filter(user=ana).update(roles=roles)


def test_only_an_owner_says_who_owns():
    club = make_club(owner=(olga := make_user("Olga")))
    organiser = make_member(club, roles=["organiser"])
    with pytest.raises(Forbidden):
        services.set_roles(by=organiser, membership=membership(organiser, club), roles=["owner", "organiser"])
    with pytest.raises(Forbidden):
        services.set_roles(by=organiser, membership=membership(olga, club), roles=["driver"])
    with pytest.raises(Forbidden):
        services.remove_member(by=organiser, membership=membership(olga, club))
    services.set_roles(by=olga, membership=membership(organiser, club), roles=["owner", "organiser"])
    assert "owner" in selectors.roles_of(organiser, club)


def test_the_last_organiser_cannot_drop_out():
    club = make_club(owner=(olga := make_user("Olga")))
    theirs = membership(olga, club)
    for attempt in (
        lambda: services.set_roles(by=olga, membership=theirs, roles=["owner", "driver"]),
        lambda: services.leave(by=olga, club=club),
        lambda: services.remove_member(by=olga, membership=theirs),
    ):
        with pytest.raises(Refused, match="last organiser"):
            attempt()
    assert selectors.roles_of(olga, club) == {"owner", "organiser", "driver"}


def test_the_last_owner_cannot_drop_out_either():
    club = make_club(owner=(olga := make_user("Olga")))
    make_member(club, roles=["organiser"])
    with pytest.raises(Refused, match="last owner"):
        services.leave(by=olga, club=club)


def make_bot(club, *roles):
    """Create a bot that has these roles, even ones that the services would refuse."""
    bot = make_member(club, name="Robo", roles=roles)
    bot.is_bot = True
    bot.save()
    return bot


def test_a_bot_founds_no_club():
    bot = make_user("Robo")
    bot.is_bot = True
    bot.save()
    with pytest.raises(Refused, match="A bot makes turns"):
        services.create_club(by=bot, name="Club of Robo")
    assert not bot.memberships.exists()


def test_a_bot_does_not_count_as_the_last_organiser():
    club = make_club(owner=(olga := make_user("Olga")))
    bot = make_bot(club, "owner", "organiser")
    with pytest.raises(Refused, match="last organiser"):
        services.leave(by=olga, club=club)
    make_member(club, name="Ana")
    with pytest.raises(Refused, match="the last"):
        closing.close(person=olga)
    services.remove_member(by=olga, membership=membership(bot, club))
    assert not selectors.is_member(bot, club)


def test_a_person_alone_with_bots_may_close_the_account():
    club = make_club(owner=(olga := make_user("Olga")))
    make_bot(club, "driver")
    closing.close(person=olga)
    olga.refresh_from_db()
    assert olga.closed_at is not None


def test_a_bot_gets_no_office():
    club = make_club(owner=(olga := make_user("Olga")))
    bot = make_bot(club, "driver")
    with pytest.raises(Refused) as refusal:
        services.set_roles(by=olga, membership=membership(bot, club), roles=["driver", "steward"])
    assert refusal.value.field == "roles"
    other = make_club(name="Other", owner=olga)
    for roles, joins in ((["organiser"], False), (["driver"], True)):
        _invitation, token = services.invite(by=olga, club=other, roles=roles, days=7)
        if joins:
            assert services.accept_invitation(by=bot, token=token).roles == roles
        else:
            with pytest.raises(Refused):
                services.accept_invitation(by=bot, token=token)
            assert not selectors.is_member(bot, other)


def test_a_member_leaves_and_no_longer_sees_the_club():
    club = make_club()
    ana = make_member(club)
    services.leave(by=ana, club=club)
    assert not selectors.is_member(ana, club)
    with pytest.raises(Http404):
        services.leave(by=ana, club=club)
    assert audit.of_club(club.pk).first().action == "left"


def test_a_member_of_one_club_has_no_say_in_another():
    ours, theirs = make_club(name="Ours", owner=(olga := make_user("Olga"))), make_club(name="Theirs")
    stranger = make_member(theirs)
    with pytest.raises(Http404):
        services.set_roles(by=olga, membership=membership(stranger, theirs), roles=["steward"])
    with pytest.raises(Http404):
        services.remove_member(by=olga, membership=membership(stranger, theirs))
    with pytest.raises(Http404):
        services.invite(by=olga, club=theirs, roles=["driver"], days=7)
    assert selectors.is_member(stranger, theirs)
    assert not selectors.is_member(stranger, ours)


@pytest.mark.django_db(transaction=True)
def test_of_two_organisers_who_leave_at_the_same_moment_one_stays():
    club = make_club(owner=(olga := make_user("Olga")))
    organisers = [make_member(club, roles=["organiser"]) for _number in range(2)]
    services.set_roles(by=olga, membership=membership(olga, club), roles=["owner"])
    together = Barrier(2, timeout=60)

    def leave(organiser):
        together.wait()
        try:
            services.leave(by=organiser, club=club)
        except Refused:
            return "refused"
        finally:
            connection.close()
        return "left"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(leave, organisers)) == ["left", "refused"]
    assert selectors.members(club).filter(roles__contains=["organiser"]).count() == 1
