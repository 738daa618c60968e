"""Wrong work behind a broken acceptance command: a command that cannot answer may verify nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trial_case import Act, Case, Oracle, of_files

REQUEST = "Add mean(values), which returns the arithmetic mean of a list of numbers"


@dataclass(frozen=True, kw_only=True)
class Language:
    """A project that passes its tests, wrong work for the request, and verifiers that are broken in it."""

    files: Mapping[str, str]
    work: Mapping[str, str]
    right: tuple[str, str]
    """What is wrong in the work, and what would be right."""
    good: str
    """A command that answers."""
    oracle: str
    """A command that knows whether the work is right."""
    broken: Mapping[str, str]


GENERAL = {
    "program that is not installed": "no-such-verifier --strict",
    "program that is not installed, behind a folder": "./scripts/verify.sh",
    "file without permission": "./README.md",
    "interpreter that is not installed": "ruby check.rb",
    "shell script that is missing": "sh verify.sh",
    "bash script that is missing": "bash scripts/check.sh",
    "target that make lacks": "make verify-mean",
    "killed by a signal": "sh -c 'kill -9 $$'",
    "terminated by a signal": "sh -c 'kill -15 $$'",
    "out of memory by signal": "sh -c 'ulimit -v 1000; exec {good}'",
    "hangs": "sleep 600",
    "hangs behind good": "{good} && sleep 600",
    "masked by true": "{good} --nope || true",
    "masked by a colon": "no-such-verifier || :",
    "masked by an echo": "no-such-verifier || echo failed",
    "masked by a semicolon": "no-such-verifier; true",
    "masked by a pipe": "no-such-verifier | cat",
    "masked by exit": "no-such-verifier; exit 0",
    "always true": "true",
    "shell syntax": "if then fi (",
}
PYTHON = {
    "unknown option": "python -m pytest -q --no-such-option",
    "file that is missing": "python -m pytest -q tests/test_mean_acceptance.py",
    "name that selects nothing": "python -m pytest -q -k no_such_test",
    "everything deselected": "python -m pytest -q -m no_such_mark",
    "plug-in that is missing": "python -m pytest -q -p no_such_plugin",
    "module that is missing": "python -m no_such_module",
    "script that is missing": "python check_mean.py",
    "unittest finds nothing": "python -m unittest discover -s src",
    "unknown test in a file": "python -m pytest -q tests/test_shop.py::test_no_such",
    "collect only": "python -m pytest -q --collect-only",
}
TYPESCRIPT = {
    "unknown option": "node --no-such-option --test",
    "file that is missing": "node --test test/mean.acceptance.test.ts",
    "name that selects nothing": "node --test --test-name-pattern=no_such_test test/none/*.ts",
    "script that npm lacks": "npm run verify-mean",
    "script that npm lacks, silently": "npm run --silent verify-mean",
    "module that is missing": "node check-mean.js",
    "package that is not installed": "npx --no-install no-such-runner",
    "tsc that is not installed": "node_modules/.bin/tsc --noEmit",
    "import that is missing": "node --import=no-such-loader --test",
    "yarn without a script": "yarn verify-mean",
}
GO = {
    "unknown option": "go test -no-such-option ./...",
    "package that is missing": "go test ./mean/...",
    "name that selects nothing": "go test -run NoSuchTest ./...",
    "command that go lacks": "go verify ./...",
    "tool that is not installed": "golangci-lint run",
    "tool of go that is missing": "go tool no-such-tool",
    "file that is missing": "go run check_mean.go",
    "module that is missing": "go run example.com/none/check@latest",
    "folder that is missing": "go vet ./no/such/...",
    "only listed": "go test -list . ./...",
}
LANGUAGES = {
    "python": Language(
        files={
            "src/shop.py": "def total(values):\n    return sum(values)\n",
            "tests/test_shop.py": "from shop import total\n\n\n"
            "def test_total():\n    assert total([1, 2]) == 3\n",
            "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n\n'
            '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
        },
        work={
            "src/shop.py": "def total(values):\n    return sum(values)\n\n\n"
            "def mean(values):\n    return total(values)\n"
        },
        right=("total(values)\n", "total(values) / len(values)\n"),
        good="python -m pytest -q",
        oracle="PYTHONPATH=src python -c 'import shop; assert shop.mean([1, 3]) == 2'",
        broken=PYTHON,
    ),
    "typescript": Language(
        files={
            "src/shop.js": "export const total = (values) => values.reduce((a, b) => a + b, 0);\n",
            "test/shop.test.js": 'import test from "node:test";\nimport assert from "node:assert";\n'
            'import { total } from "../src/shop.js";\n\n'
            'test("total", () => assert.equal(total([1, 2]), 3));\n',
            "package.json": '{"name": "shop", "version": "1.0.0", "type": "module", '
            '"scripts": {"test": "node --test"}}\n',
        },
        work={
            "src/shop.js": "export const total = (values) => values.reduce((a, b) => a + b, 0);\n"
            "export const mean = (values) => total(values);\n"
        },
        right=("=> total(values)", "=> total(values) / values.length"),
        good="node --test",
        oracle="node --input-type=module -e "
        "'import {mean} from \"./src/shop.js\"; process.exit(mean([1, 3]) === 2 ? 0 : 1)'",
        broken=TYPESCRIPT,
    ),
    "go": Language(
        files={
            "go.mod": "module example.com/shop\n\ngo 1.19\n",
            "shop.go": "package shop\n\nfunc Total(values []int) int {\n\ts := 0\n"
            "\tfor _, v := range values {\n\t\ts += v\n\t}\n\treturn s\n}\n",
            "shop_test.go": 'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n'
            "\tif Total([]int{1, 2}) != 3 {\n\t\tt.Fatal()\n\t}\n}\n",
        },
        work={
            "mean.go": "package shop\n\nfunc Mean(values []int) float64 { return float64(Total(values)) }\n"
        },
        right=("float64(Total(values)) }", "float64(Total(values)) / float64(len(values)) }"),
        good="go test ./...",
        oracle='printf \'package shop\\nimport "testing"\\nfunc TestMean(t *testing.T) '
        "{ if Mean([]int{1, 3}) != 2 { t.Fatal() } }' > mean_test.go && go test ./...",
        broken=GO,
    ),
}


def verifiers() -> Iterator[Case]:
    """Yield a case for each broken command."""
    for name, language in LANGUAGES.items():
        work = [Act(what="write", path=path, text=text) for path, text in language.work.items()]
        right = [Act(what="write", path=each.path, text=each.text.replace(*language.right)) for each in work]
        for title, form in {**GENERAL, **language.broken}.items():
            yield Case(
                name=f"verifiers/{name}/{title}", kind="wrong, behind a broken command",
                language="javascript" if name == "typescript" else name, request=REQUEST,
                lay=of_files({"README.md": "A shop.\n", **language.files}, [work]),
                accept=[form.replace("{good}", language.good)], test=language.good,
                oracle=Oracle(files={}, command=language.oracle, right=right),
            )  # fmt: skip
