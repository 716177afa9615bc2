"""The rules of a game to read: the book for players, in the reader's language, and the numbered reference behind it.

    rulebook/en.md, de.md, pl.md, figures.toml of a game  →  Book  →  /rules/<game>/
    rules.md of its engine                                →  chapters  →  /rules/<game>/reference/

`docs/rulebooks.md` specifies the two formats.
"""
