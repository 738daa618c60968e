"""REST: check runs, commit statuses, SARIF, deployments."""

from __future__ import annotations

from setpoint.testing.forge import report_acts as acts
from setpoint.testing.forge.payloads import checks as shown
from setpoint.testing.forge.records import CheckRun, Deployment
from setpoint.testing.forge.refusal import missing
from setpoint.testing.forge.rest.exchange import Ask, Reply, Route


def _run(ask: Ask) -> CheckRun:
    found = next((each for each in ask.world.checks if each.id == ask.number()), None)
    if found is None:
        raise missing()
    return found


def _create(ask: Ask) -> Reply:
    ask.text("name"), ask.text("head_sha")
    made = acts.report(ask.world, ask.body, ask.by)
    return Reply(status=201, body=shown.check_run(ask.world, made))


def _update(ask: Ask) -> Reply:
    made = acts.report(ask.world, ask.body, ask.by, _run(ask))
    return Reply(body=shown.check_run(ask.world, made))


def _get(ask: Ask) -> Reply:
    return Reply(body=shown.check_run(ask.world, _run(ask)))


def _annotations(ask: Ask) -> Reply:
    run = _run(ask)
    return Reply(pages=[shown.annotation(ask.world, run, each) for each in run.annotations])


def _runs(ask: Ask) -> Reply:
    sha = ask.world.bare.tip(ask.found["ref"])
    if sha is None:
        raise missing()
    query = ask.query
    found = [
        each
        for each in ask.world.checks
        if each.body["head_sha"] == sha and query.get("check_name", each.body["name"]) == each.body["name"]
    ]
    return Reply(pages=[shown.check_run(ask.world, each) for each in reversed(found)], under="check_runs")


def _state(ask: Ask) -> Reply:
    ask.text("state")
    given = {name: ask.optional(name) for name in ("state", "context", "description", "target_url")}
    made = acts.state(ask.world, ask.found["sha"], given, ask.by)
    return Reply(status=201, body=shown.status(ask.world, made))


def _states(ask: Ask) -> Reply:
    sha = ask.world.bare.tip(ask.found["ref"])
    found = [each for each in ask.world.statuses if each.sha == sha]
    return Reply(pages=[shown.status(ask.world, each) for each in reversed(found)])


def _upload(ask: Ask) -> Reply:
    made = acts.upload(ask.world, ask.text("commit_sha"), ask.text("ref"), ask.text("sarif"))
    url = f"{ask.world.api_repo}/code-scanning/sarifs/{made.id}"
    return Reply(status=202, body={"id": made.id, "url": url})


def _upload_state(ask: Ask) -> Reply:
    if all(each.id != ask.found["id"] for each in ask.world.sarifs):
        raise missing()
    url = f"{ask.world.api_repo}/code-scanning/analyses?sarif_id={ask.found['id']}"
    return Reply(body={"processing_status": "complete", "analyses_url": url})


def _deployments(ask: Ask) -> Reply:
    query = ask.query
    found = [
        each
        for each in ask.world.deployments
        if query.get("environment", each.environment) == each.environment
        and query.get("sha", each.sha) == each.sha
        and query.get("ref", each.ref) == each.ref
    ]
    return Reply(pages=[shown.deployment(ask.world, each) for each in reversed(found)])


def _deployment(ask: Ask) -> Deployment:
    found = next((each for each in ask.world.deployments if each.id == ask.number()), None)
    if found is None:
        raise missing()
    return found


def _deploy(ask: Ask) -> Reply:
    words = ask.text("environment", "production"), ask.text("description", "")
    made = acts.deploy(ask.world, ask.text("ref"), *words, ask.by)
    return Reply(status=201, body=shown.deployment(ask.world, made))


def _get_deployment(ask: Ask) -> Reply:
    return Reply(body=shown.deployment(ask.world, _deployment(ask)))


def _reached(ask: Ask) -> Reply:
    made = _deployment(ask)
    given = {name: ask.text(name, "") for name in ("description", "log_url")}
    state = acts.deployed(ask.world, made, {"state": ask.text("state"), **given}, ask.by)
    return Reply(status=201, body=shown.deployment_status(ask.world, made, state))


def _deployment_states(ask: Ask) -> Reply:
    made = _deployment(ask)
    states = reversed(made.statuses)
    return Reply(pages=[shown.deployment_status(ask.world, made, each) for each in states])


_DEPLOYMENT = "/deployments/{number:number}"
ROUTES = (
    Route("POST", "/check-runs", _create, "app"),
    Route("GET", "/check-runs/{number:number}", _get),
    Route("PATCH", "/check-runs/{number:number}", _update, "app"),
    Route("GET", "/check-runs/{number:number}/annotations", _annotations),
    Route("GET", "/commits/{ref:rest}/check-runs", _runs),
    Route("POST", "/statuses/{sha}", _state, "write"),
    Route("GET", "/commits/{ref:rest}/statuses", _states),
    Route("POST", "/code-scanning/sarifs", _upload, "write"),
    Route("GET", "/code-scanning/sarifs/{id}", _upload_state, "write"),
    Route("GET", "/deployments", _deployments),
    Route("POST", "/deployments", _deploy, "write"),
    Route("GET", _DEPLOYMENT, _get_deployment),
    Route("GET", f"{_DEPLOYMENT}/statuses", _deployment_states),
    Route("POST", f"{_DEPLOYMENT}/statuses", _reached, "write"),
)
