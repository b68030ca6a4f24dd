"""``gradeval export``: a trained ranker as a file that other tools score with."""

from __future__ import annotations

import click

from gradeval.cli.help_sections import SectionedCommand
from gradeval.cli.notices import print_notes
from gradeval.cli.options import FILE, refuse_overwriting
from gradeval.ltr.rankers.kinds import require_engine


@click.command(
    "export",
    cls=SectionedCommand,
    epilog="""\b
Examples:
  gradeval export gap-linear -o gap-linear.onnx
  gradeval export gap-trees -o gap-trees.onnx
  gradeval export gap-trees -o gap-trees.txt""",
)
@click.argument("model", type=click.Path(readable=False))
@click.option(
    "-o",
    "--output",
    type=FILE,
    required=True,
    metavar="FILE",
    help="Write a file, whole or not at all: .onnx of any ranker, .txt of trees.",
)
def command(model: str, output: str) -> None:
    """Write a MODEL of 'gradeval train' as one file that other tools score with.

    FILE.onnx is for any ONNX runtime (needs the extra 'onnx'): from 'features', float32[row, feature], not scaled, to
    'score', float32[row]. FILE.txt is LightGBM's text of trees, for lightgbm.Booster(model_file=FILE) and compilers of
    trees. The scores are those of 'gradeval rank'.
    """
    with require_engine(f"exporting {model}"):
        from gradeval.ltr.onnx import export_ranker, writer_of
        from gradeval.ltr.rankers.ranker import load_ranker

        writer_of(output)
        refuse_overwriting(output, [model])
        ranker = load_ranker(model)
        export_ranker(ranker, output)
    columns = ranker.require_trained().columns
    print_notes([f"{ranker.kind} ranker of {len(columns)} features in this order: {columns[0]} to {columns[-1]}"])
