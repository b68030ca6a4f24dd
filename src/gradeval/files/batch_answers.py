"""Lines of a batch of OpenAI, whose custom_id joins topic and document: how to split it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradeval.files.json_in_text import read_json_text
from gradeval.files.nested_records import follow
from gradeval.files.plain_text import quote

SIGNS = ("|", "::", "||", "\t", ";", ",", "__", "--", "/", ":", "#", "_", "-")
"""What may join topic and document."""
ANSWER = "body.choices"


def split_batch(record: Mapping[str, Any]) -> str:
    """What to do with such a record; empty: it is another one."""
    joined, response = record.get("custom_id"), record.get("response")
    choices = follow(response, ANSWER)
    if not isinstance(joined, str) or not isinstance(choices, list) or not choices:
        return ""
    sign = next((one for one in SIGNS if joined.count(one) == 1), "SIGN")
    answer = read_json_text(follow(choices[0], "message.content"))
    part = next((f"; then --columns grade=grade.{name}" for name in answer), "") if isinstance(answer, dict) else ""
    content = "r['body']['choices'][0]['message']['content']"
    return (
        f"is a line of a batch, whose custom_id {quote(joined)} joins topic and document; split it, in pandas: "
        f"df = pd.read_json(FILE, lines=True); df[['query_id', 'doc_id']] = df.custom_id.str.split({sign!r}, "
        f"n=1, expand=True, regex=False); df['grade'] = [{content} for r in df.response]; "
        "df[['query_id', 'doc_id', 'grade']].to_json('grades.jsonl', orient='records', lines=True)" + part
    )
