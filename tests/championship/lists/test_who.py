"""Whom a name of a list means."""

import unicodedata

import pytest

from championship.lists.found import FoundPerson
from championship.lists.who import Known, People

ZOE, JOSE, ANNA, LUKASZ, ISIL, ADAM, ONE = range(1, 8)
CLUB = People(
    [
        Known(ZOE, "Zoë Virtanen", "zoe@club.example"),
        Known(JOSE, "José García", "jose@club.example", said=("pepe",)),
        Known(ANNA, "Anna Müller"),
        Known(LUKASZ, "Łukasz Żak"),
        Known(ISIL, "Işıl İnce"),
        Known(ADAM, "Adam Müller"),
        Known(ONE, "Driver 1"),
    ]
)


def match(name, *also, mail="", line=1):
    [found] = CLUB.matches([FoundPerson(line, name, also, mail)])
    return found


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("zoë  VIRTANEN", ZOE),
        (unicodedata.normalize("NFD", "Zoë Virtanen"), ZOE),
        ("Virtanen Zoe", ZOE),
        ("GARCIA, Jose", JOSE),
        ("Pepe", JOSE),
        ("Lukasz Zak", LUKASZ),
        ("ISIL INCE", ISIL),
        ("ışıl ince", ISIL),
        ("Anna Mueller", ANNA),
        ("An. Müller", None),
        ("Z. Virtanen", ZOE),
    ],
)
def test_a_name_in_another_spelling_is_surely_that_person(name, who):
    assert match(name).sure == who


def test_the_address_says_who_it_is_whatever_the_name():
    assert match("Somebody", mail="Zoe@Club.example").sure == ZOE


def test_initials_that_fit_two_people_are_asked_about():
    found = match("A. Müller")
    assert (found.sure, set(found.near), found.likely) == (None, {ANNA, ADAM}, None)


@pytest.mark.parametrize(("name", "who"), [("Zoe Virtanenn", ZOE), ("Ince", ISIL), ("Virtanen / Groß", ZOE)])
def test_a_name_that_is_near_is_offered_and_not_taken(name, who):
    found = match(name, *name.split(" / ")[:1])
    assert (found.sure, found.near[0], found.likely) == (None, who, who)


def test_a_name_with_another_address_is_asked_about_unless_it_is_exactly_the_same():
    assert match("Jose Garcia", mail="other@club.example").sure is None
    assert match("José García", mail="other@club.example").sure == JOSE


@pytest.mark.parametrize("name", ["Zdeněk Dvořák", "Driver 2", "", "?!"])
def test_a_name_that_is_nobodys_has_no_candidate(name):
    found = match(name)
    assert (found.sure, found.near) == (None, ())


def test_two_people_of_one_name_are_asked_about():
    twins = People([Known(1, "Ana Nowak"), Known(2, "Ana Nowak", member=False)])
    [found] = twins.matches([FoundPerson(1, "Ana Nowak")])
    assert (found.sure, found.near) == (None, (1, 2))


def test_lines_with_the_same_name_are_one_question():
    found = CLUB.matches(
        [FoundPerson(2, "Bo Lind"), FoundPerson(3, "bo lind"), FoundPerson(4, "Bo Lind", mail="b@x.y")]
    )
    assert [each.lines for each in found] == [(2, 3), (4,)]
