"""Markdown by operators and clubs, rendered as HTML."""

import pytest

from championship.markdown import as_html


def test_headings_items_and_links():
    text = "# House rules\nBe kind.\n\n- [ours](https://rally.example/a)\n- **bold** and *slanted*"
    assert as_html(text) == (
        "<h2>House rules</h2><p>Be kind.</p>\n"
        '<ul><li><a href="https://rally.example/a" rel="nofollow noopener">ours</a></li>'
        "<li><strong>bold</strong> and <em>slanted</em></li></ul>"
    )


def test_a_text_of_nothing_but_headings_is_no_way_to_break_the_page():
    assert as_html("# a\n" * 1900).count("<h2>a</h2>") == 1900


@pytest.mark.parametrize(
    "text", ["[" * 8000, "[a](javascript:alert(1))", '[a](https://x/"onclick=1)', "[[a](/b)](/c)", "<b>"]
)
def test_no_text_brings_markup_of_its_own(text):
    html = as_html(text)
    assert "<b>" not in html and "javascript:alert" not in html.replace("(javascript:alert(1))", "")
    assert html.count("<a ") <= 1 and '"onclick' not in html
