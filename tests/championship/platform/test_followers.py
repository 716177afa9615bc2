"""Followers: what an app calls in the apps that build on it."""

from championship.platform.followers import Followers


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
