"""What a project keeps about halting between its runs."""

import pytest

from checks.conftest import git, write
from setpoint.errors import RecordedDataError
from setpoint.model.halter.terms import PRIORS, HalterModel
from setpoint.wiring.halting import change_book, halting_book
from setpoint.wiring.project import open_project


@pytest.fixture
def project(tmp_path):
    write(tmp_path, {"a.py": "x = 1\n"})
    git(tmp_path, "init", "-q")
    return open_project(tmp_path)


def test_without_a_file_every_agent_has_the_priors(project):
    assert halting_book(project).model_for("pi 1") == PRIORS


def test_weights_are_found_by_agent_and_version_alone(project):
    model = HalterModel(agent="pi 1", runs=30)
    change_book(project, lambda book: book.with_model(HalterModel(agent="pi 1", runs=20)))
    change_book(project, lambda book: book.with_model(model))
    assert halting_book(project).model_for("pi 1") == model
    assert halting_book(project).model_for("pi 2") == PRIORS


def test_the_id_follows_from_the_content():
    one = HalterModel(agent="pi 1", runs=30)
    assert one.id == HalterModel(agent="pi 1", runs=30).id
    assert one.id != HalterModel(agent="pi 1", runs=31).id
    assert PRIORS.id == ""


def test_a_file_that_cannot_be_read_is_named_with_what_to_do(project):
    (project.state / "halting.json").write_text('{"models": {"pi": 3}}')
    with pytest.raises(RecordedDataError, match=r"halting\.json: models\.pi: ") as raised:
        halting_book(project)
    assert "move the file away" in raised.value.hint
