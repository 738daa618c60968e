"""Each block of README, tutorial and how-tos does what its page says, or says why nobody can type it."""

from __future__ import annotations

import ast
import importlib

import pytest

from docs.pages import PAGES, SHELL, Shop, blocks, is_about_a_verified_run

FIRST = ("README.md", "tutorial.md")
TYPED = [page for page in PAGES if any(block.is_typed for block in blocks(page))]
NOT_RUN = 41
"""Blocks of a shell that cannot be typed; who marks one more lowers the trust in the pages."""


@pytest.fixture(scope="session")
def verified(tmp_path_factory):
    """The sample project after a verified run."""
    shop = Shop(tmp_path_factory.mktemp("docs") / "shop")
    done = shop.type('setpoint run "make the failing tests pass" --agent mechanic')
    assert done.returncode == 0, done.stdout + done.stderr
    return shop.place


@pytest.fixture
def shop(tmp_path, request):
    """The project in which a page is typed."""
    page = request.getfixturevalue("page")
    like = request.getfixturevalue("verified") if is_about_a_verified_run(page) else None
    return Shop(tmp_path / "shop", like)


def _named(page):
    return page.stem


@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", [page for page in TYPED if page.name in FIRST], ids=_named)
def test_the_first_pages_can_be_typed(page, shop):
    assert shop.read(page) == []


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", [page for page in TYPED if page.name not in FIRST], ids=_named)
def test_a_how_to_can_be_typed(page, shop):
    assert shop.read(page) == []


def test_few_blocks_cannot_be_typed_and_each_says_why():
    left_out = [block for page in PAGES for block in blocks(page) if "not run" in block.marks]
    assert [block.where for block in left_out if len(block.marks["not run"].split()) < 3] == []
    assert sum(block.language in SHELL for block in left_out) <= NOT_RUN
    assert len([block for page in PAGES for block in blocks(page) if block.is_typed]) >= 80


def test_every_python_block_compiles_and_imports_what_is_public():
    for page in PAGES:
        for block in (each for each in blocks(page) if each.language == "python"):
            tree = ast.parse(block.text, block.where)
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("setpoint"):
                    module = importlib.import_module(node.module)
                    missing = [each.name for each in node.names if not hasattr(module, each.name)]
                    assert missing == [], block.where
