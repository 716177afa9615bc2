"""Numbers and JSON that nobody types by accident: accepted where they make sense, and never a server error."""

import json

import pytest

from championship.platform.bounded_input import plain_json, whole_number
from championship.rallies.services import draw_start_list
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.factories import make_user, signed_in

HUGE = "1" * 5000


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("007", 7), ("9" * 18, 10**18 - 1), ("9" * 19, None), (HUGE, None), ("", None)],
)
def test_a_number_is_a_few_ascii_digits(text, number):
    assert whole_number(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [("-1", None), ("١٢", None), ("²", None), ("1 ", None), ("1e3", None), ("0x1", None)],
)
def test_other_texts_are_no_whole_number(text, number):
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "NaN", "[Infinity]", HUGE, "", "{", b"\xff"])
def test_json_that_makes_no_sense_is_one_kind_of_error(text):
    with pytest.raises(ValueError):
        plain_json(text)


def test_json_that_makes_sense():
    assert plain_json(b'{"a": [1, null]}') == {"a": [1, None]}


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("way", ["up", "down"])
@pytest.mark.parametrize("pad", [18, 30, 5000])
def test_a_line_of_the_start_list_with_a_long_number_stays_where_it_is(way, pad):
    rally = make_rally(stages=("1/3",))
    ana, bo = enter(rally, "Ana", "Bo")
    organiser = organiser_of(rally)
    draw_start_list(by=organiser, rally=rally)
    client, address = signed_in(organiser), f"/rallies/{rally.key}/desk/start-list/"
    form = client.get(address).context["form"]
    typed = {f"place_{entry.pk}": str(place) for place, entry in enumerate(form.entries, 1)}
    sent = {**typed, "seen": form.initial["seen"]}
    for number in (str(ana.pk).zfill(pad), str(bo.pk) + "0" * pad, "1" * pad):
        answer = client.post(address, {**sent, "do": f"{way}-{number}"})
        assert answer.status_code < 500
        if len(number) > 18:
            assert [entry.pk for entry in answer.context["form"].entries] == [entry.pk for entry in form.entries]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body", ["[" * 100_000, '{"keys":' * 50_000, "[]", "7", '{"endpoint": 1}', HUGE, json.dumps({"keys": HUGE})]
)
def test_a_subscription_that_is_none(body):
    answer = signed_in(make_user()).post("/me/notices/browsers/", body, content_type="application/json")
    assert answer.status_code == 422
    assert "message" in answer.json()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    ["/championships/{}/progress/?driver={}", "/rallies/{}/desk/runs/?stage={}", "/runs/{}/replay/?at={}"],
)
def test_addresses_with_huge_numbers_are_no_error(client, address):
    assert client.get(address.format("x", HUGE)).status_code in (302, 404)
