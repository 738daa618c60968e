"""`setpoint run` in a repository of several packages: a wrong change is bounced, a right one verified."""

import shutil

import pytest

from acceptance.test_languages import demanded, made
from several_packages import REPOSITORIES, SOURCES, link_workspaces, with_code

pytestmark = pytest.mark.timeout(300)
PROGRAMS = {"javascript": "node", "go": "go", "rust": "cargo"}
LANGUAGES = [
    name if name == "python" else pytest.param(name, marks=pytest.mark.slow) for name in REPOSITORIES
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_change_of_one_package_is_bounced_and_the_right_one_verified(tmp_path, language):
    if program := PROGRAMS.get(language):
        demanded(shutil.which(program) is not None, program)
    repository = made(tmp_path, {".gitignore": "node_modules\ntarget\n.setpoint\n", **REPOSITORIES[language]})
    if language == "javascript":
        link_workspaces(repository.root)
    wrong, right = (
        {"write": SOURCES[language], "text": with_code(language, code)} for code in ("x * y", "x + y")
    )
    repository.agent([wrong], [{"expect": "a/"}, right])

    code, outcome = repository.run("--agent", "actor", timeout=280)

    assert (code, outcome["ending"], outcome["iterations"]) == (0, "verified", 2), outcome
    assert outcome["mark"] == "IMPLEMENTATION_VERIFIED"
