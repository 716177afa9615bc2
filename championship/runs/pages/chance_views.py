"""Views for verifying random draws: the proof of a run, its record, uploaded records, and the drivers' phrases; with
the sentences of the script that checks a record in the visitor's browser.
"""

from __future__ import annotations

import json
from http import HTTPStatus

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from championship import catalogue
from championship.platform.refusals import Refusal, Refused, Stale
from championship.rallies import selectors as rallies
from championship.runs import play as services
from championship.runs import run_pages
from championship.runs.pages.forms import PhraseForm, RecordForm
from championship.runs.watch import proof as proofs
from championship.runs.watch import selectors
from championship.runs.watch.logged_promises import witness_of
from engine import record, registry

FORM_METHODS = ["GET", "HEAD", "POST"]


@require_safe
def proof(request: HttpRequest, key: str) -> HttpResponse:
    """Show what was committed to before the first draw and, once the run is over, the secret from which everything
    follows.
    """
    run = selectors.unchecked_run_by_key(key)
    rallies.require_may_see(run.special_stage.rally, request.user)
    crumbs = [*selectors.crumbs(run, linked=True), (_("Proof"), None)]
    context = {
        "run": run,
        "proof": proofs.proof_of(run),
        "has_record": proofs.may_have_record(run, request.user),
        "crumbs": crumbs,
        "check_words": words(),
        "verify_command": catalogue.verify_command(run.game),
    }
    return render(request, "runs/proof.html", context)


@require_safe
def download(request: HttpRequest, key: str) -> HttpResponse:
    """Return the record of a run that is over, as a file."""
    run = selectors.run_by_key(key, request.user)
    text = json.dumps(proofs.record_for(run, request.user), indent=1, ensure_ascii=False)
    name = f"stage-{run.special_stage.number}-run-{run.number}.json"
    return HttpResponse(
        text, content_type="application/json", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@login_required
@require_http_methods(FORM_METHODS)
def verify_record(request: HttpRequest) -> HttpResponse:
    """Verify an uploaded record and, if it is valid, show how it ends and what happened. Nothing is stored, and nothing
    is shown from an invalid record.
    """
    form = RecordForm(request.POST, request.FILES) if request.method == "POST" else RecordForm()
    context = {"check_words": words()}
    if request.method != "POST" or not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
        return render(request, "runs/look.html", {**context, "form": form}, status=status)
    try:
        document = proofs.read_record(form.text())
        noted = {"promised": form.cleaned_data["promised"], "phrases": form.cleaned_data["published"]}
        checked = record.check(document, **noted)
        wrong = checked.wrong or ""
        assets = None if wrong else catalogue.get(document["game"]).assets
    except (Refused, Stale, ValueError, ArithmeticError) as error:
        form.add_error("record", str(error))
        return render(request, "runs/look.html", {**context, "form": form}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    shown = None if wrong else run_pages.get(document["game"]).record_shown(document)
    found = {
        "shown": shown,
        "wrong": wrong,
        "old_forms": checked.old_forms,
        "noted": noted,
        "assets": assets,
        "measure": registry.get(document["game"]).measure,
        "of_format_1": document["record"] == 1,
    }
    return render(request, "runs/look.html", {**context, "form": RecordForm(initial=form.cleaned_data), **found})


@require_http_methods(FORM_METHODS)
def phrase(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Show the seal of a stage and the phrases so far, and keep the driver's own until the stage opens."""
    stage = rallies.stage_of(rallies.rally_by_key(key, request.user), number)
    form = PhraseForm(request.POST if request.method == "POST" else None)
    status = HTTPStatus.OK
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(request.path)
        try:
            if form.is_valid():
                services.set_phrase(by=request.user, special_stage=stage, text=form.cleaned_data["text"])
                return redirect(request.path)
            status = HTTPStatus.UNPROCESSABLE_ENTITY
        except Refusal as refusal:
            form.add_error("text", str(refusal.message))
            status = HTTPStatus(refusal.status)
    seal = proofs.seal_of(stage)
    context = {
        "stage": stage,
        "rally": stage.rally,
        "seal": seal,
        "witness": witness_of(stage, seal),
        "phrases": list(stage.phrases.select_related("entry")),
        "may_set": selectors.may_set_phrase(stage, request.user),
        "form": form,
        "verify_command": catalogue.verify_command(stage.rally.game),
        "crumbs": [
            (stage.rally.title, stage.rally.get_absolute_url()),
            (stage.title, stage.get_absolute_url()),
            (_("Chance"), None),
        ],
    }
    return render(request, "runs/phrase.html", context, status=status)


def words() -> dict[str, str]:
    """Return the sentences by name. The script fills in the values in braces."""
    return {
        "checking": _("Checking …"),
        "holds": _(
            "This browser has checked it: seal and phrases have the fingerprints that the record names, and all "
            "{draws} draws follow from them and from the salts."
        ),
        "noted": _("The fingerprint of the seal is the one given above."),
        "unnoted": _("You gave no fingerprint, so this does not check that the seal is the promised one."),
        "rules": _(
            "This site also checks that the rules need exactly these draws. The engine's command does "
            "that on any computer."
        ),
        "mine": _("It contains all {count} salts that this browser remembers to have sent."),
        "ahead": _(
            "This browser remembers {sent} plans sent ahead: {count} were driven with their salts. The others were "
            "replaced, withdrawn or could not be driven; if not, their salts were changed."
        ),
        "old": _(
            "This record has the first format: its secret is the promised one. Only the rules can check "
            "its draws, on this site and with the command."
        ),
        "noCrypto": _("This browser cannot check records on this connection: it needs HTTPS."),
        "noRecord": _("The record could not be fetched."),
        "noFile": _("Choose the file of a record first."),
        "damaged": _("This record cannot be read."),
        "notHex": _("A fingerprint has 64 hexadecimal digits."),
        "promise": _("Wrong: the promise in the record is not the one given."),
        "seal": _("Wrong: the seal is not the one that was promised. Its SHA-256 differs."),
        "digest": _("Wrong: the fingerprint of the phrases in the record is not the one given."),
        "phrases": _("Wrong: the phrases are not those that were published. Their SHA-256 differs."),
        "secret": _("Wrong: the secret of run {run} does not follow from the seal."),
        "common": _("Wrong: the common secret does not follow from the seal."),
        "draw": _("Wrong: turn {turn}, draw {draw} ({what}): the record says {there}, the seal gives {here}."),
        "salt": _("Wrong: this browser sent the salt {salt}, and no turn in the record has it."),
    }
