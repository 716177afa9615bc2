"""Lists that organisers import: previewed first, with the effect of every line, then imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from championship.accounts.requests import SignedInRequest
from championship.archive.csv_reading import MOST_PROBLEMS_SHOWN, BadList
from championship.archive.forms import ListForm, ResultsForm
from championship.archive.services import entry_import, registration_import, result_import
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.lists import selectors
from championship.platform.refusals import Refused, Stale
from championship.rallies.selectors import rally_by_key
from championship.seasons.selectors import championship_by_key

page_with_list = require_http_methods(["GET", "HEAD", "POST"])


@dataclass(frozen=True, slots=True)
class Page:
    """A page that imports one kind of list. `plan` previews the effect of a text; `run_import` imports it and returns a
    message.
    """

    template: str
    title: str
    club: Club
    back: tuple[str, str]
    plan: Callable[[str, ListForm], Any]
    run_import: Callable[[str, ListForm], str]
    more: dict[str, Any] = field(default_factory=dict)
    form: type[ListForm] = ListForm


@login_required
@page_with_list
def rally_entries(request: SignedInRequest, key: str) -> HttpResponse:
    """Import entries of a rally from a list."""
    by, rally = request.user, rally_by_key(key, request.user)
    require_role(by, rally.club, Role.ORGANISER)

    def run_import(text: str, form: ListForm) -> str:
        made = entry_import.import_entries(by=by, rally=rally, text=text)
        said = ngettext("%(n)d driver has been entered.", "%(n)d drivers have been entered.", len(made))
        return said % {"n": len(made)}

    return _answer(
        request,
        Page(
            template="archive/entries.html",
            title=_("Entries from a list"),
            club=rally.club,
            back=(str(rally.words.desk), reverse("rallies:desk", args=[key])),
            plan=lambda text, form: entry_import.plan_entries(by=by, rally=rally, text=text),
            run_import=run_import,
            more={"about": rally.name},
        ),
    )


@login_required
@page_with_list
def registrations(request: SignedInRequest, key: str) -> HttpResponse:
    """Import registrations for a season from a list."""
    by, championship = request.user, championship_by_key(key, request.user)
    require_role(by, championship.club, Role.ORGANISER)

    def run_import(text: str, form: ListForm) -> str:
        n = registration_import.import_registrations(by=by, championship=championship, text=text).new
        return ngettext("%(n)d driver is registered.", "%(n)d drivers are registered.", n) % {"n": n}

    return _answer(
        request,
        Page(
            template="archive/entries.html",
            title=_("Registrations from a list"),
            club=championship.club,
            back=(championship.name, championship.get_absolute_url()),
            plan=lambda text, form: registration_import.plan_registrations(by=by, championship=championship, text=text),
            run_import=run_import,
            more={"about": championship.name, "season": True},
        ),
    )


@login_required
@page_with_list
def past_results(request: SignedInRequest, key: str) -> HttpResponse:
    """Import rounds that were driven on paper from a list. Lists the rounds imported before, which can be deleted."""
    by, championship = request.user, championship_by_key(key, request.user)
    require_role(by, championship.club, Role.ORGANISER)

    def run_import(text: str, form: ListForm) -> str:
        done = result_import.import_results(by=by, championship=championship, text=text, **form.choices())
        return ngettext("%(n)d round is imported.", "%(n)d rounds are imported.", done.new) % {"n": done.new}

    return _answer(
        request,
        Page(
            template="archive/past.html",
            title=_("Past results from a list"),
            club=championship.club,
            back=(championship.name, championship.get_absolute_url()),
            plan=lambda text, form: result_import.preview_results(
                by=by, championship=championship, text=text, **form.choices()
            ),
            run_import=run_import,
            more={
                "about": championship.name,
                "championship": championship,
                "on_paper": selectors.rounds_on_paper(championship),
            },
            form=ResultsForm,
        ),
    )


@login_required
@require_POST
def delete_imported_round(request: SignedInRequest, key: str, rally: str) -> HttpResponse:
    """Delete an imported round."""
    championship = championship_by_key(key, request.user)
    require_role(request.user, championship.club, Role.ORGANISER)
    found = get_object_or_404(championship.rounds.select_related("rally"), rally__key=rally)
    result_import.delete_imported_round(by=request.user, round=found)
    messages.success(request, _("%s is removed.") % found.rally.name)
    return redirect("archive:past", key)


def _answer(request: HttpRequest, page: Page) -> HttpResponse:
    """Answer with the form, after a preview with its effects too. After an import, redirect back."""
    form = page.form(request.POST, request.FILES) if request.method == "POST" else page.form()
    plan, problems, status = None, [], HTTPStatus.OK
    if request.method == "POST" and form.is_valid():
        try:
            text = form.read_list()
            if request.POST.get("do") == "take" and not form.cleaned_data["file"]:  # a file is always previewed first
                messages.success(request, page.run_import(text, form))
                return redirect(page.back[1])
            plan = page.plan(text, form)
        except BadList as refusal:
            problems, status = refusal.problems, HTTPStatus(refusal.status)
            form.add_error(None, str(refusal))
        except (Refused, Stale) as refusal:
            status = HTTPStatus(refusal.status)
            form.add_error(None, str(refusal))
    elif request.method == "POST":
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {
        "title": page.title,
        "club": page.club,
        "form": form,
        "plan": plan,
        "problems": problems[:MOST_PROBLEMS_SHOWN],
        "more_problems": max(0, len(problems) - MOST_PROBLEMS_SHOWN),
        "crumbs": [(page.club.name, reverse("clubs:club", args=[page.club.slug])), page.back, (page.title, None)],
        **page.more,
    }
    return render(request, page.template, context, status=status)
