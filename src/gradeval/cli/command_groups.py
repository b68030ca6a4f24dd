"""Which commands there are, in groups by what one wants: for the help, for completion and for words typed by guess."""

from __future__ import annotations

from gradeval.studies import list_studies

BY_HAND = {
    "report": ("report_command:command", "Write one page: which run, by which measure, how sure."),
    "evaluate": ("evaluate:command", "Score runs against judgments."),
    "gate": ("gate_command:command", "May a run take the place of another? For continuous integration."),
    "check": ("check:check", "Are the files right, and what do the judgments cover? Scores nothing."),
    "explain": ("explain_command:explain", "Explain a measure: formula, parameters, a worked example."),
    "measures": ("list_measures:measures", "List the measures."),
    "train": ("train:command", "Train a ranker for any measure."),
    "crossval": ("crossval:command", "Cross-validate: does it matter what rankers are trained for?"),
    "rank": ("rank:rank", "Rank documents by a trained ranker."),
    "adm": ("adm_command:command", "How near do the scores of runs come to the grades?"),
    "split": ("split_command:split", "Split a log of ratings into a training and a test part."),
    "simulate": ("simulate_command:simulate", "Make test collections or clicks from a model, seeded."),
    "trec_eval": ("trec_eval_command:trec_eval", "Print what trec_eval prints, byte for byte."),
    "papers": ("papers_command:papers", "Tables and figures of five texts, for your files."),
    "completion": ("completion:completion", "Print a script that completes commands in a shell."),
}
"""Every command that is written by hand: where it is in ``commands``, and what it does in a line."""

GROUPS = {
    "Every day": "report evaluate compare gate ranks check",
    "Grades of people, models and clicks": "judges alternative-annotator assisted-means compare-assisted sampled-means"
    " clicks",
    "Learning to rank": "train crossval rank",
    "Measures": "explain measures correlate correlation-differences correlate-collections discriminate"
    " power-differences robustness interval-scale inform rms-differences",
    "Runs and collections": "unjudged equivalence preferences run-swaps curve leave-out topic-set-size describe adm",
    "Studies made for five texts": "virtual-users swaps correlate-gains correlate-users best-users inform-users"
    " infer-curves",
    "Tools": "papers split simulate trec_eval completion",
}
"""The commands by what one wants, the daily ones first; each stands once."""
SHORTLY = {
    "report": "One page: which run, by which measure, how sure.",
    "evaluate": "Score runs against judgments.",
    "compare": "Do runs differ? Tests, intervals, effect sizes.",
    "gate": "May this run take the place of that one?",
    "ranks": "Which runs may be the best?",
    "check": "Are the files right? What do the judgments cover?",
    "judges": "May a model's grades stand in for a person's?",
    "train": "Train a ranker for any measure.",
    "crossval": "Does it matter what rankers are trained for?",
    "rank": "Rank documents by a trained ranker.",
    "explain": "Explain a measure: formula, parameters, an example.",
    "measures": "List the measures.",
}
"""The commands that the help shows first, and what each does in a few words."""
LISTS = {
    "-h studies": "All questions about runs, measures and judgments.",
    "papers": "Tables and figures of five texts, for your files.",
    "-h all": "Every command.",
}
"""What follows ``gradeval`` to see more, and what it lists."""
GUESSES = {
    "gate QRELS BEFORE AFTER": "ab abtest ab-test",
    "compare QRELS RUNS --plot FILE.svg": "plot chart figure",
    "compare QRELS RUNS --format latex": "latex tex",
    "evaluate QRELS RUNS --format csv": "csv excel table",
    'evaluate QRELS RUNS -m "R@5 nDCG@5"': "rag retrieval",
}
"""What follows ``gradeval`` to do what people ask for by these words."""


def all_commands() -> dict[str, str]:
    """The names of all commands, in the order of their groups, and what each does in a line."""
    lines = {name: line for name, (_, line) in BY_HAND.items()}
    lines |= {name.replace("_", "-"): line for name, (_, line) in list_studies().items()}
    return {name: lines[name] for names in GROUPS.values() for name in names.split()}


def listed(word: str | None) -> dict[str, dict[str, str]]:
    """The commands below their headings, with a line each: all, only studies, or without a word the daily ones."""
    lines = SHORTLY if word is None else all_commands()
    names = {*lines} - ({*BY_HAND} if word == "studies" else set())
    groups = {
        title: {name: lines[name] for name in members.split() if name in names} for title, members in GROUPS.items()
    }
    return {title: members for title, members in groups.items() if members}
