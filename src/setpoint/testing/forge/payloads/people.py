"""Accounts and the app, as GitHub shows them."""

from __future__ import annotations

from setpoint.testing.forge.naming import node, stamp
from setpoint.testing.forge.records import Json
from setpoint.testing.forge.world import World

_LISTS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}
_ANSWERS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def user(world: World, login: str) -> Json:
    """Return a simple user."""
    account = world.account(login)
    url = f"{world.api}/users/{login}"
    return {
        "login": login,
        "id": account.id,
        "node_id": node("User", account.id),
        "avatar_url": f"{world.url}/avatars/u/{account.id}?",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{world.url}/{login}",
        **{name: f"{url}{path}" for name, path in _LISTS.items()},
        "type": account.kind,
        "site_admin": False,
    }


def profile(world: World, login: str) -> Json:
    """Return the answer to `GET /user`, as a token without the scope `user` sees it."""
    empty = ("name", "company", "location", "email", "hireable", "bio", "twitter_username")
    counts = ("public_repos", "public_gists", "followers", "following")
    made = {"created_at": stamp(world.created), "updated_at": stamp(world.created)}
    return {
        **user(world, login),
        **dict.fromkeys(empty),
        "blog": "",
        **dict.fromkeys(counts, 0),
        **made,
    }


def app(world: World) -> Json:
    """Return the app that is installed on the repository."""
    permissions = (
        "checks",
        "contents",
        "deployments",
        "issues",
        "pull_requests",
        "security_events",
        "statuses",
    )
    return {
        "id": world.app_id,
        "slug": world.app_slug,
        "node_id": node("App", world.app_id),
        "owner": user(world, world.owner),
        "name": world.app_slug.title(),
        "description": "",
        "external_url": f"{world.url}/apps/{world.app_slug}/home",
        "html_url": f"{world.url}/apps/{world.app_slug}",
        "created_at": stamp(world.created),
        "updated_at": stamp(world.created),
        "permissions": dict.fromkeys(permissions, "write") | {"metadata": "read"},
        "events": ["issues", "issue_comment", "pull_request", "pull_request_review", "push"],
    }


def reactions(url: str) -> Json:
    """Return the reactions to what has this address: none."""
    return {"url": f"{url}/reactions", "total_count": 0, **dict.fromkeys(_ANSWERS, 0)}
