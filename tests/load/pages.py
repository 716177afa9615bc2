"""Parses what a browser needs from a page: forms with their buttons, addresses to poll, and files to load."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser

Attributes = list[tuple[str, str | None]]


@dataclass(slots=True)
class Button:
    """A button that sends a form. `danger`: it is in a line with a warning."""

    name: str
    value: str
    danger: bool = False


@dataclass(slots=True)
class Form:
    """A form: its address, hidden fields and buttons."""

    action: str
    hidden: dict[str, str] = field(default_factory=dict)
    buttons: list[Button] = field(default_factory=list)

    def button(self, name: str, value: str | None = None) -> Button | None:
        """Return the first button with that name, and with that value if one is given."""
        return next((b for b in self.buttons if b.name == name and value in (None, b.value)), None)


class Page(HTMLParser):
    """A page or a fragment of one."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[Form] = []
        self.polls: dict[str, tuple[str, str]] = {}
        """For the id of each part that polls: the address that it polls, and the entity tag of what it shows."""
        self.sent: dict[str, str] = {}
        """Headers that the stage adds to posts from it."""
        self.fetched: list[str] = []
        self.links: list[str] = []
        self._form: Form | None = None
        self._danger = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        given = {name: value or "" for name, value in attrs}
        if "data-poll" in given:
            self.polls[given.get("id", "")] = (given["data-poll"], given.get("data-tag", ""))
        if "hx-headers" in given and given.get("id") == "run":
            self.sent = json.loads(given["hx-headers"])
        if tag == "form":
            self._form = Form(given.get("action", ""))
            self.forms.append(self._form)
        elif tag == "li":
            self._danger = "danger" in given.get("class", "").split()
        elif tag == "input" and self._form and given.get("type") == "hidden":
            self._form.hidden[given.get("name", "")] = given.get("value", "")
        elif tag == "button" and self._form and given.get("name"):
            self._form.buttons.append(Button(given["name"], given.get("value", ""), self._danger))
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "manifest"):
            self.fetched.append(given.get("href", ""))
        elif tag in ("script", "img") and given.get("src"):
            self.fetched.append(given["src"])
        elif tag == "image" and given.get("href"):
            self.fetched.append(given["href"])
        elif tag == "a" and given.get("href"):
            self.links.append(given["href"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "li":
            self._danger = False

    def form_with(self, name: str, value: str | None = None) -> Form | None:
        """Return the first form that has such a button."""
        return next((form for form in self.forms if form.button(name, value)), None)
