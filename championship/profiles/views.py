"""A driver's public page, and the page for choosing to have one."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from championship.accounts.requests import SignedInRequest
from championship.platform.web import headers
from championship.profiles import services


@require_safe
def driver(request: HttpRequest, key: str) -> HttpResponse:
    """Show the page to everybody; 404 where its driver has none."""
    profile = services.profile_by_key(key)
    headers.allow_indexing(request, profile.found)
    return render(request, "profiles/driver.html", {"page": services.profile_page(profile)})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def mine(request: SignedInRequest) -> HttpResponse:
    """Let the person choose whether to have a public page. Posted: do=show (with found=yes for search engines), or
    do=hide.
    """
    if request.method == "POST":
        do = request.POST.get("do")
        if do == "show":
            services.show(by=request.user, found=request.POST.get("found") == "yes")
            messages.success(request, _("Your public profile is shown."))
        elif do == "hide":
            services.hide(by=request.user)
            messages.success(request, _("Your public profile is removed."))
        return redirect("profiles:mine")
    profile = services.profile_of(request.user)
    address = request.build_absolute_uri(profile.get_absolute_url()) if profile else ""
    return render(request, "profiles/mine.html", {"profile": profile, "address": address})
