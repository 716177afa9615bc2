"""Posts that are larger than Django reads: a page that says what is too large, and forms that take a long text."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.core.files.uploadhandler import FileUploadHandler, MemoryFileUploadHandler, TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse, QueryDict, UnreadablePostError
from django.http.multipartparser import MultiPartParser
from django.shortcuts import render
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

MOST_READ = 4 * 1024**2
"""The largest post, in bytes, of which a long text is read, so that the form can give it back."""

EVERY_BYTE = bytes(range(256))

View = TypeVar("View", bound=Callable[..., Any])


def takes_long_text(field: str) -> Callable[[View], View]:
    """Decorate a view whose form has a text that may be longer than DATA_UPLOAD_MAX_MEMORY_SIZE. The form decides how
    long it may be.
    """

    def decorated(view: View) -> View:
        view.long_text = field  # type: ignore[attr-defined]
        return view

    return decorated


class LargePostsMiddleware:
    """Reads what a form sends before anything else does, and refuses what is too large with words instead of a bare
    400. It stands before the check of the token, which reads the form too.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.encoding and not _reads_text(request.encoding):
            request.encoding = settings.DEFAULT_CHARSET
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> HttpResponse | None:
        """Read the form of a post; the refusal when it is too large."""
        if request.method != "POST" or getattr(view, "csrf_exempt", False):
            return None
        field = getattr(view, "long_text", "")
        if field:
            request.upload_handlers.insert(0, LongText(request, field))
        try:
            request.POST  # noqa: B018 Django reads it here
        except UnreadablePostError:
            return None  # nobody waits for the answer; the check of the token refuses it
        except RequestDataTooBig:
            return _refused(request, _too_long(bool(field)))
        except (TooManyFieldsSent, TooManyFilesSent):
            return _refused(request, _too_many())
        return None


class LongText(FileUploadHandler):
    """Reads a post whose text of that name may be long. Django bounds texts, and not files; so the text is read as if
    it were a file.
    """

    def __init__(self, request: HttpRequest, field: str) -> None:
        super().__init__(request)
        self.field = field

    def handle_raw_input(
        self, input_data: Any, META: dict[str, Any], content_length: int, boundary: Any, encoding: str | None = None
    ) -> tuple[QueryDict, MultiValueDict[str, Any]] | None:
        """Return the fields and files, or None for a post that Django reads itself."""
        if not settings.DATA_UPLOAD_MAX_MEMORY_SIZE < content_length <= MOST_READ:
            return None
        name = b"name=" + re.escape(b'"%s"' % self.field.encode())
        head = re.compile(b"(--" + re.escape(boundary) + b"\r\nContent-Disposition: form-data; " + name + b")\r\n")
        body = head.sub(b'\\1; filename="text"\r\n', input_data.read(content_length), count=1)
        handlers = [MemoryFileUploadHandler(self.request), TemporaryFileUploadHandler(self.request)]
        meta = {**META, "CONTENT_LENGTH": len(body)}
        fields, files = MultiPartParser(meta, io.BytesIO(body), handlers, encoding).parse()
        fields = fields.copy()
        for text in files.pop(self.field, []):
            fields.appendlist(self.field, text.read().decode(encoding or "utf-8", "replace"))
        return fields, files

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Leave files to the other handlers."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave files to the other handlers."""


def _reads_text(encoding: str) -> bool:
    """Whether any bytes can be read as text in that encoding. Python has others by the same names: "hex", "zlib"."""
    try:
        EVERY_BYTE.decode(encoding, "replace")
    except (LookupError, UnicodeError):
        return False
    return True


def _too_long(may_be_a_file: bool) -> str:
    if may_be_a_file:
        says = _(
            "The pasted lines are too long: at most %(mb)d MB of text. Go back, save them as a text file and choose it "
            "as the file; or bring them in parts."
        )
        return says % {"mb": MOST_READ // 1024**2}
    says = _("The texts of this form are too long: at most %(mb)d MB together. Go back and shorten them.")
    return says % {"mb": settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024**2}


def _too_many() -> str:
    most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS or 0
    says = _("This form has too many fields: at most %(n)d. Go back and send it in parts.")
    return says % {"n": most}


def _refused(request: HttpRequest, message: str) -> HttpResponse:
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    return render(request, "refused.html", {"message": message, "status": int(status)}, status=status)
