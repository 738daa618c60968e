"""What plug-ins add to a run: recorded with its order, loaded as recorded, refused where one is gone."""

from datetime import UTC, datetime

import pytest

from checks.conftest import git, write
from model.examples import ORDER
from setpoint.app.production.signals import ProductionRecord, ingest_payload
from setpoint.app.runs.order import make_order
from setpoint.errors import NoUsableAgent, UsageError
from setpoint.model.ids import StoryId
from setpoint.model.run import EnabledPlugin
from setpoint.model.stories.story import Story
from setpoint.plugins import Group, Plugin
from setpoint.wiring import plugins
from setpoint.wiring.agents import agents_of
from setpoint.wiring.project import open_project

MODULE = """
from datetime import UTC, datetime
from setpoint.model.config.custom_check import CustomCheck, ReportFormat
from setpoint.model.ids import StoryId
from setpoint.model.production import Signal, digest
from setpoint.pipelines import load_pipeline
from setpoint.ports.metric import PluggedMetric
from importlib import resources

def tidy():
    return CustomCheck(command=("tidy",), format=ReportFormat.SARIF)

def unread():
    return CustomCheck(command=("tidy",), format="colours")

def colons(text, tree):
    return []

ROUNDS = PluggedMetric(definition="Rounds.", unit="per run", of_run=len)

def guard(past):
    return None

class Place:
    def __init__(self, folder):
        self.folder = folder

def broken(folder):
    raise OSError("no network")

PIPELINE = resources.files("setpoint.pipelines").joinpath("change.toml").read_text().replace(
    'name = "change"', 'name = "short"', 1)

def signals(body):
    if body == b"bad":
        raise ValueError("not ours")
    if body == b"odd":
        return ["a text"]
    return [Signal(source="s", id="1", fingerprint=digest("s"), severity="error", title=body.decode(),
                   occurred_at=datetime.now(UTC))]
"""
ENTRIES = {
    Group.CHECKS: {"tidy": "tidy", "pytest": "tidy", "odd": "unread"},
    Group.FORMATS: {"colons": "colons", "sarif": "colons"},
    Group.METRICS: {"rounds": "ROUNDS"},
    Group.GUARDS: {"careful": "guard"},
    Group.HALTING: {"mine": "guard"},
    Group.PIPELINES: {"short": "PIPELINE"},
    Group.MEMORY: {"shared": "Place"},
    Group.FORGES: {"hub": "Place", "lab": "broken"},
    Group.SIGNALS: {"pager": "signals"},
}
NAMES = (
    "tidy", "pytest", "odd", "colons", "sarif", "rounds",
    "careful", "mine", "short", "shared", "lab", "hub", "pager",
)  # fmt: skip


def found(version="1.2"):
    return tuple(
        Plugin(group=group, name=name, distribution="kit", version=version, target=f"kit_for_tests:{target}")
        for group, targets in ENTRIES.items()
        for name, target in targets.items()
    )


@pytest.fixture
def kit(install):
    """A package that brings one of each, installed in Setpoint's environment."""
    return install("kit_for_tests", MODULE, ENTRIES)


@pytest.fixture
def root(tmp_path, monkeypatch):
    place = tmp_path / "project"
    write(place, {"a.py": "x = 1\n", "setpoint.toml": f'plugins = {list(NAMES)}\npipeline = "short"\n'})
    git(place, "init", "-q")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "base")
    monkeypatch.setenv("SETPOINT_AGENTS__MAKER", "mechanic")
    return place


def test_an_order_records_what_it_uses_and_notes_what_it_leaves_out(kit, root):
    project = open_project(root)
    made = make_order(project, Story(id=StoryId("s"), title="t"))
    project.store.close()
    assert {(each.group, each.name) for each in made.plugins} == {
        ("setpoint.checks", "tidy"),
        ("setpoint.guards", "careful"),
        ("setpoint.halting", "mine"),
        ("setpoint.pipelines", "short"),
        ("setpoint.memory", "shared"),
        ("setpoint.forges", "lab"),
        ("setpoint.signals", "pager"),
        ("setpoint.formats", "colons"),
    }
    assert {(each.package, each.version) for each in made.plugins} == {("kit", "1.2")}
    assert made.pipeline.name == "short"
    assert '"tidy":{"command":["tidy"]' in made.settings
    notes = "\n".join(made.notes)
    assert "plug-in 'pytest' is left out: no check of a plug-in can be called 'pytest'" in notes
    assert "plug-in 'sarif' is left out: no format of a plug-in can be called 'sarif'" in notes
    assert "plug-in 'odd' is left out: neither Setpoint nor an enabled plug-in reads its format" in notes
    assert '"odd":' not in made.settings
    assert "plug-in 'hub' is left out: a run uses one of setpoint.forges, and 'lab' comes first" in notes
    assert "plug-in 'careful' (setpoint.guards): kit 1.2" in notes


def test_a_run_loads_what_its_order_names_alone(kit, tmp_path):
    used, _ = plugins.enabled(("careful", "shared", "lab"))
    extensions = plugins.extensions_of(ORDER.model_copy(update={"plugins": used}))
    assert list(extensions.guards) == ["careful"]
    assert plugins.memory_by(extensions, tmp_path).folder == tmp_path
    with pytest.raises(UsageError, match="plug-in 'lab' cannot make its forge: OSError: no network"):
        plugins.forge_by(extensions, tmp_path)
    assert plugins.extensions_of(ORDER) == plugins.Extensions()
    assert plugins.forge_by(plugins.Extensions(), tmp_path) is None


def test_another_version_is_told_and_one_that_is_gone_ends_the_resumption():
    frozen = EnabledPlugin(group="setpoint.guards", name="careful", package="kit", version="1.2")
    ordered = ORDER.model_copy(update={"plugins": (frozen,)})
    assert plugins.changed(ordered, found()) == ""
    assert plugins.changed(ordered, found("1.3")) == "plug-in 'careful' is of kit 1.3, before 1.2"
    with pytest.raises(UsageError, match=r"plug-in 'careful' of kit 1\.2 is gone") as refused:
        plugins.changed(ordered, ())
    assert refused.value.hint == "install kit==1.2 beside Setpoint, or begin a new run"


def test_a_check_of_the_settings_goes_before_that_of_a_plug_in(kit, root):
    (root / "setpoint.toml").write_text(
        'plugins = ["tidy"]\n[check.tidy]\ncommand = ["own"]\nformat = "sarif"\n'
    )
    project = open_project(root)
    project.store.close()
    assert project.settings.check["tidy"].command == ("own",)


def test_a_message_is_read_by_the_plug_in_that_is_named(kit, root):
    project = open_project(root)
    book = ProductionRecord(project)
    assert len(ingest_payload(book, "pager", b"It fails").new) == 1
    (sighting,) = book.now().sightings.values()
    assert sighting.signal.title == "It fails"
    assert sighting.signal.occurred_at <= datetime.now(UTC)
    for name, body, reason in (
        ("pager", b"bad", "plug-in 'pager' cannot read the message: ValueError: not ours"),
        ("pager", b"odd", "plug-in 'pager' read a str, not a signal"),
        ("other", b"", "no enabled plug-in reads signals of 'other'"),
    ):
        with pytest.raises(UsageError, match=reason):
            ingest_payload(book, name, body)
    project.store.close()


def test_an_agent_whose_plug_in_is_broken_is_named_with_the_reason(install, root):
    install("kit_for_agents", "raise RuntimeError('bad build')\n", {Group.AGENTS: {"parrot": "Parrot"}})
    (root / "setpoint.toml").write_text('plugins = ["parrot"]\n')
    project = open_project(root)
    with pytest.raises(
        NoUsableAgent, match=r"'parrot' cannot be used: .* RuntimeError: bad build"
    ) as refused:
        agents_of(project, project.settings).make("parrot")
    project.store.close()
    assert refused.value.hint.startswith("update or uninstall kit")
