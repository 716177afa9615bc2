"""Turning points of a stage become moments of the club when it is over, and members cheer for moments."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from championship.archive.own_data import own_data
from championship.clubs.models import Club, Role
from championship.moments import services
from championship.moments.club_moments import in_words, moment_rows
from championship.moments.highlights import MOST
from championship.moments.models import Cheer, Highlight
from championship.moments.services import Highlights, choose_highlights
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused
from championship.rallies.models import SpecialStage
from championship.runs.models import Run
from championship.runs.watch import story
from tests.championship.rallies.factories import started
from tests.championship.runs.factories import driven_to_the_end, starters
from tests.factories import make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> SpecialStage:
    """A stage that three cars have driven, each alone, and the club is public."""
    cache.clear()
    rally, _entries = started("Ada", "Bo", "Tuula", stages=("4/1",), mode="open road")
    Club.objects.filter(pk=rally.club_id).update(visibility=Club.Visibility.PUBLIC)
    for run in Run.objects.filter(special_stage__rally=rally).order_by("number"):
        driven_to_the_end(run, *starters(run))
    return SpecialStage.objects.select_related("rally__club").get(rally=rally)


def told_names(stage: SpecialStage) -> list[str]:
    club = stage.rally.club
    return [one.name for one in in_words(club, moment_rows(club)) if one.told]


def test_the_sweep_chooses_highlights_of_stages_that_are_over_once(stage: SpecialStage) -> None:
    now, act = clock.now(), Highlights()
    SpecialStage.objects.filter(pk=stage.pk).update(status=SpecialStage.Status.RUNNING)
    assert act.due(now) == [] and not act.act(stage.pk, now)
    assert told_names(stage) == []
    SpecialStage.objects.filter(pk=stage.pk).update(status=SpecialStage.Status.DONE, closed_at=now)
    assert act.due(now) == [stage.pk] and act.act(stage.pk, now)
    assert act.due(now) == [] and not choose_highlights(special_stage=stage.pk, now=now)
    count = Highlight.objects.count()
    assert 0 < count <= MOST and told_names(stage) == [f"1-told-{number}" for number in range(count, 0, -1)]
    texts = {one.text for one in story.of_stage(stage, make_user())}
    club = stage.rally.club
    moments = [one for one in in_words(club, moment_rows(club)) if one.told]
    assert {one.title for one in moments} <= texts
    page, feed = Client().get(f"/clubs/{club.slug}/moments/").text, Client().get(f"/feeds/{club.key}.atom").text
    for moment in moments:
        assert moment.title in page and moment.title in feed and moment.link.replace("&", "&amp;") in page
        assert Client().get(moment.address).status_code == 200
    assert Client().get(f"/clubs/{club.slug}/moments/{stage.rally.key}/1-told-99/").status_code == 404


def test_a_member_cheers_once_and_takes_it_back(stage: SpecialStage) -> None:
    SpecialStage.objects.filter(pk=stage.pk).update(status=SpecialStage.Status.DONE, closed_at=clock.now())
    choose_highlights(special_stage=stage.pk, now=clock.now())
    rally, club = stage.rally, stage.rally.club
    member, guest = make_member(club), make_member(club, roles=[Role.GUEST])
    address = f"/clubs/{club.slug}/moments/{rally.key}/1-told-1/"
    desk = signed_in(member)
    for _press in range(2):
        assert desk.post(f"{address}cheer/").headers["Location"] == address
    assert Cheer.objects.count() == 1
    assert 'aria-pressed="true"' in desk.get(address).text
    assert [row["moment"] for row in own_data(member)["moments.cheer, author"]] == ["1-told-1"]
    seen = Client().get(address).text
    assert "1 cheer" in seen and "cheer/" not in seen, "only members cheer"
    for _press in range(2):
        answer = desk.post(f"{address}cheer/", {"do": "back", "from": "list", "page": "9\r\nX"})
        assert answer.headers["Location"] == f"/clubs/{club.slug}/moments/?page=1#{rally.key}-1-told-1"
    assert not Cheer.objects.exists()
    assert Client().post(f"{address}cheer/").headers["Location"] == f"/account/login/?next={address}"
    for person, status in ((guest, 403), (make_user(), 404)):
        assert signed_in(person).post(f"{address}cheer/").status_code == status
    for name in ("1-told-99", "nothing", "9", "started-1"):
        assert desk.post(f"/clubs/{club.slug}/moments/{rally.key}/{name}/cheer/").status_code == 404
    assert desk.get(f"{address}cheer/").status_code == 405
    assert not Cheer.objects.exists()


def test_cheers_have_a_limit_and_bots_do_not_cheer(stage: SpecialStage, monkeypatch: pytest.MonkeyPatch) -> None:
    club, member = stage.rally.club, make_member(stage.rally.club)
    monkeypatch.setattr(services, "MOST_CHEERS_A_DAY", 0)
    with pytest.raises(Refused):
        services.cheer(by=member, club=club, key=stage.rally.key, name="started")
    member.is_bot = True
    with pytest.raises(Forbidden):
        services.cheer(by=member, club=club, key=stage.rally.key, name="started")
