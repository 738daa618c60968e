"""What is tried at every route there is, those that somebody adds later too: none of it works."""

import re

import pytest
from fastapi.routing import APIRoute

from setpoint.web.app import DESCRIBED, PAGES
from setpoint.web.shield import CSRF_HEADER, FORGE
from web.conftest import ASKING, HERE, HOSTILE, VERIFIED

EVERY = [
    (method, route.path_format)
    for router in (*(each for each, _ in DESCRIBED), *PAGES)
    for route in router.routes
    if isinstance(route, APIRoute)
    for method in sorted(route.methods)
]
READING = [path for method, path in EVERY if method == "GET"]
WRITING = [path for method, path in EVERY if method == "POST"]
OPEN = ("/login", "/healthz", "/readyz")
"""The routes that let somebody in who is not known yet, or say no more than whether the server works."""
FOREIGN = [
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {CSRF_HEADER: ""},
    {CSRF_HEADER: "0" * 64},
]
WAYS_OUT = ["..%2f..%2f..%2f..%2fetc%2fpasswd", "%2e%2e", "..%5c..%5cetc", "%00", "/etc/passwd", "a" * 5000]
FORM = {"content-type": "application/x-www-form-urlencoded"}
FILLED = re.compile(r"\{\w+(:\w+)?\}")


def at(path, filled="1"):
    """Give a path of which each part that varies is the same."""
    return FILLED.sub(lambda _: filled, path)


def recorded(project):
    return [len(project.log.replay(trace)) for trace in (VERIFIED, HOSTILE, ASKING)]


def test_all_routes_are_tried(program):
    described = set(program.get("/api/openapi.json").json()["paths"])
    assert described <= {path for _, path in EVERY}
    assert {method for method, _ in EVERY} == {"GET", "POST"}
    assert {"/", "/runs/{which}/diff/{iteration}", "/learnings/{which}/merge", "/production"} <= {
        path for _, path in EVERY
    }


def test_a_name_that_was_bound_anew_reaches_no_route(browser):
    told = {each: browser.request(each[0], at(each[1]), headers={"host": "evil.example"}) for each in EVERY}
    assert {each: answer.status_code for each, answer in told.items()} == dict.fromkeys(EVERY, 421)


@pytest.mark.parametrize(
    "known", [{}, {"authorization": "Bearer x"}, {"cookie": "setpoint=admin.99999999999.x.y"}]
)
def test_no_route_is_open_to_whom_nobody_knows(anyone, known):
    for method, path in EVERY:
        if path not in (*OPEN, FORGE):  # what a forge sends is signed: tests/web/test_forge_webhook.py
            kind = {"content-type": media(path)} if method == "POST" else {}
            answer = anyone.request(method, at(path), headers={**kind, **known})
            assert answer.status_code == 401, (method, path)
            assert "run-" not in answer.text


def media(path):
    return "application/x-sentry-envelope" if "envelope" in path else "application/json"


@pytest.mark.parametrize("headers", FOREIGN)
def test_no_route_takes_a_form_of_another_site(browser, project, headers):
    before = recorded(project)
    for path in WRITING:
        kind = {"content-type": media(path)} if path.startswith("/api") else FORM
        answer = browser.post(at(path, ASKING), content="reason=no", headers={**kind, **headers})
        assert answer.status_code in (403, 415), (path, answer.text)
    assert recorded(project) == before


@pytest.mark.parametrize("kind", ["text/plain", "text/plain; application/json", "multipart/form-data", ""])
def test_no_route_takes_what_needs_no_leave_of_a_browser(browser, project, kind):
    before = recorded(project)
    for path in WRITING:
        sent = {"content": '{"reason": "no"}', "headers": {"content-type": kind}}
        assert browser.post(at(path, ASKING), **sent).status_code == 415, path
    assert recorded(project) == before


@pytest.mark.parametrize("way", WAYS_OUT)
def test_no_part_of_a_path_leads_out(browser, way):
    for path in READING:
        if FILLED.search(path):
            answer = browser.get(f"http://{HERE}{at(path, way)}")
            assert answer.status_code in (400, 404, 405, 409, 422), (path, answer.text)
            assert "root:" not in answer.text
            assert ASKING not in answer.text
