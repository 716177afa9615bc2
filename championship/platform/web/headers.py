"""Headers of every response: which browser features pages may use, who may embed them, and who may cache them."""

from __future__ import annotations

from collections.abc import Callable

from csp.decorators import csp_replace
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers

from championship.platform.web import kept_pages
from championship.platform.web.request_values import RequestValue

NOT_USED = (
    *("accelerometer", "autoplay", "browsing-topics", "camera"),
    *("display-capture", "encrypted-media", "geolocation", "gyroscope", "hid", "idle-detection", "local-fonts"),
    *("magnetometer", "microphone", "midi", "payment", "picture-in-picture", "screen-wake-lock", "serial"),
    *("storage-access", "usb", "window-management", "xr-spatial-tracking"),
)
"""Browser features that no page uses. Passkeys, sharing and copying keep their default: only our own pages use them."""
PERMISSIONS = ", ".join(f"{feature}=()" for feature in NOT_USED)
NOT_KEPT = ("/account/", "/me/", "/admin/", "/operator/", "/demo/")
"""Pages about a person's account, and the operator's pages: browsers must not write them to disk."""


INDEXED = ("/legal/", "/rules/", "/static/", "/robots.txt")
"""Pages about no person. Search engines may index another page only if its view allows it."""
_MAY_BE_INDEXED: RequestValue[bool] = RequestValue("may_be_indexed")


def allow_indexing(request: HttpRequest, allowed: bool = True) -> None:
    """Record that search engines may index the page, or that they may not after all."""
    _MAY_BE_INDEXED.put(request, allowed)


def replace_in_policy(response: HttpResponse, directives: dict[str, list[str]]) -> HttpResponse:
    """Replace directives of the content security policy for this response. Returns the response."""
    csp_replace(directives)(lambda _request: response)(HttpRequest())
    return response


class HeadersMiddleware:
    """Sets headers that a view has not set. A response to somebody with a session is private: the browser asks for it
    again each time, and no shared cache stores it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        kept_pages.mark_reader(request, response)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if not (_MAY_BE_INDEXED.of(request) or request.path_info.startswith(INDEXED)):
            response.headers.setdefault("X-Robots-Tag", "noindex, nofollow")
        if "Cache-Control" not in response.headers and _is_personal(request, response):
            if request.path_info.startswith(NOT_KEPT):
                patch_cache_control(response, private=True, no_store=True)
            else:
                patch_cache_control(response, private=True, no_cache=True)
            patch_vary_headers(response, ("Cookie",))
        return response


def _is_personal(request: HttpRequest, response: HttpResponse) -> bool:
    """Whether the response is for one reader: the reader has or gets a session or has sent something, or the page is in
    NOT_KEPT.
    """
    session = settings.SESSION_COOKIE_NAME
    sent = request.method not in ("GET", "HEAD")
    return sent or session in request.COOKIES or session in response.cookies or request.path_info.startswith(NOT_KEPT)
