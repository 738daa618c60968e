"""The answers of Forgejo that its adapter reads, from a small state; written from its documentation."""

import json
import re
import subprocess
from datetime import UTC, datetime, timedelta

import httpx2

from setpoint.forges.forgejo.forge import ForgejoForge
from setpoint.forges.git_remote import GitRemote
from setpoint.forges.place import Place
from setpoint.testing.contracts.remote_forge import FILE, LABEL, PEOPLE, ForgeStage, repository, run

API = "https://git.invalid/api/v1"
REPO = "/api/v1/repos/octo/shop"
STATES = {"approved": "APPROVED", "changes_requested": "REQUEST_CHANGES", "commented": "COMMENT"}
ME = "setpoint-bot"


class ForgejoStage(ForgeStage):
    shows = "commit status"
    takes_sarif = False

    def __init__(self, folder):
        self.root = repository(folder / "repository")
        self.bare = folder / "bare.git"
        subprocess.run(["git", "clone", "-q", "--bare", str(self.root), str(self.bare)], check=True)
        self.at = datetime(2026, 1, 1, tzinfo=UTC)
        self.issues, self.timelines, self.comments, self.pulls, self.reviews = {}, {}, [], {}, []
        self.statuses = []
        place = Place(repository="octo/shop", api_url=API, remote=GitRemote(address=str(self.bare)))
        self.forge = ForgejoForge(place, "secret-token", transport=httpx2.MockTransport(self.answer))

    # what people do

    async def open_issue(self, title, text, author):
        number = self.number()
        issue = {"number": number, "title": title, "body": text, "user": {"login": author}, "state": "open"}
        self.issues[number] = {**issue, "labels": [], "updated_at": self.now()}
        self.timelines[number] = []
        return number

    async def label(self, number, by):
        at = self.now()
        self.issues[number] |= {"labels": [{"name": LABEL}], "updated_at": at}
        entry = {"type": "label", "body": "1", "user": {"login": by}, "created_at": at}
        self.timelines[number].append({**entry, "label": {"name": LABEL}})

    async def edit(self, number, text):
        self.issues[number] |= {"body": text, "updated_at": self.now()}

    async def say(self, number, author, text):
        self.comments.append(self.written(number, author, text))

    async def say_on_line(self, number, author, text):
        note = {"path": FILE, "body": text, "new_position": 1}
        self.reviewed(number, author, {"event": "COMMENT", "comments": [note]})

    async def review(self, number, author, state, text):
        self.reviewed(number, author, {"event": STATES[str(state)], "body": text})

    async def merge(self, number, by):
        head = self.tip(self.pulls[number]["head"]["ref"])
        run(self.bare, "update-ref", "refs/heads/main", head)
        ended = {"state": "closed", "merged": True, "merge_commit_sha": head, "merged_by": {"login": by}}
        self.pulls[number] |= ended

    async def close(self, number, by):
        self.pulls[number]["state"] = "closed"

    # what the API answers

    def answer(self, request):
        assert request.headers["authorization"] == "token secret-token"
        path = request.url.path.removeprefix(REPO).removeprefix("/api/v1")
        body = json.loads(request.content) if request.content else dict(request.url.params)
        for method, form, answered in self.routes():
            if request.method == method and (found := re.fullmatch(form, path)):
                status, told = answered(*found.groups(), body)
                return httpx2.Response(status, json=told)
        return httpx2.Response(404, json={"message": f"nothing at {path}"})

    def routes(self):
        return (
            ("GET", "/user", lambda _: (200, {"login": ME})),
            ("GET", r"/collaborators/([^/]+)/permission", self.permission),
            ("GET", "/issues", self.listed),
            ("GET", r"/issues/(\d+)/timeline", lambda number, _: (200, self.timelines[int(number)])),
            ("GET", "/issues/comments", lambda _: (200, self.comments)),
            ("GET", r"/issues/(\d+)/comments", self.below),
            ("POST", r"/issues/(\d+)/comments", self.commented),
            ("PATCH", r"/issues/comments/(\d+)", self.changed),
            ("GET", "/pulls", self.all_pulls),
            ("POST", "/pulls", self.opened),
            ("GET", r"/pulls/(\d+)", self.one),
            ("PATCH", r"/pulls/(\d+)", self.brought),
            ("GET", r"/pulls/(\d+)/reviews", lambda number, _: (200, self.reviews_of(int(number)))),
            ("POST", r"/pulls/(\d+)/reviews", lambda number, body: self.reviewed(int(number), ME, body)),
            ("GET", r"/pulls/\d+/reviews/(\d+)/comments", self.lines),
            ("POST", r"/statuses/([0-9a-f]{40})", lambda sha, body: (201, self.statuses.append(body) or {})),
        )

    def listed(self, query):
        since = query.get("since", "")
        return 200, [each for each in self.issues.values() if each["updated_at"] >= since]

    def all_pulls(self, query):
        wanted = ("open", "closed") if query["state"] == "all" else (query["state"],)
        return 200, [self.shown(number) for number, pull in self.pulls.items() if pull["state"] in wanted]

    def permission(self, login, _):
        if login not in PEOPLE:
            return 404, {"message": "user does not exist"}
        return 200, {"permission": str(PEOPLE[login]), "role_name": "", "user": {"login": login}}

    def below(self, number, _):
        return 200, [each for each in self.comments if each["issue_url"].endswith(f"/{number}")]

    def commented(self, number, body):
        made = self.written(int(number), ME, body["body"])
        self.comments.append(made)
        return 201, made

    def changed(self, id_, body):
        made = next(each for each in self.comments if each["id"] == int(id_))
        made |= {"body": body["body"], "updated_at": self.now()}
        return 200, made

    def opened(self, body):
        if not self.tip(body["head"]):
            return 404, {"message": "branch does not exist"}
        number, repo = self.number(), {"full_name": "octo/shop"}
        head, target = ({"ref": body[key], "sha": "", "repo": repo} for key in ("head", "base"))
        texts = {"title": body["title"], "body": body["body"], "state": "open", "merged": False}
        self.pulls[number] = {"number": number, **texts, "head": head, "base": target}
        return 201, self.shown(number)

    def one(self, number, _):
        known = int(number) in self.pulls
        return (200, self.shown(int(number))) if known else (404, {"message": "not found"})

    def brought(self, number, body):
        self.pulls[int(number)] |= body
        return 201, self.shown(int(number))

    def shown(self, number):
        pull = self.pulls[number]
        if pull["state"] == "open":
            pull["head"]["sha"] = self.tip(pull["head"]["ref"])
        return pull

    def reviewed(self, number, author, body):
        id_, at, head = len(self.reviews) + 1, self.now(), self.shown(number)["head"]["sha"]
        lines = [
            {**self.written(number, author, each["body"]), "path": each["path"], "position": 1}
            for each in body.get("comments", ())
        ]
        lines = [{**each, "original_commit_id": head} for each in lines]
        made = {"id": id_, "user": {"login": author}, "state": body["event"], "body": body.get("body", "")}
        made |= {"submitted_at": at, "commit_id": head, "html_url": f"https://git.invalid/{number}#{id_}"}
        self.reviews.append((number, made | {"comments_count": len(lines)}, lines))
        return 200, made

    def reviews_of(self, number):
        return [made for of, made, _ in self.reviews if of == number]

    def lines(self, review, _):
        return 200, self.reviews[int(review) - 1][2]

    def written(self, number, author, text):
        self.last = getattr(self, "last", 0) + 1
        at, url = self.now(), f"https://git.invalid/octo/shop/issues/{number}"
        known = {"id": self.last, "body": text, "user": {"login": author}, "issue_url": url}
        return {**known, "created_at": at, "updated_at": at, "html_url": f"{url}#{self.last}"}

    def tip(self, branch):
        words = ["git", "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"]
        done = subprocess.run(words, cwd=self.bare, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    def number(self):
        return len(self.issues) + len(self.pulls) + 1

    def now(self):
        self.at += timedelta(seconds=5)
        return self.at.isoformat()
