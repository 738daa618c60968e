"""The only reader of configuration files and of the environment.

Values are taken, strongest first, from flags, `SETPOINT_*` variables (`SETPOINT_LIMITS__MAX_ITERATIONS=3`),
`setpoint.toml`, or `[tool.setpoint]` in `pyproject.toml`, and the defaults below.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
    field_validator,
)

from setpoint.errors import SettingsError
from setpoint.model.changes.branch_name import BranchPrefix
from setpoint.model.config.custom_check import CHECK_NAME, OWN_CHECKS, CustomCheck, refuse_unknown_formats
from setpoint.model.config.database_url import DatabaseUrl, refuse_password
from setpoint.model.config.delivery import DeliverySettings
from setpoint.model.config.forge import ForgeSettings
from setpoint.model.config.hooks import HookSettings
from setpoint.model.config.layers import holds, overlaid
from setpoint.model.config.limits import BoardLimits, Limits
from setpoint.model.config.local_needs import CopySettings, EnvironmentSettings
from setpoint.model.config.mcp import McpSettings
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.config.model_price import ModelPrice
from setpoint.model.config.notice_target import NoticeTarget
from setpoint.model.config.production import ProductionTerms
from setpoint.model.config.reviewer_terms import ReviewerTerms
from setpoint.model.config.sandbox import Means, SandboxSettings
from setpoint.model.config.self_check import SelfCheckSettings
from setpoint.model.config.sonarqube import SonarQubeServer
from setpoint.model.config.telemetry import TelemetrySettings
from setpoint.model.cover import CoverGoals
from setpoint.model.gate import Escalation
from setpoint.model.goals import Goals
from setpoint.model.halting_worth import HaltingWorth
from setpoint.model.product import Shown
from setpoint.model.proof import ProofTerms
from setpoint.model.quality import WEIGHTS, QualityVector
from setpoint.model.stories.story import KnownRed
from setpoint.model.value import Value
from setpoint.presets import presets
from setpoint.presets.check_settings import ChecksSettings, FailuresSettings, IntegritySettings
from setpoint.presets.classic import CLASSIC

SETTINGS_VERSION = 3
"""Raised whenever a setting is removed, renamed or read otherwise; an order records it."""
MOST_CANDIDATES = 8
_PREFIX = "SETPOINT_"
_NOT_SETTINGS = "SETPOINT_REPORT_"  # with which Setpoint talks to its own report plugin
_KNOWN = "; the settings are listed by `setpoint doctor --settings` and in docs/reference/settings.md"
_UNION_MEMBER = re.compile(r"(literal|str-enum|function-\w+|is-instance)\[|shown-|bool$")
"""What pydantic adds to the place of an error to say which kind of value it tried."""


class AgentsSettings(Value):
    """Who plays which role: an agent's name, `auto` for the first that works, `rules` for the built-in."""

    maker: str = "auto"
    """Changes the work copy."""
    reviewer: str = "rules"
    """Judges the change."""
    planner: str = "rules"
    """Writes the plan."""
    researcher: str = "rules"
    """Looks at the project before the plan."""
    tester: str = ""
    """Explains failing tests to the maker between two rounds; empty: nobody, what was measured is enough."""
    test_designer: str = "maker"
    """Writes hidden tests: an agent with a model; `maker`: the maker's own program in a session of its own;
    `rules`: nobody. In pipelines with such a phase it says which tests are to be written.
    """
    reflector: str = "rules"
    """Looks back at a run and says what is worth remembering."""
    reviews: tuple[str, ...] = ()
    """Kinds of review, asked at once: code, spec, security, product; empty: those of the pipeline (code)."""
    reviewers: dict[str, str] = {}
    """Who reviews by kind, for example `{ security = "codex" }`; the other kinds go to `reviewer`."""
    next_reviewers: tuple[str, ...] = ()
    """Who reviews, in turn, where a reviewer gives no answer; empty: after `auto` the rest of `order`."""
    next_makers: tuple[str, ...] = ()
    """Who takes over, in turn, where the maker stays broken; empty: after `auto` the rest of `order`."""
    hand_over: bool = True
    """Whether another agent takes over from a maker that stays broken; otherwise the run asks or ends."""
    other_vendor: bool = False
    """Reviewers must be of another vendor than the maker; those that are built in always are."""
    candidates: tuple[str, ...] = ()
    """Makers that try the same work at once, each in a work copy of its own; the best by evidence goes on."""
    attempts: int = Field(default=1, ge=1, le=MOST_CANDIDATES)
    """How many candidates there are: of the maker, or of `candidates` in turn."""
    candidates_at_once: int = Field(default=2, ge=1)
    """How many of them work at the same time."""
    order: tuple[str, ...] = (
        "claude", "claude-cli", "codex", "codex-cli", "gemini", "gemini-cli", "copilot",
        "opencode", "opencode-cli", "qwen", "vibe", "mechanic",
    )  # fmt: skip
    """The order in which `auto` tries agents; the mechanic only where failing tests are to be repaired."""
    fixers: tuple[tuple[str, ...], ...] = ()
    """Commands that mend a tree in place, for the mechanic; `{workdir}` is replaced by a copy's path."""
    wall_s: float = Field(default=1800.0, gt=0)
    """Seconds one attempt may take."""
    idle_s: float = Field(default=600.0, gt=0)
    """Seconds an agent may stay silent."""
    proxy: bool = False
    """Whether agents call their models through a proxy on this machine that counts every call."""


class CustomAgent(Value):
    """An agent of your own, under `[agent.NAME]`."""

    command: tuple[str, ...] = ()
    """Program and arguments; `{prompt}` and `{workdir}` are replaced, else standard input gets the prompt.

    May be left out where NAME is an agent Setpoint knows: what is not stated then stays as it is.
    """
    protocol: Literal["command", "acp", "model"] | None = None
    """How Setpoint talks to it; none: as with a known agent of that name, else `command`; `model`: by API."""
    model: str = ""
    """Model it works with, in its own words; over ACP one of those it offers. Empty: its default.

    For `model`: provider and model; openai, openai-responses, anthropic, google: `openai:gpt-5-mini`.
    """
    base_url: str = ""
    """For `model`: where it is asked, as in `http://127.0.0.1:11434/v1`; empty: at the provider's own."""
    api_key_env: str = ""
    """For `model`: the variable that holds its key; empty: the provider's usual one."""
    vendor: str = ""
    """Whose models it uses, for `agents.other_vendor`; empty: its name."""
    mode: str = ""
    """Mode its sessions are put into, for agents that offer modes over ACP; empty: its default."""
    environment: dict[str, str] = {}
    """Variables it gets on top of the allowed ones."""
    pass_environment: tuple[str, ...] = ()
    """Variables it gets from Setpoint's environment (`AWS_*` names several); all layers add to the list."""
    proxy: bool | None = None
    """Whether its calls of models are counted by the recording proxy; none: as `agents.proxy` says."""
    base_urls: dict[str, str] = {}
    """Variables that hold the address of its model, with the address that holds where they are not set."""
    quirks: dict[str, str] = {}
    """Where it departs from the protocol: `usage_scope`, `update_meta`, `tool_name_meta` and others."""
    sandbox: Means | None = None
    """What holds it: auto, landlock, bwrap or none; not stated: `sandbox.agents`."""
    writes: tuple[str, ...] = ()
    """Folders (ending with `/`, made where missing) and files outside the work copy it may write to.

    `~` is its home, `$NAME` a variable of its environment. Those of an agent Setpoint knows are added to."""


class Settings(Value):
    """Every setting with its default."""

    model_config = ConfigDict(populate_by_name=True)

    preset: Literal["default", "classic"] = "default"
    """Limits where none is given: `default` (measured) or `classic` (the five designs' numbers)."""
    agents: AgentsSettings = AgentsSettings()
    """Who plays which role, and how long an attempt may take."""
    agent: dict[str, CustomAgent] = {}
    """Agents of your own, by name."""
    price: dict[str, ModelPrice] = {}
    """Your own prices by model, or by a pattern such as `claude-*`; they go before the table's."""
    sandbox: SandboxSettings = SandboxSettings()
    """What keeps the processes of agents, and of checks, from changing what is not theirs."""
    copied: CopySettings = Field(default=CopySettings(), alias="copy")
    """What copies of the project hold beside what git holds."""
    environment: EnvironmentSettings = EnvironmentSettings()
    """Which variables of your own shell are handed on."""
    delivery: DeliverySettings = DeliverySettings()
    """Who the author of delivered commits is."""
    hooks: HookSettings = HookSettings()
    """How hooks check the work of your own agent, and commits."""
    mcp: McpSettings = McpSettings()
    """What your own agent may do with the tools of `setpoint mcp`."""
    self_check: SelfCheckSettings = SelfCheckSettings()
    """What makers may ask about their own work before they end their turn."""
    reviewers: ReviewerTerms = ReviewerTerms()
    """Which reviewers may send work back."""
    limits: Limits = Limits()
    """Every bound of a run."""
    halting: HaltingWorth = HaltingWorth()
    """What outcomes are worth."""
    escalation: Escalation = Escalation()
    """What becomes of a run that a guard stops or that wants a person."""
    proof: ProofTerms = ProofTerms()
    """What must be proved before a run ends as verified."""
    show: tuple[Shown, ...] = ()
    """Commands whose output is shown before and after, as in `["python -m app export"]`, and pages, as in
    `[{ start = "python -m http.server 8000", page = "http://127.0.0.1:8000/" }]`."""
    goals: Goals = Goals()
    """The quality that a change has to reach, by metric."""
    checks: ChecksSettings = ChecksSettings()
    """What Setpoint measures."""
    sonarqube: SonarQubeServer = SonarQubeServer()
    """A server that analyses, too."""
    plugins: tuple[str, ...] = ()
    """Plug-ins of other packages to use, by name; those that come with Setpoint are on."""
    check: dict[str, CustomCheck] = {}
    """Tools of your own, by name."""
    integrity: IntegritySettings = IntegritySettings()
    """What happens to a change of tests and of the settings of runner and CI."""
    failures: FailuresSettings = FailuresSettings()
    """How red tests are explained, and which of them do not count for a while."""
    memory: MemoryTerms = MemoryTerms()
    """What runs take from memory and put into it."""
    board: BoardLimits = BoardLimits()
    """How the board is worked off."""
    cover: CoverGoals = CoverGoals()
    """Which files are to be covered by tests, and how well; `setpoint cover` names them."""
    production: ProductionTerms = ProductionTerms()
    """What becomes of signals from production."""
    telemetry: TelemetrySettings = TelemetrySettings()
    """Who is told of runs that have ended."""
    notify: dict[str, NoticeTarget] = {}
    """Who gets a notice when a run asks, is verified or has stopped, by a name of your own."""
    forge: ForgeSettings = ForgeSettings()
    """The forge on which people work with Setpoint: GitHub or Forgejo."""
    weights: dict[str, float] = WEIGHTS
    """Weights of the quality score, by metric."""
    known_red: KnownRed | Literal["auto"] = "auto"
    """Tests that fail at the base: `fix`, `tolerate`, or `auto` (fix if the story speaks of them)."""
    pipeline: str = "change"
    """Name of the pipeline, or path of a TOML file."""
    branch_prefix: BranchPrefix = "setpoint/"
    """What the delivered branch's name begins with."""
    database: DatabaseUrl = ""
    """URL of a Postgres database for the record (docs/how-to/database.md), here without its password."""
    shared_repository: str = ""
    """Bare repository, by URL, path or remote, by which machines that share a `database` pass runs on."""
    state_dir: str = ".setpoint"
    """Where Setpoint keeps its state, from the root of the repository."""
    cache_dir: str = ""
    """Where work copies and measured copies lie; empty: `setpoint` in your cache folder (`~/.cache`)."""
    hidden_dir: str = ""
    """Where hidden tests of all projects lie; empty: a folder of your user's in `/var/tmp`."""
    stories_dir: str = ""
    """Where stories lie; empty: `stories` in the state directory."""

    @property
    def notices(self) -> tuple[str, ...]:
        """Say which settings of earlier versions were read otherwise or ignored."""
        tables = (self.integrity, self.proof, self.halting, self.memory)
        return tuple(note for each in tables for note in each.notices)

    @field_validator("check")
    @classmethod
    def _of_their_own(cls, check: dict[str, CustomCheck], info: ValidationInfo) -> dict[str, CustomCheck]:
        taken = {*OWN_CHECKS, *presets()}
        if wrong := sorted(name for name in check if not CHECK_NAME.fullmatch(name) or name in taken):
            raise ValueError(f"a tool of your own cannot be called {', '.join(wrong)}")
        refuse_unknown_formats(check, info.data.get("plugins", ()))
        reports = [each.report for each in check.values() if each.report]
        if twice := sorted({report for report in reports if reports.count(report) > 1}):
            raise ValueError(f"two tools cannot write the same report: {', '.join(twice)}")
        return check

    @field_validator("weights")
    @classmethod
    def _of_metrics(cls, weights: dict[str, float]) -> dict[str, float]:
        known = [
            name for name, field in QualityVector.model_fields.items() if field.annotation == float | None
        ]
        if unknown := sorted(set(weights) - set(known)):
            raise ValueError(f"no metric is called {', '.join(unknown)}; there are {', '.join(known)}")
        if wrong := sorted(name for name, weight in weights.items() if weight < 0):
            raise ValueError(f"a weight is a number from 0 upwards: {', '.join(wrong)}")
        return weights


class _Sources(NamedTuple):
    """Where values came from, strongest first."""

    flags: Mapping[str, Any]
    environment: Mapping[str, Any]
    file: Path | None
    table: Mapping[str, Any]
    """What the file says."""

    def name_of(self, place: list[str]) -> str:
        """Name the source that gave the value at a place, as its user knows it."""
        key = ".".join(place)
        if holds(self.flags, place):
            return f"flag for '{key}'"
        if holds(self.environment, place):
            return f"environment variable {_PREFIX}{'__'.join(place).upper()}"
        section = " [tool.setpoint]" if self.file is not None and self.file.name == "pyproject.toml" else ""
        return f"{self.file}{section}, key '{key}'"


def load(
    root: Path, flags: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Read the settings of the project at `root`; a wrong key or value is named with its source."""
    source, from_file = _from_file(root)
    refuse_password(from_file.get("database", ""), source)
    from_environment = _from_environment(os.environ if environment is None else environment)
    merged = overlaid(overlaid(from_file, from_environment), flags or {})
    if merged.get("preset") == "classic" and isinstance(given := merged.get("limits", {}), Mapping):
        merged["limits"] = {**CLASSIC, **given}
    try:
        return Settings(**merged)
    except ValidationError as error:
        raise _explained(error, _Sources(flags or {}, from_environment, source, from_file)) from None


def inherited(names: Iterable[str]) -> dict[str, str]:
    """Return the named variables that Setpoint's own environment holds; `AWS_*` names several."""
    return {name: os.environ[name] for each in names for name in fnmatch.filter(os.environ, each)}


def whole_environment() -> dict[str, str]:
    """Return all of Setpoint's own environment, for another process of Setpoint that works in its place."""
    return dict(os.environ)


def _from_file(root: Path) -> tuple[Path | None, dict[str, Any]]:
    own = root / "setpoint.toml"
    if own.is_file():
        return own, _toml(own)
    project = root / "pyproject.toml"
    if project.is_file():
        tools = _toml(project).get("tool", {})
        table = tools.get("setpoint", {}) if isinstance(tools, dict) else {}
        if not isinstance(table, dict):
            message = f"{project}: 'tool.setpoint' is no table (got {table!r})"
            raise SettingsError(message, hint="write the settings below a line [tool.setpoint]")
        return project, table
    return None, {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"{path}: not valid TOML: {error}"
        raise SettingsError(message, hint="correct the line named above") from None


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """Read the variables one by one, so that a wrong one can be named."""
    found: dict[str, Any] = {}
    for name, value in sorted(environment.items()):
        if name.upper().startswith(_PREFIX) and not name.upper().startswith(_NOT_SETTINGS):
            found = overlaid(found, _from_variable(name, value))
    return found


def _from_variable(name: str, value: str) -> dict[str, Any]:
    key = name[len(_PREFIX) :].lower()
    table = key.split("__")[0]
    if table not in {field.alias or each for each, field in Settings.model_fields.items()}:
        message = f"environment variable {name}: no setting is called '{key.replace('__', '.')}'"
        raise SettingsError(message, hint=f"correct or remove the variable{_KNOWN}")
    # It takes as long to import as most verbs take to start, and few users set a variable.
    from pydantic_settings import BaseSettings, EnvSettingsSource  # noqa: PLC0415 - see above
    from pydantic_settings import SettingsError as UnreadableVariable  # noqa: PLC0415 - see above

    bases: tuple[type[BaseModel], ...] = (BaseSettings, Settings)
    known = cast("type[BaseSettings]", create_model("Settings", __base__=bases))
    source = EnvSettingsSource(known, env_prefix=_PREFIX, env_nested_delimiter="__")
    source.env_vars = {name.lower() if table in Settings.model_fields else key: value}  # an alias: no prefix
    try:
        given = {field: found for field, found in source().items() if found not in (None, {})}
        return {**given, "checks": _with_lists(given["checks"])} if "checks" in given else given
    except (UnreadableVariable, json.JSONDecodeError):
        message = f"environment variable {name}: a list or table has to be written as JSON (got {value!r})"
        hint = f"""for example '["one", "two"]' or '{{"key": 1}}'{_KNOWN}"""
        raise SettingsError(message, hint=hint) from None


def _with_lists(given: Any) -> Any:  # noqa: ANN401 - what a variable says, before it is checked
    """Read the JSON in the tables of the tools, where pydantic has no field."""
    if isinstance(given, Mapping):
        return {key: _with_lists(inner) for key, inner in given.items()}
    return json.loads(given) if isinstance(given, str) and given.startswith(("[", "{")) else given


def _explained(error: ValidationError, sources: _Sources) -> SettingsError:
    lines = []
    for detail in error.errors():
        place = [str(part) for part in detail["loc"] if not _UNION_MEMBER.match(str(part))]
        if detail["type"] == "unknown_key":
            place.append(str(detail["ctx"]["key"]))
        got = "" if place == ["database"] else f" (got {detail.get('input')!r})"  # no password
        lines.append(f"{sources.name_of(place)}: {detail['msg'].lower()}{got}")
    return SettingsError("\n".join(dict.fromkeys(lines)), hint=f"correct or remove the key{_KNOWN}")
