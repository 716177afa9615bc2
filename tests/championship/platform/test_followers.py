"""Followers: what an app calls in the apps that build on it."""

from championship.accounts import followers as of_accounts
from championship.clubs import followers as of_clubs
from championship.platform.followers import Followers
from championship.rallies.followers import rally_followers


class First: ...


class Second: ...


def test_followers_are_called_in_the_order_of_registration():
    followers: Followers[object] = Followers()
    first, second = First(), Second()
    followers.register(second)
    followers.register(first)
    assert list(followers) == [second, first]


def test_a_second_registration_replaces_the_first_in_its_place():
    followers: Followers[object] = Followers()
    first, second, again = First(), Second(), First()
    for each in (first, second, again):
        followers.register(each)
    assert list(followers) == [again, second]


def test_a_follower_may_register_another_while_it_is_called():
    followers: Followers[object] = Followers()
    followers.register(First())
    for _each in followers:
        followers.register(Second())
    assert [type(each) for each in followers] == [First, Second]


def test_the_apps_register_what_follows_and_in_which_order():
    def names(followers: Followers[object]) -> list[str]:
        return [f"{type(each).__module__.split('.')[1]}.{type(each).__name__}" for each in followers]

    assert names(of_accounts.timing_followers) == ["rallies.CardsOfPeople", "runs.TurnsOfPeople"]
    assert names(of_accounts.closing_followers) == ["clubs.RolesOfPeople", "rallies.CarsOfPeople"]
    assert names(of_accounts.closed_followers) == ["notices.NoticesOfPeople", "api.TokensOfPeople"]
    assert names(of_accounts.end_followers) == ["evenings.WishesOfPeople", "archive.CopiesOfNames"]
    assert names(of_clubs.club_closing_followers) == ["rallies.RalliesOfClubs"]
    assert names(of_clubs.joining_followers) == ["lists.InvitedByList", "archive.RestoredResults"]
    assert names(rally_followers) == [*("runs.RunsOfRallies", "evenings.ReadyDrivers", "tabletop.TablesOfHeats")]
