"""Collects what is to be said about the lines of a list: the same about many lines is said once."""

from __future__ import annotations

from dataclasses import dataclass, field

from championship.lists.found import Kind, Note

MOST_CELLS_SHOWN = 5


@dataclass(slots=True)
class _Group:
    column: str
    says: str
    kind: Kind
    choices: tuple[tuple[str, str], ...]
    lines: list[int] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)


class Notes:
    """Notes in the order in which they were first made, grouped by what they are about, and by column."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str, str], _Group] = {}
        self.faulty: set[int] = set()

    def add(
        self,
        kind: Kind,
        about: str,
        says: str,
        *,
        line: int | None = None,
        column: str = "",
        cell: str = "",
        choices: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Say something about a line, or about the whole list."""
        group = self._groups.setdefault((about, column, says), _Group(column, says, kind, choices))
        if line is not None:
            group.lines.append(line)
            if kind == "fault":
                self.faulty.add(line)
        if cell and cell not in group.cells and len(group.cells) < MOST_CELLS_SHOWN:
            group.cells.append(cell)

    def ask(
        self,
        about: str,
        says: str,
        choices: tuple[tuple[str, str], ...] = (),
        *,
        line: int | None = None,
        column: str = "",
        cell: str = "",
    ) -> None:
        """Ask something. The first choice holds as long as nobody has answered; without choices, the answer is a text
        and `cell` holds until then.
        """
        self.add("ask", about, says, line=line, column=column, cell=cell, choices=choices)

    def all(self) -> tuple[Note, ...]:
        """Return the notes: faults first, then questions, then what is only told."""
        order = {"fault": 0, "ask": 1, "told": 2}
        notes = [
            Note(
                tuple(dict.fromkeys(group.lines)),
                group.column,
                group.says,
                group.kind,
                about,
                group.choices,
                tuple(group.cells),
            )
            for (about, _column, _says), group in self._groups.items()
        ]
        return tuple(sorted(notes, key=lambda note: order[note.kind]))
