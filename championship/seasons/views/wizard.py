"""The season wizard: short steps, each saved in the organiser's draft; a preview; and the button that creates the
season.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship import catalogue
from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Club, Role
from championship.clubs.selectors import club_for_member
from championship.clubs.services import require_role
from championship.platform.bounded_input import version_sent, whole_number
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk.forms import put_refusal
from championship.rallies.desk.game_choice import chosen_game
from championship.seasons import rally_defaults
from championship.seasons.calendar_fit import fits_of_plan, longest_of
from championship.seasons.models import SeasonDraft
from championship.seasons.sample_standings import sample_table
from championship.seasons.scheme_forms import SchemeForm, moved
from championship.seasons.schemes import READY_MADE, WHO_SCORES
from championship.seasons.season_plans import OWN_STAGES, Plan, available_stages, game_of
from championship.seasons.selectors import draft_of
from championship.seasons.services import registering, season_drafts
from championship.seasons.views.public import crumbs
from championship.seasons.wizard_forms import CalendarForm, NamesForm, RallyDefaultsForm, StagesForm, StartForm

TOGETHER = "together"
"""The button that has the rounds of a season driven together."""
FORM_METHODS = ["GET", "HEAD", "POST"]
STEPS = ("start", "points", "classes", "calendar", "rallies", "preview")
Rest = ParamSpec("Rest")
Step = Callable[Concatenate[SignedInRequest, SeasonDraft, Rest], HttpResponse]


def _labels(draft: SeasonDraft | None) -> dict[str, str]:
    game = game_of(Plan.read(draft.said if draft else {}))
    return {
        "start": _("Name"),
        "points": _("Points"),
        "classes": _("Classes and teams"),
        "calendar": _("Calendar"),
        "rallies": str(catalogue.words_of(game).events),
        "preview": _("Preview"),
    }


def of_draft(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate a view: it gets the viewer's own draft in place of its key. Other people's drafts give 404. A draft
    whose season was created redirects to the season.
    """

    @wraps(view)
    def found(request: SignedInRequest, key: str, *args: Any, **kwargs: Any) -> HttpResponse:
        drafts = SeasonDraft.objects.select_related("club", "made")
        draft = get_object_or_404(drafts, key=key, by=request.user)
        require_role(request.user, draft.club, Role.ORGANISER)
        if draft.made is not None:
            return redirect(draft.made)
        return view(request, draft, *args, **kwargs)

    return login_required(found)


def _page(
    request: HttpRequest,
    draft: SeasonDraft | None,
    club: Club,
    step: str,
    form: forms.Form | None,
    context: Mapping[str, Any],
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    labels = _labels(draft)
    shown = {
        "draft": draft,
        "club": club,
        "form": form,
        "step": step,
        "title": labels[step],
        "steps": [
            (name, labels[name], reverse(f"seasons:draft_{name}", args=[draft.key]) if draft else "") for name in STEPS
        ],
        "crumbs": crumbs(club, (_("New season"), None)),
        **context,
    }
    wrong = HTTPStatus.UNPROCESSABLE_ENTITY if form is not None and form.errors else HTTPStatus.OK
    return render(request, f"seasons/wizard/{step}.html", shown, status=max(status, wrong))


def _next(draft: SeasonDraft, step: str) -> HttpResponse:
    following = STEPS[STEPS.index(step) + 1]
    return redirect(f"seasons:draft_{following}", draft.key)


def _saved(request: SignedInRequest, draft: SeasonDraft, form: forms.Form, changes: Mapping[str, Any]) -> bool:
    """Save the changes, and return whether they were saved. A refusal is added to the form. Stale is raised, for the
    decorator `step`.
    """
    try:
        season_drafts.save_draft(by=request.user, draft=draft, version=version_sent(request.POST), **changes)
    except Refused as refusal:
        put_refusal(form, refusal)
        return False
    return True


def step(view: Step[Rest]) -> Callable[..., HttpResponse]:
    """Decorate a step of the wizard as a view of the viewer's own draft. Where the draft has changed meanwhile, the
    response is the fresh page with status 409.
    """

    @require_http_methods(FORM_METHODS)
    @of_draft
    @wraps(view)
    def answered(request: SignedInRequest, draft: SeasonDraft, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        try:
            return view(request, draft, *args, **kwargs)
        except Stale as stale:
            fresh = SeasonDraft.objects.select_related("club").get(pk=draft.pk)
            messages.error(request, str(stale.message))
            request.method = "GET"
            response = view(request, fresh, *args, **kwargs)
            response.status_code = stale.status
            return response

    return answered


def _continue_draft(request: HttpRequest, draft: SeasonDraft) -> HttpResponse:
    messages.info(request, _("You have started a season before; continue it here."))
    return redirect(draft)


@login_required
@require_http_methods(FORM_METHODS)
def create(request: SignedInRequest, slug: str) -> HttpResponse:
    """Begin a new season with the first step, or continue the draft that was begun before."""
    club = club_for_member(user=request.user, slug=slug)
    require_role(request.user, club, Role.ORGANISER)
    begun = draft_of(club, request.user)
    if begun is not None and request.method != "POST":
        return _continue_draft(request, begun)
    form = StartForm(request.POST if request.method == "POST" else None, club=club, plan=Plan())
    if request.method == "POST" and form.is_valid():
        draft = begun or season_drafts.begin_draft(by=request.user, club=club)
        try:
            season_drafts.save_draft(by=request.user, draft=draft, version=0, **form.changes())
        except Stale:  # begun and continued in another window
            return _continue_draft(request, draft)
        except Refused as refusal:
            put_refusal(form, refusal)
        else:
            return _next(draft, "start")
    return _page(request, None, club, "start", form, {"templates": club.season_templates.all()})


@step
def start(request: SignedInRequest, draft: SeasonDraft) -> HttpResponse:
    """The name, and the season from which this one is copied."""
    plan = Plan.read(draft.said)
    form = StartForm(request.POST if request.method == "POST" else None, club=draft.club, plan=plan)
    if request.method == "POST" and form.is_valid() and _saved(request, draft, form, form.changes()):
        return _next(draft, "start")
    return _page(request, draft, draft.club, "start", form, {"templates": draft.club.season_templates.all()})


@step
def points(request: SignedInRequest, draft: SeasonDraft) -> HttpResponse:
    """The scheme: fill in a ready-made one, change its table, put tie-breaks in order."""
    plan = Plan.read(draft.said)
    posted = request.POST if request.method == "POST" else None
    rows = request.GET.get("places", "")
    form = SchemeForm(posted, scheme=plan.scheme, rows=whole_number(rows, digits=3) or 0)
    if posted is not None:
        how, _colon, what = posted.get("action", "").partition(":")
        if how == "fill" and what in READY_MADE:
            scheme = READY_MADE[what].scheme
            who = {name: getattr(plan.scheme, name) for name in WHO_SCORES}
            if _saved(request, draft, form, {"scheme": replace(scheme, **who)}):
                return redirect(reverse("seasons:draft_points", args=[draft.key]) + "#table")
        elif form.is_valid():
            scheme = form.cleaned_data["scheme"]
            scheme = replace(scheme, tie_breaks=moved(scheme.tie_breaks, how, what))
            if _saved(request, draft, form, {"scheme": scheme}):
                if how == "more":
                    return redirect(f"{reverse('seasons:draft_points', args=[draft.key])}?places={form.rows + 10}")
                if how:
                    return redirect(f"{reverse('seasons:draft_points', args=[draft.key])}?moved={what}")
                return _next(draft, "points")
    context = {"ready_made": READY_MADE.values(), "moved": request.GET.get("moved", "")}
    return _page(request, draft, draft.club, "points", form, context)


@step
def classes(request: SignedInRequest, draft: SeasonDraft) -> HttpResponse:
    """Car classes and teams."""
    plan = Plan.read(draft.said)
    initial = {"classes": "\n".join(plan.classes), "teams": "\n".join(plan.teams)}
    form = NamesForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid() and _saved(request, draft, form, form.changes()):
        return _next(draft, "classes")
    return _page(request, draft, draft.club, "classes", form, {})


@step
def calendar(request: SignedInRequest, draft: SeasonDraft) -> HttpResponse:
    """The calendar: name, day, stages and power stage of each round. One button fills in all rounds."""
    plan = Plan.read(draft.said)
    posted = request.POST if request.method == "POST" else None
    form = CalendarForm(posted, rounds=plan.rounds, available=available_stages(draft.club))
    if posted is not None and form.is_valid():
        how, _colon, what = posted.get("action", "").partition(":")
        rounds = {"fill": form.filled, "add": form.with_another}.get(how, form.planned)()
        if _saved(request, draft, form, {"rounds": tuple(rounds)}):
            number = whole_number(what, digits=3)
            if how == "stages" and number and number <= len(rounds):
                return redirect("seasons:draft_stages", draft.key, number)
            here = reverse("seasons:draft_calendar", args=[draft.key])
            return redirect(f"{here}#rounds") if how else _next(draft, "calendar")
    context = {"own": OWN_STAGES, "fits": fits_of_plan(plan, draft.club, form.available)}
    return _page(request, draft, draft.club, "calendar", form, context)


@step
def stages(request: SignedInRequest, draft: SeasonDraft, number: int) -> HttpResponse:
    """The stages of one round, chosen one by one."""
    plan = Plan.read(draft.said)
    if not 1 <= number <= len(plan.rounds):
        raise Http404
    planned = plan.rounds[number - 1]
    chosen = [design.pk for design in available_stages(draft.club).of(planned)]
    form = StagesForm(request.POST if request.method == "POST" else None, club=draft.club, designs=chosen)
    if request.method == "POST" and form.is_valid():
        changed = replace(planned, route=OWN_STAGES, designs=form.designs())
        rounds = (*plan.rounds[: number - 1], changed, *plan.rounds[number:])
        if _saved(request, draft, form, {"rounds": rounds}):
            return redirect("seasons:draft_calendar", draft.key)
    context = {
        "title": _("Stages of %(name)s") % {"name": planned.name},
        "submit": _("Keep these stages"),
        "back": reverse("seasons:draft_calendar", args=[draft.key]),
    }
    return _page(request, draft, draft.club, "calendar", form, {**context, "stages": True})


@step
def rallies(request: SignedInRequest, draft: SeasonDraft) -> HttpResponse:
    """The initial settings of the season's rallies."""
    plan = Plan.read(draft.said)
    game = chosen_game(request, game_of(plan))
    form = RallyDefaultsForm(request.POST if request.method == "POST" else None, kept=plan.rally_settings, game=game)
    posted = request.method == "POST" and form.is_valid()
    if posted and _saved(request, draft, form, {"rally_settings": form.settings()}):
        return _next(draft, "rallies")
    return _page(request, draft, draft.club, "rallies", form, {})


@require_safe
@of_draft
def preview(request: HttpRequest, draft: SeasonDraft) -> HttpResponse:
    """Show the tables with invented results, and the button that creates the season."""
    return _preview(request, draft)


def _preview(request: HttpRequest, draft: SeasonDraft, problem: str = "", status: int = HTTPStatus.OK) -> HttpResponse:
    plan = Plan.read(draft.said)
    available = available_stages(draft.club)
    fits = fits_of_plan(plan, draft.club, available)
    table = sample_table(plan, [len(available.of(each)) for each in plan.rounds])
    before = season_drafts.championship_of(draft.club, plan.copied_from) if plan.registrations else None
    context = {
        "plan": plan,
        "fits": fits,
        "long": longest_of(fits),
        "table": table,
        "championship": table.championship,
        "missing": season_drafts.missing_parts(plan, draft.club),
        "problem": problem,
        "returning": len(registering.renewable_registrations(before, plan.classes)) if before else 0,
    }
    return _page(request, draft, draft.club, "preview", None, context, status)


@require_POST
@of_draft
def make(request: SignedInRequest, draft: SeasonDraft) -> HttpResponse:
    """Create the season as it was previewed; or first have its rounds driven together, and show the preview again."""
    try:
        if request.POST.get("rounds") == TOGETHER:
            settings = rally_defaults.with_rounds_together(Plan.read(draft.said).rally_settings)
            version = version_sent(request.POST)
            season_drafts.save_draft(by=request.user, draft=draft, version=version, rally_settings=settings)
            return redirect("seasons:draft_preview", draft.key)
        made = season_drafts.make_season(by=request.user, draft=draft, version=version_sent(request.POST))
    except (Refused, Stale) as refusal:
        fresh = SeasonDraft.objects.select_related("club").get(pk=draft.pk)
        return _preview(request, fresh, str(refusal.message), refusal.status)
    messages.success(request, _("The season is ready: send your drivers its link."))
    return redirect(made)


@require_POST
@of_draft
def discard(request: SignedInRequest, draft: SeasonDraft) -> HttpResponse:
    """Delete the draft."""
    season_drafts.discard_draft(by=request.user, draft=draft)
    messages.success(request, _("The draft is discarded."))
    return redirect("clubs:club", draft.club.slug)
