"""Markdown by operators and clubs, rendered as HTML."""

import re

import pytest
from django.utils.html import escape, strip_tags

from championship.platform.markdown import as_html


def test_headings_items_and_links():
    text = "# House rules\nBe kind.\n\n- [ours](https://rally.example/a)\n- **bold** and *slanted*"
    assert as_html(text) == (
        "<h2>House rules</h2>\n<p>Be kind.</p>\n"
        '<ul>\n<li><a href="https://rally.example/a" rel="nofollow noopener">ours</a></li>\n'
        "<li><strong>bold</strong> and <em>slanted</em></li>\n</ul>\n"
    )


def test_a_text_of_nothing_but_headings_is_no_way_to_break_the_page():
    assert as_html("# a\n" * 1900).count("<h2>a</h2>") == 1900


def test_each_line_of_a_paragraph_keeps_its_place():
    assert as_html("Mondays, 20:00\r\nat the *Kettle*") == "<p>Mondays, 20:00<br>\nat the <em>Kettle</em></p>\n"


@pytest.mark.parametrize("text", ["[a](javascript:alert(1))", "[a](data:text/html,x)", "![a](/b)", "`a`", "&lt;"])
def test_what_a_text_may_not_contain_is_shown_as_it_is(text):
    html = as_html(text)
    assert not {"<img", "<code", "javascript:", "data:"} & set(re.findall(r"<\w+|(?<=href=\")\w+:", html))
    assert strip_tags(html).strip() == escape(text if text[0] != "!" else "!a")


@pytest.mark.parametrize(
    "text", ["[" * 8000, "[a](javascript:alert(1))", '[a](https://x/"onclick=1)', "[[a](/b)](/c)", "<b>"]
)
def test_no_text_brings_markup_of_its_own(text):
    html = as_html(text)
    assert "<b>" not in html and "javascript:alert" not in html.replace("(javascript:alert(1))", "")
    assert html.count("<a ") <= 1 and '"onclick' not in html
