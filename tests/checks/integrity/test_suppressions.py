"""Rule 5: what counts as a new suppression, and what it hides."""

import pytest

from setpoint.checks.integrity.suppressions import grown, suppression_markers, suppressions, unmasked

CASES = [
    ("a.py", "x = 1  # noqa\n", "noqa", "*"),
    ("a.py", "x = 1  # noqa: E501, F401\n", "noqa", "E501"),
    ("a.py", "# ruff: noqa\n", "noqa", "*"),
    ("a.py", "x = 1  # type: ignore[attr-defined]\n", "type-ignore", "attr-defined"),
    ("a.py", "# mypy: ignore-errors\n", "type-ignore", "*"),
    ("a.py", "x = 1  # pyright: ignore\n", "type-ignore", "*"),
    ("a.py", "x = 1  # pragma: no cover\n", "no-cover", "cover"),
    ("a.py", "x = 1  # nosec B602\n", "nosec", "B602"),
    ("a.py", "x = 1  # pylint: disable=all\n", "pylint-disable", "all"),
    ("a.py", "@typing.no_type_check\ndef f(): ...\n", "no-type-check", "*"),
    ("a.py", "warnings.simplefilter('ignore')\n", "warnings-ignored", "*"),
    ("a.ts", "// eslint-disable-next-line no-eval\neval(x)\n", "eslint-disable", "no-eval"),
    ("a.ts", "// @ts-expect-error\nx()\n", "ts-ignore", "expect-error"),
    ("a.tsx", "{/* @ts-ignore */}\n", "ts-ignore", "ignore"),
    ("a.js", "/* istanbul ignore next */\n", "coverage-ignore", "*"),
    ("a.go", "x() //nolint:errcheck\n", "nolint", "errcheck"),
    ("a.rs", "#[allow(dead_code)]\nfn f() {}\n", "allow", "dead_code"),
    ("a.sh", "# shellcheck disable=SC2086\n", "shellcheck", "SC2086"),
]


@pytest.mark.parametrize(("path", "text", "kind", "code"), CASES)
def test_each_kind_is_recognised(path, text, kind, code):
    found = suppressions(path, text)

    assert (found[0].kind, found[0].code, found[0].line) == (kind, code, 1)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "x = '# noqa'\n"),
        ("a.py", '"""Write # type: ignore[x] where you must."""\n'),
        ("a.ts", "const x = '// eslint-disable'\n"),
        ("a.ts", "const x = `@ts-ignore`\n"),
        ("a.sh", "echo '# shellcheck disable=SC1'\n"),
        ("a.md", "# noqa\n"),
    ],
)
def test_text_in_a_string_silences_nothing(path, text):
    assert suppressions(path, text) == ()


def test_only_what_grows_on_net_is_told():
    moved = grown({"a.py": "x = 1  # noqa\n", "b.py": ""}, {"a.py": "x = 1\n", "b.py": "x = 1  # noqa\n"})
    more = grown({"a.py": "x = 1  # noqa\n"}, {"a.py": "x = 1  # noqa\ny = 2  # noqa\n"})
    narrowed = grown({"a.py": "x = 1  # noqa\n"}, {"a.py": "x = 1  # noqa: E1\n"})
    widened = grown({"a.py": "x = 1  # noqa: E1\n"}, {"a.py": "x = 1  # noqa\n"})

    assert (moved, narrowed) == ((), ())
    assert [(each.before, each.after, each.new[0].line) for each in more] == [(1, 2, 2)]
    assert [each.new[0].code for each in widened] == ["*"]


def test_new_comments_are_taken_out_and_lines_keep_their_numbers():
    before, after = (
        {"a.py": "x = 1  # noqa\n"},
        {"a.py": "x = 1  # noqa\n# ruff: noqa\ny = '# noqa'  # noqa: S1\n"},
    )
    new = {each.path: each.new for each in grown(before, after)}

    assert unmasked("a.py", after["a.py"], new) == "x = 1  # noqa\n\ny = '# noqa'\n"


def test_every_kind_has_a_pattern_that_compiles():
    assert {"noqa", "type-ignore", "nosec", "allow"} <= set(suppression_markers())
