"""Names without an account: joined with a member or another name, and people whose results are parted. Imported rounds
of a season are removed here.
"""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Membership, Role
from championship.clubs.selectors import membership_of
from championship.clubs.services import require_role
from championship.clubs.views import about, crumbs
from championship.lists import import_selectors as selectors
from championship.lists.services import people
from championship.lists.services.undoing import delete_imported_round
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refused, Stale
from championship.seasons.selectors import championship_by_key

page = require_http_methods(["GET", "HEAD", "POST"])


def _organiser(request: SignedInRequest, slug: str) -> Membership:
    me = membership_of(user=request.user, slug=slug)
    require_role(request.user, me.club, Role.ORGANISER)
    return me


def _person(pk: str) -> User:
    return get_object_or_404(User, pk=whole_number(pk) or 0)


@login_required
@page
def names(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the drivers without an account; a POST gives all results of a name to a member or another name."""
    me = _organiser(request, slug)
    refusal: Refused | Stale | None = None
    chosen = request.POST.get("person", "")
    if request.method == "POST":
        person = _person(chosen)
        try:
            if not request.POST.get("member"):
                raise Refused(_("Choose who this was."), field="member")
            member = _person(request.POST["member"])
            n = people.give_to(by=request.user, club=me.club, person=person, to=member)
        except (Refused, Stale) as error:
            refusal = error
        else:
            said = ngettext("%(name)s has %(n)d more rally.", "%(name)s has %(n)d more rallies.", n)
            messages.success(request, said % {"name": member, "n": n})
            return redirect("lists:names", slug)
    context = {
        **about(me),
        "crumbs": crumbs(me.club, _("Names without an account")),
        "names": people.names_of(me.club),
        "chosen": chosen,
        "member": request.POST.get("member", ""),
        "choices": people.choices_for(me.club),
        "refusal": refusal,
    }
    return render(request, "lists/names.html", context, status=refusal.status if refusal else HTTPStatus.OK)


@login_required
@page
def person(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Show a person's rallies that were driven elsewhere; a POST gives some of them to somebody else."""
    me = _organiser(request, slug)
    shown = get_object_or_404(User, pk=pk)
    entries = list(people.parted_entries(me.club, shown))
    if not entries:
        raise Http404
    refusal: Refused | Stale | None = None
    ticked = [whole_number(each) or 0 for each in request.POST.getlist("entries")]
    if request.method == "POST":
        try:
            to = _person(request.POST["member"]) if request.POST.get("member") else None
            name = request.POST.get("name", "")
            other = people.part(by=request.user, club=me.club, person=shown, entries=ticked, to=to, name=name)
        except (Refused, Stale) as error:
            refusal = error
        else:
            said = _("%(other)s has these rallies now, and no longer %(name)s.") % {"other": other, "name": shown}
            messages.success(request, said)
            return redirect("lists:names", slug)
    context = {
        **about(me),
        "crumbs": crumbs(me.club, _("Two people in one")),
        "person": shown,
        "entries": entries,
        "ticked": ticked,
        "member": request.POST.get("member", ""),
        "name": request.POST.get("name", ""),
        "choices": people.choices_for(me.club, but=[shown]),
        "refusal": refusal,
    }
    return render(request, "lists/person.html", context, status=refusal.status if refusal else HTTPStatus.OK)


@login_required
@require_http_methods(["GET", "HEAD"])
def rounds(request: SignedInRequest, key: str) -> HttpResponse:
    """Show the imported rounds of a season, which can be removed, and the imports of its lists."""
    championship = championship_by_key(key, request.user)
    require_role(request.user, championship.club, Role.ORGANISER)
    context = {
        "club": championship.club,
        "championship": championship,
        "crumbs": crumbs(championship.club, _("Imported rounds")),
        "on_paper": selectors.rounds_on_paper(championship),
        "imports": selectors.imports_of(championship.club, championship.key),
    }
    return render(request, "lists/rounds.html", context)


@login_required
@require_POST
def remove_round(request: SignedInRequest, key: str, rally: str) -> HttpResponse:
    """Delete an imported round."""
    championship = championship_by_key(key, request.user)
    require_role(request.user, championship.club, Role.ORGANISER)
    found = get_object_or_404(championship.rounds.select_related("rally"), rally__key=rally)
    delete_imported_round(by=request.user, round=found)
    messages.success(request, _("%s is removed.") % found.rally.name)
    return redirect("lists:rounds", key)
