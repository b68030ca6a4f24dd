"""Names of measures for people: short, and still one measure each."""

from __future__ import annotations

from gradeval.formula.spelling import name_briefly, parse_measures


def test_long_numbers_have_three_digits() -> None:
    thirds = parse_measures(f"GAP(g=[{1 / 3},{1 / 3},{1 / 3}]) xGAP(g=[0.875,0.125]) nDCG@10 RBP(p=0.95)")
    assert name_briefly(thirds) == ["GAP(g=[0.333,0.333,0.333])", "xGAP(g=[0.875,0.125])", "nDCG@10", "RBP(p=0.95)"]


def test_measures_that_would_look_alike_keep_their_names() -> None:
    close = parse_measures("RBP(p=0.80001) RBP(p=0.80002) RBP(p=0.70001)")
    assert name_briefly(close) == ["RBP(p=0.80001)", "RBP(p=0.80002)", "RBP(p=0.7)"]
    assert name_briefly(parse_measures("RBP(p=0.8) RBP(p=0.80001)")) == ["RBP", "RBP(p=0.8)"]
