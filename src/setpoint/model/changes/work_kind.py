"""Tell what kind of work is wanted from its request, and what kind a change is from its files."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType

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
    r"\b(refactor\w*|restructure\w*|clean(ing)? up|tidy\w*|simplif(y|ies|ying)|deduplicat\w+)\b"
    r"|^\W*(rename|extract|inline|split|move|reorgani[sz]e)\b|\b(faster|speed up|optimi[sz]e\w*)\b"
    r"|^\W*(remove|delete|drop) (the |an? |all )?(unused|dead|obsolete)\b|\btype (hints?|annotations?)\b"
)
_REPAIR = (
    r"\b(fix(es|ed|ing)?|bugs?|repair\w*|crash\w*|broken|wrong(ly)?|incorrect\w*|fail(s|ing|ed|ure)?"
    r"|regression|raises? .*(error|exception)|traceback|should (return|be|not)|instead of)\b"
)
_LOOKS = re.compile(
    r"\b(css|scss|style ?sheets?|styling|html|(page|html|jinja|email) templates?|layout|fonts?|colou?rs?"
    r"|dockerfile|docker(-compose| image| compose)?|terraform|helm( chart)?|kubernetes|k8s|ansible|nginx)\b",
    re.IGNORECASE,
)
_AND_MORE = re.compile(r"\band (add|make|fix|implement|support|change|let|allow|remove)\b", re.IGNORECASE)
"""A second wish in a title, so that documents, tests or configuration are not all that is wanted."""
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


def kind_of_change(
    wanted: WorkKind,
    why: str,
    paths: Collection[str],
    read: Mapping[str, str] = MappingProxyType({}),
    *,
    settings: bool = False,
) -> tuple[WorkKind, str]:
    """Tell what kind of work a change is: the files decide where the request promised less than they hold.

    `read` are documents among them that code reads, each with the file that does. `settings` says that the
    request speaks of the settings that are changed.
    """
    code = [path for path in paths if runs(path) or path in read]
    if code:
        if wanted in _CHANGES_CODE:
            return wanted, why
        happens = f"{read[code[0]]} reads {code[0]}" if code[0] in read else f"{code[0]} is changed"
        return WorkKind.BEHAVIOUR, f"{happens}, so it is not {wanted} alone"
    if wanted in (WorkKind.BEHAVIOUR, WorkKind.REPAIR):
        alone = settings and all(_is_chore(path) or is_document(path) for path in paths)
        return (
            (WorkKind.CHORE, "the request speaks of settings, and they alone are changed")
            if alone
            else (wanted, why)
        )
    if any(is_test_path(path) for path in paths):
        return WorkKind.TESTS, "tests alone are changed"
    if any(_is_chore(path) for path in paths):
        return WorkKind.CHORE, "configuration alone is changed"
    asks_for_tests = wanted is WorkKind.TESTS
    return (wanted, why) if asks_for_tests else (WorkKind.DOCS, "nothing that runs is changed")


def runs(path: str) -> bool:
    """Whether a file is part of what runs: no test, no document, no configuration of tools."""
    return not (is_test_path(path) or is_document(path) or _is_chore(path))


def is_code(path: str) -> bool:
    """Whether a file holds code, templates or structured data: what a change of behaviour consists of."""
    name = path.rpartition("/")[2].lower()
    return runs(path) and (name.endswith(_CODE_SUFFIXES) or name.startswith(_CODE_NAMES))


def is_program(path: str) -> bool:
    """Whether a file is in a language with functions: no style, template, data or infrastructure."""
    return runs(path) and path.lower().endswith(_PROGRAM_SUFFIXES)


def wants_look(story: Story) -> str:
    """Return what in a request says that styles, templates or infrastructure are to change; empty: nothing.

    No test shows these by itself: they need an acceptance command, or a person who looks at the result.
    """
    if story.acceptance:
        return ""
    found = _LOOKS.search(story.title)
    return found[0] if found else ""


def is_document(path: str) -> bool:
    """Whether a file is a document by its name; code that reads it makes it data."""
    name = path.rpartition("/")[2].lower()
    stem, _, suffix = name.partition(".")
    written = suffix in ("", "txt") and (stem in _DOCS_NAMES or path.startswith(("docs/", "doc/")))
    return name.endswith(_DOCS_SUFFIXES) or written


def is_requirements(path: str) -> bool:
    """Whether a file lists requirements, one a line."""
    return _REQUIREMENTS.search(path.rpartition("/")[2].lower()) is not None


def is_lock(path: str) -> bool:
    """Whether a file holds the locked versions of dependencies."""
    name = path.rpartition("/")[2].lower()
    return _is_chore(path) and ("lock" in name or name in ("go.sum", "npm-shrinkwrap.json"))


def _is_chore(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name in _CHORE_NAMES or path.startswith(_CI_FOLDERS) or is_requirements(path)
