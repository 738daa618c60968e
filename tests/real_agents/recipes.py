"""How each real agent is pointed at a model server: files in a home of its own, and variables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

Recipe = Callable[[Path, str], dict[str, str]]
"""Takes an empty home and the server's address, gives the agent's variables."""
_PRICES = {"input": 3, "output": 15}


def gemini(home: Path, url: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    _write(home / ".gemini" / "settings.json", json.dumps(settings))
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_MODEL": "gemini-2.5-pro"}


def opencode(home: Path, url: str) -> dict[str, str]:
    del home
    model = {"cost": _PRICES, "limit": {"context": 128_000, "output": 8000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {"scripted": model},
    }
    settings = {
        "model": "local/scripted",
        "small_model": "local/scripted",
        "autoupdate": False,
        "provider": {"local": provider},
    }
    return {"OPENCODE_CONFIG_CONTENT": json.dumps(settings)}


def codex(home: Path, url: str) -> dict[str, str]:
    lines = (
        'model = "scripted"',
        'model_provider = "local"',
        "[model_providers.local]",
        'name = "local"',
        f'base_url = "{url}/v1"',
        'env_key = "LOCAL_KEY"',
        'wire_api = "responses"',
        "request_max_retries = 0",
        "stream_max_retries = 0",
    )
    _write(home / ".codex" / "config.toml", "\n".join(lines))
    # Its sandbox looks for its own program below its home, and finds none where that lies in the folder for
    # temporary files.
    (home / "tmp").mkdir(exist_ok=True)
    return {"CODEX_HOME": str(home / ".codex"), "LOCAL_KEY": "none", "TMPDIR": str(home / "tmp")}


def claude(home: Path, url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-ant-none",
        "ANTHROPIC_MODEL": "claude-sonnet-4-5",
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def copilot(home: Path, url: str) -> dict[str, str]:
    del home
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "scripted",
        "COPILOT_OFFLINE": "true",
    }


def qwen(home: Path, url: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"disableAutoUpdate": True},
    }
    _write(home / ".qwen" / "settings.json", json.dumps(settings))
    return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "scripted"}


def vibe(home: Path, url: str) -> dict[str, str]:
    lines = (
        'active_model = "local"',
        "enable_telemetry = false",
        "enable_update_checks = false",
        "[[providers]]",
        'name = "local"',
        f'api_base = "{url}/v1"',
        'api_key_env_var = "LOCAL_KEY"',
        'api_style = "openai"',
        'backend = "generic"',
        "[[models]]",
        'name = "scripted"',
        'provider = "local"',
        'alias = "local"',
        f"input_price = {_PRICES['input']}.0",
        f"output_price = {_PRICES['output']}.0",
    )
    _write(home / ".vibe" / "config.toml", "\n".join(lines))
    return {"LOCAL_KEY": "none"}


def pi(home: Path, url: str) -> dict[str, str]:
    model = {
        "id": "scripted",
        "name": "scripted",
        "reasoning": False,
        "input": ["text"],
        "cost": {**_PRICES, "cacheRead": 0, "cacheWrite": 0},
        "contextWindow": 128_000,
        "maxTokens": 8000,
    }
    provider = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "none", "models": [model]}
    _write(home / ".pi" / "agent" / "models.json", json.dumps({"providers": {"local": provider}}))
    chosen = {"defaultProvider": "local", "defaultModel": "scripted"}
    _write(home / ".pi" / "agent" / "settings.json", json.dumps(chosen))
    return {}


def aider(home: Path, url: str) -> dict[str, str]:
    del home
    return {
        "OPENAI_API_BASE": f"{url}/v1",
        "OPENAI_API_KEY": "none",
        "AIDER_MODEL": "openai/scripted",
        "AIDER_EDIT_FORMAT": "diff",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


RECIPES: dict[str, Recipe] = {
    recipe.__name__: recipe for recipe in (aider, claude, codex, copilot, gemini, opencode, pi, qwen, vibe)
}
"""By program; agents of the registry that start the same program share one."""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
