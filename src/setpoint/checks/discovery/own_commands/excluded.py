"""Commands that Setpoint never runs by itself: they deploy, publish, compose, or want secrets."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator

from setpoint.model.shell import ASSIGNED, Call, calls, parts, unquoted

_PROGRAMS = frozenset(
    {
        "ansible", "ansible-playbook", "aws", "az", "cdk", "changeset", "chromatic", "curl", "docker",
        "docker-compose", "doctl", "firebase", "fly", "flyctl", "gcloud", "gh", "goreleaser", "gsutil",
        "helm", "heroku", "kubectl", "lerna-publish", "netlify", "nodemon", "np", "op", "podman", "pulumi",
        "release-it", "rsync", "scp", "semantic-release", "serverless", "sls", "ssh", "standard-version",
        "sudo", "terraform", "twine", "vagrant", "vercel", "wget", "wrangler",
    }
)  # fmt: skip
_WORDS = frozenset({"publish", "deploy", "release", "release:", "push", "upload", "login", "logout"})
_WATCHING = re.compile(r"--watch(?:All|-all)?(?:=true)?|-w|--ui|--serve|--open")
_SECRET = re.compile(
    r"\$\{?\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIAL)\w*(?!\w|:?-)\}?|\$\{\{\s*secrets\.",
    re.IGNORECASE,
)
_FAR = re.compile(r"(?:/(?!tmp/|dev/null).*|/tmp/?|~.*|\$\{?(?:HOME|USERPROFILE)\b.*|\.\./.*)")
"""Where a command that removes files must not reach: outside the project."""
_NAMED = re.compile(r"\$\{?(?P<name>[A-Za-z_]\w*)\}?")
_REMOVING = ("rm", "rimraf")
_NAMING = frozenset(
    {"npm", "pnpm", "yarn", "bun", "make", "just", "git", "task", "cargo", "poe", "lerna", "nx"}
)
"""Programs whose words say what is done, whatever options come before."""
_NO_WATCHERS = ("jest", "grep", "wc")
"""Programs for which `-w` is something else, or which Setpoint calls in its own way."""
_STYLED = ("mocha", "_mocha")
"""Programs for which `--ui` names a style of tests."""
_LAUNCHERS = frozenset(
    {"npx", "bunx", "yarn", "pnpm", "npm", "bun", "uv", "uvx", "poetry", "pdm", "hatch", "run", "exec"}
)


def why_excluded(script: str) -> str:
    """Say why a command is never run; empty where it may be."""
    if found := _SECRET.search(script):
        return f"it wants a secret ({found[0]})"
    known: dict[str, str] = {}

    def read(word: str) -> str:
        return _NAMED.sub(lambda found: known.get(found["name"], found[0]), word)

    for part in parts(script):
        known |= {found["name"]: read(found["value"]) for word in part.words if (found := _set_by(word))}
    return next(filter(None, (_why_not(call, [*map(read, call.words)]) for call in calls(script))), "")


def _why_not(call: Call, said: list[str]) -> str:
    """Say why one call is never made; `said` are its words with the values of variables."""
    every = " ".join(said).split()
    words = [word for word in every if not word.startswith("-")]
    while words and words[0] in _LAUNCHERS:
        words = words[1:]
    name = words[0].rpartition("/")[2] if words else ""
    if name in _PROGRAMS:
        return f"it calls {name}"
    named = words[:3] if _NAMING.intersection(every[:2]) else every[: _options_begin(every)][:3]
    word = next((word for word in named if word.partition(":")[0] in _WORDS), "")
    if word and name not in ("echo", "printf"):
        return f"it calls `{' '.join(call.words)[:40]}` ({word})"
    removes = name in _REMOVING or (name == "find" and "-delete" in every)
    far = next((each for each in words[1:] if _FAR.fullmatch(each)), "") if removes else ""
    if far:
        return f"it removes {far}, outside the project"
    watching = [word for word in call.words[1:] if _WATCHING.fullmatch(word)]
    if watching and name not in _NO_WATCHERS and not (name in _STYLED and watching == ["--ui"]):
        return "it watches and does not end"
    return ""


def _options_begin(words: list[str]) -> int:
    return next((at for at, word in enumerate(words) if at and word.startswith("-")), len(words))


def scripts_named(script: str, files: Collection[str]) -> Iterator[str]:
    """Yield the shell scripts of the project that a command names, by path."""
    for call in calls(script):
        for word in call.words:
            path = posixpath.normpath(word.removeprefix("./")) if word else ""
            if path in files and (path.endswith((".sh", ".bash")) or "." not in path.rpartition("/")[2]):
                yield path


def _set_by(word: str) -> re.Match[str] | None:
    return ASSIGNED.fullmatch(unquoted(word))
