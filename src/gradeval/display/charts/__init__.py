"""Pictures of the studies: one family of charts, one file. They need the extra ``report`` (Altair)."""
