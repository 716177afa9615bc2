"""Pages bring their own fonts, with every letter of the three languages."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LETTERS = "ABCXYZabcxyz0123456789ąćęłńóśźżĄĆĘŁŃÓŚŹŻäöüßÄÖÜ–—„”“’…·×−›€"
# A letter that the font lacks is as wide as in the fallback font, in which all letters have the same width.
STRANGERS = """async ([face, letters]) => {
    await document.fonts.load(`400 1000px "${face}"`);
    await document.fonts.load(`700 1000px "${face}"`);
    const pen = document.createElement("canvas").getContext("2d");
    const wide = (letter, face) => { pen.font = face; return pen.measureText(letter).width; };
    return [...letters].filter(letter => [400, 700].some(weight =>
        wide(letter, `${weight} 1000px "${face}", monospace`) === wide(letter, `${weight} 1000px monospace`)));
}"""


@pytest.mark.parametrize("face", ["Pages Text", "Pages Narrow", "Pages Plate"])
def test_no_letter_of_the_three_languages_comes_from_the_readers_machine(page: Page, live_server, face: str) -> None:
    page.goto("/")
    assert page.evaluate(STRANGERS, [face, LETTERS]) == []
    assert page.evaluate(STRANGERS, [face, "я"]) == ["я"], "what it lacks is found"


def test_text_and_headings_are_set_in_them(page: Page, live_server) -> None:
    page.goto("/")
    loaded = page.evaluate(
        "document.fonts.ready.then(all => [...all].filter(f => f.status === 'loaded').map(f => f.family))"
    )
    assert {"Pages Text", "Pages Narrow", "Pages Plate"} <= {family.strip('"') for family in loaded}
