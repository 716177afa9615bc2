"""The rules as a page: each number is an anchor, and the log leads to them."""

import re

import pytest
from django.test import Client

from championship.runs.pages import rulebook
from tests.championship.runs.factories import driven

pytestmark = pytest.mark.django_db


def rules_page() -> str:
    answer = Client().get("/rules/dirt/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_every_rule_has_an_anchor_on_the_page() -> None:
    page = rules_page()
    anchors = re.findall(r'<p id="([A-Z]\d+)"', page)
    assert len(anchors) == len(set(anchors)) > 40
    assert {"T1", "D9", "M10", "R7", "E8", "O2", "F6"} <= set(anchors)
    assert not [number for number in re.findall(r'href="#([A-Z]\d+)"', page) if number not in anchors]
    assert "<table>" in page
    body = page.split('class="rulebook"')[1].split("</article>")[0]
    assert "**" not in body
    assert "|---" not in body
    assert "`" not in body


@pytest.mark.slow
def test_every_rule_that_the_log_of_a_stage_cites_can_be_read() -> None:
    run, _entries = driven("Ana", "Bo", "Cem", stages=("6/2",))
    log = Client().get(f"{run.get_absolute_url()}log/").content.decode()
    cited = set(re.findall(r'href="/rules/dirt/#([A-Z]\d+)"', log))
    assert {"R1", "E1", "F1"} <= cited
    assert cited <= set(re.findall(r'<p id="([A-Z]\d+)"', rules_page()))


def test_other_games_have_no_rules() -> None:
    assert Client().get("/rules/chess/").status_code == 404
    assert Client().get("/rules/..%2f..%2fREADME/").status_code == 404


def test_text_of_the_rules_is_escaped_and_rule_numbers_are_linked() -> None:
    title, (_, chapter) = rulebook._read(
        "# Rules\n\n## M. Moves\n\n**M1 – A.** <b> & *slanted* `M2` M1\nM2 M99 [a file](x.py)\n\n**M2 – B.** see M1\n\n"
        "| rule | card |\n|---|---|\n| M1 | `<a>` |\n"
    )
    assert (title, chapter.title) == ("Rules", "M. Moves")
    assert [(rule.number, rule.text) for rule in chapter.rules] == [
        (
            "M1",
            "<strong>M1 – A.</strong> &lt;b&gt; &amp; <em>slanted</em> <code>M2</code> M1\n"
            '<a href="#M2">M2</a> M99 a file',
        ),
        ("M2", '<strong>M2 – B.</strong> see <a href="#M1">M1</a>'),
    ]
    assert chapter.rows == [["rule", "card"], ['<a href="#M1">M1</a>', "<code>&lt;a&gt;</code>"]]
