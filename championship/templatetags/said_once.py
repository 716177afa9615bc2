"""Django's own tags of words and forms, for pages that hold a hundred of them: what cannot differ is not asked again.

They take the places of Django's (settings, TEMPLATES), under the same names and with the same words in a template,
and nothing is loaded for them. A page that loads `i18n` has Django's own tags of words, as all pages of other apps do.
`{% translate "Roll" %}` asks once a page which language is read, and once a process what the words are in it.
`{% csrf_token %}` writes its field once a page. `{% include "a name" %}` looks its part up once a process.
So is an address that `{% url "a:name" texts numbers %}` puts together. `{% language %}` is missing on purpose: a page
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
"""Under what a page keeps its language while it is drawn."""
_FIELD = object()
"""Under what it keeps the hidden field of its forms."""
_SITE = object()
"""Under what it keeps what all its addresses have in common."""


def _page(context: Context) -> dict[Any, Any]:
    """What is kept as long as one page is drawn."""
    return context.render_context.dicts[0]


def language_of(context: Context) -> str:
    """The language of the page that is drawn."""
    page = _page(context)
    language: str | None = page.get(_LANGUAGE)
    if language is None:
        language = page[_LANGUAGE] = get_language() or ""
    return language


class WordsNode(Node):
    """Words that depend on nothing but the reader's language."""

    child_nodelists = ()

    def __init__(self, node: Node) -> None:
        self.node = node
        self.said: dict[str, SafeString] = {}

    def render(self, context: Context) -> SafeString:
        language = language_of(context)
        said = self.said.get(language)
        if said is None:
            said = SafeString(self.node.render(context))
            if (get_language() or "") == language:  # or somebody speaks another one for a while
                self.said[language] = said
        return said


class FieldNode(CsrfTokenNode):
    """The hidden field of a form, the same for all forms of a page."""

    def render(self, context: Context) -> SafeString:
        page = _page(context)
        field = page.get(_FIELD)
        if not field:  # a part that was given no token has none; the others still have theirs
            field = page[_FIELD] = super().render(context)
        return SafeString(field)


@register.tag("translate")
@register.tag("trans")
def translate(parser: Parser, token: Token) -> Node:
    """Django's tag; of words alone, without a filter, a context or a name to keep them by, said once."""
    node: Node = i18n.do_translate(parser, token)
    alone = len(token.split_contents()) == 2 and token.split_contents()[1][0] in "\"'"
    return WordsNode(node) if alone and not node.filter_expression.filters else node  # type: ignore[attr-defined]


@register.tag("csrf_token")
def csrf_token(parser: Parser, token: Token) -> FieldNode:
    """Django's tag, drawn once a page."""
    return FieldNode()


class Found:
    """A template in the place of the words that name it."""

    def __init__(self, found: Template) -> None:
        self.found = found

    def resolve(self, context: Context) -> Template:
        """The template, whatever the page shows."""
        return self.found


class PartNode(loader_tags.IncludeNode):
    """A part of a page by its own name, looked up once a process: where its page is read again, so is the part."""

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
    """Django's tag; a part that is named in so many words is looked up once."""
    node: Node = loader_tags.do_include(parser, token)
    if token.split_contents()[1][0] in "\"'" and not node.template.filters:  # type: ignore[attr-defined]
        node.__class__ = PartNode
    return node


class AddressNode(defaulttags.URLNode):
    """An address by the name of its view and by texts and numbers, put together once a process."""

    def render(self, context: Context) -> str:
        page = _page(context)
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
    """The address as it stands in a page. `prefix`, with which all addresses begin, keeps those of sites apart."""
    return conditional_escape(reverse(name, urlconf, args=args, current_app=current_app))


@register.tag("url")
def url(parser: Parser, token: Token) -> Node:
    """Django's tag; an address that its view's own name, texts and numbers make up is put together once."""
    node: Node = defaulttags.url(parser, token)
    named = token.split_contents()[1][0] in "\"'"
    if named and not node.kwargs and not node.asvar and not node.view_name.filters:  # type: ignore[attr-defined]
        node.__class__ = AddressNode
    return node
