"""The logo of a club: its table, and how an uploaded picture becomes one.

A picture is decoded, brought to at most SIDE pixels and written again as PNG. So nothing of the file that was uploaded
is stored: no place where a photo was taken, no second file behind the picture. Pillow is imported when a picture is
read: most processes never read one.
"""

from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.platform import clock
from championship.platform.refusals import Refused

if TYPE_CHECKING:
    from championship.clubs.models import Club

SIDE = 320
"""The longer side of a stored logo, in pixels."""
MOST_BYTES = 2 * 1024**2
MOST_PIXELS = 16_000_000
MOST_STORED = 512 * 1024
"""Bytes of a stored logo. One of noise in four channels has fewer."""
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
TAG_LENGTH = 16
is_tag = RegexValidator(r"\A[0-9a-f]*\Z")


def is_logo(content: bytes) -> None:
    """Check a stored picture, such as one from an archive.

    Raises: ValidationError when it is no PNG of the size of a logo.
    """
    from PIL import Image

    try:
        if len(content) > MOST_STORED:
            raise ValueError("too many bytes")
        with Image.open(io.BytesIO(content), formats=("PNG",)) as opened:
            if max(opened.size) > SIDE:
                raise ValueError("too many pixels")
            opened.load()
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        raise ValidationError(str(error)) from error


class Logo(models.Model):
    """The logo of a club as PNG. Its tag is `Club.logo_tag`, so a page shows it without reading this row."""

    club = models.OneToOneField("clubs.Club", on_delete=models.CASCADE, related_name="logo")
    content = models.BinaryField(gettext_lazy("content"), validators=[is_logo])
    at = models.DateTimeField(gettext_lazy("set"), default=clock.now)

    class Meta:
        verbose_name = gettext_lazy("logo")
        verbose_name_plural = gettext_lazy("logos")

    def __str__(self) -> str:
        return str(self.club)


def read(content: bytes) -> bytes:
    """Return an uploaded picture as the PNG of a logo.

    Raises: Refused (field logo) when it is too large, or no picture of a known kind.
    """
    if len(content) > MOST_BYTES:
        raise Refused(_("The picture is too large: at most %d MB.") % (MOST_BYTES // 1024**2), field="logo")
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                says = _("The picture has too many pixels: at most %d million.")
                raise Refused(says % (MOST_PIXELS // 10**6), field="logo")
            opened.draft("RGB", (2 * SIDE, 2 * SIDE))
            picture = ImageOps.exif_transpose(opened).convert("RGBA")
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        raise Refused(
            _("This is no picture that can be read. Choose a PNG, JPEG, WebP or GIF."), field="logo"
        ) from error
    picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    clean = Image.new("RGBA", picture.size)
    clean.paste(picture)
    written = io.BytesIO()
    clean.save(written, "PNG", optimize=True)
    return written.getvalue()


def tag_of(content: bytes) -> str:
    """Return the tag of a stored logo: another picture has another."""
    return hashlib.sha256(content).hexdigest()[:TAG_LENGTH]


def content_of(club: Club) -> bytes | None:
    """Return the club's logo as PNG; None without one. No query without one, else one."""
    if not club.logo_tag:
        return None
    found = Logo.objects.filter(club=club).values_list("content", flat=True).first()
    return None if found is None else bytes(found)
