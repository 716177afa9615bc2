"""Chance that anyone can check: the proof of a run, its record, records to look at, and the drivers' phrases."""

from __future__ import annotations

import json
from http import HTTPStatus

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from championship.rallies import selectors as rallies
from championship.refusals import Refused
from championship.runs import games, selectors, services
from championship.runs import proof as proofs
from championship.runs.forms import PhraseForm, RecordForm
from engine import record

FORM_METHODS = ["GET", "HEAD", "POST"]


@require_safe
def proof(request: HttpRequest, key: str) -> HttpResponse:
    """What was promised before the first roll, and, once the run is over, the secret that everything follows from."""
    run = selectors.run_by_key(key)
    crumbs = [*selectors.crumbs(run, linked=True), (_("Proof"), None)]
    return render(request, "runs/proof.html", {"run": run, "proof": proofs.proof_of(run), "crumbs": crumbs})


@require_safe
def download(request: HttpRequest, key: str) -> HttpResponse:
    """The record of a run that is over, as a file."""
    run = selectors.run_by_key(key)
    text = json.dumps(proofs.record_of(run), indent=1, ensure_ascii=False)
    name = f"stage-{run.special_stage.number}-run-{run.number}.json"
    return HttpResponse(
        text, content_type="application/json", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@login_required
@require_http_methods(FORM_METHODS)
def look(request: HttpRequest) -> HttpResponse:
    """A record that somebody brings: whether its chance holds, and if so how it ends and what happened. Nothing is
    kept, and of a record that does not hold nothing is believed.
    """
    form = RecordForm(request.POST, request.FILES) if request.method == "POST" else RecordForm()
    if request.method != "POST" or not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
        return render(request, "runs/look.html", {"form": form}, status=status)
    try:
        document = proofs.read_record(form.text())
        wrong = record.verify(document) or ""
    except (Refused, ValueError, ArithmeticError) as error:
        form.add_error("record", str(error))
        return render(request, "runs/look.html", {"form": form}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    shown = None if wrong else games.get(document["game"]).look(document)
    return render(request, "runs/look.html", {"form": RecordForm(), "shown": shown, "wrong": wrong})


@require_http_methods(FORM_METHODS)
def phrase(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """The seal of a stage, the phrases so far, and the driver's own until the stage opens."""
    stage = rallies.stage_of(rallies.rally_by_key(key), number)
    form = PhraseForm(request.POST if request.method == "POST" else None)
    status = HTTPStatus.OK
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(request.path)
        try:
            if form.is_valid():
                services.say_phrase(by=request.user, special_stage=stage, text=form.cleaned_data["text"])
                return redirect(request.path)
            status = HTTPStatus.UNPROCESSABLE_ENTITY
        except Refused as refusal:
            form.add_error("text", str(refusal.message))
            status = HTTPStatus(refusal.status)
    context = {
        "stage": stage,
        "rally": stage.rally,
        "seal": proofs.seal_of(stage),
        "phrases": list(stage.phrases.select_related("entry")),
        "may_say": selectors.may_say_phrase(stage, request.user),
        "form": form,
        "crumbs": [
            (stage.rally.name, stage.rally.get_absolute_url()),
            (stage.title, stage.get_absolute_url()),
            (_("Chance"), None),
        ],
    }
    return render(request, "runs/phrase.html", context, status=status)
