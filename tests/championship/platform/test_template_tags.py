"""Template tags that replace Django's: the same text as Django's own for every reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Engine, Template, TemplateDoesNotExist, TemplateSyntaxError, engines
from django.test import RequestFactory, override_settings
from django.urls import NoReverseMatch, set_script_prefix
from django.utils import translation
from django.utils.safestring import mark_safe

from championship.platform.templatetags.fast_tags import AddressNode, PartNode, WordsNode


def engine(**parts: str) -> Engine:
    loaders = [("django.template.loaders.locmem.Loader", parts)]
    return Engine(loaders=loaders, builtins=["championship.platform.templatetags.fast_tags"])


def draw(template: Template, **values: object) -> str:
    return template.render(Context(values))


def test_texts_are_in_the_language_of_each_page():
    page = Template("{% translate 'Gear' %} {% trans \"Gear\" %}")
    assert [type(node) for node in page.nodelist if not node.token.contents.isspace()].count(WordsNode) == 2
    for language, said in (("en", "Gear"), ("pl", "Bieg"), ("de", "Gang"), ("pl", "Bieg"), ("en", "Gear")):
        with translation.override(language):
            assert draw(page) == f"{said} {said}"


def test_words_with_more_to_them_are_left_to_django():
    page = Template("{% translate 'Gear' as word %}{{ word }} {% translate 'Gear'|upper %} {% translate said %}")
    with translation.override("pl"):
        assert draw(page, said="Gear") == "Bieg BIEG Bieg"
        assert draw(page, said="Dice") == "Bieg BIEG Kości"


def test_a_page_has_one_language():
    with pytest.raises(TemplateSyntaxError):
        Template("{% language 'pl' %}{% endlanguage %}")


def test_no_page_of_ours_takes_the_tags_of_django_back():
    folders = [Path(folder) for engine in engines.all() for folder in engine.template_dirs]
    ours = {folder for folder in folders if folder.is_relative_to(settings.BASE_DIR) and ".venv" not in folder.parts}
    pages = [page for folder in ours for page in folder.rglob("*.*")]
    assert len(pages) > 400
    assert [page for page in pages if re.search(r"{% load [^%]*\bi18n\b", page.read_text())] == []


def test_each_page_has_its_own_field_and_a_part_without_a_token_takes_it_from_no_other():
    page = engine(part="{% csrf_token %}").from_string("{% include 'part' only %}{% csrf_token %}{% csrf_token %}")
    for token in ("one", "other"):
        field = f'<input type="hidden" name="csrfmiddlewaretoken" value="{token}">'
        assert draw(page, csrf_token=token) == field * 2
    assert draw(page) == ""


def test_a_named_part_is_looked_up_once_and_shows_what_each_page_gives_it():
    parts = {"part": "[{{ said }}{{ more }}]", "other": "({{ said }})"}
    found = engine(**parts)
    page = found.from_string("{% include 'part' %}{% include 'part' with more=1 only %}{% include name %}")
    assert [type(node) is PartNode for node in page.nodelist] == [True, True, False]
    assert draw(page, said="a", name="part") == "[a][1][a]"
    assert draw(page, said="b", name="other") == "[b][1](b)"
    with pytest.raises(TemplateDoesNotExist):
        draw(engine().from_string("{% include 'nowhere' %}"))


def test_a_part_is_named_from_the_folder_of_its_page():
    found = engine(**{"shelf/page": "{% include './part' %}", "shelf/part": "here"})
    assert draw(found.get_template("shelf/page")) == "here"


def test_addresses_are_those_of_django():
    page = Template("{% url 'runs:place' key number %} {% url name key number %}")
    assert type(page.nodelist[0]) is AddressNode
    for key, number in (("a", 1), ("b", 1), ("a", 12)):
        address = f"/runs/{key}/at/{number}/"
        assert draw(page, key=key, number=number, name="runs:place").split() == [address, address]


def test_addresses_keep_what_a_site_begins_them_with_apart():
    page = Template("{% url 'runs:place' 'a' 1 %}")
    try:
        for prefix in ("/", "/rally/", "/"):
            set_script_prefix(prefix)
            assert draw(page) == f"{prefix}runs/a/at/1/"
    finally:
        set_script_prefix("/")
    bare = Template("{% url 'bare' %}")
    with override_settings(ROOT_URLCONF="tests.load.urls"):
        assert draw(bare) == "/load/bare/"
    with pytest.raises(NoReverseMatch):
        draw(bare)


def test_what_is_no_text_or_number_and_what_is_not_escaped_is_left_to_django():
    page = Template("{% url 'runs:place' key 1 %}")
    assert draw(page, key=mark_safe("a")) == "/runs/a/at/1/"
    plain = Template("{% autoescape off %}{% url 'runs:place' 'a' 1 %}{% endautoescape %}")
    assert draw(plain) == "/runs/a/at/1/"
    with pytest.raises(NoReverseMatch):
        draw(page, key="")
    request = RequestFactory().get("/")
    assert page.render(Context({"key": "z", "request": request})) == "/runs/z/at/1/"
