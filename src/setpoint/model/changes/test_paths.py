"""Which paths of a tree hold tests: the one rule for guards, measurements and those who change code."""

from __future__ import annotations

import re

_TEST_FOLDERS = frozenset({"tests", "test", "testing", "__tests__", "__snapshots__", "testdata"})
_SPEC_FOLDERS = frozenset({"spec", "specs"})
"""Folders of tests where they hold code: others keep documents in folders of that name."""
_SPEC = re.compile(r"\.(?:[cm]?[jt]sx?|rb|lua|sh|php|pl)$")
_ONLY = re.compile(r"tests?\.[cm]?[jt]sx?")
_SCRIPT_TEST = re.compile(r"\.(test|spec|test-d|cy)\.[cm]?[jt]sx?$")

_JVM_TEST = re.compile(r"\.(java|kt|scala|groovy)$")
_JVM_NAME = re.compile(r"^Test[A-Z]|(?:Tests?|TestCase|IT|ITCase|Spec)\.\w+$")
_JVM_FOLDERS = frozenset({"androidtest", "integrationtest", "inttest", "testfixtures"})


def is_test_path(path: str) -> bool:
    """Whether a path of the tree holds tests, by the conventions of the runners of each language."""
    *folders, name = path.casefold().split("/")
    if name == "conftest.py" or any(folder in _TEST_FOLDERS | _JVM_FOLDERS for folder in folders):
        return True
    if _SPEC.search(name) is not None and not _SPEC_FOLDERS.isdisjoint(folders):
        return True
    if name.endswith(".py"):
        return name.startswith("test_") or name.endswith("_test.py") or name in ("test.py", "tests.py")
    if name.endswith(".rs"):
        return name in ("test.rs", "tests.rs") or name.endswith(("_test.rs", "_tests.rs"))
    if _JVM_TEST.search(name) is not None:
        return _JVM_NAME.search(path.rpartition("/")[2]) is not None
    return (
        name.endswith("_test.go")
        or _SCRIPT_TEST.search(name) is not None
        or _ONLY.fullmatch(name) is not None
    )
