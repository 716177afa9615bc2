"""The demo's own pages: ways into the demo, signing in as one of its persons, and the mail that it would have sent."""

from django.conf import settings
from django.contrib.auth import login
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from championship.accounts.models import User
from championship.demo import guide
from championship.demo.persons import PERSONS, email_in, token_for
from championship.notices import selectors

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"
MAILS_ON_A_PAGE = 20


@require_safe
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    """Show what a visitor can do in two minutes, as a driver, an organiser or a stranger; then all persons, each with a
    link that signs in as that person.
    """
    persons = [{"person": person, "token": token_for(person.email)} for person in PERSONS]
    return render(request, "demo/index.html", {"persons": persons, "guide": guide.read()})


@require_safe
@never_cache
def become(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in as the person that the token names, and redirect to the page `next`, by default the home page. Returns
    404 outside the demo.
    """
    email = email_in(token)
    if not settings.DEMO or email is None:
        raise Http404
    login(request, get_object_or_404(User, email=email, is_active=True), backend=MODEL_BACKEND)
    to = request.GET.get("next", "")
    safe = to.startswith("/") and url_has_allowed_host_and_scheme(to, allowed_hosts=None)
    return redirect(to if safe else settings.LOGIN_REDIRECT_URL)


@require_safe
def sent_mail(request: HttpRequest) -> HttpResponse:
    """The mail that the demo would have sent. Only the demo routes it: it shows everybody's sign-in codes."""
    page = Paginator(selectors.sent_mails(), MAILS_ON_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "notices/sent_mail.html", {"page_obj": page})
