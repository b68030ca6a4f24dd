"""A light dataclass does what one of the standard library does: each law is held against that."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any, ClassVar

import pytest

from gradeval import light_dataclass

Decorator = Callable[..., Callable[[type], type]]


def shapes(decorator: Decorator) -> dict[str, Any]:
    """Classes of the kinds that there are in gradeval, by the one decorator or the other."""

    @decorator(frozen=True)
    class Point:
        """A point."""

        x: float
        y: float = 0.0

    class Titled:
        title: str

    @decorator(frozen=True, eq=False)
    class Cached(Titled):
        levels: tuple[int, ...]
        seen: dict[str, int] = field(default_factory=dict, init=False, repr=False)
        title: str = field(default="", repr=False)
        kinds: ClassVar[int] = 3

    @decorator(frozen=True)
    class Named:
        name: str
        met: list[str] = field(default_factory=list, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "name", self.name.upper())

    @decorator(eq=False, repr=False)
    class Whole:
        least: int
        unit: str = ""

    @decorator(frozen=True)
    class Further(Point):
        z: float = 1.0

    @decorator(frozen=True, repr=False)
    class Hashed:
        name: str

        def __hash__(self) -> int:
            return 7

    @decorator(frozen=True)
    class Nothing:
        pass

    return {kind.__name__: kind for kind in (Point, Cached, Named, Whole, Further, Hashed, Nothing)}


LIGHT, STANDARD = shapes(light_dataclass.dataclass), shapes(dataclasses.dataclass)
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Point", (1.0,), {}),
    ("Point", (1.0, 2.0), {}),
    ("Point", (), {"y": 2.0, "x": 1.0}),
    ("Point", (), {}),
    ("Point", (1.0, 2.0, 3.0), {}),
    ("Point", (1.0,), {"x": 2.0}),
    ("Point", (), {"y": 1.0}),
    ("Point", (), {"y": 1.0, "w": 1.0}),
    ("Cached", ((1, 2),), {}),
    ("Cached", ((1, 2), "a"), {}),
    ("Cached", ((1, 2),), {"seen": {}}),
    ("Named", ("a",), {}),
    ("Named", ("a",), {"met": ["b"]}),
    ("Whole", (1,), {"unit": "ranks"}),
    ("Whole", (), {"unit": "ranks"}),
    ("Further", (1.0, 2.0), {"z": 3.0}),
    ("Further", (1.0,), {}),
    ("Hashed", ("a",), {}),
    ("Nothing", (), {}),
    ("Nothing", (1,), {}),
]


@pytest.mark.parametrize(("kind", "values", "named"), CALLS)
def test_an_instance_holds_what_one_of_the_standard_library_holds(
    kind: str, values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    try:
        expected = STANDARD[kind](*values, **named)
    except TypeError:
        with pytest.raises(TypeError, match=kind):
            LIGHT[kind](*values, **named)
        return
    found = LIGHT[kind](*values, **named)
    names = [each.name for each in dataclasses.fields(expected)]
    assert [each.name for each in dataclasses.fields(found)] == names
    assert [getattr(found, name) for name in names] == [getattr(expected, name) for name in names]
    if kind != "Whole":
        assert repr(found).replace("light_", "") == repr(expected) or kind == "Hashed"
    again = LIGHT[kind](*values, **named)
    assert (found == again) == (expected == STANDARD[kind](*values, **named))
    assert (hash(found) == hash(again)) == (hash(expected) == hash(STANDARD[kind](*values, **named)))
    assert vars(copy.copy(found)) == vars(found)


@pytest.mark.parametrize("kind", LIGHT)
def test_the_class_says_of_itself_what_one_of_the_standard_library_says(kind: str) -> None:
    light, standard = LIGHT[kind], STANDARD[kind]
    assert dataclasses.is_dataclass(light)
    assert str(inspect.signature(light)) == str(inspect.signature(standard))
    assert light.__match_args__ == standard.__match_args__
    assert light.__dataclass_params__.frozen == standard.__dataclass_params__.frozen
    public = {name for name in vars(standard) if not name.startswith("__")}
    assert {name for name in vars(light) if not name.startswith("_")} == public
    for ours, theirs in zip(dataclasses.fields(light), dataclasses.fields(standard), strict=True):
        assert (ours.init, ours.repr, ours.compare, ours.default) == (
            theirs.init,
            theirs.repr,
            theirs.compare,
            theirs.default,
        )


def test_a_frozen_one_cannot_be_changed_and_another_can() -> None:
    point = LIGHT["Point"](1.0)
    with pytest.raises(FrozenInstanceError, match="assign to field 'x'"):
        point.x = 2.0
    with pytest.raises(FrozenInstanceError, match="delete field 'x'"):
        del point.x
    whole = LIGHT["Whole"](1)
    whole.least = 2
    assert whole.least == 2


def test_replace_makes_another_one() -> None:
    point = LIGHT["Further"](1.0, 2.0)
    assert dataclasses.replace(point, y=5.0) == LIGHT["Further"](1.0, 5.0, 1.0)
    assert dataclasses.asdict(point) == {"x": 1.0, "y": 2.0, "z": 1.0}
    with pytest.raises((TypeError, ValueError)):
        dataclasses.replace(LIGHT["Cached"]((1,)), seen={})


def test_classes_of_both_kinds_derive_from_each_other() -> None:
    @dataclasses.dataclass(frozen=True)
    class Standard(LIGHT["Point"]):
        w: int = 4

    assert repr(Standard(1.0)).endswith("Standard(x=1.0, y=0.0, w=4)")
    assert str(inspect.signature(Standard)).startswith("(x: 'float', y: 'float' = 0.0, w: 'int' = 4)")

    @light_dataclass.dataclass(frozen=True)
    class Light(STANDARD["Point"]):
        w: int = 4

    assert Light(1.0, w=5) == Light(1.0, 0.0, 5) != Light(1.0)
    with pytest.raises(FrozenInstanceError):
        Light(1.0).w = 3
