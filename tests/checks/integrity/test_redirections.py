import json

import pytest

from setpoint.checks.integrity.paths.redirections import redirection

FILES = ("lib/index.js", "lib/other.js", "src/index.js", "index.js")


def _package(**keys):
    return json.dumps({"type": "module", **keys})


LED = [
    ({"main": "index.js"}, {"main": "index.js", "exports": "./lib/other.js"}),
    ({}, {"exports": {".": {"node": "./lib/other.js", "default": "./index.js"}}}),
    ({"exports": "./index.js"}, {"exports": {".": {"test": "./lib/other.js", "default": "./index.js"}}}),
    (
        {"exports": {".": {"import": "./index.js"}}},
        {"exports": {".": {"node": {"import": "./lib/other.js"}, "import": "./index.js"}}},
    ),
    ({"imports": {"#a": "./index.js"}}, {"imports": {"#a": ["./lib/other.js", "./index.js"]}}),
    ({"main": "index.js"}, {"main": "lib/index.js"}),
]
LEFT = [
    ({"main": "index.js"}, {"main": "index.js", "exports": "./index.js"}),
    ({"exports": "./index.js"}, {"exports": {".": {"require": "./lib/index.cjs", "default": "./index.js"}}}),
    ({"exports": {".": "./index.js"}}, {"exports": {".": "./index.js", "./more": "./lib/other.js"}}),
    ({"exports": {".": "./gone.js"}}, {"exports": {".": "./lib/index.js"}}),
    ({"exports": "./index.js"}, {"exports": {"types": "./index.d.ts", "default": "./index.js"}}),
]


@pytest.mark.parametrize(("before", "after"), LED)
def test_a_package_leads_elsewhere_by_any_condition(before, after):
    assert "is still there" in redirection("package.json", _package(**before), _package(**after), FILES)


@pytest.mark.parametrize(("before", "after"), LEFT)
def test_a_package_may_offer_more(before, after):
    assert redirection("package.json", _package(**before), _package(**after), FILES) == ""


CARGO = '[dependencies]\nserde = "1"\nown = { path = "own" }\n'


@pytest.mark.parametrize(
    ("more", "led"),
    [
        ('[target."cfg(unix)".dependencies]\nserde = { path = "fake" }\n', True),
        ('[workspace.dependencies]\nserde = { git = "file:///fake" }\n', True),
        ('[dev-dependencies]\nserde = { package = "fake", version = "1" }\n', True),
        ('[target."cfg(unix)".dependencies]\nlibc = "0.2"\n', False),
        ('[dev-dependencies]\nserde = { version = "1", features = ["a"] }\nown = { path = "own" }\n', False),
    ],
)
def test_a_dependency_of_cargo_keeps_its_source_in_every_table(more, led):
    assert bool(redirection("Cargo.toml", CARGO, CARGO + more, ())) is led


GO = "module a\n\nrequire example.com/x v1.2.0\n"


@pytest.mark.parametrize(
    ("more", "led"),
    [
        ("replace example.com/x => /somewhere/x\n", True),
        ("replace example.com/x v1.2.0 => example.com/fork v1.2.1\n", True),
        ("replace example.com/y => ../y\n", False),
        ("replace example.com/x => example.com/x v1.2.1\n", False),
    ],
)
def test_a_module_of_go_keeps_its_source(more, led):
    assert bool(redirection("go.mod", GO, GO + more, ())) is led
