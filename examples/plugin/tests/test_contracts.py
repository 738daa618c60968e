"""The parts of this package do what Setpoint expects of them."""

from setpoint.model.config.limits import Limits
from setpoint.model.evaluation import Stage
from setpoint.model.facts.rounds import RunFacts
from setpoint.model.ids import Commit, Tree
from setpoint.model.run import Round, Snapshot
from setpoint.plugins import AgentOptions
from setpoint.testing import ScriptedToolkit, evaluation
from setpoint.testing.contracts import AgentContract, CheckContract, GuardContract
from setpoint_example.agent import PatcherPlugin
from setpoint_example.check import todo
from setpoint_example.guard import same_files


class TestPatcher(AgentContract):
    name = "patcher"

    def make_agent(self, folder):
        return PatcherPlugin().agent(ScriptedToolkit(folder), AgentOptions())


class TestTodo(CheckContract):
    faulty = {"src/work.py": "x = 1  # TODO: name it\n"}
    clean = {"src/work.py": "x = 1\n"}

    def make_check(self):
        return todo()


class TestSameFiles(GuardContract):
    guard = same_files

    def stopping(self):
        return history(["a.py"], ["a.py"], ["a.py"])

    def going_on(self):
        return history(["a.py"], ["b.py"], ["a.py"])


def history(*changes):
    rounds = []
    for number, files in enumerate(changes, start=1):
        commit, tree = Commit(f"commit-{number}"), Tree(f"tree-{number}")
        snapshot = Snapshot(
            label=f"implement-{number}", commit=commit, tree=tree, parent=Commit("base"), files=tuple(files)
        )
        measured = evaluation(Stage.EVALUATE, commit, tree)
        rounds.append(Round(number=number, snapshot=snapshot, evaluation=measured))
    return RunFacts(limits=Limits(), base=evaluation(Stage.BASE, "base", "tree-0"), rounds=tuple(rounds))
