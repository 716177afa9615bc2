"""Pages about the API: a person's tokens, the guide to the addresses, the explanation of a kind of problem."""

from __future__ import annotations

from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts import reauthentication
from championship.accounts.requests import SignedInRequest
from championship.api import guide as guides
from championship.api import selectors, services
from championship.api.forms import TokenForm
from championship.api.problems import KINDS
from championship.api.scopes import Scope
from championship.platform.refusals import Refused


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def programs(request: SignedInRequest) -> HttpResponse:
    """List the person's tokens; a POST makes one. The token is shown once, in the answer to the form (201). Making one
    needs a fresh sign-in.
    """
    form = TokenForm(
        request.POST if request.method == "POST" else None, person=request.user, initial={"scopes": [Scope.READ.value]}
    )
    text, status = "", HTTPStatus.OK
    if request.method == "POST" and form.is_valid():
        if not reauthentication.is_fresh(request):
            return reauthentication.redirect_to_proof(request)
        try:
            _token, text = services.make_token(by=request.user, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            form, status = TokenForm(person=request.user, initial={"scopes": [Scope.READ.value]}), HTTPStatus.CREATED
    if form.errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    crumbs = [(_("Your profile"), reverse("accounts:me")), (_("My programs"), None)]
    context = {"form": form, "text": text, "tokens": list(selectors.tokens_of(request.user)), "crumbs": crumbs}
    answer = render(request, "api/programs.html", context, status=status)
    if text:
        answer["Cache-Control"] = "no-store"
    return answer


@login_required
@require_POST
def revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    """Revoke a token."""
    token = services.revoke_token(by=request.user, pk=pk)
    messages.success(request, _("%(name)s is revoked.") % {"name": token.name})
    return redirect("api:programs")


@login_required
@require_POST
def become_bot(request: SignedInRequest) -> HttpResponse:
    """Turn this account into a bot's."""
    if not reauthentication.is_fresh(request):
        return reauthentication.redirect_to_proof(request)
    services.become_bot(by=request.user)
    messages.success(request, _("This account now belongs to a bot."))
    return redirect("api:programs")


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """Show every address of the API, read from the schema."""
    context = {
        "chapters": guides.chapters(),
        "limits": settings.API_LIMITS,
        "kinds": KINDS,
        "base": request.build_absolute_uri("/api/v1"),
        "crumbs": [(_("Programs"), None)],
    }
    return render(request, "api/guide.html", context)


@require_safe
def problem(request: HttpRequest, kind: str) -> HttpResponse:
    """Show what a kind of problem means, and what to do about it."""
    if kind not in KINDS:
        raise Http404
    crumbs = [(_("Programs"), reverse("api:guide")), (KINDS[kind].title, None)]
    return render(request, "api/problem.html", {"kind": KINDS[kind], "name": kind, "crumbs": crumbs})
