"""Names in lists stand where a reader looks for them."""

import pytest

from championship.accounts.alphabet import alphabetical
from tests.factories import make_club, make_member, make_user, signed_in

NAMES = ["agnes", "Ágnes", "Bo", "Łukasz", "Lukáš", "Ömer", "Øystein", "Zofia", "Žofie", "Zsófia", "ßeta", "Świt"]


def test_an_accent_does_not_move_a_name_to_the_end():
    assert sorted(NAMES, key=alphabetical) == [
        *("agnes", "Ágnes", "Bo", "Lukáš", "Łukasz", "Ömer", "Øystein", "ßeta", "Świt", "Zofia", "Žofie", "Zsófia")
    ]


@pytest.mark.django_db
def test_members_are_listed_by_the_alphabet():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    for name in ("Zsófia", "Ágnes", "Bo"):
        make_member(club, name=name)
    page = signed_in(olga).get(f"/clubs/{club.slug}/members/").content.decode()
    assert [page.index(f">{name}<") for name in ("Ágnes", "Bo", "Olga", "Zsófia")] == sorted(
        page.index(f">{name}<") for name in ("Ágnes", "Bo", "Olga", "Zsófia")
    )
