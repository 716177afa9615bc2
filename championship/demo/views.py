"""The demo's own pages: everybody one can be, and becoming them."""

from django.conf import settings
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from championship.accounts.models import User
from championship.demo.persons import PERSONS
from championship.demo.tokens import email_in, token_for

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_safe
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    """Everybody of the demo with a link to become them."""
    persons = [{"person": person, "token": token_for(person.email)} for person in PERSONS]
    return render(request, "demo/index.html", {"persons": persons})


@require_safe
@never_cache
def become(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in as the person the token names and go home. Not found where there is no demo."""
    email = email_in(token)
    if not settings.DEMO or email is None:
        raise Http404
    login(request, get_object_or_404(User, email=email, is_active=True), backend=MODEL_BACKEND)
    return redirect(settings.LOGIN_REDIRECT_URL)
