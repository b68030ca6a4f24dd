from __future__ import annotations

import pytest

from gradeval import GAP, Clicks, InputError, clicks


def test_unjudged_documents_are_left_out_and_counted() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}
    session = [f"s{n}" for n in range(40) for _ in range(3)]
    topic = [str(1 + n % 2) for n in range(40) for _ in range(3)]
    document = ["a", "b", "x"] * 40
    relevant = [qrels[t].get(d, 0) for t, d in zip(topic, document, strict=True)]
    found = clicks(Clicks.of(session, topic, document, [1, 2, 3] * 40, relevant), qrels, samples=20)
    assert (found.unjudged, found.lines, found.sessions) == (40, 120, 40)
    assert found.g.tolist() == [1]
    assert str(found.measure) == str(GAP(g=[1]))
    assert "40 of 120 documents shown have no judgment" in str(found)


@pytest.mark.parametrize("judged", [0, 1])
def test_documents_whose_zeros_the_judgments_lost_are_counted(judged: int) -> None:
    """Three of each topic's documents; where another is judged, the study goes on with it."""
    qrels = {topic: {"11": 1, "12": 0, "13": 0, **({"x": 1} if judged else {})} for topic in "ab"}
    session = [f"s{n}" for n in range(40) for _ in range(4)]
    log = Clicks.of(
        session,
        [one for n in range(40) for one in "ab"[n % 2] * 4],
        ["011", "012", "013", "x"] * 40,
        [1, 2, 3, 4] * 40,
        [0, 0, 0, 1] * 40,
    )
    said = "document '011' of the log is not in the judgments, '11' is: are they the same? (topic a; 5 more documents "
    said += "in 2 topics) If so, the judgments lost zeros"
    if not judged:
        with pytest.raises(InputError) as error:
            clicks(log, qrels, samples=20)
        assert said in str(error.value)
        return
    found = clicks(log, qrels, samples=20, estimator="click-share")
    assert said in str(found.notes[0])
