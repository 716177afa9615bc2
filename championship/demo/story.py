"""What people of the demo say and judge about its past: comments, a message, a penalty, a protest and its decision.

It is told while the past is recorded. Names come from the results.
"""

from __future__ import annotations

from collections.abc import Sequence

from championship.clubs.models import Club
from championship.demo import dates
from championship.demo.clubs import account
from championship.demo.persons import CODRIVEN, DRIVER, GUEST, HOST, NEIGHBOURS, ORGANISER, STEWARD, Person
from championship.moments.services import write
from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.rallies.results.selectors import results_of
from championship.stewards.models import Decision
from championship.stewards.services import decide, file_protest

ADA, REMI, TUULA, PIET, ZUZANA = CODRIVEN
KAITO, INES, MAREK = NEIGHBOURS
LATE = 10
"""The amount of a penalty, in the unit of the season's game."""
GIVES_UP = {3: (2, 2, REMI)}
"""Stage, turn and driver, by round: who retires, and after which turn of which stage."""


def before_start(rally: Rally, number: int) -> None:
    """Tell what happens before the start of the league's round of that number."""
    if number == 1:
        rallies.write_to_entrants(
            by=account(ORGANISER),
            rally=rally,
            text="Welcome to the season! Doors open at seven, coffee is in the tent.",
        )


def after_finish(rally: Rally, number: int) -> None:
    """Tell what happens after the league's round of that number: the steward first, then the comments."""
    if number == 1:
        _late_at_control(rally)
    elif number == 2:
        _protest(rally)
    winner, last = _name_at(rally, 0), _name_at(rally, -1)
    said: dict[int, Sequence[tuple[Person, str, str]]] = {
        1: (
            (TUULA, "over", f"What a start to the season. Congratulations, {winner}!"),
            (PIET, "over", "My codriver reads faster than I think. That is the whole secret."),
            (DRIVER, "1", "First stage of the year and my hands still shake."),
            (ORGANISER, "over", "Thank you all. The pictures are on the wall of the club house."),
        ),
        2: (
            (REMI, "2", "I lift later than all of you. Sometimes that is the problem."),
            (ADA, "over", f"Gratulacje, {winner}! Leave something for the rest of us."),
            (ZUZANA, "over", "Slow and whole beats fast and broken. I keep saying it."),
        ),
        3: (
            (DRIVER, "over", f"Well driven, {winner}. See you at the next one, I have something to repair first."),
            (REMI, "2", "Something broke, I parked it and walked home through the forest."),
            (ADA, "3", "The last stage decided it, as it should."),
            (PIET, "3", "Whoever laid out that last corner: I know where you live."),
            (TUULA, "over", f"{last}, do not sell the car. We need you."),
        ),
    }
    _comment(rally, said.get(number, ()))


def after_public_rally(rally: Rally) -> None:
    """Tell what happens after the rally of the public club."""
    winner = _name_at(rally, 0)
    _comment(
        rally,
        (
            (HOST, "over", f"{winner} wins our first rally of the autumn. Come and watch the next one!"),
            (GUEST, "over", "My neighbour has watched every turn on her phone. Hello Else!"),
            (MAREK, "2", "Last on this one, and I would do it again."),
            (KAITO, "over", "Good race. I owe Inês a coffee."),
        ),
    )


def _comment(rally: Rally, said: Sequence[tuple[Person, str, str]]) -> None:
    club: Club = rally.club
    for person, moment, text in said:
        dates.later(47)
        write(by=account(person), club=club, key=rally.key, name=moment, text=text)


def _late_at_control(rally: Rally) -> None:
    dates.later(20)
    rallies.give_penalty(
        by=account(ORGANISER),
        entry=_entry_of(rally, REMI),
        amount=LATE,
        reason="Left time control before the card was signed",
        special_stage=rally.stages.get(number=2),
    )


def _protest(rally: Rally) -> None:
    """Ada protests against Piet; the steward hears it and gives a penalty."""
    dates.later(30)
    stage = rally.stages.get(number=1)
    protest = file_protest(
        by=account(ADA),
        rally=rally,
        against=_entry_of(rally, PIET),
        text="Car 5 stood across the road after the finish and I had to wait for it.",
        special_stage=None,
    )
    dates.later(190)
    decide(
        by=account(STEWARD),
        rally=rally,
        kind=Decision.Kind.PENALTY,
        text="The replay shows it. Ten seconds for car 5; next time clear the road first.",
        protest=protest,
        entry=_entry_of(rally, PIET),
        special_stage=stage,
        amount=LATE,
    )


def _entry_of(rally: Rally, person: Person) -> Entry:
    return rally.entries.get(driver__email=person.email)


def _name_at(rally: Rally, place: int) -> str:
    """Return the first name of the driver at that index of the classification."""
    results = results_of(rally)
    line = results.overall_lines(results.complete)[place]
    return str(line.entry.driver).split()[0]
