"""A model by API as an agent: it reads the work copy through Setpoint's tools, and answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel
from pydantic_ai import Agent, ModelSettings, ToolOutput
from pydantic_ai import exceptions as errors
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RunUsage, UsageLimits

from setpoint.agents.launch import Launch
from setpoint.agents.model_api.client import broken, unpaid
from setpoint.agents.model_api.file_tools import Files
from setpoint.agents.model_api.tool_watch import AttemptCounts, Halted, Watched
from setpoint.agents.spending.meter import UsageMeter, unpaid_attempt
from setpoint.agents.spending.prices import Prices, table
from setpoint.agents.transcript import Transcript
from setpoint.model.attempt import Attempt, Breakage, BreakageKind, Brief, Role, Stop, Usage
from setpoint.model.project_text import ReadsItself
from setpoint.ports import Observer
from setpoint.system.files.artifacts import Artifacts

MOST_REQUESTS = 100
"""Requests to the model in one attempt."""
_TEXT_CHARS = 200_000
_ANSWER = "answer"


class _Session(NamedTuple):
    """A conversation that later attempts continue."""

    name: str
    messages: list[ModelMessage]


class _Ended(NamedTuple):
    """How a turn ended."""

    stop: Stop
    text: str = ""
    breakage: Breakage | None = None


class ModelAgent:
    """Plays roles by asking a model; as the maker it edits files, in every other role it only looks.

    It never has a shell: what its edits are worth is measured afterwards, as with every maker. Attempts of
    one session share their messages. An answer that has a shape is asked for as a call of the tool `answer`,
    and a text is taken as well, for models that call no tools: the loop checks both in the same way.
    """

    def __init__(
        self,
        launch: Launch,
        make: Callable[[], Model],
        *,
        artifacts: Artifacts,
        secrets: Mapping[str, str] | None = None,
        prices: Prices | None = None,
    ) -> None:
        """Create the model at the first request; `secrets` are kept out of what is recorded, by name."""
        self.name = launch.name
        self._launch, self._make = launch, make
        self._artifacts = artifacts
        self._prices = prices or Prices()
        self._secrets = dict(secrets or {})
        self._model: Model | None = None
        self._sessions: dict[Role, _Session] = {}

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Ask the model, let it read (and, as the maker, edit), and return its final answer."""
        if (unpaid := unpaid_attempt(self.name, brief)) is not None:
            return unpaid
        began_s, started_at = time.monotonic(), datetime.now(UTC)
        # Only its owner knows what a model at a custom address costs.
        spending = UsageMeter(brief.limits, observer, self._prices, listed=not self._launch.base_url)
        seen = AttemptCounts(observer, spending)
        usage, transcript = RunUsage(), Transcript(self._secrets)
        messages: list[ModelMessage] = []
        try:
            ended = await self._asked(brief, seen, usage, messages)
        finally:
            transcript.message("model", ModelMessagesTypeAdapter.dump_json(messages))
            kept = self._artifacts.keep(transcript.take())
        spent = spending.told(self._usage(usage, seen.sent))
        return Attempt(
            agent=self.name,
            version=self._launch.model,
            stop=ended.stop,
            breakage=ended.breakage,
            text=transcript.redacted(ended.text[:_TEXT_CHARS]),
            usage=spent,
            tool_calls=seen.calls,
            tool_errors=seen.errors,
            started_at=started_at,
            duration_s=round(time.monotonic() - began_s, 6),
            transcript=kept,
        )

    @property
    def reads(self) -> ReadsItself:
        """What of a project's instructions it reads by itself: nothing."""
        return self._launch.reads

    @property
    def takes_servers(self) -> bool:
        """Whether it starts servers that a brief names: it has no process."""
        return False

    def begins(self, brief: Brief) -> bool:
        """Whether an attempt with this brief begins a session."""
        held = self._sessions.get(brief.role)
        return held is None or held.name != brief.session

    async def close(self) -> None:
        """Nothing runs between attempts."""

    async def _asked(
        self, brief: Brief, seen: AttemptCounts, usage: RunUsage, messages: list[ModelMessage]
    ) -> _Ended:
        """Drive a turn and return how it ended; after a loss the session continues from before the turn."""
        self._ready()  # loads a library: this time is not the model's
        wall_s = brief.limits.wall_s
        try:
            async with asyncio.timeout(wall_s):
                text = await self._turn(brief, seen, usage, messages)
        except TimeoutError:
            message = f"{self.name} was not ready after {wall_s:g} s; raise agents.wall_s if it needs longer"
            return _Ended(Stop.BROKEN, breakage=Breakage(kind=BreakageKind.TIMEOUT, message=message))
        except Halted:
            return _Ended(Stop.CANCELLED)
        except errors.AgentRunError as error:
            seen.sent -= unpaid(error)
            return self._failed(brief, error, messages)
        self._sessions[brief.role] = _Session(brief.session, messages)
        return _Ended(Stop.END_TURN, text)

    def _ready(self) -> Model:
        if self._model is None:
            self._model = self._make()
        return self._model

    def _failed(self, brief: Brief, error: errors.AgentRunError, messages: list[ModelMessage]) -> _Ended:
        if isinstance(error, errors.UsageLimitExceeded):
            return _Ended(Stop.MAX_TURNS)
        if isinstance(error, errors.ContentFilterError):
            return _Ended(Stop.REFUSAL, str(error))
        said = _said(messages) if isinstance(error, errors.UnexpectedModelBehavior) else ""
        if said:
            # It answered otherwise than asked: that is for the loop to judge, which may ask once more.
            self._sessions[brief.role] = _Session(brief.session, _as_text(messages))
            return _Ended(Stop.END_TURN, said)
        found = broken(self._launch, error, min(brief.limits.idle_s, brief.limits.wall_s))
        message = Transcript(self._secrets).redacted(found.message)
        return _Ended(Stop.BROKEN, breakage=found.model_copy(update={"message": message}))

    async def _turn(
        self, brief: Brief, seen: AttemptCounts, usage: RunUsage, messages: list[ModelMessage]
    ) -> str:
        """Drive the model to the end of its turn; `usage` and `messages` are filled while it works."""
        model = self._ready()
        held = self._sessions.get(brief.role)
        before = held.messages if held is not None and held.name == brief.session else []
        files = Files(Path(brief.workdir), brief.diff)
        tools = files.looking() + (files.editing() if brief.role is Role.MAKER else ())
        agent: Agent[None, str | BaseModel] = Agent(
            model,
            output_type=_output(brief),
            toolsets=[Watched(FunctionToolset(list(tools), max_retries=3), seen=seen)],
            retries={"tools": 3, "output": 0},
        )
        limits = UsageLimits(request_limit=MOST_REQUESTS)
        settings = ModelSettings(timeout=min(brief.limits.idle_s, brief.limits.wall_s))
        async with (
            model,
            agent.iter(
                brief.prompt,
                message_history=before or None,
                model_settings=settings,
                usage=usage,
                usage_limits=limits,
            ) as run,
        ):
            try:
                async for node in run:
                    self._spend(seen, usage)
                    seen.sent += Agent.is_model_request_node(node)
            finally:
                messages[:] = run.all_messages()
            output = run.result.output if run.result is not None else ""
        return output if isinstance(output, str) else output.model_dump_json(exclude_none=True)

    def _spend(self, seen: AttemptCounts, usage: RunUsage) -> None:
        """Report the use so far; end the turn if the budget is used up."""
        seen.spending.told(self._usage(usage, seen.sent))
        if seen.spending.halted.is_set():
            raise Halted

    def _usage(self, usage: RunUsage, sent: int) -> Usage:
        """Return the figures: each request at its list price, unless the user has a price of their own.

        Where of those `sent` one was not answered, they are a lower bound; where none was, nothing is known.
        """
        if not usage.requests or usage.unmeasured_requests:
            return Usage(scope="turn" if usage.requests else "unknown" if sent > 0 else "none")
        counted = Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cached_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            scope="turn",
            model=self._launch.model.rsplit(":", maxsplit=1)[-1],
            tokens_by="setpoint",
        )
        counted = counted.model_copy(update={"at_least": sent > usage.requests})
        own = self._prices.of((counted.model,), counted, listed=False)
        if own is not None or self._launch.base_url or usage.cost is None:
            return counted
        return counted.model_copy(update={"cost_usd": usage.cost, "priced_by": table()})


def _output(brief: Brief) -> Sequence[ToolOutput[BaseModel] | type[str]]:
    if brief.answer is None:
        return [str]
    description = "Give your answer: the last thing you do."
    return [ToolOutput(brief.answer, name=_ANSWER, description=description, max_retries=0), str]


def _said(messages: list[ModelMessage]) -> str:
    """Return what a model answered last, where that was an answer: the arguments of its tool, or its text."""
    last = next((each for each in reversed(messages) if isinstance(each, ModelResponse)), None)
    if last is None:
        return ""
    for part in last.parts:
        if isinstance(part, ToolCallPart) and part.tool_name == _ANSWER:
            return part.args_as_json_str()
    return last.text or ""


def _as_text(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Let a conversation end with the answer as a text: after a call without a result nothing can follow."""
    last = max(number for number, each in enumerate(messages) if isinstance(each, ModelResponse))
    return [*messages[:last], ModelResponse(parts=[TextPart(_said(messages))])]
