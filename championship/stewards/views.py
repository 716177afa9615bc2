"""Views of the stewards' room: everybody with the rally's link may read, drivers file, stewards decide."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Role
from championship.clubs.services import require_role_to_read
from championship.clubs.visibility import access_error
from championship.platform.refusals import Forbidden, Refusal
from championship.rallies import selectors as rallies
from championship.rallies.desk.forms import put_refusal
from championship.rallies.models import Entry, Rally
from championship.rallies.public_views import crumbs, page_context
from championship.rallies.results.penalty_views import impartiality_context
from championship.rallies.selectors import RallyPage
from championship.seasons import selectors as seasons
from championship.seasons.models import Championship
from championship.seasons.views.public import crumbs as season_crumbs
from championship.stewards import selectors, services
from championship.stewards.forms import (
    DecisionForm,
    PointsRuleForm,
    ProtestForm,
    StatementForm,
    TermsForm,
    TextForm,
)
from championship.stewards.models import Decision, PointsRule, Protest
from championship.stewards.penalty_points import points_table
from championship.stewards.services import points_appeals

FORM_METHODS = ["GET", "HEAD", "POST"]
Made = TypeVar("Made")


@require_safe
def room(request: HttpRequest, key: str) -> HttpResponse:
    """Show all protests, decisions and appeals of a rally."""
    page = rallies.rally_page(rallies.rally_by_key(key, request.user), request.user)
    if not page.may_enter_stewards_room:
        raise access_error(request.user)
    context = {
        **page_context(page, "stewards"),
        "crumbs": crumbs(page, _("Stewards")),
        "decisions": list(selectors.decisions_of(page.rally)),
        "protests": list(selectors.protests_of(page.rally)),
        "terms": services.terms_of(page.rally),
        "may_protest": _drives(page.mine)
        and not _is_bot(request)
        and page.rally.status in services.STATUSES_FOR_PROTESTS,
        "may_decide": Role.STEWARD in page.roles and page.rally.status in services.STATUSES_FOR_PROTESTS,
    }
    return render(request, "stewards/room.html", context)


@require_safe
def protest(request: HttpRequest, key: str) -> HttpResponse:
    """Show one protest, with the decision on it."""
    return _protest_page(request, selectors.protest_by_key(key, request.user), None)


def _answer_form(page: RallyPage, shown: Protest, sent: StatementForm | None) -> StatementForm | None:
    """Return the form for the statement, for the driver whom an open protest is against and who has given none."""
    mine = page.mine is not None and page.mine.pk == shown.against_id
    if not mine or shown.status != Protest.Status.OPEN or hasattr(shown, "statement"):
        return None
    return sent or StatementForm()


def _protest_page(
    request: HttpRequest, shown: Protest, form: DecisionForm | None, answer: StatementForm | None = None
) -> HttpResponse:
    """Render the protest. A steward who may decide gets the form; other officials see why they may not decide, and who
    may.
    """
    page = rallies.rally_page(shown.rally, request.user)
    open_ = shown.status == Protest.Status.OPEN
    impartial = _impartiality(request, page, shown) if open_ else {}
    if form is None and impartial and not impartial["why_not"]:
        form = DecisionForm(rally=shown.rally, protest=shown)
    context = {
        **page_context(page, "stewards"),
        **impartial,
        **_refusal_context(form),
        "crumbs": crumbs(page, _("Stewards"), _("Protest")),
        "protest": shown,
        "form": form,
        "replay": selectors.replay_of(shown.turn),
        "answer_until": services.answer_until(shown) if open_ else None,
        "answer_form": _answer_form(page, shown, answer),
        "may_withdraw": open_ and page.mine is not None and page.mine.pk == shown.by_id,
    }
    return render(request, "stewards/protest.html", context, status=_status(form if answer is None else answer))


@login_required
@require_POST
def answer(request: SignedInRequest, key: str) -> HttpResponse:
    """Answer a protest, as the driver whom it is against."""
    shown = selectors.protest_by_key(key, request.user)
    form = StatementForm(request.POST)
    given = _run_service(form, lambda: services.give_statement(by=request.user, protest=shown, **form.cleaned_data))
    if given is None:
        return _protest_page(request, shown, None, form)
    messages.success(request, _("Your statement is given. The stewards are notified."))
    return redirect(shown)


@login_required
@require_http_methods(FORM_METHODS)
def notice_board(request: SignedInRequest, key: str) -> HttpResponse:
    """Show all decisions of a season by number, and its penalty points; organisers set what these mean. For members."""
    shown = seasons.championship_by_key(key, request.user)
    roles = require_role_to_read(request.user, shown.club)
    organises = Role.ORGANISER in roles
    rule = PointsRule.objects.filter(championship=shown).first()
    initial = {"ban_at": rule.ban_at, "rounds": rule.rounds} if rule else {}
    form = PointsRuleForm(request.POST if request.method == "POST" else None, initial=initial) if organises else None
    if form is None and request.method == "POST":
        raise Forbidden(_("Only organisers set what penalty points mean."))
    if form is not None and _run_service(form, lambda: _set_rule(request.user, shown, form)) is not None:
        messages.success(request, _("The championship is saved."))
        return redirect("stewards:notice_board", key)
    here = _("Notice board")
    context = {
        "championship": shown,
        "club": shown.club,
        "crumbs": season_crumbs(shown.club, (shown.name, shown.get_absolute_url()), (here, None)),
        "decisions": list(selectors.decisions_of_season(shown)),
        "points": points_table(shown),
        "rule": rule,
        "form": form,
    }
    return render(request, "stewards/notice_board.html", context, status=_status(form))


def _set_rule(by: User, championship: Championship, form: forms.Form) -> bool:
    services.set_points_rule(by=by, championship=championship, **form.cleaned_data)
    return True


def _impartiality(request: HttpRequest, page: RallyPage, shown: Protest | None) -> dict[str, Any]:
    """Return the context that tells an official whether they may decide; empty for everybody else. Organisers get it
    too, since they can make somebody a steward.
    """
    if not page.roles & {Role.STEWARD, Role.ORGANISER}:
        return {}
    officials = selectors.officials_on(page.rally, shown)
    if not officials.conflicts:
        return {"why_not": _("This club has no steward. Make somebody a steward on the page of its members.")}
    if Role.STEWARD not in page.roles:
        return {"why_not": _("This is for: %(names)s.") % {"names": officials.names()}}
    assert isinstance(request.user, User)  # a steward has signed in
    return impartiality_context(officials, request.user)


def _refusal_context(form: DecisionForm | None) -> dict[str, Any]:
    """Return the context of a form sent by a person who may not decide: the reason, and the typed text,
    which is kept.
    """
    if form is None or not form.is_bound:
        return {}
    typed = {"typed": form["text"].value()}
    return typed | ({"why_not": str(form.refusal)} if _barred(form.refusal) else {})


@login_required
@require_http_methods(FORM_METHODS)
def file_protest(request: SignedInRequest, key: str) -> HttpResponse:
    """File a protest."""
    rally = rallies.rally_by_key(key, request.user)
    mine = _my_entry(request, rally)
    form = ProtestForm(request.POST if request.method == "POST" else None, rally=rally, mine=mine)
    filed = _run_service(form, lambda: services.file_protest(by=request.user, rally=rally, **form.cleaned_data))
    if filed is not None:
        messages.success(request, _("The protest is filed. The club's stewards are notified."))
        return redirect(filed)
    return _form_page(request, rally, form, _("File a protest"), _("File the protest"))


@login_required
@require_http_methods(FORM_METHODS)
def decide(request: SignedInRequest, key: str) -> HttpResponse:
    """Take a decision on the stewards' own motion."""
    rally = rallies.rally_by_key(key, request.user)
    if request.method != "POST":
        require_role_to_read(request.user, rally.club, Role.STEWARD)
    require_role_to_read(request.user, rally.club)
    form = DecisionForm(request.POST if request.method == "POST" else None, rally=rally)
    taken = _decision_from_form(request, form, rally, None)
    if taken is not None:
        return _announced(request, taken)
    page = rallies.rally_page(rally, request.user)
    impartial = {**_impartiality(request, page, None), **_refusal_context(form)}
    return _form_page(request, rally, form, _("Take a decision"), _("Announce the decision"), **impartial)


@login_required
@require_POST
def decide_protest(request: SignedInRequest, key: str) -> HttpResponse:
    """Decide on a protest or an appeal."""
    shown = selectors.protest_by_key(key, request.user)
    require_role_to_read(request.user, shown.rally.club)
    form = DecisionForm(request.POST, rally=shown.rally, protest=shown)
    taken = _decision_from_form(request, form, shown.rally, shown)
    return (
        _protest_page(request, selectors.protest_by_key(key, request.user), form)
        if taken is None
        else _announced(request, taken)
    )


@login_required
@require_POST
def withdraw(request: SignedInRequest, key: str) -> HttpResponse:
    """Withdraw a protest."""
    shown = services.withdraw_protest(by=request.user, protest=selectors.protest_by_key(key, request.user))
    messages.success(request, _("The protest is withdrawn."))
    return redirect(shown)


@login_required
@require_http_methods(FORM_METHODS)
def appeal(request: SignedInRequest, key: str) -> HttpResponse:
    """Appeal against a decision."""
    decision = get_object_or_404(Decision.objects.select_related("rally__club", "entry", "protest"), key=key)
    _my_entry(request, decision.rally)
    form = TextForm(request.POST if request.method == "POST" else None)
    filed = _run_service(form, lambda: services.appeal(by=request.user, decision=decision, **form.cleaned_data))
    if filed is not None:
        messages.success(request, _("The appeal is filed. The club's stewards are notified."))
        return redirect(filed)
    title = _("Appeal against decision %(number)d") % {"number": decision.number}
    return _form_page(request, decision.rally, form, title, _("File the appeal"))


@login_required
@require_http_methods(FORM_METHODS)
def appeal_points(request: SignedInRequest, key: str, pk: int) -> HttpResponse:
    """Appeal against points by hand."""
    shown = seasons.championship_by_key(key, request.user)
    adjustment = get_object_or_404(shown.adjustments.select_related("driver", "team", "championship"), pk=pk)
    entry = points_appeals.entry_for_appeal(adjustment, request.user)
    if entry is None:
        raise Http404
    form = TextForm(request.POST if request.method == "POST" else None)
    filed = _run_service(
        form, lambda: points_appeals.appeal_points(by=request.user, adjustment=adjustment, **form.cleaned_data)
    )
    if filed is not None:
        messages.success(request, _("The appeal is filed. The club's stewards are notified."))
        return redirect(filed)
    return _form_page(request, entry.rally, form, _("Appeal against points by hand"), _("File the appeal"))


@login_required
@require_http_methods(FORM_METHODS)
def terms(request: SignedInRequest, key: str) -> HttpResponse:
    """Set for how long drivers may protest and appeal."""
    rally = rallies.rally_by_key(key, request.user)
    require_role_to_read(request.user, rally.club, Role.ORGANISER)
    now = services.terms_of(rally)
    initial = {
        "protest_hours": now.protest_hours,
        "answer_hours": now.answer_hours,
        "appeal_hours": now.appeal_hours,
    }
    form = TermsForm(request.POST if request.method == "POST" else None, initial=initial)
    if _run_service(form, lambda: services.set_terms(by=request.user, rally=rally, **form.cleaned_data)) is not None:
        messages.success(request, _("The terms are saved."))
        return redirect("stewards:room", rally.key)
    return _form_page(request, rally, form, _("Protests and appeals"), _("Save"))


def _my_entry(request: HttpRequest, rally: Rally) -> Entry:
    """Return the entry that the person drives in the rally.

    Raises: Http404 when there is none.
    """
    assert isinstance(request.user, User)
    return get_object_or_404(Entry, rally=rally, driver=request.user, status=Entry.Status.CONFIRMED)


def _barred(refusal: Refusal | None) -> bool:
    """Return whether the person may not decide at all, so that other input would not help."""
    return isinstance(refusal, Forbidden) and refusal.field is None


def _drives(entry: Entry | None) -> bool:
    return entry is not None and entry.status == Entry.Status.CONFIRMED


def _is_bot(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_bot


def _run_service(form: forms.Form, service: Callable[[], Made]) -> Made | None:
    """Run the service for a valid form, and return its result. Returns None when the form was not sent, or is invalid
    or refused.
    """
    if not form.is_bound or not form.is_valid():
        return None
    try:
        return service()
    except Refusal as refusal:
        if isinstance(refusal, Forbidden) and not isinstance(form, DecisionForm):
            raise
        if isinstance(form, DecisionForm):
            form.refusal = refusal
            if _barred(refusal):
                return None
        put_refusal(form, refusal)
        return None


def _decision_from_form(
    request: SignedInRequest, form: DecisionForm, rally: Rally, on: Protest | None
) -> Decision | None:
    """Take the decision of a form, and return it. Returns None when the form is invalid or refused, or the person is
    not a steward (any more).
    """
    assert isinstance(request.user, User)
    try:
        require_role_to_read(request.user, rally.club, Role.STEWARD)
    except Forbidden as refusal:
        form.refusal = refusal
        return None

    def decided() -> Decision:
        withdraws = form.cleaned_data.pop("withdraw", False)
        if withdraws and on is not None:
            return points_appeals.allow_appeal(by=request.user, rally=rally, protest=on, **form.cleaned_data)
        return services.decide(by=request.user, rally=rally, protest=on, **form.cleaned_data)

    return _run_service(form, decided)


def _announced(request: HttpRequest, decision: Decision) -> HttpResponse:
    messages.success(request, _("The decision is announced and in force."))
    return redirect(decision)


def _status(form: forms.Form | None) -> HTTPStatus:
    if isinstance(form, DecisionForm) and form.refusal is not None:
        return form.refusal.status
    return HTTPStatus.UNPROCESSABLE_ENTITY if form is not None and form.errors else HTTPStatus.OK


def _form_page(
    request: HttpRequest, rally: Rally, form: forms.Form, title: str, submit: str, **impartial: Any
) -> HttpResponse:
    page = rallies.rally_page(rally, request.user)
    context: dict[str, Any] = {
        **page_context(page, "stewards"),
        **impartial,
        "crumbs": crumbs(page, _("Stewards"), title),
        "form": form,
        "title": title,
        "submit": submit,
    }
    return render(request, "stewards/form.html", context, status=_status(form))
