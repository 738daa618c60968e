"""Messages of GitHub to a webhook: what is signed is read, and nothing else is accepted."""

import copy
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forges.payloads import KEYS, NEWS, SILENT
from forges.signing import ID, SECRET, headers, signature, written
from setpoint.errors import DeliveryRefused, UsageError
from setpoint.forges.github.deliveries import read_delivery
from setpoint.model.forge import Delivery, ForgeComment, Labelled, Pull, PullState

EVENTS = sorted({event for event, _ in NEWS.values()})


def read(event, payload, secret=SECRET):
    body = payload if isinstance(payload, bytes) else written(payload)
    return read_delivery(headers(event, body), body, secret)


@pytest.mark.parametrize("name", NEWS)
def test_messages_give_news(name):
    delivery = read(*NEWS[name])
    assert (delivery.id, delivery.repository) == (ID, "octo/shop")
    assert [each.key for each in delivery.news] == [KEYS[name]]


def test_news_say_what_the_messages_say():
    (labelled,) = read(*NEWS["labelled"]).news
    assert isinstance(labelled, Labelled)
    told = (labelled.by, labelled.author, labelled.title, labelled.text, labelled.edited)
    assert told == ("wes", "eve", "Fix add", "It subtracts.", False)
    (line,) = read(*NEWS["line"]).news
    assert isinstance(line, ForgeComment)
    place = (line.number, line.file, line.line, line.commit, line.reply_to, line.edited)
    assert place == (8, "calc.py", 2, "a" * 40, "line-30", False)
    (merged,) = read(*NEWS["merged"]).news
    assert isinstance(merged, Pull)
    assert (merged.state, merged.by, merged.merge_commit) == (PullState.MERGED, "wes", "b" * 40)
    (closed,) = read(*NEWS["closed"]).news
    assert isinstance(closed, Pull)
    assert (closed.state, closed.by, closed.merge_commit) == (PullState.CLOSED, "wes", "")


@pytest.mark.parametrize("name", SILENT)
def test_other_messages_give_none(name):
    assert read(*SILENT[name]).news == ()


def test_who_deleted_the_account_is_a_ghost():
    event, payload = copy.deepcopy(NEWS["comment"])
    payload["comment"]["user"] = None
    (news,) = read(event, payload).news
    assert news.author == "ghost"


BODY = written(NEWS["comment"][1])
RIGHT = headers("issue_comment", BODY)
FORGED = {
    "no signature": {"x-hub-signature-256": ""},
    "another secret": {"x-hub-signature-256": f"sha256={signature(BODY, 'other')}"},
    "the secret of nobody": {"x-hub-signature-256": f"sha256={signature(BODY, '')}"},
    "without the algorithm": {"x-hub-signature-256": signature(BODY)},
    "another algorithm": {"x-hub-signature-256": f"sha1={signature(BODY)}"},
    "upper case": {"x-hub-signature-256": f"sha256={signature(BODY).upper()}"},
    "twice": {"x-hub-signature-256": f"sha256=sha256={signature(BODY)}"},
    "two of them": {"x-hub-signature-256": f"sha256={signature(BODY)}, sha256={signature(BODY)}"},
    "with a space": {"x-hub-signature-256": f"sha256={signature(BODY)} "},
    "with a line end": {"x-hub-signature-256": f"sha256={signature(BODY)}\n"},
    "too short": {"x-hub-signature-256": f"sha256={signature(BODY)[:-1]}"},
    "too long": {"x-hub-signature-256": f"sha256={signature(BODY)}0"},
    "no letters of ours": {"x-hub-signature-256": "sha256=" + "é" * 64},
    "digits of others": {"x-hub-signature-256": "sha256=" + "\u0661" * 64},
    "half a character": {"x-hub-signature-256": "sha256=\udc80" + "0" * 63},
    "the old header alone": {"x-hub-signature-256": "", "x-hub-signature": f"sha1={signature(BODY)}"},
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_messages_are_refused(name):
    with pytest.raises(DeliveryRefused):
        read_delivery({**RIGHT, **FORGED[name]}, BODY, SECRET)


def test_a_signature_over_an_empty_secret_opens_nothing():
    with pytest.raises(DeliveryRefused, match="no secret is set"):
        read_delivery(headers("issue_comment", BODY, secret=""), BODY, "")


def test_a_body_changed_by_one_bit_is_refused():
    drawn = random.Random(28)
    for _ in range(120):
        place, bit = drawn.randrange(len(BODY)), 1 << drawn.randrange(8)
        changed = bytes([*BODY[:place], BODY[place] ^ bit, *BODY[place + 1 :]])
        with pytest.raises(DeliveryRefused):
            read_delivery(RIGHT, changed, SECRET)


MALFORMED = {
    "nothing": b"",
    "a word": b"hello",
    "a form": b"payload=%7B%22action%22%3A%22created%22%7D",
    "a list": b"[]",
    "null": b"null",
    "a number": b"1",
    "half an object": b'{"action": "created"',
    "two objects": b"{}{}",
    "not UTF-8": b'{"action": "\xff"}',
    "UTF-16": '{"action": "created"}'.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf{}",
    "a key twice": b'{"action": "edited", "action": "created"}',
    "a key twice below": b'{"issue": {"number": 1, "number": 2}}',
    "not a number": b'{"x": NaN}',
    "infinite": b'{"x": -Infinity}',
    "too deep": b'{"x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "deep objects": b'{"x": ' * 5_000 + b"1" + b"}" * 5_000,
    "half a character": b'{"action": "\\ud800"}',
    "too many digits": b'{"x": ' + b"1" * 10_000 + b"}",
    "a comment": b'{"action": "created"} // ok',
    "a raw line end in a text": b'{"action": "a\nb"}',
    "an action of another type": b'{"action": 1}',
    "a repository of another type": b'{"repository": "octo/shop"}',
}


@pytest.mark.parametrize("name", MALFORMED)
@pytest.mark.parametrize("event", EVENTS)
def test_malformed_messages_are_refused_although_they_are_signed(name, event):
    with pytest.raises(UsageError) as refused:
        read(event, MALFORMED[name])
    assert not isinstance(refused.value, DeliveryRefused)


def test_what_is_longer_than_github_sends_is_refused():
    with pytest.raises(UsageError, match="more than 25,000,000 bytes"):
        read("ping", b'{"x": "' + b"a" * 25_000_000 + b'"}')


@pytest.mark.parametrize("name", ["x-github-event", "x-github-delivery"])
@pytest.mark.parametrize("value", ["", " ", "a b", "../x", "é", "a\nb", "x" * 101, None])
def test_headers_have_a_form(name, value):
    given_headers = {key: text for key, text in {**RIGHT, name: value}.items() if text is not None}
    with pytest.raises(UsageError):
        read_delivery(given_headers, BODY, SECRET)


def places(value, before=()):
    """Give the place of every value in a payload."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*before, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*before, key))


ODD = ("", -1, 0, 1.5, True, None, [], {}, [[]], "x" * 100_000, 10**30, "9999-99-99", {"login": 1}, ["\x00"])


def changed(payload, place, odd):
    copied = copy.deepcopy(payload)
    inner = copied
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = odd
    return copied


def test_odd_values_are_read_or_refused_and_nothing_else():
    outcomes = {"read": 0, "refused": 0}
    for event, payload in NEWS.values():
        for place in places(payload):
            for odd in ODD:
                try:
                    assert isinstance(read(event, changed(payload, place, odd)), Delivery)
                    outcomes["read"] += 1
                except UsageError:
                    outcomes["refused"] += 1
    assert outcomes["refused"] > 500
    assert outcomes["read"] > 200


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KNOWN = sorted({place for _, payload in NEWS.values() for place in places(payload)}, key=str)


def read_or_refused(event, body):
    try:
        assert isinstance(read(event, body), Delivery)
    except UsageError as error:
        str(error).encode("utf-8")  # it can be shown


@given(event=st.sampled_from(EVENTS) | st.text(max_size=12), body=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(event, body):
    read_or_refused(event, body)


@given(which=st.sampled_from(sorted(NEWS)), place=st.sampled_from(KNOWN), value=JSON)
def test_any_values_are_read_or_refused(which, place, value):
    event, payload = NEWS[which]
    try:
        body = json.dumps(changed(payload, place, value)).encode()
    except (KeyError, TypeError, IndexError):
        return  # this payload has no such place
    read_or_refused(event, body)
