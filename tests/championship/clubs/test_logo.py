"""The logo of a club: who sets it, what is stored of a picture, and who sees it."""

import io
import struct
import zlib

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image
from PIL.ExifTags import Base

from championship.clubs import logos
from championship.clubs.models import Club, Logo
from championship.papers import podium_picture
from championship.platform.refusals import Refused
from championship.rallies.results.selectors import results_of
from tests.championship.rallies.factories import make_rally
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def club():
    return make_club(name="Wiking", owner=make_user("Olga"))


@pytest.fixture
def olga(club):
    return signed_in(club.memberships.get().user)


def picture(kind: str = "PNG", size: tuple[int, int] = (900, 400), **also) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(written, kind, **also)
    return written.getvalue()


def post(browser: Client, content: bytes, name: str = "logo.png"):
    return browser.post("/clubs/wiking/logo/", {"logo": SimpleUploadedFile(name, content)}, follow=True)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_an_organiser_sets_a_logo_and_everybody_who_may_sees_it(kind, club, olga):
    assert "The club is changed." in post(olga, picture(kind)).text

    club.refresh_from_db()
    address = f"/logos/{club.key}/{club.logo_tag}.png"
    assert address in olga.get("/clubs/wiking/").text
    seen = Client().get(address)
    assert (seen.status_code, seen["Content-Type"]) == (200, "image/png")
    with Image.open(io.BytesIO(seen.content)) as found:
        assert found.size == (logos.SIDE, round(logos.SIDE * 400 / 900))


def test_a_members_club_shows_its_logo_to_members_only(club, olga):
    post(olga, picture())
    Club.objects.update(visibility="members")
    club.refresh_from_db()
    address = f"/logos/{club.key}/{club.logo_tag}.png"
    assert olga.get(address).status_code == 200
    assert signed_in(make_user()).get(address).status_code == 404


def test_nothing_of_the_file_but_the_picture_is_stored(club, olga):
    exif = Image.Exif()
    exif[Base.Make] = "a camera that tells"
    post(olga, picture("JPEG", exif=exif) + b"<script>hidden behind the picture</script>")
    stored = bytes(Logo.objects.get().content)
    assert b"tells" not in stored
    assert b"hidden" not in stored


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no picture that can be read"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "no picture that can be read"),
        (picture()[:60], "no picture that can be read"),
        (picture(size=(5000, 4000)), "too many pixels"),
        (b"\x00" * (logos.MOST_BYTES + 1), "too large"),
    ],
)
def test_what_is_no_logo_is_told_and_changes_nothing(content, says, club, olga):
    post(olga, picture())
    before = Club.objects.get().logo_tag
    assert says in post(olga, content).text
    assert Club.objects.get().logo_tag == before


def test_only_owners_and_organisers_set_it(club, olga):
    assert post(signed_in(make_member(club, name="Dan")), picture()).status_code == 403
    assert post(signed_in(make_user()), picture()).status_code == 404
    assert not Logo.objects.exists()


def test_the_same_again_changes_nothing_and_removing_takes_it_away(club, olga):
    post(olga, picture())
    at = Logo.objects.get().at
    post(olga, picture())
    assert Logo.objects.get().at == at
    for _twice in range(2):
        olga.post("/clubs/wiking/logo/", {"remove": "1"})
        assert not Logo.objects.exists()
    assert Club.objects.get().logo_tag == ""


def test_a_picture_of_results_bears_it(club, olga):
    rally = make_rally(by=club.memberships.get().user, club=club)
    plain = podium_picture.podium_png(results_of(rally))
    post(olga, picture())
    rally.refresh_from_db()
    rally.club.refresh_from_db()
    assert podium_picture.podium_png(results_of(rally)) != plain


@pytest.mark.parametrize("side", [12_000, 100_000, 2**31 - 1])
def test_a_stored_logo_that_says_it_is_huge_is_refused_unread(side):
    """As an archive that somebody has edited may hold it."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")
    with pytest.raises(ValidationError):
        logos.is_logo(bomb)
    with pytest.raises(Refused):
        logos.read(bomb)
