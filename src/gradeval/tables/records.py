"""Tables for programs: exact values under the names of fields, one record a line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Value: TypeAlias = str | float | bool | None


class Sentences(str):
    """Sentences in one text, of which JSON makes a list."""

    __slots__ = ("listed",)
    listed: Sequence[str]

    @classmethod
    def of(cls, sentences: Sequence[str]) -> Self:
        """These sentences; the text has semicolons between them."""
        text = cls("; ".join(sentences))
        text.listed = [*sentences]
        return text


@dataclass(frozen=True, eq=False, repr=False)
class Coded:
    """A column of few different names: ``names[codes[row]]``. Each name is escaped once, not in every line."""

    names: Sequence[str]
    codes: Array

    def __len__(self) -> int:
        return len(self.codes)


Field: TypeAlias = Coded | Array | Sequence[Value]
"""The values of a field, one a record: coded names, an array, or a sequence in which None means no value."""


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """Exact values by the names of their fields.

    Attributes
    ----------
    fields : the values by the names of the fields; all have the same length.
    metadata : stored with the values in Arrow and Parquet, as JSON.
    """

    fields: Mapping[str, Field]
    metadata: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, names: Sequence[str], rows: Iterable[Sequence[Value]]) -> Self:
        """Records from rows of values."""
        columns = list(zip(*rows, strict=True)) or [()] * len(names)
        return cls(dict(zip(names, columns, strict=True)))

    @classmethod
    def over(cls, axes: Mapping[str, Sequence[Any]], **values: Any) -> Self:
        """A record for each cell of some axes, the last one fastest.

        ``axes``: the names along each axis, by the title of the axis; an axis of pairs has two titles, with a blank
        between them, and one that no field names has none. ``values``: by the name of the field an array that
        broadcasts over the axes (masked where there is no value), or what is the same in every record.
        """
        shape = tuple(map(len, axes.values()))
        places = np.indices(shape).reshape(len(shape), math.prod(shape))
        fields: dict[str, Field] = {}
        for (title, names), place in zip(axes.items(), places, strict=True):
            titles = title.split()
            for number, name in enumerate(titles):
                labels = [each[number] for each in names] if len(titles) > 1 else list(names)
                if all(isinstance(one, int | float) for one in labels):
                    fields[name] = np.array(labels)[place]
                else:
                    codes = {label: code for code, label in enumerate(dict.fromkeys(map(str, labels)))}
                    fields[name] = Coded(list(codes), np.array([codes[str(one)] for one in labels], np.intp)[place])
        for name, value in values.items():
            if isinstance(value, np.ma.MaskedArray):
                fields[name] = (
                    np.ma.array(np.broadcast_to(value.data, shape), mask=np.broadcast_to(value.mask, shape))
                    .ravel()
                    .tolist()
                )
            elif isinstance(value, np.ndarray):
                fields[name] = np.broadcast_to(value, shape).ravel()
            elif isinstance(value, str):
                fields[name] = Coded([value], np.zeros(places.shape[1], np.intp))
            elif value is None:
                fields[name] = [None] * places.shape[1]
            else:
                fields[name] = np.full(places.shape[1], value)
        return cls(fields)

    def __len__(self) -> int:
        return len(next(iter(self.fields.values()), ()))

    def ordered(self, names: Sequence[str]) -> Records:
        """The same fields in another order."""
        return Records({name: self.fields[name] for name in names}, self.metadata)

    def then(self, others: Records) -> Records:
        """These records and others behind them; a field that some of them lack is empty there."""
        names = dict.fromkeys([*self.fields, *others.fields])
        return Records({name: [*self._values(name), *others._values(name)] for name in names}, self.metadata)

    def _values(self, name: str) -> Sequence[Value]:
        """The values of a field; None in each record where there is no such field."""
        return [None] * len(self) if name not in self.fields else values_of(self.fields[name])


def values_of(field: Field) -> list[Value]:
    """The values of a field as plain Python objects."""
    if isinstance(field, Coded):
        names = list(field.names)
        return [names[code] for code in field.codes.tolist()]
    values: list[Value] = field.tolist() if isinstance(field, np.ndarray) else list(field)
    return values
