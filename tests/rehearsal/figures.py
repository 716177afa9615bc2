"""What a rehearsal measured: how soon a change was with others, step by step, and what was lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.load.report import percentile
from tests.rehearsal.seats import Document

TOGETHER = 20
"""Milliseconds between the last byte of an answer and the page that shows it, at the least."""


class Commit(NamedTuple):
    """A post: the path of its run, who sent it (None for a codriver), and the milliseconds at which it was received and
    committed.
    """

    path: str
    by: str | None
    received: float
    at: float


@dataclass(frozen=True, slots=True)
class Sight:
    """One change on one page of another person: seconds from the commit until its stream had said so, its answer was
    there to the last byte, and the page showed it. None: there was no stream, or nothing is drawn there.
    """

    at: float
    who: str
    told: float | None
    got: float
    drawn: float | None


def sights(documents: Iterable[Document], commits: Sequence[Commit]) -> list[Sight]:
    """Return when the pages of others had each change of their run.

    A page has a change with the answer to a request that began after the commit. Where that answer is "not modified",
    an answer that was under way had brought it. A page that was left before counts for nothing.
    """
    found = []
    for document in documents:
        answers = sorted(document.asked, key=lambda each: each[1])
        for commit in commits:
            if commit.by == document.who or commit.path != document.path or commit.at < document.opened:
                continue
            got = _got(answers, commit.at)
            if got is None:
                continue
            drawn = next((shown for shown in document.shown if shown >= got - TOGETHER), None)
            if document.drawn and drawn is None:
                continue
            told = next((told for told in document.told if told >= commit.at), None)
            found.append(
                Sight(
                    at=commit.at,
                    who=document.who,
                    told=_seconds(commit.at, told) if told is not None and told <= got else None,
                    got=_seconds(commit.at, got),
                    drawn=_seconds(commit.at, drawn) if document.drawn and drawn is not None else None,
                )
            )
    return found


def _seconds(since: float, until: float) -> float:
    return max(0.0, (until - since) / 1000)


def _got(answers: Sequence[Sequence[float]], at: float) -> float | None:
    """When the answer was there that has what was committed at that moment; None when there was none any more."""
    before: float | None = None
    for began, ended, status in answers:
        if began < at:
            before = ended if status == 200 and ended >= at else before
        elif status == 200:
            return ended
        elif status == 304:
            return before
    return None


def unseen(documents: Iterable[Document], commits: Sequence[Commit], patience: float) -> list[str]:
    """The changes that a page had open for so many seconds and never showed: its owner would have to reload."""
    missing = []
    for document in documents:
        for commit in commits:
            if commit.by == document.who or commit.path != document.path or commit.at < document.opened:
                continue
            if document.until - commit.at > patience * 1000 and not any(shown >= commit.at for shown in document.shown):
                missing.append(f"{document.who}: {commit.path} at {commit.at:.0f}")
    return missing


def told_of(seen: Sequence[Sight]) -> dict[str, Any]:
    """The figures of each step: told by the stream, there to the last byte, drawn by a browser."""
    return {
        "told by the stream, without a browser": summed(_told(seen, drawn=False)),
        "told by the stream, in a browser": summed(_told(seen, drawn=True)),
        "there to the last byte, without a browser": summed([each.got for each in seen if each.drawn is None]),
        "there to the last byte, in a browser": summed([each.got for each in seen if each.drawn is not None]),
        "drawn by a browser": summed([each.drawn for each in seen if each.drawn is not None]),
        "drawn after it was there": summed([each.drawn - each.got for each in seen if each.drawn is not None]),
    }


def _told(seen: Sequence[Sight], *, drawn: bool) -> list[float]:
    return [each.told for each in seen if each.told is not None and (each.drawn is not None) == drawn]


def summed(seconds: Sequence[float]) -> dict[str, Any]:
    """How many, the median, the 95th and 99th percentile and the longest."""
    if not seconds:
        return {"seen": 0}
    return {
        "seen": len(seconds),
        "p50 s": round(percentile(seconds, 0.5), 3),
        "p95 s": round(percentile(seconds, 0.95), 3),
        "p99 s": round(percentile(seconds, 0.99), 3),
        "longest s": round(max(seconds), 3),
    }
