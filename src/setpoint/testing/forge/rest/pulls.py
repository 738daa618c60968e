"""REST: pull requests, their commits and their merge."""

from __future__ import annotations

from setpoint.testing.forge import issue_acts, pull_acts
from setpoint.testing.forge.payloads import pulls as shown
from setpoint.testing.forge.payloads.repository import commit
from setpoint.testing.forge.records import Issue
from setpoint.testing.forge.refusal import Refused, missing
from setpoint.testing.forge.rest.exchange import Ask, Reply, Route


def _pull(ask: Ask) -> Issue:
    return ask.world.pull(ask.number())[0]


def _list(ask: Ask) -> Reply:
    query = ask.query
    state, head = query.get("state", "open"), query.get("head", "")
    branch = head.removeprefix(f"{ask.world.owner}:")
    found = [
        each
        for each in ask.world.pulls()
        if state in ("all", each.state)
        and branch in ("", each.merging.head)
        and query.get("base", each.merging.base) == each.merging.base
    ]
    by_update = query.get("sort") == "updated"
    found.sort(key=lambda each: (each.updated if by_update else each.created, each.number))
    if query.get("direction", "desc" if query.get("sort", "created") == "created" else "asc") == "desc":
        found.reverse()
    return Reply(pages=[shown.short(ask.world, each) for each in found])


def _open(ask: Ask) -> Reply:
    proposed = pull_acts.Proposal(
        title=ask.text("title"),
        body=ask.text("body", ""),
        head=ask.text("head"),
        base=ask.text("base"),
        draft=bool(ask.body.get("draft", False)),
    )
    record = pull_acts.open_pull(ask.world, proposed, ask.by)
    body = shown.full(ask.world, record)
    return Reply(status=201, body=body, headers={"Location": body["url"]})


def _get(ask: Ask) -> Reply:
    return Reply(body=shown.full(ask.world, _pull(ask)))


def _update(ask: Ask) -> Reply:
    record, world = _pull(ask), ask.world
    if record.author != ask.by and not world.may_write(ask.by):
        raise Refused(403, "Must have admin rights to Repository.")
    if (base := ask.optional("base")) is not None:
        pull_acts.retarget(world, record, base, ask.by)
    issue_acts.edit(world, record, ask.by, title=ask.optional("title"), body=ask.optional("body"))
    state = ask.optional("state")
    if state == "closed":
        issue_acts.close(world, record, ask.by)
    elif state == "open" and record.state == "closed":
        pull_acts.reopen(world, record, ask.by)
    return Reply(body=shown.full(world, record))


def _commits(ask: Ask) -> Reply:
    pull = _pull(ask).merging
    listed = ask.world.bare.commits(pull.base_sha, pull.head_sha)
    return Reply(pages=[commit(ask.world, each) for each in listed])


def _is_merged(ask: Ask) -> Reply:
    if _pull(ask).merging.merged_at is None:
        raise missing()
    return Reply(status=204)


def _merge(ask: Ask) -> Reply:
    method = ask.text("merge_method", "merge")
    made = pull_acts.merge(ask.world, _pull(ask), ask.by, method, ask.optional("sha"))
    return Reply(body={"sha": made, "merged": True, "message": "Pull Request successfully merged"})


_ONE = "/pulls/{number:number}"
ROUTES = (
    Route("GET", "/pulls", _list),
    Route("POST", "/pulls", _open, "write"),
    Route("GET", _ONE, _get),
    Route("PATCH", _ONE, _update, "sign-in"),
    Route("GET", f"{_ONE}/commits", _commits),
    Route("GET", f"{_ONE}/merge", _is_merged),
    Route("PUT", f"{_ONE}/merge", _merge, "write"),
)
