"""REST: issues, their comments, labels, events and lock."""

from __future__ import annotations

from setpoint.testing.forge import issue_acts as acts
from setpoint.testing.forge.payloads import issues as shown
from setpoint.testing.forge.records import Comment, Issue
from setpoint.testing.forge.refusal import Refused, missing
from setpoint.testing.forge.rest.exchange import Ask, Reply, Route

_SORTS = {
    "created": lambda each: each.created,
    "updated": lambda each: each.updated,
    "comments": lambda each: len(each.comments),
}


def _issue(ask: Ask) -> Issue:
    return ask.world.issue(ask.number())


def _list(ask: Ask) -> Reply:
    query, since = ask.query, ask.since()
    labels = set(filter(None, query.get("labels", "").split(",")))
    state = query.get("state", "open")
    found = [
        each
        for each in ask.world.issues.values()
        if state in ("all", each.state)
        and labels <= set(each.labels)
        and (since is None or each.updated >= since)
        and query.get("creator", each.author) == each.author
    ]
    found.sort(key=lambda each: each.number)
    found.sort(key=_SORTS.get(query.get("sort", "created"), _SORTS["created"]))
    if query.get("direction", "desc") != "asc":
        found.reverse()
    return Reply(pages=[shown.issue(ask.world, each) for each in found])


def _open(ask: Ask) -> Reply:
    record = acts.open_issue(ask.world, ask.text("title"), ask.text("body", ""), ask.by)
    if ask.world.may_write(ask.by):
        for name in ask.listed("labels"):
            acts.label(ask.world, record, str(name), ask.by)
    return Reply(status=201, body=shown.issue(ask.world, record))


def _get(ask: Ask) -> Reply:
    return Reply(body=shown.issue(ask.world, _issue(ask)))


def _update(ask: Ask) -> Reply:
    record, world = _issue(ask), ask.world
    if record.author != ask.by and not world.may_write(ask.by):
        raise Refused(403, "Must have admin rights to Repository.")
    acts.edit(world, record, ask.by, title=ask.optional("title"), body=ask.optional("body"))
    if "labels" in ask.body:
        _set_labels(ask, record, [str(each) for each in ask.listed("labels")])
    state = ask.optional("state")
    if state == "closed":
        acts.close(world, record, ask.by, ask.optional("state_reason"))
    elif state == "open":
        acts.reopen(world, record, ask.by)
    return Reply(body=shown.issue(world, record))


def _comments(ask: Ask) -> Reply:
    return _written(ask, [_issue(ask)])


def _all_comments(ask: Ask) -> Reply:
    return _written(ask, list(ask.world.issues.values()))


def _written(ask: Ask, records: list[Issue]) -> Reply:
    since = ask.since()
    pairs = [
        (written, record)
        for record in records
        for written in record.comments
        if since is None or written.updated >= since
    ]
    by_update = ask.query.get("sort") == "updated"
    pairs.sort(key=lambda pair: (pair[0].updated if by_update else pair[0].created, pair[0].id))
    if ask.query.get("direction") == "desc":
        pairs.reverse()
    return Reply(pages=[shown.comment(ask.world, record, written) for written, record in pairs])


def _write_comment(ask: Ask) -> Reply:
    record = _issue(ask)
    written = acts.comment(ask.world, record, ask.text("body"), ask.by)
    body = shown.comment(ask.world, record, written)
    return Reply(status=201, body=body, headers={"Location": body["url"]})


def _comment(ask: Ask) -> Reply:
    return Reply(body=shown.comment(ask.world, *acts.find_comment(ask.world, ask.number())))


def _own_comment(ask: Ask) -> tuple[Issue, Comment]:
    record, written = acts.find_comment(ask.world, ask.number())
    if written.author != ask.by and not ask.world.may_write(ask.by):
        raise Refused(403, "Must have admin rights to Repository.")
    return record, written


def _edit_comment(ask: Ask) -> Reply:
    record, written = _own_comment(ask)
    acts.edit_comment(ask.world, record, written, ask.text("body"), ask.by)
    return Reply(body=shown.comment(ask.world, record, written))


def _delete_comment(ask: Ask) -> Reply:
    acts.delete_comment(ask.world, *_own_comment(ask), ask.by)
    return Reply(status=204)


def _labels(ask: Ask) -> Reply:
    return Reply(pages=[shown.label(ask.world, each) for each in _issue(ask).labels])


def _add_labels(ask: Ask) -> Reply:
    record = _issue(ask)
    for name in _named(ask):
        acts.label(ask.world, record, name, ask.by)
    return Reply(body=[shown.label(ask.world, each) for each in record.labels])


def _replace_labels(ask: Ask) -> Reply:
    record = _issue(ask)
    _set_labels(ask, record, _named(ask))
    return Reply(body=[shown.label(ask.world, each) for each in record.labels])


def _named(ask: Ask) -> list[str]:
    return [str(each.get("name")) if isinstance(each, dict) else str(each) for each in ask.listed("labels")]


def _set_labels(ask: Ask, record: Issue, names: list[str]) -> None:
    for name in [each for each in record.labels if each not in names]:
        acts.unlabel(ask.world, record, name, ask.by)
    for name in names:
        acts.label(ask.world, record, name, ask.by)


def _remove_label(ask: Ask) -> Reply:
    record = _issue(ask)
    acts.unlabel(ask.world, record, ask.found["name"], ask.by)
    return Reply(body=[shown.label(ask.world, each) for each in record.labels])


def _events(ask: Ask) -> Reply:
    return Reply(pages=[shown.mark(ask.world, each) for each in _issue(ask).timeline])


def _timeline(ask: Ask) -> Reply:
    return Reply(pages=shown.timeline(ask.world, _issue(ask)))


def _lock(ask: Ask) -> Reply:
    acts.lock(ask.world, _issue(ask), ask.by, locked=True, reason=ask.optional("lock_reason"))
    return Reply(status=204)


def _unlock(ask: Ask) -> Reply:
    acts.lock(ask.world, _issue(ask), ask.by, locked=False)
    return Reply(status=204)


def _all_labels(ask: Ask) -> Reply:
    return Reply(pages=[shown.label(ask.world, each) for each in sorted(ask.world.labels)])


def _label(ask: Ask) -> Reply:
    if ask.found["name"] not in ask.world.labels:
        raise missing()
    return Reply(body=shown.label(ask.world, ask.found["name"]))


def _make_label(ask: Ask) -> Reply:
    name = ask.text("name")
    if name in ask.world.labels:
        already = {"resource": "Label", "code": "already_exists", "field": "name"}
        raise Refused(422, "Validation Failed", [already])
    return Reply(status=201, body=shown.label(ask.world, name))


_ONE = "/issues/{number:number}"
ROUTES = (
    Route("GET", "/issues", _list),
    Route("POST", "/issues", _open, "sign-in"),
    Route("GET", "/issues/comments", _all_comments),
    Route("GET", "/issues/comments/{number:number}", _comment),
    Route("PATCH", "/issues/comments/{number:number}", _edit_comment, "sign-in"),
    Route("DELETE", "/issues/comments/{number:number}", _delete_comment, "sign-in"),
    Route("GET", _ONE, _get),
    Route("PATCH", _ONE, _update, "sign-in"),
    Route("GET", f"{_ONE}/comments", _comments),
    Route("POST", f"{_ONE}/comments", _write_comment, "sign-in"),
    Route("GET", f"{_ONE}/labels", _labels),
    Route("POST", f"{_ONE}/labels", _add_labels, "write"),
    Route("PUT", f"{_ONE}/labels", _replace_labels, "write"),
    Route("DELETE", f"{_ONE}/labels/{{name}}", _remove_label, "write"),
    Route("GET", f"{_ONE}/events", _events),
    Route("GET", f"{_ONE}/timeline", _timeline),
    Route("PUT", f"{_ONE}/lock", _lock, "write"),
    Route("DELETE", f"{_ONE}/lock", _unlock, "write"),
    Route("GET", "/labels", _all_labels),
    Route("POST", "/labels", _make_label, "write"),
    Route("GET", "/labels/{name}", _label),
)
