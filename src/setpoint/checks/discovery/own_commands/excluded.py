"""Commands that Setpoint never runs by itself: they deploy, publish, compose, or want secrets."""

from __future__ import annotations

import re

from setpoint.model.shell import calls

_PROGRAMS = frozenset(
    {
        "ansible", "ansible-playbook", "aws", "az", "cdk", "changeset", "chromatic", "curl", "docker",
        "docker-compose", "doctl", "firebase", "fly", "flyctl", "gcloud", "gh", "goreleaser", "gsutil",
        "helm", "heroku", "kubectl", "lerna-publish", "netlify", "np", "podman", "pulumi", "release-it",
        "rsync", "scp", "semantic-release", "serverless", "sls", "ssh", "standard-version", "sudo",
        "terraform", "twine", "vagrant", "vercel", "wget", "wrangler",
    }
)  # fmt: skip
_WORDS = frozenset({"publish", "deploy", "release", "release:", "push", "upload", "login", "logout"})
_WATCHING = re.compile(r"--watch(?:All|-all)?(?:=true)?|-w|--ui|--serve|--open")
_SECRET = re.compile(
    r"\$\{?\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIAL)\w*|\$\{\{\s*secrets\.", re.IGNORECASE
)
_LAUNCHERS = frozenset(
    {"npx", "bunx", "yarn", "pnpm", "npm", "bun", "uv", "uvx", "poetry", "pdm", "hatch", "run", "exec"}
)


def why_excluded(script: str) -> str:
    """Say why a command is never run; empty where it may be."""
    if found := _SECRET.search(script):
        return f"it wants a secret ({found[0]})"
    for call in calls(script):
        words = [word for word in call.words if not word.startswith("-")]
        while words and words[0] in _LAUNCHERS:
            words = words[1:]
        name = words[0].rpartition("/")[2] if words else ""
        if name in _PROGRAMS:
            return f"it calls {name}"
        if word := next((word for word in words[:3] if word.partition(":")[0] in _WORDS), ""):
            return f"it calls `{' '.join(call.words)[:40]}` ({word})"
        if any(_WATCHING.fullmatch(word) for word in call.words[1:]) and name not in ("jest", "grep", "wc"):
            return "it watches and does not end"
    return ""
