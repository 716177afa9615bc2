"""Pages of a club's moments: the list, one moment with its comments, cheers, and the actions on a comment."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.requests import SignedInRequest, is_signed_in
from championship.clubs.models import Club, Membership
from championship.clubs.moderation_tables import LONGEST_REASON
from championship.clubs.services.moderation import may_judge
from championship.clubs.views import about as about_member
from championship.clubs.views import crumbs
from championship.moments import selectors, services
from championship.moments.models import LONGEST
from championship.platform.refusals import NotYet, Refused

LONGEST_PAGE = 6
"""How many digits the number of a page may have."""
page_with_form = require_http_methods(["GET", "HEAD", "POST"])


class CommentForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Your comment"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3, "maxlength": LONGEST}),
        help_text=gettext_lazy("Plain text, a few lines."),
    )


class HideForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        widget=forms.TextInput(attrs={"maxlength": LONGEST_REASON}),
        help_text=gettext_lazy("The author sees it, and the club's log shows it."),
    )


@require_safe
def all_moments(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the club's moments, newest first."""
    club = _club_or_sign_in(request, slug)
    if isinstance(club, HttpResponse):
        return club
    page, moments = selectors.page_of(club, request.user, request.GET.get("page", "1"))
    about = _about(request, club)
    context = {**about, "page_obj": page, "moments": moments, "crumbs": _trail(about)}
    return render(request, "moments/all.html", context)


@page_with_form
def moment(request: HttpRequest, slug: str, key: str, name: str) -> HttpResponse:
    """Show one moment with all its comments, and add a new one."""
    club = _club_or_sign_in(request, slug)
    if isinstance(club, HttpResponse):
        return club
    form = CommentForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if not is_signed_in(request):
            return redirect_to_login(request.get_full_path())
        if form.is_valid():
            try:
                made = services.write(by=request.user, club=club, key=key, name=name, **form.cleaned_data)
            except Refused as refusal:
                form.add_error(refusal.field, str(refusal))
            else:
                return redirect(f"{request.path}#comment-{made.pk}")
    shown = selectors.moment_with_comments(club, request.user, key, name)
    about = _about(request, club)
    context = {**about, "shown": shown, "form": form, "crumbs": _trail(about, shown.moment.title)}
    return _page(request, "moments/moment.html", context)


@require_POST
def cheer(request: HttpRequest, slug: str, key: str, name: str) -> HttpResponse:
    """Cheer for a moment, or take the cheer back with `do=back`. The answer leads back to the moment, in the list where
    the cheer came from there.
    """
    if not is_signed_in(request):
        return redirect_to_login(reverse("moments:moment", args=[slug, key, name]))
    club = selectors.club_for(slug, request.user)
    try:
        services.cheer(by=request.user, club=club, key=key, name=name, take_back=request.POST.get("do") == "back")
    except Refused as refusal:
        messages.error(request, str(refusal))
    if request.POST.get("from") == "list":
        page = request.POST.get("page", "1")
        number = page if page.isascii() and page.isdigit() and len(page) < LONGEST_PAGE else "1"
        return redirect(f"{reverse('moments:all', args=[slug])}?page={number}#{key}-{name}")
    return redirect("moments:moment", slug=slug, key=key, name=name)


@login_required
@page_with_form
def hide(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Hide a comment, with a reason; for stewards."""
    comment = selectors.comment_for(request.user, slug, pk)
    if not may_judge(request.user, comment.club):
        raise Http404
    form = HideForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            services.hide(by=request.user, comment=comment, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            messages.success(request, _("The comment is hidden."))
            return redirect(comment)
    about = _about(request, comment.club)
    context = {**about, "comment": comment, "form": form, "crumbs": _trail(about, _("Hide a comment"))}
    return _page(request, "moments/hide.html", context)


@login_required
@require_POST
def take_back(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Delete the author's comment. One that was deleted already leads to the list too."""
    services.take_back(by=request.user, comment=pk)
    messages.success(request, _("Your comment is deleted."))
    try:
        club = selectors.club_for(slug, request.user)
    except (Http404, NotYet):  # an author who has left the club may still delete the comment
        return redirect("home")
    return redirect("moments:all", slug=club.slug)


def _club_or_sign_in(request: HttpRequest, slug: str) -> Club | HttpResponse:
    """Return the club, or a redirect to sign in. A visitor who has not signed in gets the same redirect for a closed
    club as for one that does not exist.
    """
    try:
        return selectors.club_for(slug, request.user)
    except (Http404, NotYet):
        if request.user.is_authenticated:
            raise
        return redirect_to_login(request.get_full_path())


def _about(request: HttpRequest, club: Club) -> dict[str, Any]:
    """Return the context that every page here needs; `writes` and `judges` say what the viewer may do."""
    me = None
    if is_signed_in(request):
        me = Membership.objects.filter(club=club, user=request.user).select_related("club").first()
    if me is None:
        return {"club": club, "judges": False, "writes": False}
    bot = is_signed_in(request) and request.user.is_bot
    said = about_member(me)
    writes = club.closed_at is None and not bot and not {str(role) for role in services.WRITERS}.isdisjoint(me.roles)
    return {**said, "judges": said["judges"] and not bot, "writes": writes}


def _trail(about: dict[str, Any], label: str | None = None) -> list[tuple[str, str | None]]:
    """Return the breadcrumbs. The link to one's clubs is only for members of this club."""
    club = about["club"]
    url = None if label is None else reverse("moments:all", args=[club.slug])
    trail = crumbs(club, _("Moments"), url)[0 if "me" in about else 1 :]
    return trail if label is None else [*trail, (label, None)]


def _page(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    wrong = bool(context["form"].errors)
    return render(request, template, context, status=HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK)
