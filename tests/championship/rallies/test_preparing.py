"""An organiser makes a rally and sets it up."""

import pytest
from django.http import Http404

from championship.audit.models import Record
from championship.clubs.models import Role
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services
from championship.rallies.models import Rally, SpecialStage
from championship.stages.models import StageDesign
from championship.stages.services import create_design
from tests.championship.rallies.factories import designs, enter, make_rally, organiser_of
from tests.factories import make_club, make_member, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]

SETTINGS = {
    "name": "Rajd Wisły",
    "options": {},
    "mode": "convoy",
    "turn_hours": 24,
    "reminder_hours": 4,
    "auto_start": True,
}


def test_a_ready_made_rally_has_its_three_stages_with_their_service():
    rally = make_rally(stages=("1/1", "1/2", "1/3"))
    stages = list(rally.stages.all())
    assert [stage.number for stage in stages] == [1, 2, 3]
    assert [stage.service for stage in stages] == [True, True, False]
    assert {stage.status for stage in stages} == {SpecialStage.Status.PLANNED}
    assert rally.options["checkpoints"] is True
    assert Record.objects.filter(action="rally created", club_id=rally.club_id).count() == 1


def test_a_rally_keeps_its_stage_when_the_design_is_changed():
    rally = make_rally(stages=("1/1",))
    before = rally.stages.get().spec
    StageDesign.objects.filter(source="1/1").update(spec={"tiles": []})
    assert rally.stages.get().spec == before


def test_a_rally_may_mix_own_and_ready_made_stages():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    own = create_design(by=olga, club=club, name="Monte Prado", game="dirt", spec=designs("1/2")[0].spec)
    rally = services.create_rally(by=olga, club=club, game="dirt", designs=[own, *designs("1/1")], **SETTINGS)
    assert [stage.title for stage in rally.stages.all()] == ["Stage 1: Monte Prado", "Stage 2"]


def test_another_clubs_stage_is_refused():
    olga, rival = make_user("Olga"), make_user("Rita")
    theirs = create_design(
        by=rival, club=make_club(owner=rival, name="Rivals"), name="Theirs", game="dirt", spec=designs("1/2")[0].spec
    )
    with pytest.raises(Refused) as refusal:
        services.create_rally(by=olga, club=make_club(owner=olga), game="dirt", designs=[theirs], **SETTINGS)
    assert refusal.value.field == "designs"
    assert not Rally.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": "  "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"name": "two\nlines"}, "name"),
        ({"mode": "backwards"}, "mode"),
        ({"turn_hours": 0}, "turn_hours"),
        ({"turn_hours": 721}, "turn_hours"),
        ({"reminder_hours": 24}, "reminder_hours"),
        ({"reminder_hours": -1}, "reminder_hours"),
        ({"options": {"sisu": "always"}}, "option_sisu"),
        ({"options": {"wings": True}}, "option_wings"),
        ({"options": {"dice": "duplicate"}}, "option_dice"),
        ({"designs": []}, "designs"),
    ],
)
def test_wrong_settings_are_refused_at_their_field(wrong, field):
    olga = make_user("Olga")
    club = make_club(owner=olga)
    with pytest.raises(Refused) as refusal:
        services.create_rally(
            **{"by": olga, "club": club, "game": "dirt", "designs": designs("1/1"), **SETTINGS, **wrong}
        )
    assert refusal.value.field == field
    assert not Rally.objects.exists()


def test_duplicate_dice_need_every_car_alone():
    """In a convoy a later driver sees the dice of earlier ones."""
    equal = {"dice": "duplicate"}
    rally = make_rally(mode="open road", options=equal)
    assert rally.options["dice"] == "duplicate"
    by, apart = organiser_of(rally), {**SETTINGS, "options": equal, "mode": "open road"}
    services.change_options(by=by, rally=rally, **apart)
    with pytest.raises(Refused) as refusal:
        services.change_options(by=by, rally=rally, **{**apart, "mode": "convoy"})
    assert refusal.value.field == "option_dice"
    assert "alone" in str(refusal.value)
    rally.refresh_from_db()
    assert rally.mode == "open road"


def test_only_organisers_make_rallies():
    club = make_club()
    driver, stranger = make_member(club), make_user("Stranger")
    with pytest.raises(Forbidden):
        services.create_rally(by=driver, club=club, game="dirt", designs=designs("1/1"), **SETTINGS)
    with pytest.raises(Http404):
        services.create_rally(by=stranger, club=club, game="dirt", designs=designs("1/1"), **SETTINGS)


def test_options_change_until_the_start_and_not_afterwards():
    rally = make_rally()
    olga = organiser_of(rally)
    changed = {**SETTINGS, "name": "Rajd Odry", "options": {"sisu": "none"}, "turn_hours": 48}
    services.change_options(by=olga, rally=rally, **changed)
    rally.refresh_from_db()
    assert (rally.name, rally.turn_hours, rally.options["sisu"]) == ("Rajd Odry", 48, "none")

    enter(rally, "Ana")
    services.start_rally(by=olga, rally=rally)
    with pytest.raises(Stale):
        services.change_options(by=olga, rally=rally, **SETTINGS)
    rally.refresh_from_db()
    assert rally.name == "Rajd Odry"


def test_a_cancelled_rally_takes_no_entries_and_does_not_start():
    rally = make_rally()
    services.cancel_rally(by=organiser_of(rally), rally=rally, reason="Snow")
    ana = make_member(rally.club, roles=[Role.DRIVER])
    with pytest.raises(Refused):
        services.enter_rally(by=ana, rally=rally, crew="Ana")
    with pytest.raises(Refused):
        services.start_rally(by=organiser_of(rally), rally=rally)
