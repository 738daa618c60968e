"""The repository and its commits, as GitHub shows them."""

from __future__ import annotations

from setpoint.testing.forge.bare import NOTHING, CommitFacts
from setpoint.testing.forge.naming import node, stamp
from setpoint.testing.forge.payloads.people import user
from setpoint.testing.forge.records import Json
from setpoint.testing.forge.world import World

REPOSITORY_ID = 1
_LISTS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
_COUNTS = ("forks_count", "stargazers_count", "watchers_count", "size", "forks", "watchers")


def repository(world: World) -> Json:
    """Return the repository."""
    host = world.url.removeprefix("http://")
    issues = sum(1 for each in world.issues.values() if each.state == "open")
    pushed = stamp(world.created)
    return {
        "id": REPOSITORY_ID,
        "node_id": node("Repository", REPOSITORY_ID),
        "name": world.repo,
        "full_name": world.full_name,
        "private": world.private,
        "owner": user(world, world.owner),
        "html_url": world.page,
        "description": None,
        "fork": False,
        "url": world.api_repo,
        **{name: f"{world.api_repo}{path}" for name, path in _LISTS.items()},
        "created_at": pushed,
        "updated_at": pushed,
        "pushed_at": pushed,
        "git_url": f"git://{host}/{world.full_name}.git",
        "ssh_url": f"git@{host}:{world.full_name}.git",
        "clone_url": f"{world.page}.git",
        "svn_url": world.page,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        **dict.fromkeys(_COUNTS, 0),
        "has_issues": True,
        "has_projects": True,
        "has_downloads": True,
        "has_wiki": True,
        "has_pages": False,
        "has_discussions": False,
        "archived": False,
        "disabled": False,
        "open_issues_count": issues,
        "open_issues": issues,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "topics": [],
        "custom_properties": {},
        "visibility": "private" if world.private else "public",
        "default_branch": "main",
    }


def pushed_repository(world: World) -> Json:
    """Return the repository as a push event does: times in seconds since 1970, more of its owner."""
    body, at = repository(world), int(world.created.timestamp())
    body["owner"] |= {"name": world.owner, "email": f"{world.owner}@users.noreply.localhost"}
    return body | {"created_at": at, "pushed_at": at, "stargazers": 0, "master_branch": "main"}


def commit(world: World, facts: CommitFacts) -> Json:
    """Return a commit as the REST API does; its author and committer are the same."""
    who = {"name": facts.author, "email": facts.email, "date": facts.at}
    url = f"{world.api_repo}/commits/{facts.sha}"
    known = user(world, facts.author) if facts.author in world.accounts else None
    return {
        "sha": facts.sha,
        "node_id": node("Commit", facts.sha),
        "commit": {
            "author": who,
            "committer": who,
            "message": facts.message,
            "tree": {"sha": facts.tree, "url": f"{world.api_repo}/git/trees/{facts.tree}"},
            "url": f"{world.api_repo}/git/commits/{facts.sha}",
            "comment_count": 0,
            "verification": {
                "verified": False,
                "reason": "unsigned",
                "signature": None,
                "payload": None,
                "verified_at": None,
            },
        },
        "url": url,
        "html_url": f"{world.page}/commit/{facts.sha}",
        "comments_url": f"{url}/comments",
        "author": known,
        "committer": known,
        "parents": [
            {
                "sha": sha,
                "url": f"{world.api_repo}/commits/{sha}",
                "html_url": f"{world.page}/commit/{sha}",
            }
            for sha in facts.parents
        ],
    }


def pushed_commit(world: World, facts: CommitFacts) -> Json:
    """Return a commit as a push event does."""
    who = {"name": facts.author, "email": facts.email, "username": facts.author}
    before = facts.parents[0] if facts.parents else None
    changed = world.bare.changed(before, facts.sha) if before else {"A": [], "M": [], "D": []}
    return {
        "id": facts.sha,
        "tree_id": facts.tree,
        "distinct": True,
        "message": facts.message,
        "timestamp": facts.at,
        "url": f"{world.page}/commit/{facts.sha}",
        "author": who,
        "committer": who,
        "added": changed["A"],
        "removed": changed["D"],
        "modified": changed["M"],
    }


def push(world: World, branch: str, before: str, after: str, by: str) -> Json:
    """Return what a push event says before repository and sender."""
    known = NOTHING if before == NOTHING else before
    if before == NOTHING and branch != "main":
        known = world.bare.tip("main") or NOTHING
    listed = [] if after == NOTHING else world.bare.commits(known, after)
    commits = [pushed_commit(world, each) for each in listed]
    head = None if after == NOTHING else pushed_commit(world, world.bare.facts(after))
    return {
        "ref": f"refs/heads/{branch}",
        "before": before,
        "after": after,
        "created": before == NOTHING,
        "deleted": after == NOTHING,
        "forced": NOTHING not in (before, after) and not world.bare.contains(after, before),
        "base_ref": None,
        "compare": f"{world.page}/compare/{before[:12]}...{after[:12]}",
        "commits": commits,
        "head_commit": head,
        "pusher": {"name": by, "email": f"{by}@users.noreply.localhost"},
    }
