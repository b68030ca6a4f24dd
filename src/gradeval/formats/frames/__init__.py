"""Tables of columns: Arrow, Parquet, pandas, Polars."""
