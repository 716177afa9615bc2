"""The form for uploads of archives."""

from __future__ import annotations

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

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
