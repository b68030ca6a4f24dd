"""``gradeval robustness``: do runs keep their order where part of the pool was never judged?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

import click
import numpy as np

from gradeval._core import InputError
from gradeval.cli.options.collection import Collection, collection_options
from gradeval.cli.options.options import measures_option, note_unused, number_option, seed_option, statistic_option
from gradeval.cli.options.outcome import Output, outcome_options
from gradeval.cli.options.values import name_option_in_errors, parse_numbers, parse_whole_numbers
from gradeval.cli.screen.notices import Note, Warned, begin_with, list_some, plural, tell
from gradeval.cli.screen.progress import show_progress
from gradeval.cli.study.steps import choose_topics, read_collection, score_runs
from gradeval.collection.meeting import JudgedRuns
from gradeval.progress import part_of
from gradeval.scores.selection import All
from gradeval.studies.agreement.correlation import Statistic
from gradeval.studies.agreement.leave_out import FIRST, LeftOut, leave_out
from gradeval.studies.agreement.robustness import Robustness, robustness, robustness_table
from gradeval.studies.agreement.thinning import RATES, Depth, Random, Sampling, Stratified, count_kept
from gradeval.studies.requirements import STUDIED

Method: TypeAlias = Literal["stratified", "random", "depth", "leave-out"]
LEAVE_OUT: Method = "leave-out"
DEPTHS = Depth().depths
POOLED = 0.95
"""The share of judged documents at the top of a run that made the pool; a few are taken out of pools."""
FOREIGN = 0.05
"""The share of judged documents from other runs that is still let pass without a word."""
FLOOR = "1"


@click.command(
    "robustness",
    epilog="""\b
Examples:
  gradeval robustness qrels.txt runs/*
  gradeval robustness qrels.txt runs/* -m "AP GAP nDCG infAP" --rates 100,50,20,10,5 --samples 50
  gradeval robustness qrels.txt runs/* --floor 1,0 --topics few:2
  gradeval robustness qrels.txt runs/* --topics all,few:2 --plot robustness.pdf
  gradeval robustness qrels.txt runs/* --method depth --rates 50,20,10
  gradeval robustness qrels.txt runs/* --method leave-out --pool-depth 10 -m "AP Bpref" -o left.tsv""",
)
@measures_option(STUDIED)
@click.option(
    "--rates",
    metavar="LIST",
    help="Percentages of the pool; for --method depth, the ranks that its shallower pools reach, whereas --depth cuts "
    f"the runs.  [default: {','.join(f'{rate:g}' for rate in RATES)}; "
    f"{','.join(f'{depth:g}' for depth in DEPTHS)} for depth]",
)
@number_option("--samples", 1, 10, "Thinned pools at each rate, where they are random.", 100_000)
@click.option(
    "--method",
    type=click.Choice(list(get_args(Method))),
    default="stratified",
    show_default=True,
    help="So many percent of each grade of each topic; of each topic's pool, with a relevant document at the lowest "
    "rate; what any of the given RUNS has at the top; or each run without the documents that only it brought.",
)
@number_option("--pool-depth", 1, None, "leave-out: a run brought the documents of its first N ranks.  [default: all]")
@click.option(
    "--floor",
    default=FLOOR,
    show_default=True,
    metavar="LIST",
    help="stratified: keep this many of each positive grade; 1,0: a study with each, which shows what scarce grades "
    "are worth.",
)
@number_option("--floor-nonrelevant", 0, 10, "stratified: keep this many of grade 0.")
@statistic_option("How orders are correlated; the full pool is the truth.")
@seed_option("Seed of the samples.")
@collection_options(ready=False)
@outcome_options(digits=3)
def command(
    measures: tuple[str, ...],
    rates: str | None,
    samples: int,
    method: Method,
    pool_depth: int | None,
    floor: str,
    floor_nonrelevant: int,
    statistic: Statistic,
    seed: int,
    **options: Any,
) -> None:
    """Thin the judgments and correlate the order of the runs with that under the full pool, measure by measure.

    Topics and runs are chosen on the full pool; --topics all,few:2 studies both selections, each in a table and a panel
    of its own. The samples of one draw are nested. A floor of 1 keeps a document of every grade that a topic has:
    measures that live on a scarce grade look more robust than they are; see --floor 1,0.

    --method leave-out asks how a run fares that did not make the pool: each run is judged without the documents that
    no other of the RUNS has, and set among the others. RUNS are then all that made the pool; --runs chooses rows.
    """
    collection, output = Collection.take(options), Output.of(options)
    if method == LEAVE_OUT:
        _leave_out(collection, output, measures, pool_depth)
        return
    note_unused(["pool_depth"], "belongs to --method leave-out")
    samplings = _samplings(method, rates, floor, floor_nonrelevant)
    chosen = collection.parse(measures or STUDIED)
    with output.open() as write:
        judged, notes = read_collection(collection)
        scores, about_scores = score_runs(collection, judged, chosen)
        tell([*notes, *about_scores])
        selections = collection.by_topics()
        topics = [choose_topics(selection, judged) for selection in selections]
        tell(note for _, about_topics in topics for note in about_topics)
        studies: list[Robustness] = []
        with show_progress("thinning", "pools") as progress:
            for place, sampling in product(range(len(selections)), samplings):
                study = robustness(
                    judged,
                    chosen,
                    sampling,
                    samples=samples,
                    statistic=statistic,
                    topics=topics[place].result,
                    runs=scores.runs,
                    missing=collection.missing,
                    empty=collection.empty,
                    seed=seed,
                    threads=collection.threads,
                    progress=part_of(progress, len(studies), len(selections) * len(samplings)),
                )
                studies.append(replace(study, selection=selections[place].topics or str(All())))
        tell(_notes(studies, judged))
        write(robustness_table(studies, output.digits), lambda: _draw(studies))


def _leave_out(collection: Collection, output: Output, measures: tuple[str, ...], pool_depth: int | None) -> None:
    """Judge each run without the documents that only it brought."""
    unused = ["rates", "samples", "floor", "floor_nonrelevant", "statistic", "seed"]
    note_unused(unused, "belongs to the other methods of --method")
    if len(collection.by_topics()) > 1:
        raise InputError(f"--topics {collection.topics}: --method leave-out takes one selection of topics; name one")
    chosen = collection.parse(measures or STUDIED)
    with output.open() as write:
        judged, notes = read_collection(collection)
        scores, about_scores = score_runs(collection, judged, chosen)
        topics, about_topics = choose_topics(collection, judged)
        tell([*notes, *about_scores, *about_topics])
        with show_progress("leaving out", "runs") as progress:
            left = leave_out(
                judged,
                chosen,
                pool_depth=pool_depth,
                topics=topics,
                missing=collection.missing,
                empty=collection.empty,
                threads=collection.threads,
                progress=progress,
            )
        tell([left.description, *_about_pool(left)])
        shown = left if collection.runs is None else left.sel(scores.runs)

        def draw() -> Any:
            from gradeval.display.certainty.left_out import left_out_chart

            return left_out_chart(shown)

        write(shown.table(output.digits), draw)


def _about_pool(left: LeftOut) -> Iterator[Note]:
    """Where the runs are not those that made the pool, and whether there was anything to leave out."""
    depth = left.pool_depth or FIRST
    unjudged = [
        f"{run} {share:.0%}"
        for run, share in sorted(zip(left.runs, left.judged_share.tolist(), strict=True), key=lambda pair: pair[1])
        if share < POOLED
    ]
    if unjudged:
        yield Warned(
            f"{len(unjudged)} of {plural(len(left.runs), 'run')} did not make the pool down to rank {depth}, as not "
            f"all of their documents there are judged ({list_some(unjudged)}): they are as if left out already"
        )
    if left.foreign > FOREIGN:
        yield Warned(
            f"{left.foreign:.0%} of the judged documents are from none of these runs"
            f"{'' if left.pool_depth is None else f' down to rank {depth}'}: others made the pool, too, and may "
            "have brought what counts here as brought by one run only; give all runs of the pool"
        )
    if not left.unique.any():
        yield "no run has a judged document that no other has, so nothing changes"


def _samplings(method: Method, rates: str | None, floor: str, floor_nonrelevant: int) -> list[Sampling]:
    """How judgments are taken away, once or with each floor."""
    if method != "stratified":
        note_unused(["floor", "floor_nonrelevant"], "belongs to --method stratified")
    if method == "depth":
        note_unused(["samples", "seed"], "belongs to random samples, and nothing is random in --method depth")
    accepts = "ranks as in 50,20,10" if method == "depth" else "percentages as in 100,50,10"
    steps = parse_numbers("--rates", rates, accepts) if rates is not None else DEPTHS if method == "depth" else RATES
    with name_option_in_errors("--rates", rates):
        if method == "depth":
            return [Depth(steps)]
        if method == "random":
            return [Random(steps)]
        plain = Stratified(steps, floor_nonrelevant=floor_nonrelevant)
    floors = parse_whole_numbers("--floor", floor, "numbers of documents as in 1,0")
    if len(set(floors)) < len(floors):
        raise InputError(f"--floor {floor}: a floor is given twice; accepted: different ones as in 1,0")
    with name_option_in_errors("--floor", floor):
        return [replace(plain, floor=one) for one in floors]


def _notes(studies: Sequence[Robustness], judged: JudgedRuns) -> Iterator[Note]:
    """How judgments were taken away, what the floor does, and what is undefined."""
    sampling, samples = studies[0].sampling, studies[0].values.shape[1]
    if sampling.random:
        floor = f"; {sampling.floor_nonrelevant} of grade 0 kept at least" if isinstance(sampling, Stratified) else ""
        pools = f"{plural(samples, 'thinned pool')} at each rate, seed {studies[0].seed}"
        yield f"{', '.join(dict.fromkeys(str(study.sampling) for study in studies))}: {pools}{floor}"
    several = len({study.selection for study in studies}) > 1
    if len({study.sampling for study in studies}) == 1 and isinstance(sampling, Stratified) and sampling.floor:
        for study in studies:
            yield from begin_with(f"topics {study.selection}: " * several, _about_floor(sampling, study.topics, judged))
    for study in studies:
        number = study.undefined.sum(1)
        cells = [
            f"{study.measures[measure]} at {study.sampling.unit} {study.sampling.steps[step]:g} {number[step, measure]}"
            for step, measure in np.argwhere(number)
        ]
        if cells:
            where = f"topics {study.selection}: " * several + f"{study.sampling}: " * (len(studies) > 1)
            yield f"{where}left out as undefined, as all runs are equal in the sample: {list_some(cells)} of {samples}"


def _about_floor(sampling: Stratified, topics: Sequence[str], judged: JudgedRuns) -> Iterator[str]:
    """The number of topics in which the floor keeps documents that the lowest rate would take away."""
    rate = min(sampling.rates)
    pool = judged.pool[[judged.topics.index(topic) for topic in topics], 1:]
    acts = (count_kept(pool, rate, sampling.floor) > count_kept(pool, rate, 0)).any(-1)
    if acts.any():
        floor = sampling.floor
        yield (
            f"floor {floor}: at {rate:g}% it keeps relevant documents that the rate would take in {int(acts.sum())} "
            f"of {plural(len(topics), 'topic')}; --floor {floor},0 shows what they are worth"
        )


def _draw(studies: Sequence[Robustness]) -> Any:
    from gradeval.display.charts.robustness import robustness_charts

    return robustness_charts(studies)
