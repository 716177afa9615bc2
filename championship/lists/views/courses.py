"""Pages of a list of courses: it is brought, looked at with its columns, and imported."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from championship import catalogue
from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Club, Role
from championship.clubs.selectors import membership_of
from championship.clubs.services import require_role
from championship.lists.forms import ListForm
from championship.lists.services import courses
from championship.lists.services.uploads import discard
from championship.platform.bounded_input import version_sent, whole_number
from championship.platform.refusals import Refused, Stale
from championship.platform.web.large_posts import takes_long_text
from championship.rallies.desk.forms import put_refusal
from championship.stages import course_tables

FORM_METHODS = ["GET", "HEAD", "POST"]
MOST_SHOWN = 200


class CourseListForm(ListForm):
    """A list of courses of a game."""

    game = forms.ChoiceField(label=gettext_lazy("Game"))
    field_order = ("game", "file", "text")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["game"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = course_tables.games()


@takes_long_text("text")
@login_required
@require_http_methods(FORM_METHODS)
def bring(request: SignedInRequest, slug: str) -> HttpResponse:
    """Bring a list of courses of a game."""
    club = membership_of(user=request.user, slug=slug).club
    require_role(request.user, club, Role.ORGANISER)
    form = CourseListForm(request.POST, request.FILES) if request.method == "POST" else CourseListForm()
    if request.method == "POST" and form.is_valid():
        content, file_name, field = form.content()
        try:
            draft = courses.bring(
                by=request.user,
                club=club,
                game=form.cleaned_data["game"],
                content=content,
                file_name=file_name,
                field=field,
            )
        except Refused as refusal:
            put_refusal(form, refusal)
        else:
            return redirect("lists:courses_look", draft.key)
    known = [(title, [label for _role, label in courses.roles_of(game)[:-1]]) for game, title in course_tables.games()]
    context = {"form": form, "club": club, "known": known, "crumbs": _crumbs(club), "steps": _steps(), "step": 1}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "lists/courses.html", context, status=status)


@login_required
@require_http_methods(FORM_METHODS)
def look(request: SignedInRequest, key: str) -> HttpResponse:
    """Show which column is what, and what each line would become. A POST says it better, imports or discards."""
    draft, refusal = courses.draft_of(request.user, key), None
    if request.method == "POST":
        try:
            if request.POST.get("do") == "take":
                done = courses.take(by=request.user, draft=draft, version=version_sent(request.POST))
                return redirect("lists:done", done.key)
            if request.POST.get("do") == "discard":
                discard(by=request.user, draft=draft)
                messages.success(request, _("The list is discarded."))
                return redirect("lists:courses", draft.club.slug)
            courses.say(
                by=request.user, draft=draft, version=version_sent(request.POST), columns=_columns(request)
            )  # fmt: skip
            return redirect("lists:courses_look", key)
        except (Refused, Stale) as found:
            refusal = found
            draft = courses.draft_of(request.user, key)
    try:
        plan = courses.plan(draft)
    except Refused as found:
        messages.error(request, str(found))
        return redirect("lists:courses", draft.club.slug)
    context = {
        "draft": draft,
        "club": draft.club,
        "game": catalogue.get(draft.target),
        "plan": plan,
        "counts": plan.counts,
        "shown": plan.courses[:MOST_SHOWN],
        "more": len(plan.courses) > MOST_SHOWN,
        "roles": courses.roles_of(draft.target),
        "refusal": refusal,
        "crumbs": _crumbs(draft.club),
        "steps": _steps(),
        "step": 2,
    }
    return render(request, "lists/courses_look.html", context, status=refusal.status if refusal else HTTPStatus.OK)


def _columns(request: SignedInRequest) -> dict[int, str]:
    said = {}
    for name, value in list(request.POST.items())[:200]:
        head, _dash, rest = name.partition("-")
        index = whole_number(rest, digits=3) if head == "column" else None
        if index is not None:
            said[index] = str(value)[:40]
    return said


def _crumbs(club: Club) -> list[tuple[str, str | None]]:
    return [
        (club.name, club.get_absolute_url()),
        (_("Stages"), reverse("stages:club", args=[club.slug])),
        (_("Stages from a list"), None),
    ]


def _steps() -> list[tuple[int, str]]:
    return list(enumerate([_("The list"), _("Look at it"), _("Done")], start=1))
