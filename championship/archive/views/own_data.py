"""A person's own data as a file."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from championship.accounts.requests import SignedInRequest
from championship.archive.own_data import own_data as rows_of


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
