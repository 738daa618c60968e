"""Git over HTTP for a fake forge: `git http-backend` as CGI, over the real bare repository."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from setpoint.testing.forge.bare import NOTHING
from setpoint.testing.forge.pull_acts import follow
from setpoint.testing.forge.records import Caller
from setpoint.testing.forge.world import World


@dataclass(frozen=True, kw_only=True)
class GitRequest:
    """A request of a git client."""

    method: str
    path: str
    """Without the query."""
    query: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes


@dataclass(frozen=True, kw_only=True)
class GitAnswer:
    """What the client gets."""

    status: int
    headers: dict[str, str]
    body: bytes


def concerns(world: World, path: str) -> bool:
    """Return whether a path leads into the repository."""
    return path.lower().startswith(f"/{world.full_name}.git/".lower())


def serve(world: World, request: GitRequest, caller: Caller | None) -> GitAnswer:
    """Answer a git client; a push sends its webhooks. Without the permission it gets 401, 403 or 404."""
    pushes = request.path.endswith("/git-receive-pack") or "service=git-receive-pack" in request.query
    refused = _refused(world, caller, pushes=pushes)
    if refused is not None:
        return refused
    by = caller.login if caller else "anonymous"
    if not (pushes and request.method == "POST"):
        return _backend(world, request, by)
    with world.lock:
        before = world.bare.branches()
        answer = _backend(world, request, by)
        after = world.bare.branches()
        for name in sorted(before.keys() | after.keys()):
            follow(world, name, before.get(name, NOTHING), by)
    return answer


def _refused(world: World, caller: Caller | None, *, pushes: bool) -> GitAnswer | None:
    if caller is None and (pushes or world.private):
        asks = {"WWW-Authenticate": 'Basic realm="GitHub"', "Content-Type": "text/plain"}
        return GitAnswer(status=401, headers=asks, body=b"Authentication required\n")
    if caller is None:
        return None
    plain = {"Content-Type": "text/plain"}
    if not caller.app and world.role(caller.login) == "none":
        return GitAnswer(status=404, headers=plain, body=b"Repository not found.\n")
    if pushes and not caller.app and not world.may_write(caller.login):
        told = f"Permission to {world.full_name}.git denied to {caller.login}.\n"
        return GitAnswer(status=403, headers=plain, body=told.encode())
    return None


def _backend(world: World, request: GitRequest, by: str) -> GitAnswer:
    inside = request.path[len(f"/{world.full_name}.git") :]
    variables = {
        **world.bare.environment(by),
        "GIT_PROJECT_ROOT": str(world.folder),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{world.full_name}.git{inside}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.query,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(request.body)),
        "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
        "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
        "REMOTE_USER": by,
        "REMOTE_ADDR": "127.0.0.1",
    }
    done = subprocess.run(
        ("git", "http-backend"), env=variables, input=request.body, capture_output=True, check=False
    )
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode("latin-1").splitlines() if ": " in line)
    status = int(headers.pop("Status", "200" if head else "500").split()[0])
    return GitAnswer(status=status, headers=headers, body=body)
