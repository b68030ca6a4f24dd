from __future__ import annotations

from gradeval import GAP, Clicks, clicks


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
