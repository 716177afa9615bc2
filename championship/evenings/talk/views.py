"""The talk beside a run: its page, which the page of the run shows too, and what is done to words."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.requests import SignedInRequest, is_signed_in
from championship.clubs.moderation_tables import LONGEST_REASON
from championship.clubs.services.moderation import may_judge
from championship.evenings.models import LONGEST_WORD, Phrase, Word
from championship.evenings.talk import selectors, services
from championship.platform.refusals import Refused
from championship.platform.web import live_streams, polling
from championship.rallies.clock.timekeeping_forms import mark_as_having_default
from championship.runs.models import Run
from championship.runs.watch import selectors as runs

page_with_form = require_http_methods(["GET", "HEAD", "POST"])


class WordForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Say something"),
        required=False,
        strip=False,
        widget=forms.TextInput(attrs={"maxlength": LONGEST_WORD, "autocomplete": "off"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        mark_as_having_default(self.fields.values())  # a phrase in its place


class HideForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        widget=forms.TextInput(attrs={"maxlength": LONGEST_REASON}),
        help_text=gettext_lazy("The author sees it, and the club's log shows it."),
    )


@polling.polled(selectors.of_talk)
@page_with_form
def talk(request: HttpRequest, key: str) -> HttpResponse:
    """Show what is said beside a run, and say something: a text, or a phrase by its button."""
    run = runs.run_by_key(key, request.user)
    form = WordForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if not is_signed_in(request):
            return redirect_to_login(request.get_full_path())
        phrase = request.POST.get("phrase", "")
        if form.is_valid():
            try:
                services.say(by=request.user, run=run, text=form.cleaned_data["text"], phrase=phrase)
            except Refused as refusal:
                form.add_error("text", str(refusal))
            else:
                return redirect("evenings:talk", key)
    return _page(request, run, form)


def _page(request: HttpRequest, run: Run, form: WordForm) -> HttpResponse:
    stage = run.special_stage
    context = {
        "run": run,
        "stage": stage,
        "rally": stage.rally,
        "shown": selectors.talk_of(run, request.user),
        "form": form,
        "phrases": Phrase.choices,
        "crumbs": [*_trail(run), (_("Talk"), None)],
    }
    wrong = form.is_bound and bool(form.errors)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
    answer = render(request, "evenings/talk.html", context, status=status)
    # Beside a run it is a part of that page, whose address stays. htmx pushes that of a boosted form all the same.
    answer.headers["HX-Push-Url"] = "false"
    return answer


def _trail(run: Run) -> list[tuple[str, Any]]:
    stage = run.special_stage
    return [(stage.rally.title, stage.rally.get_absolute_url()), (stage.title, run.get_absolute_url())]


@require_safe
def stream(request: HttpRequest, key: str) -> HttpResponseBase:
    """Tell of new words that the reader may read."""
    run = runs.run_by_key(key, request.user)
    part = selectors.part_of(run, request.user)
    if part.sealed or part.over:
        return HttpResponse(status=204)
    return live_streams.followed(request, selectors.topic_of(run, part))


@login_required
@require_POST
def take_back(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete the author's words."""
    word = Word.objects.filter(pk=pk).select_related("run").first()
    try:
        services.take_back(by=request.user, word=pk)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("home") if word is None else redirect("evenings:talk", word.run.key)


@login_required
@page_with_form
def hide(request: SignedInRequest, pk: int) -> HttpResponse:
    """Hide words, with a reason; for stewards."""
    word = selectors.word_for(request.user, pk)
    if not may_judge(request.user, word.run.special_stage.rally.club):
        raise Http404
    form = HideForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            services.hide(by=request.user, word=word, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            messages.success(request, _("It is hidden."))
            return redirect("evenings:talk", word.run.key)
    context = {"word": word, "form": form, "crumbs": [*_trail(word.run), (_("Hide words"), None)]}
    wrong = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "evenings/hide.html", context, status=wrong)
