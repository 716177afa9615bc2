"""The schema, and the answer for unknown addresses."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from rest_framework.request import Request
from rest_framework.response import Response

from championship.api import schema as schemas
from championship.api.endpoint import ApiView
from championship.api.problems import Problem


@require_safe
@cache_control(public=True, max_age=3600)
def schema(request: HttpRequest) -> HttpResponse:
    """Answer with the schema, without a token."""
    answer = HttpResponse(schemas.as_text(), content_type="application/json; charset=utf-8")
    answer["Access-Control-Allow-Origin"] = "*"
    answer["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


class UnknownAddress(ApiView):
    """Any other address of the API: a 404 as a problem document, for a request with a token."""

    def get(self, request: Request, rest: str) -> Response:
        raise Problem("not-found")

    post = put = delete = get
