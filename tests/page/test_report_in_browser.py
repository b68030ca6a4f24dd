"""The report in a real browser: what it computes, what can be done in it, and what must not happen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import Browse, Visit

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")

from gradeval import GAP, Scores, evaluate, nDCG, ranks, report
from gradeval.measures import DCG, eGAP

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUNS = sorted((EXAMPLES / "runs").iterdir())
EVIL = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the example: three positive grades, with all studies."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    report(EXAMPLES / "qrels.txt", RUNS, "nDCG@10 AP GAP", baseline="oak").save(path)
    return path


@pytest.fixture(scope="module")
def two_grades(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Any]:
    """A page with two positive grades and hostile names, and what it was made from: the leader changes with g."""
    rng = np.random.default_rng(5)
    qrels: dict[str, Any] = {
        f"{topic}{EVIL}": {f"d{place}{EVIL}": int(rng.integers(0, 3)) for place in range(30)} for topic in range(8)
    }
    noise = {f"a{EVIL}": (1.0, 0.0), f"b{EVIL}": (0.0, 1.0), f"c{EVIL}": (0.5, 0.5), f"d{EVIL}": (0.1, 0.1)}
    runs = {
        name: {
            topic: {
                document: low * (grade > 0) + high * (grade > 1) + float(rng.normal(0, 0.6))
                for document, grade in grades.items()
            }
            for topic, grades in qrels.items()
        }
        for name, (low, high) in noise.items()
    }
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    report(qrels, runs, "GAP nDCG@10", baseline=f"b{EVIL}").save(path)
    return path, qrels, runs


@pytest.fixture(scope="module")
def visit(browse: Browse, place: Path) -> Iterator[Visit]:
    """The page, opened once: a test leaves it as it likes."""
    with browse(place) as opened:
        yield opened


def compute(visit: Visit, spellings: list[str]) -> list[dict[str, float]]:
    """What the page computes for each of these measures."""
    code = "spellings => spellings.map(each => window.gradeval.evaluate(each))"
    values: list[dict[str, float]] = visit.page.evaluate(code, spellings)
    return values


def largest_difference(computed: list[dict[str, float]], scores: Scores) -> float:
    """How far the values of the page are from the means, at most."""
    rows = np.array([[values[run] for run in scores.runs] for values in computed])
    return float(np.abs(rows - scores.mean().T).max())


def test_the_page_computes_what_evaluate_computes_for_any_shares_of_users(visit: Visit) -> None:
    shares = np.vstack([np.eye(3), np.random.default_rng(0).dirichlet(np.ones(3), 197)]).tolist()
    for name, measure in (("GAP", GAP), ("eGAP", eGAP)):
        computed = compute(visit, [f"{name}(g={json.dumps(g)})" for g in shares])
        scores = evaluate(EXAMPLES / "qrels.txt", RUNS, [measure(g=g) for g in shares])
        assert largest_difference(computed, scores) < 1e-12


def test_the_page_computes_what_evaluate_computes_for_any_gains(visit: Visit) -> None:
    corners = [[0, 0, 1], [0, 1, 1], [1, 1, 1]]
    gains = [*corners, *np.sort(np.random.default_rng(1).uniform(0, 9, (197, 3)), axis=-1).tolist()]
    texts = ["{" + ",".join(f"{grade}:{gain!r}" for grade, gain in enumerate(each, 1)) + "}" for each in gains]
    for name, measure in (("nDCG", nDCG), ("DCG", DCG)):
        computed = compute(visit, [f"{name}(gains={text})" for text in texts])
        chosen = [measure(gains=dict(enumerate(each, 1))) for each in gains]
        scores = evaluate(EXAMPLES / "qrels.txt", RUNS, chosen)
        assert largest_difference(computed, scores) < 1e-12 * max(1, scores.mean().max())  # DCG is no share of 1


def test_the_default_is_the_mean_of_the_leaderboard(visit: Visit) -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, "GAP nDCG@10")
    assert largest_difference(compute(visit, ["GAP", "nDCG@10"]), scores) < 1e-12


def test_what_is_no_measure_of_the_page_is_refused(visit: Visit) -> None:
    for wrong in ("AP(g=[1])", "GAP(g=[0.5])", "GAP(g=[2,-1,0])", "nDCG(gains={1:3,2:2,3:1})"):
        with pytest.raises(Exception, match=r"computes|shares|gains"):
            visit.page.evaluate("text => window.gradeval.evaluate(text)", wrong)


def test_the_board_follows_the_sliders(visit: Visit) -> None:
    visit.page.evaluate("window.gradeval.set({measure: 'GAP', g: [0, 0, 1]})")
    board = visit.page.evaluate("window.gradeval.board()")
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, GAP(g=[0, 0, 1]))
    means = dict(zip(scores.runs, scores.mean()[:, 0].tolist(), strict=True))
    assert [row["run"] for row in board] == sorted(means, key=lambda run: -means[run])
    shown = visit.page.locator('[data-users="board"] tbody th').all_inner_texts()
    assert shown == [row["run"] for row in board]
    slider = visit.page.locator('[data-users="sliders"] input').first
    slider.focus()
    visit.page.keyboard.press("ArrowRight")
    assert visit.page.locator('[data-users="spelling"]').inner_text() == "GAP(g=[0.001,0,0.999])"
    visit.page.click('[data-users="reset"]')
    assert ": 1.000 (1: the same order)" in visit.page.locator('[data-users="tau"]').inner_text()


def test_the_stretches_are_those_of_brute_force_on_a_grid(browse: Browse, two_grades: tuple[Path, Any, Any]) -> None:
    path, qrels, runs = two_grades
    average = evaluate(qrels, runs, "AP(rel=1) AP(rel=2)")
    grades = [np.array([*qrels[topic].values()]) for topic in average.topics]
    relevant = np.array([[np.count_nonzero(each >= level) for level in (1, 2)] for each in grades])
    grid = np.linspace(0, 1, 10_001)
    weights = np.stack([grid, 1 - grid], axis=-1)
    # GAP = sum_k g_k R_k AP_k / sum_k g_k R_k, the mean over topics
    below = weights @ relevant.T
    gap = np.einsum("pk,tk,rtk->rpt", weights, relevant, average.credited) / below
    leaders = [average.runs[run] for run in gap.mean(-1).argmax(0).tolist()]
    assert len(set(leaders)) > 1
    with browse(path) as visit:
        visit.page.evaluate("window.gradeval.set({measure: 'GAP'})")
        parts = visit.page.evaluate("window.gradeval.leaders()")
    changes = [place for place in range(10_000) if leaders[place] != leaders[place + 1]]
    assert [parts[0]["low"], parts[-1]["high"]] == [0, 1]
    assert [part["run"] for part in parts] == [leaders[0], *(leaders[place + 1] for place in changes)]
    for part, place in zip(parts, changes, strict=False):
        assert grid[place] - 1e-12 <= part["high"] <= grid[place + 1] + 1e-12


def test_a_slider_and_the_map_can_be_dragged(visit: Visit) -> None:
    visit.page.evaluate("window.gradeval.set({measure: 'GAP', g: [0, 0.5, 0.5]})")
    visit.page.locator('[data-users="map"] summary').click()  # cedar leads everywhere, so the map is folded
    slider = visit.page.locator('[data-users="sliders"] input').first
    spelling = visit.page.locator('[data-users="spelling"]')
    for target, share in ((slider, 0.75), (visit.page.locator('[data-users="map"] svg'), 0.85)):
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        assert box is not None
        before = spelling.inner_text()
        visit.page.mouse.move(box["x"] + 9, box["y"] + box["height"] * 0.8)
        visit.page.mouse.down()
        visit.page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] * 0.8, steps=5)
        visit.page.mouse.up()
        assert spelling.inner_text() != before
        g = json.loads(spelling.inner_text().removeprefix("GAP(g=").removesuffix(")"))
        assert sum(g) == pytest.approx(1)
        assert all(round(share, 4) == share for share in g)  # no more digits than a reader needs
        scores = evaluate(EXAMPLES / "qrels.txt", RUNS, GAP(g=g))
        board = visit.page.evaluate("window.gradeval.board()")
        assert board[0]["mean"] == pytest.approx(scores.mean().max(), abs=1e-12)
    assert g[2] > 0.5  # dragged towards the corner of the highest grade


def test_the_map_can_be_clicked(browse: Browse, two_grades: tuple[Path, Any, Any]) -> None:
    with browse(two_grades[0]) as visit:
        picture = visit.page.locator('[data-users="map"] svg')
        box = picture.bounding_box()
        assert box is not None
        picture.click(position={"x": box["width"] * 0.9, "y": box["height"] * 0.4})
        text = visit.page.locator('[data-users="spelling"]').inner_text()
        assert float(text.partition("[")[2].partition(",")[0]) > 0.8


def test_the_leaderboard_sorts_filters_and_is_copied_as_shown(visit: Visit) -> None:
    table = visit.page.locator("#leaderboard table")
    names = table.locator("tbody tr:not([hidden]) th")
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, "AP")
    means = dict(zip(scores.runs, scores.mean()[:, 0].tolist(), strict=True))
    head = table.locator("thead th", has=visit.page.get_by_role("button", name="AP", exact=True))
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert names.all_inner_texts() == sorted(means, key=lambda run: -means[run])
    head.locator("button").press("Enter")
    assert names.all_inner_texts() == sorted(means, key=lambda run: means[run])
    visit.page.locator("#leaderboard input[type=search]").fill("el")
    assert sorted(names.all_inner_texts()) == ["elm", "hazel"]
    visit.page.evaluate("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
    begins = {"tsv": "run\tnDCG@10\trank", "LaTeX": "\\begin{tabular}{lr", "Markdown": "| run | nDCG@10 | rank"}
    for name, begin in begins.items():
        visit.page.locator("#leaderboard .tools button", has_text=name).click()
        copied = visit.page.evaluate("window.copied")
        assert copied.startswith(begin)
        assert "elm" in copied
        assert "cedar" not in copied
    visit.page.locator("#leaderboard input[type=search]").fill("")
    visit.page.locator("#leaderboard input[type=checkbox]").check()
    best = ranks(evaluate(EXAMPLES / "qrels.txt", RUNS, "nDCG@10")).best("nDCG@10")
    assert sorted(names.all_inner_texts()) == sorted(best)
    visit.page.locator("#leaderboard input[type=checkbox]").uncheck()
    assert len(names.all_inner_texts()) == len(RUNS)


def test_differences_come_first_and_ranks_are_a_tab_for_the_keyboard_too(visit: Visit) -> None:
    differences, places = (visit.page.locator("#answer .drawing svg").nth(number) for number in range(2))
    assert (differences.is_visible(), places.is_visible()) == (True, False)
    box = differences.bounding_box()
    assert box is not None
    assert box["y"] < 700  # its axis is on the first screen
    assert visit.page.locator("#answer .tabs label").all_inner_texts() == ["Differences", "Ranks"]
    visit.page.locator("#answer .tabs input").first.focus()
    visit.page.keyboard.press("ArrowRight")
    assert (differences.is_visible(), places.is_visible()) == (False, True)
    visit.page.keyboard.press("ArrowLeft")
    assert (differences.is_visible(), places.is_visible()) == (True, False)


def test_the_map_shows_the_best_30_runs_and_all_when_asked(browse: Browse, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    qrels = {str(topic): {f"d{place}": place % 2 for place in range(6)} for topic in range(4)}
    runs = {
        f"r{run}": {topic: {name: float(rng.random()) for name in grades} for topic, grades in qrels.items()}
        for run in range(34)
    }
    report(qrels, runs, "AP", studies="none").save(tmp_path / "page.html")
    means = evaluate(qrels, runs, "AP").mean()[:, 0]
    best = [f"r{run}" for run in np.argsort(-means, kind="stable").tolist()]
    with browse(tmp_path / "page.html", awaited="#map .down span") as visit:
        names = visit.page.locator("#map .down span")
        assert names.all_inner_texts() == best[:30]
        visit.page.locator('[data-topics="drawn"]').select_option("all")
        assert names.all_inner_texts() == best


def test_two_runs_are_compared_topic_by_topic(visit: Visit) -> None:
    from gradeval import compare

    place = visit.page.locator('[data-part="topics"]')
    place.locator('[data-topics="first"]').select_option("elm")
    place.locator('[data-topics="second"]').select_option("oak")
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, "nDCG@10")
    comparison = compare(scores)
    runs = scores.runs
    pair = next(place for place, (a, b) in enumerate(comparison.pairs.tolist()) if {runs[a], runs[b]} == {"elm", "oak"})
    text = place.locator('[data-topics="result"]').inner_text()
    assert f"elm minus oak, mean nDCG@10: {abs(comparison.difference[0, pair]):.4f}" in text
    written = text.partition("; p ")[2].partition(" ")[0]
    assert "e-" in written, "a p value this small is written with its power of ten"
    p = float(written)
    assert p == pytest.approx(comparison.p[0, pair], rel=5e-3)
    assert "if you look at this pair alone" in text  # one pair that was chosen is one test
    assert place.locator("tbody tr").count() == 30
    heads = place.locator("thead th").all_inner_texts()
    assert heads[1:4] == ["elm", "oak", "elm - oak, nDCG@10"]
    for row in place.locator("tbody tr").all():
        gap = float(row.locator(".difference").inner_text())
        bar, both = (row.locator(part).bounding_box() for part in (".bar", ".bars"))
        assert bar is not None
        assert both is not None
        middle = both["x"] + both["width"] / 2
        left, right = bar["x"] - middle, bar["x"] + bar["width"] - middle
        assert (left, right)[int(gap < 0)] == pytest.approx(0, abs=1)  # it begins in the middle
        assert (right if gap >= 0 else -left) >= -1  # and grows to the side of the difference
    place.locator("canvas").focus()
    visit.page.keyboard.press("ArrowDown")
    assert ", topic " in place.locator('[data-topics="cell"]').inner_text()


def test_one_topic_shows_two_rankings(visit: Visit) -> None:
    place = visit.page.locator('[data-part="rankings"]')
    place.locator('[data-rankings="topic"]').select_option("401")
    place.locator('[data-rankings="first"]').select_option("elm")
    lines = [line.split() for line in (EXAMPLES / "runs" / "elm.txt").read_text().splitlines()]
    ranked = sorted((line for line in lines if line[0] == "401"), key=lambda line: (float(line[4]), line[2]))[::-1]
    shown = place.locator('[data-rankings="left"] li button').all_inner_texts()
    assert shown == [line[2] for line in ranked[:50]]
    judged = dict(line.split()[2:4] for line in (EXAMPLES / "qrels.txt").read_text().splitlines() if line[:4] == "401 ")
    grades = place.locator('[data-rankings="left"] .grade').all_inner_texts()
    assert grades == [judged.get(document, "?") for document in shown]
    place.locator('[data-rankings="left"] button').first.click()
    assert place.locator('[data-rankings="left"] li.here').count() == 1


def values_of(visit: Visit, title: str) -> dict[str, list[float | None]]:
    """The numbers by which a table is sorted, by the name of the row; the table stands under this title."""
    rows = visit.page.evaluate(
        """title => {
          const head = [...document.querySelectorAll("h3, summary")].find(each => each.textContent === title);
          const tables = head.parentElement.querySelectorAll("table");
          const place = [...tables].find(each => head.compareDocumentPosition(each) & 4);
          return [...place.tBodies[0].rows].map(row => [...row.cells].map(cell =>
            cell.tagName === "TH" ? cell.textContent : "value" in cell.dataset ? Number(cell.dataset.value) : null));
        }""",
        title,
    )
    return {row[0]: row[1:] for row in rows}


def test_the_numbers_of_the_page_are_those_of_the_functions(visit: Visit) -> None:
    from gradeval import correlate, discriminate, judge, ranks, topic_set_size
    from gradeval.studies.leave_out import leave_out

    judged = judge(EXAMPLES / "qrels.txt", RUNS)
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, "nDCG@10 AP GAP")
    ranks = ranks(scores, samples=1000)
    board = values_of(visit, "Leaderboard")
    for place, run in enumerate(scores.runs):
        assert board[run][1:3] == [ranks.rank[0, place], ranks.lower[0, place]]
        assert [board[run][0], *board[run][4:6]] == pytest.approx(scores.mean()[place].tolist(), rel=1e-6)
    names = list(map(str, scores.measures))
    criteria = values_of(visit, "The measures by each criterion")
    power = discriminate(scores).power.tolist()
    assert [criteria[name][0] for name in names] == pytest.approx(power, rel=1e-6)
    taus = correlate(judged, measures="nDCG@10 AP GAP", samples=0)
    expected = [taus.of("nDCG@10", name) for name in names[1:]]
    assert [criteria[name][-1] for name in names[1:]] == pytest.approx(expected, rel=1e-6)
    needed = values_of(
        visit, "Topics needed to find a difference between two runs (paired t test by one measure at 0.05, power 0.8)"
    )
    sizes = topic_set_size(scores).needed.tolist()
    assert [needed[name][-3:] for name in names] == sizes
    left = leave_out(judged, "nDCG@10")
    lost = values_of(visit, "Each run without the judgments that it alone brought")
    for place, run in enumerate(left.runs):
        assert pytest.approx(left.full[0, place], rel=1e-6) in lost[run]
        assert pytest.approx(left.without[0, place], rel=1e-6) in lost[run]
    grades = values_of(visit, "Judged documents by grade")
    assert [grades[f"{level:g}"][0] for level in judged.levels] == judged.pool.sum(0).tolist()


def test_hostile_names_are_text_in_every_section(browse: Browse, two_grades: tuple[Path, Any, Any]) -> None:
    path = two_grades[0]
    with browse(path) as visit:
        for name in ("measure", "runs", "topics", "first", "second", "other"):
            visit.page.locator(f'[data-topics="{name}"]').select_option(index=0)
        visit.page.locator('[data-topics="map"]').focus()
        visit.page.keyboard.press("ArrowDown")
        visit.page.locator('[data-rankings="topic"]').select_option(index=1)
        visit.page.evaluate("window.gradeval.set({measure: 'GAP', g: [1, 0]})")
        assert visit.page.locator("img").count() == 0
        for section in ("answer", "leaderboard", "users", "topics", "rankings", "collection"):
            assert EVIL in (visit.page.locator(f"#{section}").text_content() or ""), section
        visit.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        assert visit.violations() == []
        visit.page.emulate_media(color_scheme="dark")
        assert visit.violations("color-contrast") == []
        assert (visit.dialogs, visit.requests, visit.said) == ([], [path.as_uri()], [])


def test_the_page_can_be_used_with_the_keyboard_alone(browse: Browse, place: Path) -> None:
    with browse(place) as visit:
        page = visit.page
        visited: list[str] = []
        for _ in range(400):
            page.keyboard.press("Tab")
            visited.append(
                page.evaluate(
                    "() => { const at = document.activeElement, part = Object.entries(at.dataset)[0];"
                    " return part ? part.join(' ') : at.tagName + ' ' + at.textContent.slice(0, 30).trim(); }"
                )
            )
            if visited[-1] == "BUTTON AP" and page.evaluate("document.activeElement.closest('#leaderboard') !== null"):
                page.keyboard.press("Enter")
                assert page.evaluate("document.activeElement.parentElement.ariaSort") == "descending"
            if visited[-1] == "users reset":
                page.keyboard.press("Space")
            if visited[-1] == "topics first":
                page.keyboard.press("ArrowDown")
            if visited[-1].startswith("BODY"):
                break
        for wanted in ("users measure", "users reset", "users copy", "topics measure", "topics map", "topics first"):
            assert wanted in visited
        for wanted in ("rankings topic", "BUTTON Copy as LaTeX", "SUMMARY Pairs of runs told apart"):
            assert wanted in visited, visited
        assert sum(text.startswith("A ") for text in visited) == 8  # the questions
        assert page.locator('[data-topics="first"]').evaluate("each => each.selectedIndex") == 1


def test_what_only_a_page_of_three_grades_has_is_accessible(visit: Visit, place: Path) -> None:
    """The small page is tried as a whole, in light and in dark, where names are hostile."""
    assert visit.violations(within="#users") == []
    assert (visit.dialogs, visit.requests, visit.said) == ([], [place.as_uri()], [])


@pytest.mark.parametrize("width", [320, 768, 1400, 3840])
def test_the_page_is_as_wide_as_the_window(visit: Visit, width: int) -> None:
    visit.page.set_viewport_size({"width": width, "height": 800})
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_report_of_twelve_runs_prints_on_two_pages(visit: Visit) -> None:
    visit.page.emulate_media(media="print")
    for there in (
        "#answer .drawing >> nth=0",
        "#leaderboard table",
        "#topics .answer",
        "#collection .answer",
        ".paper",
    ):
        assert visit.page.locator(there).is_visible(), there
    for hidden in (".matrix", ".tools", "#users .panel", "nav"):
        assert not visit.page.locator(hidden).first.is_visible(), hidden
    made = visit.page.pdf(format="A4")
    assert made.startswith(b"%PDF")
    assert re.findall(rb"/Type /Pages[^/]*/Count (\d+)", made) == [b"2"]
    visit.page.emulate_media(media="screen")
    assert not visit.page.locator(".paper").is_visible()


def test_the_map_names_all_runs_and_topics_and_says_what_its_colours_are(visit: Visit) -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, "nDCG@10")
    names = [visit.page.locator(f"#map .{axis} span").all_inner_texts() for axis in ("across", "down")]
    assert set(names[0]) == set(scores.runs)  # the fewer stand side by side
    assert set(names[1]) == set(scores.topics)
    assert f"{scores.credited.max():.4f}" in visit.page.locator("#map .scale").inner_text()
    assert names[0] == sorted(names[0], key=lambda run: -scores.mean()[scores.runs.index(run), 0])


def test_nothing_scrolls_sideways_and_the_leaderboard_not_at_all(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 1280, "height": 900})
    visit.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    visit.page.wait_for_timeout(200)
    wide = visit.page.evaluate(
        """[...document.querySelectorAll("body *")].filter(each => each.scrollWidth > each.clientWidth + 1
          && each.clientWidth && getComputedStyle(each).overflowX !== "visible" && !each.matches("#map span"))
          .map(each => each.outerHTML.slice(0, 80))"""
    )
    assert wide == []
    board = "document.querySelector('#leaderboard .scroll')"
    assert visit.page.evaluate(f"{board}.scrollHeight <= {board}.clientHeight + 1")


def test_columns_that_find_no_room_are_folded_and_can_be_had(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 480, "height": 900})
    last = visit.page.locator("#leaderboard thead th").last
    button = visit.page.locator("#leaderboard .tools button", has_text="more columns")
    button.wait_for()
    assert not last.is_visible()
    button.click()
    assert last.is_visible()
    visit.page.locator("#leaderboard .tools button", has_text="Fold").click()
    assert not last.is_visible()
    visit.page.set_viewport_size({"width": 1280, "height": 900})


def test_the_answer_comes_first_on_a_phone_and_the_questions_stay_in_view(browse: Browse, place: Path) -> None:
    with browse(place) as visit:
        visit.page.set_viewport_size({"width": 400, "height": 800})
        assert visit.page.locator("#answer .answer").bounding_box()["y"] < 300
        charts = visit.page.evaluate(
            "[...document.querySelectorAll('figure svg')].map(each => each.getBoundingClientRect().right)"
        )
        assert max(charts) <= 400
        visit.page.set_viewport_size({"width": 1280, "height": 800})
        visit.page.evaluate("window.scrollTo(0, document.body.scrollHeight / 2)")
        assert 0 <= visit.page.locator("nav").bounding_box()["y"] < 10


def test_a_dark_page_is_dark(visit: Visit) -> None:
    shades = []
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme=scheme)
        colour = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        shades.append(sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(","))))
    assert shades[0] > 700 > 150 > shades[1]


def test_without_scripts_pictures_are_still_ones(browse: Browse, place: Path) -> None:
    with browse(place, awaited=".still svg", java_script_enabled=False) as visit:
        assert visit.page.locator(".still svg").is_visible()
        assert visit.page.locator("#answer .drawing svg").first.is_visible()
        multiples = visit.page.locator("#measures .multiples svg")
        assert multiples.count() == 7
        assert all(one.is_visible() for one in multiples.all())
        assert not visit.page.locator(".panel").first.is_visible()
