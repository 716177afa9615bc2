"""The page behind the code on the wall: a driver who is here signs on with two taps, without an account."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.accounts.name_comparison import comparable_name
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refused, Stale
from championship.rallies.models import Entry
from championship.tabletop import links
from championship.tabletop.services import names, signing_on
from championship.tabletop.services.limits import TooOften

MOST_SHOWN = 60
"""Names on the page. A longer list has a search."""


@require_http_methods(["GET", "HEAD", "POST"])
def sign_on(request: HttpRequest, token: str) -> HttpResponse:
    """Show the names of the club, and sign one on. The answer is the pad of the car."""
    evening = links.evening_on_wall(token)
    refusal: Refused | Stale | None = None
    if request.method == "POST":
        contested = whole_number(request.POST.get("contest", ""), digits=9)
        try:
            if contested is not None:
                sign_on = names.contest(evening=evening, entry_id=contested)
                told = {"sign_on": sign_on, "evening": evening, "token": token}
                return render(request, "tabletop/contested.html", told)
            done = signing_on.sign_on(
                evening=evening,
                person=whole_number(request.POST.get("person", ""), digits=9),
                guest=request.POST.get("guest", ""),
                viewer=request.user if isinstance(request.user, User) else None,
            )
        except (Refused, Stale) as refused:
            refusal = refused
        else:
            if done.sign_on is None:
                return render(request, "tabletop/waits.html", {"entry": done.entry, "rally": evening.rally})
            return redirect(links.car_path(evening, done.entry, done.sign_on.serial))
    answer = _page(request, token, refusal)
    if isinstance(refusal, TooOften):
        answer["Retry-After"] = str(refusal.seconds)
    return answer


def _page(request: HttpRequest, token: str, refusal: Refused | Stale | None) -> HttpResponse:
    evening = links.evening_on_wall(token)
    search = request.GET.get("q", "")[:60]
    people = list(signing_on.names_of_club(evening.rally.club))
    taken = dict(evening.sign_ons.filter(by_link=True).values_list("entry__driver", "entry"))
    wanted = comparable_name(search)
    found = [person for person in people if wanted in comparable_name(person.name)]
    free = [person for person in found if person.pk not in taken]
    context = {
        "evening": evening,
        "rally": evening.rally,
        "people": free[:MOST_SHOWN],
        "taken": [(person, taken[person.pk]) for person in found if person.pk in taken],
        "more": max(0, len(free) - MOST_SHOWN),
        "long": len(people) > MOST_SHOWN or bool(search),
        "search": search,
        "guests": evening.rally.status == evening.rally.Status.ENTRIES,
        "guest": request.POST.get("guest", ""),
        "refusal": refusal,
        "field": refusal.field if refusal else "",
        "entered": Entry.objects.filter(rally=evening.rally, status=Entry.Status.CONFIRMED).count(),
    }
    return render(request, "tabletop/sign_on.html", context, status=refusal.status if refusal else HTTPStatus.OK)
