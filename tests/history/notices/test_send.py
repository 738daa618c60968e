"""Notices reach real receivers on this machine, and never go where they may not."""

import asyncio
import ipaddress
import json
import sys
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from pydantic import ValidationError

from setpoint.errors import UsageError
from setpoint.history.notices.formats import Post, signed
from setpoint.history.notices.notice import Notice
from setpoint.history.notices.public_address import is_public, place_of
from setpoint.history.notices.send import send
from setpoint.model.config.notice_target import NoticeKind, NoticeTarget

NOTICE = Notice(
    kind=NoticeKind.ASKS,
    id="run-1-9",
    at=datetime(2026, 1, 1, tzinfo=UTC),
    run="run-1",
    repository="shop",
    title="Setpoint asks: mend <!channel> & more",
    lines=("may the maker change tests/test_a.py?", "answer with: setpoint answer show run-1"),
)
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Receiver:
    """A server on this machine; answers each request with the next status, then with 200."""

    def __init__(self, *statuses):
        self.got, left = [], list(statuses)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(handler):  # noqa: N805
                body = handler.rfile.read(int(handler.headers["content-length"]))
                self.got.append((handler.path, dict(handler.headers), body))
                status = left.pop(0) if left else 200
                handler.send_response(status)
                if status == 302:
                    handler.send_header("location", "/elsewhere")
                handler.send_header("content-length", "0")
                handler.end_headers()

            def log_message(handler, *_):  # noqa: N805
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()


@pytest.fixture
def receive():
    made = []

    def one(*statuses):
        made.append(Receiver(*statuses))
        return made[-1]

    yield one
    for each in made:
        each.server.shutdown()
        each.server.server_close()


def sent(target, tmp_path, **variables):
    pauses = []
    asyncio.run(send(target, NOTICE, variables, tmp_path, pause=pauses.append))
    return pauses


def test_a_webhook_is_told_in_json_and_signed(receive, tmp_path):
    there = receive()
    target = NoticeTarget(url_variable="HOOK", secret_variable="SECRET", private=True)
    sent(target, tmp_path, HOOK=f"{there.url}/hook?a=1", SECRET=SECRET)
    ((path, headers, body),) = there.got
    told = json.loads(body)
    assert (path, told["type"], told["data"]["run"]) == ("/hook?a=1", "run.asks", "run-1")
    assert told["data"]["lines"][1] == "answer with: setpoint answer show run-1"
    now = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
    again = signed(Post("", body, {}), NOTICE, SECRET, now).headers
    assert headers["webhook-signature"] == again["webhook-signature"]
    assert headers["host"] == f"127.0.0.1:{there.server.server_port}"


def test_the_signature_is_the_one_of_standard_webhooks():
    post = Post("", b'{"test": 2432232314}', {})
    made = signed(post, NOTICE, SECRET, datetime.fromtimestamp(1614265330, UTC)).headers
    # What the `standardwebhooks` package makes of the same id, time, body and secret.
    assert made["webhook-signature"] == "v1,I+DDlRrF2G0k4sLQpvL6jRFx5b+b4jcjw4jhn4SUndI="
    assert (made["webhook-id"], made["webhook-timestamp"]) == ("run-1-9", "1614265330")


def test_slack_gets_text_that_mentions_nobody(receive, tmp_path):
    there = receive()
    sent(NoticeTarget(form="slack", url=there.url, private=True), tmp_path)
    text = json.loads(there.got[0][2])["text"]
    assert text.startswith("*Setpoint asks: mend &lt;!channel&gt; &amp; more*\n")


def test_ntfy_gets_the_topic_of_the_path(receive, tmp_path):
    there = receive()
    sent(NoticeTarget(form="ntfy", url=f"{there.url}/my-topic", private=True), tmp_path)
    path, _, body = there.got[0]
    told = json.loads(body)
    assert (path, told["topic"], told["priority"]) == ("/", "my-topic", 4)
    assert told["message"].endswith("setpoint answer show run-1")
    with pytest.raises(UsageError, match="names no topic"):
        sent(NoticeTarget(form="ntfy", url=there.url, private=True), tmp_path)


def test_a_command_reads_the_text(tmp_path):
    code = "import sys; open('mail', 'w').write(sys.argv[1] + '|' + sys.stdin.read())"
    sent(NoticeTarget(form="command", command=(sys.executable, "-c", code, "{title}")), tmp_path)
    title, _, text = (tmp_path / "mail").read_text().partition("|")
    assert title == NOTICE.title
    assert text == f"{NOTICE.title}\n\n{NOTICE.text}\n"
    failing = "import sys; print('no mail here'); sys.exit(3)"
    with pytest.raises(UsageError, match="exit code 3 no mail here"):
        sent(NoticeTarget(form="command", command=(sys.executable, "-c", failing)), tmp_path)


def test_an_overloaded_receiver_is_tried_again_and_a_refusal_is_not(receive, tmp_path):
    there = receive(503, 429)
    assert sent(NoticeTarget(url=there.url, private=True), tmp_path) == [1.0, 3.0]
    assert len(there.got) == 3
    for status, tries in ((404, 1), (302, 1)):
        there = receive(status)
        with pytest.raises(UsageError, match=f"it refuses: {status}"):
            sent(NoticeTarget(url=there.url, private=True), tmp_path)
        assert len(there.got) == tries
    there = receive(500, 500, 500)
    with pytest.raises(UsageError, match="it refuses: 500"):
        sent(NoticeTarget(url=there.url, private=True), tmp_path)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:9/hook", "plain HTTP is not used"),
        ("https://localhost/hook", "not a public address"),
        ("https://127.0.0.1/hook", "not a public address"),
        ("https://[::1]/hook", "not a public address"),
        ("https://[::ffff:10.0.0.1]/hook", "not a public address"),
        ("https://169.254.169.254/latest/meta-data", "not a public address"),
        ("https://2130706433/hook", "not a public address"),
        ("https://0x7f.1/hook", "not a public address"),
        ("https://user:word@example.com/hook", "none of http or https with a host"),
        ("file:///etc/passwd", "none of http or https with a host"),
        ("https://exa mple.com:port/", "cannot be read"),
        ("https://nowhere.invalid/hook", "cannot be resolved"),
    ],
)
def test_a_notice_does_not_go_where_it_may_not(url, why, tmp_path):
    with pytest.raises(UsageError, match=why):
        sent(NoticeTarget(url=url), tmp_path)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:4700::1111", True),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
        ("fd00::1", False),
        ("::ffff:8.8.8.8", True),
    ],
)
def test_which_addresses_are_public(address, public):
    assert is_public(ipaddress.ip_address(address)) is public


def test_the_request_goes_to_the_address_that_was_looked_at(monkeypatch):
    answers = [[(2, 1, 6, "", ("93.184.216.34", 443))], [(2, 1, 6, "", ("127.0.0.1", 443))]]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: answers.pop(0))
    place = place_of("https://example.com:8443/hook#top", private=False)
    assert place == ("https://93.184.216.34:8443/hook", "example.com:8443", "example.com")


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"url": "https://a.example", "url_variable": "A"},
        {"form": "command", "url": "https://a.example"},
        {"form": "slack", "url": "https://a.example", "secret_variable": "S"},
        {"url": "https://a.example", "on": []},
        {"url": "https://a.example", "on": ["never"]},
    ],
)
def test_a_receiver_is_named_in_one_way(wrong):
    with pytest.raises(ValidationError):
        NoticeTarget.model_validate(wrong)


def test_what_is_not_set_or_too_short_is_named(tmp_path):
    with pytest.raises(UsageError, match="HOOK is not set"):
        sent(NoticeTarget(url_variable="HOOK"), tmp_path)
    target = NoticeTarget(url="http://127.0.0.1:9", secret_variable="S", private=True)
    with pytest.raises(UsageError, match="at least 16 bytes"):
        sent(target, tmp_path, S="whsec_c2hvcnQ=")
