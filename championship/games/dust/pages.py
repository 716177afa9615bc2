"""The pages of a run of Dirt & Dust: the cockpit, the summary of a closed round, the table at any moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.http import QueryDict
from django.utils.translation import gettext as _

from championship.games.dust import cockpit, event_sentences, faces, forms, odds_words, rounds, rule_pictures, tableau
from championship.games.dust.words import step_words
from championship.runs.pages.log import LogWords, names_of
from championship.runs.pages.plain import PlainPages
from championship.runs.run_pages import (
    NO_MAP,
    DraftShown,
    Line,
    PlaceShown,
    ReplayFrame,
    Sentence,
    SentenceMaker,
    Shown,
)
from championship.runs.watch import watching
from championship.runs.watch.selectors import RunPage
from engine.contract import RuleError
from engine.dust import characters, draft_text
from engine.dust.cards import card_set_reading
from engine.dust.cards.card_set import CardSet
from engine.dust.game import game
from engine.dust.run_events import CLOSED
from engine.dust.state import CHOOSE, Table
from engine.dust.turn import foregone, steps
from engine.dust.turn.preparation import hand_limit
from engine.dust.turn.step_context import Turn

SUMMARY, PASSING = "dust/summary.html", "dust/passing.html"
CARD_TERMS = {
    "must": "mandatory",
    "passive": "passive",
    "star": "star",
    **dict.fromkeys(("accelerate", "brake", "red", "yellow", "grey", "holder", "risk-pool", "die"), "conditions"),
}
"""What the rulebook explains about a sign on a card (rulebook/figures.toml)."""


class DustPages(PlainPages):
    """The game's pages, as far as they differ from the plain ones."""

    def show(self, page: RunPage, draft: DraftShown) -> Shown:
        """Return the stage page. A draft that breaks a rule is shown up to the step before, with the rule."""
        state, cards = page.run.state, cards_of(page.run.state)
        view = watching.view_of(page.run, page.seat)
        playing = [seat for seat in page.seats if seat.name in view["next"]]
        result = watching.result_of(page.run)
        ended = {one.seat: one for one in result.seats} if result else {}
        context: dict[str, Any] = {
            "view": view,
            "round": view["round"],
            "cards_in_all": view["cards"],
            "seats": tableau.seats(view, cards, page.seats, {seat.name for seat in playing}, ended),
            "holder": next((seat for seat in page.seats if seat.name == view["holder"]), None),
        }
        problem, rule, ahead = "", "", ""
        if page.my_turn is not None and page.mine is not None and state["drivers"][page.mine.name]["phase"] == CHOOSE:
            context["characters"] = characters_of(cast(Table, state), cards)
        elif page.my_turn is not None and page.mine is not None:
            own_panel = _panel_context(state, page.mine.name, cards, _draft_to_show(state, page.mine.name, draft))
            context |= own_panel
            problem, rule = _draft_problem(own_panel["error"], draft)
        elif page.mine is not None and not view["over"] and view["drivers"][page.mine.name]["driver"]:
            ahead = "dust/waiting.html"
            context["cockpit"] = cockpit.build_cockpit(cast(Table, state), page.mine.name, cards, [], [])
            context["track"] = tableau.track(view, cards, page.seats)
        if "track" not in context:
            seen = view if "after" not in context else _with_mine(view, context["after"], page.seat)
            context["track"] = tableau.track(seen, cards, page.seats)
        closed = rounds.last_closed(page.posts)
        if closed is not None:
            context["summary"] = rounds.summary(closed, state, cards, page.seats)
        own = ended.get(page.mine.name) if page.mine is not None else None
        if own is not None and own.measure is not None and state["training"] and cards.pass_points:
            context["passing"] = {"points": own.measure, "needed": cards.pass_points}
        fresh = view["over"] or context.get("preparing", False)  # shown above the next turn until that turn begins
        return Shown(
            panel="dust/choose.html" if "characters" in context else "dust/panel.html",
            road_order="dust/road_order.html",
            cars="dust/seats.html",
            keys="dust/keys.html",
            ahead=ahead,
            drawn=PASSING if "passing" in context else SUMMARY if closed and fresh and not view["over"] else "",
            drawn_before=SUMMARY if closed is not None and view["over"] else "",  # below the result of the stage
            around=SUMMARY if closed is not None and not fresh else "",
            playing=playing,
            context=context,
            problem=problem,
            rule=rule,
            hand_over="characters" not in context,
        )

    def read_orders(self, data: QueryDict) -> dict[str, Any]:
        """Return the engine's orders from the turn form.

        Raises: Refused when a field is not valid; it names the field.
        """
        return forms.orders(data)

    def place(self, page: RunPage, name: str) -> PlaceShown | None:
        """Return a card of the run's set with all its words."""
        state = page.run.state
        face = faces.placed(cards_of(state), state["stage"], name)
        if face is None:
            return None
        signs = [sign.icon for effect in face.effects for sign in (*effect.marks, *effect.when)]
        signs += [sign.icon for sign in face.printed]
        terms = [CARD_TERMS[sign] for sign in dict.fromkeys(signs) if sign in CARD_TERMS]
        return PlaceShown("dust/place.html", face.title, "", {"face": face, "terms": terms})

    def sentence(self, event: Mapping[str, Any], drivers: Mapping[str, str]) -> Sentence:
        """Return the sentence for an event of any kind. The card set is not known here, so a club's card that is not in
        our set is named by the word in its file. `sentence_maker` knows the set.
        """
        return event_sentences.EventSentences(drivers, card_set_reading.own()).sentence(event)

    def sentence_maker(self, state: Mapping[str, Any], drivers: Mapping[str, str]) -> SentenceMaker:
        """Return the function that turns events of a run into sentences, with the names of cards in the run's own
        set.
        """
        return event_sentences.EventSentences(drivers, cards_of(state), state["stage"]).sentence

    def log_words(self, page: RunPage) -> LogWords:
        """Return the words of the log. What passes is left out, and a round that closes concerns everybody."""
        say = self.sentence_maker(page.run.state, names_of(page))

        def line(event: Mapping[str, Any], _who: str) -> Line | None:
            said = say(event)
            return None if said.passing or not said.text else Line(said.kind, said.text, said.rules)

        return LogWords(names_of(page), for_all=lambda event: event["kind"] == CLOSED, line=line)

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

    def frame_at(
        self,
        page: RunPage,
        state: Mapping[str, Any],
        acting: str | None,
        turn: Sequence[Mapping[str, Any]],
        *,
        overlay: bool,
    ) -> ReplayFrame:
        """Return the table at an earlier moment. A closed round is shown seat by seat, as each turn went. Of the
        current round the viewer sees what the page of the run shows.
        """
        then, cards = dict(state), cards_of(state)
        view = view_at(page, then)
        ended = {one.seat: one for one in found.seats} if (found := game().result(then)) else {}
        context = {
            "seats": tableau.seats(view, cards, page.seats, (), ended),
            "track": tableau.track(view, cards, page.seats),
            "then": view["round"],
            "view": view,
        }
        return ReplayFrame(NO_MAP, "dust/moment.html", context, say=self.sentence_maker(then, names_of(page)))


def view_at(page: RunPage, then: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the viewer may know of an earlier state. Turns of closed rounds are public by now (S3); hands and
    decks stay hidden until the stage is over (U6).
    """
    rules, now = game(), page.run.state
    seen = dict(then)
    if then["round"] < now["round"] or now["over"]:
        seen["opened"] = then["drivers"]
    return rules.view(seen, page.seat)


def cards_of(state: Mapping[str, Any]) -> CardSet:
    """Return the card set of a run."""
    return card_set_reading.of_document(state["set"], state["digest"])


@dataclass(frozen=True, slots=True)
class Character:
    """A character that can be chosen (U1), and its own cards."""

    name: str
    title: str
    cards: list[faces.Face]


def characters_of(table: Table, cards: CardSet) -> list[Character]:
    """Return the characters that nobody drives yet."""
    return [
        Character(name, cards.characters[name], [faces.card(cards, one) for one in characters.own(cards, name)])
        for name in characters.free(table, cards)
    ]


def _draft_to_show(state: Mapping[str, Any], seat: str, draft: DraftShown) -> str:
    """Return the draft to show: the driver's own, else the steps that came back after a roll (S9)."""
    if draft.kept or draft.plan:
        return draft.plan
    return draft_text.join_steps(state["drivers"][seat]["draft"])


def _panel_context(state: Mapping[str, Any], seat: str, cards: CardSet, plan: str) -> dict[str, Any]:
    """Return the context of the panel for a driver whose turn it is."""
    rules, table = game(), dict(state)
    legal = rules.legal(table, seat, plan)
    found = draft_text.legal_part(cast(Table, table), seat, draft_text.split_steps(legal.draft), cards)
    ways = [way.text for way in legal.ways.ways]
    odds = rules.odds(table, seat, {"do": "steps", "steps": []}, legal.draft)
    before = list(foregone.tables_before(cast(Table, table), seat, cards, found.steps))
    in_words = [
        step_words(cards, then["drivers"][seat], table["stage"], step)
        for then, step in zip(before, found.steps, strict=True)
    ]
    stays = foregone.before_last_tap(before, seat, cards, found.steps)
    preparing = cockpit.preparing(found.table["drivers"][seat]) and not found.sends
    if preparing:
        odds = rules.odds(table, seat, {"do": "steps", "steps": ways[:1]})
    return {
        "cockpit": cockpit.build_cockpit(found.table, seat, cards, ways, odds["markers"]),
        "dials": tableau.dials(found.table["drivers"][seat], cards),
        "damage": tableau.damage(found.table["drivers"][seat], cards),
        "after": found.table["drivers"][seat],
        "pairs": rule_pictures.ghost_pairs(found.table),
        "plan": legal.draft,
        "typed": plan,
        "laid": in_words,
        "plan_before": draft_text.join_steps(found.steps[:stays]),
        "newest": _newest(found.steps[stays:], in_words[stays:]),
        "sends": found.sends,
        "hold": legal.ways.why and _(legal.ways.why),
        "hold_rule": legal.ways.forced or "",
        "error": legal.error,
        "preparing": preparing,
        "least": max(0, len(found.table["drivers"][seat]["hand"]) - hand_limit(Turn(found.table, seat, cards, None))),
        "rolls": odds_words.rolls(odds, cards),
    }


def _newest(together: Sequence[str], in_words: list[str]) -> list[str]:
    """Return what the last tap has laid, in words. That a card was played is clear when it was used too."""
    return in_words[1:] if len(together) > 1 and together[1].startswith(f"{steps.USE} ") else in_words


def _draft_problem(error: RuleError | None, draft: DraftShown) -> tuple[str, str]:
    """Return what is wrong with the rest of a draft, and the rule."""
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
    """Return the view with the viewer's car at the position after the draft."""
    mine = {**view["drivers"][seat], "space": after["space"]}
    return {**view, "drivers": {**view["drivers"], seat: mine}}
