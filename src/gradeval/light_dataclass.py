"""Dataclasses that are not compiled at each start.

``dataclasses.dataclass`` writes the methods of a class as text and compiles it whenever Python starts: for thirty
classes that takes a sixth of the time of importing NumPy. Here the methods are the same few functions for all. All
else is as there: ``replace``, ``fields``, ``asdict``, ``inspect.signature``, patterns of ``match``; classes of the one
kind may derive from those of the other. Type checkers see the one of the standard library.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool = False, eq: bool = True, repr: bool = True) -> Any:
        """The decorator; a class with fields of kinds that are not known here goes to the standard library's."""

        def decorate(cls: type) -> Any:
            fields = _fields_of(cls)
            options = {"frozen": frozen, "eq": eq, "repr": repr}
            if fields is None or (eq and not frozen):
                import dataclasses

                return dataclasses.dataclass(cls, **options)
            return _with_methods(cls, fields, options)

        return decorate


FIELDS = "_light_fields"
"""Where a class keeps its own fields and those of its bases, by their names."""


def _fields_of(cls: type) -> dict[str, Any] | None:
    """The defaults of the fields, those of the bases first: a value, Field or MISSING. None: fields of other kinds."""
    fields: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        own = base.__dict__
        if FIELDS in own:
            fields |= own[FIELDS]
        elif "__dataclass_fields__" in own:
            return None
    for name, annotation in _annotations_of(cls).items():
        if "InitVar" in str(annotation) or "KW_ONLY" in str(annotation):
            return None
        if "ClassVar" in str(annotation):
            continue
        fields[name] = cls.__dict__.get(name, MISSING)
    return fields


def _annotations_of(cls: type) -> dict[str, Any]:
    """Those of the class itself. ``inspect`` would tell them, too: it takes longer to import than all else here."""
    own: dict[str, Any] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063
    return own


def _with_methods(cls: Any, fields: dict[str, Any], options: dict[str, bool]) -> Any:
    methods: dict[str, Any] = {"__init__": _initializer(cls, fields), "__match_args__": _taking_part("init", fields)}
    if options["frozen"]:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    if options["repr"]:
        methods["__repr__"] = _representation(_taking_part("repr", fields))
    if options["eq"]:
        methods |= _comparison(_taking_part("compare", fields))
    own = cls.__dict__
    explicit = {name for name in methods if name in own and not (name == "__hash__" and own[name] is None)}
    standard = _Standard(cls, fields, options)
    setattr(cls, FIELDS, fields)
    for name in ("__dataclass_fields__", "__dataclass_params__", "__signature__"):
        setattr(cls, name, _Late(standard, name))
    for name, method in methods.items():
        if name not in explicit:
            setattr(cls, name, method)
    for name, default in fields.items():
        if isinstance(default, Field) and name in own:  # the default of an instance, no attribute of the class
            delattr(cls, name)
            if default.default is not MISSING:
                setattr(cls, name, default.default)
    return cls


def _taking_part(part: str, fields: dict[str, Any]) -> tuple[str, ...]:
    """The fields in the constructor (``init``), in the text (``repr``), or in comparisons (``compare``)."""
    return tuple(name for name, default in fields.items() if not isinstance(default, Field) or getattr(default, part))


def _initializer(cls: Any, fields: dict[str, Any]) -> Any:
    names = _taking_part("init", fields)
    known, count = frozenset(names), len(fields)
    defaults, makers = {}, []
    for name, default in fields.items():
        if isinstance(default, Field) and default.default_factory is not MISSING:
            makers.append((name, default.default_factory))
        elif isinstance(default, Field):
            defaults[name] = default.default
        elif default is not MISSING:
            defaults[name] = default
    finish = hasattr(cls, "__post_init__")

    def __init__(self: Any, /, *args: Any, **named: Any) -> None:
        values = self.__dict__
        values.update(defaults)
        values.update(zip(names, args, strict=False))
        values.update(named)
        for name, make in makers:
            if name not in values:
                values[name] = make()
        if len(values) != count or not known.issuperset(named) or (args and _clash(names, args, named)):
            raise TypeError(f"{cls.__name__}() {_fault(cls, args, named)}")
        if finish:
            self.__post_init__()

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


def _clash(names: tuple[str, ...], args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Is a field given twice, or are there more values than fields?"""
    return len(args) > len(names) or (bool(named) and not named.keys().isdisjoint(names[: len(args)]))


def _fault(cls: type, args: tuple[Any, ...], named: dict[str, Any]) -> str:
    from inspect import signature

    try:
        signature(cls).bind(*args, **named)
    except TypeError as error:
        return str(error)
    return "takes other arguments"


def _refuse_to_set(_: Any, name: str, __: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _representation(names: tuple[str, ...]) -> Any:
    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return recursive_repr("...")(__repr__)


def _comparison(names: tuple[str, ...]) -> dict[str, Any]:
    """Objects of one class are equal where all fields are, and then have one hash."""
    get = attrgetter(*names) if names else type  # of a class without fields all objects are equal

    def __eq__(self: Any, other: object) -> Any:
        return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(get(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


class _Standard:
    """What the standard library says of a class, made when it is asked for."""

    def __init__(self, cls: Any, fields: dict[str, Any], options: dict[str, bool]) -> None:
        self.cls, self.fields, self.options = cls, fields, options
        self.found: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        if name not in self.found:
            bare = {"init": False, "repr": False, "eq": False}  # nothing is compiled for that
            if name == "__dataclass_fields__":
                self.found[name] = self.make(bare).__dataclass_fields__
            elif name == "__dataclass_params__":
                self.found[name] = self.make(self.options).__dataclass_params__
            else:
                import inspect

                self.found[name] = inspect.signature(self.make({**bare, "init": True}))
        return self.found[name]

    def make(self, options: dict[str, bool]) -> Any:
        import dataclasses

        known = {name: kind for base in reversed(self.cls.__mro__) for name, kind in _annotations_of(base).items()}
        annotations = {name: known[name] for name in self.fields}
        defaults = {name: default for name, default in self.fields.items() if default is not MISSING}
        body = {"__annotations__": annotations, "__module__": self.cls.__module__, "__doc__": "As is.", **defaults}
        return dataclasses.dataclass(type(self.cls.__name__, (), body), **options)


class _Late:
    """An attribute of a class that is computed when it is asked for."""

    def __init__(self, standard: _Standard, name: str) -> None:
        self.standard, self.name = standard, name

    def __get__(self, instance: object, owner: type) -> Any:
        if self.name == "__signature__" and (instance is not None or owner is not self.standard.cls):
            raise AttributeError(self.name)  # it is that of the constructor, and of this class alone
        return self.standard.get(self.name)
