"""Pages of divisions: who stands where, who moves after the season, the next season, and the rules."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.clubs.visibility import allow_indexing_if_public
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk.forms import put_refusal
from championship.seasons import selectors
from championship.seasons.divisions import selectors as found_in
from championship.seasons.divisions import services
from championship.seasons.divisions.forms import DivisionsForm, NextSeasonForm, RulesForm
from championship.seasons.divisions.services import offers, renewing
from championship.seasons.models import Championship, Registration
from championship.seasons.scoring import divisions as scoring
from championship.seasons.services import registering
from championship.seasons.views.editing import FORM_METHODS, editing, form_data, organised, page, saved, version_in
from championship.seasons.views.public import page_context


@editing
def rules(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """The rules of the season's divisions."""
    kept = services.rules_of(shown)
    form = RulesForm(form_data(request), championship=shown, rules=kept)
    if form.is_bound and form.is_valid():

        def write() -> object:
            return services.set_rules(by=by, championship=shown, version=version_in(request), **form.given())

        if saved(request, form, write):
            return redirect("seasons:divisions" if form.given()["names"] else "seasons:edit_divisions", shown.key)
    return page(request, shown, "edit_divisions", form, {})


def shown_with_divisions(request: HttpRequest, key: str) -> Championship:
    """Return a season with divisions.

    Raises: Http404 for a season without.
    """
    shown = selectors.championship_by_key(key, request.user)
    if not shown.divisions:
        raise Http404
    return shown


@require_http_methods(FORM_METHODS)
def divisions(request: HttpRequest, key: str) -> HttpResponse:
    """Show who stands in which division. Organisers put drivers into divisions here, one by one or all as proposed."""
    shown = shown_with_divisions(request, key)
    if request.method == "POST":
        return _assigned(request, shown)
    allow_indexing_if_public(request, shown.club)
    return _divisions_page(request, shown)


def _assigned(request: HttpRequest, shown: Championship) -> HttpResponse:
    by, shown = organised(request, shown.key)
    members = found_in.members_of(shown)
    form = _form(shown, members, request.POST)
    if request.POST.get("do") == "proposed":
        if registering.has_begun(shown):
            raise Stale(_("The season has begun: put drivers into divisions one by one."))
        chosen = dict(found_in.proposal_for(shown, members, services.rules_of(shown)).divisions)
    elif form.is_valid():
        chosen = form.chosen()
    else:
        return _divisions_page(request, shown, form=form)
    try:
        moved = services.assign(by=by, championship=shown, divisions=chosen, seen=request.POST.get("seen", ""))
    except Stale as stale:
        messages.error(request, str(stale.message))
        return _divisions_page(request, shown, status=HTTPStatus.CONFLICT)
    except Refused as refusal:
        form.is_valid()
        put_refusal(form, refusal)
        return _divisions_page(request, shown, form=form)
    said = ngettext(
        "%(n)d driver stands in another division now.", "%(n)d drivers stand in another division now.", moved
    )
    messages.success(request, said % {"n": moved})
    return redirect("seasons:divisions", shown.key)


def _form(shown: Championship, members: list[Registration], posted: object = None) -> DivisionsForm:
    return DivisionsForm(
        posted,
        names=shown.divisions,
        who={each.pk: each.driver for each in members},
        stand={each.pk: each.car_class for each in members},
    )


def _divisions_page(
    request: HttpRequest, shown: Championship, form: DivisionsForm | None = None, status: int = HTTPStatus.OK
) -> HttpResponse:
    here = _("Divisions")
    context = page_context(request.user, shown, "divisions", here, here)
    members, kept = found_in.members_of(shown), services.rules_of(shown)
    changes = context["organises"] and not shown.club.closed_at
    proposes = changes and not registering.has_begun(shown)
    proposal = found_in.proposal_for(shown, members, kept) if proposes else None
    stand = {each.pk: each.car_class for each in members}
    differing = [each for each in members if proposal and proposal.divisions[each.pk] != stand[each.pk]]
    context |= {
        "boards": found_in.boards(selectors.table(shown), members, kept),
        "unplaced": [each for each in members if each.car_class not in shown.divisions],
        "rules": kept,
        "scheme": shown.further["divisions"],
        "form": (form or _form(shown, members)) if changes else None,
        "seen": services.fingerprint(members),
        "proposal": proposal,
        "differing": sorted(
            ((each.driver, stand[each.pk], proposal.divisions[each.pk]) for each in differing if proposal),
            key=lambda row: [*shown.divisions, ""].index(row[2]),
        ),
    }
    wrong = form is not None and bool(form.errors)
    return render(
        request, "seasons/divisions.html", context, status=HTTPStatus.UNPROCESSABLE_ENTITY if wrong else status
    )


@require_http_methods(FORM_METHODS)
def moves(request: HttpRequest, key: str) -> HttpResponse:
    """Show who moves up or down by the tables as they are, and why. After the last round an organiser makes the next
    season here.
    """
    shown = shown_with_divisions(request, key)
    if request.method != "POST":
        allow_indexing_if_public(request, shown.club)
        return _moves_page(request, shown)
    by, shown = organised(request, key)
    form = _next_form(shown, selectors.table(shown), found_in.members_of(shown), request.POST)
    if not form.is_valid():
        return _moves_page(request, shown, form)
    try:
        made = renewing.make_next_season(
            by=by,
            championship=shown,
            name=form.cleaned_data["name"],
            divisions=form.chosen(),
            seen=request.POST.get("seen", ""),
            first_day=form.cleaned_data["first_day"],
            calendar=form.cleaned_data["calendar"],
        )
    except Stale as stale:
        messages.error(request, str(stale.message))
        return _moves_page(request, shown, status=HTTPStatus.CONFLICT)
    except Refused as refusal:
        put_refusal(form, refusal)
        return _moves_page(request, shown, form)
    messages.success(request, _("The next season stands, and its drivers are told."))
    return redirect("seasons:divisions", made.key)


def _next_form(
    shown: Championship, table: selectors.Table, members: list[Registration], posted: object = None
) -> NextSeasonForm:
    after = scoring.after(table.season)
    people = {each.driver_id: each.driver for each in members}
    return NextSeasonForm(
        posted,
        initial={"name": renewing.name_after(shown.name), "calendar": True},
        names=shown.divisions,
        who={int(pk): people[int(pk)] for pk in after},
        stand={int(pk): name for pk, name in after.items()},
    )


def _moves_page(
    request: HttpRequest, shown: Championship, form: NextSeasonForm | None = None, status: int = HTTPStatus.OK
) -> HttpResponse:
    here = _("Who moves")
    context = page_context(request.user, shown, "moves", here, here)
    table, members = selectors.table(shown), found_in.members_of(shown)
    over, kept = offers.is_over(shown), services.rules_of(shown)
    made = Championship.objects.filter(renewed_from__championship=shown).first()
    makes = context["organises"] and over and made is None and not shown.club.closed_at
    context |= {
        "moves": found_in.moves_told(table, members),
        "over": over,
        "made": made,
        "renews_at": renewing.renews_at(shown) if over and _runs(shown) else None,
        "rules": kept,
        "scheme": shown.further["divisions"],
        "form": (form or _next_form(shown, table, members)) if makes else None,
        "seen": renewing.fingerprint(scoring.after(table.season)),
    }
    wrong = form is not None and bool(form.errors)
    return render(request, "seasons/moves.html", context, status=HTTPStatus.UNPROCESSABLE_ENTITY if wrong else status)


def _runs(shown: Championship) -> bool:
    return hasattr(shown, "clock") and shown.clock.running
