"""Pages of a club's own card sets: the list, one set as cards, importing one, a new version, removing one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs import selectors as clubs
from championship.clubs.models import Club
from championship.clubs.services import require_role
from championship.games.dust import sets_selectors
from championship.games.dust.models import CardSet, SetVersion
from championship.games.dust.services import sets
from championship.games.dust.sets_forms import SetForm, TextForm
from championship.papers.grids import Grid, csv_text, delimiter_of, workbook
from championship.platform.refusals import Refusal, Refused, Stale
from championship.stages import table_reader
from championship.stages.services import MAKERS
from championship.stages.views.library import crumbs_of
from engine.dust.cards import card_set_reading, card_tables, faults
from engine.dust.cards.faults import Fault

View = Callable[..., HttpResponse]
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
POSTS = ["GET", "HEAD", "POST"]


@dataclass(frozen=True, slots=True)
class FaultShown:
    """A fault of a set in the reader's language: the card or the table, the line, the rule, the reason."""

    card: str
    line: int | None
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Visitor:
    """A member who views a club's sets, and whether they may change them."""

    user: User
    club: Club
    manages: bool


def for_members(view: View) -> View:
    """Decorate a page of a club's sets for its members; others get 404."""

    @login_required
    @wraps(view)
    def guarded(request: SignedInRequest, slug: str, **rest: Any) -> HttpResponse:
        me = clubs.membership_of(user=request.user, slug=slug)
        return view(request, Visitor(request.user, me.club, not set(MAKERS).isdisjoint(me.roles)), **rest)

    return guarded


@for_members
@require_safe
def all_sets(request: HttpRequest, me: Visitor) -> HttpResponse:
    """Show the club's sets, and the set that every club has."""
    context = {"sets": sets_selectors.sets_of(me.club), "own": card_set_reading.own(card_set_reading.NEWEST)}
    return _page(request, me, "dust/sets.html", [(_("Card sets"), None)], context)


@for_members
@require_safe
def own_set(request: HttpRequest, me: Visitor) -> HttpResponse:
    """Show the set that every club has, as cards."""
    cards = card_set_reading.own(card_set_reading.NEWEST)
    context = {"title": cards.title, "groups": sets_selectors.preview(cards)}
    return _page(request, me, "dust/sets_own.html", [_all(me), (cards.title, None)], context)


@for_members
@require_safe
def own_text(request: HttpRequest, me: Visitor) -> HttpResponse:
    """Send the set that every club has as a file, to start from."""
    return _file(card_set_reading.own_text(card_set_reading.NEWEST), "cards")


@for_members
@require_safe
def own_table(request: HttpRequest, me: Visitor, kind: str) -> HttpResponse:
    """Send the cards of the set that every club has as a table."""
    return _table(card_set_reading.own_document(card_set_reading.NEWEST), "cards", kind)


@for_members
@require_safe
def one_set(request: HttpRequest, me: Visitor, key: str, number: int | None = None) -> HttpResponse:
    """Show a version of a set as cards, by default the newest."""
    return _set_page(request, me, sets_selectors.set_of(me.club, key), number)


@for_members
@require_safe
def text(request: HttpRequest, me: Visitor, key: str, number: int) -> HttpResponse:
    """Send a version of a set as a file, as it was typed in."""
    card_set = sets_selectors.set_of(me.club, key)
    return _file(sets_selectors.version_of(card_set, number).text, f"{card_set.name} {number}")


@for_members
@require_safe
def table(request: HttpRequest, me: Visitor, key: str, number: int, kind: str) -> HttpResponse:
    """Send the cards of a version of a set as a table."""
    card_set = sets_selectors.set_of(me.club, key)
    document = _document(sets_selectors.version_of(card_set, number).text)
    if document is None:
        raise Http404
    return _table(document, f"{card_set.name} {number}", kind)


@for_members
@require_http_methods(POSTS)
def bring(request: HttpRequest, me: Visitor) -> HttpResponse:
    """Import a new set: preview it (`check`), or save it. 422 with all faults and the form as it was sent."""
    require_role(me.user, me.club, *MAKERS)
    base = card_set_reading.own_document(card_set_reading.NEWEST)
    form = SetForm(request.POST if request.method == "POST" else None, request.FILES or None, base=base, club=me.club)
    if request.method != "POST":
        return _form_page(request, me, form)

    def save() -> SetVersion:
        name = form.cleaned_data["name"]
        return sets.import_set(by=me.user, club=me.club, name=name, text=form.source)

    return _check_or_save(request, me, form, save)


@for_members
@require_http_methods(POSTS)
def renew(request: HttpRequest, me: Visitor, key: str) -> HttpResponse:
    """Change a set: the newest version as text, to be saved as the next one."""
    require_role(me.user, me.club, *MAKERS)
    card_set = sets_selectors.set_of(me.club, key)
    newest = sets_selectors.version_of(card_set)
    initial = {"text": newest.text, "seen": newest.number}
    base = _document(newest.text) or card_set_reading.own_document(card_set_reading.NEWEST)
    sent = request.POST if request.method == "POST" else None
    form = TextForm(sent, request.FILES or None, initial=initial, base=base, club=me.club)
    if request.method != "POST":
        return _form_page(request, me, form, card_set=card_set)

    def save() -> SetVersion:
        seen = form.cleaned_data["seen"] or 0
        return sets.save_next_version(by=me.user, card_set=card_set, text=form.source, seen=seen)

    return _check_or_save(request, me, form, save, card_set=card_set)


@for_members
@require_POST
def remove(request: HttpRequest, me: Visitor, key: str) -> HttpResponse:
    """Remove a set, unless a rally uses it."""
    card_set = sets_selectors.set_of(me.club, key)
    try:
        sets.remove_set(by=me.user, card_set=card_set)
    except (Refused, Stale) as refusal:
        return _set_page(request, me, card_set, None, refusal=refusal)
    messages.success(request, _("%s is removed from the library.") % card_set.name)
    return redirect("dust_sets:all", me.club.slug)


def _check_or_save(
    request: HttpRequest,
    me: Visitor,
    form: TextForm,
    save: Callable[[], SetVersion],
    *,
    card_set: CardSet | None = None,
) -> HttpResponse:
    """Check the form, then preview the set (`check`), or save it and redirect to its page."""
    if not form.is_valid():
        return _form_page(request, me, form, card_set=card_set)
    source = form.source
    if form.said_again is not None:
        table_reader.keep_columns(me.club, form.said_again)
    # A browser does not send the file again, so its text goes into the form, where it can be corrected.
    form.data = {**request.POST.dict(), "text": source, "table": form.read.text if form.read else ""}
    if "check" in request.POST or form.read is not None:
        found = sets.faults_of(source)
        return _form_page(request, me, form, card_set=card_set, found=found, checked=True)
    try:
        version = save()
    except sets.FaultyCardSet as faulty:
        return _form_page(request, me, form, card_set=card_set, found=faulty.faults, checked=True)
    except (Refused, Stale) as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, str(refusal))
        return _form_page(request, me, form, card_set=card_set, status=refusal.status)
    said = {"name": version.card_set.name, "number": version.number}
    messages.success(request, _("%(name)s is saved as version %(number)d. Its stages are in the library.") % said)
    return redirect(version.card_set)


def _form_page(
    request: HttpRequest,
    me: Visitor,
    form: TextForm,
    *,
    card_set: CardSet | None = None,
    found: tuple[Fault, ...] = (),
    checked: bool = False,
    status: HTTPStatus | None = None,
) -> HttpResponse:
    """Show the form with all faults of the set, or with its cards when there are none."""
    cards = sets_selectors.cards_of(form.source) if checked and not found else None
    if status is None:
        status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors or found else HTTPStatus.OK
    title = _("A new card set") if card_set is None else _("A new version")
    way = [_all(me)] if card_set is None else [_all(me), (card_set.name, card_set.get_absolute_url())]
    context = {
        "title": title,
        "form": form,
        "card_set": card_set,
        "faults": [_shown(fault) for fault in found],
        "fine": cards is not None,
        "table": form.read,
        "roles": [(each.name, _(each.label)) for each in card_tables.COLUMNS],
        "groups": sets_selectors.preview(cards) if cards else [],
    }
    return _page(request, me, "dust/sets_form.html", [*way, (title, None)], context, status)


def _set_page(
    request: HttpRequest, me: Visitor, card_set: CardSet, number: int | None, *, refusal: Refusal | None = None
) -> HttpResponse:
    version = sets_selectors.version_of(card_set, number)
    cards = sets_selectors.cards_of(version.text)
    context = {
        "card_set": card_set,
        "version": version,
        "versions": sets_selectors.versions_of(card_set),
        "designs": sets_selectors.stages_of(card_set),
        "groups": sets_selectors.preview(cards) if cards else [],
        "refusal": refusal,
    }
    status = refusal.status if refusal else HTTPStatus.OK
    return _page(request, me, "dust/sets_one.html", [_all(me), (card_set.name, None)], context, status)


def _shown(fault: Fault) -> FaultShown:
    card = _(faults.WHOLE_SET) if fault.card == faults.WHOLE_SET else fault.card
    return FaultShown(card, fault.line, fault.rule, fault.reason(_))


def _all(me: Visitor) -> tuple[str, str | None]:
    return (_("Card sets"), reverse("dust_sets:all", args=[me.club.slug]))


def _document(text: str) -> dict[str, Any] | None:
    """Return the document of a set; None for a text that cannot be read any more."""
    if sets_selectors.cards_of(text) is None:
        return None
    return card_set_reading.document(text)


def _table(document: Mapping[str, Any], name: str, kind: str) -> HttpResponse:
    """Send the cards of a set as CSV, with the delimiter of the reader's language, or as a workbook."""
    heads, rows = card_tables.table_of(document)
    grid = Grid(name, heads, tuple(rows))
    if kind == "xlsx":
        answer = HttpResponse(workbook([grid]), content_type=XLSX)
    else:
        text = csv_text(grid, delimiter_of("", get_language() or ""))
        answer = HttpResponse(text, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{slugify(name) or "cards"}.{kind}"'
    return answer


def _file(source: str, name: str) -> HttpResponse:
    answer = HttpResponse(source, content_type="application/toml; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{slugify(name) or "cards"}.toml"'
    return answer


def _page(
    request: HttpRequest,
    me: Visitor,
    template: str,
    here: list[tuple[str, str | None]],
    context: Mapping[str, Any],
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    stages = (_("Stages"), reverse("stages:club", args=[me.club.slug]))
    shared = {"club": me.club, "manages": me.manages, "crumbs": [*crumbs_of(me.club), stages, *here]}
    return render(request, template, {**shared, **context}, status=status)
