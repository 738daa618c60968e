"""A change on a small project, and what proves it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.proof import Obligation, Proof, ProofTerms
from setpoint.ports import Measured
from setpoint.settings import ChecksSettings

QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)


@pytest.fixture
def obligations(bench):
    """Prove a change of some files; gives its obligations by name. More keywords go to the story."""

    async def prove(
        base: Mapping[str, str], change: Mapping[str, str | None], title: str, **story: object
    ) -> dict[str, Obligation]:
        there = await bench(dict(base), settings=QUICK, **story)
        wanted = there.order.story.model_copy(update={"title": title})
        there.order = there.order.model_copy(update={"proof": ProofTerms(), "story": wanted})
        await there.measure(Stage.BASE)
        made = await there.change(dict(change))
        measured = Measured(copy=there.copy, commit=made.commit, tree=made.tree, stage=Stage.TEST)
        proof: Proof = await there.evaluator.prove(there.order, measured)
        return {each.name: each for each in proof.obligations}

    return prove


@pytest.fixture
def git_tree(tmp_path):
    """Make a repository of some files in `tmp_path`; gives its tree."""

    def make(files: Mapping[str, str]) -> str:
        for path, held in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(held, "utf-8")
        for words in (("init", "-q"), ("add", "-A")):
            subprocess.run(["git", *words], cwd=tmp_path, check=True)
        tree = subprocess.run(["git", "write-tree"], cwd=tmp_path, check=True, capture_output=True, text=True)
        return tree.stdout.strip()

    return make
