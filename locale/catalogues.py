"""The translations, without the gettext command-line tools.

`extract` updates every locale/<language>/LC_MESSAGES/django.po with the strings in code and templates. `compile` writes
the .mo files that Django reads, where the .po is newer.
"""

from __future__ import annotations

import ast
import io
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

LOCALE_DIR = Path(__file__).resolve().parent
ROOT = LOCALE_DIR.parent
LANGUAGES = ("pl", "de")
CODE = ("championship/**/*.py",)
ENGINE = ("engine/**/*.py",)
COMMAND_LINE = "engine/**/commands.py"
ENGINE_KEYWORDS: dict[str, tuple[int, ...]] = {
    "Fault": (2,),
    "RuleError": (2,),
    "MissingDie": (2,),
    "StageError": (1,),
    "TileError": (1,),
    "OptionError": (2,),
    "GameError": (1,),
    "SetupRefused": (2,),
    "refuse": (2,),
    "Unreadable": (2,),
    "Reason": (1,),
    "Decision": (3, 4),
    "Column": (2, 3, 4),
    "CourseColumn": (2,),
}
"""The engine does not use gettext. These are the calls, and the positions of their arguments, that hold texts for
people.
"""
FACTS = ("engine/*/data/ruleset.toml",)
FACT_WORDS = ("label", "help")
CHOICE_CONTEXT = "option"
"""The message context of an option's choices, because they are single words."""
TEMPLATES = (
    "templates/**/*.html",
    "templates/**/*.txt",
    "templates/**/*.svg",
    "championship/**/templates/**/*.html",
)
KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
COMMENT_TAGS = ("Translators:",)


def catalogue_path(language: str) -> Path:
    return LOCALE_DIR / language / "LC_MESSAGES" / "django.po"


def sources() -> Iterator[tuple[Path, str]]:
    """Yield each file that may contain strings, converted to Python source that Babel can read."""
    from django.utils.translation.template import templatize

    for pattern in CODE:
        for path in sorted(ROOT.glob(pattern)):
            yield path, path.read_text(encoding="utf-8")
    for path, words in engine_words():
        yield path, "\n".join(f"_({word!r})" for word in words)
    for path, options in declared_options():
        choices = [choice for option in options for choice in option.get("choices", ()) if choice.strip("0123456789")]
        yield path, "\n".join(f"pgettext({CHOICE_CONTEXT!r}, {choice!r})" for choice in choices)
    for pattern in TEMPLATES:
        for path in sorted(ROOT.glob(pattern)):
            text = templatize(path.read_text(encoding="utf-8"), origin=str(path))
            yield path, "\n".join(line.strip() for line in text.splitlines())


def engine_words() -> Iterator[tuple[Path, list[str]]]:
    """Yield the engine's texts for people: arguments of its errors and options, and texts in constants."""
    for pattern in ENGINE:
        for path in sorted(set(ROOT.glob(pattern)) - set(ROOT.glob(COMMAND_LINE))):
            yield path, list(said_in(ast.parse(path.read_text(encoding="utf-8"))))
    for path, options in declared_options():
        yield path, [option[word] for option in options for word in FACT_WORDS if option.get(word)]


def declared_options() -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """Yield the options of each game, as its ruleset file or its code declares them."""
    from engine import registry

    for pattern in FACTS:
        for path in sorted(ROOT.glob(pattern)):
            options = tomllib.loads(path.read_text(encoding="utf-8"))["options"]
            yield path, options if isinstance(options, list) else []
    for name, package in registry.packages().items():
        game = getattr(import_module(package), "game", None)
        if callable(game):
            yield ROOT / "engine" / name / "game.py", [asdict(option) for option in game().options]


def said_in(module: ast.Module) -> Iterator[str]:
    """Yield the texts in a module of the engine: in calls of ENGINE_KEYWORDS, and in constants, either alone or in a
    dict.
    """
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ENGINE_KEYWORDS:
            for place in ENGINE_KEYWORDS[node.func.id]:
                if place <= len(node.args):
                    yield from sentences(node.args[place - 1])
    for statement in module.body:
        if not isinstance(statement, ast.Assign) or isinstance(statement.value, ast.Call):
            continue
        name = statement.targets[0]
        if isinstance(name, ast.Name) and name.id.isupper():
            yield from (text for text in sentences(statement.value) if " " in text)


def sentences(node: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression may evaluate to: a constant, both branches of a condition, the values of a
    dict.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from sentences(node.body)
        yield from sentences(node.orelse)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from sentences(value)


def strings_in_use() -> Catalog:
    """Return a catalogue without translations of all strings in code and templates.

    Raises: ValueError when a string is used both alone and as the first form of a plural.
    """
    found = Catalog(project="Parc Fermé", charset="utf-8")
    for path, text in sources():
        where = path.relative_to(ROOT).as_posix()
        file = io.BytesIO(text.encode())
        for _, message, comments, context in extract("python", file, KEYWORDS, COMMENT_TAGS, {"encoding": "utf-8"}):
            check_form(found, message, context, where)
            found.add(message, locations=[(where, None)], auto_comments=comments, context=context)
    return found


def check_form(found: Catalog, message: str | tuple[str, ...], context: str | None, where: str) -> None:
    """Refuse a string whose other form is known: the catalogue keeps one of them, and gettext finds no translation for
    the one that is used alone.
    """
    first = message if isinstance(message, str) else message[0]
    known = found.get(first, context) if first else None
    if known is not None and known.pluralizable != isinstance(message, tuple):
        raise ValueError(f"{first!r} in {where} is used alone and with a plural: use ngettext for both")


def read(language: str) -> Catalog:
    """Return the stored catalogue of the language; an empty one when there is none."""
    path = catalogue_path(language)
    if not path.exists():
        return Catalog(locale=language, project="Parc Fermé", charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def untranslated(language: str) -> list[str]:
    """Return the strings in use that the language's catalogue leaves untranslated or marks as fuzzy."""
    kept = read(language)
    missing = []
    for message in strings_in_use():
        if not message.id:
            continue
        first = message.id[0] if isinstance(message.id, tuple) else message.id
        translation = kept.get(first, message.context)
        plural_forms = translation.string if translation and isinstance(translation.string, tuple) else [translation]
        done = translation and not translation.fuzzy and translation.string and all(plural_forms)
        if not done:
            missing.append(first)
    return missing


def extract_all() -> None:
    template = strings_in_use()
    for language in LANGUAGES:
        catalogue = read(language)
        catalogue.update(template, no_fuzzy_matching=True)
        path = catalogue_path(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_po(file, catalogue, width=108, ignore_obsolete=True, include_lineno=False)
        print(f"{path.relative_to(ROOT)}: {len(untranslated(language))} of {len(template)} to translate")


def compile_all() -> None:
    for path in LOCALE_DIR.glob("*/LC_MESSAGES/*.po"):
        compiled = path.with_suffix(".mo")
        if compiled.exists() and compiled.stat().st_mtime > path.stat().st_mtime:
            continue
        with path.open("rb") as source, compiled.open("wb") as target:
            write_mo(target, read_po(source))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    {"extract": extract_all, "compile": compile_all}[sys.argv[1]]()
