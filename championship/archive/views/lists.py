"""Lists that organisers bring: looked at first, with what would become of every line, then taken over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.archive import entries
from championship.archive.forms import ListForm
from championship.archive.lists import MOST_TOLD, BadList
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.rallies.selectors import rally_by_key
from championship.refusals import Forbidden, Refused
from championship.seasons.selectors import championship_by_key

page_with_list = require_http_methods(["GET", "HEAD", "POST"])


@dataclass(frozen=True, slots=True)
class Page:
    """A page that takes one kind of list. `plan` says what a text would do, `take` does it and says what was done."""

    template: str
    title: str
    club: Club
    back: tuple[str, str]
    plan: Callable[[str], Any]
    take: Callable[[str], str]
    more: dict[str, Any] = field(default_factory=dict)


@login_required
@page_with_list
def rally_entries(request: HttpRequest, key: str) -> HttpResponse:
    """Entries of a rally from a list."""
    assert isinstance(request.user, User)
    by, rally = request.user, rally_by_key(key)
    require_role(by, rally.club, Role.ORGANISER)

    def take(text: str) -> str:
        made = entries.import_entries(by=by, rally=rally, text=text)
        said = ngettext("%(n)d driver has been entered.", "%(n)d drivers have been entered.", len(made))
        return said % {"n": len(made)}

    return _answer(
        request,
        Page(
            template="archive/entries.html",
            title=_("Entries from a list"),
            club=rally.club,
            back=(_("Desk"), reverse("rallies:desk", args=[key])),
            plan=lambda text: entries.plan_entries(by=by, rally=rally, text=text),
            take=take,
            more={"about": rally.name},
        ),
    )


@login_required
@page_with_list
def registrations(request: HttpRequest, key: str) -> HttpResponse:
    """Registrations for a season from a list."""
    assert isinstance(request.user, User)
    by, championship = request.user, championship_by_key(key)
    require_role(by, championship.club, Role.ORGANISER)

    def take(text: str) -> str:
        done = entries.import_registrations(by=by, championship=championship, text=text)
        n = len(done.lines)
        return ngettext("%(n)d driver is registered.", "%(n)d drivers are registered.", n) % {"n": n}

    return _answer(
        request,
        Page(
            template="archive/entries.html",
            title=_("Registrations from a list"),
            club=championship.club,
            back=(championship.name, championship.get_absolute_url()),
            plan=lambda text: entries.plan_registrations(by=by, championship=championship, text=text),
            take=take,
            more={"about": championship.name, "season": True},
        ),
    )


def _answer(request: HttpRequest, page: Page) -> HttpResponse:
    """The page with its form; after a look with what would be done; after taking over the way back."""
    form = ListForm(request.POST, request.FILES) if request.method == "POST" else ListForm()
    plan, problems, status = None, [], HTTPStatus.OK
    if request.method == "POST" and form.is_valid():
        try:
            text = form.take_in()
            if request.POST.get("do") == "take" and not form.cleaned_data["file"]:  # a file is looked at first
                messages.success(request, page.take(text))
                return redirect(page.back[1])
            plan = page.plan(text)
        except BadList as refusal:
            problems, status = refusal.problems, HTTPStatus(refusal.status)
            form.add_error(None, str(refusal))
        except Forbidden:
            raise
        except Refused as refusal:
            status = HTTPStatus(refusal.status)
            form.add_error(None, str(refusal))
    elif request.method == "POST":
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {
        "title": page.title,
        "club": page.club,
        "form": form,
        "plan": plan,
        "problems": problems[:MOST_TOLD],
        "more_problems": max(0, len(problems) - MOST_TOLD),
        "crumbs": [(page.club.name, reverse("clubs:club", args=[page.club.slug])), page.back, (page.title, None)],
        **page.more,
    }
    return render(request, page.template, context, status=status)
