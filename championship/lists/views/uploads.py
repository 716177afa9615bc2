"""The first steps of a list: it is brought, and it is said which column is what."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.requests import SignedInRequest
from championship.lists import columns_page
from championship.lists.forms import ListForm
from championship.lists.models import ListDraft
from championship.lists.reading import Reading
from championship.lists.selectors import Target, draft_by_key, open_draft, steps, target_of
from championship.lists.services import uploads
from championship.platform.bounded_input import version_sent, whole_number
from championship.platform.csv_text import BYTE_ORDER_MARK, plain
from championship.platform.refusals import Refused, Stale
from championship.platform.web.large_posts import takes_long_text
from championship.rallies.desk.forms import put_refusal

FORM_METHODS = ["GET", "HEAD", "POST"]
MOST_COLUMNS_SENT = 200


@takes_long_text("text")
@login_required
@require_http_methods(FORM_METHODS)
def rally_entries(request: SignedInRequest, key: str) -> HttpResponse:
    """Bring a list of entries of a rally."""
    return _upload(request, target_of(request.user, ListDraft.Purpose.ENTRIES, key))


@takes_long_text("text")
@login_required
@require_http_methods(FORM_METHODS)
def registrations(request: SignedInRequest, key: str) -> HttpResponse:
    """Bring a list of registrations for a season."""
    return _upload(request, target_of(request.user, ListDraft.Purpose.REGISTRATIONS, key))


@takes_long_text("text")
@login_required
@require_http_methods(FORM_METHODS)
def past(request: SignedInRequest, key: str) -> HttpResponse:
    """Bring a list of past results of a season."""
    return _upload(request, target_of(request.user, ListDraft.Purpose.RESULTS, key))


@takes_long_text("text")
@login_required
@require_http_methods(FORM_METHODS)
def members(request: SignedInRequest, slug: str) -> HttpResponse:
    """Bring a list of the people of a club."""
    return _upload(request, target_of(request.user, ListDraft.Purpose.MEMBERS, slug))


def _upload(request: SignedInRequest, target: Target) -> HttpResponse:
    form = ListForm(request.POST, request.FILES) if request.method == "POST" else ListForm()
    if request.method == "POST" and form.is_valid():
        content, file_name, field = form.content()
        try:
            draft = uploads.bring(
                by=request.user,
                club=target.club,
                purpose=target.purpose,
                target=target.key,
                content=content,
                file_name=file_name,
                field=field,
            )
        except Refused as refusal:
            put_refusal(form, refusal)
        else:
            return redirect("lists:columns", draft.key)
    context = {
        "form": form,
        "target": target,
        "title": target.title,
        "crumbs": target.crumbs,
        "open_draft": open_draft(request.user, target),
        "results": target.purpose == ListDraft.Purpose.RESULTS,
        "steps": steps(),
        "step": 1,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "lists/upload.html", context, status=status)


@login_required
@require_http_methods(FORM_METHODS)
def columns(request: SignedInRequest, key: str) -> HttpResponse:
    """Show what each column is taken for, and what is understood. A POST says it better, or goes on."""
    draft, target = draft_by_key(request.user, key)
    error, status = "", HTTPStatus.OK
    if request.method == "POST":
        try:
            draft = uploads.say(
                by=request.user, draft=draft, version=version_sent(request.POST), said=_said(request.POST)
            )
            if request.POST.get("do") != "next":
                return redirect("lists:columns", draft.key)
            made = uploads.hand_on(
                by=request.user,
                draft=draft,
                version=draft.version,
                championship=target.championship,
                rally=target.rally,
            )
            return redirect(made.get_absolute_url())
        except (Refused, Stale) as refusal:
            error, status = str(refusal), HTTPStatus(refusal.status)
            draft, target = draft_by_key(request.user, key)
    try:
        page = columns_page.page_of(draft, uploads.read_draft(draft))
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect(target.upload_url)
    context = {
        "draft": draft,
        "target": target,
        "title": target.title,
        "crumbs": target.crumbs,
        "page": page,
        "error": error,
        "steps": steps(),
        "step": 2,
    }
    return render(request, "lists/columns.html", context, status=status)


@login_required
@require_safe
def faulty_lines(request: SignedInRequest, key: str) -> HttpResponse:
    """Return the lines with faults as CSV, each with what is wrong with it, to be corrected and brought again."""
    draft, _target = draft_by_key(request.user, key)
    answer = HttpResponse(_as_csv(uploads.read_draft(draft)), "text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="to-correct.csv"'
    return answer


@login_required
@require_POST
def discard(request: SignedInRequest, key: str) -> HttpResponse:
    """Delete a list that was brought."""
    draft, target = draft_by_key(request.user, key)
    uploads.discard(by=request.user, draft=draft)
    messages.success(request, _("The list is discarded."))
    return redirect(target.upload_url)


def _said(sent: Mapping[str, Any]) -> uploads.Said:
    """Return what a form says: the sheet, the role of each column, answers."""
    columns: dict[int, str] = {}
    answers: dict[str, str] = {}
    for name in list(sent)[:MOST_COLUMNS_SENT]:
        value = str(sent.get(name, ""))[:200]
        head, _dash, rest = name.partition("-")
        index = whole_number(rest, digits=3) if head == "column" else None
        if index is not None:
            columns[index] = value
        elif head == "answer" and rest.replace("-", " ") in columns_page.ANSWERED:
            answers[rest.replace("-", " ")] = value
    answers["faults"] = uploads.LEAVE_OUT if sent.get("faults") == uploads.LEAVE_OUT else ""
    return uploads.Said(whole_number(str(sent.get("sheet", "")), digits=2), columns, answers)


def _as_csv(reading: Reading) -> str:
    wrong: dict[int, list[str]] = {}
    for note in uploads.faults_of(reading):
        for line in note.lines:
            wrong.setdefault(line, []).append(f"{note.column}: {note.says}" if note.column else note.says)
    written = io.StringIO()
    table = csv.writer(written, delimiter=";" if (get_language() or "")[:2] in ("de", "pl") else ",")
    heads = [head.written for head in reading.layout.heads]
    if any(heads):
        table.writerow([*(plain(head) for head in heads), _("To correct")])
    for row in reading.layout.rows:
        if row.line in wrong:
            table.writerow([*(plain(cell) for cell in row.cells), plain(" ".join(wrong[row.line]))])
    return BYTE_ORDER_MARK + written.getvalue()
