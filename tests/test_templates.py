"""Templates contain nothing that the content security policy would block."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (ROOT / "templates", *sorted((ROOT / "championship" / "games").glob("*/templates")))
TEMPLATES = sorted(path for folder in FOLDERS for path in folder.rglob("*") if path.suffix in {".html", ".svg"})
MAILS = ROOT / "templates" / "notices" / "mail"
"""Mails are exempt: the policy does not apply to them, and they need inline styles."""
COMMENTS = re.compile(r"{#.*?#}|{% comment %}.*?{% endcomment %}|<!--.*?-->", re.DOTALL)
BLOCKED = {
    "an inline script": re.compile(r"<script(?![^>]*(?:\bsrc=|type=.application/json))", re.IGNORECASE),
    "an inline style sheet": re.compile(r"<style\b", re.IGNORECASE),
    "a style attribute": re.compile(r"<[^>]*\sstyle\s*=", re.IGNORECASE),
    "an event attribute": re.compile(r"<[^>]*\s(?:hx-)?on[a-z:-]+\s*=", re.IGNORECASE),
    "an address with script": re.compile(r"javascript:", re.IGNORECASE),
    "text marked safe": re.compile(r"\|\s*safe\b|{%\s*autoescape off"),
}


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_contains_nothing_that_browsers_block(template: Path) -> None:
    source = COMMENTS.sub("", template.read_text(encoding="utf-8"))

    allowed = {"an inline style sheet"} if template.is_relative_to(MAILS) else set()
    assert {what for what, pattern in BLOCKED.items() if pattern.search(source)} <= allowed


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_button_outside_its_form_says_that_it_submits(template: Path) -> None:
    """Htmx sends the name and the value of such a button only where its type stands in the page."""
    source = COMMENTS.sub("", template.read_text(encoding="utf-8"))

    assert [each for each in re.findall(r"<button\b[^>]*\sform=[^>]*>", source) if 'type="submit"' not in each] == []
