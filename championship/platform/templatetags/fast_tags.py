"""Faster versions of Django's own tags, for pages that hold a hundred of them: results that cannot differ are cached.

They replace Django's tags (settings, TEMPLATES) under the same names and with the same syntax. Templates need not load
them. A template that loads `i18n` gets Django's own translation tags, as all templates of other apps do.
`{% translate "Roll" %}` looks up the language once per page, and its translation once per process.
`{% csrf_token %}` renders its field once per page. `{% include "a name" %}` loads its template once per process.
`{% url "a:name" texts numbers %}` builds each address once per process. `{% language %}` is missing on purpose: a page
has one language.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.template import Context, Engine, Node, Template, defaulttags, loader_tags
from django.template.base import Parser, Token
from django.template.defaulttags import CsrfTokenNode
from django.templatetags import i18n
from django.urls import get_script_prefix, get_urlconf, reverse
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()
register.tags.update({name: tag for name, tag in i18n.register.tags.items() if name != "language"})
register.filters.update(i18n.register.filters)

_LANGUAGE = object()
"""Key under which a page keeps its language while it is rendered."""
_FIELD = object()
"""Key for the hidden field of its forms."""
_SITE = object()
"""Key for the part that all its addresses have in common."""


def _values_of_page(context: Context) -> dict[Any, Any]:
    """The values that are kept while one page is rendered."""
    return context.render_context.dicts[0]


def language_of(context: Context) -> str:
    """The language of the page that is rendered."""
    page = _values_of_page(context)
    language: str | None = page.get(_LANGUAGE)
    if language is None:
        language = page[_LANGUAGE] = get_language() or ""
    return language


class WordsNode(Node):
    """A text that depends on nothing but the reader's language."""

    child_nodelists = ()

    def __init__(self, node: Node) -> None:
        self.node = node
        self.said: dict[str, SafeString] = {}

    def render(self, context: Context) -> SafeString:
        language = language_of(context)
        said = self.said.get(language)
        if said is None:
            said = SafeString(self.node.render(context))
            if (get_language() or "") == language:  # not when code has temporarily activated another language
                self.said[language] = said
        return said


class FieldNode(CsrfTokenNode):
    """The hidden field of a form, the same for all forms of a page."""

    def render(self, context: Context) -> SafeString:
        page = _values_of_page(context)
        field = page.get(_FIELD)
        if not field:  # a part without the token in its context renders no field; other parts still need theirs
            field = page[_FIELD] = super().render(context)
        return SafeString(field)


@register.tag("translate")
@register.tag("trans")
def translate(parser: Parser, token: Token) -> Node:
    """Django's tag. A plain text, without a filter, a context or `as`, is translated once."""
    node = i18n.do_translate(parser, token)
    alone = len(token.split_contents()) == 2 and token.split_contents()[1][0] in "\"'"
    return WordsNode(node) if alone and not node.filter_expression.filters else node


@register.tag("csrf_token")
def csrf_token(parser: Parser, token: Token) -> FieldNode:
    """Django's tag, rendered once per page."""
    return FieldNode()


class Found:
    """A loaded template in place of its name."""

    def __init__(self, found: Template) -> None:
        self.found = found

    def resolve(self, context: Context) -> Template:
        """The template, in every context."""
        return self.found


class PartNode(loader_tags.IncludeNode):
    """An include with a literal name. Its template is loaded once per process, or again if the page itself is."""

    template: Any
    origin: Any

    def render(self, context: Context) -> SafeString:
        named = self.template
        if not isinstance(named, Found):
            engine: Engine = context.template.engine  # type: ignore[union-attr]
            name = str(loader_tags.construct_relative_path(self.origin.template_name, named.resolve(context)))
            self.template = Found(engine.get_template(name))
        return super().render(context)


@register.tag("include")
def include(parser: Parser, token: Token) -> Node:
    """Django's tag. A template with a literal name is loaded once."""
    node = loader_tags.do_include(parser, token)
    if token.split_contents()[1][0] in "\"'" and not node.template.filters:
        node.__class__ = PartNode
    return node


class AddressNode(defaulttags.URLNode):
    """An address from a literal view name and from texts and numbers, built once per process."""

    def render(self, context: Context) -> str:
        page = _values_of_page(context)
        site = page.get(_SITE)
        if site is None:
            request = getattr(context, "request", None)
            found = getattr(request, "current_app", None) or getattr(
                getattr(request, "resolver_match", None), "namespace", None
            )
            site = page[_SITE] = (get_script_prefix(), get_urlconf() or settings.ROOT_URLCONF, found)
        args = tuple([arg.resolve(context) for arg in self.args])
        if not context.autoescape or not all(type(arg) is str or type(arg) is int for arg in args):
            rendered: str = super().render(context)
            return rendered
        return _address(*site, self.view_name.var, args)


@lru_cache(maxsize=4000)
def _address(prefix: str, urlconf: str, current_app: str | None, name: str, args: tuple[str | int, ...]) -> str:
    """The address, escaped for a page. `prefix`, with which all addresses begin, keeps those of two sites apart."""
    return conditional_escape(reverse(name, urlconf, args=args, current_app=current_app))


@register.tag("url")
def url(parser: Parser, token: Token) -> Node:
    """Django's tag. An address from a literal view name, texts and numbers is built once."""
    node = defaulttags.url(parser, token)
    named = token.split_contents()[1][0] in "\"'"
    if named and not node.kwargs and not node.asvar and not node.view_name.filters:
        node.__class__ = AddressNode
    return node
