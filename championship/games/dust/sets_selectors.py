"""All reads about a club's own card sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Max, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from championship.games.dust import faces
from championship.games.dust.card_words import KINDS, stage_title
from championship.games.dust.faces import Face
from championship.games.dust.models import CardSet, SetVersion
from championship.games.dust.services.sets import designs_of
from championship.stages.models import StageDesign
from engine.dust.cards import card_set_reading
from engine.dust.cards.card_set import ADVANCED, BASIC, DRIVER, START
from engine.dust.cards.card_set import CardSet as Cards
from engine.dust.cards.faults import CardSetError

if TYPE_CHECKING:
    from championship.clubs.models import Club


@dataclass(frozen=True, slots=True)
class Group:
    """Cards that belong together, under their heading: a starting deck, a character, a pool, a stage."""

    head: str
    faces: tuple[Face, ...]


def sets_of(club: Club) -> QuerySet[CardSet]:
    """Return the club's sets by name, each with the number of its newest version. One query."""
    return CardSet.objects.filter(club=club).select_related("club").annotate(newest=Max("versions__number"))


def set_of(club: Club, key: str) -> CardSet:
    """Return a set of the club. One query.

    Raises: Http404 when the club has no such set.
    """
    found = CardSet.objects.filter(club=club, key=key).select_related("club").first()
    if found is None:
        raise Http404
    return found


def versions_of(card_set: CardSet) -> list[SetVersion]:
    """Return the versions of a set, newest first, without their texts. One query."""
    return list(card_set.versions.select_related("created_by").defer("text").order_by("-number"))


def version_of(card_set: CardSet, number: int | None = None) -> SetVersion:
    """Return a version with its text, the newest for None. One query.

    Raises: Http404 when there is no such version.
    """
    found = card_set.versions.order_by("-number")
    version = (found if number is None else found.filter(number=number)).first()
    if version is None:
        raise Http404
    return version


def stages_of(card_set: CardSet) -> list[StageDesign]:
    """Return the stages in the library that were made from the set, without their spec. One query."""
    return list(designs_of(card_set).defer("spec").order_by("pk"))


def cards_of(text: str) -> Cards | None:
    """Return the card set of a text; None for a text that cannot be read any more, for example one from a damaged
    archive.
    """
    try:
        return card_set_reading.of_document(card_set_reading.document(text))
    except CardSetError:
        return None


def preview(cards: Cards) -> list[Group]:
    """Return all cards of a set as pictures: the starting deck, each character, the team piles, each stage."""
    groups = [_group(cards, _("Starting cards"), START)]
    for name, called in cards.characters.items():
        groups.append(_group(cards, called, DRIVER, driver=name))
    groups += [_group(cards, str(KINDS[pool]), pool) for pool in (BASIC, ADVANCED)]
    for name, stage in cards.stages.items():
        drawn = tuple(faces.stage_card(cards, name, number) for number in range(1, len(stage.cards) + 1))
        groups.append(Group(stage_title(cards, name), drawn))
    return [group for group in groups if group.faces]


def _group(cards: Cards, head: str, kind: str, *, driver: str | None = None) -> Group:
    chosen = [card for card in cards.cards.values() if card.set == kind and (driver is None or card.driver == driver)]
    chosen.sort(key=lambda card: card.number or 0)
    return Group(head, tuple(faces.card(cards, card.name) for card in chosen))
