"""The GitHub adapter on the fake GitHub, as a stage of the contract."""

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from setpoint.forges.github.forge import GitHubForge
from setpoint.forges.open import open_forge
from setpoint.model.config.forge import ForgeKind, ForgeSettings
from setpoint.testing.contracts.remote_forge import FILE, LABEL, ForgeStage, repository, run
from setpoint.testing.forge import FakeForge

TOKEN = "FORGE_TOKEN"


class GitHubStage(ForgeStage):
    """A fake GitHub that serves, with people of each role."""

    forge: GitHubForge

    def __init__(self, fake: FakeForge, folder, token: str = "") -> None:
        self.fake = fake
        self.token = token or fake.token
        self.root = repository(folder / "repository")
        run(self.root, "push", "-q", str(fake.folder), "main:refs/heads/main")
        run(self.root, "remote", "add", "origin", fake.clone_url)
        fake.people.update({"ada": "admin", "wes": "write", "rob": "read", "eve": "none"})
        self.settings = ForgeSettings(kind=ForgeKind.GITHUB, api_url=fake.api_url)

    async def open(self):
        self.forge = await open_forge(self.settings, self.root, {TOKEN: self.token})
        return self

    async def as_app(self, file):
        """Open it as the app, with a key of its own."""
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        file.write_bytes(key.private_bytes(serialization.Encoding.PEM, *form))
        numbers = key.public_key().public_numbers()
        self.fake.trust_app_key(numbers.n, numbers.e)
        app = {"app_id": str(self.fake.app_id), "app_installation": str(self.fake.installation_id)}
        self.settings = self.settings.model_copy(update={**app, "app_key_file": str(file)})
        return await self.open()

    async def open_issue(self, title, text, author):
        return self.fake.open_issue(title, text, by=author).number

    async def label(self, number, by):
        self.fake.pass_time(2)
        self.fake.label(number, LABEL, by=by)

    async def edit(self, number, text):
        self.fake.pass_time(2)
        self.fake.edit(number, by="eve", text=text)

    async def say(self, number, author, text):
        self.fake.comment(number, text, by=author)

    async def say_on_line(self, number, author, text):
        self.fake.review(number, "commented", by=author, comments=[(FILE, 1, text)])

    async def review(self, number, author, state, text):
        self.fake.review(number, str(state), text, by=author)

    async def merge(self, number, by):
        self.fake.set_draft(number, by=by, draft=False)
        self.fake.merge(number, by=by)

    async def close(self, number, by):
        self.fake.close(number, by=by)
