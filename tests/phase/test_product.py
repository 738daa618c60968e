"""What is shown of the product is recorded before the end, and changes no verdict."""

from setpoint.errors import WorkspaceError
from setpoint.model.events.product import ProductShown
from setpoint.model.product import ProductView
from setpoint.phase import loop as phase
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator


class Showing(ScriptedEvaluator):
    """Shows the commit that it is asked about, and cannot show one thing."""

    async def show(self, order, tree, asked):
        if asked == "broken":
            raise WorkspaceError("no such tree")
        return ProductView(exit_code=0, reason=tree.commit)


async def driven(evaluator, folder, *show):
    agent = ScriptedAgent(Act(edits={"src/work.py": "value = 1\n"}))
    made = RunHarness(agent=agent, evaluator=evaluator(Scene(), base=Scene(failing=("t::a",))), folder=folder)
    order = made.order()
    order = order.model_copy(update={"story": order.story.model_copy(update={"show": show})})
    outcome = await phase.drive(order, made.ports(), made.durable)
    bodies = [event.body for event in made.log.replay(order.trace_id)]
    return order, outcome, [body for body in bodies if isinstance(body, ProductShown)]


async def test_each_command_is_shown_on_base_and_result_and_a_broken_one_changes_nothing(tmp_path):
    order, outcome, (broken, echo) = await driven(Showing, tmp_path, "broken", "echo")

    assert outcome.ending == "verified"
    assert (echo.what, echo.before.reason, echo.after.reason) == ("echo", order.base, outcome.best)
    assert "no such tree" in broken.after.reason


async def test_an_evaluator_that_shows_nothing_and_an_order_without_show_record_nothing(tmp_path):
    for evaluator, show in ((ScriptedEvaluator, ("echo",)), (Showing, ())):
        _, outcome, shown = await driven(evaluator, tmp_path / evaluator.__name__, *show)
        assert (outcome.ending, shown) == ("verified", [])
