"""What other sites, other machines and hostile texts try: none of it works."""

import re
import stat

import pytest

from setpoint.model.events.run import CancelRequested, GateAnswered
from setpoint.web.access import TICKET_S, Access, Scope
from setpoint.web.shield import CSRF_HEADER, HEADERS, MOST_BODY
from web.conftest import ASKING, HERE, HOSTILE, VERIFIED

READ = ["/", "/gates", "/board", "/metrics", f"/runs/{VERIFIED}", f"/runs/{VERIFIED}/report", "/live/runs"]
API = ["/api/v1/runs", "/api/v1/gates", "/api/v1/stories", "/api/v1/metrics", "/api/openapi.json"]
FORM = {"choice": "cancel", "reason": "no"}


def answered(project):
    return any(isinstance(each.body, GateAnswered) for each in project.log.replay(ASKING))


@pytest.mark.parametrize("path", [*READ, *API])
def test_nothing_is_shown_without_a_login(anyone, path):
    answer = anyone.get(path)
    assert answer.status_code == 401
    assert "run-" not in answer.text


def test_a_browser_without_a_login_is_led_to_it(anyone):
    answer = anyone.get("/", headers={"accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:7410", "127.0.0.1", "127.0.0.1:80", ""])
def test_a_name_that_was_bound_anew_to_this_machine_is_not_served(browser, host):
    for path in ("/", "/login", "/static/setpoint.js", "/api/v1/runs"):
        assert browser.get(path, headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8000"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_form_of_another_site_changes_nothing(browser, project, headers):
    assert browser.post(f"/gates/{ASKING}", data=FORM, headers=headers).status_code == 403
    assert not answered(project)


def test_a_form_without_the_token_of_the_page_changes_nothing(browser, project):
    for wrong in ("", "0" * 64):
        headers = {CSRF_HEADER: wrong, "origin": f"http://{HERE}"}
        assert browser.post(f"/gates/{ASKING}", data=FORM, headers=headers).status_code == 403
    assert not answered(project)


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "", "application/xml"])
def test_a_request_that_needs_no_leave_of_the_browser_changes_nothing(browser, project, kind):
    body = '{"choice": "cancel"}'
    for path in (f"/api/v1/gates/{ASKING}", f"/gates/{ASKING}", "/api/v1/runs"):
        assert browser.post(path, content=body, headers={"content-type": kind}).status_code == 415
    assert not answered(project)


def test_a_body_has_a_limit_also_where_its_length_is_not_told(program, project):
    path, much = f"/api/v1/gates/{ASKING}", b"x" * (MOST_BODY + 1)
    kind = {"content-type": "application/json"}
    assert program.post(path, content=much, headers=kind).status_code == 413
    untold = program.post(path, content=iter([much[:100], much]), headers=kind)
    assert untold.status_code >= 400
    assert not answered(project)


@pytest.mark.parametrize("scope", [Scope.READ, Scope.FEEDBACK])
def test_a_scope_allows_what_it_says_and_no_more(anyone, access, project, scope):
    anyone.headers |= {"authorization": f"Bearer {access.tokens[scope]}"}
    assert anyone.get("/api/v1/runs").status_code == 200
    for path in ("/api/v1/runs", f"/api/v1/runs/{ASKING}/resume", f"/api/v1/runs/{ASKING}/cancel"):
        assert anyone.post(path, json={"wish": "x", "reason": ""}).status_code == 403
    for more in ({"go": True}, {"patch": "--- a/a.py\n"}):
        asked = {"choice": "continue", **more}
        assert anyone.post(f"/api/v1/gates/{ASKING}", json=asked).status_code == 403
    # A feedback visitor gets as far as being told that this is none of the answers.
    reached = anyone.post(f"/api/v1/gates/{ASKING}", json={"choice": "approve"}).status_code
    assert reached == (409 if scope is Scope.FEEDBACK else 403)
    assert not answered(project)
    assert not any(isinstance(each.body, CancelRequested) for each in project.log.replay(ASKING))


@pytest.mark.parametrize("token", ["", "x", "Bearer", "é"])
def test_a_wrong_token_opens_nothing(anyone, token):
    headers = {"authorization": f"Bearer {token}".encode()}
    assert anyone.get("/api/v1/runs", headers=headers).status_code == 401
    assert anyone.post("/login", data={"token": token or " "}).status_code == 403


def test_a_token_in_the_login_page_opens_a_session(anyone, access):
    assert anyone.post("/login", data={"token": access.tokens[Scope.READ]}).status_code == 200
    assert anyone.get("/").status_code == 200
    cookie = access.by_session(anyone.cookies[access.cookie])
    assert cookie.scope is Scope.READ


def test_a_login_link_works_once_and_for_a_while(anyone, access):
    link = f"/login?ticket={access.ticket(Scope.ADMIN)}"
    first = anyone.get(link)
    told = first.headers["set-cookie"].lower()
    assert "httponly" in told
    assert "samesite=strict" in told
    anyone.cookies.clear()
    assert "set-cookie" not in anyone.get(link).headers
    late = Access(keys=access.keys, clock=iter([0.0, TICKET_S]).__next__)
    assert late.redeem(late.ticket(Scope.ADMIN)) is None


def test_a_session_cannot_be_forged_nor_outlive_its_time(access):
    session = access.session(Scope.READ)
    assert access.by_session(session).scope is Scope.READ
    assert access.by_session(session.replace("read", "admin", 1)) is None
    assert access.by_session("") is None
    assert access.by_session("admin.99999999999.x.") is None
    access.clock, kept = lambda: 1e11, access.clock
    assert access.by_session(session) is None
    access.clock = kept
    other = Access(keys=access.keys, name=access.name)
    assert other.by_session(session) is None, "what is stored does not sign"


def test_what_is_stored_of_the_tokens_opens_nothing(project, access, anyone):
    file = project.state / "web-tokens.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len({*access.tokens.values(), access.ingest_key}) == 5
    text = file.read_text()
    for word in {*re.findall(r"[\w-]+", text), text}:
        assert access.by_token(word) is None
        assert access.by_ingest_key(word) is None
    for key in (*access.tokens.values(), access.ingest_key):
        assert key not in text
        assert not [
            path for path in project.state.rglob("*") if path.is_file() and key.encode() in path.read_bytes()
        ]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2f..%2fsettings.py",
        "/static/vendored/../../access.py",
        "/runs/..%2f..%2fetc%2fpasswd",
        "/runs/%2e%2e/diff/0",
        f"/runs/{VERIFIED}/diff/-1",
        "/live/..%2fx",
    ],
)
def test_no_path_leads_out(browser, path):
    answer = browser.get(path)
    assert answer.status_code in (401, 404, 409, 422)
    assert "root:" not in answer.text
    assert "def make_app" not in answer.text


@pytest.mark.parametrize("path", [*READ[:-1], "/login", "/static/setpoint.js", "/nothing", *API])
def test_every_answer_forbids_what_it_does_not_need(browser, path):
    answer = browser.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "server" not in answer.headers


@pytest.mark.parametrize("path", ["/", f"/runs/{HOSTILE}", "/gates", "/board", "/metrics"])
def test_texts_from_outside_stay_texts(browser, path):
    text = browser.get(path).text
    scripts = re.findall(r"<script[^>]*>", text)
    assert all(' src="/static/' in each for each in scripts), scripts
    assert not re.search(r"<(img|iframe|object|embed|svg[^>]*onload)", text.replace('<svg class="plot"', ""))
    assert not re.search(r"<[a-z][^>]*\son[a-z]+\s*=", text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text)
    assert not re.search(r"<[a-z][^>]*\sstyle\s*=", text), "the policy would drop it"
