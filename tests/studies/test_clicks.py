"""Users read off clicks: the estimate against the users that were drawn, and the model against a literal one."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from gradeval import Clicks, InputError, Qrels, Run, clicks, read_qrels, read_run, simulate_clicks
from gradeval.studies.clicks import ESTIMATORS, ClickedUsers, ClickEstimator, round_shares

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def judged() -> tuple[Qrels, Run]:
    return read_qrels(EXAMPLES / "qrels.txt"), read_run(EXAMPLES / "runs" / "elm.txt")


@pytest.mark.parametrize(
    ("users", "options"),
    [
        ([0.2, 0.3, 0.5], {}),
        ([0.6, 0.3, 0.1], {"slips": 0.1, "bias": 0.5}),
        ([0, 0, 1], {"slips": 0.05}),
        ([1, 0, 0], {"bias": 0}),
    ],
)
def test_the_users_that_were_drawn_are_found(
    judged: tuple[Qrels, Run], users: list[float], options: dict[str, float]
) -> None:
    log = simulate_clicks(*judged, g=users, sessions=30_000, seed=4, **options)
    found = clicks(log, judged[0], samples=200)
    assert found.g == pytest.approx(np.array(users), abs=0.03)
    assert found.g.sum() == pytest.approx(1)
    assert found.slips == pytest.approx(options.get("slips", 0), abs=0.02)
    assert found.examined == pytest.approx(1 / np.arange(1, 11) ** options.get("bias", 1), abs=0.03)
    assert ((found.interval[:, 0] <= found.g + 1e-9) & (found.g - 1e-9 <= found.interval[:, 1])).all()
    assert np.ptp(found.interval, axis=1).max() < 0.1


def times_held(judged: tuple[Qrels, Run], users: list[float], draws: int, sessions: int) -> int:
    """How often the intervals hold all shares of the users that were drawn."""
    held = 0
    for seed in range(draws):
        log = simulate_clicks(*judged, g=users, sessions=sessions, seed=seed)
        low, high = clicks(log, judged[0], samples=100, seed=seed).interval.T
        held += int(((low <= users) & (users <= high)).all())
    return held


def test_intervals_hold_the_true_users(judged: tuple[Qrels, Run]) -> None:
    assert times_held(judged, [0.2, 0.3, 0.5], draws=12, sessions=1500) >= 9  # fewer: once in 5,000


@pytest.mark.long
@pytest.mark.parametrize("users", [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
def test_intervals_hold_the_true_users_in_182_of_200_draws(judged: tuple[Qrels, Run], users: list[float]) -> None:
    assert times_held(judged, users, draws=200, sessions=2000) >= 182


def clicks_by_topic(judged: tuple[Qrels, Run], seed: int, sessions: int = 1500) -> Clicks:
    """Clicks of users whose shares differ by topic; .2, .3 and .5 on average."""
    qrels, run = judged
    rng = np.random.default_rng(seed)
    columns: list[list[str]] = [[], [], []]
    rank, click = [], []
    for topic in run.topics:
        users = rng.dirichlet([0.8, 1.2, 2.0]).tolist()
        log = simulate_clicks(qrels.select([topic]), run, g=users, sessions=sessions // len(run.topics), seed=seed)
        columns[0] += [f"{topic} {session}" for session in log.session]
        columns[1] += log.topic
        columns[2] += log.document
        rank += log.rank.tolist()
        click += log.click.tolist()
    return Clicks.of(*columns, rank, click)


def test_where_users_differ_by_topic_intervals_over_topics_hold_their_mean(judged: tuple[Qrels, Run]) -> None:
    held = {"sample": 0, "all": 0}
    for seed in range(12):
        log = clicks_by_topic(judged, seed)
        for topics_are in held:
            low, high = clicks(log, judged[0], samples=100, topics_are=topics_are).interval.T
            held[topics_are] += int(((low <= [0.2, 0.3, 0.5]) & (high >= [0.2, 0.3, 0.5])).all())
    assert held["sample"] >= 9
    assert held["all"] < held["sample"]  # over sessions: about half of them


def test_users_who_stop_at_their_first_click_are_noticed(judged: tuple[Qrels, Run]) -> None:
    log = simulate_clicks(*judged, g=[0.2, 0.3, 0.5], sessions=2000, bias=0.3, seed=1)
    assert not any("stop at the first" in str(note) for note in clicks(log, judged[0], samples=20).notes)
    session = np.unique(log.session, return_inverse=True)[1]
    first = np.full(session.max() + 1, 99)
    np.minimum.at(first, session[log.click], log.rank[log.click])
    stopped = Clicks.of(log.session, log.topic, log.document, log.rank, (log.click & (log.rank <= first[session])) * 1)
    for estimator in ESTIMATORS:
        notes = list(map(str, clicks(stopped, judged[0], samples=20, estimator=estimator).notes))
        assert notes[1].startswith("users seem to stop at their first click: 0 clicks come later, and ")


def test_few_topics_are_not_resampled_and_that_is_said(judged: tuple[Qrels, Run]) -> None:
    log = simulate_clicks(judged[0].select(judged[0].topics[:4]), judged[1], sessions=300, seed=0)
    few, asked = (clicks(log, judged[0], samples=30, topics_are=topics_are) for topics_are in ("sample", "all"))
    assert (few.interval == asked.interval).all()
    assert few.resampled == "sessions"
    assert any("intervals are for the users of these topics, as 4 are too few to resample" in str(n) for n in few.notes)
    assert any("intervals are for the users of these topics; users of other" in str(n) for n in asked.notes)


def shown_once(grades: list[int], sessions: int = 30) -> tuple[Clicks, dict[str, dict[str, int]]]:
    """One ranking of these grades, shown again and again; everything that is relevant is clicked on."""
    qrels = {"1": {f"d{rank}": grade for rank, grade in enumerate(grades)}}
    n = len(grades)
    columns = (
        [f"s{s}" for s in range(sessions) for _ in range(n)],
        ["1"] * (n * sessions),
        [f"d{rank}" for rank in range(n)] * sessions,
        list(range(1, n + 1)) * sessions,
        [int(grade > 0) for grade in grades] * sessions,
    )
    return Clicks.of(*columns), qrels


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (shown_once([2, 1, 0]), "no clicked rank links grade 1 to grade 2"),
        (shown_once([1, 0], 10), "10 sessions are too few"),
        (shown_once([1, 1]), "every line is a click"),
        ((shown_once([0, 0])[0], {"1": {"d0": 0, "d1": 0, "z": 1}}), "no document of grade 1 is shown"),
        ((shown_once([0, 0])[0], {"1": {"d0": 1, "d1": 0}}), "nobody clicked on a document of the top grade 1"),
        ((shown_once([1, 0])[0], {"2": {"d0": 1}}), "no document shown is judged"),
    ],
)
def test_what_clicks_cannot_tell_is_refused(log: tuple[Clicks, dict[str, dict[str, int]]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        clicks(*log)


def small_log(seed: int) -> tuple[Clicks, dict[str, dict[str, int]]]:
    """A few sessions with clicks that no model need fit, by grades that clicks need not follow."""
    rng = np.random.default_rng(seed)
    topics, depth, sessions = int(rng.integers(1, 4)), int(rng.integers(2, 6)), int(rng.integers(20, 41))
    grades = rng.integers(0, rng.integers(2, 5), size=(topics, depth))
    topic = np.repeat(rng.integers(topics, size=sessions), depth)
    rank = np.concatenate([rng.permutation(depth) for _ in range(sessions)]) + 1
    document = np.tile(np.arange(depth), sessions)
    attraction = rng.random(5) ** rng.integers(1, 4)
    click = rng.random(len(topic)) < attraction[grades[topic, document]] / rank ** rng.random()
    session = np.repeat([f"s{n}" for n in range(sessions)], depth).tolist()
    topic_names, documents = [f"t{t}" for t in topic.tolist()], [f"d{d}" for d in document.tolist()]
    judgments = {f"t{t}": {f"d{d}": int(grade) for d, grade in enumerate(row)} for t, row in enumerate(grades)}
    return Clicks.of(session, topic_names, documents, rank.tolist(), click.astype(int).tolist()), judgments


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_an_estimator_says_lies_in_its_range_or_is_refused(estimator: ClickEstimator) -> None:
    said = told = refused = 0
    for seed in range(60):
        try:
            found = clicks(*small_log(seed), estimator=estimator, samples=20)
        except InputError:
            refused += 1
            continue
        said += 1
        shares = np.column_stack([found.interval[:, 0], found.g, found.interval[:, 1]])
        assert ((shares >= 0) & (shares <= 1)).all(), seed  # false for nan, too
        assert (np.diff(shares) >= -1e-12).all(), seed
        assert found.g.sum() == pytest.approx(1), seed
        assert found.slips is None or 0 <= found.slips < 1, seed
        assert found.examined is None or ((found.examined >= 0) & (found.examined <= 1)).all(), seed
        assert "nan" not in str(found), seed
        if (np.ptp(found.interval, axis=1) <= 0.5).all():
            told += 1
            assert abs(sum(found.measure.parameters["g"]) - 1) < 1e-9, seed
            assert str(found.notes[-1]) == f"use this measure: {found.measure}", seed
        else:
            with pytest.raises(InputError, match="g is not known well enough: the interval of grade") as error:
                _ = found.measure
            assert str(error.value) == f"clicks: {found.notes[-1]}", seed
    assert said - 5 > told > 5
    assert refused > 10 or estimator == "click-share"


def crossed(
    grades: list[int], attraction: list[float], sessions: int = 400
) -> tuple[Clicks, dict[str, dict[str, int]]]:
    """A document of each grade, at every rank in turn, clicked on as often as its grade attracts."""
    n = len(grades)
    qrels = {"1": {f"d{place}": grade for place, grade in enumerate(grades)}}
    place = np.tile(np.arange(n), sessions)
    session = np.repeat(np.arange(sessions), n)
    click = (session // n) % 20 < np.array(attraction)[place] * 20
    sessions_of, documents = [f"s{s}" for s in session.tolist()], [f"d{p}" for p in place.tolist()]
    rank = ((place + session) % n + 1).tolist()
    return Clicks.of(sessions_of, ["1"] * len(session), documents, rank, click.astype(int).tolist()), qrels


@pytest.mark.parametrize(
    ("grades", "attraction", "message"),
    [
        ([0, 1, 2], [0.6, 0.3, 0.5], r"do not fit the model; .* grade 0 1\.2 times as often as on the top grade 2"),
        ([0, 1, 2], [0.0, 0.9, 0.5], "do not fit the model, as lower grades attract more clicks at the same ranks"),
        # where grade 0 attracts nearly as much as the top, shares are too unsure to tell that it attracts more than 1
        ([0, 1, 2, 3], [0.6, 0.1, 0.2, 0.7], "do not fit the model, as lower grades attract more clicks"),
        ([0, 1], [0.5, 0.5], "do not fit the model"),
    ],
)
def test_clicks_that_the_model_does_not_fit_are_refused(
    grades: list[int], attraction: list[float], message: str
) -> None:
    log = crossed(grades, attraction)
    with pytest.raises(InputError, match=message):
        clicks(*log, samples=50)
    assert clicks(*log, estimator="click-share", samples=50).g[-1] > 0


def test_shares_outside_their_range_by_chance_are_not_said_to_be_sure() -> None:
    found = clicks(*crossed([0, 1, 2], [0.05, 0.55, 0.45], 120), samples=50)
    assert found.g.tolist() == [1, 0]
    assert (np.ptp(found.interval, axis=1) > 0.02).all()


def random_log(seed: int, sessions: int, topics: int, grades: int, often: float) -> tuple[Clicks, Qrels]:
    """Clicks on five documents a page, whatever their grades."""
    rng = np.random.default_rng(seed)
    qrels = {f"t{t}": {f"d{d}": int(rng.integers(grades)) for d in range(20)} for t in range(topics)}
    topic = np.repeat(rng.integers(topics, size=sessions), 5)
    document = np.concatenate([rng.permutation(20)[:5] for _ in range(sessions)])
    lines = zip(np.repeat(np.arange(sessions), 5), topic, document, np.tile(np.arange(1, 6), sessions), strict=True)
    columns = zip(
        *((f"s{s}", f"t{t}", f"d{d}", int(r), int(rng.random() < often)) for s, t, d, r in lines), strict=True
    )
    return Clicks.of(*columns), Qrels.from_dict(qrels)


@pytest.mark.parametrize(
    "kind", [(60, 1, 3, 0.03), (60, 1, 3, 0.3), (300, 10, 3, 0.1), (300, 10, 4, 0.1), (100, 3, 5, 0.5)]
)
def test_random_clicks_recommend_no_users(kind: tuple[int, int, int, float]) -> None:
    last = []
    for seed in range(25):
        with suppress(InputError):  # most do not fit the model
            last.append(str(clicks(*random_log(seed, *kind), samples=50).notes[-1]))
    assert [note for note in last if not note.startswith("g is not known well enough")] == []


def test_so_many_sessions_as_are_said_to_tell_do_about_tell(judged: tuple[Qrels, Run]) -> None:
    def drawn(sessions: int, seed: int) -> ClickedUsers:
        log = simulate_clicks(*judged, g=[0.5, 0.2, 0.3], sessions=sessions, seed=seed)
        return clicks(log, judged[0], samples=200, topics_are="all")

    last = [str(drawn(60, seed).notes[-1]) for seed in range(6)]
    said = [int(found[1]) for note in last if (found := re.search(r"give about (\d+) sessions in place of 60", note))]
    assert len(said) > 3
    widths = [drawn(number, seed).widest for seed, number in enumerate(said, 6)]
    assert np.mean(widths) == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_few_clicks_that_are_all_on_one_grade_do_not_say_that_others_get_none(estimator: ClickEstimator) -> None:
    """So many clicks on others as come with probability 0.95 would be none, of 3: 1 - 0.05^(1/3)."""
    log, qrels = crossed([0, 1, 2], [0, 0, 1], 30)
    on_top = np.flatnonzero(log.click)
    clicked = np.isin(np.arange(len(log)), on_top[[0, 1, 2]]).astype(int)  # one at each rank
    rare = Clicks.of(log.session, log.topic, log.document, log.rank, clicked)
    found = clicks(rare, qrels, estimator=estimator, samples=50)
    assert found.g.tolist() == [0, 1]
    assert found.interval.ravel() == pytest.approx([0, 1 - 0.05 ** (1 / 3), 0.05 ** (1 / 3), 1])
    assert str(found.notes[-1]).startswith("g is not known well enough")


def test_where_nobody_clicks_that_is_said() -> None:
    with pytest.raises(InputError, match="nobody clicked on a document of the top grade 2"):
        clicks(*crossed([0, 1, 2], [0, 0, 0]))


def test_clicks_that_barely_tell_the_grades_apart_are_too_few() -> None:
    rng = np.random.default_rng(5)
    n = 60
    click = rng.random(2 * n) < 0.5
    click[1::2][:3] = True
    session = [f"s{s}" for s in range(n) for _ in range(2)]
    rank = [1 + (place + s) % 2 for s in range(n) for place in range(2)]
    log = Clicks.of(session, ["1"] * 2 * n, ["d0", "d1"] * n, rank, click.astype(int).tolist())
    with pytest.raises(
        InputError, match=r"give more sessions to tell whether the model fits; in \d+ of 50 bootstrap samples"
    ):
        clicks(log, {"1": {"d0": 0, "d1": 1}}, samples=50)


def test_the_share_of_clicks_is_not_that_of_users() -> None:
    """The users .5, .2, .3 click on grade 1, 2, 3 in the shares .5, .7, 1: where grades are shown alike, the paper's
    estimate tends to these over their sum 2.2."""
    rng = np.random.default_rng(1)
    sessions, users = 20_000, np.array([0.5, 0.2, 0.3])
    threshold = rng.choice([1, 2, 3], size=sessions, p=users)
    order = rng.permuted(np.tile(np.arange(4), (sessions, 1)), axis=1)
    rank = np.tile(np.arange(1, 5), sessions)
    looked = rng.random(4 * sessions) < 1 / rank
    click = looked & (order.ravel() >= np.repeat(threshold, 4))
    session = np.repeat([f"s{n}" for n in range(sessions)], 4).tolist()
    documents = [f"d{grade}" for grade in order.ravel().tolist()]
    log = Clicks.of(session, ["1"] * 4 * sessions, documents, rank.tolist(), click.astype(int).tolist())
    qrels = {"1": {f"d{grade}": grade for grade in range(4)}}
    ours = clicks(log, qrels, samples=100)
    paper = clicks(log, qrels, estimator="click-share", samples=100)
    assert ours.g == pytest.approx(users, abs=0.02)
    assert paper.g == pytest.approx(np.array([0.5, 0.7, 1.0]) / 2.2, abs=0.01)
    assert (np.abs(paper.g - users) > np.ptp(paper.interval, axis=1)).any()
    assert "not of the users" in str(paper)


def test_clicks_on_grade_0_are_no_part_of_the_shares_of_clicks() -> None:
    found = clicks(*crossed([0, 1, 2], [0.5, 0.25, 0.75]), estimator="click-share", samples=20)
    assert found.g == pytest.approx([0.25, 0.75], abs=0.01)
    assert "are on grade 0 and are left out" in str(found)


def test_without_grade_0_at_shared_ranks_slips_are_taken_for_none() -> None:
    found = clicks(*shown_once([1, 0]), samples=20)
    assert not found.slips_known
    assert "users never click on grade 0" in str(found)


@pytest.mark.parametrize("shares", [[1 / 3, 1 / 3, 1 / 3], [0.20194, 0.29994, 0.49812], [0, 1], [1e-9, 1 - 1e-9]])
def test_rounded_shares_still_sum_to_one(shares: list[float]) -> None:
    rounded = round_shares(shares, 4)
    assert sum(rounded) == pytest.approx(1, abs=1e-12)
    assert rounded == pytest.approx(shares, abs=2e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"g": [0.5, 0.5]}, "g has 2 probabilities"),
        ({"sessions": 0}, "sessions=0"),
        ({"bias": -1}, "bias=-1"),
        ({"slips": 2}, "slips=2"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_a_simulation_checks_its_numbers(judged: tuple[Qrels, Run], options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        simulate_clicks(*judged, **options)


def test_a_run_without_a_judged_topic_is_refused() -> None:
    with pytest.raises(InputError, match="no topic in common"):
        simulate_clicks({"1": {"a": 1}}, {"2": {"a": 1.0}})
