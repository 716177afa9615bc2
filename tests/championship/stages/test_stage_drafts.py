"""Drafts in the stage builder: two at once, taking back, removing what a rally drives, copies between clubs."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.http import Http404

from championship.audit.models import Record
from championship.clubs.models import Role
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.stages import services
from championship.stages.models import StageDesign, StageDraft
from championship.stages.services import stage_drafts
from tests.championship.rallies.factories import make_rally
from tests.factories import make_club, make_member

TEXT = "202a\n204a\n203a"


@pytest.mark.django_db(transaction=True)
def test_of_two_windows_at_once_one_lays_and_the_other_is_stale() -> None:
    club = make_club()
    olga = make_member(club, roles=[Role.ORGANISER])

    def lay(tile: str) -> str:
        try:
            stage_drafts.act(by=olga, club=club, game="dirt", version=0, act={"do": "lay", "tile": tile})
        except Stale:
            return "stale"
        finally:
            connection.close()
        return "laid"

    with ThreadPoolExecutor(2) as windows:
        outcomes = sorted(windows.map(lay, ["202a.AD.1", "202b.DA.2"]))
    assert outcomes == ["laid", "stale"]
    draft = StageDraft.objects.get()
    assert (draft.version, len(draft.spec["tiles"]), len(draft.history)) == (1, 1, 1)


@pytest.mark.django_db
def test_the_last_thirty_changes_can_be_taken_back() -> None:
    club = make_club()
    olga = make_member(club, roles=[Role.ORGANISER])
    version = 0
    for number in range(35):
        text = "202a" if number % 2 else "202b"
        draft = stage_drafts.put(by=olga, club=club, game="dirt", version=version, text=text, settings={}, toml=False)
        version = draft.version
    for _change in range(stage_drafts.MOST_TAKEN_BACK):
        draft = stage_drafts.take_back(by=olga, club=club, game="dirt", version=version)
        version = draft.version
    with pytest.raises(Refused, match="nothing to take back"):
        stage_drafts.take_back(by=olga, club=club, game="dirt", version=version)


@pytest.mark.django_db
def test_a_stage_that_a_rally_drives_stays_and_can_be_renamed() -> None:
    club = make_club()
    olga = club.memberships.get().user
    design = services.create_design(by=olga, club=club, name="Mill", game="dirt", text=TEXT)
    rally = make_rally(by=olga, club=club, stages=("1/1",))
    rally.stages.update(design=design)
    with pytest.raises(Refused, match="stays in the library") as refused:
        services.remove_design(by=olga, design=design)
    assert refused.value.field == "remove"
    services.rename_design(by=olga, design=design, name="Old mill")
    assert StageDesign.objects.get(pk=design.pk).name == "Old mill"
    assert list(Record.objects.filter(action__startswith="stage ").values_list("action", flat=True).order_by("pk")) == [
        "stage designed",
        "stage renamed",
    ]


@pytest.mark.django_db
def test_a_copy_keeps_its_designer_and_gets_a_name_that_is_free() -> None:
    club, other = make_club(), make_club(name="Elsewhere")
    olga, ota = club.memberships.get().user, make_member(other, name="Ota", roles=[Role.ORGANISER])
    design = services.create_design(by=olga, club=club, name="Mill", game="dirt", text=TEXT)
    names = [services.copy_design(by=ota, design=design, club=other).name for _copy in range(3)]
    assert names == ["Mill", "Mill 2", "Mill 3"]
    assert {copy.designer for copy in StageDesign.objects.filter(club=other)} == {olga.name}
    assert Record.objects.filter(club_id=other.pk, action="stage designed").count() == 3


@pytest.mark.django_db
def test_only_organisers_of_a_club_change_its_library_and_builder() -> None:
    club, other = make_club(), make_club(name="Elsewhere")
    olga = club.memberships.get().user
    design = services.create_design(by=olga, club=club, name="Mill", game="dirt", text=TEXT)
    driver, stranger = make_member(club), make_member(other, roles=[Role.ORGANISER])
    for who, error in ((driver, Forbidden), (stranger, Http404)):
        with pytest.raises(error):
            services.rename_design(by=who, design=design, name="x")
        with pytest.raises(error):
            services.remove_design(by=who, design=design)
        with pytest.raises(error):
            services.copy_design(by=who, design=design, club=club)
        with pytest.raises(error):
            stage_drafts.copy_to_builder(by=who, club=club, design=design)
        with pytest.raises(error):
            stage_drafts.act(by=who, club=club, game="dirt", version=0, act={"do": "lay", "tile": "202a.AD.1"})
    assert not StageDraft.objects.exists()
    assert StageDesign.objects.get(pk=design.pk).name == "Mill"
