"""REST: reviews and comments on lines."""

from __future__ import annotations

from setpoint.testing.forge import review_acts as acts
from setpoint.testing.forge.payloads import pulls as shown
from setpoint.testing.forge.records import Issue, LineComment, Review
from setpoint.testing.forge.refusal import Refused, invalid, missing
from setpoint.testing.forge.rest.exchange import Ask, Reply, Route
from setpoint.testing.forge.review_acts import Remark


def _pull(ask: Ask) -> Issue:
    return ask.world.pull(ask.number())[0]


def _review(ask: Ask) -> tuple[Issue, Review]:
    record, number = _pull(ask), ask.number("review")
    for each in record.merging.reviews:
        if each.id == number:
            return record, each
    raise missing()


def _reviews(ask: Ask) -> Reply:
    record = _pull(ask)
    return Reply(pages=[shown.review(ask.world, record, each) for each in record.merging.reviews])


def _submit(ask: Ask) -> Reply:
    record = _pull(ask)
    remarks = [_remark(ask, each) for each in ask.listed("comments")]
    if "event" not in ask.body:
        raise Refused(422, "This forge keeps no pending reviews: send an event with the review.")
    made = acts.review(ask.world, record, ask.text("event"), ask.text("body", ""), remarks, ask.by)
    return Reply(body=shown.review(ask.world, record, made))


def _get_review(ask: Ask) -> Reply:
    return Reply(body=shown.review(ask.world, *_review(ask)))


def _comments_of(ask: Ask) -> Reply:
    record, made = _review(ask)
    found = [each for each in _lines(record) if each.review == made.id]
    return Reply(pages=[shown.line_comment(ask.world, record, each) for each in found])


def _dismiss(ask: Ask) -> Reply:
    record, made = _review(ask)
    ask.text("message")
    acts.dismiss(ask.world, record, made, ask.by)
    return Reply(body=shown.review(ask.world, record, made))


def _lines(record: Issue) -> list[LineComment]:
    found = [each for talked in record.merging.threads for each in talked.comments]
    return sorted(found, key=lambda each: each.id)


def _comments(ask: Ask) -> Reply:
    return _written(ask, [_pull(ask)])


def _all_comments(ask: Ask) -> Reply:
    return _written(ask, ask.world.pulls())


def _written(ask: Ask, records: list[Issue]) -> Reply:
    since = ask.since()
    found = [
        (each, record)
        for record in records
        for each in _lines(record)
        if since is None or each.updated >= since
    ]
    by_update = ask.query.get("sort") == "updated"
    found.sort(key=lambda pair: (pair[0].updated if by_update else pair[0].created, pair[0].id))
    if ask.query.get("direction") == "desc":
        found.reverse()
    return Reply(pages=[shown.line_comment(ask.world, record, each) for each, record in found])


def _write(ask: Ask) -> Reply:
    record = _pull(ask)
    if (answered := ask.whole("in_reply_to")) is not None:
        return _answered(ask, record, answered)
    if ask.optional("commit_id") != record.merging.head_sha:
        raise invalid("PullRequestReviewComment", "commit_id")
    made = acts.remark(ask.world, record, _remark(ask, ask.body), ask.by)
    return Reply(status=201, body=shown.line_comment(ask.world, record, made))


def _reply(ask: Ask) -> Reply:
    return _answered(ask, _pull(ask), ask.number("comment"))


def _answered(ask: Ask, record: Issue, number: int) -> Reply:
    made = acts.reply(ask.world, record, number, ask.text("body"), ask.by)
    return Reply(status=201, body=shown.line_comment(ask.world, record, made))


def _get(ask: Ask) -> Reply:
    record, _, written = acts.find_remark(ask.world, ask.number())
    return Reply(body=shown.line_comment(ask.world, record, written))


def _edit(ask: Ask) -> Reply:
    record, _, written = acts.find_remark(ask.world, ask.number())
    if written.author != ask.by and not ask.world.may_write(ask.by):
        raise Refused(403, "Must have admin rights to Repository.")
    acts.edit_remark(ask.world, record, written, ask.text("body"), ask.by)
    return Reply(body=shown.line_comment(ask.world, record, written))


def _remark(ask: Ask, given: object) -> Remark:
    if not isinstance(given, dict):
        raise Refused(422, f"Invalid request.\n\nFor 'items', {given!r} is not an object.")
    part = Ask(**{**vars(ask), "body": given})
    line = part.whole("line")
    if line is None:
        raise invalid("PullRequestReviewComment", "line", "missing_field")
    return Remark(
        path=part.text("path"),
        line=line,
        text=part.text("body"),
        side=part.text("side", "RIGHT"),
        start_line=part.whole("start_line"),
    )


_ONE = "/pulls/{number:number}"
_REVIEW = f"{_ONE}/reviews/{{review:number}}"
ROUTES = (
    Route("GET", f"{_ONE}/reviews", _reviews),
    Route("POST", f"{_ONE}/reviews", _submit, "sign-in"),
    Route("GET", _REVIEW, _get_review),
    Route("GET", f"{_REVIEW}/comments", _comments_of),
    Route("PUT", f"{_REVIEW}/dismissals", _dismiss, "write"),
    Route("GET", f"{_ONE}/comments", _comments),
    Route("POST", f"{_ONE}/comments", _write, "sign-in"),
    Route("POST", f"{_ONE}/comments/{{comment:number}}/replies", _reply, "sign-in"),
    Route("GET", "/pulls/comments", _all_comments),
    Route("GET", "/pulls/comments/{number:number}", _get),
    Route("PATCH", "/pulls/comments/{number:number}", _edit, "sign-in"),
)
