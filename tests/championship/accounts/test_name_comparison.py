"""Names that people write in different ways are the same name, and nearly equal names are found."""

import pytest

from championship.accounts.models import User
from championship.accounts.name_comparison import NearNames, all_differ, comparable_name, same_as, written_forms
from championship.accounts.services import create_user, update_profile
from championship.accounts.text import looks_like
from championship.rallies.text_checks import checked_line
from tests.factories import make_club, make_member, make_user

SAME = [
    ("Rémi Castel", "Re\u0301mi Castel"), ("Zoë Virtanen", "ZOE\u0308  VIRTANEN"), ("Ana Bo", "Ana\u00a0Bo"),
    ("Ana Bo", " Ana\t Bo "), ("Işıl İnce", "IŞIL İNCE"), ("Işıl İnce", "ışıl ince"),
    ("Işıl İnce", "Isil Ince".replace("s", "ş")),
    ("Jürgen Groß", "JÜRGEN GROSS"), ("Ａｎａ", "Ana"), ("O’Neil", "O'Neil"), ("Smith–Jones", "Smith-Jones"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_ways_to_write_one_name(one, other):
    assert comparable_name(one) == comparable_name(other)


@pytest.mark.parametrize(
    ("one", "other"), [("José", "Jose"), ("Ana", "Anna"), ("Zoë V.", "Zoë"), ("Müller", "Mueller")]
)
def test_two_names(one, other):
    assert comparable_name(one) != comparable_name(other)


def test_a_surname_before_a_comma_is_put_behind():
    assert written_forms("Castel, Re\u0301mi") == ("castel, rémi", "rémi castel")
    assert written_forms("Ana") == ("ana",)
    assert written_forms(" ") == ()


def test_the_turkish_dotted_i_looks_like_an_i():
    assert looks_like("İnce") == looks_like("Ince") == looks_like("ınce")


@pytest.mark.parametrize(
    "written",
    ["Castel Rémi", "CASTEL Remi", "Remi Castel", "Rémy Castel", "Castel; Rémi", "Rémi Castell"],
)
def test_a_nearly_equal_name_is_found(written):
    assert NearNames(["Ana Bo", "Rémi Castel"]).nearest(written) == "Rémi Castel"


@pytest.mark.parametrize("written", ["Nemo", "Rémi", "Driver 13", "", "日本 太郎"])
def test_another_name_is_not_taken_for_a_nearly_equal_one(written):
    assert NearNames(["Rémi Castel", "Driver 12", "Łukasz Żak"]).nearest(written) == ""


def test_a_choice_is_found_by_its_comparable_form_unless_two_have_it():
    assert same_as("rc2", ["RC1", "RC2"]) == "RC2"
    assert same_as("a", ["A", "a"]) == "a"
    assert same_as("ä", ["A\u0308", "Ä"]) is None
    assert not all_differ(["North", "north"]) and all_differ(["North", "South"])


@pytest.mark.django_db
def test_names_are_stored_in_one_form():
    made = create_user(email="remi@example.org", name="Re\u0301mi")
    assert User.objects.get(pk=made.pk).name == "Rémi"
    club = make_club(name="Zoe\u0308s", owner=make_user())
    assert club.name == "Zoës"
    member = make_member(club)
    update_profile(user=member, name="Zoe\u0308", language="en", time_zone="UTC")
    assert User.objects.get(pk=member.pk).name == "Zoë"
    assert checked_line(" Zoe\u0308 / Jo ", longest=10, field="crew") == "Zoë / Jo"
