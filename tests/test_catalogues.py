"""Polish and German translate every English string in use, completely, with the same placeholders."""

import importlib.util
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = {"pl": 3, "de": 2}
"""The number of plural forms of each language."""
VALUES = re.compile(r"%(?:\(\w+\))?[-#0+]?\d*(?:\.\d+)?[diouxXeEfFgGcrsa]|{{\s*\w+\s*}}|</?[a-z][^>]*>")
RULES = re.compile(r"\([A-Z]\d+\)")


def load_catalogues() -> ModuleType:
    """Load locale/catalogues.py as a module. It cannot be imported, because the folder is not a package."""
    spec = importlib.util.spec_from_file_location("catalogues", ROOT / "locale" / "catalogues.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def in_use() -> Catalog:
    return load_catalogues().strings_in_use()


def stored_catalogue(language: str) -> Catalog:
    return load_catalogues().read(language)


def texts(found: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (found,) if isinstance(found, str) else tuple(found)


def messages(language: str) -> Iterator[tuple[Message, tuple[str, ...], tuple[str, ...]]]:
    """Yield each message of a catalogue with its English and its translated texts, plural forms included."""
    for message in stored_catalogue(language):
        if message.id:
            yield message, texts(message.id), texts(message.string)


def values(text: str) -> Counter[str]:
    return Counter(VALUES.findall(text.replace("%%", "")))


@pytest.fixture
def folder_of_catalogues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, Path]:
    """The module locale/catalogues.py, and the folder with a copy of the catalogues that it then works on."""
    catalogues = load_catalogues()
    for language in LANGUAGES:
        shutil.copytree(ROOT / "locale" / language, tmp_path / language, ignore=shutil.ignore_patterns("*.mo"))
    monkeypatch.setattr(catalogues, "LOCALE_DIR", tmp_path)
    monkeypatch.setattr(catalogues, "strings_in_use", in_use)
    return catalogues, tmp_path


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_string_in_use_is_translated(language: str, folder_of_catalogues: tuple[ModuleType, Path]) -> None:
    catalogues, _folder = folder_of_catalogues

    assert catalogues.untranslated(language) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_missing_an_empty_and_a_guessed_string_are_noticed(
    language: str, folder_of_catalogues: tuple[ModuleType, Path]
) -> None:
    catalogues, folder = folder_of_catalogues
    path = folder / language / "LC_MESSAGES" / "django.po"
    catalogue = catalogues.read(language)
    catalogue.delete("Flat out")
    catalogue.get("Spare wheel").string = ""
    catalogue.get("Rally sheet").flags.add("fuzzy")
    counted = catalogue.get("%(n)d car")
    counted.string = (*counted.string[:-1], "")
    with path.open("wb") as file:
        write_po(file, catalogue)

    assert set(catalogues.untranslated(language)) == {"Flat out", "Spare wheel", "Rally sheet", "%(n)d car"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_guessed_left_over_or_without_its_plural_forms(language: str) -> None:
    catalogue = stored_catalogue(language)
    used = {(message.context, message.id) for message in in_use() if message.id}

    assert catalogue.num_plurals == LANGUAGES[language]
    assert list(catalogue.obsolete) == []
    assert [english for message, english, _said in messages(language) if message.fuzzy] == []
    assert [
        english for message, english, _said in messages(language) if (message.context, message.id) not in used
    ] == []
    assert [
        english
        for message, english, found in messages(language)
        if len(found) != (LANGUAGES[language] if message.pluralizable else 1)
    ] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_keeps_values_markup_and_numbers_of_rules(language: str) -> None:
    differing = [
        (english, text)
        for _message, english, found in messages(language)
        for text in found
        if values(text) not in [values(one) for one in english] or RULES.findall(text) != RULES.findall(english[-1])
    ]

    assert differing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_keeps_the_blanks_around_a_text(language: str) -> None:
    edges = re.compile(r"^\s*|\s*$")

    assert [
        (english, text)
        for _message, english, found in messages(language)
        for text in found
        if edges.findall(text) != edges.findall(english[-1])
    ] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_compiled_to_what_pages_read(
    language: str, folder_of_catalogues: tuple[ModuleType, Path]
) -> None:
    catalogues, folder = folder_of_catalogues

    catalogues.compile_all()

    with (folder / language / "LC_MESSAGES" / "django.mo").open("rb") as file:
        compiled = GNUTranslations(file)
    assert compiled.gettext("Flat out") == stored_catalogue(language).get("Flat out").string != "Flat out"
    forms = [compiled.ngettext("%(n)d car", "%(n)d cars", n) for n in (1, 2, 5, 12, 22, 1)]
    assert len(set(forms)) == LANGUAGES[language]
    assert forms[0] == forms[-1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_well_formed(language: str) -> None:
    path = load_catalogues().catalogue_path(language)

    with path.open("rb") as file:
        assert len(read_po(file, locale=language, abort_invalid=True)) > 500


def test_a_string_alone_and_with_a_plural_is_refused() -> None:
    catalogues, found = load_catalogues(), Catalog()
    found.add(("coast die", "coast dice"))
    catalogues.check_form(found, ("coast die", "coast dice"), None, "cars.py")
    catalogues.check_form(found, "coast die", "sign", "cars.py")
    with pytest.raises(ValueError, match="use ngettext"):
        catalogues.check_form(found, "coast die", None, "words.py")
