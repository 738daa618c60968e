"""Create model clients and classify their errors; the only place that knows the dialects."""

from __future__ import annotations

from pydantic_ai import exceptions as errors
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from setpoint.agents.launch import Launch
from setpoint.agents.model_api.provider import ModelAt
from setpoint.model.attempt import Breakage, BreakageKind

MOST_ANSWER_TOKENS = 16_000
"""What one answer of a model may be long, in the dialect that wants a number."""
NO_KEY = "none"
"""A key for servers that want none; the libraries insist on one."""
_BY_STATUS = {
    401: BreakageKind.AUTH,
    403: BreakageKind.AUTH,
    407: BreakageKind.AUTH,
    404: BreakageKind.MISSING,
    429: BreakageKind.RATE_LIMIT,
}
_BY_CLASS: tuple[tuple[type[Exception], BreakageKind], ...] = (
    (errors.ModelAuthenticationError, BreakageKind.AUTH),
    (errors.ModelNotFoundError, BreakageKind.MISSING),
    (errors.ModelRateLimitError, BreakageKind.RATE_LIMIT),
    (errors.ModelQuotaExceededError, BreakageKind.RATE_LIMIT),
    (errors.ModelTimeoutError, BreakageKind.IDLE),
    (errors.ModelRequestTimeout, BreakageKind.IDLE),
    (errors.UnexpectedModelBehavior, BreakageKind.PROTOCOL),
)
_SHOWN_CHARS = 600
_UNSENT = ("ConnectError", "ConnectTimeout")
"""What the HTTP libraries raise where there was no connection; each dialect may bring another of them."""


def model_at(where: ModelAt) -> Model:
    """Make the model; no request is made yet. Failed requests are tried again by the loop, not in here."""
    key, url = where.key or NO_KEY, where.base_url or None
    if where.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 - one dialect is loaded
        from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415 - as above

        anthropic = AnthropicProvider(api_key=key, base_url=url)
        anthropic.client.max_retries = 0
        limits = ModelSettings(max_tokens=MOST_ANSWER_TOKENS)
        return AnthropicModel(where.model, provider=anthropic, settings=limits)
    if where.provider == "google":
        from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415 - as above
        from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415 - as above

        return GoogleModel(where.model, provider=GoogleProvider(api_key=key, base_url=url))
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415 - as above

    openai = OpenAIProvider(api_key=key, base_url=url)
    openai.client.max_retries = 0
    if where.provider == "openai-responses":
        return OpenAIResponsesModel(where.model, provider=openai)
    return OpenAIChatModel(where.model, provider=openai)


def unpaid(error: errors.AgentRunError) -> bool:
    """Whether no model was paid for a request that ended so: refused, not sent, or never there."""
    if isinstance(error, errors.ModelHTTPError | errors.UsageLimitExceeded):
        return True
    cause: BaseException | None = error
    while cause is not None:
        if type(cause).__name__ in _UNSENT:
            return True
        cause = cause.__cause__
    return False


def broken(launch: Launch, error: errors.AgentRunError, idle_s: float) -> Breakage:
    """Name the breakage behind an error by its class and status; its text decides nothing."""
    status = error.status_code if isinstance(error, errors.ModelHTTPError) else 0
    named = (kind for each, kind in _BY_CLASS if isinstance(error, each))
    kind = next(named, _BY_STATUS.get(status, BreakageKind.MODEL))
    hint = {
        BreakageKind.AUTH: "check the key, and whether it may use this model",
        BreakageKind.MISSING: f"check the model '{launch.model}' and the base_url",
        BreakageKind.RATE_LIMIT: "wait until the limit is lifted, or choose another model",
        BreakageKind.IDLE: f"it was silent for {idle_s:g} s; raise agents.idle_s if it needs longer",
        BreakageKind.PROTOCOL: "it does not use its tools as they are described; choose another model",
        BreakageKind.MODEL: f"see whether {launch.base_url or 'the provider'} can be reached, or try again",
    }[kind]
    flat = " ".join(str(error).split())
    return Breakage(kind=kind, message=f"{launch.name}: {flat[:_SHOWN_CHARS]}; {hint}")
