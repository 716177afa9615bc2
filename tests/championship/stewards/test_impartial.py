"""An official who drives in a rally neither judges nor gives seconds in it while another official does not drive."""

from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.db import transaction

from championship.audit.models import Record
from championship.clubs.models import Role
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused
from championship.rallies import services as rallies
from championship.rallies.models import Entry, Penalty, PenaltyWithdrawal
from championship.runs import play as runs
from championship.stewards import selectors, services
from championship.stewards.models import Decision, Protest
from tests.championship.rallies.factories import drive, organiser_of, stage_of, started
from tests.championship.runs.factories import on_the_road
from tests.factories import make_member

pytestmark = pytest.mark.django_db

ORGANISER, STEWARD, DRIVER, GUEST = Role.ORGANISER, Role.STEWARD, Role.DRIVER, Role.GUEST


class Scene:
    """Ana, Bo and Cem drive, and Bo is to play. Only people whom a test makes officials are officials."""

    def __init__(self) -> None:
        self.run, entries = on_the_road("Ana", "Bo", "Cem", stages=("1/1", "1/3"), options={"checkpoints": True})
        self.turn = self.run.turns.select_related("seat__entry").get(ended_at=None)
        self.bo = self.turn.seat.entry
        self.ana, self.cem = (entry for entry in entries if entry.pk != self.bo.pk)
        self.rally = self.ana.rally
        self.olga = organiser_of(self.rally)
        self.rally.club.memberships.filter(user=self.olga).update(roles=[Role.OWNER])

    def official(self, entry: Entry, *roles: str) -> Any:
        self.rally.club.memberships.filter(user=entry.driver).update(roles=[DRIVER, *roles])
        return entry.driver

    def another(self, *roles: str, **account: Any) -> Any:
        person = make_member(self.rally.club, roles=roles)
        for name, value in account.items():
            setattr(person, name, value)
        person.save()
        return person


def give(scene: Scene, by: Any) -> None:
    rallies.give_penalty(by=by, entry=scene.bo, amount=60, reason="Late")


def bonus(scene: Scene, by: Any) -> None:
    rallies.give_penalty(by=by, entry=scene.cem, amount=-60, reason="Helped", special_stage=stage_of(scene.rally, 1))


def withdraw(scene: Scene, by: Any) -> None:
    late = Penalty.objects.create(rally=scene.rally, entry=scene.bo, amount=30, reason="Late", given_by=scene.olga)
    rallies.withdraw_penalty(by=by, penalty=late, reason="It was not")


def decide(scene: Scene, by: Any) -> None:
    services.decide(by=by, rally=scene.rally, kind="exclusion", text="Out.", entry=scene.bo)


def judge(scene: Scene, by: Any) -> None:
    protest = services.file_protest(by=scene.bo.driver, rally=scene.rally, text="Hm.")
    services.decide(by=by, rally=scene.rally, kind="no action", text="No.", protest=protest)


def undo(scene: Scene, by: Any) -> None:
    decision = Decision.objects.create(
        rally=scene.rally, number=1, kind="reprimand", entry=scene.bo, text="Noise.", by=scene.olga
    )
    services.decide(by=by, rally=scene.rally, kind="reversal", text="Quiet.", undoes=decision)


def extend(scene: Scene, by: Any) -> None:
    runs.extend_turn(by=by, turn=scene.turn, hours=5, reason="Asked for it", seen=scene.turn.deadline)


def close_control(scene: Scene, by: Any) -> None:
    rallies.close_time_control(by=by, special_stage=stage_of(scene.rally, 1))


def replace(scene: Scene, by: Any) -> None:
    driver = scene.another(DRIVER)
    crew = {"instead_of": scene.bo.driver_id, "crew": "Eva"}
    runs.replace_driver(by=by, entry=scene.bo, driver=driver, reason="Ill", **crew)


def to_the_codriver(scene: Scene, by: Any) -> None:
    rallies.set_driven_by(by=by, entry=scene.bo, driven_by="codriver", reason="Too slow")


def hand_over(scene: Scene, by: Any, how_long: str) -> None:
    runs.hand_car_over(by=by, entry=scene.bo, how_long=how_long, turns_made=0, reason="Too slow")


def one_turn(scene: Scene, by: Any) -> None:
    hand_over(scene, by, "turn")


def the_stage(scene: Scene, by: Any) -> None:
    hand_over(scene, by, "stage")


ACTS: list[tuple[Callable[[Scene, Any], None], set[str], str, type[Any] | None]] = [
    (give, {ORGANISER, STEWARD}, "penalty given", Penalty),
    (bonus, {ORGANISER, STEWARD}, "penalty given", Penalty),
    (withdraw, {ORGANISER, STEWARD}, "penalty withdrawn", PenaltyWithdrawal),
    (decide, {STEWARD}, "decision taken", Decision),
    (judge, {STEWARD}, "decision taken", Decision),
    (undo, {STEWARD}, "decision taken", Decision),
    (extend, {ORGANISER}, "deadline extended", None),
    (close_control, {ORGANISER}, "time control closed", None),
    (replace, {ORGANISER}, "driver replaced", None),
    (to_the_codriver, {ORGANISER}, "entry driven by", None),
    (one_turn, {ORGANISER}, "entry driven by", None),
    (the_stage, {ORGANISER}, "entry driven by", None),
]
NO_OFFICIALS: dict[str, Callable[[], dict[str, Any]]] = {
    "whose account does not work": lambda: {"is_active": False},
    "whose account is closed": lambda: {"closed_at": clock.now()},
    "a bot": lambda: {"is_bot": True},
}
LEFT = ["nobody", "who stands by", "who drives too", "a guest", *NO_OFFICIALS]


def add_officials(scene: Scene, who: str, powers: set[str]) -> None:
    roles = sorted(powers)
    if who == "who stands by":
        scene.another(*roles)
    elif who == "who drives too":
        scene.official(scene.cem, *roles)
    elif who in NO_OFFICIALS:
        scene.another(*roles, **NO_OFFICIALS[who]())
    elif who == "a guest":
        scene.another(GUEST)


def outcome(act: Any, logged: str, kept: type[Any] | None, scene: Scene, by: Any) -> str:
    """The outcome of the act. "done openly": the log and the stored row say that the author drives in the rally."""
    try:
        act(scene, by)
    except Forbidden:
        return "refused" if not Record.objects.filter(action=logged).exists() else "refused and done"
    openly = {Record.objects.get(action=logged).details.get("author_drives", False)}
    openly |= {kept.objects.order_by("-pk")[0].author_drives} if kept else set()
    return {frozenset({True}): "done openly", frozenset({False}): "done"}.get(frozenset(openly), "half told")


@pytest.mark.slow
@pytest.mark.parametrize(("act", "powers", "logged", "kept"), ACTS, ids=[each[0].__name__ for each in ACTS])
def test_each_act_by_role_by_whether_its_author_drives_and_by_other_officials(act, powers, logged, kept):
    scene = Scene()
    if act is close_control:
        drive(scene.rally, 1, {scene.ana: 200, scene.bo: 210, scene.cem: 220})
    for role, drives, left in product((ORGANISER, STEWARD, DRIVER), (False, True), LEFT):
        case = transaction.savepoint()
        by = scene.official(scene.ana, role) if drives else scene.another(DRIVER, role)
        add_officials(scene, left, powers)
        wanted = "refused"
        if role in powers and not (drives and left == "who stands by"):
            wanted = "done openly" if drives else "done"
        assert outcome(act, logged, kept, scene, by) == wanted, (role, "drives" if drives else "stands by", left)
        transaction.savepoint_rollback(case)


OWN: list[Callable[[Scene, Any], None]] = [
    lambda scene, by: rallies.give_penalty(by=by, entry=scene.ana, amount=-60, reason="Well driven"),
    lambda scene, by: rallies.withdraw_penalty(
        by=by,
        penalty=Penalty.objects.create(
            rally=scene.rally, entry=scene.ana, amount=9, reason="Late", given_by=scene.olga
        ),
        reason="Was not",
    ),
    lambda scene, by: services.decide(
        by=by, rally=scene.rally, kind="penalty", text="Mine.", entry=scene.ana, amount=-9
    ),
]


@pytest.mark.parametrize("act", OWN, ids=["seconds", "a withdrawal", "a decision"])
def test_nobody_gives_themselves_anything_even_without_another_official(act):
    scene = Scene()
    by = scene.official(scene.ana, ORGANISER, STEWARD)
    with pytest.raises(Forbidden) as refusal:
        act(scene, by)
    assert refusal.value.field == "entry"


def test_an_organiser_who_is_to_play_gives_themselves_no_time():
    scene = Scene()
    by = scene.official(scene.bo, ORGANISER)
    with pytest.raises(Forbidden):
        extend(scene, by)


def test_an_organiser_who_drives_hands_their_own_car_to_the_codriver_and_to_nobody_else():
    scene = Scene()
    by, olga, eva = scene.official(scene.ana, ORGANISER), scene.another(ORGANISER), scene.another(DRIVER)
    rallies.set_driven_by(by=by, entry=scene.ana, driven_by="codriver")
    assert "author_drives" not in Record.objects.get(action="entry driven by").details
    for entry in (scene.ana, scene.bo):
        to = {"driver": eva, "instead_of": entry.driver_id, "crew": "Eva", "reason": "Ill"}
        with pytest.raises(Forbidden, match=olga.name):
            runs.replace_driver(by=by, entry=entry, **to)
    runs.replace_driver(by=olga, entry=scene.bo, **to)


def test_drivers_are_told_that_the_author_of_a_replacement_drives():
    scene = Scene()
    replace(scene, scene.official(scene.ana, ORGANISER))
    told = Notice.objects.filter(kind__in=("car taken over", "car given away"), channel="mail")
    assert {notice.context.get("author_drives") for notice in told} == {"yes"}


def test_a_replaced_driver_and_the_new_one_both_count_as_drivers_of_the_rally():
    scene = Scene()
    ida, eva = scene.official(scene.ana, STEWARD), scene.another(DRIVER, STEWARD)
    sten, olga = scene.another(STEWARD), scene.another(ORGANISER)
    runs.replace_driver(by=olga, entry=scene.ana, driver=eva, instead_of=ida.pk, crew="Eva", reason="Ill")
    for by in (ida, eva):
        with pytest.raises(Forbidden):
            give(scene, by)
    give(scene, sten)


# Appeals ---------------------------------------------------------------------------------------------


def appealed(scene: Scene, by: Any) -> Protest:
    """Bo's appeal against a decision of that steward."""
    decision = services.decide(by=by, rally=scene.rally, kind="penalty", text="Late.", entry=scene.bo, amount=30)
    return services.appeal(by=scene.bo.driver, decision=decision, text="I was in time.")


@pytest.mark.parametrize(
    ("stewards", "may"),
    [
        ("author", {"author"}),
        ("author stander", {"stander"}),
        ("author driver", {"author"}),
        ("author stander driver party", {"stander"}),
        ("driving-author driver", {"driver"}),
        ("driving-author driver party", {"driver"}),
        ("driving-author", {"driving-author"}),
        ("driving-author party", {"driving-author"}),
    ],
)
def test_an_appeal_is_decided_by_the_stewards_with_the_fewest_ties_to_it_and_is_never_stuck(stewards, may):
    scene, people = Scene(), {}
    for who in stewards.split():
        entry = {"driver": scene.cem, "party": scene.bo, "driving-author": scene.ana}.get(who)
        people[who] = entry.driver if entry else scene.another(DRIVER)
    author = people.get("author") or people["driving-author"]
    scene.rally.club.memberships.filter(user=author).update(roles=[STEWARD])
    appeal = appealed(scene, author)
    scene.rally.club.memberships.filter(user__in=people.values()).update(roles=[DRIVER, STEWARD])

    eligible = {who for who, person in people.items() if selectors.officials_on(scene.rally, appeal).may(person.pk)}

    assert eligible == may
    for who in sorted(people, key=lambda who: who in may):
        if who in may:
            services.decide(by=people[who], rally=scene.rally, kind="no action", text="It stands.", protest=appeal)
        else:
            with pytest.raises(Forbidden):
                services.decide(by=people[who], rally=scene.rally, kind="no action", text="So.", protest=appeal)


def test_the_only_steward_decides_even_as_a_party_and_the_decision_says_so():
    scene = Scene()
    ana = scene.official(scene.ana, STEWARD)
    protest = services.file_protest(by=scene.bo.driver, rally=scene.rally, text="Ana blocked.", against=scene.ana)
    decision = services.decide(by=ana, rally=scene.rally, kind="no action", text="I did not.", protest=protest)
    assert decision.author_drives
    told = Notice.objects.get(kind="decision taken", recipient=scene.bo.driver)
    assert told.context["author_drives"]
    appeal = services.appeal(by=scene.cem.driver, decision=decision, text="She did.")
    assert appeal.appealed == decision, "whoever drives may appeal against what a driver decided"


def test_only_parties_appeal_against_a_decision_of_a_steward_who_does_not_drive():
    scene = Scene()
    sten = scene.another(STEWARD)
    decision = services.decide(by=sten, rally=scene.rally, kind="penalty", text="Late.", entry=scene.bo, amount=30)
    with pytest.raises(Forbidden):
        services.appeal(by=scene.cem.driver, decision=decision, text="Too little.")


def test_seconds_from_an_official_who_drives_open_the_window_for_protests_again():
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3",))
    drive(rally, 1, {ana: 200, bo: 210})
    rally.refresh_from_db()
    rally.club.memberships.filter(user=organiser_of(rally)).update(roles=[Role.OWNER])
    rally.club.memberships.filter(user=ana.driver).update(roles=[DRIVER, ORGANISER])
    rally.finished_at -= timedelta(days=30)
    rally.save()
    with pytest.raises(Refused):
        services.file_protest(by=bo.driver, rally=rally, text="Long ago.")
    rallies.give_penalty(by=ana.driver, entry=bo, amount=60, reason="Late")
    services.file_protest(by=bo.driver, rally=rally, text="Not at all.", against=ana)
    Penalty.objects.update(at=clock.now() - timedelta(hours=49))
    with pytest.raises(Refused):
        services.file_protest(by=bo.driver, rally=rally, text="Once more.", against=ana)


def test_stewards_are_notified_of_a_protest_that_they_may_judge():
    scene = Scene()
    scene.official(scene.cem, STEWARD)
    sten = scene.another(STEWARD)
    services.file_protest(by=scene.bo.driver, rally=scene.rally, text="Hm.")
    assert [each.recipient for each in Notice.objects.filter(kind="protest filed", channel="mail")] == [sten]
