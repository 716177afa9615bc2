"""A list through all its pages, as an organiser presses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from championship.lists.models import ListDraft, ListImport


@dataclass
class Steps:
    """A walk through the pages of lists. `presses`: how often a button was pressed."""

    client: Client
    presses: int = 0
    pages: list[str] = field(default_factory=list)

    def bring(self, url: str, content: bytes | str, name: str = "list.csv", **columns: str) -> ListImport:
        """Bring a list, and go on with its columns as they are guessed, or with what `columns` says."""
        sent = {"text": content} if isinstance(content, str) else {"file": SimpleUploadedFile(name, content)}
        page = self._post(url, sent)
        draft = ListDraft.objects.get(key=page.split("/")[2])
        made = self._post(page, {"version": draft.version, "do": "next", **columns})
        return ListImport.objects.get(key=made.split("/")[2])

    def say(self, made: ListImport, answers: Mapping[str, str] | None = None) -> None:
        """Answer who is who where it is asked: by name, else what is offered."""
        page = f"/lists/{made.key}/people/"
        shown = self.client.get(page)
        if shown.status_code == 200:
            asked = shown.context["asked"]
            said = {f"who-{each.key}": (answers or {}).get(each.match.name, each.answer) for each in asked}
            made.refresh_from_db()
            self._post(page, {"version": made.version, **said})
            made.refresh_from_db()

    def look(self, made: ListImport) -> Any:
        """Return the page that shows what it would do."""
        shown = self.client.get(f"/lists/{made.key}/look/")
        assert shown.status_code == 200, shown.content.decode()
        return shown

    def take(self, made: ListImport) -> ListImport:
        """Import it."""
        made.refresh_from_db()
        self._post(f"/lists/{made.key}/look/", {"version": made.version, "do": "take"})
        made.refresh_from_db()
        return made

    def all_of(self, url: str, content: bytes | str, name: str = "list.csv", **answers: str) -> ListImport:
        """Bring a list and import it. `answers`: by name, with underscores for blanks."""
        made = self.bring(url, content, name)
        self.say(made, {person.replace("_", " "): answer for person, answer in answers.items()})
        self.look(made)
        return self.take(made)

    def _post(self, url: str, sent: Mapping[str, Any]) -> str:
        """Press a button, and return the address to which it leads."""
        self.presses += 1
        answer = self.client.post(url, dict(sent))
        assert answer.status_code == 302, answer.content.decode()
        return str(answer["Location"])
