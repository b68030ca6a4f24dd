"""A click log becomes counts of (query, document, grade) before anything else: how long does that take?

    python benchmarks/click_log.py [--rows 10000000] [--engine duckdb] [--engine polars]

A made log of impressions with the columns query, document, clicked and seconds (the time spent with the document) is
written as Parquet, in pieces. A query engine groups it: the grade of an impression is 0 without a click, 1 with one,
and 2 with one of 30 seconds or more; a document's grade for a query is the largest that at least a tenth of its
impressions reach. What gradeval then reads are judgments: one row for each query and document.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from gradeval import qrels_from_frame

PIECE = 1_000_000
SQL = """
    SELECT query, document, count(*) AS impressions,
        sum((clicked AND seconds < 30)::INT) AS grade_1, sum((clicked AND seconds >= 30)::INT) AS grade_2,
        CASE WHEN grade_2 >= 0.1 * count(*) THEN 2 WHEN grade_1 + grade_2 >= 0.1 * count(*) THEN 1 ELSE 0 END AS grade
    FROM read_parquet('{}') GROUP BY query, document ORDER BY query, document
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--engine", choices=("duckdb", "polars"), action="append")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.parquet"
        write_log(log, options.rows)
        print("| engine | impressions | queries x documents | s to count | s to judgments |\n|---|--:|--:|--:|--:|")
        tables = []
        for engine in options.engine or ["duckdb", "polars"]:
            begin = time.perf_counter()
            counts = {"duckdb": count_by_duckdb, "polars": count_by_polars}[engine](log)
            counted = time.perf_counter()
            qrels = qrels_from_frame(
                counts.select(["query", "document", "grade"]), query_id="query", doc_id="document", relevance="grade"
            )
            ended = time.perf_counter()
            print(f"| {engine} | {options.rows:,} | {len(qrels):,} | {counted - begin:.1f} | {ended - counted:.1f} |")
            tables.append(counts.to_pydict())
        if any(table != tables[0] for table in tables):
            raise SystemExit("the engines count differently")


def write_log(path: Path, rows: int) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(2010)
    writer = None
    for begin in range(0, rows, PIECE):
        some = min(PIECE, rows - begin)
        query = (rng.pareto(1.2, some) * 50).astype(np.int64) % 20_000
        document = rng.integers(0, 20, some)
        clicked = rng.random(some) < 0.3 / (1 + (document + query) % 20)
        table = pa.table(
            {
                "query": query,
                "document": query * 100 + document,
                "clicked": clicked,
                "seconds": np.where(clicked, rng.exponential(30, some), 0).astype(np.float32),
            }
        )
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def count_by_duckdb(log: Path):
    import duckdb

    return duckdb.sql(SQL.format(log)).to_arrow_table()


def count_by_polars(log: Path):
    import polars as pl

    long = pl.col("clicked") & (pl.col("seconds") >= 30)
    short = pl.col("clicked") & (pl.col("seconds") < 30)
    grade = (
        pl.when(pl.col("grade_2") >= 0.1 * pl.col("impressions"))
        .then(2)
        .when(pl.col("grade_1") + pl.col("grade_2") >= 0.1 * pl.col("impressions"))
        .then(1)
        .otherwise(0)
    )
    counts = (
        pl.scan_parquet(log)
        .group_by("query", "document")
        .agg(impressions=pl.len(), grade_1=short.sum(), grade_2=long.sum())
        .with_columns(grade=grade)
        .sort("query", "document")
    )
    return counts.collect(engine="streaming").to_arrow()


if __name__ == "__main__":
    main()
