"""Variables that an agent's own configuration names."""

from __future__ import annotations

from pathlib import Path

import pytest

from setpoint.agents.launch import Launch
from setpoint.agents.named_variables import lacking_variables, setting_of
from setpoint.agents.registry import shipped

CODEX = """
model_provider = "local"
[model_providers.local]
env_key = "LOCAL_KEY"
env_http_headers = { "X-Team" = "TEAM_ID" }
[model_providers.idle]
env_key = "IDLE_KEY"
"""


def _lacking(launch: Launch, home: Path, **around: str) -> list[tuple[str, bool, bool]]:
    found = lacking_variables(launch, {"HOME": str(home), **around}, home / "repo")
    return [(each.name, each.given, each.needed) for each in found]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_key_of_the_chosen_provider_of_codex_is_needed(tmp_path: Path) -> None:
    codex = shipped()["codex"]
    assert _lacking(codex, tmp_path) == []
    _write(tmp_path / ".codex/config.toml", CODEX)
    assert _lacking(codex, tmp_path) == [("LOCAL_KEY", False, True)]
    around = {"LOCAL_KEY": "k", "TEAM_ID": "7", "IDLE_KEY": "i"}
    assert _lacking(codex, tmp_path, **around) == [("LOCAL_KEY", True, True), ("TEAM_ID", True, False)]
    passing = codex.model_copy(update={"pass_environment": (*codex.pass_environment, "LOCAL_*", "TEAM_ID")})
    assert _lacking(passing, tmp_path, **around) == []
    stated = codex.model_copy(update={"environment": {"LOCAL_KEY": "k"}})
    assert _lacking(stated, tmp_path) == []


def test_another_home_of_codex_alone_counts(tmp_path: Path) -> None:
    _write(tmp_path / ".codex/config.toml", CODEX)
    (tmp_path / "own").mkdir()
    assert _lacking(shipped()["codex"], tmp_path, CODEX_HOME=str(tmp_path / "own")) == []


@pytest.mark.parametrize(
    ("agent", "file", "text", "around", "names"),
    [
        ("opencode", "repo/opencode.json", '{"a": "{env:GROQ}", // c\n}', {"GROQ": "k"}, ["GROQ"]),
        ("opencode", ".config/opencode/opencode.json", '{"a": "{env:GROQ}"}', {}, []),
        ("claude", ".claude/settings.json", '{"apiKeyHelper": "get $TOKEN"}', {"TOKEN": "t"}, ["TOKEN"]),
        ("claude", ".claude/settings.json", '{"model": "$TOKEN"}', {"TOKEN": "t"}, []),
        ("claude", "none", "", {"CLAUDE_CODE_USE_BEDROCK": "1", "AWS_PROFILE": "p"}, ["AWS_PROFILE"]),
        ("claude", "none", "", {"AWS_PROFILE": "p"}, []),
        ("claude", ".claude/settings.json", '{"x": "CLAUDE_CODE_USE_BEDROCK"}', {"AWS_R": "r"}, ["AWS_R"]),
        ("gemini", "none", "", {"GOOGLE_GENAI_USE_VERTEXAI": "1", "GOOGLE_X": "p"}, ["GOOGLE_X"]),
        ("vibe", ".vibe/config.toml", '[[providers]]\napi_key_env_var = "V"', {"V": "k"}, ["V"]),
        ("codex", ".codex/config.toml", "not toml [", {"LOCAL_KEY": "k"}, []),
    ],
)  # fmt: skip
def test_what_a_configuration_names_is_found(
    agent: str, file: str, text: str, around: dict[str, str], names: list[str], tmp_path: Path
) -> None:
    _write(tmp_path / file, text)
    assert [name for name, _, _ in _lacking(shipped()[agent], tmp_path, **around)] == names


def test_the_setting_is_shown_as_it_is_written() -> None:
    assert setting_of("codex", ("A", "B")) == '[agent.codex] pass_environment = ["A", "B"]'
