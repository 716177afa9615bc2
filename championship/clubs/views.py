"""Club pages, with those to close the club and for its webhooks. People who are no members get 404 everywhere. The
services decide what a member may do.
"""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.models import User
from championship.accounts.name_comparison import alphabetical
from championship.accounts.requests import SignedInRequest
from championship.accounts.text import one_line
from championship.audit import services as audit
from championship.clubs import selectors, services
from championship.clubs.forms import ClubForm, InvitationForm, MailForm, RolesForm
from championship.clubs.models import LONGEST_CLOSE_REASON, Club, Membership, Role
from championship.clubs.services import closing, mail_invitations, public_profile, require_role
from championship.notices.services.webhooks import Owner
from championship.notices.views import webhooks as pages
from championship.platform.refusals import Refused

RECORDS_ON_A_PAGE = 50
MANAGERS = (Role.OWNER, Role.ORGANISER)
FIRST = {"roles": [Role.DRIVER.value]}
"""The initial values of the invitation form."""

page_with_form = require_http_methods(["GET", "HEAD", "POST"])


@login_required
@require_safe
def mine(request: SignedInRequest) -> HttpResponse:
    """The clubs of the person."""
    held = list(selectors.clubs_of(request.user))
    organises = any({Role.ORGANISER, Role.STEWARD} & set(each.roles) for each in held)
    return render(request, "clubs/mine.html", {"memberships": held, "organises": organises})


@login_required
@page_with_form
def new(request: SignedInRequest) -> HttpResponse:
    """Found a club."""
    form = ClubForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            club = services.create_club(by=request.user, name=form.cleaned_data["name"])
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            return redirect("clubs:club", slug=club.slug)
    trail = [(_("Clubs"), reverse("clubs:mine")), (_("Found a club"), None)]
    return _with_form(request, "clubs/new.html", {"form": form, "crumbs": trail})


@login_required
@require_safe
def club(request: SignedInRequest, slug: str) -> HttpResponse:
    """The club's first page: what it drives now, its championships, its last podium, its rallies."""
    me = selectors.membership_of(user=request.user, slug=slug)
    context = {**about(me), "links": public_profile.shown_links(me.club), "crumbs": crumbs(me.club)}
    if context["manages"]:
        context["asking"] = public_profile.requests_of(me.club).count()
    return render(request, "clubs/club.html", context)


@login_required
@require_safe
def manage(request: SignedInRequest, slug: str) -> HttpResponse:
    """What members need seldom: people, the face of the club and webhooks for managers; the log and leaving for all."""
    me = selectors.membership_of(user=request.user, slug=slug)
    context = {**about(me), "crumbs": crumbs(me.club, _("Manage"))}
    if context["manages"]:
        context["asking"] = public_profile.requests_of(me.club).count()
    return render(request, "clubs/manage.html", context)


@login_required
@require_safe
def members(request: SignedInRequest, slug: str) -> HttpResponse:
    """Everybody in the club and their roles."""
    me = selectors.membership_of(user=request.user, slug=slug)
    context = {
        **about(me),
        "crumbs": crumbs(me.club, _("Members")),
        "members": sorted(selectors.members(me.club), key=lambda member: alphabetical(member.user.name)),
    }
    if context["manages"]:
        context["bans"] = selectors.bans_in_force(me.club)
    return render(request, "clubs/members.html", context)


@login_required
@page_with_form
def member(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Change one member's roles."""
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role(request.user, me.club, *MANAGERS)
    their = _member_or_404(me.club, pk)
    form = RolesForm(request.POST if request.method == "POST" else None, initial={"roles": their.roles})
    if request.method == "POST" and form.is_valid():
        try:
            services.set_roles(by=request.user, membership=their, roles=form.cleaned_data["roles"])
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            messages.success(request, _("The roles of %s are saved.") % their.user)
            return redirect("clubs:members", slug=slug)
    trail = crumbs(me.club, _("Members"), reverse("clubs:members", args=[slug]))
    context = {**about(me), "their": their, "form": form, "crumbs": [*trail, (str(their.user), None)]}
    return _with_form(request, "clubs/member.html", context)


@login_required
@page_with_form
def leave(request: SignedInRequest, slug: str) -> HttpResponse:
    """Ask for confirmation, and leave the club."""
    me = selectors.membership_of(user=request.user, slug=slug)
    form = Form(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        try:
            services.leave(by=request.user, club=me.club)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("You have left %s.") % me.club)
            return redirect("clubs:mine")
    context = {**about(me), "form": form, "crumbs": crumbs(me.club, _("Leave"))}
    return _with_form(request, "clubs/leave.html", context)


@login_required
@page_with_form
def invitations(request: SignedInRequest, slug: str) -> HttpResponse:
    """The club's open links, and a form to create one. A new link is shown once, in the response to the form (201)."""
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role(request.user, me.club, *MANAGERS)
    form = InvitationForm(request.POST if request.method == "POST" else None, initial=FIRST)
    link = None
    if request.method == "POST" and form.is_valid():
        try:
            _invitation, token = services.invite(by=request.user, club=me.club, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            link = request.build_absolute_uri(reverse("clubs:join", args=[token]))
            form = InvitationForm(initial=FIRST)
    context = {
        **about(me),
        **_invitations(me),
        "form": form,
        "by_mail": MailForm(),
        "link": link,
    }
    return _with_form(request, "clubs/invitations.html", context, done=HTTPStatus.CREATED if link else None)


@login_required
@page_with_form
def invite_by_mail(request: SignedInRequest, slug: str) -> HttpResponse:
    """Send a link to pasted addresses."""
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role(request.user, me.club, *MANAGERS)
    if request.method != "POST":
        return redirect("clubs:invitations", slug=slug)
    form = MailForm(request.POST)
    if form.is_valid():
        days, text = form.cleaned_data["days"], form.cleaned_data["addresses"]
        try:
            sent = mail_invitations.invite_by_mail(
                by=request.user, club=me.club, roles=[Role.DRIVER.value], days=days, text=text
            )[1]
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            told = ngettext("%d invitation is on its way.", "%d invitations are on their way.", sent) % sent
            messages.success(request, told)
            return redirect("clubs:invitations", slug=slug)
    context = {**about(me), **_invitations(me), "by_mail": form, "form": InvitationForm(initial=FIRST), "link": None}
    return render(request, "clubs/invitations.html", context, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def _invitations(me: Membership) -> dict[str, object]:
    return {"crumbs": crumbs(me.club, _("Invitations")), "invitations": selectors.invitations(me.club)}


@login_required
@require_POST
def revoke(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Withdraw a link."""
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role(request.user, me.club, *MANAGERS)
    invitation = me.club.invitations.filter(pk=pk).first()
    if invitation is None:
        raise Http404
    services.revoke_invitation(by=request.user, invitation=invitation)
    messages.success(request, _("The link no longer works."))
    return redirect("clubs:invitations", slug=slug)


@page_with_form
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The page of an invitation: join, or show why that is not possible (410 for GET, 422 for POST)."""
    invitation = selectors.invitation_by_token(token)
    context: dict[str, object] = {"invitation": invitation, "club": invitation.club}
    status = HTTPStatus.OK
    try:
        if request.method == "POST" and request.user.is_authenticated:
            services.accept_invitation(by=request.user, token=token)
            messages.success(request, _("Welcome to %s.") % invitation.club)
            return redirect("clubs:club", slug=invitation.club.slug)
        if request.user.is_authenticated and selectors.is_member(request.user, invitation.club):
            return redirect("clubs:club", slug=invitation.club.slug)
        services.refuse_if_spent(invitation)
    except Refused as refusal:
        context["refusal"] = str(refusal)
        status = HTTPStatus.UNPROCESSABLE_ENTITY if request.method == "POST" else HTTPStatus.GONE
    return render(request, "clubs/join.html", context, status=status)


@login_required
@require_safe
def log(request: SignedInRequest, slug: str) -> HttpResponse:
    """The club's log: the acts and who did them, newest first. Every member may read it."""
    me = selectors.membership_of(user=request.user, slug=slug)
    page = Paginator(audit.of_club(me.club.pk), RECORDS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        **about(me),
        "crumbs": crumbs(me.club, _("Log")),
        "page_obj": page,
        "from_archive": any(record.from_archive for record in page),
    }
    return render(request, "clubs/log.html", context)


def _member_or_404(club: Club, pk: int) -> Membership:
    their = selectors.members(club).filter(pk=pk).first()
    if their is None:
        raise Http404
    return their


def about(me: Membership) -> dict[str, object]:
    """The context that every page of a club needs."""
    return {
        "club": me.club,
        "me": me,
        "manages": not set(MANAGERS).isdisjoint(me.roles),
        "judges": not {*MANAGERS, Role.STEWARD}.isdisjoint(me.roles),
    }


def crumbs(club: Club, label: str | None = None, url: str | None = None) -> list[tuple[str, str | None]]:
    """The breadcrumbs of a club's page."""
    trail: list[tuple[str, str | None]] = [
        (_("Clubs"), reverse("clubs:mine")),
        (club.name, reverse("clubs:club", args=[club.slug])),
    ]
    return [*trail, (label, url)] if label else trail


def _with_form(
    request: HttpRequest, template: str, context: dict[str, object], done: HTTPStatus | None = None
) -> HttpResponse:
    """The page, with status 422 when its form is not valid, else `done` or 200."""
    form = context["form"]
    wrong = isinstance(form, Form) and bool(form.errors)
    return render(
        request,
        template,
        context,
        status=HTTPStatus.UNPROCESSABLE_ENTITY if wrong else done or HTTPStatus.OK,
    )


class CloseForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_CLOSE_REASON,
        validators=[one_line],
        help_text=gettext_lazy("Everybody who may see the club can read it. Every member is notified."),
    )
    name = forms.CharField(label=gettext_lazy("Type the name of the club to confirm"), max_length=80)

    def __init__(self, *args: object, name: str, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["name"].help_text = name
        self.fields["name"].widget.attrs["autocomplete"] = "off"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def close(request: SignedInRequest, slug: str) -> HttpResponse:
    """Close the club, or open it again (do=open). Repeating a request from an outdated page has no further effect."""
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role_to_read(request.user, me.club, Role.OWNER)
    if request.method == "POST" and request.POST.get("do") == "open":
        closing.open_again(by=request.user, club=me.club)
        messages.success(request, _("The club is open again."))
        return redirect("clubs:club", slug=slug)
    form = CloseForm(request.POST if request.method == "POST" else None, name=me.club.name)
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    if form.is_bound and form.is_valid():
        typed, reason = form.cleaned_data["name"], form.cleaned_data["reason"]
        try:
            closing.close(by=request.user, club=me.club, typed=typed, reason=reason)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
            status = refusal.status
        else:
            messages.success(request, _("The club is closed. Its members are notified."))
            return redirect("clubs:club", slug=slug)
    title = _("Open the club again") if me.club.closed_at else _("Close the club")
    context = {**about(me), "form": form, "title": title, "crumbs": crumbs(me.club, title)}
    return render(request, "clubs/close.html", context, status=status)


def managed(*, by: User, club: Club) -> Owner:
    """The club as the owner of its webhooks, for a person who may manage them.

    Raises: Forbidden when `by` is another member.
    Raises: Http404 when `by` is no member.
    """
    require_role(by, club, Role.OWNER, Role.ORGANISER)
    return Owner(by, club)


@login_required
@page_with_form
def webhook(request: SignedInRequest, slug: str) -> HttpResponse:
    """The club's webhooks with a form to add one, for its owners and organisers."""
    return pages.listed(request, _pages(request, slug))


@login_required
@page_with_form
def one_webhook(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """One of the club's webhooks."""
    return pages.one(request, _pages(request, slug), pk)


def _pages(request: SignedInRequest, slug: str) -> pages.WebhookPages:
    me: Membership = selectors.membership_of(user=request.user, slug=slug)
    owner = managed(by=request.user, club=me.club)
    here = reverse("clubs:webhook", args=[slug])
    trail = crumbs(me.club, _("Webhooks"))
    return pages.WebhookPages(owner, here, "clubs/webhook.html", {**about(me), "crumbs": trail})
