"""The picture of a podium and what previews of a link say."""

import io
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from PIL import Image

from championship.papers import colours
from championship.rallies import services
from championship.rallies.models import Entry, Rally
from tests.championship.papers.test_paper_models import HOSTILE
from tests.championship.rallies.factories import drive, make_rally, organiser_of, started

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]


def picture(rally, query: str = "", **headers: str):
    return Client().get(f"/rallies/{rally.key}/podium.png{query}", headers=headers)


def opened(answer) -> Image.Image:
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    image = Image.open(io.BytesIO(answer.content))
    assert image.size == (1200, 630)
    return image.convert("RGB")


def share_of(image: Image.Image, colour: str) -> float:
    """How much of the picture is exactly of that colour."""
    wanted = colours.rgb(colour)
    return sum(count for count, found in image.getcolors(1_000_000) if found == wanted) / (1200 * 630)


def finished(*names: str, times=(232, 230, 250, 260), **how) -> Rally:
    rally, entries = started(*names, stages=("1/3",), **how)
    drive(rally, 1, dict(zip(entries, times, strict=False)))
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    return rally


def test_a_podium_is_drawn_the_same_every_time_and_sent_once():
    rally = finished("Ana", "Bo", "Cem", "Dag")
    first, second = picture(rally), picture(rally)
    image = opened(first)
    assert first.content == second.content
    assert share_of(image, colours.YELLOW) > 0.05, "the winner's step"
    assert share_of(image, colours.EARTH_2) > 0.05, "the other two"
    assert len(first.content) < 200_000
    again = picture(rally, **{"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    winner = Entry.objects.get(rally=rally, crew="Bo")
    services.give_penalty(by=organiser_of(rally), entry=winner, amount=60, reason="Late")
    after = picture(rally, **{"If-None-Match": first["ETag"]})
    assert after.status_code == 200
    assert after.content != first.content


def test_before_the_end_the_picture_shows_who_leads_and_before_the_start_who_comes():
    rally, entries = started("Ana", "Bo", "Cem", options={"checkpoints": False})
    before = opened(picture(rally))
    assert share_of(before, colours.YELLOW) < 0.03, "nobody leads"
    drive(rally, 1, {entry: 200 + n for n, entry in enumerate(entries)})
    assert share_of(opened(picture(rally)), colours.YELLOW) > 0.05
    assert opened(picture(make_rally(name="Nobody yet")))


def test_the_picture_is_in_the_language_that_its_address_names():
    rally = finished("Ana", "Bo", "Cem")
    pictures = {language: picture(rally, f"?lang={language}").content for language in ("en", "pl", "de", "xx")}
    assert len({pictures["en"], pictures["pl"], pictures["de"]}) == 3
    assert pictures["xx"] == pictures["en"]


def test_only_a_picture_whose_address_names_its_language_is_kept_for_all_readers():
    rally = finished("Ana", "Bo", "Cem")
    for query in ("?lang=pl", "?lang=pl&after=end"):
        assert picture(rally, query)["Cache-Control"] == "public, max-age=300"
    for query in ("", "?lang=xx"):
        answer = picture(rally, query, **{"Accept-Language": "pl"})
        assert answer["Cache-Control"] == "private, no-cache"
        assert {"Cookie", "Accept-Language"} <= {name.strip() for name in answer["Vary"].split(",")}


@pytest.mark.slow
@pytest.mark.parametrize("times", [(200, 210, 220, 220), (200, 200, 210, 230), (200, 200, 200, 200)])
def test_drivers_who_share_a_place_are_in_the_picture_too(times):
    """F5: there are no steps for shared places. The leaders are drawn one below the other."""
    rally = finished("Ana", "Bo", "Cem", "Dag", times=times)
    alone = finished("Ana", "Bo", "Cem", "Dag", times=(200, 210, 220, 230))
    assert share_of(opened(picture(rally)), colours.YELLOW) != share_of(opened(picture(alone)), colours.YELLOW)


@pytest.mark.slow
def test_hostile_crew_names_can_be_drawn():
    rally = finished(*[f"Crew {n}" for n in range(len(HOSTILE))], times=range(200, 200 + len(HOSTILE)))
    Rally.objects.filter(pk=rally.pk).update(name="Ź" * 80)
    plain = opened(picture(rally))
    for first in range(len(HOSTILE)):
        for n, entry in enumerate(Entry.objects.filter(rally=rally).order_by("start_number")):
            Entry.objects.filter(pk=entry.pk).update(crew=HOSTILE[(first + n) % len(HOSTILE)], colour=n % 8)
        assert opened(picture(rally)).tobytes() != plain.tobytes()


def test_a_preview_says_who_won_and_where_its_picture_is():
    rally = finished("Ana", "Bo", "Cem")
    Entry.objects.filter(rally=rally, crew="Ana").update(crew='Ana "the <Fast>"')
    for path in ("", "podium/"):
        page = Client().get(f"/rallies/{rally.key}/{path}").content.decode()
        said = dict(re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)">', page))
        assert said["og:title"] == "Rajd Wisły: Final classification"
        assert said["og:description"] == "1. Bo 3:50 · 2. Ana &quot;the &lt;Fast&gt;&quot; +0:02 · 3. Cem +0:20"
        assert said["description"] == said["og:description"]
        assert said["og:url"] == f"http://testserver/rallies/{rally.key}/{path}"
        address = said["og:image"].replace("&amp;", "&")
        assert address == f"http://testserver/rallies/{rally.key}/podium.png?lang=en&after=end"
        assert Client().get(address).status_code == 200
        assert said["twitter:card"] == "summary_large_image"


def test_unknown_pictures_get_404():
    assert Client().get("/rallies/nothing/podium.png").status_code == 404
    assert Client(headers={"If-None-Match": "*"}).get("/rallies/nothing/podium.png").status_code in (404, 412)
    assert picture(make_rally(), "?lang=" + "x" * 5000).status_code == 200


def test_pictures_have_the_colours_of_the_pages():
    tokens = (Path(settings.BASE_DIR) / "static" / "css" / "tokens.css").read_text()
    drivers = re.findall(r"--driver-\d: (#\w{6})", tokens)
    assert tuple(drivers) == colours.DRIVERS
    for name in ("EARTH", "EARTH_2", "EARTH_INK", "EARTH_SOFT", "YELLOW", "PLATE", "PLATE_INK", "RED"):
        token = name.lower().replace("_", "-")
        assert re.search(rf"--{token}: (#\w{{6}})", tokens).group(1) == getattr(colours, name), name
