"""Kinds of parameters that only studies have."""

from __future__ import annotations

import pytest

from gradeval import AP, InputError
from gradeval.studies.study_parameters import ByOthers, Data, ExtraMeasure


@pytest.mark.parametrize("measure", ["AP", AP])
def test_an_extra_measure_is_one_or_its_spelling(measure: object) -> None:
    assert ExtraMeasure().check("reference", measure) is measure


@pytest.mark.parametrize("given", [3, None, ["AP"]])
def test_what_is_no_measure_is_refused_by_the_name_of_the_parameter(given: object) -> None:
    with pytest.raises(InputError, match=r"reference=.* is not a measure, as in 'AP'"):
        ExtraMeasure().check("reference", given)


def test_commands_say_what_files_hold() -> None:
    assert (Data().metavar, Data().reads, ByOthers().metavar) == ("FILE", "judgments", "[NAME=]QRELS")
