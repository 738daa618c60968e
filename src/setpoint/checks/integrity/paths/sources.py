"""What the base says about files that may belong to the measure: its tests, its product, its documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from setpoint.checks.integrity.paths.named_paths import Named, named_in
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_document, is_program, runs

_BY_NAME = re.compile(
    r"(?:^|/)\.[^/]*$|(?:^|/)(?:Dockerfile|Containerfile|Jenkinsfile|Vagrantfile|Procfile|[Mm]akefile|GNUmakefile)[^/]*$"
    r"|\.(?:env|lock|mk)$"
)
_BY_PLACE = re.compile(
    r"\.(?:ya?ml|toml|ini|cfg|conf|properties|html?|css|s[ac]ss|less|graphql|proto|tf|tfvars|hcl|xsd"
    r"|jinja2?|j2|tmpl|tpl|hbs|ejs|mustache)$"
)
"""Configuration, templates, styles and contracts: frameworks read them without a name in the code."""
MANIFEST = re.compile(
    r"(?:^|/)(?:package\.json|pyproject\.toml|setup\.cfg|MANIFEST\.in|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?"
    r"|[Mm]akefile|GNUmakefile|\.?[Jj]ustfile|Dockerfile|[^/]+\.gemspec|composer\.json)$"
)
_HIDDEN = re.compile(r"(?:^|/)\.|(?:^|/)(?:azure-pipelines|codecov)\.yml$")
_OF_CI = re.compile(r"(?:^|/)\.[^/]+/.*\.ya?ml$|(?:^|/)(?:\.gitlab-ci|azure-pipelines)\.yml$")
_LISTS = re.compile(
    r"\b(?:glob|rglob|iterdir|listdir|scandir|os\.walk|readdir(?:Sync)?|ReadDir|WalkDir|read_dir|require\.context"
    r"|include_dir|opendir)\b|\bfor\s+\w+\s+in\s+\S*\*"
)
DECLARED = ("src", "lib")


@dataclass(frozen=True, kw_only=True)
class Side:
    """What is on the side of the tests beside the files of tests."""

    commands: tuple[str, ...] = ()
    """The project's own test commands."""
    scripts: frozenset[str] = frozenset()
    """Scripts that these commands name and that check the project."""


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """One source of the product, and what it names."""

    path: str
    names: tuple[Named, ...]
    lists: bool
    """Whether it lists what is in a folder."""


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What the base says about some files."""

    files: Collection[str]
    """Every path of the base."""
    texts: Mapping[str, str]
    """The sources, manifests and documents of the base that may name them, by path."""
    side: Side = Side()

    def is_test(self, path: str) -> bool:
        """Whether a source is on the side of the tests."""
        return is_test_path(path) or path in self.side.scripts

    @cached_property
    def tests(self) -> dict[str, str]:
        """Return the sources on the side of the tests; the commands count as one."""
        found = {path: text for path, text in self.texts.items() if self.is_test(path) and _is_source(path)}
        return found | {"test command": "\n".join(self.side.commands)}

    @cached_property
    def product(self) -> dict[str, str]:
        """Return the sources and manifests on the other side, without what a manifest says of tests."""
        other = {path: text for path, text in self.texts.items() if not self.is_test(path)}
        programs = {path: text for path, text in other.items() if is_program(path)}
        return programs | {path: self._untested(other[path]) for path in other if configures(path)}

    @cached_property
    def described(self) -> dict[str, str]:
        """Return the documents and the CI of the base, without what they say of the test commands."""
        other = {path: text for path, text in self.texts.items() if not self.is_test(path)}
        return {path: self._untested(text) for path, text in other.items() if describes(path)}

    def _untested(self, text: str) -> str:
        said = [
            line.strip() for each in self.side.commands for line in re.split(r"\n|&&", each) if line.strip()
        ]
        return "\n".join(line for line in text.splitlines() if not any(each in line for each in said))

    @cached_property
    def programs(self) -> frozenset[str]:
        """Return the code of the base that is on the other side."""
        return frozenset(path for path in self.files if is_program(path) and not self.is_test(path))

    @cached_property
    def folders_of_tests(self) -> frozenset[str]:
        """Return the names of folders in which tests keep what is theirs."""
        return frozenset(part for path in self.files if is_test_path(path) for part in path.split("/")[:-1])

    @cached_property
    def named_by_tests(self) -> dict[str, list[Named]]:
        """Return what each source on the side of the tests names."""
        return {path: list(named_in(_read_as(path), text)) for path, text in self.tests.items()}

    @cached_property
    def spoken(self) -> tuple[Spoken, ...]:
        """Return what each source of the product names."""
        return tuple(
            Spoken(
                path=path,
                names=tuple(named_in(_read_as(path), text)),
                lists=_LISTS.search(text) is not None,
            )
            for path, text in self.product.items()
        )

    def own_folders(self, path: str) -> tuple[str, ...]:
        """Return the folders of a path without code of the product, from the outermost on."""
        parts = path.split("/")[:-1]
        folders = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
        return tuple(
            each for each in folders if not any(other.startswith(f"{each}/") for other in self.programs)
        )


def is_data(path: str) -> bool:
    """Whether a file holds no functions, no configuration and no documentation of the project."""
    if _BY_NAME.search(path) or _BY_PLACE.search(path) or is_program(path):
        return False
    if is_document(path):  # outside the root, a text that is not a README may be expected output
        return "/" in path and not is_document(f"{path.rpartition('.')[0]}.txt") and "." in path
    return runs(path)


def may_be_expected(path: str) -> bool:
    """Whether a file with the ending of configuration or a template may be expected output: by its place."""
    folders = path.split("/")[:-1]
    if not folders or any(each in DECLARED or each.startswith(".") for each in folders):
        return False
    return is_given(path)


def is_given(path: str) -> bool:
    """Whether a file has the ending of configuration or a template, and does not steer tools by its name."""
    return _BY_PLACE.search(path) is not None and not _BY_NAME.search(path) and runs(path)


def configures(path: str) -> bool:
    """Whether a file is a manifest, configuration or a template, by which the product may read others."""
    steers = _BY_NAME.search(path) or _BY_PLACE.search(path)
    return MANIFEST.search(path) is not None or (steers is not None and _HIDDEN.search(path) is None)


def describes(path: str) -> bool:
    """Whether a file is a document or a workflow of the CI, which say what other files are for."""
    return is_document(path) or is_of_ci(path)


def is_of_ci(path: str) -> bool:
    """Whether a file is a workflow of the CI."""
    return _OF_CI.search(path) is not None


def is_program_text(path: str) -> bool:
    """Whether a path is one of a program, also where it belongs to the tests."""
    return is_program(f"x{Path(path).suffix}")


def _is_source(path: str) -> bool:
    return is_program_text(path) or "." not in path.rpartition("/")[2]


def _read_as(path: str) -> str:
    return path if "." in path.rpartition("/")[2] else f"{path}.sh"
