"""An address as a QR code."""

from __future__ import annotations

import io

from django.http import HttpRequest, HttpResponse


def answer(request: HttpRequest, path: str) -> HttpResponse:
    """The absolute address of a path of this site as a QR code, SVG."""
    import qrcode
    import qrcode.image.svg  # here: few processes draw one

    address = request.build_absolute_uri(path)
    code = qrcode.make(address, image_factory=qrcode.image.svg.SvgPathFillImage, border=3)
    written = io.BytesIO()
    code.save(written)
    made = HttpResponse(written.getvalue(), content_type="image/svg+xml")
    made["Content-Disposition"] = 'attachment; filename="qr.svg"'
    return made
