"""A season taken away as JSON comes in again: no change where it was made, the same tables in another season."""

import json

import pytest

from championship.lists.reading import Unreadable, read
from championship.rallies.models import PublishedResult
from championship.seasons.scoring.season_file import tables_of
from championship.seasons.services import create_championship
from tests.championship.lists.lists import MEMBERS, make_world
from tests.championship.lists.steps import Steps
from tests.factories import signed_in

pytestmark = pytest.mark.django_db
ZOE, JOSE, ANNA, LUKASZ, _ISIL = MEMBERS
PLAIN = {"points": [25, 18, 15], "tie_breaks": ["places"]}
SEASONS = {
    "power and bonus": {
        "scheme": PLAIN | {"power": [5, 4], "bonus": {"fastest_lap": {"points": 1, "within": 10}}},
        "rounds": [{"name": "Forest", "results": [
            {"driver": ZOE, "place": 1, "power": 2, "team": "Wiking Rot", "class": "RC2"},
            {"driver": JOSE, "place": 2, "power": 1}, {"driver": ANNA, "place": 3, "fastest_lap": True}]}],
    },
    "half and double": {
        "scheme": PLAIN,
        "rounds": [
            {"name": "Rain", "factor": 0.5, "results": [{"driver": ZOE, "place": 1}, {"driver": JOSE, "place": 3}]},
            {"name": "Final", "factor": 2, "results": [{"driver": JOSE, "place": 1}, {"driver": ZOE, "place": 2}]},
        ],
    },
    "ends": {
        "scheme": PLAIN,
        "rounds": [{"name": "Sand", "results": [
            {"driver": ZOE, "status": "excluded"}, {"driver": JOSE, "status": "retired"},
            {"driver": ANNA, "status": "not classified"}, {"driver": LUKASZ, "place": 1}]}],
    },
    "ties and a shared car": {
        "scheme": PLAIN | {"shared": "divide"},
        "rounds": [{"name": "Ice", "results": [
            {"driver": ANNA, "place": 1, "shared_with": [LUKASZ]}, {"driver": JOSE, "place": 2},
            {"driver": ZOE, "place": 2, "class": "RC2"}]}],
    },
}  # fmt: skip


def in_json(steps, season):
    return steps.client.get(f"/championships/{season.key}/season.json").content


def of_rounds(document):
    """Return the points of each round and the place in the season, by driver."""
    return {line["driver"]: (line["place"], line["points"], line["rounds"]) for line in tables_of(document)["drivers"]}


def changes(steps, made):
    lines = steps.look(made).context["plan"].all_lines
    return [(line.who, line.state, line.changes, line.why) for line in lines if line.state != "unchanged"]


@pytest.mark.parametrize("shape", SEASONS)
def test_a_season_gives_the_same_tables_in_every_season_that_reads_it(shape):
    world = make_world()
    steps = Steps(signed_in(world.olga))
    document = SEASONS[shape]
    steps.all_of(f"/lists/championships/{world.season.key}/results/", json.dumps(document).encode(), "season.json")
    first = json.loads(in_json(steps, world.season))
    assert of_rounds(first) == of_rounds(document)
    again = steps.bring(f"/lists/championships/{world.season.key}/results/", in_json(steps, world.season), "a.json")
    assert changes(steps, again) == []
    other = create_championship(by=world.olga, club=world.club, name="Other", points=[3, 2, 1])
    steps.all_of(f"/lists/championships/{other.key}/results/", in_json(steps, world.season), "season.json")
    assert of_rounds(json.loads(in_json(steps, other))) == of_rounds(document)


def test_points_by_the_scheme_stay_points_by_the_scheme():
    world = make_world()
    steps = Steps(signed_in(world.olga))
    page = f"/lists/championships/{world.season.key}/results/"
    steps.all_of(page, f"rally;name;place\nSand;{ZOE};1\nSand;{JOSE};2\nSand;{ANNA};DNF\n")
    made = steps.bring(page, in_json(steps, world.season), "season.json")
    assert changes(steps, made) == []
    assert not PublishedResult.objects.exclude(points=None).exists()


def test_a_season_with_a_wrong_value_is_refused_with_its_path():
    broken = {"scheme": PLAIN, "rounds": [{"name": "Sand", "results": [{"driver": ZOE, "place": 0}]}]}
    with pytest.raises(Unreadable, match=r"rounds\[0\]\.results\[0\]\.place"):
        read(json.dumps(broken).encode(), results=True)
