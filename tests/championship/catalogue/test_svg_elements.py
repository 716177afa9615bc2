"""Stylesheets in pictures: shorter, with the same effect."""

from championship.catalogue.svg_elements import minified


def test_a_shorter_stylesheet_selects_the_same() -> None:
    text = "/* Land */\n.a :is(.b, .c) { fill: none; }\n.a.b > .c:hover { fill: red; }\n"
    assert minified(text) == ".a :is(.b,.c){fill:none;}.a.b > .c:hover{fill:red;}"
