"""Pages that belong to no app: the landing page, and the switch of language under every page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import check_for_language
from django.views import i18n
from django.views.decorators.http import require_POST, require_safe

from championship.accounts.services import update_profile


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Signed-in people go to their turns, everybody else sees what this is."""
    if request.user.is_authenticated:
        return redirect("runs:mine")
    return render(request, "home.html")


@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    """Read on in another language: kept in the profile of a signed-in person, else in a cookie.

    Takes `language` and `next`, the page to go back to; a language we do not speak changes nothing.
    """
    user = request.user
    language = request.POST.get("language", "")
    if user.is_authenticated and check_for_language(language):
        update_profile(user=user, name=user.name, language=language, time_zone=user.time_zone)
    return i18n.set_language(request)
