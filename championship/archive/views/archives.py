"""Pages for owners to download a club's archive, for operators to restore one, and for people to download their own
data.
"""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.archive import selectors, services
from championship.archive.own_data import own_data as rows_of
from championship.archive.services import uploads
from championship.archive.services.writing import on_the_road
from championship.clubs.models import Membership, Role
from championship.clubs.selectors import membership_of
from championship.clubs.services import require_role_to_read
from championship.clubs.views import about, crumbs
from championship.platform.refusals import Refused, Stale

LARGEST_UPLOAD = 50 * 1024 * 1024
"""Bytes of an archive that may be uploaded on the page. The management command takes larger ones. Proxies allow a
little more (deploy/Caddyfile, deploy/nginx.conf).
"""


class RestoreForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Archive"),
        help_text=gettext_lazy(
            "The zip file that an owner downloaded, up to 50 MB. Larger ones: manage.py restore_club."
        ),
    )
    owner = forms.EmailField(
        label=gettext_lazy("Owner"),
        help_text=gettext_lazy(
            "The mail address of the account that gets the club. Choose it yourself: an archive makes nobody an owner."
        ),
    )

    def clean_file(self) -> UploadedFile[bytes]:
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > LARGEST_UPLOAD:
            raise forms.ValidationError(_("This file is larger than 50 MB: restore it with the command on the server."))
        return file


def _owner(request: SignedInRequest, slug: str) -> Membership:
    me = membership_of(user=request.user, slug=slug)
    require_role_to_read(request.user, me.club, Role.OWNER)
    return me


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the contents of an archive and the newest one; a POST requests another."""
    me = _owner(request, slug)
    refusal = None
    if request.method == "POST":
        try:
            services.request_archive(by=request.user, club=me.club)
            return redirect("archive:archive", slug)
        except (Refused, Stale) as error:
            refusal = error
    context = {
        **about(me),
        "crumbs": crumbs(me.club, _("Archive")),
        "archive": selectors.newest_archive(me.club),
        "on_the_road": on_the_road(me.club),
        "refusal": refusal,
    }
    return render(request, "archive/archive.html", context, status=refusal.status if refusal else HTTPStatus.OK)


@login_required
@require_safe
def state(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the progress of the archive, for a page that polls."""
    me = _owner(request, slug)
    context = {"club": me.club, "archive": selectors.newest_archive(me.club)}
    return render(request, "archive/parts/state.html", context)


@login_required
@require_POST
def download(request: SignedInRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """Send the archive as a file."""
    me = _owner(request, slug)
    found = selectors.archive_of(me.club, pk)
    answer = StreamingHttpResponse(services.download(by=request.user, archive=found), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{me.club.slug}-{found.ready_at:%Y-%m-%d}.zip"'
    answer["Content-Length"] = str(found.size)
    answer["Cache-Control"] = "no-store"
    return answer


def _require_operator(request: HttpRequest) -> User:
    """Return the operator who is signed in.

    Raises: Http404 for everybody else.
    """
    if not (request.user.is_authenticated and request.user.is_staff):
        raise Http404
    return request.user


@require_http_methods(["GET", "HEAD", "POST"])
def restore(request: HttpRequest) -> HttpResponse:
    """Show the archive that was uploaded last; a POST stores another, which a worker restores. Staff only."""
    operator = _require_operator(request)
    form = RestoreForm(request.POST, request.FILES) if request.method == "POST" else RestoreForm()
    status = HTTPStatus.OK
    if request.method == "POST" and form.is_valid():
        try:
            uploads.upload(by=operator, file=form.cleaned_data["file"].file, owner=form.cleaned_data["owner"])
        except (Refused, Stale) as refusal:
            status = HTTPStatus(refusal.status)
            form.add_error(refusal.field, str(refusal))
        else:
            return redirect("archive:restore")
    elif form.errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {"form": form, "upload": selectors.newest_upload()}
    return render(request, "archive/restore.html", context, status=status)


@require_safe
def restore_state(request: HttpRequest) -> HttpResponse:
    """Show what has become of the archive that was uploaded last, for a page that polls. Staff only."""
    _require_operator(request)
    return render(request, "archive/parts/upload.html", {"upload": selectors.newest_upload()})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def own_data(request: SignedInRequest) -> HttpResponse:
    """Send the file as a download. A GET redirects to the profile, where the button is."""
    if request.method != "POST":
        return redirect("accounts:me")
    data = rows_of(request.user)
    answer = JsonResponse(data, json_dumps_params={"indent": 1, "ensure_ascii": False})
    answer["Content-Disposition"] = f'attachment; filename="parc-ferme-{data["made_at"]:%Y-%m-%d}.json"'
    answer["Cache-Control"] = "no-store"
    return answer
