"""Drivers' pages: one driver's record in the club, and a comparison of two. For members of the club; others get 404."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.accounts.requests import SignedInRequest
from championship.clubs.selectors import club_for_member
from championship.platform.bounded_input import whole_number
from championship.seasons import records
from championship.seasons.views.public import crumbs


@login_required
@require_safe
def driver(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Show a driver's record in the club."""
    club = club_for_member(user=request.user, slug=slug)
    shown = records.driver_of(club, pk)
    context = {
        "club": club,
        "record": records.record_of(club, shown),
        "others": records.drivers_of(club).exclude(pk=shown.pk),
        "crumbs": crumbs(club, (_("Members"), reverse("clubs:members", args=[slug])), (str(shown), None)),
    }
    return render(request, "seasons/driver.html", context)


@login_required
@require_safe
def head_to_head(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Compare two drivers in the rallies that both drove. Without a second one, the page offers a choice."""
    club = club_for_member(user=request.user, slug=slug)
    first, asked = records.driver_of(club, pk), request.GET.get("driver", "")
    number = whole_number(asked)
    second = None if number is None else records.driver_of(club, number)
    address = reverse("seasons:driver", args=[slug, pk])
    context = {
        "club": club,
        "first": first,
        "second": second,
        "duel": records.head_to_head(club, first, second) if second and second != first else None,
        "others": records.drivers_of(club).exclude(pk=first.pk),
        "crumbs": crumbs(club, (str(first), address), (_("Head-to-head"), None)),
    }
    return render(request, "seasons/head_to_head.html", context)
