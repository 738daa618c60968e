# "add a --json flag to export"
mkdir -p app
cat > app/__main__.py <<'END'
"""Print the items of the shop."""

import json
import sys

ITEMS = ["pen", "ink"]


def exported(words):
    """Return the items as lines, or as JSON with --json."""
    return json.dumps(ITEMS) if "--json" in words else "\n".join(ITEMS)


if __name__ == "__main__":
    print(exported(sys.argv[2:]))
END
cat > tests/test_export.py <<'END'
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from app.__main__ import exported


def test_items_are_lines_or_json():
    assert exported([]) == "pen\nink"
    assert exported(["--json"]) == '["pen", "ink"]'
END
