"""GitHub's adapter on the fake GitHub: faults, limits of the rate, and news that are the same both ways."""

import pytest

from forges.github_stage import GitHubStage
from forges.signing import SECRET, headers, written
from setpoint.errors import ForgeBusy, ForgeError, SettingsError
from setpoint.forges.github.deliveries import read_delivery
from setpoint.forges.open import delivery_reader, open_forge
from setpoint.model.config.forge import ForgeKind, ForgeSettings
from setpoint.model.forge import PullText
from setpoint.testing.contracts.remote_forge import FILE, LABEL, opened, run
from setpoint.testing.forge import FakeForge


@pytest.fixture
async def stage(tmp_path):
    with FakeForge(tmp_path / "forge") as fake:
        yield await GitHubStage(fake, tmp_path).open()


class Inbox:
    """Keeps what a fake forge would send."""

    def __init__(self):
        self.got = []

    def accept(self, event, body):
        payload = written(body)
        self.got.append(read_delivery(headers(event, payload), payload, SECRET))

    def close(self):
        """Keep nothing open."""


async def test_news_has_the_same_key_by_webhook_and_by_poll(stage):
    inbox = Inbox()
    stage.fake.hooks.append(inbox)
    issue = await stage.open_issue("Fix add", "", "eve")
    await stage.label(issue, "wes")
    pull = await opened(stage)
    await stage.say(pull.number, "eve", "Why?")
    stage.fake.review(pull.number, "changes_requested", "No", by="wes", comments=[(FILE, 1, "Here")])
    thread = stage.fake.threads(pull.number)[0]
    stage.fake.resolve(thread, by="wes")
    stage.fake.deploy(pull.head, "production", "success")
    asked = [
        *await stage.forge.labelled(LABEL),
        *await stage.forge.comments(),
        *await stage.forge.reviews(pull.number),
        *await stage.forge.threads(pull.number),
        *await stage.forge.deployments(),
    ]
    await stage.merge(pull.number, "ada")
    asked.append(await stage.forge.pull(pull.number))
    told = [news for delivery in inbox.got for news in delivery.news]
    assert sorted(each.key for each in told) == sorted(each.key for each in asked)
    assert len({each.key for each in told}) == 7


async def test_a_repository_without_drafts_says_it_in_the_title(tmp_path):
    with FakeForge(tmp_path / "forge", drafts=False) as fake:
        stage = await GitHubStage(fake, tmp_path).open()
        made = await opened(stage, draft=True)
        titles = [fake.issue(made.number).title]
        for draft in (False, True):
            wanted = PullText(branch=made.branch, into="main", title="Fix add", text="It adds.", draft=draft)
            await stage.forge.put_pull(wanted, made.number)
            titles.append(fake.issue(made.number).title)

    assert [title.startswith("[draft] ") for title in titles] == [True, False, True]
    assert titles[1:] == ["Fix add", "[draft] Fix add"]


async def test_an_interrupted_look_is_repeated(stage):
    for status in (500, 502, 0):
        stage.fake.fail_next(status, path="/user")
        assert await (await stage.open()).forge.me() == "setpoint-bot"


async def test_who_has_to_wait_long_knows_how_long(stage):
    stage.fake.fail_next(429, headers={"Retry-After": "120"}, path="/user")
    with pytest.raises(ForgeBusy) as busy:
        await stage.forge.me()
    assert busy.value.wait_s == 120


async def test_what_did_not_change_costs_no_rate(stage):
    number = (await opened(stage)).number
    first = await stage.forge.reviews(number)
    assert await stage.forge.reviews(number) == first
    assert [status for _, path, status in stage.fake.asked if "/reviews" in path] == [200, 304]


async def test_a_refusal_names_the_variable_and_never_the_token(stage):
    stage.fake.revoke(stage.token)
    with pytest.raises(ForgeError) as refused:
        await stage.forge.permission("ada")
    assert "401" in refused.value.message
    assert "FORGE_TOKEN" in refused.value.hint
    with pytest.raises(ForgeError) as push:
        await stage.forge.push(stage.root, run(stage.root, "rev-parse", "HEAD"), ["refs/heads/x"])
    for error in (refused.value, push.value):
        assert stage.token not in f"{error!r} {error}"


@pytest.mark.parametrize(
    ("address", "settings", "wrong"),
    [
        ("https://github.com/octo/shop.git", {}, "FORGE_TOKEN is not set"),
        ("git@github.com:octo/shop.git", {}, "FORGE_TOKEN is not set"),
        ("ssh://git@github.com:22/octo/shop", {}, "FORGE_TOKEN is not set"),
        ("http://u:hidden@git.example.com/octo/shop", {}, "unencrypted"),
        ("/somewhere/bare.git", {}, "names no"),
        ("https://u:hidden@github.com/shop", {}, "names no repository"),
        ("https://github.com:x/octo/shop", {}, "cannot be read"),
        ("https://github.com/octo/shop", {"remote": "upstream"}, "no git remote"),
        ("https://github.com/octo/shop", {"api_url": "ftp://x"}, "no address of an API"),
        ("https://github.com/octo/shop", {"app_id": "1"}, "forge.app_key_file"),
        ("https://github.com/octo/shop", {"kind": ForgeKind.NONE}, "no forge is set"),
    ],
)
async def test_what_lacks_is_named(tmp_path, address, settings, wrong):
    run(tmp_path, "init", "-q")
    run(tmp_path, "remote", "add", "origin", address)
    with pytest.raises(SettingsError, match=wrong) as error:
        await open_forge(ForgeSettings(**{"kind": ForgeKind.GITHUB, **settings}), tmp_path, {})
    assert "hidden" not in str(error.value)


def test_each_kind_has_its_reader():
    assert delivery_reader(ForgeKind.GITHUB) is read_delivery
    assert delivery_reader(ForgeKind.FORGEJO) is not read_delivery
    with pytest.raises(SettingsError):
        delivery_reader(ForgeKind.NONE)
