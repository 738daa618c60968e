"""How an agent starts and where it departs from the protocol, as data: a new agent needs no code."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Literal

from pydantic import model_validator

from setpoint.model.attempt import Role
from setpoint.model.config.sandbox import Means
from setpoint.model.project_text import ReadsItself
from setpoint.model.value import Value

PRIVATE_ROLES = (Role.TEST_DESIGNER, Role.REVIEWER)
"""Whose sessions hold what the maker must not know."""


class UsageScope(StrEnum):
    """What the token figures in an agent's answer to a prompt cover."""

    TURN = "turn"
    """The prompt just answered."""
    SESSION = "session"
    """The session up to now; an attempt's own share is the difference."""
    LAST_CALL = "last_call"
    """Only the last call of the model; the attempt's own share is unknown."""


class Quirks(Value):
    """Where an agent departs from the protocol, or from what most agents do."""

    usage_scope: UsageScope = UsageScope.TURN
    usage_meta: str = ""
    """Dotted path in the answer's `_meta` to token counts, for agents that give no `usage`."""
    update_meta: str = ""
    """Dotted path in the `_meta` of a usage update to the session's token counts up to then."""
    tool_name_meta: str = ""
    """Dotted path in a tool call's `_meta` to the tool's name."""
    tool_name_in_id: str = ""
    """Regular expression whose first group is the tool's name in a tool call's identifier."""
    tells: tuple[Literal["calls", "names", "tokens", "cost"], ...] = ("calls",)
    """What can be seen of its work: calls of tools, their names, tokens, cost; shown, never counted on."""
    error_as_text: str = ""
    """Prefix of a message that reports a failed model in a turn that the agent reports as completed.

    After work in the turn it counts only as its last words: in the form of the next two, or where the proxy
    saw that the last call was refused.
    """
    error_codes: dict[str, int] = {}
    """Codes of its own errors, each with the status of HTTP that says the same."""
    status_in_error: str = ""
    """Regular expression at the start of the texts of its errors whose first group is a status of HTTP."""
    login_in_error: str = ""
    """Regular expression at the start of its error for a login or a key that is missing."""
    overflow_in_error: str = ""
    """Regular expression at the start of its error for a conversation that is too long."""
    failed_meta: str = ""
    """Dotted path in the `_meta` of an update that holds `systemError` where the turn failed."""
    error_meta: str = ""
    """Dotted path in the `_meta` of an update to what is known of an error."""
    mode: str = ""
    """Session mode to set after a session is opened."""
    held_mode: str = ""
    """Mode of a maker that a sandbox holds, where no mode is set: one without questions.

    Agents deny a subagent what they would ask a person about.
    """
    tool_servers: bool = True
    """Whether it takes servers of the Model Context Protocol from its client."""


class NamesVariables(Value):
    """Where an agent's own configuration names variables that it reads."""

    files: tuple[str, ...] = ()
    """Files of TOML or JSON, as in `writes`; `./` is the repository. A variable that is set ends the list."""
    keys: tuple[str, ...] = ()
    """Places in them, dotted: `*` is any key, `{key}` what the key at the top holds; none: the whole text."""
    pattern: str = ""
    """Regular expression whose first group is a name; empty: the whole value is one."""
    when: tuple[str, ...] = ()
    """Variables any of which, in the environment or in these files, has it read `names`."""
    names: tuple[str, ...] = ()
    """Names, or patterns such as `AWS_*`."""
    needed: bool = False
    """Whether it cannot work without them."""


class PrivateState(Value):
    """How a session gets a copy of the agent's own state, which other processes cannot read."""

    variables: dict[str, str] = {}
    """Variables that name folders of its state, each with the folder's path below the copy."""
    copied: dict[str, tuple[str, ...]] = {}
    """Files of its configuration, by path below the copy: of these, as in `writes`, the first is copied."""
    login: dict[str, tuple[str, ...]] = {}
    """The same for files with its login: they are linked, and what it puts in their place is taken over."""


class Launch(Value):
    """Everything needed to start one agent, and to say what is missing where it cannot start."""

    name: str
    title: str = ""
    """What people call it."""
    argv: tuple[str, ...] = ()
    """Program and arguments; for the protocol `command`, `{prompt}` and `{workdir}` are replaced."""
    vendor: str = ""
    """Whose models it uses by default; empty: its own name."""
    protocol: Literal["acp", "command", "model"] = "acp"
    """Protocol of the agent; `model` is a model by API instead of a program."""
    stream: Literal["", "aider", "claude", "codex", "gemini", "opencode", "pi"] = ""
    """What a command prints while it works, see `setpoint.agents.streams`; empty: text that is only kept."""
    resume_argv: tuple[str, ...] = ()
    """Command that resumes the session `{session}`; empty: each attempt starts a new session."""
    model: str = ""
    """Model to work with, in the agent's own words; empty: its default.

    For the protocol `model`: the provider and the model's name there, for example `openai:gpt-5-mini`.
    """
    model_argv: tuple[str, ...] = ()
    """Arguments that choose the `{model}`; empty: over ACP it is chosen as an option of the session."""
    base_url: str = ""
    """For the protocol `model`: its address; empty: the provider's own address."""
    api_key_env: str = ""
    """For the protocol `model`: the variable that holds its key; empty: the provider's usual one."""
    errors_argv: tuple[str, ...] = ()
    """Command that prints the session `{session}` as JSON, with the data of its errors; over ACP.

    Setpoint asks it where the agent's answer tells neither a status nor a kind of the error.
    """
    executables: tuple[str, ...] = ()
    """Programs that must be found besides the first word of `argv`."""
    version_argv: tuple[str, ...] = ()
    """Command that prints the version; empty: the program with `--version`."""
    npm: str = ""
    """The npm package, with its version, that brings the program; `setpoint agents setup` installs it."""
    npm_node: int | None = None
    """Oldest major version of Node.js that runs that package, where it is newer than `min_node`."""
    interpreted: bool = False
    """Whether `argv` begins with Setpoint's own Node.js and the path of the script that it runs."""
    behind: str = ""
    """The agent's own program, where `argv` starts an adapter in front of it."""
    install: str = ""
    """How to install it by hand."""
    login: str = ""
    """How to log in, or which variable to set."""
    login_argv: tuple[str, ...] = ()
    """Command that says whether there is a login, by its exit code, where a session opens without one."""
    login_keys: tuple[str, ...] = ()
    """Variables any of which, if set, replaces a login."""
    login_files: tuple[str, ...] = ()
    """Files below the home folder any of which is there after a login."""
    min_node: int | None = None
    """Oldest major version of Node.js that runs it; none where it needs no Node.js."""
    pass_environment: tuple[str, ...] = ()
    """Names of variables, or patterns such as `AWS_*`, that it gets from Setpoint's own environment."""
    names_variables: tuple[NamesVariables, ...] = ()
    """Where its own configuration names further ones; Setpoint offers to pass them."""
    environment: dict[str, str] = {}
    """Variables it gets on top of the allowed and the passed ones."""
    model_variables: tuple[str, ...] = ()
    """Names of variables that choose its model, so that its tokens can be priced."""
    base_urls: dict[str, str] = {}
    """Variables that hold the address of its model, each with the address that holds where it is not set.

    Empty: the variable is replaced only where it is set.
    """
    config_variable: str = ""
    """Variable that holds a whole configuration as JSON."""
    config_base_urls: dict[str, str] = {}
    """Places of addresses in that configuration, dotted, `*` for any key; with their defaults as above."""
    proxied: bool = False
    """Whether its calls of models go through the recording proxy."""
    writes: tuple[str, ...] = ()
    """State outside the work copy: folders (ending with `/`, created if missing) and files.

    `~` is its home, `$NAME` a variable of its environment; an entry with a variable that is not set is none.
    """
    private: PrivateState = PrivateState()
    """How the sessions of those who judge its work keep their transcripts to themselves."""
    sandbox: Means | None = None
    """Its sandbox; none: the sandbox of all agents."""
    when_held: dict[str, str] = {}
    """Additional variables inside a sandbox: its own sandbox may not work within another."""
    reads: ReadsItself = ReadsItself()
    """What it reads by itself of a project's instructions; prompts give it the rest."""
    quirks: Quirks = Quirks()

    @property
    def way_in(self) -> str:
        """Return how to get what is missing, as a command; empty if it is not known."""
        return f"setpoint agents setup {self.name}" if self.npm else self.install

    def is_private(self, role: Role) -> bool:
        """Whether a session in a role keeps its state to itself."""
        return bool(self.private.variables) and role in PRIVATE_ROLES and sys.platform.startswith("linux")

    def held(self) -> Launch:
        """Return how a maker starts that a sandbox holds."""
        quirks = self.quirks.model_copy(update={"mode": self.quirks.mode or self.quirks.held_mode})
        return self.model_copy(update={"quirks": quirks})

    @model_validator(mode="after")
    def _can_be_started(self) -> Launch:
        if self.protocol == "model" and not self.model:
            raise ValueError("an agent of the protocol 'model' names no model")
        if self.protocol != "model" and not self.argv:
            raise ValueError("argv: at least the program has to be named")
        return self
