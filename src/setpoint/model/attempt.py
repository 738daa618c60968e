"""What an agent is asked, and what it was seen to do."""

from __future__ import annotations

import re
from enum import StrEnum

from pydantic import Field

from setpoint.model.answers.change_request import ChangeRequest
from setpoint.model.evidence import Failure, Suspect
from setpoint.model.finding import Finding, Note
from setpoint.model.ids import Artifact
from setpoint.model.learning import Recollection
from setpoint.model.stories.story import Story
from setpoint.model.suite_command import SuiteCommand
from setpoint.model.tool_server import ToolServer
from setpoint.model.value import Instant, Text, Usd, Value

_CHANGED = re.compile(r"^(?:\+\+\+ b|--- a)/(.+)$", re.MULTILINE)


class Role(StrEnum):
    """The part an agent plays in a run."""

    RESEARCHER = "researcher"
    PLANNER = "planner"
    MAKER = "maker"
    REVIEWER = "reviewer"
    TESTER = "tester"
    """Explains failing tests to the maker."""
    TEST_DESIGNER = "test_designer"
    """Says which tests are to be written in pipelines that have such a phase; else it writes hidden tests."""
    REFLECTOR = "reflector"
    """Looks back at a run and says what is worth remembering."""


class Mode(StrEnum):
    """How a maker is asked."""

    FRESH = "fresh"
    """The first round: the story and the plan."""
    FIX = "fix"
    """Open findings and failures of the last round."""
    RESTART = "restart"
    """A fresh context from the best state, told what was tried."""


class Tried(Value):
    """One earlier attempt, as the maker is told about it."""

    iteration: int
    diff: str
    """The change it made, as a unified diff; empty where it changed nothing."""
    outcome: str
    """What came of it, in one line."""

    @property
    def files(self) -> tuple[str, ...]:
        """Return the paths that the change names."""
        return tuple(dict.fromkeys(_CHANGED.findall(self.diff)))


class AttemptLimits(Value):
    """What one attempt may use."""

    wall_s: float = 1800.0
    """Seconds from start to end."""
    idle_s: float = 600.0
    """Seconds without any sign of life."""
    cost_usd: Usd | None = None
    """Money left for it, where the run has a budget."""
    tokens: int | None = None
    """Tokens left for it, in and out, where the run limits them."""
    same_calls: int | None = None
    """The same tool call with the same result so often in a row ends the turn; none for no limit."""

    @property
    def nothing_left(self) -> bool:
        """Whether money or tokens are used up, so that no model can be paid for."""
        broke = self.cost_usd is not None and self.cost_usd <= 0
        return broke or (self.tokens is not None and self.tokens <= 0)


class Brief(Value):
    """All that an agent is given for one attempt: the prompt, and the same facts as data."""

    role: Role
    mode: Mode = Mode.FRESH
    session: str
    """Attempts with the same session share the agent's context; a restart opens a new one."""
    label: str
    """Names the attempt within its run, for example `implement-2`."""
    prompt: str
    """The text for agents that read text."""
    prompt_version: str = Field(default="", exclude=True)
    """Digest of the template and the shape of the answer that the prompt was made from."""
    workdir: str
    """The work copy's root; the agent works there and nowhere else."""
    python: str = ""
    """The project's own interpreter; empty where the project has none."""
    environment: dict[str, str] = {}
    """Variables with which commands run as the checks do; `{workdir}` stands for the work copy.

    `PATH` holds the folders that come before all others.
    """
    story: Story
    findings: tuple[Finding, ...] = ()
    """Open findings, worst first."""
    failures: tuple[Failure, ...] = ()
    """Failing tests that count, with their root causes."""
    suspects: tuple[Suspect, ...] = ()
    """Lines that failing tests reach more than passing ones do, the most suspicious first."""
    suite_commands: tuple[SuiteCommand, ...] = Field(default=(), exclude=True)
    """Calls of the runners of tests in other languages than Python."""
    tried: tuple[Tried, ...] = ()
    diff: str = ""
    """The change under review, for reviewers."""
    review: str = ""
    """Kind of the review, for reviewers."""
    requests: tuple[ChangeRequest, ...] = ()
    """Leave that the maker asks for, where a reviewer is asked about it."""
    recalled: tuple[Recollection, ...] = ()
    """What earlier runs and people taught that fits, as it stands in the prompt."""
    notes: tuple[Note, ...] = ()
    """What the change under review shows, for reviewers; it decides nothing."""
    contradicted: tuple[Text, ...] = ()
    """Tests of the base that the change under review contradicts, for reviewers."""
    self_check: tuple[str, ...] = ()
    """Command of a server of the Model Context Protocol that offers `setpoint_check`, for a maker.

    `{workdir}` stands for the work copy. Empty: it has no such tool.
    """
    tool_servers: tuple[ToolServer, ...] = Field(default=(), exclude=True)
    """Servers of tools that the person approved and the agent does not start by itself."""
    evidence: dict[str, str] = Field(default={}, exclude=True)
    """Files that the prompt names, by their names in `.setpoint/evidence/` of the work copy."""
    answer: type[Value] | None = Field(default=None, exclude=True)
    """The shape of the JSON object it has to answer with; none for text.

    The prompt asks for it too, for agents that read nothing else.
    """
    limits: AttemptLimits = AttemptLimits()


class ToolCall(Value):
    """One call of a tool by an agent, as far as it could be observed."""

    id: Text
    """The agent's own identifier, unique within the attempt."""
    name: Text
    """The tool's name, or its kind where the agent does not tell."""
    kind: str = "other"
    """read, edit, delete, move, search, execute, think, fetch, switch_mode or other (ACP's kinds)."""
    title: Text = ""
    """What it did, in the agent's words; shown, never believed."""
    ok: bool | None = None
    """Whether it succeeded; none where the agent did not say."""
    refused: Text = ""
    """Why Setpoint did not allow it, and what the agent can do instead; empty where it did."""
    duration_s: float | None = None
    files: tuple[Text, ...] = ()
    """Paths it touched, as the agent reports them."""
    result_hash: str = ""
    """Hash of input and result: the same call with the same result is recognised by it; empty if untold."""


NOT_REACHED = "not reached"
"""How the fault of a call of a model begins that never came to it."""
CUT_OFF = "ended with the attempt"
"""The fault of a call of a model that had not been answered in full when its attempt ended."""


class ModelCall(Value):
    """One call of a model, as the recording proxy saw it pass; neither keys nor texts are kept."""

    api: str
    """The dialect: openai-chat, openai-responses, anthropic or gemini; `other` where no model answers."""
    path: Text
    """The path that was asked for, without its query."""
    tools: bool | None = None
    """Whether the request offers the model tools; none where that was not looked at."""
    model: str = ""
    """As the answer names it, else as it was asked for."""
    status: int
    """Of the answer; 0 where none came."""
    duration_s: float
    """Seconds from the request to the end of the answer."""
    input_tokens: int | None = None
    """All tokens read, those from a cache included; none where the answer does not tell."""
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    cost_usd: Usd | None = None
    """None where no price is known."""
    priced_by: str = ""
    """`user` (a price of the settings) or the price table; empty where no price is known."""
    fault: Text = ""
    """Why no whole answer came."""
    retry_after_s: float | None = None
    """Seconds after which the provider allows another call, where it said so."""


class Usage(Value):
    """What an attempt cost."""

    input_tokens: int | None = None
    """All tokens read, those from a cache included."""
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """Those of the input that came from a cache."""
    cache_write_tokens: int | None = None
    """Those of the input that were put into a cache."""
    cost_usd: Usd | None = None
    """None where neither the agent nor a price table could tell."""
    scope: str = "unknown"
    """What the figures cover: turn, session, last_call, none (no model was called) or unknown."""
    model: str = ""
    """The model that used the tokens, as far as it is known; several are joined by a comma."""
    tokens_by: str = ""
    """Who counted the tokens: `agent`, `proxy` or `setpoint`; empty where nobody did."""
    priced_by: str = ""
    """Where the cost is from: `agent` (it told dollars), `user` (a price of the settings), or the table."""
    at_least: bool = False
    """The cost is a lower bound: some of what was used could not be priced."""
    duration_s: float | None = None
    """Seconds that the agent worked, tries added up; none in older records."""


class Stop(StrEnum):
    """Why an attempt ended; none of them says that the work is done."""

    END_TURN = "end_turn"
    MAX_TOKENS = "max_tokens"
    MAX_TURNS = "max_turn_requests"
    REFUSAL = "refusal"
    CANCELLED = "cancelled"
    BROKEN = "broken"


RULES = "rules"
"""The agent that works by rule, in every role but the maker's; it writes no tests from a request."""
NEXT_REVIEWER = "next reviewer "
"""Begins the roles of reviewers that are asked, in turn, where another gave no answer."""
NEXT_MAKER = "next maker "
"""Begins the roles of agents that take over, in turn, where the maker stays broken."""
BY_RULE = f"{NEXT_REVIEWER}by rule"
"""The role of the reviewer that is left where no other gave an answer."""


class BreakageKind(StrEnum):
    """How an agent broke; breakage is neither failure of the work nor progress."""

    MISSING = "missing"
    CRASH = "crash"
    TIMEOUT = "timeout"
    IDLE = "idle"
    PROTOCOL = "protocol"
    AUTH = "auth"
    RATE_LIMIT = "rate_limit"
    OVERLOAD = "overload"
    """The provider of the model has no room for now."""
    NETWORK = "network"
    """No connection to the provider of the model."""
    OVERFLOW = "overflow"
    """The conversation is longer than the model can read."""
    SESSION = "session"
    """The agent does not know the session any more."""
    MODEL = "model"
    BUDGET = "budget"
    """Nothing is left to pay a model with, so it was not started."""


PASSING = frozenset({BreakageKind.RATE_LIMIT, BreakageKind.OVERLOAD, BreakageKind.NETWORK})
"""Breakages outside of the agent that end by themselves."""


class Breakage(Value):
    """What broke, where and how to mend it."""

    kind: BreakageKind
    message: Text
    wait_s: float | None = Field(default=None, ge=0)
    """Seconds until a limit is lifted, where the provider said so."""
    status: int | None = None
    """Status of HTTP behind it, where one is known; 403 also for an error that says as much by name."""
    said: Text = ""
    """The agent's own words, where it said why it broke."""


class Recovery(StrEnum):
    """How an attempt continues after a breakage."""

    SAME_SESSION = "same_session"
    """In the session that knows its own edits, which stay in the work copy."""
    NEW_SESSION = "new_session"
    """In a new session; what the broken one had edited is undone and described."""
    NEXT_AGENT = "next_agent"
    """By another agent, in a session of its own; the edits stay."""
    END = "end"
    """Not at all: the run ends or asks a person."""


class Attempt(Value):
    """What Setpoint saw of one attempt; `text` is the agent's word and counts for nothing."""

    agent: str
    version: str = ""
    sandbox: str = ""
    """What held its processes: landlock, bwrap or none; empty for agents that are part of Setpoint."""
    stop: Stop
    breakage: Breakage | None = None
    """Set if and only if `stop` is `broken`."""
    text: Text = ""
    usage: Usage = Usage()
    tool_calls: int = 0
    tool_errors: int = 0
    started_at: Instant
    duration_s: float
    transcript: Artifact | None = None
    """The raw exchange with the agent."""
