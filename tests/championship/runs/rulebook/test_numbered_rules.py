"""The numbered rules as a page: each number is an anchor, tables stand in their place, and what is not for players is
left out.
"""

import re

import pytest
from django.test import Client

from championship.runs.rulebook import reference
from tests.championship.runs.factories import driven

pytestmark = pytest.mark.django_db


def page(address: str) -> str:
    answer = Client().get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_every_rule_has_an_anchor_on_the_page() -> None:
    shown = page("/rules/dirt/reference/")
    anchors = re.findall(r'<p id="([A-Z]\d+)"', shown)
    assert len(anchors) == len(set(anchors)) > 40
    assert {"T1", "D9", "M10", "R7", "E8", "O2", "F6"} <= set(anchors)
    assert not [number for number in re.findall(r'href="#([A-Z]\d+)"', shown) if number not in anchors]
    body = shown.split('class="rulebook"')[1].split("</article>")[0]
    assert not [mark for mark in ("**", "|---", "`", "<!--") if mark in body]


@pytest.mark.slow
def test_every_rule_that_the_log_of_a_stage_cites_can_be_read() -> None:
    run, _entries = driven("Ana", "Bo", "Cem", stages=("6/2",))
    log = Client().get(f"{run.get_absolute_url()}log/").content.decode()
    cited = set(re.findall(r'href="/rules/dirt/#([A-Z]\d+)"', log))
    assert {"R1", "E1", "F1"} <= cited
    assert cited <= set(re.findall(r' id="([A-Z]\d+)"', page("/rules/dirt/")))


def test_other_games_have_no_rules() -> None:
    for address in ("/rules/chess/", "/rules/chess/reference/", "/rules/..%2f..%2fREADME/", "/rules/chess/about/x/"):
        assert Client().get(address).status_code == 404


def test_tables_stay_between_the_paragraphs_and_the_rest_is_cut() -> None:
    title, (_, chapter) = reference.read(
        "# Rules\n\n## M. Moves\n\n**M1 – A.** <b> & *slanted* `M2` M1\nM2 M99 [a file](x.py)\n\n"
        "| rule | card |\n|---|---|\n| M1 | `<a>` |\n\n**M2 – B.** see M1\n\n- a point, M2\n\n"
        "<!-- not for players -->\n\n**M99 – Files.** A format.\n"
    )
    assert (title, chapter.title) == ("Rules", "M. Moves")
    first, table, second, points = chapter.rules
    assert (first.number, first.text) == (
        "M1",
        '<strong>M1 – A.</strong> &lt;b&gt; &amp; <em>slanted</em> <code>M2</code> M1\n<a href="#M2">M2</a> M99 a file',
    )
    assert table.rows == [["rule", "card"], ['<a href="#M1">M1</a>', "<code>&lt;a&gt;</code>"]]
    assert (second.number, second.text) == ("M2", '<strong>M2 – B.</strong> see <a href="#M1">M1</a>')
    assert points.points == ['a point, <a href="#M2">M2</a>']
