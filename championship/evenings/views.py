"""The page of an evening, its board for a projector, and what drivers and organisers press there."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role_to_read
from championship.evenings import selectors, services
from championship.evenings.arriving import services as arriving
from championship.evenings.forms import HourForm, PaceForm, RulesForm, StopForm
from championship.evenings.models import Stop, Subject
from championship.evenings.stop import services as stops
from championship.platform import clock
from championship.platform.refusals import Refusal
from championship.platform.web import live_streams, polling
from championship.rallies import selectors as rallies
from championship.rallies import services as rally_services
from championship.rallies.clock.evening_forms import initial_evening_rules
from championship.rallies.desk.forms import put_refusal
from championship.rallies.models import Rally
from championship.rallies.public_views import crumbs, page_context
from championship.runs import play
from championship.runs.watch import selectors as runs
from championship.runs.watch.live import SPECTATOR

FilledIn = TypeVar("FilledIn", bound=forms.Form)


@polling.polled(selectors.of_evening)
@require_safe
def evening(request: HttpRequest, key: str) -> HttpResponse:
    """Show who is there, what is asked, what each table waits for; for organisers also what they can do."""
    return _page(request, rallies.rally_by_key(key, request.user))


def _page(
    request: HttpRequest, rally: Rally, *, wrong: forms.Form | None = None, refusal: Refusal | None = None
) -> HttpResponse:
    """The page; `wrong`: the form that was sent and cannot be accepted."""
    page = rallies.rally_page(rally, request.user)
    context = {
        **page_context(page, "evening"),
        "crumbs": crumbs(page, _("Evening")),
        "shown": selectors.evening_page(rally, request.user),
        "pace_form": PaceForm(initial=rally.evening_pace.plain()),
        "stop_form": StopForm(initial={"how": Stop.How.SPLIT}),
        "hour_form": HourForm(),
        "rules_form": RulesForm(initial=initial_evening_rules(rally)),
        "rules": rally.rules_of_evening,
        "refusal": refusal,
        "now": clock.now(),
        "members_only": rally.club.visibility == Club.Visibility.MEMBERS,
        "board": _board_address(rally),
    }
    status = refusal.status if refusal else HTTPStatus.OK
    if wrong is not None:
        context[next(name for name, each in context.items() if type(each) is type(wrong))] = wrong
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    return render(request, "evenings/evening.html", context, status=status)


def _board_address(rally: Rally) -> str:
    """The address of the board without sign-in: a secret one where the club is for members only."""
    if rally.club.visibility == Club.Visibility.MEMBERS:
        return reverse("evenings:secret_board", args=[selectors.secret_name(rally)])
    return reverse("evenings:board", args=[rally.key])


def _organised(request: SignedInRequest, key: str) -> Rally:
    """The rally, for its organisers only."""
    rally = rallies.rally_by_key(key, request.user)
    require_role_to_read(request.user, rally.club, Role.ORGANISER)
    return rally


def _kept(
    request: SignedInRequest, rally: Rally, form: FilledIn, keep: Callable[[FilledIn], object], says: str
) -> HttpResponse:
    """Keep what a form says and tell it, or show the page with the form and what is wrong with it."""
    if form.is_valid():
        try:
            keep(form)
        except Refusal as refusal:
            put_refusal(form, refusal)
        else:
            messages.success(request, says)
            return redirect("evenings:evening", rally.key)
    return _page(request, rally, wrong=form)


@login_required
@require_POST
def pace(request: SignedInRequest, key: str) -> HttpResponse:
    """Choose the pace of the rally's evenings."""
    rally = _organised(request, key)

    def keep(form: PaceForm) -> None:
        rally_services.set_evening_pace(by=request.user, rally=rally, pace=form.pace())

    return _kept(request, rally, PaceForm(request.POST), keep, _("The pace of the evening is kept."))


@login_required
@require_POST
def stop(request: SignedInRequest, key: str) -> HttpResponse:
    """Set when the evening ends."""
    rally = _organised(request, key)

    def keep(form: StopForm) -> None:
        stops.set_stop(by=request.user, rally=rally, **form.cleaned_data)

    return _kept(request, rally, StopForm(request.POST), keep, _("Everybody sees when the evening ends."))


@login_required
@require_POST
def check_in_hour(request: SignedInRequest, key: str) -> HttpResponse:
    """Set by when drivers check in."""
    rally = _organised(request, key)

    def keep(form: HourForm) -> None:
        arriving.set_hour(by=request.user, rally=rally, at=form.cleaned_data["at"])

    return _kept(request, rally, HourForm(request.POST), keep, _("Drivers can check in now."))


@login_required
@require_POST
def rules(request: SignedInRequest, key: str) -> HttpResponse:
    """Choose the rules of the rally's evenings."""
    rally = _organised(request, key)

    def keep(form: RulesForm) -> None:
        rally_services.set_evening_rules(by=request.user, rally=rally, rules=form.evening_rules())

    form = RulesForm(request.POST, initial=initial_evening_rules(rally))
    return _kept(request, rally, form, keep, _("The rules of the evening are kept."))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def presence(request: SignedInRequest) -> HttpResponse:
    """Show and change whether the person is shown as here in evenings."""
    if request.method == "POST":
        shown = request.POST.get("shown") == "yes"
        services.show_presence(by=request.user, shown=shown)
        says = _("Others see when you are here.") if shown else _("Nobody sees when you are here.")
        messages.success(request, says)
        return redirect("evenings:presence")
    context = {
        "unseen": selectors.is_unseen_everywhere(request.user),
        "crumbs": [(_("Your profile"), reverse("accounts:me")), (_("Shown as here"), None)],
    }
    return render(request, "evenings/presence.html", context)


CHECKED_IN = {
    arriving.CheckedIn.IN_TIME: gettext_lazy("You have checked in."),
    arriving.CheckedIn.WAITS: gettext_lazy("You have checked in. You are told when there is a place."),
    arriving.CheckedIn.BACK: gettext_lazy("You have the wheel again."),
    arriving.CheckedIn.NEXT: gettext_lazy("You start last when the next one begins."),
}


def _checked_in(by: User, rally: Rally) -> str:
    return str(CHECKED_IN[arriving.check_in(by=by, rally=rally)])


def _check_in_back(by: User, rally: Rally) -> str:
    arriving.take_check_in_back(by=by, rally=rally)
    return _("Taken back.")


def _no_check_in(by: User, rally: Rally) -> str:
    arriving.take_hour_back(by=by, rally=rally)
    return _("Nobody is asked to check in.")


def _reserve_moved(by: User, rally: Rally) -> str:
    entry = arriving.move_reserve(by=by, rally=rally)
    return _("%(crew)s has a place now.") % {"crew": entry.crew}


def _car_given(by: User, rally: Rally) -> str:
    entry = arriving.give_car_to_reserve(by=by, rally=rally)
    return _("%(crew)s drives number %(number)s from now on.") % {"crew": entry.crew, "number": entry.start_number}


def _presence(*, shown: bool) -> Callable[[User, Rally], str]:
    def chosen(by: User, rally: Rally) -> str:
        services.show_presence(by=by, shown=shown, rally=rally)
        return _("Others see when you are here.") if shown else _("Nobody sees here when you are there.")

    return chosen


def _asked(subject: str) -> Callable[[User, Rally], str]:
    def asked(by: User, rally: Rally) -> str:
        moved = services.ask(by=by, rally=rally, subject=subject)
        return _("The rally goes on at the new pace.") if moved else _("The drivers are asked now.")

    return asked


def _agreed(subject: str) -> Callable[[User, Rally], str]:
    def agreed(by: User, rally: Rally) -> str:
        done = services.agree(by=by, rally=rally, subject=subject)
        return _("Agreed. It is done now.") if done else _("Noted. Others have yet to agree.")

    return agreed


def _ready(by: User, rally: Rally) -> str:
    services.agree(by=by, rally=rally, subject=Subject.READY)
    return _("The others see that you are ready.")


def _taken_back(*subjects: str) -> Callable[[User, Rally], str]:
    def taken_back(by: User, rally: Rally) -> str:
        for subject in subjects:
            services.take_back(by=by, rally=rally, subject=subject)
        return _("Taken back.")

    return taken_back


def _refused(by: User, rally: Rally) -> str:
    services.refuse_pace(by=by, rally=rally)
    return _("The rally stays as it is.")


def _next_stage(by: User, rally: Rally) -> str:
    rally_services.start_next_stage(by=by, rally=rally)
    return _("The next one has started.")


def _pause_now(by: User, rally: Rally) -> str:
    rally_services.pause_rally(by=by, rally=rally, reason=_("A break."))
    return _("No time counts until it continues.")


def _resume_now(by: User, rally: Rally) -> str:
    rally_services.resume_rally(by=by, rally=rally)
    return _("Time counts again.")


def _goes_on(by: User, rally: Rally) -> str:
    stops.take_stop_back(by=by, rally=rally)
    return _("The evening has no set end now.")


ACTS: dict[str, Callable[[User, Rally], str]] = {
    "ask-minutes": _asked(Subject.MINUTES),
    "ask-hours": _asked(Subject.HOURS),
    "agree-minutes": _agreed(Subject.MINUTES),
    "agree-hours": _agreed(Subject.HOURS),
    "no": _refused,
    "pause": _agreed(Subject.PAUSE),
    "resume": _agreed(Subject.RESUME),
    "ready": _ready,
    "take-back": _taken_back(Subject.READY),
    "no-pause": _taken_back(Subject.PAUSE, Subject.RESUME),
    "next-stage": _next_stage,
    "pause-now": _pause_now,
    "resume-now": _resume_now,
    "no-stop": _goes_on,
    "check-in": _checked_in,
    "check-out": _check_in_back,
    "no-check-in": _no_check_in,
    "move-reserve": _reserve_moved,
    "give-car": _car_given,
    "unseen": _presence(shown=False),
    "seen": _presence(shown=True),
}


@login_required
@require_POST
def act(request: SignedInRequest, key: str, act: str) -> HttpResponse:
    """Do the act of a button on the page."""
    rally = rallies.rally_by_key(key, request.user)
    if act not in ACTS:
        raise Http404
    try:
        says = ACTS[act](request.user, rally)
    except Refusal as refusal:
        return _page(request, rallies.rally_by_key(key, request.user), refusal=refusal)
    messages.success(request, says)
    return redirect("evenings:evening", key)


@login_required
@require_POST
def more(request: SignedInRequest, key: str) -> HttpResponse:
    """Give the other drivers of a run who are to play a minute more."""
    run = runs.run_by_key(key, request.user)
    rally = run.special_stage.rally
    try:
        seen = parse_datetime(request.POST.get("seen", "")[:40])
    except ValueError:
        seen = None
    try:
        play.give_more(by=request.user, run=run, seen=seen if seen is None or seen.tzinfo else None)
    except Refusal as refusal:
        return _page(request, rallies.rally_by_key(rally.key, request.user), refusal=refusal)
    messages.success(request, _("A minute more."))
    return redirect("evenings:evening", rally.key)


@require_safe
def stream(request: HttpRequest, key: str) -> HttpResponseBase:
    """Tell of each change of an evening that a spectator may see. 204 where the rally is not driven in minutes: then
    the page polls.
    """
    return _followed(request, rallies.rally_by_key(key, request.user))


@require_safe
def secret_stream(request: HttpRequest, name: str) -> HttpResponseBase:
    """The same for a board with a secret address."""
    return _followed(request, _rally_of_board(name))


def _followed(request: HttpRequest, rally: Rally) -> HttpResponseBase:
    if not rally.keeps_seconds or rally.status in (Rally.Status.FINISHED, Rally.Status.CANCELLED):
        return HttpResponse(status=204)
    return live_streams.followed(request, f"rally {rally.key}")


@polling.polled(selectors.of_evening)
@require_safe
def board(request: HttpRequest, key: str) -> HttpResponse:
    """Show the board for a projector, to everybody who may see the rally."""
    rally = rallies.rally_by_key(key, request.user)
    return _board(request, rally, reverse("evenings:live", args=[key]))


@polling.polled(selectors.of_board)
@require_safe
def secret_board(request: HttpRequest, name: str) -> HttpResponse:
    """Show the board to everybody who has its secret address."""
    return _board(request, _rally_of_board(name), reverse("evenings:secret_live", args=[name]))


def _rally_of_board(name: str) -> Rally:
    """The rally of a secret address.

    Raises: Http404 when the address is none of ours, or works no longer.
    """
    rally = selectors.rally_of_board(name)
    if rally is None:
        raise Http404
    return rally


def _board(request: HttpRequest, rally: Rally, live: str) -> HttpResponse:
    """The board. `live`: the address of its stream."""
    shown = selectors.evening_page(rally, SPECTATOR)
    context: dict[str, Any] = {"rally": rally, "shown": shown, "now": clock.now(), "live": live}
    answer = render(request, "evenings/board.html", context)
    answer.headers["X-Robots-Tag"] = "noindex"
    return answer
