"""The pages of a run of Dirt & Dust: the cockpit, the round as it closed, the table at any moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, cast

from django.http import QueryDict
from django.utils.translation import gettext as _

from championship.games.dust import cockpit, event_sentences, faces, forms, odds_words, rounds, tableau
from championship.games.dust.step_words import step_words
from championship.runs import watching
from championship.runs.games import NO_MAP, Draft, Line, Moment, Sentence, Shown, Telling, TurnTold
from championship.runs.models import Post, Seat
from championship.runs.plain import PlainPages, names_of
from championship.runs.selectors import RunPage
from engine.contract import RuleError
from engine.dust import card_set_reading, characters, draft_text
from engine.dust.cards import CardSet
from engine.dust.game import game
from engine.dust.happening import CLOSED
from engine.dust.preparation import hand_limit
from engine.dust.state import CHOOSE, Table
from engine.dust.step_context import Turn

SUMMARY = "dust/summary.html"


class DustPages(PlainPages):
    """The pages: what the plain ones do not say of this game."""

    def show(self, page: RunPage, draft: Draft) -> Shown:
        """Return the stage page; a draft that breaks a rule is shown up to the step before, with the rule."""
        state, cards = page.run.state, cards_of(page.run.state)
        view = watching.view_of(page.run, page.seat)
        playing = [seat for seat in page.seats if seat.driver in view["next"]]
        result = watching.result_of(page.run)
        ended = {one.seat: one for one in result.seats} if result else {}
        context: dict[str, Any] = {
            "view": view,
            "round": view["round"],
            "cards_in_all": view["cards"],
            "seats": tableau.seats(view, cards, page.seats, {seat.driver for seat in playing}, ended),
            "holder": next((seat for seat in page.seats if seat.driver == view["holder"]), None),
        }
        problem, rule, ahead = "", "", ""
        if page.my_turn is not None and page.mine is not None and state["drivers"][page.mine.driver]["phase"] == CHOOSE:
            context["characters"] = characters_of(cast(Table, state), cards)
        elif page.my_turn is not None and page.mine is not None:
            desk = _sit_down(state, page.mine.driver, cards, _meant(state, page.mine.driver, draft))
            context |= desk
            problem, rule = _wrong(desk["error"], draft)
        elif page.mine is not None and not view["over"] and view["drivers"][page.mine.driver]["driver"]:
            ahead = "dust/waiting.html"
            context["cockpit"] = cockpit.sit(cast(Table, state), page.mine.driver, cards, [], [])
            context["track"] = tableau.track(view, cards, page.seats)
        if "track" not in context:
            seen = view if "after" not in context else _with_mine(view, context["after"], page.seat)
            context["track"] = tableau.track(seen, cards, page.seats)
        closed = rounds.last_closed(page.posts)
        if closed is not None:
            context["summary"] = rounds.summary(closed, state, cards, page.seats)
        fresh = view["over"] or context.get("preparing", False)  # told above the next turn until that has begun
        return Shown(
            panel="dust/choose.html" if "characters" in context else "dust/panel.html",
            road_order="dust/road_order.html",
            cars="dust/seats.html",
            keys="dust/keys.html",
            ahead=ahead,
            drawn=SUMMARY if closed is not None and fresh else "",
            drawn_before=SUMMARY if closed is not None and not fresh else "",
            playing=playing,
            context=context,
            problem=problem,
            rule=rule,
        )

    def read_orders(self, data: QueryDict) -> dict[str, Any]:
        """Return the engine's orders from the turn form.

        Raises: Refused with the field that makes no sense.
        """
        return forms.orders(data)

    def sentence(self, event: Mapping[str, Any], drivers: Mapping[str, str]) -> Sentence:
        """Return an event of any kind in words. Of which card set it is is not known here: cards of a club that have
        no name in ours are told by the word in their file. `telling` knows it.
        """
        return event_sentences.Teller(drivers, card_set_reading.own()).sentence(event)

    def telling(self, state: Mapping[str, Any], drivers: Mapping[str, str]) -> Telling:
        """Return what tells the events of a run, cards by the names in the set that it was begun with."""
        return event_sentences.Teller(drivers, cards_of(state), state["stage"]).sentence

    def log(self, page: RunPage) -> list[TurnTold]:
        """Return the log of a page's posts, turn by turn, the newest first."""
        state, names = page.run.state, names_of(page)
        teller = event_sentences.Teller(names, cards_of(state), state["stage"])
        seats = {seat.pk: seat for seat in page.seats}
        found: list[TurnTold] = []
        for _turn, posts in groupby(reversed(page.posts), lambda post: post.turn_id):
            found += _told(list(posts), teller, seats)
        return found[::-1]

    def most_telling(self, events: Sequence[Mapping[str, Any]]) -> str:
        """Return the colour of a turn on the time line."""
        kinds = {event_sentences.sentence(event, {}).kind for event in events}
        return next((kind for kind in event_sentences.COLOURS if kind in kinds), "card")

    def round_of(self, state: Mapping[str, Any]) -> int:
        """Return the number of the round that a state is in."""
        return int(state["round"])

    def round_begun(self, event: Mapping[str, Any]) -> int | None:
        """Return the number of the round that an event opens."""
        return event["round"] + 1 if event["kind"] == CLOSED and event["opens"] else None

    def moment(
        self,
        page: RunPage,
        state: Mapping[str, Any],
        acting: str | None,
        turn: Sequence[Mapping[str, Any]],
        *,
        overlay: bool,
    ) -> Moment:
        """Return the table as it stood. A round that has closed is told seat by seat, as each turn went; of the round
        that is being played the viewer sees what the page of the run shows.
        """
        then, cards = dict(state), cards_of(state)
        view = told_view(page, then)
        ended = {one.seat: one for one in found.seats} if (found := game().result(then)) else {}
        context = {
            "seats": tableau.seats(view, cards, page.seats, (), ended),
            "track": tableau.track(view, cards, page.seats),
            "then": view["round"],
            "view": view,
        }
        return Moment(NO_MAP, "dust/moment.html", context, say=self.telling(then, names_of(page)))


def _told(posts: Sequence[Post], teller: event_sentences.Teller, seats: Mapping[int, Seat]) -> list[TurnTold]:
    """A turn's posts in their order, and the round that closed with the last of them."""
    own: list[Line] = []
    shared: list[TurnTold] = []
    for post in posts:
        for event in post.events.all():
            said = teller.sentence(event.data)
            if said.passing or not said.text:
                continue
            by_codriver, anchor = post.by_id is None, f"e{event.number}"
            line = Line(said.kind, said.text, said.rules, post.at, by_codriver, anchor, event.number)
            if event.kind == CLOSED:
                shared.append(TurnTold("", [line]))
            else:
                own.append(line)
    if not own:
        return shared
    seat = seats[posts[0].made_in.seat_id]
    return [TurnTold(teller.name(seat.driver), own, posts[0].made_in.number, seat.entry), *shared]


def told_view(page: RunPage, then: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the viewer may know of an earlier state. Turns of rounds that have closed are open by now (S3); hands
    and decks stay hidden until the stage is over (U6).
    """
    rules, now = game(), page.run.state
    seen = dict(then)
    if then["round"] < now["round"] or now["over"]:
        seen["opened"] = then["drivers"]
    return rules.view(seen, page.seat)


def cards_of(state: Mapping[str, Any]) -> CardSet:
    """Return the card set that a run was begun with."""
    return card_set_reading.of_document(state["set"], state["digest"])


@dataclass(frozen=True, slots=True)
class Character:
    """A character that can be chosen (U1), and the cards of its own."""

    name: str
    title: str
    cards: list[faces.Face]


def characters_of(table: Table, cards: CardSet) -> list[Character]:
    """Return the characters that nobody drives yet."""
    return [
        Character(name, cards.characters[name], [faces.card(cards, one) for one in characters.own(cards, name)])
        for name in characters.free(table, cards)
    ]


def _meant(state: Mapping[str, Any], seat: str, draft: Draft) -> str:
    """The draft to show: what the driver has laid, else the steps that came back behind a roll (S9)."""
    if draft.kept or draft.plan:
        return draft.plan
    return draft_text.joined(state["drivers"][seat]["draft"])


def _sit_down(state: Mapping[str, Any], seat: str, cards: CardSet, plan: str) -> dict[str, Any]:
    """What the panel shows of a driver whose turn it is."""
    rules, table = game(), dict(state)
    legal = rules.legal(table, seat, plan)
    found = draft_text.laid(cast(Table, table), seat, draft_text.parted(legal.draft), cards)
    ways = [way.text for way in legal.ways.ways]
    told = rules.odds(table, seat, {"do": "steps", "steps": []}, legal.draft)
    preparing = cockpit.preparing(found.table["drivers"][seat]) and not found.sends
    if preparing:
        told = rules.odds(table, seat, {"do": "steps", "steps": ways[:1]})
    return {
        "cockpit": cockpit.sit(found.table, seat, cards, ways, told["markers"]),
        "dials": tableau.dials(found.table["drivers"][seat], cards),
        "damage": tableau.damage(found.table["drivers"][seat], cards),
        "after": found.table["drivers"][seat],
        "pairs": [] if found.table["ghost"] is None else found.table["ghost"]["dice"],
        "plan": legal.draft,
        "typed": plan,
        "laid": _laid(table, seat, cards, found.steps),
        "sends": found.sends,
        "hold": legal.ways.why and _(legal.ways.why),
        "hold_rule": legal.ways.forced or "",
        "error": legal.error,
        "preparing": preparing,
        "least": max(0, len(found.table["drivers"][seat]["hand"]) - hand_limit(Turn(found.table, seat, cards, None))),
        "rolls": odds_words.rolls(told, cards),
    }


def _laid(table: Mapping[str, Any], seat: str, cards: CardSet, lined: Sequence[str]) -> list[str]:
    """The laid steps in words, each as the table stood before it."""
    told = []
    for place, step in enumerate(lined):
        before = draft_text.laid(cast(Table, table), seat, list(lined[:place]), cards).table
        told.append(step_words(cards, before["drivers"][seat], table["stage"], step))
    return told


def _wrong(error: RuleError | None, draft: Draft) -> tuple[str, str]:
    """What is wrong with the rest of a draft, and the rule."""
    if error is None:
        return "", ""
    said = error.words(_)
    if error.move is None:
        return said, error.rule
    if draft.kept or not draft.plan:
        words = _("The stage has moved on: step %(step)d of your draft no longer fits. %(said)s")
    else:
        words = _("Step %(step)d: %(said)s")
    return words % {"step": error.move, "said": said}, error.rule


def _with_mine(view: Mapping[str, Any], after: Mapping[str, Any], seat: str | None) -> dict[str, Any]:
    """The view with the viewer's car where the draft takes it."""
    mine = {**view["drivers"][seat], "space": after["space"]}
    return {**view, "drivers": {**view["drivers"], seat: mine}}
