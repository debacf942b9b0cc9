"""Settings: annotated attributes with a default, limits and a text."""

from __future__ import annotations

import json
import math
import pathlib
import typing
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, overload

T = TypeVar("T")

BOOLEAN, INTEGER, NUMBER, STRING, CHOICE, PATH = 1, 2, 3, 4, 5, 6
LIVE, REQUIRED, BOUNDED = 1, 2, 4
_TYPES: dict[Any, int] = {
    bool: BOOLEAN, int: INTEGER, float: NUMBER, str: STRING, pathlib.Path: PATH,
}  # fmt: skip


class Setting:
    """The description of a setting, which `setting` makes."""

    def __init__(
        self,
        default: Any,
        title: str,
        unit: str | None,
        minimum: float | None,
        maximum: float | None,
        live: bool,
    ) -> None:
        self.default = default
        self.title = title
        self.unit = unit
        self.minimum = minimum
        self.maximum = maximum
        self.live = live
        self.attribute = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.attribute = name

    def __get__(self, instance: object | None, owner: type) -> Any:
        # Without a host, as in a unit test, the attribute has its default.
        return self if instance is None or self.default is None else self.default

    @property
    def name(self) -> str:
        """The name in session files."""
        return self.attribute.replace("_", "-")

    def parameter(self, owner: type, annotation: Any) -> tuple[Any, ...]:
        """The description for the host."""
        place = f"{owner.__name__}.{self.attribute}"
        choices: list[str] = []
        if typing.get_origin(annotation) is typing.Literal:
            kind = CHOICE
            choices = [str(choice) for choice in typing.get_args(annotation)]
        elif annotation in _TYPES:
            kind = _TYPES[annotation]
        else:
            raise TypeError(
                f"{place}: a setting is annotated as bool, int, float, str, pathlib.Path or a "
                f"Literal of texts, not as {annotation!r}"
            )
        flags = (LIVE if self.live else 0) | (REQUIRED if self.default is None else 0)
        limits = self.minimum is not None or self.maximum is not None
        if limits and kind not in (INTEGER, NUMBER):
            raise TypeError(f"{place}: only numbers have a minimum and a maximum")
        lowest = self.minimum if self.minimum is not None else -(2.0**53)
        highest = self.maximum if self.maximum is not None else 2.0**53
        if limits:
            flags |= BOUNDED
        default = self.default
        if default is not None:
            if kind == CHOICE and default not in choices:
                raise ValueError(f"{place}: the default {default!r} is no choice: {choices}")
            if kind in (INTEGER, NUMBER):
                if not lowest <= default <= highest or not math.isfinite(default):
                    raise ValueError(f"{place}: the default {default!r} is outside the limits")
            if kind == NUMBER:
                default = float(default)
            if kind == PATH:
                default = path_text(default)
            expected = {BOOLEAN: bool, INTEGER: int, NUMBER: float}.get(kind, str)
            if type(default) is not expected:
                raise TypeError(f"{place}: the default {default!r} is no {expected.__name__}")
        return (
            kind, flags, self.name, self.title or self.name, self.unit, choices, default,
            float(lowest), float(highest),
        )  # fmt: skip


@overload
def setting(
    default: T,
    title: str = ...,
    *,
    unit: str | None = ...,
    minimum: float | None = ...,
    maximum: float | None = ...,
    live: bool = ...,
) -> T: ...


@overload
def setting(
    *,
    title: str = ...,
    unit: str | None = ...,
    minimum: float | None = ...,
    maximum: float | None = ...,
    live: bool = ...,
) -> Any: ...


def setting(
    default: Any = None,
    title: str = "",
    *,
    unit: str | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    live: bool = True,
) -> Any:
    """A setting of a plugin: ``speed: int = setting(60, "Speed", unit="px/s", minimum=0, maximum=1000)``.

    Session files name it ``speed``, and ``greenroom plugin info ./bot.py`` shows it. The host checks each
    value, so the attribute always has the annotated type and is within the limits.

    default: the value without a setting in the session file; ``pathlib.Path()`` is no path. Without a default
    the setting is required.
    live: whether the attribute may change while the plugin runs.
    """
    return Setting(default, title, unit, minimum, maximum, live)


def path_text(path: pathlib.Path) -> str:
    """A path for the host, to which no path is empty."""
    return "" if path == pathlib.Path() else str(path)


def settings_of(plugin: type) -> Sequence[tuple[Setting, Any]]:
    """The settings of a plugin's class with their annotations, those of its base first."""
    found: dict[str, tuple[Setting, Any]] = {}
    for owner in reversed(plugin.__mro__):
        values = {
            name: value for name, value in vars(owner).items() if isinstance(value, Setting)
        }
        if not values:
            continue
        annotations = typing.get_type_hints(owner)
        for name, value in values.items():
            if name not in annotations:
                raise TypeError(
                    f"{owner.__name__}.{name}: annotate the setting with its type, such as "
                    f"{name}: int = setting(...)"
                )
            found[name] = (value, annotations[name])
    return list(found.values())


def check_settings(plugin: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Checks values as the host does, by name. Raises ValueError with the host's words."""
    checked = dict(check_setting(plugin, name, value) for name, value in given.items())
    for declared, _ in settings_of(plugin):
        if declared.default is None and declared.name not in checked:
            raise ValueError(
                f"{declared.name}: {plugin.__name__} requires this setting "
                f"({declared.title or declared.name}). Add it."
            )
    return checked


def check_setting(plugin: type, name: str, value: Any) -> tuple[str, Any]:
    """Checks one value. Returns the name of session files, and the value with the setting's type."""
    name = name.replace("_", "-")
    declared = settings_of(plugin)
    for one, annotation in declared:
        if one.name == name:
            return name, _checked(one.parameter(plugin, annotation), value)
    known = ", ".join(one.name for one, _ in declared)
    raise ValueError(
        f"{name}: {plugin.__name__} has no such setting. Its settings: {known}."
        if known
        else f"{name}: {plugin.__name__} has no settings. Remove it."
    )


def _checked(parameter: tuple[Any, ...], value: Any) -> Any:
    kind, flags, name, _, unit, choices, _, lowest, highest = parameter
    if kind == CHOICE and type(value) in (bool, int):
        # YAML reads 720 as a number and true as a Boolean, even if a name is meant.
        value = str(value).lower()
    if kind == STRING and type(value) is int:
        value = str(value)
    if kind == PATH and isinstance(value, pathlib.Path):
        value = str(value)
    expected, is_right = {
        BOOLEAN: ("true or false", type(value) is bool),
        INTEGER: ("a whole number", type(value) is int),
        NUMBER: ("a number", type(value) in (int, float) and math.isfinite(value)),
        STRING: ("text", type(value) is str),
        CHOICE: (f"one of {', '.join(choices)}", value in choices),
        PATH: ("a path", type(value) is str),
    }[kind]
    if not is_right:
        written = f'"{value}"' if isinstance(value, str) else json.dumps(value, default=repr)
        raise ValueError(f"{name}: needs {expected}, found {written}.")
    if flags & BOUNDED and not lowest <= value <= highest:
        bounds = f"{lowest:.15g} to {highest:.15g}" + (f" {unit}" if unit else "")
        raise ValueError(f"{name}: {value} is out of bounds. Use {bounds}.")
    if kind == PATH and not value:
        raise ValueError(f"{name}: the path is empty. Name a file or folder.")
    return float(value) if kind == NUMBER else value
