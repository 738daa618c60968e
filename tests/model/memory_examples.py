"""One example of every event about memory and of what people said."""

from setpoint.model.events import learning as m
from setpoint.model.events import people
from setpoint.model.evidence import CheckState
from setpoint.model.ids import Commit, GateId, LearningId
from setpoint.model.learning import LearningKind, LearningStatus, Recollection

COMMIT = Commit("c" * 40)
LEARNING = LearningId("lrn-0example")
ITEM = Recollection(
    learning=LEARNING,
    kind=LearningKind.PROCEDURAL,
    title="Clear mocks between tests",
    rank=1,
    score=0.2,
    confidence=0.7,
    status=LearningStatus.ACTIVE,
    shown=True,
    propensity=0.8,
)
HELD_BACK = ITEM.model_copy(update={"shown": False})
BY_A_PERSON = {"finding": "0123456789abcdef", "category": "correctness", "file": "src/cart.py", "by": "Ann"}
OF_A_FIX = {**BY_A_PERSON, "commit": COMMIT, "states": {"pytest": CheckState.PASS}, "after_s": 61.0}
ABOUT_MEMORY = (
    m.MemoryRecalled(phase="plan", question="make it work", items=(ITEM, HELD_BACK)),
    m.LearningsJudged(items=(m.Followed(learning=LEARNING, followed=True, how="wrote so", helped=True),)),
    m.ReflectionAnswered(agent="thinker", why="no JSON object"),
    m.ReflectionCompleted(
        trigger=m.Trigger.COMPLETED, learnings=(LEARNING,), titles=(ITEM.title,), advice="look at cart.py"
    ),
    m.ReflectionSkipped(trigger=m.Trigger.COMPLETED, reason="no money left"),
    m.ConfidenceIncreased(learning=LEARNING, before=0.6, after=0.7, reason="fix_applied"),
    m.ConfidenceDecreased(learning=LEARNING, before=0.7, after=0.5, reason="finding_dismissed"),
    people.FindingDismissed(**BY_A_PERSON, message="rounded twice", reason="it is not", after_s=3.0),
    people.FindingLifted(finding="0123456789abcdef", by="Ann"),
    people.FixApplied(**OF_A_FIX, branch="setpoint/totals", kept=True),
    people.FixRewritten(**OF_A_FIX, written="-a\n+b\n", kept=False, reason="1 test is red"),
    people.HumanEdited(
        gate=GateId("escalation-1"), files=("src/cart.py",), diff="-a\n+b\n", commit=COMMIT, by="Ann"
    ),
    people.CommentAdded(file="src/cart.py", line=3, text="what of null?", by="Ann"),
    people.DeliveryJudged(
        branch="setpoint/totals", fate=people.DeliveryFate.EDITED, commit=COMMIT, files=("src/cart.py",)
    ),
    people.ReviewGiven(
        word=people.ReviewWord.CHANGES_REQUESTED, text="what of null?", by="ana", number=13, commit=COMMIT
    ),
)
