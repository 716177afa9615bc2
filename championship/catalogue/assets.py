"""The files that pages load for a game besides their own style sheets and scripts."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Files:
    """Style sheets and scripts, by their names as static files. Both are loaded before those of the page."""

    css: tuple[str, ...] = ()
    js: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAssets:
    """The files for each kind of page. `every`: every page of the site, because maps appear on many of them; style
    sheets only. `home`: the first page. `run`: a run, its log, a place of its course, a record. `replay` and `builder`:
    the replay and the stage builder.
    """

    every: Files = field(default_factory=Files)
    home: Files = field(default_factory=Files)
    run: Files = field(default_factory=Files)
    replay: Files = field(default_factory=Files)
    builder: Files = field(default_factory=Files)
