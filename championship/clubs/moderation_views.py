"""Pages about moderation: removing and banning with a reason, reports of texts and their answers."""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.requests import SignedInRequest
from championship.accounts.text import one_line
from championship.clubs import selectors, services
from championship.clubs.models import Ban, Club, Report
from championship.clubs.moderation_tables import LONGEST_REASON
from championship.clubs.services import moderation
from championship.clubs.views import MANAGERS, about, crumbs
from championship.platform.refusals import Forbidden, Refused
from championship.platform.web.form_fields import set_choices

page_with_form = require_http_methods(["GET", "HEAD", "POST"])
SHOWN = 100
"""The most reports on a page, the open ones first."""


class RemovalForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_REASON,
        validators=[one_line],
        help_text=gettext_lazy("The person gets it, and the club's log shows it."),
    )
    ban = forms.BooleanField(
        label=gettext_lazy("Ban: invitations no longer let them in"),
        required=False,
    )


class ReportForm(forms.Form):
    to = forms.ChoiceField(label=gettext_lazy("Who should look at it"))
    text = forms.CharField(label=gettext_lazy("The text"), max_length=2000, widget=forms.Textarea(attrs={"rows": 4}))
    reason = forms.CharField(
        label=gettext_lazy("What is wrong with it"), max_length=LONGEST_REASON, validators=[one_line]
    )
    page = forms.CharField(required=False, max_length=300, widget=forms.HiddenInput)


@login_required
@page_with_form
def remove(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Ask for a reason, and remove or ban a member."""
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role(request.user, me.club, *MANAGERS)
    their = selectors.members(me.club).filter(pk=pk).first()
    if their is None:
        raise Http404
    form = RemovalForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            moderation.remove_with_reason(by=request.user, membership=their, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            messages.success(request, _("%s is no longer in the club.") % their.user)
            return redirect("clubs:members", slug=slug)
    trail = [*crumbs(me.club, _("Members"), reverse("clubs:members", args=[slug])), (str(their.user), None)]
    return _page(request, "clubs/put_out.html", {**about(me), "their": their, "form": form, "crumbs": trail})


@login_required
@require_POST
def lift_ban(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Lift a ban, so that the person may join again."""
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role(request.user, me.club, *MANAGERS)
    ban = Ban.objects.filter(club=me.club, pk=pk).select_related("club", "person").first()
    if ban is None:
        raise Http404
    moderation.lift_ban(by=request.user, ban=ban)
    messages.success(request, _("%s may join again.") % ban.person)
    return redirect("clubs:members", slug=slug)


@login_required
@page_with_form
def report(request: SignedInRequest) -> HttpResponse:
    """Report a text, from any page (?page=/where/it/stands/&text=what it says)."""
    clubs = {held.club.slug: held.club for held in selectors.clubs_of(request.user)}
    choices = [(slug, _("Stewards and organisers of %s") % club) for slug, club in clubs.items()]
    page = request.GET.get("page", "")[:300]
    here = next((slug for slug in clubs if page.startswith(f"/clubs/{slug}/")), next(iter(clubs), ""))
    first = {"page": page, "to": here, "text": request.GET.get("text", "")[:2000]}
    form = ReportForm(request.POST if request.method == "POST" else None, initial=first)
    set_choices(form, "to", [*choices, ("", _("The operator of this service"))])
    form.fields["to"].required = False
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        club = clubs.get(said.pop("to"))
        try:
            moderation.report(by=request.user, club=club, **said)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            messages.success(request, _("Thank you. Your report is sent. You will get an answer."))
            return redirect("home")
    return _page(request, "clubs/report.html", {"form": form, "crumbs": [(_("Report a text"), None)]})


@login_required
@require_safe
def reports(request: SignedInRequest, slug: str) -> HttpResponse:
    """A club's reports, for people who may judge them."""
    me = selectors.membership_of(user=request.user, slug=slug)
    if not moderation.may_judge(request.user, me.club):
        raise Forbidden(_("In this club that is for members with one of these roles: %s.") % _("steward, organiser"))
    found = _reports(me.club)
    return render(
        request, "clubs/reports.html", {**about(me), "reports": found, "crumbs": crumbs(me.club, _("Reports"))}
    )


@login_required
@require_safe
def operator_reports(request: SignedInRequest) -> HttpResponse:
    """The operator's reports."""
    if not moderation.may_judge(request.user, None):
        raise Http404
    return render(request, "clubs/reports.html", {"reports": _reports(None), "crumbs": [(_("Reports"), None)]})


@login_required
@require_POST
def answer(request: SignedInRequest, pk: int) -> HttpResponse:
    """Answer a report."""
    found = Report.objects.select_related("club").filter(pk=pk).first()
    if found is None or not moderation.may_judge(request.user, found.club):
        raise Http404
    moderation.settle(by=request.user, report=found, answer=request.POST.get("answer", ""))
    messages.success(request, _("The answer is sent."))
    return redirect("clubs:reports", slug=found.club.slug) if found.club else redirect("clubs:operator_reports")


def _reports(club: Club | None) -> list[Report]:
    found = Report.objects.filter(club=club).select_related("by", "settled_by")
    return sorted(found.order_by("-pk")[:SHOWN], key=lambda each: each.settled_at is not None)


def _page(request: HttpRequest, template: str, context: dict[str, object]) -> HttpResponse:
    form = context["form"]
    wrong = isinstance(form, forms.Form) and bool(form.errors)
    return render(request, template, context, status=HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK)
