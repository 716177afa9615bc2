"""What people bring: archives and lists."""

from __future__ import annotations

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

LARGEST_UPLOAD = 50 * 1024 * 1024
"""Bytes of an archive that comes by the page; larger ones come by the command."""


class RestoreForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Archive"),
        help_text=gettext_lazy(
            "The zip file that an owner downloaded, up to 50 MB. Larger ones: manage.py restore_club."
        ),
    )

    def clean_file(self) -> UploadedFile:
        file: UploadedFile = self.cleaned_data["file"]
        if (file.size or 0) > LARGEST_UPLOAD:
            raise forms.ValidationError(_("This file is larger than 50 MB: restore it by the command on the server."))
        return file
