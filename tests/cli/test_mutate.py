"""What `setpoint lab mutate` prints."""

from setpoint.cli.project import mutate
from setpoint.model.mutation import Fate, Mutant, MutationReport


def survivor(line, tests, *, same_path):
    return Mutant(
        file="calc.py", line=line, operator="number", before=f"x = {line}", after="x = 0",
        verdict=Fate.SURVIVED, tests=tests, same_path=same_path,
    )  # fmt: skip


def test_survivors_that_may_mean_the_same_are_listed_last(capsys):
    mutants = [survivor(1, 2, same_path=True)]
    mutants += [survivor(9, 1, same_path=False), survivor(5, 3, same_path=False)]
    report = MutationReport(mutants=tuple(mutants))
    mutate.show(report)

    told = capsys.readouterr().out.splitlines()
    assert told[:6:3] == ["calc.py:5: 3 tests pass", "calc.py:9: 1 test passes"]
    assert told[6] == "calc.py:1: 2 tests pass  (and take the same path)"
    assert told[7:9] == ["  - x = 1", "  + x = 0"]


def test_lines_without_mutants_are_said_to_have_none(capsys):
    mutate.show(MutationReport(mutants=()))
    told = capsys.readouterr().out.splitlines()
    assert told == ["mutation score not measured: these lines hold no code that a mutant can change"]
