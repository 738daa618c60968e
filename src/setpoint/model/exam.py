"""Who set the exam that a change passed, and the words that say so after the verdict."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from setpoint.model.value import Text, Value
from setpoint.model.wording import counted, enumerated


class Examiner(StrEnum):
    """Who says what is right."""

    HIDDEN_TESTS = "hidden_tests"
    """Tests that a program wrote from the request alone, or a person's own that the maker was not given."""
    FAILING_TESTS = "failing_tests"
    """Tests that failed before the work."""
    COMMAND = "command"
    """An acceptance command of the story."""
    BASE_TESTS = "base_tests"
    """The tests of the base, where the work is to change no outcome."""
    REVIEWER = "reviewer"
    """A reviewer with a model of its own, who found that the maker's tests express the request."""
    SETPOINT = "setpoint"
    """What Setpoint measured itself, where nothing that runs is changed, or only tests are."""
    MAKER = "maker"
    """The maker's own tests."""


class Least(StrEnum):
    """Whose exam is enough, the strongest first."""

    HIDDEN = "hidden"
    """Hidden tests that the maker could not read."""
    OTHERS = "others"
    """Anybody's but the maker's."""
    SELF = "self"
    """The maker's own tests."""

    def admits(self, reached: Least) -> bool:
        """Whether an exam of the kind `reached` is enough."""
        order = list(Least)
        return order.index(reached) <= order.index(self)


class Exam(Value):
    """One exam that a change passed."""

    examiner: Examiner
    author: Text = ""
    """The agent that wrote the hidden tests, or reviewed; empty: the person who ordered the work."""
    count: int = 1
    """How many tests or commands it holds."""
    what: Text = ""
    """What Setpoint measured, where it is the examiner."""
    readable: Text = ""
    """Why the maker could read hidden tests; empty where it could not."""

    @property
    def words(self) -> str:
        """Who set it, and what the maker could read, as the end of a sentence."""
        known = f" (the maker could read {'it' if self.count == 1 else 'them'})"
        many = "" if self.count == 1 else f"{self.count} "
        tests = f"hidden test{'s' * bool(many)}"
        hidden = f"{self.count} {tests} of {self.author}" if self.author else f"your {many}{tests}"
        if self.readable:
            hidden = f"{hidden.replace('hidden ', '')}, not hidden from the maker ({self.readable})"
        return {
            Examiner.HIDDEN_TESTS: hidden,
            Examiner.FAILING_TESTS: f"your {many}failing test{'s' * bool(many)}{known}",
            Examiner.COMMAND: f"your {many}command{'s' * bool(many)}{known}",
            Examiner.BASE_TESTS: f"{counted(self.count, 'test')} of the base{self.what and f', {self.what}'}",
            Examiner.REVIEWER: f"reviewer {self.author}, who approved the change and the maker's tests",
            Examiner.SETPOINT: f"Setpoint: {self.what}",
            Examiner.MAKER: "the maker's own tests",
        }[self.examiner]


class Beside(NamedTuple):
    """What the first line says beside the exams."""

    reviewers: tuple[str, ...] = ()
    """Agents with a model of their own that approved the change."""
    lacking: tuple[str, ...] = ()
    """What was to be had of others and is not, in words."""
    not_run: tuple[str, ...] = ()
    """Runs that this kind of work asks for, and that could not be made."""


def level(exams: tuple[Exam, ...]) -> Least:
    """Return whose exam was passed, at best."""
    if any(each.examiner is Examiner.HIDDEN_TESTS and not each.readable for each in exams):
        return Least.HIDDEN
    return Least.OTHERS if any(each.examiner is not Examiner.MAKER for each in exams) else Least.SELF


def by_whom(exams: tuple[Exam, ...], beside: Beside) -> str:
    """Say who vouches for verified work, who reviewed it, and what could not be run; follows the mark."""
    others = [each for each in exams if each.examiner is not Examiner.MAKER]
    return f"by {enumerated([each.words for each in others])}{_beside(exams, beside)}"


def by_maker(against: tuple[str, ...], beside: Beside) -> str:
    """Say that only the maker vouches, and why; follows the mark."""
    said = "all runs passed, and only the maker's own tests say what is right"
    if against:
        more = f" and {len(against) - 1} more" if len(against) > 1 else ""
        said = (
            f"the change contradicts the old test {against[0]}{more}, and only the maker says that it should"
        )
    return f"{said}{_beside((), beside)}"


def _beside(exams: tuple[Exam, ...], beside: Beside) -> str:
    authors = (each.author.split(", ") for each in exams if each.examiner is Examiner.REVIEWER)
    named = {name for each in authors for name in each}
    others = [each for each in beside.reviewers if each not in named]
    said = "" if named else "; nobody reviewed it"
    if others:
        approved = f"{enumerated(others)} approved the change and did not vouch for these tests"
        said = f", reviewed by {enumerated(others)}" if exams else f"; {approved}"
    said += "".join(f"; {each}" for each in beside.lacking)
    return f"{said}; runs not possible here: {', '.join(beside.not_run)}" if beside.not_run else said
