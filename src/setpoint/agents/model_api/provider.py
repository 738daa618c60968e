"""Which model, where, with which key: read from an agent's settings without loading any library."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import NamedTuple

from setpoint.agents.launch import Launch
from setpoint.errors import NoUsableAgent, SettingsError
from setpoint.settings import inherited

SHORTHAND = "model:"
"""How the name of an agent begins that is nothing but a model, for example `model:openai:gpt-5-mini`."""
EXTRA = "pip install 'setpoint[llm]'"
_NAME = re.compile(r"[^\s:][^\s]*")


class Provider(NamedTuple):
    """A dialect that models are spoken to in."""

    packages: tuple[str, ...]
    """What has to be importable."""
    keys: tuple[str, ...]
    """Variables that may hold the key, the first one that is set is taken."""
    vendor: str


PROVIDERS = {
    "openai": Provider(("pydantic_ai", "openai"), ("OPENAI_API_KEY",), "openai"),
    "openai-responses": Provider(("pydantic_ai", "openai"), ("OPENAI_API_KEY",), "openai"),
    "anthropic": Provider(("pydantic_ai", "anthropic"), ("ANTHROPIC_API_KEY",), "anthropic"),
    "google": Provider(("pydantic_ai", "google.genai"), ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "google"),
}
"""Dialects by name; `openai` is what Ollama, llama.cpp, vLLM and most others speak too, at a `base_url`."""


class ModelAt(NamedTuple):
    """A model that can be asked."""

    provider: str
    model: str
    base_url: str
    """Empty: the provider's own."""
    key: str
    """Empty if none is needed."""


def shorthand(name: str) -> Launch | None:
    """Read a name such as `model:anthropic:claude-sonnet-4-5`; none where it is a name of another kind."""
    if not name.startswith(SHORTHAND):
        return None
    model = name.removeprefix(SHORTHAND)
    return Launch(name=name, protocol="model", model=model, vendor=vendor_of(name, model))


def vendor_of(name: str, model: str) -> str:
    """Return the vendor of a provider's models; raises `SettingsError` unless it is `PROVIDER:NAME`."""
    return _provider(name, model)[1].vendor


def placed(launch: Launch) -> ModelAt:
    """Return the address and the key of a model.

    Raises `SettingsError` for a model that is not written `PROVIDER:NAME`, and `NoUsableAgent` where a
    package or the key lacks.
    """
    name, provider = _provider(launch.name, launch.model)
    lacking = [package for package in provider.packages if not _there(package)]
    if lacking:
        message = f"{launch.name}: a model by API needs the package {lacking[0]}, which is not installed"
        raise NoUsableAgent(message, hint=EXTRA)
    wanted = (launch.api_key_env,) if launch.api_key_env else provider.keys
    set_ = inherited(wanted)
    key = next((set_[each] for each in wanted if set_.get(each)), "")
    if not key and (launch.api_key_env or not launch.base_url):
        message = f"{launch.name}: {' or '.join(wanted)} is not set"
        raise NoUsableAgent(message, hint=f"export {wanted[0]}, or name the variable in api_key_env")
    return ModelAt(name, launch.model.partition(":")[2], launch.base_url, key)


def why_not(launch: Launch) -> str:
    """Return why a model cannot be used; empty if nothing is known to be missing."""
    try:
        placed(launch)
    except NoUsableAgent as error:
        return f"{error.message}; {error.hint}"
    return ""


def _provider(name: str, model: str) -> tuple[str, Provider]:
    prefix, _, rest = model.partition(":")
    if prefix not in PROVIDERS or not _NAME.fullmatch(rest):
        message = f"agent '{name}': '{model}' names no model (it is written PROVIDER:NAME)"
        raise SettingsError(
            message, hint=f"the provider is one of {', '.join(PROVIDERS)}; for example openai:gpt-5-mini"
        )
    return prefix, PROVIDERS[prefix]


def _there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # the parent of a dotted name
        return False
