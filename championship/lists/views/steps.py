"""The steps of a list after its columns: who is who, what it would do, what it has done; and the list of imports."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Role
from championship.clubs.selectors import membership_of
from championship.clubs.services import require_role_to_read
from championship.clubs.views import about, crumbs
from championship.lists import import_selectors as selectors
from championship.lists.help_pages import HELP
from championship.lists.models import ListDraft, ListImport
from championship.lists.services import drafts, importing, looking, resolving, undoing
from championship.lists.services.resolving import Question, Resolved
from championship.lists.who import FOLDED, INITIALS, MAIL, SAID, SAME
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refused, Stale

MOST_CHOICES = 30_000
"""The most answers on the page of names. With more, only the people who are near a name are offered."""
WHYS = {
    MAIL: gettext_lazy("the same mail address"),
    SAID: gettext_lazy("as you said before"),
    SAME: gettext_lazy("the same name"),
    FOLDED: gettext_lazy("the same name in another spelling"),
    INITIALS: gettext_lazy("the initials fit nobody else"),
}
Found = ListImport
page = require_http_methods(["GET", "HEAD", "POST"])


@login_required
@page
def who(request: SignedInRequest, key: str) -> HttpResponse:
    """Ask whom the names of a list mean. When all are sure, go on at once."""
    draft = selectors.import_by_key(key, request.user)
    if draft.state != ListImport.State.DRAFT:
        return redirect("lists:done", key)
    refusal: Refused | Stale | None = None
    now = resolving.resolved(draft)
    if request.method == "POST":
        try:
            resolving.say_who(by=request.user, draft=draft, version=_version(request), said=_said(request.POST, now))
            return redirect("lists:look", key)
        except (Refused, Stale) as error:
            refusal = error
    elif not now.unanswered and "all" not in request.GET:
        return redirect("lists:look", key)
    context = {
        **_about(draft, step=3),
        "asked": now.unanswered,
        "sure": [_told(each, now) for each in now.questions if not each.open],
        "others": now.others if len(now.questions) * len(now.people) <= MOST_CHOICES else [],
        "posted": request.POST,
        "refusal": refusal,
    }
    return render(request, "lists/who.html", context, status=refusal.status if refusal else HTTPStatus.OK)


def _said(posted: Mapping[str, str], now: Resolved) -> dict[str, str]:
    """Return the answers of the form, by key. A person chosen from all comes before the other answers.

    Raises: Refused when a name has no answer.
    """
    said = {}
    for each in now.questions:
        answer = posted.get(f"other-{each.key}", "") or posted.get(f"who-{each.key}", "")
        if answer:
            said[each.key] = answer
        elif each.open:
            words = {"name": each.match.name}
            raise Refused(_("Say who %(name)s is.") % words, field=f"who-{each.key}")
    return said


def _told(question: Question, now: Resolved) -> dict[str, Any]:
    """Return a name that is answered: whom it means, and by what."""
    labels = dict(question.choices)
    given = question.key in now.answers
    why = _("as you said") if given else str(WHYS.get(question.match.why, ""))
    return {"question": question, "person": labels.get(question.answer, ""), "why": why}


@login_required
@page
def look(request: SignedInRequest, key: str) -> HttpResponse:
    """Show what a list would do; a POST imports it, or says how."""
    draft = selectors.import_by_key(key, request.user)
    if draft.state != ListImport.State.DRAFT:
        return redirect("lists:done", key)
    refusal: Refused | Stale | None = None
    if request.method == "POST":
        try:
            if request.POST.get("do") == "choose":
                said = {name: request.POST.get(name) == "on" for name in ("power_stage", "scored")}
                looking.choose(by=request.user, draft=draft, version=_version(request), **said)
                return redirect("lists:look", key)
            importing.take(by=request.user, draft=draft, version=_version(request))
            return redirect("lists:done", key)
        except (Refused, Stale) as error:
            refusal = error
            draft.refresh_from_db()
    try:
        shown = looking.look(by=request.user, draft=draft)
    except (Refused, Stale) as error:
        return render(request, "lists/closed.html", {**_about(draft, step=4), "refusal": error}, status=error.status)
    if shown.now.unanswered:
        return redirect("lists:who", key)
    context = {
        **_about(draft, step=4),
        "look": shown,
        "plan": shown.plan,
        "lines": shown.plan.lines[: looking.MOST_SHOWN],
        "rounds": _first(shown.plan.rounds),
        "more": len(shown.plan.all_lines) > looking.MOST_SHOWN,
        "power_stage": draft.answers.get("power_stage", False),
        "scored": draft.answers.get("scored", False),
        "asks_scored": any(each.do and each.do.found.measure == "points" for each in shown.plan.rounds),
        "asks_power": any(each.do and len(each.do.designs) > 1 for each in shown.plan.rounds),
        "refusal": refusal,
    }
    return render(request, "lists/look.html", context, status=refusal.status if refusal else HTTPStatus.OK)


def _first(rounds: Any) -> list[Any]:
    """Return the first rounds, with as many lines as the page shows."""
    found, lines = [], 0
    for each in rounds:
        if lines > looking.MOST_SHOWN:
            break
        found.append(each)
        lines += len(each.lines)
    return found


@login_required
@require_safe
def done(request: SignedInRequest, key: str) -> HttpResponse:
    """Show what an import has made, or how far it is; it can be undone here."""
    found = selectors.import_by_key(key, request.user)
    if found.state == ListImport.State.DRAFT:
        return redirect("lists:who", key)
    part = "lists/parts/done.html" if request.headers.get("HX-Request") else "lists/done.html"
    return render(request, part, _done(found))


def _done(found: ListImport) -> dict[str, Any]:
    ready = found.state == ListImport.State.DONE
    return {
        **_about(found, step=5),
        "in_the_way": list(undoing.in_the_way(found)) if ready else [],
        "counts": [(label, found.counts.get(state, 0)) for state, label in _COUNTS if found.counts.get(state)],
    }


_COUNTS = (
    ("new", gettext_lazy("new")),
    ("changed", gettext_lazy("changed")),
    ("unchanged", gettext_lazy("unchanged")),
    ("left out", gettext_lazy("left out")),
)


@login_required
@require_POST
def undo(request: SignedInRequest, key: str) -> HttpResponse:
    """Undo an import."""
    found = selectors.import_by_key(key, request.user)
    try:
        undoing.undo(by=request.user, done=found)
    except (Refused, Stale) as refusal:
        context = {**_done(found), "refusal": refusal}
        return render(request, "lists/done.html", context, status=refusal.status)
    messages.success(request, _("The import is undone: all is as it was."))
    return redirect("lists:done", key)


@login_required
@require_POST
def throw_away(request: SignedInRequest, key: str) -> HttpResponse:
    """Delete a draft of an import."""
    found = selectors.import_by_key(key, request.user)
    drafts.throw_away(by=request.user, draft=found)
    messages.success(request, _("The list is thrown away. Nothing of it was imported."))
    return redirect("lists:imports", found.club.slug)


@login_required
@require_safe
def imports(request: SignedInRequest, slug: str) -> HttpResponse:
    """List the imports of a club, and the drafts that wait."""
    me = membership_of(user=request.user, slug=slug)
    require_role_to_read(request.user, me.club, Role.ORGANISER)
    context = {
        **about(me),
        "crumbs": crumbs(me.club, _("Imported lists")),
        "imports": selectors.imports_of(me.club),
    }
    return render(request, "lists/imports.html", context)


@require_safe
def help_page(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Show how a list from elsewhere comes into a club; without a `slug`, all places it may be."""
    if slug and slug not in HELP:
        raise Http404
    context: dict[str, Any] = {"page": HELP.get(slug), "slug": slug, "pages": HELP.items(), "crumbs": []}
    return render(request, "lists/help.html", context)


def _version(request: HttpRequest) -> int:
    return whole_number(request.POST.get("version", "")) or 0


def _about(draft: ListImport, *, step: int) -> dict[str, Any]:
    """Return what every step shows: the draft, what it is for, and the steps with the present one."""
    words = dict(ListDraft.Purpose.choices)
    steps = [_("The list"), _("The columns"), _("Who is who"), _("Look at it"), _("Done")]
    return {
        "draft": draft,
        "club": draft.club,
        "purpose": words.get(draft.purpose, ""),
        "steps": list(enumerate(steps, start=1)),
        "step": step,
        "back": _back(draft),
        "crumbs": [
            (draft.club.name, reverse("clubs:club", args=[draft.club.slug])),
            (_("Imported lists"), reverse("lists:imports", args=[draft.club.slug])),
            (str(draft), None),
        ],
    }


def _back(draft: ListImport) -> str:
    """Return the page of what the list is for."""
    if draft.purpose == "members":
        return reverse("clubs:members", args=[draft.club.slug])
    if draft.purpose == "entries":
        return reverse("rallies:desk", args=[draft.target])
    if draft.purpose == "courses":
        return reverse("stages:club", args=[draft.club.slug])
    return reverse("seasons:championship", args=[draft.target])
