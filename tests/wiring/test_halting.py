"""What a project keeps about halting between its runs."""

from datetime import UTC, datetime

import pytest

from checks.conftest import git, write
from model.halter.test_promotion_gate import a_run
from setpoint.errors import RecordedDataError
from setpoint.model.config.halting import HaltingSettings
from setpoint.model.halter.canary import WatchedRun
from setpoint.model.halter.deployment import Promotion
from setpoint.model.halter.terms import PRIORS, HalterModel
from setpoint.wiring import halting
from setpoint.wiring.halting import active_halting, change_book, halting_book
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


PROMOTED = Promotion(agent="pi 1", policy="first-pass", runs=300, since=datetime(2026, 1, 1, tzinfo=UTC))


def since(monkeypatch, *groups):
    """Let the record hold so many runs, each group assigned to a policy and verified or not."""
    found = tuple(
        WatchedRun(run=a_run(f"{place}", 2), assigned=assigned, verified=verified, wrong=False)
        for count, assigned, verified in groups
        for place in range(count)
    )
    monkeypatch.setattr(halting, "_since", lambda project, promotion: found)


def test_a_canary_becomes_the_rule_after_enough_runs_without_harm(project, monkeypatch):
    change_book(project, lambda book: book.with_promotion(PROMOTED))
    terms = project.settings.model_copy(update={"halting": HaltingSettings(canary_runs=3)})
    since(monkeypatch, (2, "first-pass", True))
    assert active_halting(project, terms).canaries == ("pi 1",)
    since(monkeypatch, (3, "first-pass", True))
    assert active_halting(project, terms).canaries == ()
    assert active_halting(project, terms).book.promotions == {"pi 1": PROMOTED}


def test_harm_ends_a_promotion_for_good_and_says_why(project, monkeypatch):
    change_book(project, lambda book: book.with_promotion(PROMOTED))
    since(monkeypatch, (12, "first-pass", False), (30, "", True))
    found = active_halting(project, project.settings)
    assert found.book.promotions == {}
    assert "0 of 12 runs of first-pass are verified" in found.notices["pi 1"]
    assert halting_book(project).demotions["pi 1"].policy == "first-pass"
    assert active_halting(project, project.settings).notices == {}


def test_without_runs_a_promotion_stays(project):
    change_book(project, lambda book: book.with_promotion(PROMOTED))
    assert active_halting(project, project.settings).canaries == ("pi 1",)
