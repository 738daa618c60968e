"""One example of every event about what an agent is doing."""

from setpoint.model.attempt import Role, ToolCall
from setpoint.model.events import live
from setpoint.model.proof import Obligation, ObligationState

PLACE = {"phase": "implement", "iteration": 1, "label": "implement-1", "attempt": 1}
ABOUT_LIVE = (
    live.ToolStarted(**PLACE, call=ToolCall(id="1", name="bash", kind="execute", title="pytest -q")),
    live.AgentSaid(**PLACE, text="I look at the test.\nIt is red."),
    live.ProjectTextShown(
        label="implement-1",
        role=Role.MAKER,
        agent="gemini",
        files=("AGENTS.md",),
        skills=(".claude/skills/release/SKILL.md",),
        read=("GEMINI.md",),
    ),
    live.QuestionAnswered(iteration=1, label="implement-1", attempt=1, question="Which of A or B?"),
    live.SessionOpened(iteration=1, label="implement-1", attempt=2, continued=False),
    live.EditsChosen(
        iteration=1,
        label="implement-1",
        chosen="implement-1.broke-1",
        measured=(live.MeasuredEdits(of="implement-1.broke-1", failing=0, blocking=0),),
        unmeasured=("implement-1.broke-2",),
    ),
    live.CopyRemade(former="/c/one", path="/c/two", commit="c" * 40, kept=False, label="implement-1"),
    live.HintGiven(text="round half up", by="Ann"),
    live.ProofStep(obligation=Obligation(name="witness", state=ObligationState.MET, count=2)),
    live.HintTaken(iteration=1, label="implement-1", hints=("hint:1",)),
    live.AgentInterrupted(iteration=1, label="implement-1", attempt=1),
    live.PauseRequested(by="Ann"),
    live.RunHeld(by="Ann"),
    live.PauseEnded(by="Ann"),
)
