"""Which paths of a tree coding agents read as instructions or settings."""

from __future__ import annotations

import unicodedata

_FILES = frozenset(
    {
        "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md",
        ".cursorrules", ".windsurfrules", ".clinerules", ".goosehints", ".aider.conf.yml",
        ".mcp.json", ".roorules", "opencode.json", "copilot-instructions.md",
    }
)  # fmt: skip
_FOLDERS = frozenset(
    {
        ".claude", ".cursor", ".gemini", ".codex", ".qwen", ".opencode", ".windsurf", ".clinerules", ".roo",
        ".continue", ".agents", ".vibe", ".amazonq", ".junie",
    }
)  # fmt: skip
_IN_GITHUB = frozenset({"instructions", "prompts", "agents", "chatmodes"})


def steers_agents(path: str) -> bool:
    """Whether coding agents read a file as instructions or settings, also one that only has to review.

    Case and composition are ignored, as some file systems ignore them.
    """
    *folders, name = unicodedata.normalize("NFKC", path).casefold().split("/")
    in_github = folders[:1] == [".github"] and not _IN_GITHUB.isdisjoint(folders[1:2])
    return name in _FILES or not _FOLDERS.isdisjoint(folders) or in_github
