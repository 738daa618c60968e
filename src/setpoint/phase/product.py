"""Show the product before and after the work; it changes no verdict."""

from __future__ import annotations

from setpoint.errors import SetpointError
from setpoint.model.evaluation import Stage
from setpoint.model.events.product import ProductShown
from setpoint.model.product import ProductView, Shown
from setpoint.model.run import Round
from setpoint.ports import Measured, ShowsProduct
from setpoint.runs.context import RunContext


async def show_product(run: RunContext, best: Round) -> None:
    """Show what the order names on the base and on a round's tree, each as one fact of the run."""
    evaluator = run.ports.evaluator
    if not isinstance(evaluator, ShowsProduct):
        return
    base = Measured(run.copy, run.order.base, run.copy.base_tree, Stage.BASE)
    result = Measured(run.copy, best.snapshot.commit, best.snapshot.tree, Stage.TEST)
    for number, asked in enumerate(run.order.story.show, start=1):

        async def act(asked: Shown = asked) -> ProductShown:
            views = [await _view(run, evaluator, each, asked) for each in (base, result)]
            return ProductShown(what=str(asked), before=views[0], after=views[1])

        await run.journal.step(f"show-{number}", act, ProductShown)


async def _view(run: RunContext, evaluator: ShowsProduct, tree: Measured, asked: Shown) -> ProductView:
    try:
        return await evaluator.show(run.order, tree, asked)
    except (SetpointError, OSError) as error:  # a boundary: whatever fails here, the work is as it was
        return ProductView(reason=f"it could not be shown: {error}")
