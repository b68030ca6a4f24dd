from __future__ import annotations

import json

import pytest

from gradeval.files.seal import is_whole, seal_content


@pytest.mark.parametrize("field", ["name", "levels", "files", "sha256"])
def test_the_seal_of_json_covers_every_field(field: str) -> None:
    content = seal_content({"name": "a", "levels": [0, 1], "files": {"X": ["12"]}})
    assert is_whole(json.loads(json.dumps(content, indent=3)))
    assert not is_whole({**content, field: "other"})
    assert not is_whole({**content, "new": 1})
    assert not is_whole({key: value for key, value in content.items() if key != field})
