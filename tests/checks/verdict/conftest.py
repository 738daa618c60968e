"""A change on a small project, and what proves it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.proof import NOBODY, Obligation, Proof, ProofTerms, Vouched
from setpoint.ports import Measured
from setpoint.settings import ChecksSettings

QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)
PRICE = "def price(n):\n    return n * 100\n"
SHOP = {
    "shop.py": PRICE,
    "tests/test_shop.py": "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n",
}


@pytest.fixture
def proof(bench):
    """Prove a change of some files of a small shop; more keywords go to the story."""

    async def prove(
        change: Mapping[str, str | None],
        title: str = "add a discount",
        *,
        base: Mapping[str, str] = SHOP,
        terms: ProofTerms | None = None,
        vouched: Vouched = NOBODY,
        **story: object,
    ) -> Proof:
        there = await bench(dict(base), settings=QUICK, **story)
        wanted = there.order.story.model_copy(update={"title": title})
        there.order = there.order.model_copy(update={"proof": terms or ProofTerms(), "story": wanted})
        await there.measure(Stage.BASE)
        made = await there.change(dict(change))
        measured = Measured(copy=there.copy, commit=made.commit, tree=made.tree, stage=Stage.TEST)
        return await there.evaluator.prove(there.order, measured, vouched)

    return prove


@pytest.fixture
def obligations(proof):
    """Do the same, and give the obligations by name."""

    async def prove(change: Mapping[str, str | None], title: str, **more: object) -> dict[str, Obligation]:
        made: Proof = await proof(change, title, **more)
        return {each.name: each for each in made.obligations}

    return prove
