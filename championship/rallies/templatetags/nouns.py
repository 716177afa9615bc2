"""Puts a game's nouns into the gaps of translated phrases (`championship.catalogue.nouns`)."""

from django import template
from django.template import Context, Node, NodeList, TemplateSyntaxError
from django.template.base import FilterExpression, Parser, Token
from django.utils.safestring import SafeString

from championship.catalogue import Words

register = template.Library()


class NamedNode(Node):
    """Phrases with gaps. Nothing that a person typed may be among them."""

    def __init__(self, words: FilterExpression, phrases: NodeList) -> None:
        self.words, self.phrases = words, phrases

    def render(self, context: Context) -> SafeString:
        words = self.words.resolve(context)
        if not isinstance(words, Words):
            words = Words()
        return SafeString(words.fill(self.phrases.render(context)))


@register.tag
def named(parser: Parser, token: Token) -> NamedNode:
    """`{% named rally.words %}{% translate "Leave the [stage]" %}{% endnamed %}`: the phrases with the game's nouns."""
    parts = token.split_contents()
    if len(parts) != 2:
        raise TemplateSyntaxError("named takes the words of a game")
    phrases = parser.parse(("endnamed",))
    parser.delete_first_token()
    return NamedNode(parser.compile_filter(parts[1]), phrases)
