"""Tell from a request what kind of work is wanted, and from a path what kind of file it is.

What a request says is a guess that decides nothing about a change whose files say more; `--kind` sets it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.proof import WorkKind
from setpoint.model.stories.story import KnownRed, Story

_DOCS_SUFFIXES = (".md", ".rst", ".adoc", ".markdown", ".png", ".jpg", ".svg", ".gif")
_DOCS_NAMES = frozenset({"license", "notice", "authors", "changelog", "contributing", "codeowners", "readme"})
_CHORE_NAMES = frozenset(
    {
        "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "mypy.ini", "ruff.toml", ".coveragerc",
        "package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml",
        "poetry.lock", "uv.lock", "pipfile", "pipfile.lock", "pdm.lock",
        "cargo.toml", "cargo.lock", "go.mod", "go.sum",
        ".gitignore", ".gitattributes", ".editorconfig", ".pre-commit-config.yaml", ".gitlab-ci.yml",
        "tsconfig.json", ".eslintrc.json", ".prettierrc", ".nvmrc", ".python-version", "dependabot.yml",
    }
)  # fmt: skip
_REQUIREMENTS = re.compile(r"(requirements|constraints)[\w.-]*\.(txt|in)$")
_CI_FOLDERS = (".github/", ".circleci/", ".gitlab/")
_CODE_SUFFIXES = (
    ".py", ".pyi", ".pyx", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte",
    ".go", ".rs", ".c", ".h", ".cc", ".cpp", ".java", ".kt", ".rb", ".php", ".sh", ".sql", ".html", ".css",
    ".jinja", ".j2", ".graphql", ".proto", ".json", ".yaml", ".yml", ".toml",
    ".jinja2", ".htm", ".tmpl", ".tpl", ".hbs", ".ejs", ".mustache", ".scss", ".sass", ".less",
    ".tf", ".tfvars", ".hcl", ".cs", ".swift", ".scala", ".ex", ".exs", ".lua", ".pl", ".r", ".ipynb",
    ".bash",
)  # fmt: skip
_CODE_NAMES = ("dockerfile", "containerfile", "makefile", "jenkinsfile", "vagrantfile", "procfile")
_PROGRAM_SUFFIXES = (
    ".py", ".pyi", ".pyx", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte",
    ".go", ".rs", ".c", ".h", ".cc", ".cpp", ".java", ".kt", ".rb", ".php", ".sh", ".bash", ".sql", ".cs",
    ".swift", ".scala", ".ex", ".exs", ".lua", ".pl", ".r", ".ipynb",
)  # fmt: skip
"""Files in languages with functions, which tests can enter."""
_CHANGES_CODE = (WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR)

_DOCS = (
    r"^\W*(docs?\b|document(ation)?\b|(fix|correct|mend)\w* (a |the |some )?(typos?|spelling|wording)\b"
    r"|(add|write|update|improve|extend|rewrite|fix|correct)\w* (\w+ ){0,4}"
    r"(documentation|docs|docstrings?|readme|changelog|comments?|guide|tutorial)\b"
    r"|(let|say|explain|describe|tell|note|mention|put|state)\b.{0,80}"
    r"\b(docstrings?|readme|changelog|in (a |the |its |their )?(\w+ )?comments?)\b)"
)
_ON_TESTS = (
    r"(parametri[sz]e|merge|split|move|rename|call|reformat|format|rewrite|refactor|tidy|clean up|simplify"
    r"|turn|convert|mark|group|sort|port|shorten|use|combine|join|fold|collapse|extract)"
)
"""What is done to tests alone, where they are what the verb speaks of."""
_TESTS = (
    r"^\W*(tests?:|(add|write|extend|improve|increase|raise|cover)\w* (\w+ ){0,4}"
    r"(tests\b(?! (suite )?(command|runner|script))|test (for|of|that)\b|coverage\b)"
    rf"|{_ON_TESTS}\w* ((?!with\b|and\b|in\b|from\b|to\b|of\b|as\b|for\b)\w+ ){{0,3}}"
    r"(tests?|asserts?|assertions?)\b"
    r"(?! (command|runner|script|client|server|mode|data|function|helper|module|file|result|report)s?\b))"
)
_CHORE = (
    r"^\W*(chore|ci|build)(\([^)]*\))?:|\b(bump|upgrade|update|pin|unpin)\w* (\w+ ){0,4}"
    r"(dependenc\w+|version|requirements?|lock ?file|packages?)\b|^\W*(bump|upgrade|pin|unpin)\b"
    r"|\b(github (workflow|actions?)|workflows?|ci (config\w*|job|pipeline)|pre-commit)\b"
    r"|\b(pytest|ruff|mypy|coverage|tox|linter|jest|vitest|eslint)('s)? (options?|settings?|config\w*)\b"
)
_REFACTOR = (
    r"^\W*(refactor|perf|style)(\([^)]*\))?!?:"
    r"|\b(refactor\w*|restructure\w*|clean(ing)? up|tidy\w*|simplif(y|ies|ying)|deduplicat\w+)\b"
    r"|\bclean (it|this|that|them|\w+( \w+)?) up\b|\bduplicate the same\b|\bmake\b.{0,40}\bfast\b"
    r"|^\W*(rename|extract|inline|split|move|reorgani[sz]e)\b|\b(faster|speed up|optimi[sz]e\w*)\b"
    r"|^\W*(remove|delete|drop) (the |an? |all )?(unused|dead|obsolete)\b|\btype (hints?|annotations?)\b"
)
_REPAIR = (
    r"^\W*fix(\([^)]*\))?!?:"
    r"|\b(fix(es|ed|ing)?|bugs?|repair\w*|crash\w*|broken|wrong(ly)?|incorrect\w*|fail(s|ing|ed|ure)?"
    r"|regression|raises? .*(error|exception)|traceback|should (return|be|not)|instead of)\b"
)
_AND_MORE = re.compile(r"\band (add|make|fix|implement|support|change|let|allow|remove)\b", re.IGNORECASE)
"""A second wish in a title, so that documents, tests or configuration are not all that is wanted."""
_WITHOUT_CODE = {
    WorkKind.DOCS: r"docstrings?|docs?|documentation|read ?me|comments?|changelog|typos?|spelling",
    WorkKind.TESTS: r"tests?|test_\w+|skip\w*|fixtures?",
    WorkKind.CHORE: r"ci|workflows?|releases?|versions?|dependenc\w+|requirements?|lint\w*|settings|configs?",
}
"""Words for work in which no code changes."""
_SENTENCE = re.compile(r"[.!?;]\s")
_BESIDE = re.compile(r"\b(and|with|plus|including|also)\b", re.IGNORECASE)
_SPOKEN = {
    WorkKind.DOCS: re.compile(_DOCS, re.IGNORECASE),
    WorkKind.TESTS: re.compile(_TESTS, re.IGNORECASE),
    WorkKind.CHORE: re.compile(_CHORE, re.IGNORECASE),
    WorkKind.REFACTOR: re.compile(_REFACTOR, re.IGNORECASE),
    WorkKind.REPAIR: re.compile(_REPAIR, re.IGNORECASE),
}
"""How titles speak of a kind of work; the first that fits counts."""


def kind_of_request(story: Story) -> tuple[WorkKind, str]:
    """Tell what kind of work a story wants, and why it is taken for that."""
    if story.kind is not None:
        return story.kind, "the story says so"
    if story.known_red is KnownRed.FIX:
        return WorkKind.REPAIR, "tests that fail at the base are to pass"
    for kind, pattern in _SPOKEN.items():
        if kind not in _CHANGES_CODE and _AND_MORE.search(story.title):
            continue
        if found := pattern.search(story.title):
            return kind, f"the request says '{found[0].strip()}'"
    return WorkKind.BEHAVIOUR, "the request names no other kind; --kind sets it"


def speaks_of(story: Story, kind: WorkKind, names: Iterable[str] = ()) -> bool:
    """Whether the first sentence of a request is about work without code of a kind, by words for it or names.

    What it asks for beside something else ("with tests", "and update the docs") does not count.
    """
    first = _SENTENCE.split(story.title)[0]
    wanted = "|".join([_WITHOUT_CODE.get(kind, "$^"), *map(re.escape, names)])
    found = re.finditer(rf"(?<![\w/.-])(?:{wanted})(?![\w/-])", first, re.IGNORECASE)
    return any(_BESIDE.search(first[: each.start()]) is None for each in found)


def runs(path: str) -> bool:
    """Whether a file is part of what runs: no test, no document, no configuration of tools."""
    return not (is_test_path(path) or is_document(path) or is_settings(path))


def is_code(path: str) -> bool:
    """Whether a file holds code, templates or structured data: what a change of behaviour consists of."""
    name = path.rpartition("/")[2].lower()
    return runs(path) and (name.endswith(_CODE_SUFFIXES) or name.startswith(_CODE_NAMES))


def is_program(path: str) -> bool:
    """Whether a file is in a language with functions: no style, template, data or infrastructure."""
    return runs(path) and path.lower().endswith(_PROGRAM_SUFFIXES)


def is_document(path: str) -> bool:
    """Whether a file is a document by its name; code that reads it makes it data."""
    name = path.rpartition("/")[2].lower()
    stem, _, suffix = name.partition(".")
    written = suffix in ("", "txt") and (stem in _DOCS_NAMES or path.startswith(("docs/", "doc/")))
    return name.endswith(_DOCS_SUFFIXES) or written


def is_settings(path: str) -> bool:
    """Whether a file holds dependencies or configures tools or the CI."""
    name = path.rpartition("/")[2].lower()
    return name in _CHORE_NAMES or path.startswith(_CI_FOLDERS) or _REQUIREMENTS.search(name) is not None
