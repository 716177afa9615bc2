"""Pages about the API: a person's tokens, the guide to the addresses, the explanation of a kind of problem."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts import reauthentication
from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.accounts.text import one_line
from championship.api import schema, services
from championship.api.models import LONGEST_NAME
from championship.api.problems import KINDS
from championship.api.scopes import FOR_BOTS, Scope
from championship.api.services import LONGEST_LIFE
from championship.clubs import selectors as clubs
from championship.clubs.models import Club
from championship.platform.refusals import Refused
from championship.platform.web.form_fields import set_choices

USUAL_DAYS = 90


class TokenForm(forms.Form):
    """The name of the token, its scopes, its club and its lifetime."""

    name = forms.CharField(
        label=gettext_lazy("Name of the program"),
        max_length=LONGEST_NAME,
        validators=[one_line],
        help_text=gettext_lazy("The logs of your clubs show this name for what the program does."),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("It may"),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Never more than you may do yourself."),
    )
    club = forms.ChoiceField(label=gettext_lazy("For the club"), required=False)
    days = forms.IntegerField(
        label=gettext_lazy("Valid for how many days"),
        min_value=1,
        max_value=LONGEST_LIFE,
        required=False,
        initial=USUAL_DAYS,
        help_text=gettext_lazy("Empty: valid until you revoke it."),
    )

    def __init__(self, data: Any = None, *, person: User, **how: Any) -> None:
        super().__init__(data, **how)
        self.clubs: dict[str, Club] = {each.club.slug: each.club for each in clubs.clubs_of(person)}
        choices = [choice for choice in Scope.choices if not person.is_bot or choice[0] in FOR_BOTS]
        set_choices(self, "scopes", choices)
        named = [(slug, club.name) for slug, club in self.clubs.items()]
        set_choices(self, "club", [("", gettext_lazy("all my clubs")), *named])

    def clean_club(self) -> Club | None:
        return self.clubs.get(self.cleaned_data["club"])


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
    context = {"form": form, "text": text, "tokens": list(services.tokens_of(request.user)), "crumbs": crumbs}
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
        "chapters": chapters(),
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


@dataclass(frozen=True, slots=True)
class DocumentedOperation:
    """An operation on the page. `takes` and `answers` name shapes; "" when it has none of our own."""

    method: str
    address: str
    name: str
    summary: str
    scopes: str
    takes: str
    answers: str
    query: tuple[str, ...]
    statuses: tuple[str, ...]


@cache
def chapters() -> list[tuple[str, list[DocumentedOperation]]]:
    """Return the operations by the first word of their address, in the order of the schema."""
    found: dict[str, list[DocumentedOperation]] = defaultdict(list)
    for address, methods in schema.document()["paths"].items():
        for method, operation in methods.items():
            found[address.split("/")[1]].append(_documented(address, method, operation))
    return list(found.items())


def _documented(address: str, method: str, operation: Mapping[str, Any]) -> DocumentedOperation:
    good = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
    body = operation.get("requestBody", {}).get("content", {})
    return DocumentedOperation(
        method=method.upper(),
        address=address,
        name=operation["operationId"],
        summary=operation["summary"],
        scopes=operation["description"],
        takes=_shape(body),
        answers=_shape(good["content"]),
        query=tuple(each["name"] for each in operation["parameters"] if each["in"] != "path"),
        statuses=tuple(operation["responses"]),
    )


def _shape(content: Mapping[str, Any]) -> str:
    """Return the name of a shape, in brackets for a list of it."""
    for media in content.values():
        of = media["schema"]
        inner = of.get("items", of)
        name = inner.get("$ref", "").rpartition("/")[2]
        return f"[{name}]" if of is not inner else name
    return ""
