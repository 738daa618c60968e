"""Files of others are what their packages hold, and their licences lie beside them."""

import hashlib
import re
from importlib import resources

FOLDER = resources.files("setpoint.web").joinpath("static", "vendored")


def test_every_file_of_others_has_its_sum_and_its_licence():
    told = FOLDER.joinpath("VENDORED.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\S+)` \| `(\S+)` \| (\S+) \| (\S+) \| `([0-9a-f]{64})` \|$", told, re.MULTILINE)
    names = {each.name for each in FOLDER.iterdir() if each.name.endswith((".js", ".css"))}
    assert {row[0] for row in rows} == names
    for name, package, _version, licence, expected in rows:
        assert hashlib.sha256(FOLDER.joinpath(name).read_bytes()).hexdigest() == expected, name
        assert FOLDER.joinpath(f"LICENSE.{package.removesuffix('.org')}").is_file()
        assert licence in ("0BSD", "MIT")
