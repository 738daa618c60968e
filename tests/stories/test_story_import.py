"""Many stories of one file: ids that stay, all or nothing, and no word lost."""

import pytest

from setpoint.errors import StoryError
from setpoint.stories.story_import import imported

MARKDOWN = """# Release 2

## Export as JSON
priority: 80
acceptance:
  - python -m app export

It writes one document.

```
## no heading
```

### Errors

They go to standard error.

## Print
id: paper
depends_on: [export-as-json] # first

Goals: fast.
"""
YAML = """# plan
- title: Export as JSON
  priority: 80
  acceptance: [python -m app export]
  body: |
    It writes one document.

    Errors go to standard error.
- id: paper
  title: Print
  depends_on: [export-as-json] # first
"""


def read(tmp_path, name, text):
    source = tmp_path / name
    source.write_text(text, "utf-8")
    return imported(source, tmp_path / "stories")


@pytest.mark.parametrize(("name", "text"), [("plan.md", MARKDOWN), ("plan.yaml", YAML)])
def test_each_section_and_each_item_is_a_story(tmp_path, name, text):
    first, second = read(tmp_path, name, text)
    assert (first.path.name, first.story.id, first.story.title) == (
        "export-as-json.md",
        "export-as-json",
        "Export as JSON",
    )
    assert (first.story.priority, first.story.acceptance) == (80, ("python -m app export",))
    assert first.story.body.startswith("It writes one document.\n\n")
    assert first.story.body.endswith("standard error.")
    assert (second.path.name, second.story.depends_on) == ("paper.md", ("export-as-json",))
    assert "# first" in second.page.text
    assert [each.digest for each in read(tmp_path, name, text)] == [first.digest, second.digest]


def test_the_body_of_a_section_holds_code_and_lower_headings(tmp_path):
    first, second = read(tmp_path, "plan.md", MARKDOWN)
    assert "```\n## no heading\n```" in first.story.body
    assert "### Errors" in first.story.body
    assert second.story.body == "Goals: fast."


BAD = {
    ("plan.md", "## A\nacceptence: [a]\n\n## B\nB.\n\npriority: 5\n"): (2, "did you mean 'acceptance'?"),
    ("plan.md", "## A\npriority: 5\n\nacceptance: [a]\n\n## B\n"): (4, "outside the front matter"),
    ("plan.md", "## A\npriority: 5\nsome words\n\n## B\n"): (3, "not valid YAML"),
    ("plan.md", "## A\n\n## B\ntitle: C\n"): (4, "twice"),
    ("plan.md", "## Same\n\n## Same\n"): (3, "second story has the id 'same'"),
    ("plan.md", "Words.\n\n## A\n\n## B\n"): (1, "belongs to no story"),
    ("plan.md", "## A\n\n# Part 2\n\n## B\n"): (3, "belongs to no story"),
    ("plan.md", "No heading.\n"): (1, "belongs to no story"),
    ("plan.md", ""): (1, "belongs to no story"),
    ("plan.md", "---\ntitle: A\n---\n\n## B\n"): (1, "belongs to no story"),
    ("plan.yaml", "- title: A\n- title: B\n  acceptence: [a]\n"): (3, "did you mean 'acceptance'?"),
    ("plan.yaml", "- title: A\n  priority: 1\n  priority: 2\n"): (3, "twice"),
    ("plan.yaml", "- title: A\n  priority: 010\n"): (2, "read as 8"),
    ("plan.yaml", "- title: A\n- priority: 5\n"): (2, "an empty story"),
    ("plan.yaml", "- title: A\n  body: [a]\n"): (1, "'body' is not text"),
    ("plan.yaml", "title: A\n"): (1, "not a list of stories"),
    ("plan.yaml", ""): (1, "not a list of stories"),
    ("plan.yaml", "- title: A\n---\n- title: B\n"): (2, "not valid YAML"),
    ("plan.yaml", "- title: A\n  acceptance: &a [x]\n- title: B\n  acceptance: *a\n"): (4, "not valid YAML"),
}


@pytest.mark.parametrize(("name", "text"), BAD)
def test_what_would_be_lost_is_refused(tmp_path, name, text):
    line, part = BAD[name, text]
    with pytest.raises(StoryError) as refused:
        read(tmp_path, name, text)
    assert f"{tmp_path / name}:{line}: " in refused.value.message, refused.value
    assert part in refused.value.message
    assert refused.value.hint
