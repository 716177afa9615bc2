"""The addresses of the service, and a page of one line that all others are compared with."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def bare(request: HttpRequest) -> HttpResponse:
    """Return the name of the signed-in person: the cost of a session and a user, and nothing else."""
    return HttpResponse(request.user.get_username() if request.user.is_authenticated else "", content_type="text/plain")


urlpatterns = [path("load/bare/", bare, name="bare"), path("", include("championship.urls"))]
handler429 = "championship.accounts.rate_limit_answers.refused"
handler500 = "championship.platform.database_timeouts.server_error"
