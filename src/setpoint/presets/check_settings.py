"""What the settings may ask of tools and checks; `settings` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)
from pydantic_core import PydanticCustomError

from setpoint.model.config.earlier import EarlierKeys
from setpoint.model.finding import Severity
from setpoint.model.stories.story import EARLIER_MODES, IntegrityMode
from setpoint.model.value import Value
from setpoint.presets import presets

_REWRITES = (
    "integrity.rewrites_s is ignored: changed tests run as they were and as they are now; "
    "hint: remove the key"
)


class ToolSettings(Value):
    """A tool that Setpoint knows: `checks.TOOL = true`, `false` or `"auto"`, or a table of these."""

    use: bool | Literal["auto"] = "auto"
    """Whether it is used; `auto` where the project uses it ([Checks](checks.md) says how that is told)."""
    args: tuple[str, ...] = ()
    """Arguments added to Setpoint's own."""
    timeout_s: float | None = Field(default=None, gt=0)
    """Seconds it may take; none: `checks.timeout_s`."""
    severity: dict[str, Severity] = {}
    """How bad findings are, by the beginning of their rule; `error` and `critical` block."""


def _spelled(value: object) -> object:
    """Read the short forms of a tool's settings; a variable gives them as text."""
    short: object = {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value
    if isinstance(short, bool) or short == "auto":
        return {"use": short}
    if not isinstance(value, Mapping | ToolSettings):
        raise ValueError("""give true, false, "auto" or a table of options""")  # noqa: TRY004 - pydantic reads it
    return value


class ChecksSettings(Value):
    """What Setpoint measures, and with which interpreter."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Annotated[ToolSettings, BeforeValidator(_spelled)]]

    python: str = ""
    """The project's interpreter; empty: `.venv`, `venv`, `VIRTUAL_ENV`, then `python3`."""
    pytest: bool | Literal["auto"] = "auto"
    """Run the project's tests with pytest; `auto` where tests are found."""
    unittest: bool | Literal["auto"] = "auto"
    """Run them with unittest; `auto` where they are written for it and the project has no pytest."""
    pytest_args: tuple[str, ...] = ()
    """Arguments added to every pytest run."""
    coverage: bool | Literal["auto"] = "auto"
    """Measure coverage with the full suite; `auto`: Python where `coverage` is installed beside pytest, other
    languages always ([Coverage](../how-to/languages.md#coverage))."""
    coverage_goal: float = Field(default=0.80, gt=0, le=1)
    """Share of lines that gives the full mark for coverage."""
    timeout_s: float = Field(default=900.0, gt=0)
    """Seconds one check may take."""
    evaluate_s: float = Field(default=60.0, ge=0)
    """Seconds of tests at `evaluate`, in each round: all where the base needed no more, else what the change
    reaches first; 0: only what failed before."""
    reruns: int = Field(default=2, ge=0, le=5)
    """How often a failing test is run again, alone, before it counts."""
    require_types: bool = True
    """Whether new type errors block."""
    memory_mb: int | None = Field(default=None, ge=128)
    """Address space in MiB of each process of the tests and acceptance commands (Linux); none: unlimited.

    Node, Go and sanitizers reserve far more than they use and break: leave it out where tests start these.
    """
    advice: bool = True
    """Run tools that the project does not use itself, as bandit where it is installed; they never block."""
    own_command: bool = True
    """Run the project's own test command: say where it counts other tests than were read, and where it fails
    though its tests pass ([Your own test command](../how-to/languages.md#your-own-test-command))."""
    git_hooks: bool = True
    """Run your pre-commit hook on the change, in a clone of its own ([commits](../how-to/commits.md))."""
    mutation: bool = False
    """Judge mutants of the changed lines with the full suite; see [Mutation score](../how-to/mutation.md)."""
    mutation_budget_s: float = Field(default=120.0, gt=0)
    """Seconds it may take; mutants not tried by then count neither way."""
    mutation_goal: float | None = Field(default=None, gt=0, le=1)
    """Share of mutants that the tests have to notice; less blocks. None: the score is shown."""

    def tool(self, name: str) -> ToolSettings:
        """Return what is said of a tool that Setpoint knows."""
        return (self.__pydantic_extra__ or {}).get(name, ToolSettings())

    @model_validator(mode="after")
    def _of_known_tools(self) -> Self:
        named = set(self.__pydantic_extra__ or {})
        if named and (unknown := sorted(named - set(presets()))):
            known = ", ".join([*type(self).model_fields, *presets()])
            message = "no check or tool is called '{key}'; there are {known}"
            raise PydanticCustomError("unknown_key", message, {"key": unknown[0], "known": known})
        return self


class IntegritySettings(EarlierKeys):
    """What happens to a change of tests and of the settings of runner and CI."""

    mode: IntegrityMode = IntegrityMode.BOTH
    """`both`: tests of the base run as they were and as they are now; `read-only`: changes are restored."""
    protected: tuple[str, ...] = ()
    """Paths, as globs from the root of the repository, that are always restored."""

    @classmethod
    def today(cls, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Read the values of earlier versions."""
        notices = [_REWRITES] if "rewrites_s" in given else []
        if (mode := given.get("mode")) in EARLIER_MODES:
            notices.append(f"integrity.mode '{mode}' is read as 'both'; hint: write 'both' or 'read-only'")
        return {key: value for key, value in given.items() if key != "rewrites_s"}, notices


class FailuresSettings(Value):
    """How red tests are explained, and which of them do not count for a while."""

    localise_s: float = Field(default=20.0, ge=0)
    """Seconds for finding the lines at fault where tests are red; 0 switches it off."""
    quarantine_after: int = Field(default=2, ge=0)
    """Runs in which a test was flaky before it goes into quarantine by itself; 0: never."""
    quarantine_days: int = Field(default=14, ge=1, le=365)
    """Days after which a quarantine ends and the test counts again."""
    quarantine_file: str = ""
    """File of the tests in quarantine, from the root of the repository; empty: in the state directory."""
