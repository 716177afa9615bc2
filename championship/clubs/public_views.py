"""The public side of clubs: the list of clubs, a club's public page, requests to join, and their answers."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from championship.accounts.requests import SignedInRequest, is_signed_in
from championship.accounts.text import one_line
from championship.clubs import selectors, services
from championship.clubs.join_requests import LONGEST_WORDS
from championship.clubs.models import LONGEST_ABOUT, LONGEST_LINKS, Club, JoinRequest, Membership
from championship.clubs.services import public_profile
from championship.clubs.views import MANAGERS, about, crumbs
from championship.clubs.views import club as member_page
from championship.clubs.visibility import allow_indexing_if_public
from championship.platform.bounded_input import whole_number
from championship.platform.markdown import as_html
from championship.platform.refusals import Refused
from championship.platform.web import headers

page_with_form = require_http_methods(["GET", "HEAD", "POST"])
WRITING = gettext_lazy("An empty line between paragraphs, # before a heading, - before an item of a list.")


COLOUR_CHOICES = (
    ("", gettext_lazy("none")),
    (0, gettext_lazy("red")),
    (1, gettext_lazy("blue")),
    (2, gettext_lazy("yellow")),
    (3, gettext_lazy("green")),
    (4, gettext_lazy("black")),
    (5, gettext_lazy("light blue")),
    (6, gettext_lazy("pink")),
    (7, gettext_lazy("white")),
    (8, gettext_lazy("violet")),
    (9, gettext_lazy("grey")),
)
"""The palette of cars by its names (static/css/tokens.css)."""


class ProfileForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name of the club"), max_length=80, validators=[one_line])
    visibility = forms.ChoiceField(
        label=gettext_lazy("Who may see rallies, results and championships"),
        choices=Club.Visibility.choices,
        widget=forms.RadioSelect,
        help_text=gettext_lazy("Only members can ever see protests and the club's log."),
    )
    about = forms.CharField(
        label=gettext_lazy("About the club"),
        required=False,
        max_length=LONGEST_ABOUT,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=WRITING,
    )
    house_rules = forms.CharField(
        label=gettext_lazy("House rules"),
        required=False,
        max_length=LONGEST_ABOUT,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=WRITING,
    )
    links = forms.CharField(
        label=gettext_lazy("Links"),
        required=False,
        max_length=LONGEST_LINKS,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("At most four, one a line: your own pages, a chat, how to reach you."),
    )
    colour = forms.TypedChoiceField(
        label=gettext_lazy("Colour of the club"),
        required=False,
        choices=COLOUR_CHOICES,
        coerce=int,
        empty_value=None,
    )
    takes_requests = forms.BooleanField(label=gettext_lazy("People may ask to join"), required=False)


class JoinRequestForm(forms.Form):
    words = forms.CharField(
        label=gettext_lazy("A few words about you"),
        required=False,
        max_length=LONGEST_WORDS,
        validators=[one_line],
        help_text=gettext_lazy("The organisers read them."),
    )


@require_safe
def open_clubs(request: HttpRequest) -> HttpResponse:
    """The public clubs. Other apps add their rallies that take entries."""
    headers.allow_indexing(request)
    return render(request, "clubs/open.html", {"clubs": public_profile.public_clubs()})


@require_safe
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """The club's overview for its members; for others its public page, if it has one."""
    try:
        return member_page(request, slug) if is_signed_in(request) else _public_page(request, slug)
    except Http404:
        return (
            _public_page(request, slug) if request.user.is_authenticated else redirect_to_login(request.get_full_path())
        )


def _public_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The page that a public club shows to people who are no members."""
    club = public_profile.public_club(slug)
    allow_indexing_if_public(request, club)
    person = request.user
    takes_requests = club.takes_requests and club.closed_at is None
    context = {
        "club": club,
        "about": as_html(club.about),
        "house_rules": as_html(club.house_rules),
        "links": public_profile.shown_links(club),
        "may_ask": takes_requests if not person.is_authenticated else public_profile.may_request_to_join(person, club),
        "waits": public_profile.open_request(person, club) if person.is_authenticated else None,
    }
    return render(request, "clubs/face.html", context)


@login_required
@page_with_form
def edit_profile(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form for organisers to change the club's name, visibility and description."""
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role(request.user, me.club, *MANAGERS)
    names = ("name", "visibility", "about", "house_rules", "links", "colour", "takes_requests")
    now = {name: getattr(me.club, name) for name in names}
    form = ProfileForm(request.POST if request.method == "POST" else None, initial=now)
    if request.method == "POST" and form.is_valid():
        try:
            public_profile.change_profile(by=request.user, club=me.club, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            messages.success(request, _("The club is changed."))
            return redirect("clubs:club", slug=slug)
    context = {**about(me), "form": form, "crumbs": crumbs(me.club, _("Face of the club"))}
    return _page(request, "clubs/edit_face.html", context)


@page_with_form
def request_to_join(request: HttpRequest, key: str) -> HttpResponse:
    """Ask to join the club with that key (?next=page to return to). People who have not signed in are asked to."""
    club = get_object_or_404(Club, key=key)
    back = request.GET.get("next", "")
    back = back if url_has_allowed_host_and_scheme(back, allowed_hosts=None) else ""
    context: dict[str, object] = {"club": club, "back": back}
    if not request.user.is_authenticated:
        return render(request, "clubs/ask.html", context)
    if selectors.is_member(request.user, club):
        return redirect(back or club.get_absolute_url())
    form = JoinRequestForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            public_profile.request_to_join(by=request.user, club=club, words=form.cleaned_data["words"], page=back)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
    context |= {
        "form": form,
        "waits": public_profile.open_request(request.user, club),
        "may_ask": public_profile.may_request_to_join(request.user, club),
    }
    return _page(request, "clubs/ask.html", context)


@login_required
@page_with_form
def requests(request: SignedInRequest, slug: str) -> HttpResponse:
    """Open requests to join, and the organisers' answers: to one request, to all ticked, or to all shown."""
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role(request.user, me.club, *MANAGERS)
    many = next((name for name in ("ticked", "shown") if f"let_in_{name}" in request.POST), None)
    if many:
        chosen = [_number(text) for each in request.POST.getlist(many) for text in each.split()]
        return _accept_requests(request, me, chosen)
    if request.method == "POST":
        pk = _number(request.POST.get("request", ""))
        asked = get_object_or_404(JoinRequest.objects.select_related("club"), pk=pk, club=me.club)
        said = request.POST.get("words", "")
        answered = public_profile.answer(by=request.user, request=asked, accept="accept" in request.POST, words=said)
        says = _("%s is in the club now.") if answered.accepted else _("%s is notified.")
        messages.success(request, says % answered.person)
        return redirect("clubs:requests", slug=slug)
    return _requests_page(request, me)


def _accept_requests(request: SignedInRequest, me: Membership, chosen: list[int]) -> HttpResponse:
    """Accept many requests at once. The page then shows each person who cannot join, with the reason."""
    if not chosen:
        messages.error(request, _("Nobody is ticked."))
        return _requests_page(request, me, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    came = public_profile.accept_requests(by=request.user, club=me.club, chosen=chosen)
    n = len(came.people)
    if n or not came.refused:
        says = ngettext("%(n)d person is in the club now.", "%(n)d people are in the club now.", n)
        messages.success(request, says % {"n": n})
    if came.refused:
        return _requests_page(request, me, refused=came.refused, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return redirect("clubs:requests", slug=me.club.slug)


def _requests_page(
    request: HttpRequest, me: Membership, *, refused: Mapping[int, str] | None = None, status: int = HTTPStatus.OK
) -> HttpResponse:
    asked = [(each, (refused or {}).get(each.pk, "")) for each in public_profile.requests_of(me.club)]
    context = {**about(me), "requests": asked, "crumbs": crumbs(me.club, _("Requests to join"))}
    return render(request, "clubs/requests.html", context, status=status)


def _number(text: str) -> int:
    """Parses the number of a request from a form.

    Raises: Http404 when the text is no number.
    """
    number = whole_number(text)
    if number is None:
        raise Http404
    return number


def _page(request: HttpRequest, template: str, context: dict[str, object]) -> HttpResponse:
    form = context["form"]
    wrong = isinstance(form, forms.Form) and bool(form.errors)
    return render(request, template, context, status=HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK)
