"""The options of a game that an organiser may set for a rally."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.contract.errors import OptionError
from engine.contract.values import Json


@dataclass(frozen=True, slots=True)
class Option:
    """One option that an organiser may set.

    `type` is "bool", "int" or "choice". `scope` groups options on a form: "" for rules, "assumed" for facts that are
    not printed. An "int" is from `least` to `most`.

    `default` is the value of an option that is not given, as in records from before the game had the option. `proposed`
    is the value with which the form of a new event begins, where that is another one.
    """

    name: str
    type: str
    default: bool | int | str
    label: str
    help: str = ""
    choices: tuple[str, ...] = ()
    scope: str = ""
    least: int = 0
    most: int = 3600
    proposed: bool | int | str | None = None

    @property
    def preselected(self) -> bool | int | str:
        """The value with which the form of a new event begins."""
        return self.default if self.proposed is None else self.proposed

    def clean(self, value: Json) -> bool | int | str:
        """Return the value in the option's own type.

        Raises: OptionError when the option does not take this value.
        """
        if self.type == "bool" and isinstance(value, bool):
            return value
        if self.type == "int" and isinstance(value, int) and not isinstance(value, bool):
            if self.least <= value <= self.most:
                return value
            raise OptionError(self.name, "a whole number from %(least)d to %(most)d", least=self.least, most=self.most)
        if self.type == "choice" and isinstance(value, str) and value in self.choices:
            return value
        if self.type == "choice":
            raise OptionError(self.name, "one of %(choices)s", choices=", ".join(self.choices))
        raise OptionError(self.name, "yes or no" if self.type == "bool" else "a whole number")


def clean_options(options: Iterable[Option], given: Mapping[str, Json], *, title: str) -> dict[str, Json]:
    """Return every option of a game with a value, defaults filled in. `title` names the game in messages.

    Raises: OptionError when an option does not take its value, or the game has no option of a given name.
    """
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            raise OptionError(str(name), "%(game)s has no option %(name).40r", game=title, name=name)
    return {name: option.clean(given[name]) if name in given else option.default for name, option in known.items()}
