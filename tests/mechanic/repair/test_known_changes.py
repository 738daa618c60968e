from __future__ import annotations

from setpoint.model.ids import LearningId
from setpoint.model.learning import LearningKind, LearningStatus, Recollection
from setpoint_mechanic.repair.known_changes import known_changes

BODY = """\
Setpoint verified this change:
+++ b/shop.py
@@ -1,4 +1,5 @@
-    return amount - 2
+    return amount + 2
@@ -9,2 +10,3 @@
-    a = 1
-    b = 2
+    a = 2
-    c = 1
+    c = 3
+    d = 4
@@ -20 +21 @@
+    only = "added"
Sent back before: edits of the family number."""


def recalled(body):
    return Recollection(
        learning=LearningId("l1"),
        kind=LearningKind.PROCEDURAL,
        title="it was cleared",
        body=body,
        rank=1,
        score=1.0,
        confidence=0.7,
        status=LearningStatus.ACTIVE,
        shown=True,
        propensity=0.9,
    )


def test_changes_are_read_out_of_what_is_recalled():
    assert known_changes([recalled(BODY), recalled("nothing here"), recalled(BODY)]) == (
        (("    return amount - 2",), ("    return amount + 2",)),
        (("    a = 1", "    b = 2"), ("    a = 2",)),
        (("    c = 1",), ("    c = 3", "    d = 4")),
    )


def test_a_long_change_is_no_repair():
    body = "".join(f"-line {n}\n" for n in range(40)) + "+one\n"
    assert known_changes([recalled(body)]) == ()
